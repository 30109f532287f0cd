/*===- MatchTexts.c - RegexFullMatch ------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A file of its own, since a model that takes anything of a file takes the   *|
|* libraries that it needs: here RE2.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Strings.h"

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Extra.h"

#include "Texts.h"

int32_t onnxc_rt_texts_match(onnxc_context *face, const char *node,
                             const onnxc_tensor *x, int64_t pattern,
                             onnxc_tensor *result) {
  if (onnxc_extra_full_match((text)(uintptr_t)pattern, pointers_of(x),
                             onnxc_rt_count_elements(x),
                             (uint8_t *)result->data))
    return onnxc_rt_set_error(
        (onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
        "%sthe pattern is not a valid RE2 regular expression", node);
  return ONNXC_OK;
}
