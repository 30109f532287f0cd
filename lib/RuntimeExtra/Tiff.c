/*===- Tiff.c - TIFF by libtiff ----------------------------------- -*- C
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

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

typedef struct cursor {
  onnxc_extra_bytes file;
  uint64_t at;
} cursor;

static tmsize_t read_some(thandle_t handle, void *to, tmsize_t size) {
  cursor *c = (cursor *)handle;
  uint64_t left = c->at < c->file.size ? c->file.size - c->at : 0;
  if (size < 0)
    return -1;
  if ((uint64_t)size > left)
    size = (tmsize_t)left;
  if (size)
    memcpy(to, c->file.data + c->at, (size_t)size);
  c->at += (uint64_t)size;
  return size;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t size) {
  (void)handle;
  (void)from;
  (void)size;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  cursor *c = (cursor *)handle;
  c->at = offset + (whence == SEEK_CUR   ? c->at
                    : whence == SEEK_END ? c->file.size
                                         : 0);
  return c->at;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size_of(thandle_t handle) {
  return ((cursor *)handle)->file.size;
}

/* Colors are as they are stored, as in all other formats: libtiff multiplies
   them by what it knows to be an alpha that is not in them yet. */
static void keep_colors(TIFF *tiff) {
  uint16_t count = 0, *kinds = NULL;
  uint16_t associated = EXTRASAMPLE_ASSOCALPHA;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count == 1 &&
      kinds[0] == EXTRASAMPLE_UNASSALPHA)
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, count, &associated);
}

static int decode(TIFF *tiff, onnxc_extra_image *image) {
  uint32_t width = 0, height = 0;
  uint32_t *packed;
  int64_t i, count;
  if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height) ||
      !onnxc_extra_new_image(image, width, height))
    return 0;
  keep_colors(tiff);
  count = image->width * image->height;
  packed = malloc((size_t)count * sizeof *packed);
  if (!packed ||
      !TIFFReadRGBAImageOriented(tiff, width, height, packed,
                                 ORIENTATION_TOPLEFT, /*stopOnError=*/1)) {
    free(packed);
    return onnxc_extra_drop_image(image);
  }
  for (i = 0; i < count; ++i) {
    image->pixels[i * 3] = (uint8_t)TIFFGetR(packed[i]);
    image->pixels[i * 3 + 1] = (uint8_t)TIFFGetG(packed[i]);
    image->pixels[i * 3 + 2] = (uint8_t)TIFFGetB(packed[i]);
  }
  free(packed);
  return 1;
}

/* Nothing is printed, whatever the file is. libtiff's handlers are the
   process's, so they are put back. */
int onnxc_extra_decode_tiff(onnxc_extra_bytes file, onnxc_extra_image *image) {
  cursor c = {file, 0};
  TIFFErrorHandler errors = TIFFSetErrorHandler(NULL);
  TIFFErrorHandler warnings = TIFFSetWarningHandler(NULL);
  TIFF *tiff =
      TIFFClientOpen("image", "rm", (thandle_t)&c, read_some, write_nothing,
                     seek, close_nothing, size_of, NULL, NULL);
  int done = tiff && decode(tiff, image);
  if (tiff)
    TIFFClose(tiff);
  TIFFSetErrorHandler(errors);
  TIFFSetWarningHandler(warnings);
  return done;
}
