/*===- Jpeg.c - JPEG by libjpeg ----------------------------------- -*- C
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

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

typedef struct failing {
  struct jpeg_error_mgr manager; /* first: libjpeg knows its address */
  jmp_buf back;
} failing;

static void leave(j_common_ptr state) {
  longjmp(((failing *)(void *)state->err)->back, 1);
}

static void say_nothing(j_common_ptr state) { (void)state; }

/* Rows of red, green, blue, as libjpeg makes them; of CMYK from four bytes. */
static void read_rows(struct jpeg_decompress_struct *jpeg,
                      onnxc_extra_image *image, JSAMPROW cmyk) {
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = image->pixels +
                   (size_t)jpeg->output_scanline * (size_t)image->width * 3;
    JSAMPROW to = cmyk ? cmyk : row;
    JDIMENSION x;
    jpeg_read_scanlines(jpeg, &to, 1);
    /* Adobe writes the four inverted. */
    for (x = 0; cmyk && x < jpeg->output_width; ++x) {
      int c;
      for (c = 0; c < 3; ++c)
        row[x * 3 + c] = (JSAMPLE)(cmyk[x * 4 + c] * cmyk[x * 4 + 3] / 255);
    }
  }
}

int onnxc_extra_decode_jpeg(onnxc_extra_bytes file, onnxc_extra_image *image) {
  struct jpeg_decompress_struct jpeg;
  failing errors;
  JSAMPARRAY cmyk = NULL;
  image->pixels = NULL;
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave;
  errors.manager.output_message = say_nothing;
  if (setjmp(errors.back)) {
    jpeg_destroy_decompress(&jpeg);
    return onnxc_extra_drop_image(image);
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, file.data, (unsigned long)file.size);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space =
      jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK
          ? JCS_CMYK
          : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  if (!onnxc_extra_new_image(image, jpeg.output_width, jpeg.output_height))
    leave((j_common_ptr)&jpeg);
  if (jpeg.out_color_space == JCS_CMYK)
    cmyk = jpeg.mem->alloc_sarray((j_common_ptr)&jpeg, JPOOL_IMAGE,
                                  jpeg.output_width * 4, 1);
  read_rows(&jpeg, image, cmyk ? cmyk[0] : NULL);
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  return 1;
}
