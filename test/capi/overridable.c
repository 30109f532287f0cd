// A model with initializers that a run may override: the descriptor, NULL for a
// default value, what is refused, the typed functions, and callers of version 2
// of the interface, who do not know of them.
//
// RUN: rm -rf %t && mkdir -p %t
// The textual syntax has no open sizes of values.
// RUN: %python -c "import onnx; m = onnx.parser.parse_model(open(r'%S/Inputs/overridable.onnxtxt').read()); m.graph.input[3].type.tensor_type.shape.dim[0].dim_param = 'm'; onnx.save(m, r'%t/m.onnx')"
// RUN: onnxc %t/m.onnx -o %t/overridable.so
// RUN: %cc -I %t %s %t/overridable.so -o %t/run && %t/run
// RUN: onnxc %t/m.onnx -O0 -o %t/overridable.a
// RUN: %cc -I %t %s %t/overridable.a -fsanitize=address,undefined -o %t/run && %t/run
// RUN: onnxc %t/m.onnx -O1 -o %t/overridable.o
// RUN: %cxx -I %t -x c++ %s -x none %t/overridable.o -o %t/run && %t/run
// RUN: FileCheck %s --input-file %t/overridable.h
//
// CHECK: Inputs:
// CHECK-NEXT: x  float [2, 4]
// CHECK: Inputs with default values:
// CHECK-NEXT: w  float [4, 3]
// CHECK-NEXT: s  int64 [2]
// CHECK-NEXT: c  float [m]
// CHECK: w  input 'w', float [4, 3]; NULL: the model's default value
// CHECK: overridable_run_overriding(onnxc_context *context,

#include "overridable.h"

#include "check.h"

#include <string.h>

static const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float by_default[6] = {1, 2, 3, 5, 6, 7};
static const float w[12] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0};
static const float doubled[6] = {2, 4, 6, 10, 12, 14};
static const int64_t s[2] = {1, 6};
static const float c[3] = {7, 8, 9};

enum { in_x, in_w, in_s, in_c, num_inputs };
enum { out_y, out_r, out_d, num_outputs };

static void describes_itself(const onnxc_model *model) {
  const onnxc_tensor *value;
  CHECK(model->num_inputs == 1 && model->num_overridable == 3);
  CHECK(!strcmp(model->inputs[in_x].name, "x"));
  CHECK(!strcmp(model->inputs[in_w].name, "w"));
  CHECK(!strcmp(model->inputs[in_s].name, "s"));
  CHECK(!onnxc_default(model, in_x) && !onnxc_default(model, num_inputs));
  value = onnxc_default(model, in_w);
  CHECK(value->dtype == ONNXC_FLOAT && value->rank == 2 && value->bytes == 48);
  CHECK(value->dims[0] == 4 && value->dims[1] == 3);
  CHECK(((const float *)value->data)[4] == 1);
  value = onnxc_default(model, in_s);
  CHECK(((const int64_t *)value->data)[0] == 3);
  CHECK(model->inputs[in_c].dims[0] == -1);
  CHECK(onnxc_default(model, in_c)->dims[0] == 2);
  // What holds for all values of s.
  CHECK(model->outputs[out_y].dims[1] == 3);
  CHECK(model->outputs[out_r].dims[0] == -1 &&
        model->outputs[out_r].dims[1] == -1);
  CHECK(model->outputs[out_d].dims[0] == -1);
}

static void prepare(onnxc_tensor in[num_inputs],
                    onnxc_tensor out[num_outputs]) {
  static const int64_t dims[] = {2, 4};
  memset(in, 0, num_inputs * sizeof *in);
  in[in_x] = onnxc_tensor_over(x, ONNXC_FLOAT, 2, dims);
  out[out_y] = out[out_r] = out[out_d] = onnxc_output_buffer(NULL, 0);
}

static void runs(onnxc_context *context) {
  static const int64_t w_dims[] = {4, 3}, s_dims[] = {2}, c_dims[] = {3};
  onnxc_tensor in[num_inputs], out[num_outputs];
  int32_t count;
  // As many inputs as one likes, behind those that must be.
  for (count = 1; count <= num_inputs; ++count) {
    prepare(in, out);
    CHECK(onnxc_run(context, in, count, out, num_outputs) == ONNXC_OK);
    CHECK(!memcmp(out[out_y].data, by_default, sizeof by_default));
    CHECK(out[out_r].dims[0] == 3 && out[out_r].dims[1] == 2);
    CHECK(out[out_d].dims[0] == 2 && ((float *)out[out_d].data)[1] == -2);
  }
  prepare(in, out);
  in[in_w] = onnxc_tensor_over(w, ONNXC_FLOAT, 2, w_dims);
  CHECK(onnxc_run(context, in, 2, out, num_outputs) == ONNXC_OK);
  CHECK(!memcmp(out[out_y].data, doubled, sizeof doubled));
  CHECK(out[out_r].dims[0] == 3);
  in[in_w].data = NULL;
  in[in_s] = onnxc_tensor_over(s, ONNXC_INT64, 1, s_dims);
  in[in_c] = onnxc_tensor_over(c, ONNXC_FLOAT, 1, c_dims);
  CHECK(onnxc_run(context, in, num_inputs, out, num_outputs) == ONNXC_OK);
  CHECK(!memcmp(out[out_y].data, by_default, sizeof by_default));
  CHECK(out[out_r].dims[0] == 1 && out[out_r].dims[1] == 6);
  CHECK(out[out_d].dims[0] == 3 && ((float *)out[out_d].data)[2] == -9);
}

static void refuses(onnxc_context *context) {
  static const int64_t w_dims[] = {4, 4}, s_dims[] = {2};
  static const int64_t seven[] = {1, 7};
  onnxc_tensor in[num_inputs + 1], out[num_outputs];
  prepare(in, out);
  CHECK(onnxc_run(context, in, 0, out, num_outputs) == ONNXC_INVALID_ARGUMENT);
  CHECK(onnxc_run(context, in, num_inputs + 1, out, num_outputs) ==
        ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "the model has 1 inputs and 3 more with default values, the "
                "call gives 5"));
  in[in_w] = onnxc_tensor_over(w, ONNXC_FLOAT, 2, w_dims);
  CHECK(onnxc_run(context, in, 2, out, num_outputs) == ONNXC_INVALID_INPUT);
  CHECK(!strcmp(onnxc_error(context),
                "input 'w': expected float [4, 3], got float [4, 4]"));
  in[in_w].data = NULL;
  in[in_s] = onnxc_tensor_over(s, ONNXC_DOUBLE, 1, s_dims);
  CHECK(onnxc_run(context, in, 3, out, num_outputs) == ONNXC_INVALID_INPUT);
  // A value that does not fit is the run's error.
  in[in_s] = onnxc_tensor_over(seven, ONNXC_INT64, 1, s_dims);
  CHECK(onnxc_run(context, in, 3, out, num_outputs) == ONNXC_RUNTIME_ERROR);
  // An input that must be given has no default.
  in[in_x].data = NULL;
  CHECK(onnxc_run(context, in, 1, out, num_outputs) == ONNXC_INVALID_INPUT);
}

static void runs_typed(onnxc_context *context) {
  float y[overridable_y_elements];
  onnxc_tensor r = onnxc_output_buffer(NULL, 0), d = r;
  CHECK(overridable_run(context, x, y, &r, &d) == ONNXC_OK);
  CHECK(!memcmp(y, by_default, sizeof y) && r.dims[0] == 3);
  CHECK(overridable_run_overriding(context, 0, x, NULL, NULL, NULL, y, &r,
                                   &d) == ONNXC_OK);
  CHECK(!memcmp(y, by_default, sizeof y) && d.dims[0] == 2);
  CHECK(overridable_run_overriding(context, 3, x, w, s, c, y, &r, &d) ==
        ONNXC_OK);
  CHECK(!memcmp(y, doubled, sizeof y) && r.dims[0] == 1 && d.dims[0] == 3);
}

// Callers of version 2 know of no inputs behind num_inputs.
static void serves_older_callers(void) {
  const onnxc_model *model = overridable_query(2);
  onnxc_tensor in[num_inputs], out[num_outputs];
  onnxc_context *context = NULL;
  CHECK(model && model->abi_version == 2 && model->num_inputs == 1);
  CHECK(model->create(model, NULL, &context) == ONNXC_OK);
  prepare(in, out);
  CHECK(model->run(context, in, 1, out, num_outputs) == ONNXC_OK);
  CHECK(!memcmp(out[out_y].data, by_default, sizeof by_default));
  model->destroy(context);
}

int main(void) {
  onnxc_context *context = NULL;
  describes_itself(overridable_query(ONNXC_ABI_VERSION));
  CHECK(overridable_create(NULL, &context) == ONNXC_OK);
  runs(context);
  refuses(context);
  runs_typed(context);
  runs(context);
  onnxc_destroy(context);
  serves_older_callers();
  return 0;
}
