/*===- Png.c - PNG by libpng -------------------------------------- -*- C
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

#include <png.h>
#include <string.h>

static void leave(png_structp png, png_const_charp text) {
  (void)text;
  png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_some(png_structp png, png_bytep to, size_t size) {
  onnxc_extra_bytes *rest = png_get_io_ptr(png);
  if (size > rest->size)
    png_error(png, "the file ends too early");
  memcpy(to, rest->data, size);
  rest->data += size;
  rest->size -= size;
}

/* Any kind of pixel becomes three bytes. */
static void ask_for_rgb(png_structp png) {
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
}

static int decode(png_structp png, png_infop info, onnxc_extra_bytes *rest,
                  onnxc_extra_image *image) {
  int pass, passes;
  if (setjmp(png_jmpbuf(png)))
    return onnxc_extra_drop_image(image);
  png_set_read_fn(png, rest, read_some);
  png_read_info(png, info);
  ask_for_rgb(png);
  passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)png_get_image_width(png, info) * 3)
    return 0;
  if (!onnxc_extra_new_image(image, png_get_image_width(png, info),
                             png_get_image_height(png, info)))
    return 0;
  for (pass = 0; pass < passes; ++pass) {
    int64_t y;
    for (y = 0; y < image->height; ++y)
      png_read_row(png, image->pixels + y * image->width * 3, NULL);
  }
  png_read_end(png, NULL);
  return 1;
}

int onnxc_extra_decode_png(onnxc_extra_bytes file, onnxc_extra_image *image) {
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, leave, say_nothing);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  int done = 0;
  image->pixels = NULL;
  if (info)
    done = decode(png, info, &file, image);
  png_destroy_read_struct(&png, &info, NULL);
  return done;
}
