// Two models in one program: an archive and an object, and the same model under
// another prefix. They share no symbol.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc-emit %root/test/Emit/Inputs/linear.mlir -o %t/linear.a
// RUN: onnxc-emit %root/test/Emit/Inputs/linear.mlir --prefix=other -o %t/other.o
// RUN: onnxc-emit %root/test/Emit/Inputs/dynamic.mlir -o %t/dynamic.so
// RUN: %cc -I %t %s %t/linear.a %t/other.o %t/dynamic.so -o %t/run && %t/run
// RUN: %cxx -I %t -x c++ %s -x none %t/linear.a %t/other.o %t/dynamic.so -o %t/run && %t/run

#include "dynamic.h"
#include "linear.h"
#include "other.h"

#include "check.h"

int main(void) {
  float x[linear_x_elements] = {1, 2, 3, 4, 5, 6};
  float y[linear_y_elements], z[other_y_elements];
  onnxc_context *linear, *other, *dynamic;
  CHECK(linear_query(ONNXC_ABI_VERSION) != other_query(ONNXC_ABI_VERSION));
  CHECK(linear_create(NULL, &linear) == ONNXC_OK);
  CHECK(other_create(NULL, &other) == ONNXC_OK);
  CHECK(dynamic_create(NULL, &dynamic) == ONNXC_OK);
  CHECK(linear_run(linear, x, y) == ONNXC_OK && y[0] == 9);
  CHECK(other_run(other, x, z) == ONNXC_OK && z[7] == y[7]);
  onnxc_destroy(linear);
  onnxc_destroy(other);
  onnxc_destroy(dynamic);
  return 0;
}
