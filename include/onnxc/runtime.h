/*===- onnxc/runtime.h - Calling a compiled ONNX model ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The interface between a model compiled by onnxc and the program that calls *|
|* it. There is no runtime library to link: a model exports one function,     *|
|*                                                                            *|
|*     const onnxc_model *<prefix>_query(uint32_t abi_version);               *|
|*                                                                            *|
|* and what it returns describes the model and holds its functions. <prefix>  *|
|* is the stem of the output's name unless --prefix says otherwise.           *|
|*                                                                            *|
|*     const onnxc_model *model = mnist_query(ONNXC_ABI_VERSION);             *|
|*     onnxc_context *context;                                                *|
|*     if (onnxc_create(model, NULL, &context) != ONNXC_OK) ...               *|
|*     float image[784], scores[10];                                          *|
|*     onnxc_tensor in = onnxc_tensor_of(image, sizeof image, ONNXC_FLOAT, 4, *|
|*                                       (const int64_t[]){1, 1, 28, 28});    *|
|*     onnxc_tensor out = onnxc_output_buffer(scores, sizeof scores);         *|
|*     if (onnxc_run(context, &in, 1, &out, 1) != ONNXC_OK)                   *|
|*       fprintf(stderr, "%s\n", onnxc_error(context));                       *|
|*     onnxc_destroy(context);                                                *|
|*                                                                            *|
|* The header that onnxc writes next to a model wraps this in functions with  *|
|* typed arguments.                                                           *|
|*                                                                            *|
|* Threads: a model is read-only and shared; a context belongs to one thread  *|
|* at a time. Use one context per thread; they share the weights.             *|
|*                                                                            *|
|* Failure: every function returns a status. Nothing is printed, nothing      *|
|* aborts, and after a failed run the context can be used again.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_RUNTIME_H
#define ONNXC_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of everything below. A model answers its query with NULL when
   it does not speak the version asked for. Models of version 5 speak the older
   ones as well: 4, in which options end before `state_capacity` and a model's
   description before `num_states`; 3, in which options end before `cpu_level`
   and the description before `levels`; 2, in which the description ends before
   `num_overridable`, so that default values cannot be overridden; and 1, in
   which options end before `threads`, too. */
#define ONNXC_ABI_VERSION 5u

/* Tensors of higher rank cannot cross the interface. */
#define ONNXC_MAX_RANK 16

/* The outcome of a call. The numbers are part of the interface. */
typedef enum onnxc_status {
  ONNXC_OK = 0,
  /* An argument of the call itself is wrong: a NULL pointer, a wrong number of
     tensors, a buffer that overlaps another. */
  ONNXC_INVALID_ARGUMENT = 1,
  /* An input has another element type, rank or size than the model takes. */
  ONNXC_INVALID_INPUT = 2,
  /* The caller's buffer for an output is too small; its tensor tells the
     dimensions that are needed. */
  ONNXC_BUFFER_TOO_SMALL = 3,
  ONNXC_OUT_OF_MEMORY = 4,
  /* The model met values that it cannot compute with: an index out of range, a
     shape that does not fit. onnxc_error names the node. */
  ONNXC_RUNTIME_ERROR = 5,
  /* The model was compiled for instructions that this processor lacks. */
  ONNXC_UNSUPPORTED_CPU = 6,
  /* The model was compiled for another version of this interface. */
  ONNXC_ABI_MISMATCH = 7
} onnxc_status;

/* Element types, numbered as TensorProto.DataType. In memory a bool is one byte
   (0 or 1), 16- and 8-bit floats are their bits, complex numbers are pairs
   (real, imaginary), types narrower than a byte take one byte per element (the
   low bits), strings are an onnxc_string each: pointers to NUL-terminated
   UTF-8.

   What is not a tensor is passed in an onnxc_tensor too, whose data point to
   others: a sequence has rank 1, its count as dims[0], and an onnxc_tensor for
   each element; an optional is the same with a count of 0 or 1; a map has two
   of them, of rank 1 and equal size: its keys, and its values. */
typedef enum onnxc_dtype {
  ONNXC_UNDEFINED = 0,
  ONNXC_FLOAT = 1,
  ONNXC_UINT8 = 2,
  ONNXC_INT8 = 3,
  ONNXC_UINT16 = 4,
  ONNXC_INT16 = 5,
  ONNXC_INT32 = 6,
  ONNXC_INT64 = 7,
  ONNXC_STRING = 8,
  ONNXC_BOOL = 9,
  ONNXC_FLOAT16 = 10,
  ONNXC_DOUBLE = 11,
  ONNXC_UINT32 = 12,
  ONNXC_UINT64 = 13,
  ONNXC_COMPLEX64 = 14,
  ONNXC_COMPLEX128 = 15,
  ONNXC_BFLOAT16 = 16,
  ONNXC_FLOAT8E4M3FN = 17,
  ONNXC_FLOAT8E4M3FNUZ = 18,
  ONNXC_FLOAT8E5M2 = 19,
  ONNXC_FLOAT8E5M2FNUZ = 20,
  ONNXC_UINT4 = 21,
  ONNXC_INT4 = 22,
  ONNXC_FLOAT4E2M1 = 23,
  ONNXC_FLOAT8E8M0 = 24,
  ONNXC_UINT2 = 25,
  ONNXC_INT2 = 26,
  ONNXC_FLOAT6E2M3 = 27,
  ONNXC_FLOAT6E3M2 = 28,
  ONNXC_SEQUENCE = 100,
  ONNXC_MAP = 101,
  ONNXC_OPTIONAL = 102
} onnxc_dtype;

/* An element of a tensor of strings. It takes 64 bits also where pointers have
   32 (wasm32), the upper half of which has no meaning; where pointers have 64,
   an array of these is an array of `const char *`. */
typedef union onnxc_string {
  const char *text;
  uint64_t bits;
} onnxc_string;

/* A tensor: dense, row-major. */
typedef struct onnxc_tensor {
  /* An input's elements; aligned to the size of one (onnxc_dtype_size), best
     to 64 bytes. Of an output, see onnxc_run. */
  void *data;
  /* The size of the buffer at `data`, in bytes. Of an input, at least the size
     that the dimensions say. */
  uint64_t bytes;
  /* An onnxc_dtype. */
  int32_t dtype;
  int32_t rank;
  int64_t dims[ONNXC_MAX_RANK];
} onnxc_tensor;

/* What a model says about one of its inputs or outputs. */
typedef struct onnxc_value_info {
  const char *name;
  /* An onnxc_dtype. */
  int32_t dtype;
  /* -1 when the rank is known only in a run, and for what is not a tensor. */
  int32_t rank;
  /* `rank` sizes; -1 where the size is not fixed by the model. */
  const int64_t *dims;
  /* `rank` names, "" for none. Dimensions of inputs that carry the same name
     must have the same size in a call. */
  const char *const *symbols;
  /* As ONNX spells it: "tensor(float)", "seq(tensor(int64))". */
  const char *type;
} onnxc_value_info;

/* What a model says about a state: a tensor that lives in the context. Each run
   reads it and leaves a new value. */
typedef struct onnxc_state_info {
  /* The input of the .onnx file that the state stands for. A dimension of -1
     that is not `axis` has the size that the inputs of that symbol have. */
  onnxc_value_info value;
  /* The name of the output whose value a run leaves as the new state. */
  const char *output;
  /* The dimension in which the state may become longer, from 0 on; -1: its size
     stays. */
  int32_t axis;
  /* For the runtime alone. */
  int32_t flags;
} onnxc_state_info;

typedef struct onnxc_model onnxc_model;
typedef struct onnxc_context onnxc_context;

/* One piece of a parallel loop; see onnxc_options.parallel_for. */
typedef void (*onnxc_task)(void *data, int64_t index);

/* What the caller brings to a context. Start from all zeros: every field that
   is zero has a default. */
typedef struct onnxc_options {
  /* Passed to the functions below as it is. */
  void *user;
  /* Memory for everything that the context needs. `allocate` returns `bytes`
     bytes aligned to `alignment` (a power of two), or NULL. `release` takes
     them back. Both or none; without them, malloc and free. */
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory, size_t bytes);
  /* Calls task(data, i) once for each i of 0 ... count-1, in any order and on
     any threads, and returns when all are done. Without it, the context has
     threads of its own. */
  void (*parallel_for)(void *user, int64_t count, onnxc_task task, void *data);
  /* Where onnxc_create leaves the reason for a failure: NUL-terminated, at most
     message_size bytes. May be NULL. */
  char *message;
  size_t message_size;
  /* How many threads work on a run, the calling one among them. 0: as many as
     the process may use by its affinity mask and its control group's quota. The
     others are started when there is first something to share; between runs
     they sleep. With parallel_for no thread is started, and this says how many
     it is likely to have. Results do not depend on it. */
  int32_t threads;
  /* The name of the level of processors to run (see levels of onnxc_model), for
     tests and comparisons. NULL: what the environment variable ONNXC_CPU_LEVEL
     says, and without it the last one that this processor can run. A level that
     the model does not have is an error; of a model with code for one processor
     the only level is its target_cpu. Since version 4. */
  const char *cpu_level;
  /* Of a model with states that grow: how long they can become. Memory for that
     is taken at once, and a run that would make one longer fails. 0: what the
     model says (its state_capacity), and where that is 0, too, any length, with
     room that doubles. Since version 5. */
  int64_t state_capacity;
} onnxc_options;

/* A compiled model. Constant; lives as long as the code is loaded. */
struct onnxc_model {
  /* ONNXC_ABI_VERSION of the model. */
  uint32_t abi_version;
  /* Those that a run must have. */
  int32_t num_inputs;
  int32_t num_outputs;
  /* Of the default operator domain. */
  int32_t opset;
  /* Of the graph. */
  const char *name;
  /* The tool that wrote the .onnx file, "" if it does not say. */
  const char *producer;
  /* What the code was compiled for. */
  const char *target_triple;
  const char *target_cpu;
  /* num_inputs of them, and behind them num_overridable more. */
  const onnxc_value_info *inputs;
  const onnxc_value_info *outputs;
  /* Memory that each context takes for intermediate results of fixed size. To
     it comes scratch_bytes, below, for each of its threads. */
  uint64_t workspace_bytes;
  /* Memory that the weights take, shared by all contexts. */
  uint64_t weight_bytes;
  /* The functions behind onnxc_create and so on, below. */
  onnxc_status (*create)(const onnxc_model *model, const onnxc_options *options,
                         onnxc_context **context);
  void (*destroy)(onnxc_context *context);
  onnxc_status (*run)(onnxc_context *context, const onnxc_tensor *inputs,
                      int32_t num_inputs, onnxc_tensor *outputs,
                      int32_t num_outputs);
  const char *(*error)(const onnxc_context *context);
  /* Instruction sets that the code needs, by LLVM's names; ends with NULL. */
  const char *const *cpu_features;
  /* For the runtime alone: the model's code. */
  int32_t (*entry)(onnxc_context *context, const onnxc_tensor *inputs,
                   onnxc_tensor *outputs);
  /* What a thread of a parallel loop needs for itself. Since version 2. */
  uint64_t scratch_bytes;
  /* For the runtime alone: where the weights lie; NULL if there are none. Since
     version 2. */
  const void *weights;
  /* Inputs that a run may leave out, for they have default values: initializers
     that the .onnx file lists as inputs, too (from IR version 4 on). Since
     version 3. */
  int32_t num_overridable;
  /* Their values: defaults[i] is that of inputs[num_inputs + i]. Only to be
     read. Since version 3. */
  const onnxc_tensor *defaults;
  /* For the runtime alone: the model's code where a default is overridden.
     Since version 3. */
  int32_t (*overridden_entry)(onnxc_context *context,
                              const onnxc_tensor *inputs,
                              onnxc_tensor *outputs);
  /* Of a model with code for several levels of processors: a model for each,
     which differ in their target_cpu, cpu_features and code, from the lowest
     on; ends with NULL. onnxc_create picks one of them, which is then the
     context's model; target_cpu of this model lists their names. NULL if there
     is one only. Since version 4. */
  const onnxc_model *const *levels;
  /* What lives in a context from run to run (see States, below): neither among
     the inputs nor among the outputs. Since version 5. */
  int32_t num_states;
  const onnxc_state_info *states;
  /* Of onnxc_options, where that is 0. Since version 5. */
  int64_t state_capacity;
  /* The functions behind onnxc_reset and so on, below; NULL without states.
     Since version 5. */
  onnxc_status (*reset)(onnxc_context *context);
  int64_t (*state_length)(const onnxc_context *context);
  onnxc_status (*state_get)(onnxc_context *context, int32_t state,
                            onnxc_tensor *tensor);
  onnxc_status (*state_set)(onnxc_context *context, int32_t state,
                            const onnxc_tensor *tensor);
  onnxc_status (*state_truncate)(onnxc_context *context, int32_t state,
                                 int64_t length);
  onnxc_status (*state_save)(onnxc_context *context, void *bytes,
                             uint64_t *size);
  onnxc_status (*state_load)(onnxc_context *context, const void *bytes,
                             uint64_t size);
  onnxc_status (*state_fork)(onnxc_context *context, onnxc_context **other);
};

/* The value that input `input` of the model has where a run does not give it;
   NULL if a run must give it. */
static inline const onnxc_tensor *onnxc_default(const onnxc_model *model,
                                                int32_t input) {
  return input >= model->num_inputs &&
                 input - model->num_inputs < model->num_overridable
             ? &model->defaults[input - model->num_inputs]
             : NULL;
}

/* The public face of a context: its model. The rest of it is private. */
struct onnxc_context {
  const onnxc_model *model;
};

/* Creates a context for `model`. `options` may be NULL. On failure *context is
   NULL, and options->message tells why. */
static inline onnxc_status onnxc_create(const onnxc_model *model,
                                        const onnxc_options *options,
                                        onnxc_context **context) {
  if (context)
    *context = NULL;
  if (!model || !context)
    return ONNXC_INVALID_ARGUMENT;
  if (model->abi_version != ONNXC_ABI_VERSION)
    return ONNXC_ABI_MISMATCH;
  return model->create(model, options, context);
}

/* Ends a context and releases all that it allocated, the outputs that it owns
   among them. NULL is allowed. */
static inline void onnxc_destroy(onnxc_context *context) {
  if (context)
    context->model->destroy(context);
}

/* Runs the model. Inputs and outputs stand in the model's order, all of them;
   but inputs that have a default value (see num_overridable), which are the
   last ones, may be left out: `num_inputs` is from the model's num_inputs to
   num_inputs + num_overridable. One of them whose `data` is NULL has its
   default value, too, and nothing else of its tensor is looked at; a value
   without elements needs `data` that is not NULL. Where none is given, what
   follows from the default values was computed by the compiler; where one is,
   other code runs, which takes all of them as they come and may be slower.

   Inputs are checked before anything is computed: count, element type, rank,
   fixed dimensions, dimensions of one name. They are only read, and never kept.

   An output's `data` decides who brings the memory:
   - NULL: the context does. The call sets all fields. The memory belongs to
     the context and is valid until the next run or destroy. It may be an input
     of the very next run; and passing the same onnxc_tensor again as output
     lets the context reuse or replace its memory.
   - else a buffer of the caller, of `bytes` bytes, that overlaps no input and
     no other output. The call sets dtype, rank and dims. If it does not hold
     the result, the call fails with ONNXC_BUFFER_TOO_SMALL, and dims tell what
     is needed. A `dtype` other than ONNXC_UNDEFINED must be the output's.
     Sequences, optionals and maps always take the context's memory, and so do
     the texts that strings point to.
   After a failure, the contents of the outputs are undefined. */
static inline onnxc_status onnxc_run(onnxc_context *context,
                                     const onnxc_tensor *inputs,
                                     int32_t num_inputs, onnxc_tensor *outputs,
                                     int32_t num_outputs) {
  if (!context)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->run(context, inputs, num_inputs, outputs, num_outputs);
}

/* States. A model that was compiled with --state keeps some of its tensors in
   the context: the cache of a language model, the memory of a model that reads
   a stream. A run reads them, and when it succeeds leaves their new values; a
   run that fails leaves them as they were. A new context starts with zeros, and
   with length 0 in the dimension that grows. Sizes that inputs of the model
   name are those of the first run, and stay; onnxc_reset gives them up.

   All functions fail with ONNXC_INVALID_ARGUMENT on a model without states, but
   onnxc_reset, which has nothing to do then, and onnxc_state_length. What went
   wrong is in onnxc_error; nothing is changed then. */

/* Starts anew, as a new context does. Keeps the memory. */
static inline onnxc_status onnxc_reset(onnxc_context *context) {
  if (!context)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->num_states ? context->model->reset(context) : ONNXC_OK;
}

/* How long the states that grow are; the longest, if they differ
   (onnxc_state_get tells the sizes of each). 0 if there are none. */
static inline int64_t onnxc_state_length(const onnxc_context *context) {
  return context && context->model->num_states
             ? context->model->state_length(context)
             : 0;
}

/* Sets dtype, rank and dims of `tensor` to those of the state, and bytes to
   what it takes; copies it, dense, into the buffer of `bytes` bytes at `data`,
   unless that is NULL. A size that no run has decided yet is 0. */
static inline onnxc_status
onnxc_state_get(onnxc_context *context, int32_t state, onnxc_tensor *tensor) {
  if (!context || !context->model->num_states)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_get(context, state, tensor);
}

/* Gives a state the value of `tensor`, which is copied. */
static inline onnxc_status onnxc_state_set(onnxc_context *context,
                                           int32_t state,
                                           const onnxc_tensor *tensor) {
  if (!context || !context->model->num_states)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_set(context, state, tensor);
}

/* Cuts states off behind `length`, as if what came later had not been run.
   `state` is -1 for all; if there is one that does not grow, which cannot go
   back, or one that is shorter, the call fails. Else only the states are cut
   off whose growing dimension has the same name as that of state number
   `state`. */
static inline onnxc_status onnxc_state_truncate(onnxc_context *context,
                                                int32_t state, int64_t length) {
  if (!context || !context->model->num_states)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_truncate(context, state, length);
}

/* Writes all states into the buffer of *size bytes, and sets *size to how many
   they are; with NULL for the buffer only that. If they are more than there is
   room for, the call fails with ONNXC_BUFFER_TOO_SMALL. */
static inline onnxc_status onnxc_state_save(onnxc_context *context, void *bytes,
                                            uint64_t *size) {
  if (!context || !context->model->num_states)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_save(context, bytes, size);
}

/* Takes over states that onnxc_state_save wrote, of the same model in any
   context, process or level of processors. Whatever the bytes are, others are
   refused: nothing outside of them is read. */
static inline onnxc_status onnxc_state_load(onnxc_context *context,
                                            const void *bytes, uint64_t size) {
  if (!context || !context->model->num_states)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_load(context, bytes, size);
}

/* Creates another context with the same options, and copies of the states. On
   failure *other is NULL. */
static inline onnxc_status onnxc_state_fork(onnxc_context *context,
                                            onnxc_context **other) {
  if (other)
    *other = NULL;
  if (!context || !context->model->num_states || !other)
    return ONNXC_INVALID_ARGUMENT;
  return context->model->state_fork(context, other);
}

/* What went wrong in the last run or call for states, "" if nothing did. Valid
   until the next one or destroy. Never NULL. */
static inline const char *onnxc_error(const onnxc_context *context) {
  return context ? context->model->error(context) : "no context";
}

/* A status in words. Never NULL. */
static inline const char *onnxc_status_text(int status) {
  switch (status) {
  case ONNXC_OK:
    return "ok";
  case ONNXC_INVALID_ARGUMENT:
    return "invalid argument";
  case ONNXC_INVALID_INPUT:
    return "an input does not match the model";
  case ONNXC_BUFFER_TOO_SMALL:
    return "the buffer of an output is too small";
  case ONNXC_OUT_OF_MEMORY:
    return "out of memory";
  case ONNXC_RUNTIME_ERROR:
    return "the model cannot compute with these values";
  case ONNXC_UNSUPPORTED_CPU:
    return "the processor lacks instructions that the model was compiled for";
  case ONNXC_ABI_MISMATCH:
    return "the model was compiled for another version of the interface";
  }
  return "unknown status";
}

/* Bytes per element of an onnxc_dtype in memory; 0 if it is none. */
static inline size_t onnxc_dtype_size(int dtype) {
  switch (dtype) {
  case ONNXC_UINT8:
  case ONNXC_INT8:
  case ONNXC_BOOL:
  case ONNXC_FLOAT8E4M3FN:
  case ONNXC_FLOAT8E4M3FNUZ:
  case ONNXC_FLOAT8E5M2:
  case ONNXC_FLOAT8E5M2FNUZ:
  case ONNXC_FLOAT8E8M0:
  case ONNXC_UINT4:
  case ONNXC_INT4:
  case ONNXC_FLOAT4E2M1:
  case ONNXC_UINT2:
  case ONNXC_INT2:
  case ONNXC_FLOAT6E2M3:
  case ONNXC_FLOAT6E3M2:
    return 1;
  case ONNXC_UINT16:
  case ONNXC_INT16:
  case ONNXC_FLOAT16:
  case ONNXC_BFLOAT16:
    return 2;
  case ONNXC_FLOAT:
  case ONNXC_INT32:
  case ONNXC_UINT32:
    return 4;
  case ONNXC_INT64:
  case ONNXC_UINT64:
  case ONNXC_DOUBLE:
  case ONNXC_COMPLEX64:
    return 8;
  case ONNXC_COMPLEX128:
    return 16;
  case ONNXC_STRING:
    return sizeof(onnxc_string);
  }
  return 0;
}

/* An element type in words, as ONNX spells it ("float", "int64"). */
static inline const char *onnxc_dtype_name(int dtype) {
  static const char *const names[] = {
      "undefined",      "float",        "uint8",          "int8",
      "uint16",         "int16",        "int32",          "int64",
      "string",         "bool",         "float16",        "double",
      "uint32",         "uint64",       "complex64",      "complex128",
      "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1",
      "float8e8m0",     "uint2",        "int2",           "float6e2m3",
      "float6e3m2"};
  if (dtype == ONNXC_SEQUENCE)
    return "sequence";
  if (dtype == ONNXC_MAP)
    return "map";
  if (dtype == ONNXC_OPTIONAL)
    return "optional";
  if (dtype < 0 || (size_t)dtype >= sizeof names / sizeof names[0])
    return "unknown";
  return names[dtype];
}

/* The size of a tensor's elements in bytes, from its dtype and dims; UINT64_MAX
   if they make no sense. */
static inline uint64_t onnxc_tensor_bytes(const onnxc_tensor *tensor) {
  uint64_t bytes = onnxc_dtype_size(tensor->dtype);
  int32_t i;
  int empty = 0;
  if (!bytes || tensor->rank < 0 || tensor->rank > ONNXC_MAX_RANK)
    return UINT64_MAX;
  for (i = 0; i < tensor->rank; ++i) {
    if (tensor->dims[i] < 0)
      return UINT64_MAX;
    if (tensor->dims[i] == 0)
      empty = 1;
  }
  if (empty)
    return 0;
  for (i = 0; i < tensor->rank; ++i) {
    if (bytes > (uint64_t)INT64_MAX / (uint64_t)tensor->dims[i])
      return UINT64_MAX;
    bytes *= (uint64_t)tensor->dims[i];
  }
  return bytes;
}

/* A tensor over the caller's elements, for an input. A rank out of range gives
   a tensor that every model refuses. */
static inline onnxc_tensor onnxc_tensor_of(const void *data, uint64_t bytes,
                                           int dtype, int rank,
                                           const int64_t *dims) {
  onnxc_tensor tensor;
  int i;
  tensor.data = (void *)(uintptr_t)data;
  tensor.bytes = bytes;
  tensor.dtype = dtype;
  tensor.rank = rank >= 0 && rank <= ONNXC_MAX_RANK ? rank : -1;
  for (i = 0; i < ONNXC_MAX_RANK; ++i)
    tensor.dims[i] = i < tensor.rank ? dims[i] : 0;
  return tensor;
}

/* A tensor over an array of the caller that is as large as the dimensions say,
   for inputs and outputs. */
static inline onnxc_tensor onnxc_tensor_over(const void *data, int dtype,
                                             int rank, const int64_t *dims) {
  onnxc_tensor tensor = onnxc_tensor_of(data, 0, dtype, rank, dims);
  tensor.bytes = onnxc_tensor_bytes(&tensor);
  return tensor;
}

/* A tensor to receive an output in the caller's buffer, or, with NULL and 0, in
   memory of the context. */
static inline onnxc_tensor onnxc_output_buffer(void *data, uint64_t bytes) {
  return onnxc_tensor_of(data, bytes, ONNXC_UNDEFINED, 0, NULL);
}

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_RUNTIME_H */
