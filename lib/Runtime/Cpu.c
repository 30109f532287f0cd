/*===- Cpu.c - Does this processor run the model ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Asks the processor itself: the answer of the C library or the compiler's   *|
|* support library would be one more dependency.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#define ONNXC_ARCH_ASKS_PROCESSOR
#include "Libc.h"

const char *onnxc_rt_missing_feature(const char *const *features) {
  processor asked;
  asked.count = 0;
  for (; features && *features; ++features)
    if (!supported(&asked, *features))
      return *features;
  return NULL;
}
