/*===- Pnm.c - The portable formats PBM, PGM and PPM -------------- -*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* P1 to P6: bits, gray or colors, as text or as bytes.                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Image.h"

typedef struct reader {
  const uint8_t *at;
  const uint8_t *end;
  int failed;
} reader;

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int next_byte(reader *r) {
  if (r->at < r->end)
    return *r->at++;
  r->failed = 1;
  return 0;
}

static void skip_space(reader *r) {
  while (r->at < r->end && (is_space(*r->at) || *r->at == '#')) {
    if (*r->at == '#')
      while (r->at < r->end && *r->at != '\n')
        ++r->at;
    else
      ++r->at;
  }
}

/* A number of at most `digits` digits. */
static uint32_t next_number(reader *r, int digits) {
  uint32_t value = 0;
  int count = 0;
  skip_space(r);
  for (; count < digits && r->at < r->end && *r->at >= '0' && *r->at <= '9';
       ++count)
    value = value * 10 + (uint32_t)(*r->at++ - '0');
  if (!count)
    r->failed = 1;
  return value;
}

/* The kinds of samples. */
typedef struct format {
  int is_text;
  int is_bits;
  uint32_t most; /* the value of white */
} format;

static uint8_t next_sample(reader *r, format f) {
  uint32_t value;
  if (f.is_text) {
    value = next_number(r, f.is_bits ? 1 : 9);
  } else {
    value = (uint32_t)next_byte(r);
    if (f.most > 255)
      value = value << 8 | (uint32_t)next_byte(r);
  }
  if (f.is_bits)
    return value ? 0 : 255;
  if (value > f.most)
    value = f.most;
  return (uint8_t)((value * 255u + f.most / 2) / f.most);
}

/* A row of packed bits, where 1 is black. */
static void read_bits(reader *r, uint8_t *row, int64_t width) {
  int64_t x;
  int byte = 0;
  for (x = 0; x < width; ++x, row += 3) {
    if (x % 8 == 0)
      byte = next_byte(r);
    row[0] = row[1] = row[2] = byte >> (7 - x % 8) & 1 ? 0 : 255;
  }
}

static void read_row(reader *r, format f, int channels, uint8_t *row,
                     int64_t width) {
  int64_t x;
  for (x = 0; x < width; ++x, row += 3) {
    row[0] = row[1] = row[2] = next_sample(r, f);
    if (channels == 3) {
      row[1] = next_sample(r, f);
      row[2] = next_sample(r, f);
    }
  }
}

int onnxc_extra_decode_pnm(onnxc_extra_bytes file, onnxc_extra_image *image) {
  reader r = {file.data + 1, file.data + file.size, 0};
  int kind = next_byte(&r) - '0', channels;
  uint32_t width, height;
  format f;
  int64_t y;
  if (kind < 1 || kind > 6)
    return 0;
  f.is_text = kind <= 3;
  f.is_bits = kind == 1 || kind == 4;
  channels = kind == 3 || kind == 6 ? 3 : 1;
  width = next_number(&r, 9);
  height = next_number(&r, 9);
  f.most = f.is_bits ? 1 : next_number(&r, 9);
  if (!f.is_text)
    (void)next_byte(&r); /* one space */
  if (r.failed || !f.most || f.most > 65535 ||
      !onnxc_extra_new_image(image, width, height))
    return 0;
  for (y = 0; y < image->height && !r.failed; ++y) {
    uint8_t *row = image->pixels + y * image->width * 3;
    if (kind == 4)
      read_bits(&r, row, image->width);
    else
      read_row(&r, f, channels, row, image->width);
  }
  return r.failed ? onnxc_extra_drop_image(image) : 1;
}
