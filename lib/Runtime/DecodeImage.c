/*===- DecodeImage.c - Image files as tensors ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/DecodeImage.h"

#include "onnxc/Runtime/Context.h"
#include "onnxc/Runtime/Extra.h"

#include "Libc.h"

/* Blue, green, red. */
static void swap_colors(uint8_t *pixels, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i, pixels += 3) {
    uint8_t red = pixels[0];
    pixels[0] = pixels[2];
    pixels[2] = red;
  }
}

int32_t onnxc_rt_decode_image(onnxc_context *face, const char *node,
                              const onnxc_tensor *file, int64_t format,
                              onnxc_tensor *result) {
  onnxc_extra_image image;
  int64_t dims[3] = {0, 0, format == 'G' ? 1 : 3};
  onnxc_tensor *made;
  int decoded;
  (void)node;
  decoded = onnxc_extra_decode_image((const uint8_t *)file->data, file->dims[0],
                                     format == 'G', &image);
  if (decoded) {
    dims[0] = image.height;
    dims[1] = image.width;
  }
  made = onnxc_rt_new_tensor((onnxc_rt_context *)face, ONNXC_UINT8, 3, dims);
  if (made) {
    *result = *made;
    if (decoded)
      memcpy(made->data, image.pixels, made->bytes);
    if (format == 'B')
      swap_colors(made->data, dims[0] * dims[1]);
  }
  if (decoded)
    onnxc_extra_free_image(&image);
  return made ? ONNXC_OK : onnxc_rt_status(face);
}
