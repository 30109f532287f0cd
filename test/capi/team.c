// The threads that share a loop, under ThreadSanitizer: it sees every access to
// memory of the runtime and of the loops' bodies, which machine code of models
// does not show it. Bodies write without atomics to what is theirs alone, and read
// what the caller wrote before; contexts begin and end while others are at work.
//
// The runtime is compiled from its sources, once more under AddressSanitizer and
// UBSan. A context that is used by two threads at once, which is not allowed, is a
// race that ThreadSanitizer must find: the test sees races. It ends with the first
// one, and after a minute at the latest: two callers of one context may as well
// wait for each other forever.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %cc -g -O1 -ffunction-sections -Wl,--gc-sections -fuse-ld=lld -fsanitize=thread -Wno-unused-parameter %s %root/lib/Runtime/*.c -pthread -lm -o %t/tsan
// RUN: %t/tsan
// RUN: not env TSAN_OPTIONS=exitcode=66:halt_on_error=1 %t/tsan race 2>&1 | FileCheck %s
// RUN: %cc -g -O1 -ffunction-sections -Wl,--gc-sections -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-unused-parameter %s %root/lib/Runtime/*.c -pthread -lm -o %t/asan
// RUN: %t/asan
// CHECK: ThreadSanitizer: data race
//
// The same with what macOS has in place of futexes, of which Linux has the functions.
// RUN: %cc -D__APPLE__ -g -O1 -ffunction-sections -Wl,--gc-sections -fuse-ld=lld -fsanitize=thread -Wno-unused-parameter %s %root/lib/Runtime/*.c -pthread -lm -o %t/macos
// RUN: %t/macos

#include "onnxc/Runtime/Context.h"

#include "check.h"

#include <pthread.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#ifdef __APPLE__
/* Asked for how many cores there are, where the options do not say. */
int sysctlbyname(const char *name, void *value, size_t *bytes, void *new_value,
                 size_t new_bytes);
int sysctlbyname(const char *name, void *value, size_t *bytes, void *new_value,
                 size_t new_bytes) {
  (void)name, (void)value, (void)bytes, (void)new_value, (void)new_bytes;
  return -1;
}
#endif

enum { most = 1500, large = 1000000 };

static int32_t nothing(onnxc_context *context, const onnxc_tensor *inputs,
                       onnxc_tensor *outputs) {
  (void)context, (void)inputs, (void)outputs;
  return ONNXC_OK;
}

static const onnxc_model model = {
    .abi_version = ONNXC_ABI_VERSION,
    .name = "",
    .producer = "",
    .target_triple = "",
    .target_cpu = "",
    .create = onnxc_rt_create,
    .destroy = onnxc_rt_destroy,
    .run = onnxc_rt_run,
    .error = onnxc_rt_error,
    .entry = nothing,
    .scratch_bytes = 256,
};

typedef struct loop {
  int64_t factor;
  int64_t results[most];
} loop;

static void body(void *data, void *scratch, int64_t begin, int64_t end) {
  loop *shared = data;
  int64_t *mine = scratch;
  for (int64_t i = begin; i < end; ++i) {
    mine[0] = i;
    shared->results[i] += shared->factor * mine[0];
  }
}

static void share(onnxc_context *context, loop *shared, int64_t count) {
  memset(shared, 0, sizeof *shared);
  shared->factor = count;
  onnxc_rt_parallel_for(context, count, large, body, shared);
  for (int64_t i = 0; i < count; ++i)
    CHECK(shared->results[i] == i * count);
}

static onnxc_context *create(int threads) {
  onnxc_options options = {0};
  onnxc_context *context;
  options.threads = threads;
  CHECK(onnxc_create(&model, &options, &context) == ONNXC_OK);
  return context;
}

static void *come_and_go(void *argument) {
  loop *shared = malloc(sizeof *shared);
  CHECK(shared);
  for (int times = 0; times < 12; ++times) {
    onnxc_context *context = create(1 + times % 4);
    for (int64_t count = 0; count < most; count = count * 3 + 1)
      share(context, shared, count);
    onnxc_destroy(context);
  }
  free(shared);
  return argument;
}

static void rest(long milliseconds) {
  thrd_sleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void long_body(void *data, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t i = begin; i < end; ++i) {
    rest(10);
    ++((loop *)data)->results[i];
  }
}

/* Workers fall asleep between loops, and the caller while it waits for one. */
static void sleep_and_wake(void) {
  loop *shared = calloc(1, sizeof *shared);
  onnxc_context *context = create(3);
  CHECK(shared);
  for (int times = 0; times < 20; ++times) {
    onnxc_rt_parallel_for(context, 4, large, long_body, shared);
    rest(5);
  }
  onnxc_destroy(context);
  for (int i = 0; i < 4; ++i)
    CHECK(shared->results[i] == 20);
  free(shared);
}

static loop raced;

static void *race(void *context) {
  for (int times = 0; times < 200; ++times)
    onnxc_rt_parallel_for(context, most, large, body, &raced);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t callers[3];
  (void)argv;
  if (argc > 1) {
    onnxc_context *context = create(2);
    alarm(60);
    CHECK(!pthread_create(&callers[0], NULL, race, context));
    race(context);
    CHECK(!pthread_join(callers[0], NULL));
    onnxc_destroy(context);
    return 0;
  }
  /* Who is not woken waits forever. */
  alarm(120);
  for (int i = 0; i < 3; ++i)
    CHECK(!pthread_create(&callers[i], NULL, come_and_go, NULL));
  for (int i = 0; i < 3; ++i)
    CHECK(!pthread_join(callers[i], NULL));
  sleep_and_wake();
  return 0;
}
