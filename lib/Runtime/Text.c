/*===- Text.c - Shapes in words -----------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For messages only.                                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

void onnxc_rt_shape_text(char *text, size_t size, int32_t dtype, int32_t rank,
                         const int64_t *dims, const char *const *symbols) {
  size_t used;
  int32_t i;
  snprintf(text, size, "%s ", onnxc_dtype_name(dtype));
  used = strlen(text);
  if (rank < 0 || rank > ONNXC_MAX_RANK) {
    snprintf(text + used, size - used, "of rank %d", (int)rank);
    return;
  }
  /* Each piece is cut where the buffer ends; `used` stays inside of it. */
  snprintf(text + used, size - used, "[");
  for (i = 0; i < rank; ++i) {
    const char *comma = i ? ", " : "";
    used += strlen(text + used);
    if (symbols && dims[i] < 0)
      snprintf(text + used, size - used, "%s%s", comma,
               symbols[i] && *symbols[i] ? symbols[i] : "?");
    else
      snprintf(text + used, size - used, "%s%lld", comma, (long long)dims[i]);
  }
  used += strlen(text + used);
  snprintf(text + used, size - used, "]");
}
