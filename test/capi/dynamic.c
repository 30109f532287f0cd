// A model whose sizes are known at run time: what is refused and how it is said,
// failures from inside the model, the caller's allocator, and two threads.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc-emit %root/test/Emit/Inputs/dynamic.mlir -o %t/dynamic.so
// RUN: %cc -I %t %s %t/dynamic.so -pthread -o %t/run && %t/run
// RUN: grep "The sizes of some outputs are known after the run only" %t/dynamic.h
// RUN: onnxc-emit %root/test/Emit/Inputs/dynamic.mlir -O0 -o %t/dynamic.a
// RUN: %cc -I %t %s %t/dynamic.a -pthread -fsanitize=address,undefined -o %t/run
// RUN: env ASAN_OPTIONS=allocator_may_return_null=1 %t/run

#include "dynamic.h"

#include "check.h"

#include <pthread.h>
#include <string.h>

enum { largest = 100 };

static float a[largest * 2];
static bool b[largest * 3];

// The inputs of a run with n rows and k numbers.
static void prepare(onnxc_tensor in[3], int64_t n, const int64_t *k) {
  int64_t a_dims[2], b_dims[2];
  a_dims[0] = b_dims[0] = n;
  a_dims[1] = 2;
  b_dims[1] = 3;
  in[0] = onnxc_tensor_of(a, sizeof a, ONNXC_FLOAT, 2, a_dims);
  in[1] = onnxc_tensor_of(k, sizeof *k, ONNXC_INT64, 0, NULL);
  in[2] = onnxc_tensor_of(b, sizeof b, ONNXC_BOOL, 2, b_dims);
}

static void check_results(const onnxc_tensor out[2], int64_t n, int64_t k) {
  CHECK(out[0].rank == 2 && out[0].dims[0] == n && out[0].dims[1] == 2);
  CHECK(out[1].rank == 1 && out[1].dims[0] == k);
  for (int64_t i = 0; i < n * 2; ++i)
    CHECK(((float *)out[0].data)[i] == 2 * a[i]);
  for (int64_t i = 0; i < k; ++i)
    CHECK(((float *)out[1].data)[i] == (float)i);
}

static void runs(onnxc_context *context, int64_t n, int64_t k) {
  onnxc_tensor in[3], out[2];
  prepare(in, n, &k);
  out[0] = out[1] = onnxc_output_buffer(NULL, 0);
  CHECK(onnxc_run(context, in, 3, out, 2) == ONNXC_OK);
  check_results(out, n, k);
}

static void expect(onnxc_context *context, const onnxc_tensor *in,
                   int32_t num_inputs, onnxc_status status, const char *text) {
  onnxc_tensor out[2];
  out[0] = out[1] = onnxc_output_buffer(NULL, 0);
  onnxc_status got = onnxc_run(context, in, num_inputs, out, 2);
  if (got != status || strcmp(onnxc_error(context), text)) {
    fprintf(stderr, "got %d %s\nexpected %d %s\n", (int)got,
            onnxc_error(context), (int)status, text);
    exit(1);
  }
  CHECK(*onnxc_status_text(got));
}

static void refuses_wrong_inputs(onnxc_context *context) {
  onnxc_tensor in[3];
  int64_t k = 3;
  prepare(in, 2, &k);
  expect(context, in, 2, ONNXC_INVALID_ARGUMENT,
         "the model has 3 inputs, the call gives 2");
  expect(context, NULL, 3, ONNXC_INVALID_ARGUMENT,
         "the array of inputs is NULL");
  in[0].dtype = ONNXC_DOUBLE;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got double [2, 2]");
  in[0].dtype = 12345;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got unknown [2, 2]");
  prepare(in, 2, &k);
  in[0].rank = 1;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got float [2]");
  in[0].rank = -7;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got float of rank -7");
  in[0].rank = 1000000;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got float of rank 1000000");
  prepare(in, -1, &k);
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got float [-1, 2]");
  prepare(in, 2, &k);
  in[0].dims[1] = 3;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected float [N, 2], got float [2, 3]");
  prepare(in, 2, &k);
  in[2].dims[0] = 4;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a.b': expected dimension 0 ('N') to be 2 as in input 'a', "
         "got 4");
  prepare(in, INT64_MAX / 2, &k);
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': the product of its dimensions is too large");
  prepare(in, 2, &k);
  in[0].bytes = 15;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected a buffer of 16 bytes, got 15");
  prepare(in, 2, &k);
  in[0].data = NULL;
  expect(context, in, 3, ONNXC_INVALID_INPUT,
         "input 'a': expected 16 bytes of data, got NULL");
  prepare(in, 2, &k);
  in[0].data = (char *)a + 2;
  CHECK(onnxc_run(context, in, 3, NULL, 0) == ONNXC_INVALID_ARGUMENT);
  CHECK(onnxc_run(context, in, 3, NULL, 2) == ONNXC_INVALID_ARGUMENT);
  onnxc_tensor out[2] = {onnxc_output_buffer(NULL, 0),
                         onnxc_output_buffer(NULL, 0)};
  CHECK(onnxc_run(context, in, 3, out, 2) == ONNXC_INVALID_INPUT);
}

static void fails_inside(onnxc_context *context) {
  onnxc_tensor in[3];
  int64_t k = -1;
  prepare(in, 2, &k);
  expect(context, in, 3, ONNXC_RUNTIME_ERROR,
         "node 'top' (TopK): k is negative, expected 0 or more");
  // 4 * k bytes are more than there is.
  k = INT64_MAX / 8;
  expect(context, in, 3, ONNXC_OUT_OF_MEMORY,
         "no memory for an intermediate result of 4611686018427387900 bytes");
  k = INT64_MAX;
  expect(context, in, 3, ONNXC_RUNTIME_ERROR,
         "an intermediate result has the size -4");
  runs(context, 2, 3);
}

static void runs_typed(onnxc_context *context) {
  float c[4];
  int64_t k = 5;
  onnxc_tensor d = onnxc_output_buffer(NULL, 0);
  CHECK(dynamic_run(context, 2, 3, a, &k, b, c, &d) == ONNXC_OK);
  CHECK(c[3] == 2 * a[3] && d.dims[0] == 5 && ((float *)d.data)[4] == 4);
  CHECK(dynamic_run(context, -2, 3, a, &k, b, c, &d) == ONNXC_INVALID_INPUT);
  float small[2];
  d = onnxc_output_buffer(small, sizeof small);
  CHECK(dynamic_run(context, 2, 3, a, &k, b, c, &d) == ONNXC_BUFFER_TOO_SMALL);
  CHECK(d.rank == 1 && d.dims[0] == 5);
}

// An allocator that counts, and can run dry.
struct heap {
  int calls, left;
  long long bytes;
};

static void *take(void *user, size_t bytes, size_t alignment) {
  struct heap *heap = user;
  if (!heap->left)
    return NULL;
  --heap->left;
  ++heap->calls;
  heap->bytes += (long long)bytes;
  CHECK(bytes % alignment == 0);
  return aligned_alloc(alignment, bytes);
}

static void give_back(void *user, void *memory, size_t bytes) {
  ((struct heap *)user)->bytes -= (long long)bytes;
  free(memory);
}

static void uses_the_allocator(void) {
  struct heap heap = {0, 1000000, 0};
  char message[80] = "";
  onnxc_options options = {0};
  onnxc_context *context;
  options.user = &heap;
  options.message = message;
  options.message_size = sizeof message;
  options.allocate = take;
  CHECK(dynamic_create(&options, &context) == ONNXC_INVALID_ARGUMENT);
  CHECK(!context && strstr(message, "together"));
  options.release = give_back;
  CHECK(dynamic_create(&options, &context) == ONNXC_OK);
  runs(context, 100, 100000);
  runs(context, 100, 100000);
  int steady = heap.calls;
  for (int i = 0; i < 100; ++i)
    runs(context, 1 + i, 1000 * (i + 1));
  CHECK(heap.calls == steady);
  onnxc_destroy(context);
  CHECK(heap.bytes == 0);
  // Out of memory at each allocation in turn: no leak, and no crash.
  for (int left = 0; left < 6; ++left) {
    int64_t k = 1000;
    onnxc_tensor in[3], out[2];
    heap.left = left;
    if (dynamic_create(&options, &context) != ONNXC_OK) {
      CHECK(left == 0 && !context && strstr(message, "memory"));
      continue;
    }
    prepare(in, 2, &k);
    out[0] = out[1] = onnxc_output_buffer(NULL, 0);
    onnxc_status status = onnxc_run(context, in, 3, out, 2);
    CHECK(status == (left < 4 ? ONNXC_OUT_OF_MEMORY : ONNXC_OK));
    heap.left = 10;
    runs(context, 3, 10);
    onnxc_destroy(context);
    CHECK(heap.bytes == 0);
  }
}

static void *work(void *argument) {
  onnxc_context *context;
  (void)argument;
  CHECK(dynamic_create(NULL, &context) == ONNXC_OK);
  for (int i = 0; i < 500; ++i)
    runs(context, i % largest, (i * 7919) % 5000);
  onnxc_destroy(context);
  return NULL;
}

static void runs_in_two_threads(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  onnxc_context *context;
  for (int i = 0; i < largest * 2; ++i)
    a[i] = (float)i;
  CHECK(onnxc_create(NULL, NULL, &context) == ONNXC_INVALID_ARGUMENT);
  CHECK(dynamic_create(NULL, NULL) == ONNXC_INVALID_ARGUMENT);
  CHECK(dynamic_create(NULL, &context) == ONNXC_OK);
  runs(context, 2, 3);
  runs(context, 0, 0);
  refuses_wrong_inputs(context);
  fails_inside(context);
  runs_typed(context);
  onnxc_destroy(context);
  uses_the_allocator();
  runs_in_two_threads();
  return 0;
}
