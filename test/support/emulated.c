/*===- emulated.c - Runs a model once, for another processor ------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* usage: emulated MODEL.so INPUTS OUTPUTS                                    *|
|*                                                                            *|
|* The library's prefix is "model"; on Windows the program is linked with it, *|
|* whatever the argument is. Both files have the tensors one after the other: *|
|* type, rank, dimensions and bytes as 64-bit numbers, the data.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "vectors_in_qemu.h"

#include <onnxc/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <malloc.h>
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#else
#include <dlfcn.h>
#endif

#define MAX_TENSORS 256

static void fail(const char *what, const char *why) {
  fprintf(stderr, "emulated: %s: %s\n", what, why);
  exit(1);
}

static void take(void *to, size_t bytes, FILE *file) {
  if (fread(to, 1, bytes, file) != bytes)
    fail("inputs", "the file is too short");
}

static void read_tensor(onnxc_tensor *tensor, FILE *file) {
  int64_t head[2], dims[ONNXC_MAX_RANK], bytes;
  void *data;
  take(head, sizeof head, file);
  take(dims, (size_t)head[1] * sizeof *dims, file);
  take(&bytes, sizeof bytes, file);
  data = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
  take(data, (size_t)bytes, file);
  *tensor = onnxc_tensor_over(data, (int)head[0], (int)head[1], dims);
}

static void write_tensor(const onnxc_tensor *tensor, FILE *file) {
  int64_t head[2] = {tensor->dtype, tensor->rank}, bytes;
  int i;
  bytes = (int64_t)onnxc_dtype_size(tensor->dtype);
  for (i = 0; i < tensor->rank; ++i)
    bytes *= tensor->dims[i];
  fwrite(head, sizeof head, 1, file);
  fwrite(tensor->dims, sizeof *tensor->dims, (size_t)tensor->rank, file);
  fwrite(&bytes, sizeof bytes, 1, file);
  fwrite(tensor->data, 1, (size_t)bytes, file);
}

typedef const onnxc_model *(*query_function)(uint32_t);

#ifdef _WIN32
const onnxc_model *model_query(uint32_t version);
static query_function find_query(const char *path) {
  (void)path;
  return model_query;
}
#else
static query_function find_query(const char *path) {
  query_function query;
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    fail("dlopen", dlerror());
  *(void **)&query = dlsym(library, "model_query");
  return query;
}
#endif

int main(int argc, char **argv) {
  static onnxc_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  query_function query;
  const onnxc_model *model;
  onnxc_context *context = NULL;
  onnxc_options options;
  char message[256] = "";
  onnxc_status status;
  FILE *file;
  int i;
  if (argc != 4)
    fail("usage", "emulated MODEL.so INPUTS OUTPUTS");
  query = find_query(argv[1]);
  model = query ? query(ONNXC_ABI_VERSION) : NULL;
  if (!model || model->num_inputs > MAX_TENSORS ||
      model->num_outputs > MAX_TENSORS)
    fail("query", "no model, or one with too many inputs or outputs");
  file = fopen(argv[2], "rb");
  if (!file)
    fail(argv[2], "cannot be read");
  for (i = 0; i < model->num_inputs; ++i)
    read_tensor(&inputs[i], file);
  fclose(file);
  memset(&options, 0, sizeof options);
  options.message = message;
  options.message_size = sizeof message;
  options.threads = 2;
  if (onnxc_create(model, &options, &context) != ONNXC_OK)
    fail("create", message);
  for (i = 0; i < model->num_outputs; ++i)
    outputs[i] = onnxc_output_buffer(NULL, 0);
  status = onnxc_run(context, inputs, model->num_inputs, outputs,
                     model->num_outputs);
  if (status != ONNXC_OK)
    fail("run", onnxc_error(context));
  file = fopen(argv[3], "wb");
  if (!file)
    fail(argv[3], "cannot be written");
  for (i = 0; i < model->num_outputs; ++i)
    write_tensor(&outputs[i], file);
  fclose(file);
  onnxc_destroy(context);
  return 0;
}
