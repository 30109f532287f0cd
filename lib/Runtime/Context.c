/*===- Context.c - The life of a context --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One allocation holds the context and the state of its outputs; the         *|
|* workspace is a second one. Nothing is shared between contexts.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

/* Everything of a context is laid out in these steps. */
static size_t round_up(size_t bytes) {
  return (bytes + ONNXC_RT_ALIGNMENT - 1) & ~(size_t)(ONNXC_RT_ALIGNMENT - 1);
}

static void *libc_allocate(void *user, size_t bytes, size_t alignment) {
  (void)user;
  return onnxc_sys_allocate(bytes, alignment);
}

static void libc_release(void *user, void *memory, size_t bytes) {
  (void)user;
  (void)bytes;
  onnxc_sys_release(memory);
}

static const onnxc_options default_options = {
    NULL, libc_allocate, libc_release, NULL, NULL, 0, 0, NULL, 0};

/* Sizes are multiples of the alignment, as aligned_alloc wants them. */
void *onnxc_rt_allocate(onnxc_rt_context *context, size_t bytes) {
  if (bytes > (size_t)PTRDIFF_MAX - ONNXC_RT_ALIGNMENT)
    return NULL;
  return context->options.allocate(
      context->options.user, round_up(bytes ? bytes : 1), ONNXC_RT_ALIGNMENT);
}

void onnxc_rt_release(onnxc_rt_context *context, void *memory, size_t bytes) {
  if (memory)
    context->options.release(context->options.user, memory,
                             round_up(bytes ? bytes : 1));
}

static onnxc_status refuse(const onnxc_options *options, onnxc_status status,
                           const char *format, const char *argument) {
  if (options && options->message && options->message_size)
    snprintf(options->message, options->message_size, format, argument);
  return status;
}

/* The level of the model to run: the one of that name, or, with NULL, the last
   one that this processor has. A model of one level is that level itself. NULL:
   there is none, and options->message says why. */
static const onnxc_model *pick_level(const onnxc_model *model, const char *name,
                                     const onnxc_options *options,
                                     onnxc_status *status) {
  const onnxc_model *const alone[] = {model, NULL};
  const onnxc_model *const *level = model->levels ? model->levels : alone;
  const onnxc_model *picked = NULL;
  const char *missing, *first_missing = NULL;

  for (; *level; ++level) {
    if (name && strcmp(name, (*level)->target_cpu) != 0)
      continue;
    missing = onnxc_rt_missing_feature((*level)->cpu_features);
    if (!missing)
      picked = *level;
    else if (!first_missing)
      first_missing = missing;
  }
  if (picked)
    return picked;
  if (first_missing) {
    *status =
        refuse(options, ONNXC_UNSUPPORTED_CPU,
               "this processor lacks '%s', which the model was compiled for",
               first_missing);
  } else {
    *status = ONNXC_INVALID_ARGUMENT;
    if (options && options->message && options->message_size)
      snprintf(options->message, options->message_size,
               "the model has no code for the level '%s', it has %s", name,
               model->target_cpu);
  }
  return NULL;
}

/* The arena, and behind it what each thread has for itself. */
static int make_workspace(onnxc_rt_context *context) {
  const onnxc_model *model = context->face.model;
  uint64_t arena = model->workspace_bytes, scratch = model->scratch_bytes;
  uint64_t threads = scratch ? (uint64_t)onnxc_rt_thread_count(context) : 0;
  if (!arena && !scratch)
    return 1;
  if (arena > PTRDIFF_MAX / 2 ||
      (threads && scratch > PTRDIFF_MAX / 2 / threads))
    return 0;
  arena = round_up((size_t)arena);
  context->workspace_bytes = (size_t)(arena + threads * scratch);
  context->workspace = onnxc_rt_allocate(context, context->workspace_bytes);
  context->scratch = (char *)context->workspace + arena;
  return context->workspace != NULL;
}

onnxc_status onnxc_rt_create(const onnxc_model *model,
                             const onnxc_options *options,
                             onnxc_context **result) {
  onnxc_options chosen = options ? *options : default_options;
  onnxc_status status = ONNXC_OK;
  const char *level;

  if (!result)
    return ONNXC_INVALID_ARGUMENT;
  *result = NULL;
  if (!model)
    return ONNXC_INVALID_ARGUMENT;
  if (!chosen.allocate != !chosen.release)
    return refuse(options, ONNXC_INVALID_ARGUMENT,
                  "options: allocate and release must be given together%s", "");
  if (!chosen.allocate) {
    chosen.allocate = libc_allocate;
    chosen.release = libc_release;
  }
  if (chosen.threads < 0)
    return refuse(options, ONNXC_INVALID_ARGUMENT,
                  "options: threads must be 0 (the default) or more%s", "");
  if (chosen.state_capacity < 0)
    return refuse(options, ONNXC_INVALID_ARGUMENT,
                  "options: state_capacity must be 0 (the default) or more%s",
                  "");
  level = chosen.cpu_level;
  if (!level)
    level = getenv("ONNXC_CPU_LEVEL");
  model = pick_level(model, level && *level ? level : NULL, options, &status);
  return model ? onnxc_rt_create_level(model, &chosen, result) : status;
}

onnxc_status onnxc_rt_create_level(const onnxc_model *model,
                                   const onnxc_options *options,
                                   onnxc_context **result) {
  const size_t states = (size_t)model->num_states,
               results = (size_t)model->num_outputs + states,
               arguments = (size_t)model->num_inputs + states +
                           (size_t)model->num_overridable;
  const int completes = model->num_overridable || model->num_states;
  const size_t outputs_offset = round_up(sizeof(onnxc_rt_context));
  const size_t inputs_offset =
      round_up(outputs_offset + results * sizeof(onnxc_rt_output_state));
  const size_t results_offset = round_up(
      inputs_offset + (completes ? arguments * sizeof(onnxc_tensor) : 0));
  const size_t states_offset =
      round_up(results_offset + (states ? results * sizeof(onnxc_tensor) : 0));
  const size_t bytes =
      round_up(states_offset + states * sizeof(onnxc_rt_state));
  onnxc_rt_context *context =
      options->allocate(options->user, bytes, ONNXC_RT_ALIGNMENT);
  char *memory = (char *)context;
  if (!context)
    return refuse(options, ONNXC_OUT_OF_MEMORY, "no memory for the context%s",
                  "");
  memset(context, 0, bytes);
  context->face.model = model;
  context->options = *options;
  /* The caller's buffer for messages serves this call only. */
  context->options.message = NULL;
  context->options.message_size = 0;
  context->bytes = bytes;
  context->outputs = (onnxc_rt_output_state *)(void *)(memory + outputs_offset);
  if (completes)
    context->inputs = (onnxc_tensor *)(void *)(memory + inputs_offset);
  if (states) {
    context->results = (onnxc_tensor *)(void *)(memory + results_offset);
    context->states = (onnxc_rt_state *)(void *)(memory + states_offset);
    context->state_capacity = options->state_capacity ? options->state_capacity
                                                      : model->state_capacity;
  }
  /* Without a workspace, its base still has to be an aligned address. */
  context->workspace = context->scratch = context;
  if (!make_workspace(context)) {
    options->release(options->user, context, bytes);
    return refuse(options, ONNXC_OUT_OF_MEMORY,
                  "no memory for the model's workspace%s", "");
  }
  onnxc_rt_map_weights(model);
  *result = &context->face;
  return ONNXC_OK;
}

/* From the options of an older version, which are `bytes` bytes long. */
static onnxc_status create_from(const onnxc_model *model,
                                const onnxc_options *options, size_t bytes,
                                onnxc_context **result) {
  onnxc_options all = default_options;
  if (options)
    memcpy(&all, options, bytes);
  return onnxc_rt_create(model, &all, result);
}

onnxc_status onnxc_rt_create_1(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **result) {
  return create_from(model, options, offsetof(onnxc_options, threads), result);
}

onnxc_status onnxc_rt_create_3(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **result) {
  return create_from(model, options, offsetof(onnxc_options, cpu_level),
                     result);
}

onnxc_status onnxc_rt_create_4(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **result) {
  return create_from(model, options, offsetof(onnxc_options, state_capacity),
                     result);
}

void onnxc_rt_destroy(onnxc_context *face) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model;
  int32_t i;
  int place;

  if (!context)
    return;
  model = face->model;
  if (context->team)
    context->end_team(context);
  onnxc_rt_pool_destroy(context);
  onnxc_rt_release(context, context->events.log,
                   (size_t)context->events.capacity *
                       sizeof *context->events.log);
  for (i = 0; i < model->num_outputs + model->num_states; ++i)
    for (place = 0; place < 2; ++place) {
      onnxc_rt_output_state *state = &context->outputs[i];
      onnxc_rt_release(context, state->places[place].data,
                       state->places[place].bytes);
      onnxc_rt_release(context, state->texts[place].data,
                       state->texts[place].bytes);
    }
  if (context->workspace_bytes)
    onnxc_rt_release(context, context->workspace, context->workspace_bytes);
  context->options.release(context->options.user, context, context->bytes);
}

/* A wrong number of inputs in words. */
static onnxc_status refuse_count(onnxc_rt_context *context,
                                 int32_t num_inputs) {
  const onnxc_model *model = context->face.model;
  if (!model->num_overridable)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the model has %d inputs, the call gives %d",
                              (int)model->num_inputs, (int)num_inputs);
  return onnxc_rt_set_error(
      context, ONNXC_INVALID_ARGUMENT,
      "the model has %d inputs and %d more with default values, the call gives "
      "%d",
      (int)model->num_inputs, (int)model->num_overridable, (int)num_inputs);
}

int onnxc_rt_is_overriding(const onnxc_model *model, const onnxc_tensor *inputs,
                           int32_t num_inputs) {
  int32_t i;
  for (i = model->num_inputs; i < num_inputs; ++i)
    if (inputs[i].data)
      return 1;
  return 0;
}

/* Those of the call, and defaults for the others. */
void onnxc_rt_complete_inputs(onnxc_rt_context *context,
                              const onnxc_tensor *inputs, int32_t num_inputs) {
  const onnxc_model *model = context->face.model;
  onnxc_tensor *rest = context->inputs + model->num_inputs + model->num_states;
  int32_t i;
  if (model->num_inputs)
    memcpy(context->inputs, inputs, (size_t)model->num_inputs * sizeof *inputs);
  for (i = 0; i < model->num_overridable; ++i) {
    int32_t place = model->num_inputs + i;
    int is_given = place < num_inputs && inputs[place].data;
    memcpy(&rest[i], is_given ? &inputs[place] : &model->defaults[i],
           sizeof *inputs);
  }
}

void onnxc_rt_begin_call(onnxc_rt_context *context) {
  context->status = ONNXC_OK;
  context->is_named = 0;
  context->message[0] = 0;
}

onnxc_status onnxc_rt_check_call(onnxc_rt_context *context,
                                 const onnxc_tensor *inputs, int32_t num_inputs,
                                 const onnxc_tensor *outputs,
                                 int32_t num_outputs) {
  const onnxc_model *model = context->face.model;
  if (num_inputs < model->num_inputs ||
      num_inputs - model->num_inputs > model->num_overridable)
    return refuse_count(context, num_inputs);
  if (num_outputs != model->num_outputs)
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the model has %d outputs, the call takes %d",
                              (int)model->num_outputs, (int)num_outputs);
  if ((num_inputs && !inputs) || (num_outputs && !outputs))
    return onnxc_rt_set_error(context, ONNXC_INVALID_ARGUMENT,
                              "the array of %s is NULL",
                              num_inputs && !inputs ? "inputs" : "outputs");
  return ONNXC_OK;
}

onnxc_status onnxc_rt_execute(
    onnxc_rt_context *context,
    int32_t (*entry)(onnxc_context *, const onnxc_tensor *, onnxc_tensor *),
    const onnxc_tensor *inputs, onnxc_tensor *outputs) {
  int32_t status;
  if (context->team)
    context->tell_team(context, 1);
  status = entry(&context->face, inputs, outputs);
  if (context->team)
    context->tell_team(context, 0);
  onnxc_rt_pool_reset(context);
  memset(context->growing, 0, sizeof context->growing);
  /* An error that generated code went past is still an error. */
  if (status == ONNXC_OK)
    status = context->status;
  return (onnxc_status)status;
}

onnxc_status onnxc_rt_run(onnxc_context *face, const onnxc_tensor *inputs,
                          int32_t num_inputs, onnxc_tensor *outputs,
                          int32_t num_outputs) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  const onnxc_model *model;
  int32_t (*entry)(onnxc_context *, const onnxc_tensor *, onnxc_tensor *);

  if (!context)
    return ONNXC_INVALID_ARGUMENT;
  model = face->model;
  onnxc_rt_begin_call(context);
  if (onnxc_rt_check_call(context, inputs, num_inputs, outputs, num_outputs) !=
      ONNXC_OK)
    return (onnxc_status)context->status;
  entry = model->entry;
  if (onnxc_rt_is_overriding(model, inputs, num_inputs)) {
    onnxc_rt_complete_inputs(context, inputs, num_inputs);
    inputs = context->inputs;
    num_inputs = model->num_inputs + model->num_overridable;
    entry = model->overridden_entry;
  } else {
    num_inputs = model->num_inputs;
  }
  if (onnxc_rt_check_inputs(context, inputs, 0, num_inputs) != ONNXC_OK ||
      onnxc_rt_check_outputs(context, inputs, num_inputs, outputs) != ONNXC_OK)
    return (onnxc_status)context->status;
  return onnxc_rt_execute(context, entry, inputs, outputs);
}

const char *onnxc_rt_error(const onnxc_context *face) {
  return face ? ((const onnxc_rt_context *)face)->message : "no context";
}

onnxc_status onnxc_rt_set_error(onnxc_rt_context *context, onnxc_status status,
                                const char *format, ...) {
  va_list arguments;
  if (context->status != ONNXC_OK)
    return (onnxc_status)context->status;
  context->status = status;
  va_start(arguments, format);
  vsnprintf(context->message, sizeof context->message, format, arguments);
  va_end(arguments);
  return status;
}

/* Where the reason is known already, the first `message` says whose it is. */
int32_t onnxc_rt_fail(onnxc_context *face, const char *message) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  char reason[sizeof context->message];
  const int is_named = context->is_named;
  context->is_named = 1;
  if (context->status == ONNXC_OK)
    return onnxc_rt_set_error(context, ONNXC_RUNTIME_ERROR, "%s", message);
  if (*message && !is_named) {
    const onnxc_status status = (onnxc_status)context->status;
    memcpy(reason, context->message, sizeof reason);
    context->status = ONNXC_OK;
    onnxc_rt_set_error(context, status, "%s: %s", message, reason);
  }
  return context->status;
}

int32_t onnxc_rt_fail_comparison(onnxc_context *face, const char *message,
                                 int32_t relation, int64_t number,
                                 int64_t expected) {
  static const char *const words[] = {"", "less than ", "at most ",
                                      "more than ", "at least "};
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  context->is_named = 1;
  return onnxc_rt_set_error(
      context, ONNXC_RUNTIME_ERROR, "%s: %lld, expected %s%lld", message,
      (long long)number, words[relation], (long long)expected);
}

int32_t onnxc_rt_status(const onnxc_context *context) {
  int32_t status = ((const onnxc_rt_context *)context)->status;
  return status ? status : ONNXC_RUNTIME_ERROR;
}

void *onnxc_rt_workspace(onnxc_context *context) {
  return ((onnxc_rt_context *)context)->workspace;
}
