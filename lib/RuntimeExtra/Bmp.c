/*===- Bmp.c - Windows bitmaps ------------------------------------ -*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Of 1, 4 and 8 bits with a palette, of 16, 24 and 32 bits; uncompressed.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Image.h"

typedef struct bitmap {
  onnxc_extra_bytes file;
  size_t pixels;  /* where they begin */
  size_t palette; /* where it begins, in entries of entry_bytes */
  size_t entry_bytes;
  size_t stride;
  uint32_t bits;
  uint32_t masks[3];
} bitmap;

static uint32_t little(onnxc_extra_bytes file, size_t at, int bytes) {
  uint32_t value = 0;
  int i;
  for (i = 0; i < bytes; ++i)
    if (at + (size_t)i < file.size)
      value |= (uint32_t)file.data[at + (size_t)i] << 8 * i;
  return value;
}

/* The bits of `mask` in `value`, as a byte. */
static uint8_t masked(uint32_t value, uint32_t mask) {
  if (!mask)
    return 0;
  value &= mask;
  while (!(mask & 1)) {
    mask >>= 1;
    value >>= 1;
  }
  return (uint8_t)(((uint64_t)value * 255 + mask / 2) / mask);
}

static void read_pixel(const bitmap *b, size_t row, size_t x, uint8_t *to) {
  size_t bit = x * b->bits, at = row + bit / 8;
  uint32_t value;
  int c;
  if (b->bits <= 8) {
    value = little(b->file, at, 1) >> (8 - b->bits - bit % 8) &
            ((1u << b->bits) - 1);
    at = b->palette + value * b->entry_bytes;
  }
  if (b->bits <= 8 || b->bits == 24) {
    for (c = 0; c < 3; ++c)
      to[c] = (uint8_t)little(b->file, at + 2 - (size_t)c, 1);
    return;
  }
  value = little(b->file, at, (int)b->bits / 8);
  for (c = 0; c < 3; ++c)
    to[c] = masked(value, b->masks[c]);
}

/* Where the masks of 16- and 32-bit pixels are; 0 for a form not known. */
static int read_masks(bitmap *b, uint32_t compression) {
  static const uint32_t of_16[3] = {0x7c00, 0x3e0, 0x1f};
  static const uint32_t of_32[3] = {0xff0000, 0xff00, 0xff};
  enum { none = 0, bitfields = 3, alpha_bitfields = 6 };
  int c;
  for (c = 0; c < 3; ++c) {
    if (compression == none)
      b->masks[c] = b->bits == 16 ? of_16[c] : of_32[c];
    else
      b->masks[c] = little(b->file, 54 + 4 * (size_t)c, 4);
  }
  return compression == none ||
         ((compression == bitfields || compression == alpha_bitfields) &&
          (b->bits == 16 || b->bits == 32));
}

int onnxc_extra_decode_bmp(onnxc_extra_bytes file, onnxc_extra_image *image) {
  bitmap b;
  uint32_t head = little(file, 14, 4);
  int is_old = head == 12; /* sizes of 16 bits, palette entries of 3 bytes */
  int32_t width = (int32_t)little(file, 18, is_old ? 2 : 4);
  int32_t height = (int32_t)little(file, is_old ? 20 : 22, is_old ? 2 : 4);
  int from_top = height < 0;
  int64_t x, y;
  b.file = file;
  b.bits = little(file, is_old ? 24 : 28, 2);
  b.pixels = little(file, 10, 4);
  b.palette = 14 + (size_t)head;
  b.entry_bytes = is_old ? 3 : 4;
  if (width <= 0 || height == INT32_MIN || (!is_old && head < 40) ||
      (b.bits != 1 && b.bits != 4 && b.bits != 8 && b.bits != 16 &&
       b.bits != 24 && b.bits != 32) ||
      !read_masks(&b, is_old ? 0 : little(file, 30, 4)))
    return 0;
  if (from_top)
    height = -height;
  b.stride = ((size_t)width * b.bits + 31) / 32 * 4;
  if (b.pixels > file.size ||
      (file.size - b.pixels) / b.stride < (size_t)height ||
      !onnxc_extra_new_image(image, (uint64_t)width, (uint64_t)height))
    return 0;
  for (y = 0; y < height; ++y) {
    int64_t line = from_top ? y : height - 1 - y;
    for (x = 0; x < width; ++x)
      read_pixel(&b, b.pixels + (size_t)line * b.stride, (size_t)x,
                 image->pixels + (y * width + x) * 3);
  }
  return 1;
}
