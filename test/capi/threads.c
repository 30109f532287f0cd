// A run gives the same bits for any number of threads; several contexts work at
// once, and end while others are at work; after the first run, nothing is
// allocated.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: onnxc %S/Inputs/threads.mlir --start-from=upgrade -O2 -o %t/threads.so
// RUN: %cc -I %t %s %t/threads.so -pthread -o %t/run && %t/run
// RUN: onnxc %S/Inputs/threads.mlir --start-from=upgrade -O2 -o %t/threads.a
// RUN: %cc -I %t %s %t/threads.a -lm -pthread -fsanitize=address,undefined -o %t/run && %t/run

#include "threads.h"

#include "check.h"

#include <pthread.h>
#include <string.h>

/* How often a context runs; an emulator has time for less. */
#ifndef REPEATS
#define REPEATS 20
#endif

enum { rows = 300, columns = 1000 };

static float x[rows * columns], expected[rows * columns];

static void *allocate(void *user, size_t bytes, size_t alignment) {
  ++*(int *)user;
  return aligned_alloc(alignment, bytes);
}

static void release(void *user, void *memory, size_t bytes) {
  (void)user;
  (void)bytes;
  free(memory);
}

/* `allocations` counts what the context asks for. */
static onnxc_context *create(int threads, int *allocations) {
  onnxc_options options = {0};
  onnxc_context *context;
  options.user = allocations;
  options.allocate = allocate;
  options.release = release;
  options.threads = threads;
  CHECK(onnxc_create(threads_query(ONNXC_ABI_VERSION), &options, &context) ==
        ONNXC_OK);
  return context;
}

static void run(onnxc_context *context, float *y) {
  const int64_t dims[] = {rows, columns};
  onnxc_tensor in = onnxc_tensor_over(x, ONNXC_FLOAT, 2, dims);
  onnxc_tensor out = onnxc_output_buffer(y, sizeof x);
  CHECK(onnxc_run(context, &in, 1, &out, 1) == ONNXC_OK);
}

static void check_threads(int threads) {
  int allocations = 0, before, times;
  onnxc_context *context = create(threads, &allocations);
  float *y = malloc(sizeof x);
  CHECK(y);
  run(context, y);
  before = allocations;
  for (times = 0; times < REPEATS; ++times) {
    memset(y, 255, sizeof x);
    run(context, y);
    CHECK(!memcmp(y, expected, sizeof x));
  }
  CHECK(allocations == before);
  free(y);
  onnxc_destroy(context);
}

static void *come_and_go(void *argument) {
  int times;
  for (times = 0; times < (REPEATS + 3) / 4; ++times)
    check_threads(2 + times % 3);
  return argument;
}

/* The caller's own threads: here, one after the other from the end. */
static void backwards(void *user, int64_t count, onnxc_task task, void *data) {
  *(int64_t *)user += count;
  while (count-- > 0)
    task(data, count);
}

int main(void) {
  const int numbers[] = {1, 2, 3, 7, 0};
  pthread_t callers[4];
  onnxc_options options = {0};
  onnxc_context *context;
  int64_t pieces = 0;
  int allocations = 0;
  float *y = malloc(sizeof x);
  size_t i;
  for (i = 0; i < rows * columns; ++i)
    x[i] = (float)(i * 7919 % 1000) / 250 - 2;
  context = create(1, &allocations);
  run(context, expected);
  onnxc_destroy(context);
  for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    check_threads(numbers[i]);
  for (i = 0; i < 4; ++i)
    CHECK(!pthread_create(&callers[i], NULL, come_and_go, NULL));
  for (i = 0; i < 4; ++i)
    CHECK(!pthread_join(callers[i], NULL));

  options.user = &pieces;
  options.parallel_for = backwards;
  options.threads = 3;
  CHECK(onnxc_create(threads_query(ONNXC_ABI_VERSION), &options, &context) ==
        ONNXC_OK);
  CHECK(y);
  run(context, y);
  CHECK(pieces > 3);
  CHECK(!memcmp(y, expected, sizeof x));
  onnxc_destroy(context);
  free(y);

  /* A caller of version 1 has options that end before `threads`. */
  CHECK(threads_query(1) && threads_query(1)->abi_version == 1);
  CHECK(threads_query(1)->create(threads_query(1), NULL, &context) == ONNXC_OK);
  onnxc_destroy(context);
  options.parallel_for = NULL;
  options.threads = -1;
  CHECK(threads_query(1)->create(threads_query(1), &options, &context) ==
        ONNXC_OK);
  onnxc_destroy(context);
  CHECK(onnxc_create(threads_query(ONNXC_ABI_VERSION), &options, &context) ==
        ONNXC_INVALID_ARGUMENT);
  return 0;
}
