/*===- Output.c - Memory of outputs -------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Results go straight into the caller's buffer where there is one.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

int onnxc_rt_make_room(onnxc_rt_context *context, onnxc_rt_place *place,
                       uint64_t bytes) {
  void *data;
  if (place->data && place->bytes >= bytes)
    return 1;
  data = bytes <= SIZE_MAX ? onnxc_rt_allocate(context, (size_t)bytes) : NULL;
  if (!data)
    return 0;
  onnxc_rt_release(context, place->data, place->bytes);
  place->data = data;
  place->bytes = (size_t)bytes;
  return 1;
}

/* A place of the output that no input lies in, of at least `bytes` bytes. What
   is there from an earlier run is reused if it fits, else given back first: the
   two need not be there at a time. */
void *onnxc_rt_output_memory(onnxc_rt_context *context, int32_t index,
                             uint64_t bytes) {
  const onnxc_model *model = context->face.model;
  onnxc_rt_output_state *state = &context->outputs[index];
  onnxc_rt_place *place = &state->places[state->places[0].in_use ? 1 : 0];
  if (place->data && place->bytes >= bytes)
    return place->data;
  onnxc_rt_release(context, place->data, place->bytes);
  place->data = NULL;
  place->bytes = 0;
  if (onnxc_rt_is_state_result(model, index) &&
      context->states[index - model->num_outputs].room > bytes)
    bytes = context->states[index - model->num_outputs].room;
  if (!onnxc_rt_make_room(context, place, bytes))
    onnxc_rt_set_error(
        context, ONNXC_OUT_OF_MEMORY, "output '%s': no memory for %llu bytes",
        onnxc_rt_result_name(model, index), (unsigned long long)bytes);
  return place->data;
}

/* A state that is longer than it may become. */
static int exceeds_capacity(const onnxc_rt_context *context, int32_t index,
                            const int64_t *dims) {
  const onnxc_model *model = context->face.model;
  int32_t axis;
  if (!onnxc_rt_is_state_result(model, index) || !context->state_capacity)
    return 0;
  axis = model->states[index - model->num_outputs].axis;
  return axis >= 0 && dims[axis] > context->state_capacity;
}

onnxc_rt_place *onnxc_rt_texts_place(onnxc_rt_context *context, int32_t index) {
  onnxc_rt_output_state *state = &context->outputs[index];
  return &state->texts[state->places[0].in_use ? 1 : 0];
}

void *onnxc_rt_output(onnxc_context *face, onnxc_tensor *outputs, int32_t index,
                      int32_t rank, const int64_t *dims) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_value_info *info = onnxc_rt_result_info(face->model, index);
  const char *name = onnxc_rt_result_name(face->model, index);
  onnxc_tensor *output = &outputs[index];
  uint64_t bytes;
  int32_t i;

  output->dtype = info->dtype;
  output->rank = rank;
  if (rank < 0 || rank > ONNXC_MAX_RANK) {
    onnxc_rt_set_error(context, ONNXC_RUNTIME_ERROR,
                       "output '%s': rank %d cannot cross the interface, the "
                       "largest is %d",
                       name, (int)rank, ONNXC_MAX_RANK);
    return NULL;
  }
  for (i = 0; i < ONNXC_MAX_RANK; ++i)
    output->dims[i] = i < rank ? dims[i] : 0;
  bytes = onnxc_tensor_bytes(output);
  if (bytes == UINT64_MAX) {
    char shape[256];
    onnxc_rt_shape_text(shape, sizeof shape, info->dtype, rank, dims, NULL);
    onnxc_rt_set_error(context, ONNXC_RUNTIME_ERROR,
                       "output '%s': %s is not a valid shape", name, shape);
    return NULL;
  }
  if (exceeds_capacity(context, index, dims)) {
    onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                       "state '%s': the run makes it longer than its capacity "
                       "of %lld",
                       info->name, (long long)context->state_capacity);
    return NULL;
  }
  if (context->outputs[index].owned) {
    output->data = onnxc_rt_output_memory(context, index, bytes);
    output->bytes = bytes;
    return output->data;
  }
  if (output->bytes < bytes) {
    onnxc_rt_set_error(context, ONNXC_BUFFER_TOO_SMALL,
                       "output '%s': expected a buffer of %llu bytes, got %llu",
                       name, (unsigned long long)bytes,
                       (unsigned long long)output->bytes);
    return NULL;
  }
  return output->data;
}
