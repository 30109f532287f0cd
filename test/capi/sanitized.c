// --sanitize=address reports what generated code does beyond its memory: beyond
// an input and an output whose buffers are smaller than the call says, and
// beyond an intermediate result. A run within bounds is not reported.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc %S/Inputs/sanitized.mlir --sanitize=address -O2 -o %t/sanitized.a
// RUN: %cc -I %t %s %t/sanitized.a -pthread -fsanitize=address -o %t/O2
// RUN: %t/O2 none
// RUN: not %t/O2 input 2>&1 | FileCheck %s --check-prefixes=CHECK,INPUT
// RUN: not %t/O2 output 2>&1 | FileCheck %s --check-prefixes=CHECK,OUTPUT
// RUN: not %t/O2 index 2>&1 | FileCheck %s --check-prefixes=CHECK,INDEX
//
// RUN: onnxc %S/Inputs/sanitized.mlir --sanitize=address -O0 -o %t/sanitized.so
// RUN: %cc -I %t %s %t/sanitized.so -fsanitize=address -o %t/O0
// RUN: %t/O0 none
// RUN: not %t/O0 input 2>&1 | FileCheck %s --check-prefixes=CHECK,INPUT
// RUN: not %t/O0 output 2>&1 | FileCheck %s --check-prefixes=CHECK,OUTPUT
// RUN: not %t/O0 index 2>&1 | FileCheck %s --check-prefixes=CHECK,INDEX
//
// Code that is not instrumented is not checked.
// RUN: onnxc %S/Inputs/sanitized.mlir -O2 -o %t/sanitized.a
// RUN: %cc -I %t %s %t/sanitized.a -pthread -fsanitize=address -o %t/plain
// RUN: %t/plain input
//
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// INPUT: READ of size
// OUTPUT: WRITE of size
// INDEX: READ of size 4
// Of code that onnxc made; at -O0 it may be memset that it calls.
// CHECK: #{{[01]}} {{.*}} in {{[a-z_0-9]+}} onnxc
// INPUT: 192-byte region
// OUTPUT: 288-byte region
// INDEX: 256-byte region

#include "sanitized.h"

#include "check.h"

#include <string.h>

enum { rows = 4 };

int main(int argc, char **argv) {
  const char *fault = argc > 1 ? argv[1] : "none";
  int64_t x_rows = strcmp(fault, "input") ? rows : rows - 1;
  int64_t y_rows = strcmp(fault, "output") ? rows : rows - 1;
  float *x = calloc((size_t)x_rows * 16, sizeof *x);
  float *w = calloc(16 * 24, sizeof *w);
  float *y = calloc((size_t)y_rows * 24, sizeof *y);
  int64_t i = strcmp(fault, "index") ? rows - 1 : rows;
  const int64_t x_dims[] = {rows, 16}, w_dims[] = {16, 24};
  onnxc_context *context;
  onnxc_tensor in[3], out[2];
  CHECK(x && w && y);
  in[0] = onnxc_tensor_of(x, sizeof *x * rows * 16, ONNXC_FLOAT, 2, x_dims);
  in[1] = onnxc_tensor_of(w, sizeof *w * 16 * 24, ONNXC_FLOAT, 2, w_dims);
  in[2] = onnxc_tensor_of(&i, sizeof i, ONNXC_INT64, 0, NULL);
  out[0] = onnxc_output_buffer(y, sizeof *y * rows * 24);
  out[1] = onnxc_output_buffer(NULL, 0);
  CHECK(sanitized_create(NULL, &context) == ONNXC_OK);
  CHECK(onnxc_run(context, in, 3, out, 2) == ONNXC_OK);
  CHECK(*(float *)out[1].data == 1);
  onnxc_destroy(context);
  free(x);
  free(w);
  free(y);
  return 0;
}
