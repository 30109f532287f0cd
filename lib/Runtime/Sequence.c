/*===- Sequence.c - Sequences and optionals -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A sequence is a head, which counts, and an array with an onnxc_tensor for  *|
|* each element, which shares the element's data. Nothing that a handle shows *|
|* ever changes, so heads may share an array too: an append writes behind the *|
|* elements that the older heads count. The context remembers the arrays with *|
|* room left, and only the head that counts all of an array may extend it.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Sequence.h"

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

typedef long long longest;

static const onnxc_tensor *from_handle(int64_t handle) {
  return (const onnxc_tensor *)(uintptr_t)handle;
}

static int64_t to_handle(const onnxc_tensor *value) {
  return (int64_t)(uintptr_t)value;
}

static int32_t fail(onnxc_context *face, const char *node, const char *text) {
  return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                            "%s%s", node, text);
}

/*===----------------------------------------------------------------------===*\
|* Heads and arrays                                                           *|
\*===----------------------------------------------------------------------===*/

/* NULL: the error is set. */
static onnxc_tensor *new_parts(onnxc_context *face, int64_t count) {
  int64_t most = INT64_MAX / 2 / (int64_t)sizeof(onnxc_tensor);
  count = count < 1 ? 1 : count > most ? most : count;
  return onnxc_rt_alloc(face, count * (int64_t)sizeof(onnxc_tensor));
}

/* A sequence or optional over `count` parts. */
static int32_t new_head(onnxc_context *face, int32_t dtype, onnxc_tensor *parts,
                        int64_t count, int64_t *result) {
  onnxc_tensor *head = new_parts(face, 1);
  if (!head || !parts)
    return onnxc_rt_status(face);
  memset(head, 0, sizeof *head);
  head->data = parts;
  head->bytes = (uint64_t)count * sizeof *parts;
  head->dtype = dtype;
  head->rank = 1;
  head->dims[0] = count;
  *result = to_handle(head);
  return ONNXC_OK;
}

static void copy_parts(onnxc_tensor *to, const onnxc_tensor *from,
                       int64_t count) {
  if (count)
    memcpy(to, from, (size_t)count * sizeof *to);
}

int32_t onnxc_rt_sequence_new(onnxc_context *face, const char *node,
                              int64_t *result) {
  (void)node;
  return new_head(face, ONNXC_SEQUENCE, new_parts(face, 1), 0, result);
}

/* The array of `sequence` if one more element can be put behind it, or a copy
   with room. */
static onnxc_rt_growing *make_room(onnxc_context *face,
                                   const onnxc_tensor *sequence) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_rt_growing *place;
  int64_t count = sequence->dims[0];
  int i, found = -1;
  for (i = 0; i < ONNXC_RT_NUM_GROWING; ++i)
    if (count && context->growing[i].parts == sequence->data &&
        context->growing[i].count == count)
      found = i;
  if (found < 0) {
    found = context->next_growing;
    context->next_growing = (found + 1) % ONNXC_RT_NUM_GROWING;
    context->growing[found].capacity = 0;
  }
  place = &context->growing[found];
  if (place->capacity <= count) {
    int64_t capacity = count < 4 ? 8 : count * 2;
    onnxc_tensor *parts = new_parts(face, capacity);
    if (!parts)
      return NULL;
    copy_parts(parts, (const onnxc_tensor *)sequence->data, count);
    place->parts = parts;
    place->count = count;
    place->capacity = capacity;
  }
  return place;
}

int32_t onnxc_rt_sequence_append(onnxc_context *face, const char *node,
                                 int64_t handle, int64_t value,
                                 int64_t *result) {
  onnxc_rt_growing *array = make_room(face, from_handle(handle));
  (void)node;
  if (!array)
    return onnxc_rt_status(face);
  array->parts[array->count++] = *from_handle(value);
  return new_head(face, ONNXC_SEQUENCE, array->parts, array->count, result);
}

/* `position` counted from the start, if it is below `limit`; else -1, and the
   error is set. */
static int64_t find_position(onnxc_context *face, const char *node,
                             int64_t position, int64_t count, int64_t limit) {
  int64_t found = position < 0 ? position + count : position;
  if (found >= 0 && found < limit)
    return found;
  onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                     "%sposition %lld is out of range for a sequence of %lld "
                     "elements",
                     node, (longest)position, (longest)count);
  return -1;
}

int32_t onnxc_rt_sequence_insert(onnxc_context *face, const char *node,
                                 int64_t handle, int64_t value,
                                 int64_t position, int64_t *result) {
  const onnxc_tensor *sequence = from_handle(handle);
  const onnxc_tensor *old = (const onnxc_tensor *)sequence->data;
  int64_t count = sequence->dims[0];
  int64_t at = find_position(face, node, position, count, count + 1);
  onnxc_tensor *parts;
  if (at < 0)
    return onnxc_rt_status(face);
  if (at == count)
    return onnxc_rt_sequence_append(face, node, handle, value, result);
  parts = new_parts(face, count + 1);
  if (!parts)
    return onnxc_rt_status(face);
  copy_parts(parts, old, at);
  parts[at] = *from_handle(value);
  copy_parts(parts + at + 1, old + at, count - at);
  return new_head(face, ONNXC_SEQUENCE, parts, count + 1, result);
}

int32_t onnxc_rt_sequence_erase(onnxc_context *face, const char *node,
                                int64_t handle, int64_t position,
                                int64_t *result) {
  const onnxc_tensor *sequence = from_handle(handle);
  const onnxc_tensor *old = (const onnxc_tensor *)sequence->data;
  int64_t count = sequence->dims[0];
  int64_t at = find_position(face, node, position, count, count);
  onnxc_tensor *parts;
  if (at < 0)
    return onnxc_rt_status(face);
  parts = new_parts(face, count - 1);
  if (!parts)
    return onnxc_rt_status(face);
  copy_parts(parts, old, at);
  copy_parts(parts + at, old + at + 1, count - at - 1);
  return new_head(face, ONNXC_SEQUENCE, parts, count - 1, result);
}

int32_t onnxc_rt_sequence_at(onnxc_context *face, const char *node,
                             int64_t handle, int64_t position,
                             int64_t *result) {
  const onnxc_tensor *sequence = from_handle(handle);
  int64_t count = sequence->dims[0];
  int64_t at = find_position(face, node, position, count, count);
  if (at < 0)
    return onnxc_rt_status(face);
  *result = to_handle((const onnxc_tensor *)sequence->data + at);
  return ONNXC_OK;
}

int32_t onnxc_rt_sequence_length(onnxc_context *face, const char *node,
                                 int64_t sequence, int64_t *result) {
  (void)face;
  (void)node;
  *result = from_handle(sequence)->dims[0];
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* Tensors cut and joined                                                     *|
\*===----------------------------------------------------------------------===*/

/* Element `index` of a tensor of int32 or int64. */
static int64_t integer_at(const onnxc_tensor *tensor, int64_t index) {
  if (tensor->dtype == ONNXC_BOOL)
    return ((const uint8_t *)tensor->data)[index] != 0;
  if (tensor->dtype == ONNXC_INT32)
    return ((const int32_t *)tensor->data)[index];
  return ((const int64_t *)tensor->data)[index];
}

int32_t onnxc_rt_integer_of(onnxc_context *face, const char *node,
                            int64_t handle, int64_t *result) {
  const onnxc_tensor *tensor = from_handle(handle);
  if (onnxc_tensor_bytes(tensor) != onnxc_dtype_size(tensor->dtype))
    return fail(face, node, "expected a tensor of one element");
  *result = integer_at(tensor, 0);
  return ONNXC_OK;
}

/* `axis` counted from the start, if a tensor of rank `rank` has it. */
static int32_t find_axis(onnxc_context *face, const char *node, int64_t axis,
                         int32_t rank, int32_t *found) {
  if (axis < -(int64_t)rank || axis >= rank)
    return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                              "%saxis %lld is out of range for rank %d", node,
                              (longest)axis, (int)rank);
  *found = (int32_t)(axis < 0 ? axis + rank : axis);
  return ONNXC_OK;
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t result = 1;
  for (; begin < end; ++begin)
    result *= dims[begin];
  return result;
}

/* Rows of `bytes` bytes each, from and to memory where a row begins every
   `from_step` and `to_step` bytes. */
static void copy_rows(char *to, int64_t to_step, const char *from,
                      int64_t from_step, int64_t rows, int64_t bytes) {
  int64_t i;
  if (bytes)
    for (i = 0; i < rows; ++i)
      memcpy(to + i * to_step, from + i * from_step, (size_t)bytes);
}

/* The piece of `tensor` from `begin` on whose size along `axis` is `size`. */
static int32_t take_piece(onnxc_context *face, const onnxc_tensor *tensor,
                          int32_t axis, int64_t begin, int64_t size,
                          onnxc_tensor *piece) {
  int64_t rows = product(tensor->dims, 0, axis);
  int64_t step = product(tensor->dims, axis + 1, tensor->rank) *
                 (int64_t)onnxc_dtype_size(tensor->dtype);
  char *data = (char *)tensor->data + begin * step;
  *piece = *tensor;
  piece->dims[axis] = size;
  piece->bytes = onnxc_tensor_bytes(piece);
  piece->data = data;
  if (rows <= 1)
    return ONNXC_OK;
  piece->data = onnxc_rt_alloc(face, (int64_t)piece->bytes);
  if (!piece->data)
    return onnxc_rt_status(face);
  copy_rows((char *)piece->data, size * step, data, tensor->dims[axis] * step,
            rows, size * step);
  return ONNXC_OK;
}

static void drop_axis(onnxc_tensor *tensor, int32_t axis) {
  for (; axis + 1 < tensor->rank; ++axis)
    tensor->dims[axis] = tensor->dims[axis + 1];
  --tensor->rank;
}

/* How many pieces there are. `size` becomes that of all but the last, or 0
   where `split` has all of them. */
static int32_t count_pieces(onnxc_context *face, const char *node,
                            const onnxc_tensor *split, int64_t length,
                            int64_t *count, int64_t *size) {
  int64_t i, rest = length;
  *size = split && split->rank == 0 ? integer_at(split, 0) : 1;
  if (!split || split->rank == 0) {
    if (*size <= 0)
      return fail(face, node, "split must be positive");
    *count = length / *size + (length % *size != 0);
    return ONNXC_OK;
  }
  if (split->rank != 1)
    return fail(face, node, "split must have rank 0 or 1");
  *size = 0;
  *count = split->dims[0];
  for (i = 0; i < *count; ++i) {
    int64_t next = integer_at(split, i);
    if (next < 0 || next > rest)
      return fail(face, node,
                  "the sizes in split must not be negative, and have the size "
                  "of the axis as their sum");
    rest -= next;
  }
  if (rest)
    return fail(face, node,
                "the sizes in split must have the size of the axis as their "
                "sum");
  return ONNXC_OK;
}

int32_t onnxc_rt_sequence_split(onnxc_context *face, const char *node,
                                int64_t handle, int64_t split_handle,
                                int64_t axis, int64_t keepdims,
                                int64_t *result) {
  const onnxc_tensor *tensor = from_handle(handle);
  const onnxc_tensor *split = split_handle ? from_handle(split_handle) : NULL;
  int64_t length, count = 0, size = 0, begin = 0, i;
  onnxc_tensor *parts;
  int32_t at = 0;
  if (find_axis(face, node, axis, tensor->rank, &at))
    return onnxc_rt_status(face);
  length = tensor->dims[at];
  if (count_pieces(face, node, split, length, &count, &size))
    return onnxc_rt_status(face);
  parts = new_parts(face, count);
  if (!parts)
    return onnxc_rt_status(face);
  for (i = 0; i < count; ++i) {
    int64_t next = size ? size : integer_at(split, i);
    if (next > length - begin)
      next = length - begin;
    if (take_piece(face, tensor, at, begin, next, &parts[i]))
      return onnxc_rt_status(face);
    begin += next;
    if (!split && !keepdims)
      drop_axis(&parts[i], at);
  }
  return new_head(face, ONNXC_SEQUENCE, parts, count, result);
}

/* Whether `part` has the shape of `first` except along `axis` (-1: there too).
 */
static int fits(const onnxc_tensor *part, const onnxc_tensor *first,
                int32_t axis) {
  int32_t i;
  if (part->rank != first->rank || part->dtype != first->dtype)
    return 0;
  for (i = 0; i < part->rank; ++i)
    if (i != axis && part->dims[i] != first->dims[i])
      return 0;
  return 1;
}

int32_t onnxc_rt_sequence_concat(onnxc_context *face, const char *node,
                                 int64_t handle, int64_t axis, int64_t new_axis,
                                 int64_t *result) {
  const onnxc_tensor *sequence = from_handle(handle);
  const onnxc_tensor *parts = (const onnxc_tensor *)sequence->data;
  int64_t count = sequence->dims[0], length = 0, rows, inner, begin = 0, i;
  int64_t dims[ONNXC_MAX_RANK];
  onnxc_tensor *joined;
  int32_t at = 0, d, rank;
  if (!count)
    return fail(face, node, "cannot join the tensors of an empty sequence");
  rank = parts[0].rank + (new_axis != 0);
  if (rank > ONNXC_MAX_RANK)
    return fail(face, node, "the result has too many dimensions");
  if (find_axis(face, node, axis, rank, &at))
    return onnxc_rt_status(face);
  for (i = 0; i < count; ++i) {
    if (!fits(&parts[i], &parts[0], new_axis ? -1 : at))
      return fail(face, node,
                  new_axis ? "the tensors must have one shape"
                           : "the tensors must have one shape, except along "
                             "the axis");
    length += new_axis ? 1 : parts[i].dims[at];
  }
  for (d = 0; d < rank; ++d)
    dims[d] = d == at ? length : parts[0].dims[d > at && new_axis ? d - 1 : d];
  joined =
      onnxc_rt_new_tensor((onnxc_rt_context *)face, parts[0].dtype, rank, dims);
  if (!joined)
    return onnxc_rt_status(face);
  rows = product(dims, 0, at);
  inner =
      product(dims, at + 1, rank) * (int64_t)onnxc_dtype_size(joined->dtype);
  for (i = 0; i < count; ++i) {
    int64_t bytes = (new_axis ? 1 : parts[i].dims[at]) * inner;
    copy_rows((char *)joined->data + begin, length * inner,
              (const char *)parts[i].data, bytes, rows, bytes);
    begin += bytes;
  }
  *result = to_handle(joined);
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* Optionals                                                                  *|
\*===----------------------------------------------------------------------===*/

int32_t onnxc_rt_optional_some(onnxc_context *face, const char *node,
                               int64_t value, int64_t *result) {
  onnxc_tensor *part = new_parts(face, 1);
  (void)node;
  if (!part)
    return onnxc_rt_status(face);
  *part = *from_handle(value);
  return new_head(face, ONNXC_OPTIONAL, part, 1, result);
}

int32_t onnxc_rt_optional_none(onnxc_context *face, const char *node,
                               int64_t *result) {
  (void)node;
  return new_head(face, ONNXC_OPTIONAL, new_parts(face, 1), 0, result);
}

int32_t onnxc_rt_optional_get(onnxc_context *face, const char *node,
                              int64_t handle, int64_t *result) {
  const onnxc_tensor *optional = from_handle(handle);
  if (!optional->dims[0])
    return fail(face, node, "the optional holds no value");
  *result = to_handle((const onnxc_tensor *)optional->data);
  return ONNXC_OK;
}

int32_t onnxc_rt_optional_has(onnxc_context *face, const char *node,
                              int64_t optional, int64_t *result) {
  (void)face;
  (void)node;
  *result = from_handle(optional)->dims[0] != 0;
  return ONNXC_OK;
}
