/*===- onnxc/Runtime/Context.h - The state behind a context -------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Private to lib/Runtime and its tests. Generated code and callers know a    *|
|* context by its address alone.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_CONTEXT_H
#define ONNXC_RUNTIME_CONTEXT_H

#include "onnxc/Runtime/Entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of temporaries. It takes chunks from the context's allocator and cuts
   them into blocks, best fit first. Reset gives all blocks back at once and
   melts the chunks into one, so that after a run or two of the same sizes no
   more memory is asked for. */
typedef struct onnxc_rt_chunk onnxc_rt_chunk;
typedef struct onnxc_rt_block onnxc_rt_block;
typedef struct onnxc_rt_separate_block onnxc_rt_separate_block;
/* Small blocks, to that many units of ONNXC_RT_ALIGNMENT with their header, are
   cut from one block of the pool, and wait for the next one of their size. */
#define ONNXC_RT_SMALL_UNITS 17
typedef struct onnxc_rt_pool {
  onnxc_rt_chunk *chunks;
  onnxc_rt_block *free_blocks;
  /* By units, those that were given back. */
  onnxc_rt_block *small[ONNXC_RT_SMALL_UNITS + 1];
  /* Where small blocks are cut from, and how much of it is left. */
  char *rest;
  size_t rest_bytes;
  /* The run has asked for that. */
  int32_t has_small;
  /* What the next chunk shall hold at least. */
  size_t reserve;
  /* The blocks, where onnxc_rt_separate_blocks says that there are no chunks.
   */
  onnxc_rt_separate_block *separate;
} onnxc_rt_pool;

/* Memory of one output that belongs to the context. There are two places, so
   that the result of one run can be an input of the next. */
typedef struct onnxc_rt_place {
  void *data;
  size_t bytes;
  /* An input of the current run lies in it. */
  int32_t in_use;
} onnxc_rt_place;

typedef struct onnxc_rt_output_state {
  onnxc_rt_place places[2];
  /* What the strings of the output point to. */
  onnxc_rt_place texts[2];
  /* The caller left the memory of this output to the context. */
  int32_t owned;
} onnxc_rt_output_state;

/* A state (State.c). Its value lies in one of the two places of its result, and
   a run writes the other one. The dimensions before the axis that grows and
   those behind it are contiguous; `capacity` rows of that axis lie one behind
   the other, of which dims[axis] are in use. */
typedef struct onnxc_rt_state {
  int64_t dims[ONNXC_MAX_RANK];
  int64_t capacity;
  /* It has a value; without one, dims and capacity say nothing. */
  int32_t is_set;
  int32_t place;
  /* The run writes rows that it had before it: they are in the other place,
     which has room for `capacity_before`. */
  int32_t is_rewritten;
  int64_t capacity_before;
  /* Of a state that runs write where it lies: the bytes of the other place that
     hold what this run has overwritten (onnxc_rt_overwritten), and where the
     last entry begins, -1 for none. */
  uint64_t kept;
  int64_t last_kept;
  /* What memory for the next value has at least, in bytes. */
  uint64_t room;
} onnxc_rt_state;

/* In front of the elements that a run has overwritten: `count` pieces of
   `bytes` bytes, `pitch` bytes from one another, the first one at `offset`
   bytes of the state. */
typedef struct onnxc_rt_overwritten {
  uint64_t offset;
  uint64_t pitch;
  uint64_t count;
  uint64_t bytes;
  /* Where the entry before this one begins, -1 for none. */
  int64_t previous;
} onnxc_rt_overwritten;

/* The array of a sequence with room for more elements (Sequence.c). */
typedef struct onnxc_rt_growing {
  onnxc_tensor *parts;
  int64_t count;
  int64_t capacity;
} onnxc_rt_growing;
#define ONNXC_RT_NUM_GROWING 8

/* More than this is not asked of the system. */
#define ONNXC_RT_MAX_THREADS 256

/* The threads of a context, besides its caller (Team.c). */
typedef struct onnxc_rt_team onnxc_rt_team;

/* When the regions of the last run ran (Profile.c). */
typedef struct onnxc_rt_events {
  onnxc_profile_event *log;
  int64_t count;
  int64_t capacity;
  /* The event behind the last one has begun. */
  int32_t is_open;
} onnxc_rt_events;

typedef struct onnxc_rt_context {
  onnxc_context face;
  onnxc_options options;
  /* Size of this allocation. */
  size_t bytes;
  void *workspace;
  size_t workspace_bytes;
  /* The model's scratch_bytes for each of `threads`. */
  void *scratch;
  /* See onnxc_rt_thread_count; 0 before the first call. */
  int32_t threads;
  /* NULL until a parallel loop is worth having one. The functions come with
     it, so that models without such loops need nothing of them. */
  onnxc_rt_team *team;
  void (*tell_team)(struct onnxc_rt_context *context, int32_t is_running);
  void (*end_team)(struct onnxc_rt_context *context);
  onnxc_rt_pool pool;
  /* Those of the call, and behind them the results that are states. */
  onnxc_rt_output_state *outputs;
  /* All arguments of the entry: the inputs, the states, and inputs with default
     values. NULL if the model has neither of the latter. */
  onnxc_tensor *inputs;
  /* All its results: the outputs, and the states. NULL if there are none. */
  onnxc_tensor *results;
  onnxc_rt_state *states;
  /* How long states may become; 0: no bound. */
  int64_t state_capacity;
  /* Of this run, the next one to replace. */
  onnxc_rt_growing growing[ONNXC_RT_NUM_GROWING];
  int32_t next_growing;
  /* Where keys of random numbers start, and how many there were (Random.c). */
  uint64_t random_start, random_keys;
  onnxc_rt_events events;
  int32_t status;
  /* Whether the message says whose it is. */
  int32_t is_named;
  char message[1024];
} onnxc_rt_context;

/* The context's allocator: aligned to ONNXC_RT_ALIGNMENT, NULL on failure. */
void *onnxc_rt_allocate(onnxc_rt_context *context, size_t bytes);
void onnxc_rt_release(onnxc_rt_context *context, void *memory, size_t bytes);

/* How many threads may work on a run, the caller's among them: what the options
   say, else what the system allows (Cores.c). */
int32_t onnxc_rt_thread_count(onnxc_rt_context *context);

/* Records a status and a text in printf form, unless there is one already. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
onnxc_status onnxc_rt_set_error(onnxc_rt_context *context, onnxc_status status,
                                const char *format, ...);

void *onnxc_rt_pool_alloc(onnxc_rt_context *context, size_t bytes);
void onnxc_rt_pool_free(onnxc_rt_context *context, void *memory);
void onnxc_rt_pool_reset(onnxc_rt_context *context);
void onnxc_rt_pool_destroy(onnxc_rt_context *context);

/* Not zero in models that are compiled for a sanitizer: every block of the pool
   is then an allocation of its own (SeparateBlocks.c). */
extern const int32_t onnxc_rt_separate_blocks;
/* Then the model defines this one too: it forbids access to the `bytes` bytes
   at `memory`, which end an allocation. */
void onnxc_rt_forbid_access(void *memory, size_t bytes);
void *onnxc_rt_separate_alloc(onnxc_rt_context *context, size_t bytes);
void onnxc_rt_separate_free(onnxc_rt_context *context, void *memory);
void onnxc_rt_separate_reset(onnxc_rt_context *context);

/* Memory of the context for output `index`; NULL: the error is set. */
void *onnxc_rt_output_memory(onnxc_rt_context *context, int32_t index,
                             uint64_t bytes);
/* Where the texts of output `index` shall be in this run. */
onnxc_rt_place *onnxc_rt_texts_place(onnxc_rt_context *context, int32_t index);

/* A tensor in memory of the run, its data right behind it; NULL: the error is
   set. */
#define ONNXC_RT_TENSOR_HEAD 192
onnxc_tensor *onnxc_rt_new_tensor(onnxc_rt_context *context, int32_t dtype,
                                  int32_t rank, const int64_t *dims);

/* Checks an input that is not a tensor of known rank (Value.c). */
onnxc_status onnxc_rt_check_value(onnxc_rt_context *context,
                                  const onnxc_value_info *info,
                                  const onnxc_tensor *value);

/* The product of the dimensions. */
static inline int64_t onnxc_rt_count_elements(const onnxc_tensor *tensor) {
  int64_t count = 1;
  int32_t i;
  for (i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

/* Whether a tensor of strings has a text for each element; any other has. */
int onnxc_rt_has_texts(const onnxc_tensor *value);

/* What the model says of an argument of its entry: inputs, states, inputs with
   default values. */
static inline const onnxc_value_info *
onnxc_rt_argument_info(const onnxc_model *model, int32_t index) {
  int32_t state = index - model->num_inputs;
  if (state < 0 || !model->num_states)
    return &model->inputs[index];
  return state < model->num_states ? &model->states[state].value
                                   : &model->inputs[index - model->num_states];
}

/* Whether an argument, or a result, of the entry is a state. */
static inline int onnxc_rt_is_state_argument(const onnxc_model *model,
                                             int32_t index) {
  return index >= model->num_inputs &&
         index - model->num_inputs < model->num_states;
}
static inline int onnxc_rt_is_state_result(const onnxc_model *model,
                                           int32_t index) {
  return index >= model->num_outputs;
}

/* What it says of a result: of a state, but for the name, what it says of its
   argument. */
static inline const onnxc_value_info *
onnxc_rt_result_info(const onnxc_model *model, int32_t index) {
  return onnxc_rt_is_state_result(model, index)
             ? &model->states[index - model->num_outputs].value
             : &model->outputs[index];
}
static inline const char *onnxc_rt_result_name(const onnxc_model *model,
                                               int32_t index) {
  return onnxc_rt_is_state_result(model, index)
             ? model->states[index - model->num_outputs].output
             : model->outputs[index].name;
}

/* The parts of a run (Context.c): forgets the error of the last call; checks
   the numbers of inputs and outputs; says whether the call gives an input that
   has a default value; fills the context's `inputs`, but for states; calls the
   model's code. */
void onnxc_rt_begin_call(onnxc_rt_context *context);
onnxc_status onnxc_rt_check_call(onnxc_rt_context *context,
                                 const onnxc_tensor *inputs, int32_t num_inputs,
                                 const onnxc_tensor *outputs,
                                 int32_t num_outputs);
int onnxc_rt_is_overriding(const onnxc_model *model, const onnxc_tensor *inputs,
                           int32_t num_inputs);
void onnxc_rt_complete_inputs(onnxc_rt_context *context,
                              const onnxc_tensor *inputs, int32_t num_inputs);
onnxc_status onnxc_rt_execute(
    onnxc_rt_context *context,
    int32_t (*entry)(onnxc_context *, const onnxc_tensor *, onnxc_tensor *),
    const onnxc_tensor *inputs, onnxc_tensor *outputs);
/* A context for a level of a model that this processor has. */
onnxc_status onnxc_rt_create_level(const onnxc_model *level,
                                   const onnxc_options *options,
                                   onnxc_context **context);

/* Prepares the weights to be read (Weights.c). */
void onnxc_rt_map_weights(const onnxc_model *model);

/* Makes a place hold `bytes` bytes, of which nothing is kept; 0: there is no
   memory, and the place is as it was. */
int onnxc_rt_make_room(onnxc_rt_context *context, onnxc_rt_place *place,
                       uint64_t bytes);

/* A state's value as a tensor: its data are not dense where the capacity is not
   the length. Without a value, sizes that are not fixed are 0. */
onnxc_tensor onnxc_rt_state_tensor(const onnxc_rt_context *context,
                                   int32_t state);
/* Gives a state a dense value, into memory that was reserved before. */
onnxc_status onnxc_rt_reserve_state(onnxc_rt_context *context, int32_t state,
                                    const onnxc_tensor *tensor);
void onnxc_rt_replace_state(onnxc_rt_context *context, int32_t state,
                            const onnxc_tensor *tensor);
/* Writes a state's elements, dense. */
void onnxc_rt_copy_state(const onnxc_rt_context *context, int32_t state,
                         void *to);
/* An error if a state cannot have this type. */
onnxc_status onnxc_rt_check_state(onnxc_rt_context *context, int32_t state,
                                  int32_t dtype, int32_t rank,
                                  const int64_t *dims);

/* Checks a call before anything runs (Check.c): arguments from `begin` to `end`
   against what they are and against those before them. */
onnxc_status onnxc_rt_check_inputs(onnxc_rt_context *context,
                                   const onnxc_tensor *inputs, int32_t begin,
                                   int32_t end);
onnxc_status onnxc_rt_check_outputs(onnxc_rt_context *context,
                                    const onnxc_tensor *inputs,
                                    int32_t num_inputs, onnxc_tensor *outputs);

/* The first of `features` that this processor lacks, or NULL (Cpu.c). */
const char *onnxc_rt_missing_feature(const char *const *features);

/* Writes a shape as "float [2, N, 3]" (Text.c). Unknown sizes take their
   symbol, or "?" where it is NULL or empty. Without `symbols`, sizes below zero
   are mistakes, and are shown. */
void onnxc_rt_shape_text(char *text, size_t size, int32_t dtype, int32_t rank,
                         const int64_t *dims, const char *const *symbols);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_CONTEXT_H */
