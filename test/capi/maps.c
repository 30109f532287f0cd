// Maps through the C interface: keys and values are two vectors.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc %S/Inputs/maps.mlir --start-from=upgrade -o %t/maps.so
// RUN: %cc -I %t %s %t/maps.so -o %t/run && %t/run
// RUN: onnxc %S/Inputs/maps.mlir --start-from=upgrade -O0 -o %t/maps.a
// RUN: %cc -I %t %s %t/maps.a -fsanitize=address,undefined -o %t/run
// RUN: %t/run

#include "maps.h"

#include "check.h"

#include <string.h>

static const char *const keys[2] = {"c", "a"};
static const float values[2] = {3, 1};
static const float rows[4] = {0.25f, 0.75f, 0.5f, 0.125f};

// The map {"c": 3, "a": 1}, and two rows.
static void prepare(onnxc_tensor parts[2], onnxc_tensor in[2]) {
  int64_t two = 2, dims[2] = {2, 2};
  parts[0] = onnxc_tensor_over(keys, ONNXC_STRING, 1, &two);
  parts[1] = onnxc_tensor_over(values, ONNXC_FLOAT, 1, &two);
  in[0] = onnxc_tensor_of(parts, 2 * sizeof *parts, ONNXC_MAP, 1, &two);
  in[1] = onnxc_tensor_over(rows, ONNXC_FLOAT, 2, dims);
}

static onnxc_status run(onnxc_context *context, onnxc_tensor in[2],
                        onnxc_tensor out[2]) {
  out[0] = out[1] = onnxc_output_buffer(NULL, 0);
  return onnxc_run(context, in, 2, out, 2);
}

static void runs(onnxc_context *context) {
  onnxc_tensor parts[2], in[2], out[2];
  prepare(parts, in);
  CHECK(run(context, in, out) == ONNXC_OK);
  const float *row = (const float *)out[0].data;
  CHECK(row[0] == 1 && row[1] == 0 && row[2] == 3);
  CHECK(out[1].dtype == ONNXC_SEQUENCE && out[1].dims[0] == 2);
  const onnxc_tensor *second = (const onnxc_tensor *)out[1].data + 1;
  CHECK(second->dtype == ONNXC_MAP);
  const onnxc_tensor *pair = (const onnxc_tensor *)second->data;
  CHECK(pair[0].dtype == ONNXC_INT64 && pair[0].dims[0] == 2);
  CHECK(((const int64_t *)pair[0].data)[1] == 9);
  CHECK(((const float *)pair[1].data)[1] == 0.125f);
  // All maps have the keys of the first.
  const onnxc_tensor *first = (const onnxc_tensor *)out[1].data;
  CHECK(((const onnxc_tensor *)first->data)[0].data == pair[0].data);
  CHECK(((const float *)((const onnxc_tensor *)first->data)[1].data)[1] ==
        0.75f);

  // A map's parts lie where they lie: the caller's buffer may be behind them.
  float buffer[3];
  out[0] = onnxc_output_buffer(buffer, sizeof buffer);
  out[1] = onnxc_output_buffer(NULL, 0);
  CHECK(onnxc_run(context, in, 2, out, 2) == ONNXC_OK);
  CHECK(buffer[0] == 1 && buffer[1] == 0 && buffer[2] == 3);
  out[0] = onnxc_output_buffer(parts, sizeof parts);
  CHECK(onnxc_run(context, in, 2, out, 2) == ONNXC_INVALID_ARGUMENT);
}

static void refuses(onnxc_context *context) {
  onnxc_tensor parts[2], in[2], out[2];
  prepare(parts, in);
  parts[1].dims[0] = 1; // a key without a value
  CHECK(run(context, in, out) == ONNXC_INVALID_INPUT);
  CHECK(strstr(onnxc_error(context), "input 'm': expected a value of type "
                                     "map(string,tensor(float))"));
  prepare(parts, in);
  parts[0].dtype = ONNXC_INT64;
  CHECK(run(context, in, out) == ONNXC_INVALID_INPUT);
}

int main(void) {
  const onnxc_model *model = maps_query(ONNXC_ABI_VERSION);
  CHECK(!strcmp(model->inputs[0].type, "map(string,tensor(float))"));
  CHECK(!strcmp(model->outputs[1].type, "seq(map(int64,tensor(float)))"));
  onnxc_context *context;
  CHECK(onnxc_create(model, NULL, &context) == ONNXC_OK);
  runs(context);
  refuses(context);
  runs(context);
  onnxc_destroy(context);
}
