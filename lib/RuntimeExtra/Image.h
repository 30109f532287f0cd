/*===- Image.h - The decoders of image files ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIMEEXTRA_IMAGE_H
#define ONNXC_LIB_RUNTIMEEXTRA_IMAGE_H

#include "onnxc/Runtime/Extra.h"

/* A file in memory. */
typedef struct onnxc_extra_bytes {
  const uint8_t *data;
  size_t size;
} onnxc_extra_bytes;

/* Each decodes its format to pixels of three bytes (red, green, blue), in
   memory of malloc. 0: it cannot; then there is nothing to free. */
int onnxc_extra_decode_bmp(onnxc_extra_bytes file, onnxc_extra_image *image);
int onnxc_extra_decode_jpeg(onnxc_extra_bytes file, onnxc_extra_image *image);
int onnxc_extra_decode_jpeg2000(onnxc_extra_bytes file,
                                onnxc_extra_image *image);
int onnxc_extra_decode_png(onnxc_extra_bytes file, onnxc_extra_image *image);
int onnxc_extra_decode_pnm(onnxc_extra_bytes file, onnxc_extra_image *image);
int onnxc_extra_decode_tiff(onnxc_extra_bytes file, onnxc_extra_image *image);
int onnxc_extra_decode_webp(onnxc_extra_bytes file, onnxc_extra_image *image);

/* Sets the size and takes memory for the pixels; 0 if that cannot be. */
int onnxc_extra_new_image(onnxc_extra_image *image, uint64_t width,
                          uint64_t height);
/* Gives the pixels back; 0, to return. */
int onnxc_extra_drop_image(onnxc_extra_image *image);

#endif /* ONNXC_LIB_RUNTIMEEXTRA_IMAGE_H */
