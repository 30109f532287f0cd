/*===- WebP.c - WebP by libwebp ----------------------------------- -*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Image.h"

#include <webp/decode.h>

int onnxc_extra_decode_webp(onnxc_extra_bytes file, onnxc_extra_image *image) {
  int width, height;
  if (!WebPGetInfo(file.data, file.size, &width, &height) ||
      !onnxc_extra_new_image(image, (uint64_t)width, (uint64_t)height))
    return 0;
  if (WebPDecodeRGBInto(file.data, file.size, image->pixels,
                        (size_t)width * (size_t)height * 3, width * 3))
    return 1;
  return onnxc_extra_drop_image(image);
}
