/*===- onnxc/Runtime/Entry.h - What generated code may call -------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The functions of the runtime that generated code calls. Each model carries *|
|* its own copy of them. They are the other half of onnxc/runtime.h: the      *|
|* compiler writes calls to them by these names and types.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_ENTRY_H
#define ONNXC_RUNTIME_ENTRY_H

#include "onnxc/profile.h"
#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All memory of a context is aligned to this. */
#define ONNXC_RT_ALIGNMENT 64

/* The data pointer for output `index` with these dimensions: the caller's
   buffer or memory of the context. Sets the tensor's fields. NULL: the call's
   error is set. */
void *onnxc_rt_output(onnxc_context *context, onnxc_tensor *outputs,
                      int32_t index, int32_t rank, const int64_t *dims);

/* Writes output `index` from a handle: the address of an onnxc_tensor, of
   whatever type the output has. Returns a status. */
int32_t onnxc_rt_output_value(onnxc_context *context, onnxc_tensor *outputs,
                              int32_t index, int64_t handle);

/* Gives the texts of a string output, which point anywhere, memory that lives
   until the next run. Returns a status. */
int32_t onnxc_rt_keep_texts(onnxc_context *context, onnxc_tensor *outputs,
                            int32_t index);

/* A copy of a tensor in memory of the run, as a handle; and the tensor behind a
   handle, which must have the type that `tensor` states (unknown sizes as -1).
   Functions like these are what rt.call calls: see Dialect/Runtime. */
int32_t onnxc_rt_box(onnxc_context *context, const char *node,
                     const onnxc_tensor *tensor, int64_t *handle);
int32_t onnxc_rt_unbox(onnxc_context *context, const char *node, int64_t handle,
                       onnxc_tensor *tensor);
/* The sizes of the tensor behind a handle, from `start` to `end` as operator
   Shape has them; and how many elements it has. */
int32_t onnxc_rt_shape(onnxc_context *context, const char *node, int64_t handle,
                       int64_t start, int64_t end, onnxc_tensor *shape);
int32_t onnxc_rt_size(onnxc_context *context, const char *node, int64_t handle,
                      int64_t *size);

/* Discrete Fourier transforms of `length` along an axis, of f32 or f64
   (Fourier.c). */
int32_t onnxc_rt_dft(onnxc_context *context, const char *node,
                     const onnxc_tensor *x, int64_t axis, int64_t length,
                     int64_t is_inverse, int64_t is_onesided, onnxc_tensor *y);

/* A key for random numbers that no node had before (Random.c). */
int32_t onnxc_rt_random_key(onnxc_context *context, const char *node,
                            int64_t *key);
/* Random numbers, of f64, from a seed. */
int32_t onnxc_rt_random_uniform(onnxc_context *context, const char *node,
                                int64_t seed, onnxc_tensor *numbers);
int32_t onnxc_rt_random_normal(onnxc_context *context, const char *node,
                               int64_t seed, onnxc_tensor *numbers);
int32_t onnxc_rt_random_bernoulli(onnxc_context *context, const char *node,
                                  int64_t seed, const onnxc_tensor *chances,
                                  onnxc_tensor *numbers);

/* The base of the model's static arena. Never NULL. */
void *onnxc_rt_workspace(onnxc_context *context);

/* Memory until onnxc_rt_free or the end of the run. NULL: the error is set. */
void *onnxc_rt_alloc(onnxc_context *context, int64_t bytes);
void onnxc_rt_free(onnxc_context *context, void *memory);

/* Records the call's error, unless there is one, and returns its status. */
int32_t onnxc_rt_fail(onnxc_context *context, const char *message);

/* How a number should have compared to another one. */
typedef enum {
  ONNXC_RT_EQUAL,
  ONNXC_RT_LESS,
  ONNXC_RT_AT_MOST,
  ONNXC_RT_GREATER,
  ONNXC_RT_AT_LEAST
} onnxc_rt_relation;

/* The same, of a comparison that does not hold. */
int32_t onnxc_rt_fail_comparison(onnxc_context *context, const char *message,
                                 int32_t relation, int64_t number,
                                 int64_t expected);

/* The status to return after one of the functions above gave NULL. */
int32_t onnxc_rt_status(const onnxc_context *context);

/* Iterations begin ... end-1 of a parallel loop. `scratch` is of the model's
   scratch_bytes, for no other thread while the task runs. */
typedef void (*onnxc_rt_task)(void *data, void *scratch, int64_t begin,
                              int64_t end);
/* Below this many cycles a loop is not worth other threads' time: some 4 us. */
#define ONNXC_RT_LEAST_LOOP_COST 8000
/* Runs iterations 0 ... count-1, which are independent of each other, on the
   threads of the context, or on this one alone if they are not worth it: each
   takes about `cost` cycles. */
void onnxc_rt_parallel_for(onnxc_context *context, int64_t count, int64_t cost,
                           onnxc_rt_task task, void *data);

/* With --profile: a run begins, a region of it begins, and ends (Profile.c). */
void onnxc_rt_profile_start(onnxc_context *context);
void onnxc_rt_profile_begin(onnxc_context *context, int64_t region);
void onnxc_rt_profile_end(onnxc_context *context, int64_t flops, int64_t bytes);
/* What onnxc_profile.events points to. */
const onnxc_profile_event *onnxc_rt_profile_events(const onnxc_context *context,
                                                   int64_t *count);

/* What the model descriptor points to. */
onnxc_status onnxc_rt_create(const onnxc_model *model,
                             const onnxc_options *options,
                             onnxc_context **context);
/* The same for callers of version 1 of the interface. */
onnxc_status onnxc_rt_create_1(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **context);
/* The same for callers of version 4. */
onnxc_status onnxc_rt_create_4(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **context);
/* The same for callers of versions 2 and 3. */
onnxc_status onnxc_rt_create_3(const onnxc_model *model,
                               const onnxc_options *options,
                               onnxc_context **context);
void onnxc_rt_destroy(onnxc_context *context);
onnxc_status onnxc_rt_run(onnxc_context *context, const onnxc_tensor *inputs,
                          int32_t num_inputs, onnxc_tensor *outputs,
                          int32_t num_outputs);
const char *onnxc_rt_error(const onnxc_context *context);

/* In the flags of an onnxc_state_info: the model's code appends to the state.
 */
#define ONNXC_RT_STATE_APPENDED 1
/* Room for `rows` rows behind those of such a state (less than 0: so many fewer
   than there are): the address of the first of all, of which
   onnxc_rt_state_capacity lie one behind the other. The run writes rows from
   `first` on; if some of these are there, all are copied, so that the state
   stays as it is until the run has succeeded. To be asked once in a run. NULL:
   the call's error is set. */
void *onnxc_rt_state_append(onnxc_context *context, int32_t state, int64_t rows,
                            int64_t first);
int64_t onnxc_rt_state_capacity(onnxc_context *context, int32_t state);
/* The run will write elements of a state where it lies: `rows` of dimension
   `axis` from `first` on, in `samples` of dimension 0 from `sample` on, which
   say nothing where `axis` is 0. They are kept until the end of the run, and
   put back if it fails. A part that is not inside of the state fails the run.
 */
onnxc_status onnxc_rt_state_overwrite(onnxc_context *context, int32_t state,
                                      int32_t axis, int64_t sample,
                                      int64_t samples, int64_t first,
                                      int64_t rows);

/* The same of a model with states: a run, and what is behind onnxc_reset and so
   on (State.c, StateBytes.c). */
onnxc_status onnxc_rt_run_states(onnxc_context *context,
                                 const onnxc_tensor *inputs, int32_t num_inputs,
                                 onnxc_tensor *outputs, int32_t num_outputs);
onnxc_status onnxc_rt_reset(onnxc_context *context);
int64_t onnxc_rt_state_length(const onnxc_context *context);
onnxc_status onnxc_rt_state_get(onnxc_context *context, int32_t state,
                                onnxc_tensor *tensor);
onnxc_status onnxc_rt_state_set(onnxc_context *context, int32_t state,
                                const onnxc_tensor *tensor);
onnxc_status onnxc_rt_state_truncate(onnxc_context *context, int32_t state,
                                     int64_t length);
onnxc_status onnxc_rt_state_save(onnxc_context *context, void *bytes,
                                 uint64_t *size);
onnxc_status onnxc_rt_state_load(onnxc_context *context, const void *bytes,
                                 uint64_t size);
onnxc_status onnxc_rt_state_fork(onnxc_context *context, onnxc_context **other);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_ENTRY_H */
