/*===- DecodeImage.c - Which decoder takes a file ----------------- -*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* By the first bytes of the file.                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Image.h"

#include <stdlib.h>
#include <string.h>

int onnxc_extra_new_image(onnxc_extra_image *image, uint64_t width,
                          uint64_t height) {
  uint64_t most = (uint64_t)1 << 30;
  image->pixels = NULL;
  if (!width || !height || width > most || height > most / width)
    return 0;
  image->width = (int64_t)width;
  image->height = (int64_t)height;
  image->pixels = malloc((size_t)(width * height * 3));
  return image->pixels != NULL;
}

int onnxc_extra_drop_image(onnxc_extra_image *image) {
  free(image->pixels);
  image->pixels = NULL;
  return 0;
}

typedef int (*decoder)(onnxc_extra_bytes file, onnxc_extra_image *image);

static decoder choose(onnxc_extra_bytes file) {
  static const struct {
    const char *bytes;
    size_t size;
    size_t at;
    decoder decode;
  } marks[] = {
      {"\xff\xd8\xff", 3, 0, onnxc_extra_decode_jpeg},
      {"\x89PNG\r\n\x1a\n", 8, 0, onnxc_extra_decode_png},
      {"BM", 2, 0, onnxc_extra_decode_bmp},
      {"II*\0", 4, 0, onnxc_extra_decode_tiff},
      {"MM\0*", 4, 0, onnxc_extra_decode_tiff},
      {"II+\0", 4, 0, onnxc_extra_decode_tiff},
      {"MM\0+", 4, 0, onnxc_extra_decode_tiff},
      {"WEBP", 4, 8, onnxc_extra_decode_webp},
      {"\0\0\0\x0cjP  \r\n\x87\n", 12, 0, onnxc_extra_decode_jpeg2000},
      {"\xff\x4f\xff\x51", 4, 0, onnxc_extra_decode_jpeg2000},
      {"P", 1, 0, onnxc_extra_decode_pnm},
  };
  size_t i;
  for (i = 0; i < sizeof marks / sizeof marks[0]; ++i)
    if (file.size >= marks[i].at + marks[i].size &&
        !memcmp(file.data + marks[i].at, marks[i].bytes, marks[i].size))
      return marks[i].decode;
  return NULL;
}

/* The luma of ITU-R 601 from three bytes, in place. */
static void to_gray(onnxc_extra_image *image) {
  const uint8_t *from = image->pixels;
  int64_t i, count = image->width * image->height;
  for (i = 0; i < count; ++i, from += 3)
    image->pixels[i] = (uint8_t)((19595u * from[0] + 38470u * from[1] +
                                  7471u * from[2] + 32768u) >>
                                 16);
}

int onnxc_extra_decode_image(const uint8_t *bytes, int64_t size, int gray,
                             onnxc_extra_image *image) {
  onnxc_extra_bytes file = {bytes, (size_t)size};
  decoder decode = choose(file);
  if (!decode || !decode(file, image))
    return 0;
  if (gray)
    to_gray(image);
  return 1;
}

void onnxc_extra_free_image(onnxc_extra_image *image) {
  onnxc_extra_drop_image(image);
}
