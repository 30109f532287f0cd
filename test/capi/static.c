// A model whose sizes are all fixed: what it says about itself, its typed
// function, and the two kinds of output memory.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc-emit %root/test/Emit/Inputs/linear.mlir -o %t/linear.so
// RUN: %cc -I %t %s %t/linear.so -o %t/run && %t/run
// RUN: not grep "known after the run" %t/linear.h
// RUN: onnxc-emit %root/test/Emit/Inputs/linear.mlir -O0 -o %t/linear.o
// RUN: %cc -I %t %s %t/linear.o -o %t/run && %t/run
// RUN: onnxc-emit %root/test/Emit/Inputs/linear.mlir -O3 -o %t/linear.a
// RUN: %cc -I %t %s %t/linear.a -o %t/run && %t/run
// RUN: %cxx -I %t -x c++ %s -x none %t/linear.a -o %t/run && %t/run

#include "linear.h"

#include "check.h"

#include <string.h>

static const float x[linear_x_elements] = {1, 2, 3, 4, 5, 6};
static const float want[linear_y_elements] = {9,    23,   37,   51,
                                              10.5, 30.5, 50.5, 70.5};

static void describes_itself(const onnxc_model *model) {
  CHECK(linear_query(ONNXC_ABI_VERSION + 1) == NULL);
  CHECK(model->abi_version == ONNXC_ABI_VERSION);
  CHECK(!strcmp(model->name, "linear") && !strcmp(model->producer, "by hand"));
  CHECK(model->opset == 21);
  CHECK(strstr(model->target_triple, "linux") && *model->target_cpu);
  CHECK(model->num_inputs == 1 && model->num_outputs == 1);
  CHECK(model->workspace_bytes == 64 && model->weight_bytes == 528);
  CHECK(!strcmp(model->inputs[0].name, "x"));
  CHECK(model->inputs[0].dtype == ONNXC_FLOAT && model->inputs[0].rank == 2);
  CHECK(model->inputs[0].dims[0] == 2 && model->inputs[0].dims[1] == 3);
  CHECK(!*model->inputs[0].symbols[0]);
  CHECK(!strcmp(model->outputs[0].name, "y"));
}

static void runs_typed(onnxc_context *context) {
  float y[linear_y_elements];
  memset(y, 0, sizeof y);
  CHECK(linear_run(context, x, y) == ONNXC_OK);
  CHECK(!memcmp(y, want, sizeof y));
  CHECK(!*onnxc_error(context));
  CHECK(linear_run(context, NULL, y) == ONNXC_INVALID_INPUT);
  CHECK(linear_run(context, x, NULL) == ONNXC_INVALID_ARGUMENT);
  CHECK(linear_run(NULL, x, y) == ONNXC_INVALID_ARGUMENT);
}

static void allocates_outputs(onnxc_context *context) {
  static const int64_t dims[] = {2, 3};
  onnxc_tensor in = onnxc_tensor_over(x, ONNXC_FLOAT, 2, dims);
  onnxc_tensor out = onnxc_output_buffer(NULL, 0);
  onnxc_tensor back;
  void *first;
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_OK);
  CHECK(out.dtype == ONNXC_FLOAT && out.rank == 2 && out.dims[0] == 2);
  CHECK(out.dims[1] == 4 && out.bytes == sizeof want);
  CHECK((uintptr_t)out.data % 64 == 0);
  CHECK(!memcmp(out.data, want, sizeof want));
  // The same tensor again: the context knows its memory, and reuses it.
  first = out.data;
  memset(out.data, 0, sizeof want);
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_OK);
  CHECK(out.data == first && !memcmp(out.data, want, sizeof want));
  // The result as an input of the next run: that one gets other memory.
  back = onnxc_tensor_of(out.data, 24, ONNXC_FLOAT, 2, dims);
  CHECK(onnxc_run(context, &back, 1, &out, 1) == ONNXC_OK);
  CHECK(out.data != first && !memcmp(first, want, sizeof want));
  CHECK(((float *)out.data)[0] == 9 + 23 * .5f - 37 + 10);
}

static void refuses_small_buffers(onnxc_context *context) {
  static const int64_t dims[] = {2, 3};
  float y[8];
  onnxc_tensor in = onnxc_tensor_over(x, ONNXC_FLOAT, 2, dims);
  onnxc_tensor out = onnxc_output_buffer(y, sizeof y - 1);
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_BUFFER_TOO_SMALL);
  CHECK(!strcmp(onnxc_error(context),
                "output 'y': expected a buffer of 32 bytes, got 31"));
  CHECK(out.rank == 2 && out.dims[0] == 2 && out.dims[1] == 4);
  out = onnxc_output_buffer(y, sizeof y);
  out.dtype = ONNXC_DOUBLE;
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "output 'y': expected a buffer of float, got double"));
  out = onnxc_output_buffer((char *)y + 1, sizeof y);
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_INVALID_ARGUMENT);
  memcpy(y, x, sizeof x);
  in = onnxc_tensor_over(y, ONNXC_FLOAT, 2, dims);
  out = onnxc_output_buffer(y, sizeof y);
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "output 'y': its buffer overlaps input 'x'"));
}

int main(void) {
  onnxc_context *context = NULL;
  describes_itself(linear_query(ONNXC_ABI_VERSION));
  CHECK(linear_create(NULL, &context) == ONNXC_OK && context);
  runs_typed(context);
  allocates_outputs(context);
  refuses_small_buffers(context);
  runs_typed(context);
  onnxc_destroy(context);
  onnxc_destroy(NULL);
  return 0;
}
