// Sequences, optionals and strings through the C interface: what is described,
// what is refused, who owns the memory.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc %S/Inputs/sequences.mlir --start-from=upgrade -o %t/sequences.so
// RUN: %cc -I %t %s %t/sequences.so -o %t/run && %t/run
// RUN: onnxc %S/Inputs/sequences.mlir --start-from=upgrade -O0 -o %t/sequences.a
// RUN: %cc -I %t %s %t/sequences.a -fsanitize=address,undefined -o %t/run
// RUN: %t/run

#include "sequences.h"

#include "check.h"

#include <string.h>

static const float numbers[4] = {1, 2, 3, 4};
static const char *const words[2] = {"one", "two"};

static onnxc_tensor floats(const float *data, int64_t count) {
  return onnxc_tensor_over(data, ONNXC_FLOAT, 1, &count);
}

static onnxc_tensor composite(int dtype, const onnxc_tensor *parts,
                              int64_t count) {
  return onnxc_tensor_of(parts, sizeof *parts * (uint64_t)count, dtype, 1,
                         &count);
}

// The sequence ([1, 2, 3, 4], [1]), x = [1, 2], i, and the optional words.
typedef struct feeds {
  onnxc_tensor parts[2];
  onnxc_tensor text;
  int64_t i;
  onnxc_tensor in[4];
} feeds;

static void prepare(feeds *f, int64_t i, int with_words) {
  int64_t two = 2;
  f->parts[0] = floats(numbers, 4);
  f->parts[1] = floats(numbers, 1);
  f->text = onnxc_tensor_over(words, ONNXC_STRING, 1, &two);
  f->i = i;
  f->in[0] = composite(ONNXC_SEQUENCE, f->parts, 2);
  f->in[1] = floats(numbers, 2);
  f->in[2] = onnxc_tensor_over(&f->i, ONNXC_INT64, 0, NULL);
  f->in[3] = composite(ONNXC_OPTIONAL, &f->text, with_words);
}

static onnxc_status run(onnxc_context *context, feeds *f, onnxc_tensor out[5]) {
  for (int k = 0; k < 5; ++k)
    out[k] = onnxc_output_buffer(NULL, 0);
  return onnxc_run(context, f->in, 4, out, 5);
}

static float last_of(const onnxc_tensor *sequence) {
  CHECK(sequence->dtype == ONNXC_SEQUENCE && sequence->rank == 1);
  CHECK(sequence->dims[0] == 4);
  const onnxc_tensor *part = (const onnxc_tensor *)sequence->data + 3;
  CHECK(part->dtype == ONNXC_FLOAT && part->rank == 1 && part->dims[0] == 2);
  return ((const float *)part->data)[1];
}

static void runs(onnxc_context *context) {
  feeds f;
  onnxc_tensor out[5];
  prepare(&f, -1, 1);
  CHECK(run(context, &f, out) == ONNXC_OK);
  CHECK(last_of(&out[0]) == 2 && last_of(&out[1]) == -2);
  CHECK(out[2].dims[0] == 1 && *(float *)out[2].data == 1);
  CHECK(out[3].dtype == ONNXC_OPTIONAL && out[3].dims[0] == 1);
  const onnxc_tensor *text = (const onnxc_tensor *)out[3].data;
  CHECK(text->dtype == ONNXC_STRING && text->dims[0] == 2);
  const char *const *texts = (const char *const *)text->data;
  CHECK(!strcmp(texts[1], "two") && texts[1] != words[1]);
  CHECK(*(uint8_t *)out[4].data == 1);

  // The results are inputs of the next run.
  feeds g;
  prepare(&g, 3, 0);
  g.in[0] = out[1];
  onnxc_tensor next[5];
  CHECK(run(context, &g, next) == ONNXC_OK);
  CHECK(next[0].dims[0] == 6 && ((float *)next[2].data)[1] == -2);
  CHECK(next[3].dims[0] == 0 && *(uint8_t *)next[4].data == 0);
}

static void expect(onnxc_context *context, feeds *f, onnxc_status status,
                   const char *text) {
  onnxc_tensor out[5];
  onnxc_status got = run(context, f, out);
  if (got != status || !strstr(onnxc_error(context), text)) {
    fprintf(stderr, "got %d %s\nexpected %d %s\n", (int)got,
            onnxc_error(context), (int)status, text);
    exit(1);
  }
}

static void refuses(onnxc_context *context) {
  feeds f;
  prepare(&f, 2, 1);
  expect(context, &f, ONNXC_RUNTIME_ERROR,
         "position 2 is out of range for a sequence of 2 elements");
  prepare(&f, 0, 1);
  f.parts[1].dtype = ONNXC_INT32;
  expect(context, &f, ONNXC_INVALID_INPUT,
         "input 's': expected a value of type seq(tensor(float))");
  prepare(&f, 0, 1);
  f.in[0].dims[0] = -1;
  expect(context, &f, ONNXC_INVALID_INPUT, "input 's'");
  prepare(&f, 0, 1);
  f.in[3].dims[0] = 2;
  expect(context, &f, ONNXC_INVALID_INPUT, "input 'o'");
  // An element of another rank than the model was compiled for.
  int64_t dims[2] = {2, 2};
  prepare(&f, 0, 1);
  f.parts[0] = onnxc_tensor_over(numbers, ONNXC_FLOAT, 2, dims);
  expect(context, &f, ONNXC_RUNTIME_ERROR,
         "expected a value float [?], got float [2, 2]");
  // A buffer of the caller cannot hold a sequence.
  onnxc_tensor out[5];
  char buffer[256];
  prepare(&f, 0, 1);
  for (int k = 0; k < 5; ++k)
    out[k] = onnxc_output_buffer(NULL, 0);
  out[0] = onnxc_output_buffer(buffer, sizeof buffer);
  CHECK(onnxc_run(context, f.in, 4, out, 5) == ONNXC_INVALID_ARGUMENT);
}

int main(void) {
  const onnxc_model *model = sequences_query(ONNXC_ABI_VERSION);
  CHECK(model->num_inputs == 4 && model->num_outputs == 5);
  CHECK(!strcmp(model->inputs[0].type, "seq(tensor(float))"));
  CHECK(!strcmp(model->inputs[3].type, "optional(tensor(string))"));
  CHECK(model->inputs[0].rank == -1 && model->inputs[1].rank == 1);
  onnxc_context *context;
  CHECK(onnxc_create(model, NULL, &context) == ONNXC_OK);
  runs(context);
  refuses(context);
  runs(context);
  onnxc_destroy(context);
}
