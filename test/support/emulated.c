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
|* whatever the argument is. Both files have the values one after the other:  *|
|* an onnxc_dtype, rank and dimensions as 64-bit numbers; then the values of  *|
|* which a sequence, an optional or a map consists, or of each text its       *|
|* length and bytes, or the number of bytes of the data and the data.         *|
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

static void *allocate(int64_t bytes) {
  return aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
}

static int is_composite(int dtype) {
  return dtype == ONNXC_SEQUENCE || dtype == ONNXC_OPTIONAL ||
         dtype == ONNXC_MAP;
}

static int64_t count_elements(const onnxc_tensor *tensor) {
  int64_t count = 1;
  int i;
  for (i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static int64_t take_number(FILE *file) {
  int64_t number;
  take(&number, sizeof number, file);
  return number;
}

static void read_value(onnxc_tensor *value, FILE *file) {
  int64_t dims[ONNXC_MAX_RANK], count, bytes, i;
  int dtype = (int)take_number(file), rank = (int)take_number(file);
  take(dims, (size_t)rank * sizeof *dims, file);
  *value = onnxc_tensor_of(NULL, 0, dtype, rank, dims);
  count = count_elements(value);
  if (is_composite(dtype)) {
    count = dtype == ONNXC_MAP ? 2 : count;
    value->bytes = (uint64_t)count * sizeof *value;
    value->data = allocate((int64_t)value->bytes);
    for (i = 0; i < count; ++i)
      read_value((onnxc_tensor *)value->data + i, file);
  } else if (dtype == ONNXC_STRING) {
    value->bytes = (uint64_t)count * sizeof(onnxc_string);
    value->data = allocate((int64_t)value->bytes);
    for (i = 0; i < count; ++i) {
      char *text = allocate(bytes = take_number(file));
      take(text, (size_t)bytes, file);
      text[bytes] = 0;
      ((onnxc_string *)value->data)[i].text = text;
    }
  } else {
    value->bytes = (uint64_t)(bytes = take_number(file));
    value->data = allocate(bytes);
    take(value->data, (size_t)bytes, file);
  }
}

static void write_number(int64_t number, FILE *file) {
  fwrite(&number, sizeof number, 1, file);
}

static void write_value(const onnxc_tensor *value, FILE *file) {
  int64_t count = count_elements(value), i;
  write_number(value->dtype, file);
  write_number(value->rank, file);
  fwrite(value->dims, sizeof *value->dims, (size_t)value->rank, file);
  if (is_composite(value->dtype)) {
    count = value->dtype == ONNXC_MAP ? 2 : count;
    for (i = 0; i < count; ++i)
      write_value((const onnxc_tensor *)value->data + i, file);
  } else if (value->dtype == ONNXC_STRING) {
    for (i = 0; i < count; ++i) {
      const char *text = ((const onnxc_string *)value->data)[i].text;
      write_number((int64_t)strlen(text), file);
      fwrite(text, 1, strlen(text), file);
    }
  } else {
    count *= (int64_t)onnxc_dtype_size(value->dtype);
    write_number(count, file);
    fwrite(value->data, 1, (size_t)count, file);
  }
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
    read_value(&inputs[i], file);
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
    write_value(&outputs[i], file);
  fclose(file);
  onnxc_destroy(context);
  return 0;
}
