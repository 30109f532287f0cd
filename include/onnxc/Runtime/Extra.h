/*===- onnxc/Runtime/Extra.h - What needs more than libc ----------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The functions of lib/RuntimeExtra, an archive that is linked only into     *|
|* models that call them. They stand on libraries of the system, and know     *|
|* nothing of contexts.                                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_EXTRA_H
#define ONNXC_RUNTIME_EXTRA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes `text` (UTF-8) with each character in lower or upper case, by the
   simple mappings of Unicode; if `turkic`, i and I keep their dots or have
   none. Returns the bytes that this takes, with the NUL; only that where `to`
   is NULL. Bytes that are not UTF-8 stay. */
size_t onnxc_extra_change_case(const char *text, int upper, int turkic,
                               char *to);

/* matches[i] = whether `pattern`, in the syntax of RE2, matches all of
   texts[i]. Returns 0, or 1 if the pattern is not valid. */
int onnxc_extra_full_match(const char *pattern, const char *const *texts,
                           int64_t count, uint8_t *matches);

/* The tokens of texts: what any pattern matches or, with `separate`, what lies
   between those matches, and has at least `least` characters. Patterns are in
   the syntax of RE2, and match as much as they can. `take` is called for each
   token, in order. Returns 0, or 1 if a pattern is not valid. */
typedef void onnxc_extra_take(void *user, int64_t text, const char *begin,
                              size_t length);
int onnxc_extra_tokenize(const char *const *patterns, int64_t num_patterns,
                         int separate, int64_t least, const char *const *texts,
                         int64_t count, onnxc_extra_take *take, void *user);

/* The pixels of an image, from its first row on, in memory of malloc. */
typedef struct onnxc_extra_image {
  uint8_t *pixels;
  int64_t width;
  int64_t height;
} onnxc_extra_image;

/* Decodes JPEG, JPEG 2000, PNG, BMP, TIFF, WebP and PNM to pixels of one byte
   if `gray`, else of three: red, green, blue. Returns 0, and nothing to free,
   if it cannot. */
int onnxc_extra_decode_image(const uint8_t *bytes, int64_t size, int gray,
                             onnxc_extra_image *image);
void onnxc_extra_free_image(onnxc_extra_image *image);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_EXTRA_H */
