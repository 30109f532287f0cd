/*===- ChangeCase.c - Upper and lower case of Unicode ----------- -*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* By utf8proc.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Extra.h"

#include <string.h>
#include <utf8proc.h>

static utf8proc_int32_t change(utf8proc_int32_t character, int upper,
                               int turkic) {
  const utf8proc_int32_t dotted = 0x130, dotless = 0x131, sharp_s = 0xdf;
  if (turkic && character == (upper ? 'i' : 'I'))
    return upper ? dotted : dotless;
  /* Its upper case is two letters; utf8proc gives one that is hardly used. */
  if (character == sharp_s)
    return character;
  return upper ? utf8proc_toupper(character) : utf8proc_tolower(character);
}

size_t onnxc_extra_change_case(const char *text, int upper, int turkic,
                               char *to) {
  size_t left = strlen(text), bytes = 0;
  while (left) {
    utf8proc_uint8_t encoded[4];
    utf8proc_int32_t character;
    utf8proc_ssize_t read = utf8proc_iterate(
        (const utf8proc_uint8_t *)text, (utf8proc_ssize_t)left, &character);
    utf8proc_ssize_t written = 1;
    if (read <= 0) {
      read = 1;
      encoded[0] = (utf8proc_uint8_t)*text;
    } else {
      written = utf8proc_encode_char(change(character, upper, turkic), encoded);
    }
    if (to)
      memcpy(to + bytes, encoded, (size_t)written);
    bytes += (size_t)written;
    text += read;
    left -= (size_t)read;
  }
  if (to)
    to[bytes] = 0;
  return bytes + 1;
}
