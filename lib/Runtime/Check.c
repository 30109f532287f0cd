/*===- Check.c - Checks of a call before anything runs ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Generated code trusts what is checked here: a wrong rank or size would make*|
|* it read outside of the caller's memory.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

enum { shape_text_size = 256 };

/* Two buffers share bytes. */
static int overlap(const void *a, uint64_t a_bytes, const void *b,
                   uint64_t b_bytes) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (!a || !b || !a_bytes || !b_bytes)
    return 0;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/* Generated code loads and stores with the alignment of the element type. */
static int misaligned(const void *data, int32_t dtype) {
  size_t alignment = onnxc_dtype_size(dtype);
  return alignment && ((uintptr_t)data & (alignment - 1)) != 0;
}

/* What an argument of the entry is called in an error. */
static const char *word_of(const onnxc_rt_context *context, int32_t index) {
  return onnxc_rt_is_state_argument(context->face.model, index) ? "state"
                                                                : "input";
}

static onnxc_status shape_error(onnxc_rt_context *context,
                                const onnxc_value_info *info,
                                const onnxc_tensor *tensor) {
  char expected[shape_text_size], got[shape_text_size];
  onnxc_rt_shape_text(expected, sizeof expected, info->dtype, info->rank,
                      info->dims, info->symbols);
  onnxc_rt_shape_text(got, sizeof got, tensor->dtype, tensor->rank,
                      tensor->dims, NULL);
  return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                            "input '%s': expected %s, got %s", info->name,
                            expected, got);
}

/* Dimensions of one name have one size in a call: looks for an earlier one. */
static onnxc_status check_symbol(onnxc_rt_context *context,
                                 const onnxc_tensor *inputs, int32_t index,
                                 int32_t axis) {
  const onnxc_model *model = context->face.model;
  const onnxc_value_info *own = onnxc_rt_argument_info(model, index);
  const char *symbol = own->symbols[axis];
  int32_t i, k;
  if (!*symbol)
    return ONNXC_OK;
  for (i = 0; i <= index; ++i) {
    const onnxc_value_info *info = onnxc_rt_argument_info(model, i);
    for (k = 0; k < info->rank; ++k) {
      if (i == index && k == axis)
        return ONNXC_OK;
      if (strcmp(symbol, info->symbols[k]) != 0)
        continue;
      if (inputs[i].dims[k] == inputs[index].dims[axis])
        return ONNXC_OK;
      return onnxc_rt_set_error(
          context, ONNXC_INVALID_INPUT,
          "%s '%s': expected dimension %d ('%s') to be %lld as in %s '%s', got "
          "%lld%s",
          word_of(context, index), own->name, (int)axis, symbol,
          (long long)inputs[i].dims[k], word_of(context, i), info->name,
          (long long)inputs[index].dims[axis],
          onnxc_rt_is_state_argument(model, index) ? ", which a reset gives up"
                                                   : "");
    }
  }
  return ONNXC_OK;
}

static onnxc_status check_input(onnxc_rt_context *context,
                                const onnxc_tensor *inputs, int32_t index) {
  const onnxc_value_info *info =
      onnxc_rt_argument_info(context->face.model, index);
  const onnxc_tensor *input = &inputs[index];
  uint64_t bytes;
  int32_t axis;

  if (info->rank < 0)
    return onnxc_rt_check_value(context, info, input);
  if (input->dtype != info->dtype || input->rank != info->rank)
    return shape_error(context, info, input);
  for (axis = 0; axis < info->rank; ++axis)
    if (input->dims[axis] < 0 ||
        (info->dims[axis] >= 0 && input->dims[axis] != info->dims[axis]))
      return shape_error(context, info, input);
  for (axis = 0; axis < info->rank; ++axis)
    if (check_symbol(context, inputs, index, axis) != ONNXC_OK)
      return (onnxc_status)context->status;

  bytes = onnxc_tensor_bytes(input);
  if (bytes == UINT64_MAX)
    return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                              "input '%s': the product of its dimensions is "
                              "too large",
                              info->name);
  if (input->bytes < bytes)
    return onnxc_rt_set_error(
        context, ONNXC_INVALID_INPUT,
        "input '%s': expected a buffer of %llu bytes, got %llu", info->name,
        (unsigned long long)bytes, (unsigned long long)input->bytes);
  if (!input->data && bytes)
    return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                              "input '%s': expected %llu bytes of data, got "
                              "NULL",
                              info->name, (unsigned long long)bytes);
  if (!onnxc_rt_has_texts(input))
    return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                              "input '%s': expected strings, got NULL",
                              info->name);
  if (misaligned(input->data, input->dtype))
    return onnxc_rt_set_error(context, ONNXC_INVALID_INPUT,
                              "input '%s': expected data aligned to its "
                              "element type %s, got %p",
                              info->name, onnxc_dtype_name(input->dtype),
                              input->data);
  return ONNXC_OK;
}

onnxc_status onnxc_rt_check_inputs(onnxc_rt_context *context,
                                   const onnxc_tensor *inputs, int32_t begin,
                                   int32_t end) {
  int32_t i;
  for (i = begin; i < end; ++i)
    if (check_input(context, inputs, i) != ONNXC_OK)
      return (onnxc_status)context->status;
  return ONNXC_OK;
}

/* The memory of an earlier output comes back as output: the context's. */
static int belongs_to_context(const onnxc_rt_context *context,
                              const void *data) {
  int32_t i;
  for (i = 0; i < context->face.model->num_outputs; ++i)
    if (data == context->outputs[i].places[0].data ||
        data == context->outputs[i].places[1].data)
      return 1;
  return 0;
}

/* Finds out which of the context's places this run's inputs lie in. */
static void mark_places(onnxc_rt_context *context, const onnxc_tensor *inputs,
                        int32_t num_inputs) {
  int32_t i, k;
  int place;
  for (i = 0;
       i < context->face.model->num_outputs + context->face.model->num_states;
       ++i) {
    for (place = 0; place < 2; ++place) {
      onnxc_rt_place *p = &context->outputs[i].places[place];
      p->in_use = 0;
      for (k = 0; k < num_inputs; ++k)
        if (overlap(p->data, p->bytes, inputs[k].data, inputs[k].bytes))
          p->in_use = 1;
    }
  }
}

/* What a run reads at an input's data; of a sequence or a map, their parts. */
static uint64_t read_bytes(const onnxc_tensor *input) {
  return onnxc_dtype_size(input->dtype) ? onnxc_tensor_bytes(input)
                                        : input->bytes;
}

static onnxc_status check_output(onnxc_rt_context *context,
                                 const onnxc_tensor *inputs, int32_t num_inputs,
                                 onnxc_tensor *outputs, int32_t index) {
  const onnxc_model *model = context->face.model;
  const onnxc_value_info *info = &model->outputs[index];
  onnxc_rt_output_state *state = &context->outputs[index];
  onnxc_tensor *output = &outputs[index];
  int32_t i;

  state->owned = !output->data || belongs_to_context(context, output->data);
  if (state->owned) {
    if (state->places[0].in_use && state->places[1].in_use)
      return onnxc_rt_set_error(
          context, ONNXC_INVALID_ARGUMENT,
          "output '%s': an input lies in memory of an earlier run than the "
          "last",
          info->name);
    return ONNXC_OK;
  }
  if (output->dtype != ONNXC_UNDEFINED && output->dtype != info->dtype)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "output '%s': expected a buffer of %s, got %s",
                              info->name, onnxc_dtype_name(info->dtype),
                              onnxc_dtype_name(output->dtype));
  if (misaligned(output->data, info->dtype))
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "output '%s': expected a buffer aligned to its "
                              "element type %s, got %p",
                              info->name, onnxc_dtype_name(info->dtype),
                              output->data);
  for (i = 0; i < num_inputs; ++i)
    if (overlap(output->data, output->bytes, inputs[i].data,
                read_bytes(&inputs[i])))
      return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                                "output '%s': its buffer overlaps %s '%s'",
                                info->name, word_of(context, i),
                                onnxc_rt_argument_info(model, i)->name);
  for (i = 0; i < index; ++i)
    if (!context->outputs[i].owned &&
        overlap(output->data, output->bytes, outputs[i].data, outputs[i].bytes))
      return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                                "output '%s': its buffer overlaps output '%s'",
                                info->name, model->outputs[i].name);
  return ONNXC_OK;
}

onnxc_status onnxc_rt_check_outputs(onnxc_rt_context *context,
                                    const onnxc_tensor *inputs,
                                    int32_t num_inputs, onnxc_tensor *outputs) {
  int32_t i;
  mark_places(context, inputs, num_inputs);
  for (i = 0; i < context->face.model->num_outputs; ++i)
    if (check_output(context, inputs, num_inputs, outputs, i) != ONNXC_OK)
      return (onnxc_status)context->status;
  for (i = 0; i < context->face.model->num_states; ++i)
    context->outputs[context->face.model->num_outputs + i].owned = 1;
  return ONNXC_OK;
}
