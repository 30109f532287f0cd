/*===- Value.c - Sequences, optionals, maps, tensors by handle ----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A handle is the address of an onnxc_tensor that is not changed: an input of*|
|* the call, or memory of the run's pool. So a handle can be shared, put into *|
|* sequences and carried around loops without counting or copying. Outputs are*|
|* copied out of the pool, whole, into memory that outlives the run.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Texts.h"

static const onnxc_tensor *from_handle(int64_t handle) {
  return (const onnxc_tensor *)(uintptr_t)handle;
}

static int is_composite(int32_t dtype) {
  return dtype == ONNXC_SEQUENCE || dtype == ONNXC_MAP ||
         dtype == ONNXC_OPTIONAL;
}

/* The tensors behind a composite value. */
static int64_t count_parts(const onnxc_tensor *value) {
  return value->dtype == ONNXC_MAP ? 2 : value->dims[0];
}

/*===----------------------------------------------------------------------===*\
|* Checks of inputs                                                           *|
\*===----------------------------------------------------------------------===*/

static int starts_with(const char *text, const char *start) {
  while (*start)
    if (*text++ != *start++)
      return 0;
  return 1;
}

/* Whether the name of an element type stands at `text`, up to `end`. */
static int names_dtype(const char *text, char end, int32_t dtype) {
  const char *name = onnxc_dtype_name(dtype);
  return starts_with(text, name) && text[strlen(name)] == end;
}

int onnxc_rt_has_texts(const onnxc_tensor *value) {
  const onnxc_string *texts = texts_of(value);
  uint64_t i, count;
  if (value->dtype != ONNXC_STRING)
    return 1;
  count = onnxc_tensor_bytes(value) / sizeof *texts;
  for (i = 0; i < count; ++i)
    if (!texts[i].text)
      return 0;
  return 1;
}

static int is_valid_tensor(const onnxc_tensor *value) {
  uint64_t bytes = onnxc_tensor_bytes(value);
  return bytes != UINT64_MAX && (value->data || !bytes) &&
         onnxc_rt_has_texts(value);
}

/* Whether `value` is of the type that `type` spells as ONNX does. */
static int has_type(const char *type, const onnxc_tensor *value) {
  const onnxc_tensor *parts = (const onnxc_tensor *)value->data;
  int64_t i;
  if (starts_with(type, "tensor("))
    return names_dtype(type + 7, ')', value->dtype) && is_valid_tensor(value);
  if (starts_with(type, "seq(")) {
    if (value->dtype != ONNXC_SEQUENCE || value->rank != 1 ||
        value->dims[0] < 0 || (value->dims[0] && !parts))
      return 0;
    for (i = 0; i < value->dims[0]; ++i)
      if (!has_type(type + 4, &parts[i]))
        return 0;
    return 1;
  }
  if (starts_with(type, "optional(")) {
    if (value->dtype != ONNXC_OPTIONAL || value->rank != 1 ||
        (value->dims[0] != 0 && value->dims[0] != 1))
      return 0;
    return !value->dims[0] || (parts && has_type(type + 9, &parts[0]));
  }
  if (starts_with(type, "map(")) {
    const char *values = type + 4;
    while (*values && *values != ',')
      ++values;
    return value->dtype == ONNXC_MAP && parts &&
           names_dtype(type + 4, ',', parts[0].dtype) && *values == ',' &&
           is_valid_tensor(&parts[0]) && parts[0].rank == 1 &&
           has_type(values + 1, &parts[1]) && parts[1].rank == 1 &&
           parts[0].dims[0] == parts[1].dims[0];
  }
  return 0;
}

onnxc_status onnxc_rt_check_value(onnxc_rt_context *context,
                                  const onnxc_value_info *info,
                                  const onnxc_tensor *value) {
  if (has_type(info->type, value))
    return ONNXC_OK;
  return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                            "input '%s': expected a value of type %s, got "
                            "another one or one with invalid parts",
                            info->name, info->type);
}

/*===----------------------------------------------------------------------===*\
|* Tensors to handles and back                                                *|
\*===----------------------------------------------------------------------===*/

onnxc_tensor *onnxc_rt_new_tensor(onnxc_rt_context *context, int32_t dtype,
                                  int32_t rank, const int64_t *dims) {
  onnxc_tensor shape = {0};
  onnxc_tensor *value;
  uint64_t bytes;
  int32_t i;
  shape.dtype = dtype;
  shape.rank = rank;
  for (i = 0; i < rank; ++i)
    shape.dims[i] = dims[i];
  bytes = onnxc_tensor_bytes(&shape);
  if (bytes > (uint64_t)INT64_MAX / 2) {
    char text[256];
    onnxc_rt_shape_text(text, sizeof text, dtype, rank, dims, NULL);
    onnxc_rt_set_error(context, ONNXC_RUNTIME_ERROR, "%s is not a valid shape",
                       text);
    return NULL;
  }
  value =
      onnxc_rt_alloc(&context->face, (int64_t)(ONNXC_RT_TENSOR_HEAD + bytes));
  if (!value)
    return NULL;
  *value = shape;
  value->bytes = bytes;
  value->data = (char *)value + ONNXC_RT_TENSOR_HEAD;
  return value;
}

int32_t onnxc_rt_box(onnxc_context *face, const char *node,
                     const onnxc_tensor *tensor, int64_t *handle) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_tensor *value =
      onnxc_rt_new_tensor(context, tensor->dtype, tensor->rank, tensor->dims);
  (void)node;
  if (!value)
    return onnxc_rt_status(face);
  if (value->bytes)
    memcpy(value->data, tensor->data, value->bytes);
  *handle = (int64_t)(uintptr_t)value;
  return ONNXC_OK;
}

int32_t onnxc_rt_unbox(onnxc_context *face, const char *node, int64_t handle,
                       onnxc_tensor *tensor) {
  const onnxc_tensor *value = from_handle(handle);
  int32_t i;
  int fits = value->dtype == tensor->dtype && value->rank == tensor->rank;
  for (i = 0; fits && i < tensor->rank; ++i)
    fits = tensor->dims[i] < 0 || tensor->dims[i] == value->dims[i];
  if (!fits) {
    static const char *const no_symbols[ONNXC_MAX_RANK];
    char expected[256], got[256];
    onnxc_rt_shape_text(expected, sizeof expected, tensor->dtype, tensor->rank,
                        tensor->dims, no_symbols);
    onnxc_rt_shape_text(got, sizeof got, value->dtype, value->rank, value->dims,
                        NULL);
    return onnxc_rt_set_error((onnxc_rt_context *)face, ONNXC_RUNTIME_ERROR,
                              "%sexpected a value %s, got %s", node, expected,
                              got);
  }
  tensor->data = value->data;
  for (i = 0; i < tensor->rank; ++i)
    tensor->dims[i] = value->dims[i];
  return ONNXC_OK;
}

/* `at` counted from the end if negative, and brought to 0 ... rank. */
static int64_t clamp_axis(int64_t at, int64_t rank) {
  if (at < 0)
    at += rank;
  return at < 0 ? 0 : at > rank ? rank : at;
}

int32_t onnxc_rt_shape(onnxc_context *face, const char *node, int64_t handle,
                       int64_t start, int64_t end, onnxc_tensor *shape) {
  const onnxc_tensor *value = from_handle(handle);
  int64_t first = clamp_axis(start, value->rank);
  int64_t last = clamp_axis(end, value->rank);
  int64_t count = last > first ? last - first : 0;
  (void)node;
  shape->data = onnxc_rt_alloc(face, (count + 1) * (int64_t)sizeof(int64_t));
  if (!shape->data)
    return onnxc_rt_status(face);
  memcpy(shape->data, value->dims + first, (size_t)count * sizeof(int64_t));
  shape->dims[0] = count;
  return ONNXC_OK;
}

int32_t onnxc_rt_size(onnxc_context *face, const char *node, int64_t handle,
                      int64_t *size) {
  const onnxc_tensor *value = from_handle(handle);
  int32_t i;
  (void)face;
  (void)node;
  *size = 1;
  for (i = 0; i < value->rank; ++i)
    *size *= value->dims[i];
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* Outputs                                                                    *|
\*===----------------------------------------------------------------------===*/

static size_t round_up(size_t bytes) {
  return (bytes + ONNXC_RT_ALIGNMENT - 1) & ~(size_t)(ONNXC_RT_ALIGNMENT - 1);
}

/* Maps of one sequence mostly have the same keys (ZipMap's all do), which are
   copied once: those of the map before, and their copy. */
typedef struct known_keys {
  const void *data;
  uint64_t bytes;
  char *copy;
} known_keys;

static int are_known(const onnxc_tensor *keys, const known_keys *known) {
  return keys->bytes && keys->data == known->data &&
         keys->bytes == known->bytes;
}

/* Bytes that everything behind a value takes, in pieces of the alignment. */
static size_t deep_size(const onnxc_tensor *value, known_keys *known) {
  const onnxc_tensor *parts = (const onnxc_tensor *)value->data;
  const onnxc_string *texts = texts_of(value);
  size_t bytes;
  int64_t i, count;
  if (is_composite(value->dtype)) {
    count = count_parts(value);
    bytes = round_up((size_t)count * sizeof *parts);
    for (i = 0; i < count; ++i) {
      if (i == 0 && value->dtype == ONNXC_MAP) {
        if (are_known(parts, known))
          continue;
        known->data = parts->data;
        known->bytes = parts->bytes;
      }
      bytes += deep_size(&parts[i], known);
    }
    return bytes;
  }
  bytes = round_up((size_t)onnxc_tensor_bytes(value));
  if (value->dtype == ONNXC_STRING) {
    count = (int64_t)(onnxc_tensor_bytes(value) / sizeof *texts);
    for (i = 0; i < count; ++i)
      bytes += round_up(strlen(texts[i].text) + 1);
  }
  return bytes;
}

static char *copy_texts(onnxc_string *texts, int64_t count, char *memory) {
  int64_t i;
  for (i = 0; i < count; ++i) {
    size_t bytes = strlen(texts[i].text) + 1;
    memcpy(memory, texts[i].text, bytes);
    texts[i].text = memory;
    memory += round_up(bytes);
  }
  return memory;
}

static char *deep_copy(onnxc_tensor *value, char *memory, known_keys *known);

static char *copy_keys(onnxc_tensor *keys, char *memory, known_keys *known) {
  if (are_known(keys, known)) {
    keys->data = known->copy;
    return memory;
  }
  known->data = keys->data;
  known->bytes = keys->bytes;
  known->copy = memory;
  return deep_copy(keys, memory, known);
}

/* Copies what stands behind `value` to `memory`; the end of what it took. */
static char *deep_copy(onnxc_tensor *value, char *memory, known_keys *known) {
  size_t bytes = is_composite(value->dtype)
                     ? (size_t)count_parts(value) * sizeof *value
                     : (size_t)onnxc_tensor_bytes(value);
  char *copy = memory;
  int64_t i;
  if (bytes)
    memcpy(copy, value->data, bytes);
  value->data = copy;
  value->bytes = bytes;
  memory += round_up(bytes);
  if (is_composite(value->dtype)) {
    onnxc_tensor *parts = (onnxc_tensor *)(void *)copy;
    for (i = 0; i < count_parts(value); ++i)
      memory = i == 0 && value->dtype == ONNXC_MAP
                   ? copy_keys(parts, memory, known)
                   : deep_copy(&parts[i], memory, known);
  } else if (value->dtype == ONNXC_STRING) {
    memory = copy_texts(texts_of(value),
                        (int64_t)(bytes / sizeof(onnxc_string)), memory);
  }
  return memory;
}

int32_t onnxc_rt_output_value(onnxc_context *face, onnxc_tensor *outputs,
                              int32_t index, int64_t handle) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_value_info *info = &face->model->outputs[index];
  const onnxc_tensor *value = from_handle(handle);
  onnxc_tensor *output = &outputs[index];
  known_keys sized = {0}, copied = {0};
  char *memory;

  if (!is_composite(info->dtype)) {
    void *data =
        onnxc_rt_output(face, outputs, index, value->rank, value->dims);
    size_t bytes;
    if (!data)
      return onnxc_rt_status(face);
    bytes = (size_t)onnxc_tensor_bytes(value);
    if (bytes)
      memcpy(data, value->data, bytes);
    return info->dtype == ONNXC_STRING
               ? onnxc_rt_keep_texts(face, outputs, index)
               : ONNXC_OK;
  }
  if (!context->outputs[index].owned)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "output '%s': a value of type %s cannot be "
                              "written into a buffer of the caller",
                              info->name, info->type);
  memory = onnxc_rt_output_memory(context, index, deep_size(value, &sized));
  if (!memory)
    return onnxc_rt_status(face);
  *output = *value;
  deep_copy(output, memory, &copied);
  return ONNXC_OK;
}

int32_t onnxc_rt_keep_texts(onnxc_context *face, onnxc_tensor *outputs,
                            int32_t index) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_tensor *output = &outputs[index];
  onnxc_string *texts = texts_of(output);
  int64_t count = (int64_t)(onnxc_tensor_bytes(output) / sizeof *texts), i;
  onnxc_rt_place *place;
  size_t bytes = 0;
  for (i = 0; i < count; ++i)
    bytes += round_up(strlen(texts[i].text) + 1);
  place = onnxc_rt_texts_place(context, index);
  /* The old texts may be what this run read: they go after the copy. */
  {
    void *old = place->data;
    size_t old_bytes = place->bytes;
    char *memory = onnxc_rt_allocate(context, bytes);
    if (!memory)
      return onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                                "output '%s': no memory for %llu bytes of text",
                                face->model->outputs[index].name,
                                (unsigned long long)bytes);
    copy_texts(texts, count, memory);
    place->data = memory;
    place->bytes = bytes;
    onnxc_rt_release(context, old, old_bytes);
  }
  return ONNXC_OK;
}
