/*===- onnxc/Runtime/DecodeImage.h - Image files as tensors -------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_DECODEIMAGE_H
#define ONNXC_RUNTIME_DECODEIMAGE_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The image in the bytes of a file, as height x width x channels; empty if it
   cannot be decoded. `format` is 'R' (red, green, blue), 'B' (blue first) or
   'G' (gray, one channel). Returns a status. */
int32_t onnxc_rt_decode_image(onnxc_context *context, const char *node,
                              const onnxc_tensor *file, int64_t format,
                              onnxc_tensor *result);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_DECODEIMAGE_H */
