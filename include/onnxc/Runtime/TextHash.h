/*===- TextHash.h - Where a text is in a hash table ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For the compiler, which makes tables, and the runtime, which searches them.*|
|* They can be of different machines: the hash depends on bytes alone.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_TEXTHASH_H
#define ONNXC_RUNTIME_TEXTHASH_H

#include <stdint.h>

/* A hash of `text` up to its NUL: FNV-1a of 32 bits (draft-eastlake-fnv), with
   the upper half folded into the lower one, of which slots are made. */
static inline uint32_t onnxc_rt_hash_text(const char *text) {
  uint32_t hash = 2166136261u;
  for (; *text; ++text)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash ^ (hash >> 16);
}

#endif /* ONNXC_RUNTIME_TEXTHASH_H */
