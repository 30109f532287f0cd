/*===- Texts.h - Elements that are strings ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Shared by the files of the runtime that look into strings.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_TEXTS_H
#define ONNXC_LIB_RUNTIME_TEXTS_H

#include "onnxc/runtime.h"

#include "Libc.h"

typedef const char *text;

static inline const text *texts_of(const onnxc_tensor *tensor) {
  return (const text *)tensor->data;
}

#endif /* ONNXC_LIB_RUNTIME_TEXTS_H */
