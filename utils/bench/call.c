/*===- call.c - Times calls of a compiled model from C ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What compiled.py loads by ctypes: it makes the tensors, and the loop is    *|
|* here, so that a call costs what it costs a C program.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

/* A loaded model, and what the last failure was. */
typedef struct bench_model {
  onnxc_context *context;
  const onnxc_model *model;
  char message[400];
} bench_model;

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Loads the library at `path`, whose query function is `symbol`, for `threads`
   threads. 0, or a status; -1 if it cannot be loaded. */
int bench_open(bench_model *self, const char *path, const char *symbol,
               int threads) {
  onnxc_options options = {0};
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int status;
  const onnxc_model *(*query)(uint32_t) = NULL;
  self->context = NULL;
  self->message[0] = 0;
  if (library)
    *(void **)&query = dlsym(library, symbol);
  if (!query) {
    snprintf(self->message, sizeof self->message, "%s", dlerror());
    return -1;
  }
  options.message = self->message;
  options.message_size = sizeof self->message;
  options.threads = threads;
  self->model = query(ONNXC_ABI_VERSION);
  status = (int)onnxc_create(self->model, &options, &self->context);
  /* Of several levels of processors, the one that runs. */
  if (self->context)
    self->model = self->context->model;
  return status;
}

/* Runs `count` times; the seconds of all, by the clock in seconds[0] and of all
   processors in seconds[1]. The status of the last run. */
int bench_repeat(bench_model *self, const onnxc_tensor *inputs,
                 int32_t num_inputs, onnxc_tensor *outputs, int32_t num_outputs,
                 int64_t count, double *seconds) {
  double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  double wall = read_clock(CLOCK_MONOTONIC);
  int status = ONNXC_OK;
  int64_t i;
  for (i = 0; i < count && status == ONNXC_OK; ++i)
    status =
        (int)onnxc_run(self->context, inputs, num_inputs, outputs, num_outputs);
  seconds[0] = read_clock(CLOCK_MONOTONIC) - wall;
  seconds[1] = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  if (status != ONNXC_OK)
    snprintf(self->message, sizeof self->message, "%s: %s",
             onnxc_status_text(status), onnxc_error(self->context));
  return status;
}

/* The states of the context as they were at first. The status. */
int bench_reset(bench_model *self) { return (int)onnxc_reset(self->context); }
