/*===- Jpeg2000.c - JPEG 2000 by OpenJPEG ------------------------- -*- C
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

#include <string.h>

#include <openjpeg.h>

typedef struct cursor {
  onnxc_extra_bytes file;
  size_t at;
} cursor;

static OPJ_SIZE_T read_some(void *to, OPJ_SIZE_T size, void *data) {
  cursor *c = data;
  size_t left = c->file.size - c->at;
  if (!left)
    return (OPJ_SIZE_T)-1;
  if (size > left)
    size = left;
  memcpy(to, c->file.data + c->at, size);
  c->at += size;
  return size;
}

static OPJ_BOOL seek(OPJ_OFF_T at, void *data) {
  cursor *c = data;
  if (at < 0 || (size_t)at > c->file.size)
    return OPJ_FALSE;
  c->at = (size_t)at;
  return OPJ_TRUE;
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *data) {
  cursor *c = data;
  return seek((OPJ_OFF_T)c->at + count, data) ? count : -1;
}

/* One component at a pixel, as a byte. */
static uint8_t sample(const opj_image_comp_t *component, OPJ_UINT32 x,
                      OPJ_UINT32 y) {
  int64_t value = component->data[(size_t)(y / component->dy) * component->w +
                                  x / component->dx];
  if (component->sgnd)
    value += (int64_t)1 << (component->prec - 1);
  if (component->prec > 8)
    value >>= component->prec - 8;
  else if (component->prec < 8)
    value = value * 255 / (((int64_t)1 << component->prec) - 1);
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Whether each component has a sample for each pixel. */
static int is_whole(const opj_image_t *decoded, OPJ_UINT32 width,
                    OPJ_UINT32 height) {
  OPJ_UINT32 i;
  for (i = 0; i < decoded->numcomps; ++i) {
    const opj_image_comp_t *c = &decoded->comps[i];
    if (!c->data || !c->dx || !c->dy || !c->prec || c->prec > 31 ||
        (width - 1) / c->dx >= c->w || (height - 1) / c->dy >= c->h)
      return 0;
  }
  return decoded->numcomps > 0;
}

static uint8_t clamp(int value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Red, green and blue from luma and chroma, in 1/65536. */
static void from_ycc(uint8_t *pixel) {
  int y = pixel[0] * 65536 + 32768, cb = pixel[1] - 128, cr = pixel[2] - 128;
  pixel[0] = clamp((y + 91881 * cr) >> 16);
  pixel[1] = clamp((y - 22554 * cb - 46802 * cr) >> 16);
  pixel[2] = clamp((y + 116130 * cb) >> 16);
}

static int take_pixels(const opj_image_t *decoded, onnxc_extra_image *image) {
  OPJ_UINT32 width = decoded->x1 - decoded->x0;
  OPJ_UINT32 height = decoded->y1 - decoded->y0;
  OPJ_UINT32 x, y, c, colors = decoded->numcomps >= 3;
  uint8_t *to;
  if (decoded->x1 <= decoded->x0 || decoded->y1 <= decoded->y0 ||
      !is_whole(decoded, width, height) ||
      !onnxc_extra_new_image(image, width, height))
    return 0;
  to = image->pixels;
  for (y = 0; y < height; ++y)
    for (x = 0; x < width; ++x, to += 3) {
      for (c = 0; c < 3; ++c)
        to[c] = sample(&decoded->comps[colors ? c : 0], x, y);
      if (colors && decoded->color_space == OPJ_CLRSPC_SYCC)
        from_ycc(to);
    }
  return 1;
}

static opj_stream_t *open_stream(cursor *c) {
  opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
  if (!stream)
    return NULL;
  opj_stream_set_user_data(stream, c, NULL);
  opj_stream_set_user_data_length(stream, c->file.size);
  opj_stream_set_read_function(stream, read_some);
  opj_stream_set_seek_function(stream, seek);
  opj_stream_set_skip_function(stream, skip);
  return stream;
}

int onnxc_extra_decode_jpeg2000(onnxc_extra_bytes file,
                                onnxc_extra_image *image) {
  cursor c = {file, 0};
  opj_dparameters_t parameters;
  opj_codec_t *codec = opj_create_decompress(
      file.data[0] == 0xff ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  opj_stream_t *stream = open_stream(&c);
  opj_image_t *decoded = NULL;
  int done = 0;
  opj_set_default_decoder_parameters(&parameters);
  if (codec && stream && opj_setup_decoder(codec, &parameters) &&
      opj_read_header(stream, codec, &decoded) &&
      opj_decode(codec, stream, decoded) && opj_end_decompress(codec, stream))
    done = take_pixels(decoded, image);
  if (decoded)
    opj_image_destroy(decoded);
  if (stream)
    opj_stream_destroy(stream);
  if (codec)
    opj_destroy_codec(codec);
  return done;
}
