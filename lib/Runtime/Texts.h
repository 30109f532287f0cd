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

static inline onnxc_string *texts_of(const onnxc_tensor *tensor) {
  return (onnxc_string *)tensor->data;
}

/* What lib/Runtime/Extra takes, which is made for 64-bit machines. */
static inline const text *pointers_of(const onnxc_tensor *tensor) {
  _Static_assert(sizeof(text) <= sizeof(onnxc_string), "an element holds one");
  return (const text *)tensor->data;
}

#endif /* ONNXC_LIB_RUNTIME_TEXTS_H */
