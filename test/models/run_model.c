/*===- run_model.c - A compiled model from C ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* run_model MODEL.so PREFIX RUNS INPUT... -- OUTPUT...                       *|
|*                                                                            *|
|* Inputs and outputs are files, in the model's order: a line of text with    *|
|* the number of the element type, the rank and the dimensions, then the      *|
|* elements. Runs the model RUNS times in one context, every time into the    *|
|* context's own memory, then once into buffers of its own, which must give   *|
|* the same bytes. Prints the seconds of the fastest run.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include <onnxc/runtime.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_TENSORS = 64 };

static void fail(const char *what, const char *why) {
  fprintf(stderr, "run_model: %s: %s\n", what, why);
  exit(1);
}

static onnxc_tensor read_tensor(const char *path) {
  FILE *file = fopen(path, "rb");
  onnxc_tensor tensor = onnxc_output_buffer(NULL, 0);
  long dim;
  int dtype = 0, rank = 0, i;
  if (!file || fscanf(file, "%d %d", &dtype, &rank) != 2)
    fail(path, "cannot be read");
  tensor.dtype = dtype;
  tensor.rank = rank;
  for (i = 0; i < rank; ++i) {
    if (fscanf(file, "%ld", &dim) != 1)
      fail(path, "cannot be read");
    tensor.dims[i] = dim;
  }
  if (fgetc(file) != '\n')
    fail(path, "cannot be read");
  tensor.bytes = onnxc_tensor_bytes(&tensor);
  tensor.data = malloc(tensor.bytes + 1);
  if (!tensor.data || fread(tensor.data, 1, tensor.bytes, file) != tensor.bytes)
    fail(path, "is cut short");
  fclose(file);
  return tensor;
}

static void write_tensor(const char *path, const onnxc_tensor *tensor) {
  FILE *file = fopen(path, "wb");
  uint64_t bytes = onnxc_tensor_bytes(tensor);
  int i;
  if (!file)
    fail(path, "cannot be written");
  fprintf(file, "%d %d", (int)tensor->dtype, (int)tensor->rank);
  for (i = 0; i < tensor->rank; ++i)
    fprintf(file, " %ld", (long)tensor->dims[i]);
  fputc('\n', file);
  if (fwrite(tensor->data, 1, bytes, file) != bytes || fclose(file) != 0)
    fail(path, "cannot be written");
}

/* The allocator of the context: counts what it is asked for. */
static long allocations;

static void *allocate(void *user, size_t bytes, size_t alignment) {
  (void)user;
  ++allocations;
  return aligned_alloc(alignment, bytes);
}

static void release(void *user, void *memory, size_t bytes) {
  (void)user;
  (void)bytes;
  free(memory);
}

/* Whether all sizes at the interface are fixed. */
static int is_static(const onnxc_value_info *values, int32_t count) {
  int32_t i, d;
  for (i = 0; i < count; ++i) {
    if (values[i].rank < 0 || values[i].dtype == ONNXC_STRING)
      return 0;
    for (d = 0; d < values[i].rank; ++d)
      if (values[i].dims[d] < 0)
        return 0;
  }
  return 1;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The model of a library whose functions begin with `prefix`. */
static const onnxc_model *load_model(const char *path, const char *prefix) {
  const onnxc_model *(*query)(uint32_t);
  const onnxc_model *model;
  char symbol[256];
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(path, dlerror());
  snprintf(symbol, sizeof symbol, "%s_query", prefix);
  *(void **)&query = dlsym(library, symbol);
  if (!query)
    fail(symbol, "no such function");
  model = query(ONNXC_ABI_VERSION);
  if (!model || model->num_inputs > MAX_TENSORS ||
      model->num_outputs > MAX_TENSORS)
    fail(path, "unfit model");
  return model;
}

int main(int argc, char **argv) {
  onnxc_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS], own[MAX_TENSORS];
  const onnxc_model *model;
  onnxc_context *context;
  onnxc_options options = {0};
  char message[256] = "";
  double best = 1e30;
  long steady = 0;
  int runs, run, i, num_inputs = 0;

  if (argc < 5)
    fail("usage", "MODEL.so PREFIX RUNS INPUT... -- OUTPUT...");
  model = load_model(argv[1], argv[2]);
  runs = atoi(argv[3]);
  for (i = 4; i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (num_inputs < MAX_TENSORS)
      inputs[num_inputs++] = read_tensor(argv[i]);
  if (argc - i - 1 != model->num_outputs)
    fail("usage", "wrong number of outputs");
  argv += i + 1;

  options.allocate = allocate;
  options.release = release;
  options.message = message;
  options.message_size = sizeof message;
  if (onnxc_create(model, &options, &context) != ONNXC_OK)
    fail(model->name, message);
  for (i = 0; i < model->num_outputs; ++i)
    outputs[i] = onnxc_output_buffer(NULL, 0);
  for (run = 0; run < runs; ++run) {
    double start = now();
    if (onnxc_run(context, inputs, num_inputs, outputs, model->num_outputs) !=
        ONNXC_OK)
      fail(model->name, onnxc_error(context));
    start = now() - start;
    best = start < best ? start : best;
    if (run == 0)
      steady = allocations;
  }
  for (i = 0; i < model->num_outputs; ++i) {
    uint64_t bytes = onnxc_tensor_bytes(&outputs[i]);
    write_tensor(argv[i], &outputs[i]);
    own[i] = onnxc_output_buffer(malloc(bytes + 1), bytes + 1);
  }
  /* The context's outputs are read after this run: copy them first. */
  for (i = 0; i < model->num_outputs; ++i) {
    uint64_t bytes = onnxc_tensor_bytes(&outputs[i]);
    void *copy = malloc(bytes + 1);
    if (!copy || !own[i].data)
      fail(model->name, "out of memory");
    outputs[i].data = memcpy(copy, outputs[i].data, bytes);
  }
  if (onnxc_run(context, inputs, num_inputs, own, model->num_outputs) !=
      ONNXC_OK)
    fail(model->name, onnxc_error(context));
  for (i = 0; i < model->num_outputs; ++i)
    if (onnxc_tensor_bytes(&own[i]) != onnxc_tensor_bytes(&outputs[i]) ||
        memcmp(own[i].data, outputs[i].data, onnxc_tensor_bytes(&own[i])) != 0)
      fail(model->outputs[i].name, "differs between two runs");
  if (allocations != steady && is_static(model->inputs, model->num_inputs) &&
      is_static(model->outputs, model->num_outputs))
    fail(model->name, "all sizes are fixed, and a later run allocates");

  printf("%.6f\n", best);
  for (i = 0; i < num_inputs; ++i)
    free(inputs[i].data);
  for (i = 0; i < model->num_outputs; ++i) {
    free(own[i].data);
    free(outputs[i].data);
  }
  onnxc_destroy(context);
  return 0;
}
