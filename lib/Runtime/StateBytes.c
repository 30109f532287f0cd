/*===- StateBytes.c - The states of a context as bytes ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* All numbers are little-endian, as all targets are. A head; for each state  *|
|* its type and sizes; the elements of all, dense, each state's filled up to  *|
|* eight bytes. Bytes come from anywhere, and who writes them can write the   *|
|* checksum, too: every number is checked.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

static const char magic[8] = {'o', 'n', 'n', 'x', 'c', ' ', 's', 't'};
enum { bytes_version = 1 };

typedef struct head {
  char magic[8];
  uint32_t version;
  uint32_t num_states;
  /* Of all of it. */
  uint64_t bytes;
  /* Of the model's states: which model it is. */
  uint64_t fingerprint;
  /* Of what is behind it. */
  uint64_t checksum;
} head;

typedef struct entry {
  int32_t dtype;
  int32_t rank;
  /* 0: as in a new context. */
  int32_t is_set;
  int32_t reserved;
  int64_t dims[ONNXC_MAX_RANK];
} entry;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* `bytes` is a multiple of eight. */
static uint64_t checksum_of(const char *data, uint64_t bytes) {
  uint64_t hash = bytes, i, word;
  for (i = 0; i < bytes; i += sizeof word) {
    memcpy(&word, data + i, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text) {
  do
    hash = mix(hash, (unsigned char)*text);
  while (*text++);
  return hash;
}

/* Names, types and sizes of all states, as the model has them. */
static uint64_t fingerprint_of(const onnxc_model *model) {
  uint64_t hash = (uint64_t)model->num_states;
  int32_t i, k;
  for (i = 0; i < model->num_states; ++i) {
    const onnxc_state_info *info = &model->states[i];
    hash = mix_text(mix_text(hash, info->value.name), info->output);
    hash = mix(hash, (uint64_t)info->value.dtype);
    hash = mix(hash, (uint64_t)info->value.rank);
    hash = mix(hash, (uint64_t)(int64_t)info->axis);
    for (k = 0; k < info->value.rank; ++k)
      hash = mix(hash, (uint64_t)info->value.dims[k]);
  }
  return hash;
}

static uint64_t padded(uint64_t bytes) { return (bytes + 7) & ~(uint64_t)7; }

onnxc_status onnxc_rt_state_save(onnxc_context *face, void *bytes,
                                 uint64_t *size) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model = face->model;
  const uint64_t entries = (uint64_t)model->num_states * sizeof(entry);
  uint64_t needed = sizeof(head) + entries, room;
  char *to = (char *)bytes;
  head start;
  int32_t i, k;

  onnxc_rt_begin_call(context);
  if (!size)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the size of the buffer for states is NULL");
  for (i = 0; i < model->num_states; ++i)
    if (context->states[i].is_set)
      needed += padded(onnxc_rt_state_tensor(context, i).bytes);
  room = *size;
  *size = needed;
  if (!bytes)
    return ONNXC_OK;
  if (room < needed)
    return onnxc_rt_set_error(context, ONNXC_BUFFER_TOO_SMALL,
                              "the states take %llu bytes, the buffer has %llu",
                              (unsigned long long)needed,
                              (unsigned long long)room);

  to += sizeof(head);
  for (i = 0; i < model->num_states; ++i, to += sizeof(entry)) {
    onnxc_tensor tensor = onnxc_rt_state_tensor(context, i);
    entry one;
    memset(&one, 0, sizeof one);
    one.dtype = tensor.dtype;
    one.rank = tensor.rank;
    one.is_set = context->states[i].is_set;
    for (k = 0; one.is_set && k < tensor.rank; ++k)
      one.dims[k] = tensor.dims[k];
    memcpy(to, &one, sizeof one);
  }
  for (i = 0; i < model->num_states; ++i) {
    uint64_t own = onnxc_rt_state_tensor(context, i).bytes;
    if (!context->states[i].is_set)
      continue;
    onnxc_rt_copy_state(context, i, to);
    memset(to + own, 0, (size_t)(padded(own) - own));
    to += padded(own);
  }
  memcpy(start.magic, magic, sizeof magic);
  start.version = bytes_version;
  start.num_states = (uint32_t)model->num_states;
  start.bytes = needed;
  start.fingerprint = fingerprint_of(model);
  start.checksum =
      checksum_of((const char *)bytes + sizeof start, needed - sizeof start);
  memcpy(bytes, &start, sizeof start);
  return ONNXC_OK;
}

static onnxc_status refuse(onnxc_rt_context *context, const char *reason) {
  return onnxc_rt_set_error(
      context, ONNXC_INVALID_ARGUMENT,
      "these bytes are not saved states of this model: %s", reason);
}

static onnxc_status check_head(onnxc_rt_context *context, const char *bytes,
                               uint64_t size, head *start) {
  const onnxc_model *model = context->face.model;
  if (!bytes || size < sizeof *start)
    return refuse(context, "they are too few");
  memcpy(start, bytes, sizeof *start);
  for (size_t i = 0; i < sizeof magic; ++i)
    if (start->magic[i] != magic[i])
      return refuse(context, "they begin otherwise");
  if (start->version != bytes_version)
    return refuse(context, "another version of onnxc wrote them");
  if (start->num_states != (uint32_t)model->num_states ||
      start->fingerprint != fingerprint_of(model))
    return refuse(context, "they are those of another model");
  if (start->bytes != size || size % 8 != 0 ||
      size - sizeof *start < start->num_states * (uint64_t)sizeof(entry))
    return refuse(context, "some are missing, or there are more");
  if (start->checksum !=
      checksum_of(bytes + sizeof *start, size - sizeof *start))
    return refuse(context, "they were changed");
  return ONNXC_OK;
}

static entry entry_at(const char *bytes, int32_t state) {
  entry one;
  memcpy(&one, bytes + sizeof(head) + (size_t)state * sizeof one, sizeof one);
  return one;
}

/* A state's value, at *at of the bytes, of which `left` are left. */
static onnxc_tensor take(const entry *one, const char **at, uint64_t *left) {
  onnxc_tensor tensor =
      onnxc_tensor_of(*at, 0, one->dtype, one->rank, one->dims);
  tensor.bytes = onnxc_tensor_bytes(&tensor);
  if (tensor.bytes != UINT64_MAX && padded(tensor.bytes) <= *left) {
    *at += padded(tensor.bytes);
    *left -= padded(tensor.bytes);
  } else {
    tensor.bytes = UINT64_MAX;
  }
  return tensor;
}

onnxc_status onnxc_rt_state_load(onnxc_context *face, const void *bytes,
                                 uint64_t size) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model = face->model;
  const char *elements, *at;
  uint64_t left;
  head start;
  int32_t i;

  onnxc_rt_begin_call(context);
  if (check_head(context, (const char *)bytes, size, &start) != ONNXC_OK)
    return (onnxc_status)context->status;
  elements = (const char *)bytes + sizeof(head) +
             (size_t)model->num_states * sizeof(entry);
  at = elements;
  left = size - (uint64_t)(elements - (const char *)bytes);
  /* Nothing changes before everything is known to be right, and there. */
  for (i = 0; i < model->num_states; ++i) {
    entry one = entry_at((const char *)bytes, i);
    onnxc_tensor tensor;
    if (!one.is_set)
      continue;
    if (onnxc_rt_check_state(context, i, one.dtype, one.rank, one.dims) !=
        ONNXC_OK)
      return (onnxc_status)context->status;
    tensor = take(&one, &at, &left);
    if (tensor.bytes == UINT64_MAX)
      return refuse(context, "elements are missing");
    if (onnxc_rt_reserve_state(context, i, &tensor) != ONNXC_OK)
      return (onnxc_status)context->status;
  }
  if (left)
    return refuse(context, "there are more elements");
  at = elements;
  left = size - (uint64_t)(elements - (const char *)bytes);
  for (i = 0; i < model->num_states; ++i) {
    entry one = entry_at((const char *)bytes, i);
    if (one.is_set) {
      onnxc_tensor tensor = take(&one, &at, &left);
      onnxc_rt_replace_state(context, i, &tensor);
    } else {
      context->states[i].is_set = 0;
    }
  }
  return ONNXC_OK;
}
