/*===- State.c - Tensors that live in a context from run to run ---*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A state is an argument of the model's entry and a result of it. Its value  *|
|* lies in one of the two places that every result has, the run writes the    *|
|* other one, and when the run has succeeded they change roles. The code of a *|
|* state that is appended to asks for room behind its rows instead: it stays  *|
|* where it is, and a run that fails leaves the length as it was. Code that   *|
|* writes some elements of a state where it lies says so before: they are in  *|
|* the other place until the run has succeeded.                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

static const onnxc_state_info *info_of(const onnxc_rt_context *context,
                                       int32_t state) {
  return &context->face.model->states[state];
}

static onnxc_rt_place *places_of(const onnxc_rt_context *context,
                                 int32_t state) {
  return context->outputs[context->face.model->num_outputs + state].places;
}

static int is_appended(const onnxc_rt_context *context, int32_t state) {
  return (info_of(context, state)->flags & ONNXC_RT_STATE_APPENDED) != 0;
}

/* The bytes of one row of the axis that grows, and how many rows lie side by
   side: the products of the dimensions behind it, and before it. A state that
   does not grow is one row. */
static size_t row_bytes(const onnxc_state_info *info, const int64_t *dims) {
  size_t bytes = onnxc_dtype_size(info->value.dtype);
  int32_t i;
  for (i = info->axis + 1; i < info->value.rank; ++i)
    bytes *= (size_t)dims[i];
  return bytes;
}

static size_t count_slices(const onnxc_state_info *info, const int64_t *dims) {
  size_t count = 1;
  int32_t i;
  for (i = 0; i < info->axis; ++i)
    count *= (size_t)dims[i];
  return count;
}

static int64_t count_rows(const onnxc_state_info *info, const int64_t *dims) {
  return info->axis < 0 ? 1 : dims[info->axis];
}

/* Copies the rows that `dims` says from memory with room for `from_capacity` of
   them to one with room for `to_capacity`. It may be the same memory, where the
   latter is not more. */
static void copy_rows(const onnxc_state_info *info, const int64_t *dims,
                      void *to, int64_t to_capacity, const void *from,
                      int64_t from_capacity) {
  size_t row = row_bytes(info, dims), rows = (size_t)count_rows(info, dims);
  size_t slices = rows && row ? count_slices(info, dims) : 0, i;
  for (i = 0; i < slices; ++i)
    memmove((char *)to + i * (size_t)to_capacity * row,
            (const char *)from + i * (size_t)from_capacity * row, rows * row);
}

onnxc_tensor onnxc_rt_state_tensor(const onnxc_rt_context *context,
                                   int32_t state) {
  const onnxc_state_info *info = info_of(context, state);
  const onnxc_rt_state *of = &context->states[state];
  onnxc_tensor tensor =
      onnxc_tensor_of(NULL, 0, info->value.dtype, info->value.rank, of->dims);
  int32_t i;
  if (!of->is_set)
    for (i = 0; i < tensor.rank; ++i)
      tensor.dims[i] = info->value.dims[i] < 0 ? 0 : info->value.dims[i];
  else
    tensor.data = places_of(context, state)[of->place].data;
  tensor.bytes = onnxc_tensor_bytes(&tensor);
  return tensor;
}

void onnxc_rt_copy_state(const onnxc_rt_context *context, int32_t state,
                         void *to) {
  const onnxc_state_info *info = info_of(context, state);
  const onnxc_rt_state *of = &context->states[state];
  onnxc_tensor tensor = onnxc_rt_state_tensor(context, state);
  if (of->is_set)
    copy_rows(info, of->dims, to, count_rows(info, of->dims), tensor.data,
              of->capacity);
  else if (tensor.bytes)
    memset(to, 0, (size_t)tensor.bytes);
}

onnxc_status onnxc_rt_check_state(onnxc_rt_context *context, int32_t state,
                                  int32_t dtype, int32_t rank,
                                  const int64_t *dims) {
  const onnxc_state_info *info = info_of(context, state);
  const onnxc_value_info *value = &info->value;
  char expected[256], got[256];
  int32_t i;
  int fits = dtype == value->dtype && rank == value->rank;
  for (i = 0; fits && i < rank; ++i)
    fits = dims[i] >= 0 && (value->dims[i] < 0 || dims[i] == value->dims[i]);
  if (!fits) {
    onnxc_rt_shape_text(expected, sizeof expected, value->dtype, value->rank,
                        value->dims, value->symbols);
    onnxc_rt_shape_text(got, sizeof got, dtype, rank, dims, NULL);
    return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                              "state '%s': expected %s, got %s", value->name,
                              expected, got);
  }
  if (info->axis >= 0 && context->state_capacity &&
      dims[info->axis] > context->state_capacity)
    return onnxc_rt_set_error(
        context, ONNXC_OUT_OF_MEMORY,
        "state '%s': %lld is longer than its capacity of %lld", value->name,
        (long long)dims[info->axis], (long long)context->state_capacity);
  return ONNXC_OK;
}

/* The bytes of a value with so many rows of the axis that grows; UINT64_MAX if
   they make no sense. */
static uint64_t bytes_with(const onnxc_state_info *info, const int64_t *dims,
                           int64_t rows) {
  onnxc_tensor tensor =
      onnxc_tensor_of(NULL, 0, info->value.dtype, info->value.rank, dims);
  if (info->axis >= 0)
    tensor.dims[info->axis] = rows;
  return onnxc_tensor_bytes(&tensor);
}

/* What memory for a value of these dimensions has at least: all that the
   capacity allows; without one, of what grows, what `bytes` are needed now. */
static uint64_t room_for(const onnxc_rt_context *context, int32_t state,
                         const int64_t *dims, uint64_t bytes) {
  const onnxc_state_info *info = info_of(context, state);
  uint64_t all;
  if (info->axis < 0 || !context->state_capacity)
    return bytes;
  all = bytes_with(info, dims, context->state_capacity);
  return all == UINT64_MAX || all < bytes ? bytes : all;
}

/* How many rows lie side by side in that memory: where they are appended to, as
   many as may become; else those of the value, which code reads as dense. */
static int64_t capacity_for(const onnxc_rt_context *context, int32_t state,
                            const int64_t *dims) {
  const onnxc_state_info *info = info_of(context, state);
  if (is_appended(context, state) && context->state_capacity &&
      bytes_with(info, dims, context->state_capacity) != UINT64_MAX)
    return context->state_capacity;
  return count_rows(info, dims);
}

onnxc_status onnxc_rt_reserve_state(onnxc_rt_context *context, int32_t state,
                                    const onnxc_tensor *tensor) {
  onnxc_rt_place *other =
      &places_of(context, state)[1 - context->states[state].place];
  uint64_t bytes = onnxc_tensor_bytes(tensor);
  if (bytes != UINT64_MAX &&
      onnxc_rt_make_room(context, other,
                         room_for(context, state, tensor->dims, bytes)))
    return ONNXC_OK;
  return onnxc_rt_set_error(
      context, ONNXC_OUT_OF_MEMORY, "state '%s': no memory for %llu bytes",
      info_of(context, state)->value.name, (unsigned long long)bytes);
}

void onnxc_rt_replace_state(onnxc_rt_context *context, int32_t state,
                            const onnxc_tensor *tensor) {
  const onnxc_state_info *info = info_of(context, state);
  onnxc_rt_state *of = &context->states[state];
  onnxc_rt_place *other = &places_of(context, state)[1 - of->place];
  memcpy(of->dims, tensor->dims, sizeof of->dims);
  of->capacity = capacity_for(context, state, of->dims);
  copy_rows(info, of->dims, other->data, of->capacity, tensor->data,
            count_rows(info, of->dims));
  of->place = 1 - of->place;
  of->is_set = 1;
}

/*===----------------------------------------------------------------------===*\
|* A run                                                                      *|
\*===----------------------------------------------------------------------===*/

/* The size that the inputs of the call give a dimension of this name; 0 if none
   has it, which the compiler has seen to. */
static int64_t size_of_symbol(const onnxc_rt_context *context,
                              const char *symbol) {
  const onnxc_model *model = context->face.model;
  int32_t i, k;
  for (i = 0; i < model->num_inputs; ++i)
    for (k = 0; k < model->inputs[i].rank; ++k)
      if (*symbol && strcmp(symbol, model->inputs[i].symbols[k]) == 0)
        return context->inputs[i].dims[k];
  return 0;
}

/* The value that a state starts from: zeros. */
static onnxc_status start_state(onnxc_rt_context *context, int32_t state,
                                onnxc_tensor *argument) {
  const onnxc_state_info *info = info_of(context, state);
  onnxc_rt_place *place =
      &places_of(context, state)[context->states[state].place];
  uint64_t bytes;
  int32_t i;
  for (i = 0; i < argument->rank; ++i)
    argument->dims[i] = info->value.dims[i] >= 0 ? info->value.dims[i]
                        : i == info->axis
                            ? 0
                            : size_of_symbol(context, info->value.symbols[i]);
  bytes = onnxc_tensor_bytes(argument);
  if (bytes == UINT64_MAX ||
      !onnxc_rt_make_room(context, place,
                          room_for(context, state, argument->dims, bytes)))
    return onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                              "state '%s': no memory for it", info->value.name);
  if (bytes)
    memset(place->data, 0, (size_t)bytes);
  argument->data = place->data;
  argument->bytes = bytes;
  return ONNXC_OK;
}

/* The states as arguments of the entry. */
static onnxc_status bind_states(onnxc_rt_context *context) {
  const onnxc_model *model = context->face.model;
  int32_t i;
  for (i = 0; i < model->num_states; ++i) {
    onnxc_tensor *argument = &context->inputs[model->num_inputs + i];
    onnxc_rt_state *of = &context->states[i];
    *argument = onnxc_rt_state_tensor(context, i);
    if (!of->is_set) {
      if (start_state(context, i, argument) != ONNXC_OK)
        return (onnxc_status)context->status;
      /* Of what was there before a reset; a run may leave the state empty. */
      of->capacity = count_rows(info_of(context, i), argument->dims);
    }
    /* Room that doubles, for what grows without a bound. */
    of->room = room_for(context, i, argument->dims,
                        model->states[i].axis < 0 ? 0 : 2 * argument->bytes);
    of->kept = 0;
    of->last_kept = -1;
    /* What is appended to is as it was until the code asks for room. */
    context->results[model->num_outputs + i] = *argument;
  }
  return ONNXC_OK;
}

/* Whether the run may leave this value: only the length has changed. */
static onnxc_status check_state(onnxc_rt_context *context, int32_t state) {
  const onnxc_model *model = context->face.model;
  const onnxc_state_info *info = &model->states[state];
  const onnxc_tensor *before = &context->inputs[model->num_inputs + state];
  const onnxc_tensor *after = &context->results[model->num_outputs + state];
  char expected[256], got[256];
  int32_t i;
  int fits = before->rank == after->rank;
  for (i = 0; fits && i < before->rank; ++i)
    fits = i == info->axis || before->dims[i] == after->dims[i];
  if (fits)
    return ONNXC_OK;
  onnxc_rt_shape_text(expected, sizeof expected, before->dtype, before->rank,
                      before->dims, NULL);
  onnxc_rt_shape_text(got, sizeof got, after->dtype, after->rank, after->dims,
                      NULL);
  return onnxc_rt_set_error(context, ONNXC_RUNTIME_ERROR,
                            "state '%s': it is %s, and the run's output '%s' "
                            "is %s",
                            info->value.name, expected, info->output, got);
}

/* Whether it may leave the values of all. */
static onnxc_status check_states(onnxc_rt_context *context) {
  int32_t i;
  for (i = 0; i < context->face.model->num_states; ++i)
    if (check_state(context, i) != ONNXC_OK)
      break;
  return (onnxc_status)context->status;
}

/* Puts back what a run that failed has overwritten, the last of it first. */
static void restore_state(onnxc_rt_context *context, int32_t state) {
  onnxc_rt_state *of = &context->states[state];
  const onnxc_rt_place *places = places_of(context, state);
  while (of->last_kept >= 0) {
    char *entry = (char *)places[1 - of->place].data + of->last_kept;
    const onnxc_rt_overwritten *header = (const onnxc_rt_overwritten *)entry;
    char *to = (char *)places[of->place].data + header->offset;
    uint64_t i;
    entry += sizeof *header;
    for (i = 0; i < header->count; ++i)
      memcpy(to + i * header->pitch, entry + i * header->bytes, header->bytes);
    of->last_kept = header->previous;
  }
}

/* Gives back what appended states lay in before the run moved them; after a
   failure, where it has written rows of theirs. */
static void release_spares(onnxc_rt_context *context) {
  int32_t i;
  for (i = 0; i < context->face.model->num_states; ++i) {
    onnxc_rt_state *of = &context->states[i];
    onnxc_rt_place *spare;
    if (context->status != ONNXC_OK)
      restore_state(context, i);
    if (!is_appended(context, i))
      continue;
    if (of->is_rewritten && context->status != ONNXC_OK) {
      of->place = 1 - of->place;
      of->capacity = of->capacity_before;
    }
    of->is_rewritten = 0;
    spare = &places_of(context, i)[1 - of->place];
    if (!spare->data)
      continue;
    onnxc_rt_release(context, spare->data, spare->bytes);
    spare->data = NULL;
    spare->bytes = 0;
  }
}

/* The run's results are the states from now on. */
static void commit_states(onnxc_rt_context *context) {
  const onnxc_model *model = context->face.model;
  int32_t i;
  for (i = 0; i < model->num_states; ++i) {
    const onnxc_tensor *after = &context->results[model->num_outputs + i];
    onnxc_rt_state *of = &context->states[i];
    if (!is_appended(context, i)) {
      of->place = after->data == places_of(context, i)[1].data;
      of->capacity = count_rows(&model->states[i], after->dims);
    }
    memcpy(of->dims, after->dims, sizeof of->dims);
    of->is_set = 1;
  }
}

onnxc_status onnxc_rt_run_states(onnxc_context *face,
                                 const onnxc_tensor *inputs, int32_t num_inputs,
                                 onnxc_tensor *outputs, int32_t num_outputs) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model;
  int overrides;
  int32_t count;

  if (!context)
    return ONNXC_INVALID_ARGUMENT;
  model = face->model;
  onnxc_rt_begin_call(context);
  if (onnxc_rt_check_call(context, inputs, num_inputs, outputs, num_outputs) !=
      ONNXC_OK)
    return (onnxc_status)context->status;
  overrides = onnxc_rt_is_overriding(model, inputs, num_inputs);
  onnxc_rt_complete_inputs(context, inputs, num_inputs);
  count = model->num_inputs + model->num_states +
          (overrides ? model->num_overridable : 0);
  /* Sizes of states come from inputs that are as the model says. */
  if (onnxc_rt_check_inputs(context, context->inputs, 0, model->num_inputs) !=
          ONNXC_OK ||
      bind_states(context) != ONNXC_OK ||
      onnxc_rt_check_inputs(context, context->inputs, model->num_inputs,
                            count) != ONNXC_OK ||
      onnxc_rt_check_outputs(context, context->inputs, count, outputs) !=
          ONNXC_OK)
    return (onnxc_status)context->status;
  if (num_outputs)
    memcpy(context->results, outputs, (size_t)num_outputs * sizeof *outputs);
  onnxc_rt_execute(context, overrides ? model->overridden_entry : model->entry,
                   context->inputs, context->results);
  /* Before a state is given up that a failure would leave as it was. */
  if (context->status == ONNXC_OK)
    check_states(context);
  release_spares(context);
  /* After a failure, too: what is needed stands in them. */
  if (num_outputs)
    memcpy(outputs, context->results, (size_t)num_outputs * sizeof *outputs);
  if (context->status == ONNXC_OK)
    commit_states(context);
  return (onnxc_status)context->status;
}

/* Copies the rows of a state to memory for `capacity` of them. The run may read
   them where they were. */
static int move_rows(onnxc_rt_context *context, int32_t state,
                     const onnxc_tensor *argument, int64_t capacity) {
  const onnxc_state_info *info = info_of(context, state);
  onnxc_rt_state *of = &context->states[state];
  onnxc_rt_place *places = places_of(context, state),
                 *from = &places[of->place], *to = &places[1 - of->place];
  uint64_t bytes = bytes_with(info, argument->dims, capacity);
  if (bytes == UINT64_MAX || !onnxc_rt_make_room(context, to, bytes))
    return 0;
  copy_rows(info, argument->dims, to->data, capacity, from->data, of->capacity);
  of->place = 1 - of->place;
  of->capacity_before = of->capacity;
  of->capacity = capacity;
  return 1;
}

void *onnxc_rt_state_append(onnxc_context *face, int32_t state, int64_t rows,
                            int64_t first) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model = face->model;
  const onnxc_state_info *info = &model->states[state];
  const onnxc_tensor *argument = &context->inputs[model->num_inputs + state];
  onnxc_tensor *result = &context->results[model->num_outputs + state];
  onnxc_rt_state *of = &context->states[state];
  int64_t length = argument->dims[info->axis], most = context->state_capacity;
  int rewrites = first < length;
  if (rows < -length || rows > (most ? most : INT64_MAX / 2) - length) {
    onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                       "state '%s': the run makes it longer than its capacity "
                       "of %lld",
                       info->value.name, (long long)most);
    return NULL;
  }
  length += rows;
  /* Of a state without a value there is nothing to move. */
  if (!of->is_set)
    of->capacity = 0;
  if (length > of->capacity || rewrites ||
      !places_of(context, state)[of->place].data) {
    int64_t wanted = most;
    if (!most)
      wanted = length > of->capacity ? 2 * of->capacity : of->capacity;
    if (wanted < length)
      wanted = length;
    if (!move_rows(context, state, argument, wanted)) {
      onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                         "state '%s': no memory for a length of %lld",
                         info->value.name, (long long)wanted);
      return NULL;
    }
    of->is_rewritten = rewrites;
  }
  result->dims[info->axis] = length;
  result->data = places_of(context, state)[of->place].data;
  return result->data;
}

int64_t onnxc_rt_state_capacity(onnxc_context *face, int32_t state) {
  return ((onnxc_rt_context *)face)->states[state].capacity;
}

/* Room for `bytes` more behind what is kept of a state, which may move. */
static void *keep_bytes(onnxc_rt_context *context, int32_t state,
                        uint64_t bytes) {
  onnxc_rt_state *of = &context->states[state];
  onnxc_rt_place *other = &places_of(context, state)[1 - of->place];
  onnxc_rt_place larger = {0};
  uint64_t needed = of->kept + bytes;
  if (!other->data || other->bytes < needed) {
    if (!onnxc_rt_make_room(context, &larger, 2 * needed))
      return NULL;
    if (of->kept)
      memcpy(larger.data, other->data, (size_t)of->kept);
    onnxc_rt_release(context, other->data, other->bytes);
    other->data = larger.data;
    other->bytes = larger.bytes;
  }
  return (char *)other->data + of->kept;
}

/* Whether `count` from `first` on are all below `size`. */
static int is_inside(int64_t first, int64_t count, int64_t size) {
  return first >= 0 && count >= 0 && count <= size && first <= size - count;
}

onnxc_status onnxc_rt_state_overwrite(onnxc_context *face, int32_t state,
                                      int32_t axis, int64_t sample,
                                      int64_t samples, int64_t first,
                                      int64_t rows) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_tensor *argument =
      &context->inputs[face->model->num_inputs + state];
  const int64_t *dims = argument->dims;
  onnxc_rt_state *of = &context->states[state];
  onnxc_rt_overwritten header;
  uint64_t row = onnxc_dtype_size(argument->dtype), pieces = 1, all, i;
  char *entry;
  const char *from;
  if (axis < 0 || axis >= argument->rank ||
      !is_inside(first, rows, dims[axis]) ||
      (axis && !is_inside(sample, samples, dims[0]))) {
    char expected[256], of_samples[80] = "";
    onnxc_rt_shape_text(expected, sizeof expected, argument->dtype,
                        argument->rank, dims, NULL);
    if (axis)
      snprintf(of_samples, sizeof of_samples,
               ", %lld from %lld on in dimension 0", (long long)samples,
               (long long)sample);
    return onnxc_rt_set_error(
        context, ONNXC_RUNTIME_ERROR,
        "state '%s': expected a part of %s, the run writes %lld from %lld on "
        "in dimension %d%s",
        info_of(context, state)->value.name, expected, (long long)rows,
        (long long)first, (int)axis, of_samples);
  }
  for (i = (uint64_t)axis + 1; i < (uint64_t)argument->rank; ++i)
    row *= (uint64_t)dims[i];
  for (i = 1; i < (uint64_t)axis; ++i)
    pieces *= (uint64_t)dims[i];
  header.pitch = (uint64_t)dims[axis] * row;
  header.count = axis ? (uint64_t)samples * pieces : 1;
  header.bytes = (uint64_t)rows * row;
  header.offset = (axis ? (uint64_t)sample * pieces * header.pitch : 0) +
                  (uint64_t)first * row;
  header.previous = of->last_kept;
  if (header.count == 0 || header.bytes == 0)
    return ONNXC_OK;
  /* So that the next header is aligned. */
  all = sizeof header + ((header.count * header.bytes + 7) & ~(uint64_t)7);
  entry = (char *)keep_bytes(context, state, all);
  if (!entry)
    return onnxc_rt_set_error(
        context, ONNXC_OUT_OF_MEMORY,
        "state '%s': no memory for what the run overwrites",
        info_of(context, state)->value.name);
  of->last_kept = (int64_t)of->kept;
  of->kept += all;
  memcpy(entry, &header, sizeof header);
  entry += sizeof header;
  from = (const char *)argument->data + header.offset;
  for (i = 0; i < header.count; ++i)
    memcpy(entry + i * header.bytes, from + i * header.pitch, header.bytes);
  return ONNXC_OK;
}

/*===----------------------------------------------------------------------===*\
|* What the caller asks of states                                             *|
\*===----------------------------------------------------------------------===*/

onnxc_status onnxc_rt_reset(onnxc_context *face) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  int32_t i;
  onnxc_rt_begin_call(context);
  for (i = 0; i < face->model->num_states; ++i)
    context->states[i].is_set = 0;
  return ONNXC_OK;
}

int64_t onnxc_rt_state_length(const onnxc_context *face) {
  const onnxc_rt_context *context = (const onnxc_rt_context *)face;
  const onnxc_model *model = face->model;
  int64_t longest = 0;
  int32_t i;
  for (i = 0; i < model->num_states; ++i) {
    const onnxc_rt_state *of = &context->states[i];
    int32_t axis = model->states[i].axis;
    if (axis >= 0 && of->is_set && of->dims[axis] > longest)
      longest = of->dims[axis];
  }
  return longest;
}

static onnxc_status check_number(onnxc_rt_context *context, int32_t state) {
  int32_t count = context->face.model->num_states;
  onnxc_rt_begin_call(context);
  if (state >= 0 && state < count)
    return ONNXC_OK;
  return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                            "the model has %d states, the call is about number "
                            "%d",
                            (int)count, (int)state);
}

onnxc_status onnxc_rt_state_get(onnxc_context *face, int32_t state,
                                onnxc_tensor *tensor) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_tensor value;
  void *data;
  uint64_t bytes;
  if (check_number(context, state) != ONNXC_OK)
    return (onnxc_status)context->status;
  if (!tensor)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the tensor for a state is NULL");
  value = onnxc_rt_state_tensor(context, state);
  data = tensor->data;
  bytes = tensor->bytes;
  *tensor = value;
  tensor->data = data;
  if (!data)
    return ONNXC_OK;
  if (bytes < value.bytes)
    return onnxc_rt_set_error(context, ONNXC_BUFFER_TOO_SMALL,
                              "state '%s': expected a buffer of %llu bytes, "
                              "got %llu",
                              info_of(context, state)->value.name,
                              (unsigned long long)value.bytes,
                              (unsigned long long)bytes);
  onnxc_rt_copy_state(context, state, data);
  return ONNXC_OK;
}

onnxc_status onnxc_rt_state_set(onnxc_context *face, int32_t state,
                                const onnxc_tensor *tensor) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_tensor value;
  const char *name;
  if (check_number(context, state) != ONNXC_OK)
    return (onnxc_status)context->status;
  name = info_of(context, state)->value.name;
  if (!tensor)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the tensor for state '%s' is NULL", name);
  if (onnxc_rt_check_state(context, state, tensor->dtype, tensor->rank,
                           tensor->dims) != ONNXC_OK)
    return (onnxc_status)context->status;
  value = *tensor;
  value.bytes = onnxc_tensor_bytes(tensor);
  if (value.bytes == UINT64_MAX || tensor->bytes < value.bytes ||
      (value.bytes && !value.data))
    return onnxc_rt_set_error(
        context, ONNXC_INVALID_INPUT,
        "state '%s': expected %llu bytes of data, got "
        "%llu",
        name, (unsigned long long)value.bytes,
        (unsigned long long)(value.data ? tensor->bytes : 0));
  if (onnxc_rt_reserve_state(context, state, &value) != ONNXC_OK)
    return (onnxc_status)context->status;
  onnxc_rt_replace_state(context, state, &value);
  return ONNXC_OK;
}

/* The name of the dimension that grows, "" for none. */
static const char *symbol_of(const onnxc_state_info *info) {
  return info->axis < 0 ? "" : info->value.symbols[info->axis];
}

/* Whether a call that names state `named` cuts off state number `state`. */
static int is_cut(const onnxc_rt_context *context, int32_t state,
                  int32_t named) {
  const char *symbol;
  if (named < 0 || state == named)
    return 1;
  symbol = symbol_of(info_of(context, named));
  return *symbol && strcmp(symbol, symbol_of(info_of(context, state))) == 0;
}

static onnxc_status check_cut(onnxc_rt_context *context, int32_t state,
                              int64_t length) {
  const onnxc_state_info *info = info_of(context, state);
  int64_t own = 0;
  if (info->axis < 0)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "state '%s' does not grow: it cannot go back",
                              info->value.name);
  if (context->states[state].is_set)
    own = context->states[state].dims[info->axis];
  if (length < 0 || length > own)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "state '%s': expected a length from 0 to %lld, "
                              "got %lld",
                              info->value.name, (long long)own,
                              (long long)length);
  return ONNXC_OK;
}

static void cut_state(onnxc_rt_context *context, int32_t state,
                      int64_t length) {
  const onnxc_state_info *info = info_of(context, state);
  onnxc_rt_state *of = &context->states[state];
  void *data = places_of(context, state)[of->place].data;
  if (!of->is_set)
    return;
  of->dims[info->axis] = length;
  if (is_appended(context, state))
    return;
  copy_rows(info, of->dims, data, length, data, of->capacity);
  of->capacity = length;
}

onnxc_status onnxc_rt_state_truncate(onnxc_context *face, int32_t state,
                                     int64_t length) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model = face->model;
  int32_t i;
  if (check_number(context, state < 0 ? 0 : state) != ONNXC_OK)
    return (onnxc_status)context->status;
  for (i = 0; i < model->num_states; ++i)
    if (is_cut(context, i, state) && check_cut(context, i, length) != ONNXC_OK)
      return (onnxc_status)context->status;
  for (i = 0; i < model->num_states; ++i)
    if (is_cut(context, i, state))
      cut_state(context, i, length);
  return ONNXC_OK;
}

/* Not all of what a fork takes is copied: of blocks that both read, only those
   that one of them writes would have to be. That needs code that reads a state
   block by block (docs/decisions/033-states.md). */
onnxc_status onnxc_rt_state_fork(onnxc_context *face, onnxc_context **other) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_context *copy = NULL;
  onnxc_rt_context *to;
  int32_t i;
  onnxc_rt_begin_call(context);
  if (onnxc_rt_create_level(face->model, &context->options, &copy) != ONNXC_OK)
    return onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                              "no memory for another context");
  to = (onnxc_rt_context *)copy;
  to->state_capacity = context->state_capacity;
  for (i = 0; i < face->model->num_states; ++i) {
    onnxc_tensor value = onnxc_rt_state_tensor(context, i);
    onnxc_rt_state *of = &to->states[i];
    if (!context->states[i].is_set)
      continue;
    if (onnxc_rt_reserve_state(to, i, &value) != ONNXC_OK) {
      onnxc_rt_destroy(copy);
      return onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                                "no memory for another context's states");
    }
    *of = context->states[i];
    of->place = 1;
    of->capacity = capacity_for(to, i, of->dims);
    copy_rows(info_of(context, i), of->dims, places_of(to, i)[1].data,
              of->capacity, value.data, context->states[i].capacity);
  }
  *other = copy;
  return ONNXC_OK;
}
