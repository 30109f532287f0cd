/*===- FirstKeys.c - The first of many keys -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Most elements are not among the first, which one comparison of 16 keys     *|
|* with the last of those finds out. What passes waits until there are twice  *|
|* as many as are wanted; then half of them are dropped.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "KeyVectors.h"

enum { num_parts = 256, few = 24, group = 16, ahead = 16 };

/*===----------------------------------------------------------------------===*\
|* Keys                                                                       *|
\*===----------------------------------------------------------------------===*/

int onnxc_rt_has_short_keys(int32_t dtype) {
  return dtype != ONNXC_DOUBLE && dtype != ONNXC_INT64 && dtype != ONNXC_UINT64;
}

/* At most four, of which there is one. */
static lanes load_bits(const uint32_t *from, int64_t step, int64_t count) {
  lanes bits;
  if (count < 4 || step != 1)
    return (lanes){(int32_t)from[0], (int32_t)from[count > 1 ? step : 0],
                   (int32_t)from[count > 2 ? 2 * step : 0],
                   (int32_t)from[count > 3 ? 3 * step : 0]};
  memcpy(&bits, from, sizeof bits);
  return bits;
}

/* Numbers that compare as `count` elements from `from` on do; the other way
   round with `largest`. There is room for a whole group of them. */
static void read_keys(const onnxc_rt_elements *run, int64_t from, int64_t count,
                      int largest, int32_t *keys) {
  const int is_signed = run->dtype == ONNXC_INT32 ||
                        run->dtype == ONNXC_INT16 || run->dtype == ONNXC_INT8;
  const int32_t flip = largest ? -1 : 0;
  const lanes flips = {flip, flip, flip, flip};
  const uint32_t toggle = (uint32_t)flip ^ (is_signed ? 0 : 0x80000000u);
  const int64_t at = run->at + from * run->step;
  int64_t i;
  if (run->dtype == ONNXC_FLOAT) {
    const uint32_t *floats = (const uint32_t *)run->data + at;
    for (i = 0; i < count; i += 4) {
      lanes four = float_keys(
          load_bits(floats + i * run->step, run->step, count - i), flips);
      memcpy(keys + i, &four, sizeof four);
    }
    return;
  }
  for (i = 0; i < count; ++i)
    keys[i] = (int32_t)((uint32_t)onnxc_rt_order_key(run->data, run->dtype,
                                                     at + i * run->step) ^
                        toggle);
}

/* The float that has this key. */
static float float_of(int32_t key, int32_t flip) {
  uint32_t bits = (uint32_t)(key ^ flip);
  float result;
  if (bits >> 31)
    bits = 0x80000000u | (0 - bits);
  memcpy(&result, &bits, sizeof result);
  return result;
}

/*===----------------------------------------------------------------------===*\
|* Sorting                                                                    *|
\*===----------------------------------------------------------------------===*/

/* By keys; what has equal ones stays as it is. */
static void sort_few(uint64_t *items, int64_t count) {
  int64_t i, j;
  for (i = 1; i < count; ++i) {
    uint64_t item = items[i];
    for (j = i; j > 0 && items[j - 1] >> 32 > item >> 32; --j)
      items[j] = items[j - 1];
    items[j] = item;
  }
}

uint64_t *onnxc_rt_sort_items(uint64_t *items, uint64_t *spare, int64_t count) {
  uint32_t starts[num_parts], start, size;
  uint64_t *swap;
  int64_t i;
  int shift;
  if (count <= few) {
    sort_few(items, count);
    return items;
  }
  for (shift = 32; shift < 64; shift += 8) {
    memset(starts, 0, sizeof starts);
    for (i = 0; i < count; ++i)
      ++starts[items[i] >> shift & 255];
    if (starts[items[0] >> shift & 255] == count)
      continue;
    for (i = 0, start = 0; i < num_parts; ++i) {
      size = starts[i];
      starts[i] = start;
      start += size;
    }
    for (i = 0; i < count; ++i)
      spare[starts[items[i] >> shift & 255]++] = items[i];
    swap = items;
    items = spare;
    spare = swap;
  }
  return items;
}

/* The item that `rank` others come before. What may still be it lies in a
   range, of which each round keeps a part, in the order in which they came,
   that of their indices: at most eight rounds, whatever the items are. */
static uint64_t find_ranked(uint64_t *items, int64_t count, int64_t rank) {
  uint32_t sizes[num_parts];
  while (count > few) {
    uint64_t least = items[0], greatest = items[0], part;
    int64_t i, kept = 0;
    int shift = 0;
    for (i = 1; i < count; ++i) {
      least = items[i] < least ? items[i] : least;
      greatest = items[i] > greatest ? items[i] : greatest;
    }
    while ((greatest - least) >> shift >= num_parts)
      ++shift;
    memset(sizes, 0, sizeof sizes);
    for (i = 0; i < count; ++i)
      ++sizes[(items[i] - least) >> shift];
    for (part = 0; rank >= sizes[part]; ++part)
      rank -= sizes[part];
    for (i = 0; i < count; ++i) {
      uint64_t item = items[i];
      items[kept] = item;
      kept += (item - least) >> shift == part;
    }
    count = kept;
  }
  sort_few(items, count);
  return items[rank];
}

/*===----------------------------------------------------------------------===*\
|* Selection                                                                  *|
\*===----------------------------------------------------------------------===*/

/* What may still be among the first. */
typedef struct bound {
  int is_there;
  /* Only keys below it. */
  int32_t key;
} bound;

static int32_t key_of(uint64_t item) {
  return (int32_t)((uint32_t)(item >> 32) ^ 0x80000000u);
}

/* How many of the floats from `from` on are surely not among the first: a
   multiple of a group's. NaNs are left to those who compare keys. */
static int64_t skip_floats(int32_t key, int largest, const float *from,
                           int64_t count) {
  const int32_t sign = largest ? 0 : INT32_MIN;
  const lanes signs = {sign, sign, sign, sign};
  const float last = float_of(key, largest ? -1 : 0);
  const float limit = largest ? last : -last;
  lanes bits[group / 4], behind;
  int64_t i;
  int n;
  for (i = 0; i + group <= count; i += group) {
    memcpy(bits, from + i, sizeof bits);
    behind = ~(lanes){0};
    for (n = 0; n < group / 4; ++n)
      behind &= (lanes)((float_lanes)(bits[n] ^ signs) <= limit);
    if (is_any(~behind))
      break;
  }
  return i;
}

/* The keys of the next group that may have some of the first, from `*at` on;
   returns how many they are. */
static int64_t next_keys(const onnxc_rt_elements *run, int64_t *at, bound least,
                         int largest, int32_t *keys) {
  int64_t size;
  if (least.is_there && run->dtype == ONNXC_FLOAT && run->step == 1)
    *at +=
        skip_floats(least.key, largest,
                    (const float *)run->data + run->at + *at, run->count - *at);
  size = run->count - *at < group ? run->count - *at : group;
  read_keys(run, *at, size, largest, keys);
  return size;
}

/* Where the next four keys begin of which one is below the bound. */
static int64_t skip_fours(const int32_t *keys, int64_t i, int64_t size,
                          bound least) {
  lanes four;
  for (; least.is_there && i + 4 <= size; i += 4) {
    memcpy(&four, keys + i, sizeof four);
    if (is_any((lanes)(four < least.key)))
      break;
  }
  return i;
}

/* Few items are kept in order: puts one where it belongs. Returns how many
   there are. */
static int64_t insert(uint64_t *items, int64_t count, int64_t wanted,
                      uint64_t item) {
  int64_t i = count;
  if (i < wanted)
    ++count;
  else if (item < items[i - 1])
    --i;
  else
    return count;
  for (; i > 0 && items[i - 1] > item; --i)
    items[i] = items[i - 1];
  items[i] = item;
  return count;
}

static const uint64_t *find_few(const onnxc_rt_first *first,
                                const onnxc_rt_elements *run) {
  int32_t keys[group];
  bound least = {0, 0};
  int64_t at = 0, kept = 0, i, size;
  for (; at < run->count; at += size) {
    size = next_keys(run, &at, least, first->largest, keys);
    for (i = 0; i < size; ++i) {
      if (i % 4 == 0)
        i = skip_fours(keys, i, size, least);
      if (i == size || (least.is_there && keys[i] >= least.key))
        continue;
      kept = insert(first->items, kept, first->wanted,
                    onnxc_rt_item(keys[i], at + i));
      least.is_there = kept == first->wanted;
      least.key = key_of(first->items[kept - 1]);
    }
  }
  return first->items;
}

/* Many wait until there is no room for a group; then all but the first are
   dropped, and those stay as they came. Returns how many there are. */
static int64_t drop_others(const onnxc_rt_first *first, int64_t count,
                           bound *least) {
  int64_t i, kept = 0;
  uint64_t last;
  if (count <= first->wanted)
    return count;
  memcpy(first->spare, first->items, (size_t)count * sizeof last);
  last = find_ranked(first->spare, count, first->wanted - 1);
  for (i = 0; i < count; ++i) {
    uint64_t item = first->items[i];
    first->items[kept] = item;
    kept += item <= last;
  }
  least->is_there = 1;
  least->key = key_of(last);
  return kept;
}

static const uint64_t *find_many(const onnxc_rt_first *first,
                                 const onnxc_rt_elements *run) {
  int32_t keys[group];
  bound least = {0, 0};
  int64_t at = 0, kept = 0, i, size;
  while (at < run->count) {
    size = next_keys(run, &at, least, first->largest, keys);
    if (kept + size > first->capacity) {
      kept = drop_others(first, kept, &least);
      continue;
    }
    for (i = 0; i < size; ++i) {
      if (i % 4 == 0)
        i = skip_fours(keys, i, size, least);
      if (i < size) {
        first->items[kept] = onnxc_rt_item(keys[i], at + i);
        kept += !least.is_there || keys[i] < least.key;
      }
    }
    at += size;
  }
  kept = drop_others(first, kept, &least);
  return onnxc_rt_sort_items(first->items, first->spare, kept);
}

const uint64_t *onnxc_rt_find_first(const onnxc_rt_first *first,
                                    const onnxc_rt_elements *run) {
  return first->wanted <= few ? find_few(first, run) : find_many(first, run);
}

/*===----------------------------------------------------------------------===*\
|* Columns                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Puts a key with its index among `count` of each lane, which are in order; the
   last ones are left over. */
static void insert_lanes(lanes *keys, lanes *indices, int64_t count,
                         int64_t room, lanes key, lanes index) {
  lanes moves = {0, 0, 0, 0}, next;
  int64_t j;
  for (j = 0; j < count; ++j) {
    /* What is pushed out comes before all that follows. */
    moves |= (lanes)(key < keys[j]);
    next = choose(moves, keys[j], key);
    keys[j] = choose(moves, key, keys[j]);
    key = next;
    next = choose(moves, indices[j], index);
    indices[j] = choose(moves, index, indices[j]);
    index = next;
  }
  if (count < room) {
    keys[count] = key;
    indices[count] = index;
  }
}

void onnxc_rt_find_in_columns(const onnxc_rt_elements *first, int64_t wanted,
                              int largest, int32_t *found) {
  lanes keys[onnxc_rt_most_in_columns], indices[onnxc_rt_most_in_columns], key;
  const int32_t flip = largest ? -1 : 0;
  const lanes flips = {flip, flip, flip, flip};
  onnxc_rt_elements row = *first;
  int32_t own[group];
  int64_t n;
  row.step = 1;
  row.count = 4;
  for (n = 0; n < first->count; ++n, row.at += first->step) {
    const int32_t at = (int32_t)n;
    const lanes index = {at, at, at, at};
    if (row.dtype == ONNXC_FLOAT) {
      const float *from = (const float *)row.data + row.at;
      /* Rows may be pages apart, which no processor foresees. */
      if (n + ahead < first->count)
        __builtin_prefetch(from + ahead * first->step);
      memcpy(&key, from, sizeof key);
      key = float_keys(key, flips);
    } else {
      read_keys(&row, 0, 4, largest, own);
      memcpy(&key, own, sizeof key);
    }
    if (n < wanted)
      insert_lanes(keys, indices, n, wanted, key, index);
    else if (is_any((lanes)(key < keys[wanted - 1])))
      insert_lanes(keys, indices, wanted, wanted, key, index);
  }
  memcpy(found, indices, (size_t)wanted * sizeof *indices);
}
