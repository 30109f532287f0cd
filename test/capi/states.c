// States: what lives in a context, from run to run, at all levels of the
// interface: the descriptor, failing runs, reset, get and set, truncate, save
// and load (also of bytes that are wrong), fork, capacity, allocators, old
// callers.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/Inputs/states.py %t/both.onnx %t/cache.onnx
// RUN: onnxc %t/both.onnx --state=present=past,hn=h -o %t/both.a
// RUN: cd %t && onnxc cache.onnx --state=auto --state-capacity=64 -o cache.a
// RUN: %cc -I %t %s %t/both.a %t/cache.a -fsanitize=address,undefined -o %t/run
// RUN: %t/run
// RUN: onnxc %t/both.onnx -O0 --state=present=past,hn=h -o %t/both.so
// RUN: cd %t && onnxc cache.onnx -O0 --state=present=past \
// RUN:   --state-capacity=64 -o cache.so
// RUN: %cc -I %t %s %t/both.so %t/cache.so -o %t/run && %t/run
// RUN: %cxx -I %t -x c++ %s -x none %t/both.so %t/cache.so -o %t/run && %t/run
// RUN: FileCheck %s --input-file %t/both.h
//
// CHECK: Inputs:
// CHECK-NEXT: x  float [batch, seq, 3]
// CHECK-NEXT: i  int64 []
// CHECK-NEXT: Outputs:
// CHECK-NEXT: y  float [batch]
// CHECK-NEXT: z  float []
// CHECK-NEXT: States, which the context keeps from run to run:
// CHECK-NEXT: past  float [batch, 2, past, 3], then present; grows in
// CHECK-SAME: dimension 2
// CHECK-NEXT: h  float [batch, 3], then hn
// CHECK: both_run(onnxc_context *context,
// CHECK-NEXT: int64_t batch,
// CHECK-NEXT: int64_t seq,
// CHECK-NEXT: const float *x,
// CHECK-NEXT: const int64_t *i,
// CHECK-NEXT: float *y,
// CHECK-NEXT: float *z)
// CHECK: both_state_past = 0
// CHECK: both_state_h = 1
// CHECK: both_reset(onnxc_context *context)

#include "both.h"
#include "cache.h"

#include "check.h"

#include <string.h>

enum { most = 64 };

static onnxc_context *create(onnxc_status (*with)(const onnxc_options *,
                                                  onnxc_context **),
                             const onnxc_options *options) {
  onnxc_context *context = NULL;
  CHECK(with(options, &context) == ONNXC_OK);
  return context;
}

// Runs with x = first, first + 1 ...; returns y[0].
static float step(onnxc_context *context, int64_t batch, int64_t seq,
                  float first) {
  float x[most * 3 * 2], y[2], z;
  const int64_t i = 1;
  int64_t k;
  CHECK(batch <= 2 && seq <= most);
  for (k = 0; k < batch * seq * 3; ++k)
    x[k] = first + (float)k;
  CHECK(both_run(context, batch, seq, x, &i, y, &z) == ONNXC_OK && z == 1);
  return y[0];
}

static float cache_step(onnxc_context *context, int64_t seq, float first) {
  float x[most * 3], y[1], z;
  const int64_t i = 1;
  int64_t k;
  for (k = 0; k < seq * 3; ++k)
    x[k] = first + (float)k;
  CHECK(cache_run(context, 1, seq, x, &i, y, &z) == ONNXC_OK);
  return y[0];
}

static void describes_itself(void) {
  const onnxc_model *model = both_query(ONNXC_ABI_VERSION);
  CHECK(model->num_inputs == 2 && model->num_outputs == 2);
  CHECK(model->num_states == 2 && model->state_capacity == 0);
  CHECK(!strcmp(model->inputs[0].name, "x"));
  CHECK(!strcmp(model->outputs[1].name, "z"));
  CHECK(!strcmp(model->states[0].value.name, "past"));
  CHECK(!strcmp(model->states[0].output, "present"));
  CHECK(model->states[0].axis == 2 && model->states[0].value.dims[2] == -1);
  CHECK(!strcmp(model->states[0].value.symbols[0], "batch"));
  CHECK(!strcmp(model->states[1].output, "hn") && model->states[1].axis == -1);
  CHECK(cache_query(ONNXC_ABI_VERSION)->state_capacity == 64);
}

static void runs(void) {
  onnxc_context *context = create(both_create, NULL);
  float h[3], past[2 * 3 * 3];
  onnxc_tensor tensor = onnxc_output_buffer(NULL, 0);
  int64_t dims[2] = {1, 3};

  CHECK(both_state_length(context) == 0);
  // Nothing has decided the batch yet.
  CHECK(onnxc_state_get(context, both_state_h, &tensor) == ONNXC_OK);
  CHECK(tensor.rank == 2 && tensor.dims[0] == 0 && tensor.dims[1] == 3);
  // Each row is there twice.
  CHECK(step(context, 1, 1, 1) == 2 * (1 + 2 + 3));
  CHECK(step(context, 1, 2, 4) == 2 * 45);
  CHECK(both_state_length(context) == 3);

  tensor = onnxc_output_buffer(h, sizeof h);
  CHECK(onnxc_state_get(context, both_state_h, &tensor) == ONNXC_OK);
  CHECK(h[0] == 1 + 4 + 7 && h[2] == 3 + 6 + 9);
  tensor = onnxc_output_buffer(past, sizeof past - 1);
  CHECK(onnxc_state_get(context, both_state_past, &tensor) ==
        ONNXC_BUFFER_TOO_SMALL);
  CHECK(tensor.bytes == sizeof past && tensor.dims[2] == 3);
  tensor = onnxc_output_buffer(past, sizeof past);
  CHECK(onnxc_state_get(context, both_state_past, &tensor) == ONNXC_OK);
  CHECK(past[0] == 1 && past[8] == 9 && past[9] == 1 && past[17] == 9);
  CHECK(onnxc_state_get(context, 2, &tensor) == ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "the model has 2 states, the call is about number 2"));

  h[0] = h[1] = h[2] = 100;
  tensor = onnxc_tensor_over(h, ONNXC_FLOAT, 2, dims);
  CHECK(onnxc_state_set(context, both_state_h, &tensor) == ONNXC_OK);
  step(context, 1, 1, 0);
  tensor = onnxc_output_buffer(h, sizeof h);
  CHECK(onnxc_state_get(context, both_state_h, &tensor) == ONNXC_OK);
  CHECK(h[1] == 101);
  dims[1] = 2;
  tensor = onnxc_tensor_over(h, ONNXC_FLOAT, 2, dims);
  CHECK(onnxc_state_set(context, both_state_h, &tensor) == ONNXC_INVALID_INPUT);
  CHECK(!strcmp(onnxc_error(context),
                "state 'h': expected float [batch, 3], got float [1, 2]"));
  onnxc_destroy(context);
}

static void keeps_states_where_a_run_fails(void) {
  onnxc_context *context = create(both_create, NULL);
  float x[6] = {1, 2, 3, 4, 5, 6}, y[2], z;
  const int64_t wrong = 7, right = 0;
  // A first run that fails decides nothing.
  CHECK(both_run(context, 2, 1, x, &wrong, y, &z) == ONNXC_RUNTIME_ERROR);
  CHECK(strstr(onnxc_error(context), "lookup"));
  CHECK(both_state_length(context) == 0);
  CHECK(step(context, 1, 1, 1) == 12);
  CHECK(both_run(context, 1, 2, x, &wrong, y, &z) == ONNXC_RUNTIME_ERROR);
  CHECK(both_state_length(context) == 1);
  CHECK(step(context, 1, 1, 1) == 24);
  // The batch is that of the first run until a reset.
  CHECK(both_run(context, 2, 1, x, &right, y, &z) == ONNXC_INVALID_INPUT);
  CHECK(!strcmp(onnxc_error(context),
                "state 'past': expected dimension 0 ('batch') to be 2 as in "
                "input 'x', got 1, which a reset gives up"));
  CHECK(both_reset(context) == ONNXC_OK && !*onnxc_error(context));
  CHECK(both_run(context, 2, 1, x, &right, y, &z) == ONNXC_OK);
  CHECK(y[0] == 12 && y[1] == 30);
  onnxc_destroy(context);
}

static void truncates(void) {
  onnxc_context *context = create(both_create, NULL);
  float before;
  int i;
  step(context, 1, 2, 1);
  CHECK(both_state_truncate(context, 1) == ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "state 'h' does not grow: it cannot go back"));
  // By number, the caller says that the other states do not matter.
  CHECK(onnxc_state_truncate(context, both_state_past, 1) == ONNXC_OK);
  CHECK(both_state_length(context) == 1 && step(context, 1, 1, 1) == 24);
  onnxc_destroy(context);

  context = create(cache_create, NULL);
  cache_step(context, 5, 1);
  before = cache_step(context, 4, 3);
  for (i = 0; i < 3; ++i) {
    float past[2 * 5 * 3];
    onnxc_tensor tensor = onnxc_output_buffer(past, sizeof past);
    CHECK(cache_state_truncate(context, 5) == ONNXC_OK);
    CHECK(onnxc_state_get(context, cache_state_past, &tensor) == ONNXC_OK);
    CHECK(past[14] == 15 && past[15] == 1 && past[29] == 15);
    CHECK(cache_state_length(context) == 5);
    CHECK(cache_step(context, 4, 3) == before);
  }
  CHECK(cache_state_truncate(context, 10) == ONNXC_INVALID_ARGUMENT);
  CHECK(!strcmp(onnxc_error(context),
                "state 'past': expected a length from 0 to 9, got 10"));
  CHECK(cache_state_truncate(context, -1) == ONNXC_INVALID_ARGUMENT);
  CHECK(cache_state_truncate(context, 0) == ONNXC_OK);
  CHECK(cache_step(context, 1, 1) == 12);
  onnxc_destroy(context);
}

static void has_a_capacity(void) {
  onnxc_options options;
  onnxc_context *context = create(cache_create, NULL);
  float x[most * 3] = {0}, y, z;
  const int64_t i = 0;
  memset(&options, 0, sizeof options);
  cache_step(context, 60, 0);
  CHECK(cache_run(context, 1, 5, x, &i, &y, &z) == ONNXC_OUT_OF_MEMORY);
  CHECK(!strcmp(onnxc_error(context), "state 'past': the run makes it longer "
                                      "than its capacity of 64"));
  CHECK(cache_state_length(context) == 60);
  CHECK(cache_run(context, 1, 4, x, &i, &y, &z) == ONNXC_OK);
  onnxc_destroy(context);
  options.state_capacity = 3;
  context = create(cache_create, &options);
  CHECK(cache_run(context, 1, 4, x, &i, &y, &z) == ONNXC_OUT_OF_MEMORY);
  CHECK(cache_run(context, 1, 3, x, &i, &y, &z) == ONNXC_OK);
  onnxc_destroy(context);
  options.state_capacity = -1;
  CHECK(cache_create(&options, &context) == ONNXC_INVALID_ARGUMENT);
}

static void forks(void) {
  onnxc_context *context = create(both_create, NULL), *other = NULL;
  float a, b;
  CHECK(both_state_fork(context, &other) == ONNXC_OK);
  CHECK(both_state_length(other) == 0);
  onnxc_destroy(other);
  step(context, 1, 3, 1);
  CHECK(both_state_fork(context, &other) == ONNXC_OK);
  a = step(context, 1, 1, 5);
  CHECK(both_state_length(other) == 3);
  b = step(other, 1, 2, 5);
  CHECK(a == 2 * (45 + 18) && b == 2 * (45 + 18 + 27));
  onnxc_destroy(context);
  CHECK(step(other, 1, 1, 0) == b + 6);
  onnxc_destroy(other);
}

static uint64_t save(onnxc_context *context, unsigned char *bytes,
                     uint64_t room) {
  uint64_t size = room;
  CHECK(both_state_save(context, bytes, &size) == ONNXC_OK && size <= room);
  return size;
}

static void saves_and_loads(void) {
  onnxc_context *context = create(both_create, NULL),
                *other = create(both_create, NULL),
                *cache = create(cache_create, NULL);
  unsigned char bytes[2048], again[2048];
  uint64_t size = 0, small;
  CHECK(both_state_save(context, NULL, &size) == ONNXC_OK && size > 0);
  // Of a new context, too.
  size = save(context, bytes, sizeof bytes);
  step(other, 1, 1, 1);
  CHECK(both_state_load(other, bytes, size) == ONNXC_OK);
  CHECK(both_state_length(other) == 0);

  step(context, 2, 3, 1);
  size = save(context, bytes, sizeof bytes);
  small = size - 1;
  CHECK(both_state_save(context, again, &small) == ONNXC_BUFFER_TOO_SMALL);
  CHECK(small == size);
  CHECK(both_state_load(other, bytes, size) == ONNXC_OK);
  CHECK(both_state_length(other) == 3);
  CHECK(save(other, again, sizeof again) == size &&
        !memcmp(bytes, again, (size_t)size));
  CHECK(step(other, 2, 1, 5) == step(context, 2, 1, 5));
  CHECK(cache_state_load(cache, bytes, size) == ONNXC_INVALID_ARGUMENT);
  CHECK(
      !strcmp(onnxc_error(cache),
              "these bytes are not saved states of this model: they are those "
              "of another model"));
  CHECK(cache_state_load(cache, NULL, 0) == ONNXC_INVALID_ARGUMENT);
  onnxc_destroy(context);
  onnxc_destroy(other);
  onnxc_destroy(cache);
}

// The checksum of what is behind the head, as lib/Runtime/StateBytes.c has it:
// who forges bytes can, too.
static void seal(unsigned char *bytes, uint64_t size) {
  uint64_t hash = size - 40, i, word;
  for (i = 40; i + 8 <= size; i += 8) {
    memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  memcpy(bytes + 32, &hash, 8);
}

static uint64_t random_state = 1;
static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

// Whatever bytes are loaded, the context stays one that runs: those that are
// refused change nothing.
static void refuses_wrong_bytes(void) {
  onnxc_context *context = create(both_create, NULL),
                *other = create(both_create, NULL);
  unsigned char bytes[2048], *copy;
  uint64_t size, i, refused = 0, loaded = 0;
  step(context, 1, 3, 1);
  size = save(context, bytes, sizeof bytes);
  step(other, 1, 2, 1);
  // Of each length, in memory of that length.
  for (i = 0; i < size; ++i) {
    copy = (unsigned char *)malloc((size_t)i + 1);
    memcpy(copy, bytes, (size_t)i);
    CHECK(both_state_load(other, copy, i) == ONNXC_INVALID_ARGUMENT);
    free(copy);
  }
  // With each bit turned over.
  for (i = 0; i < size * 8; ++i) {
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    CHECK(both_state_load(other, bytes, size) != ONNXC_OK);
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
  }
  CHECK(both_state_length(other) == 2 && step(other, 1, 1, 1) == 2 * 27);
  // With a checksum that is right for what was changed, in memory of the size.
  for (i = 0; i < 20000; ++i) {
    uint64_t length = size, changes = 1 + random_number() % 4;
    if (random_number() % 4 == 0)
      length = random_number() % (size + 1) & ~(uint64_t)7;
    copy = (unsigned char *)malloc((size_t)length + 1);
    memcpy(copy, bytes, (size_t)length);
    while (changes-- && length > 40) {
      uint64_t at = random_number() % 4 ? 40 + random_number() % 304
                                        : random_number() % length;
      if (at < length)
        copy[at] = (unsigned char)(random_number() % 3 ? random_number() % 5
                                                       : random_number());
    }
    if (length >= 40) {
      memcpy(copy + 16, &length, 8);
      seal(copy, length);
    }
    if (both_state_load(other, copy, length) == ONNXC_OK) {
      float x[3] = {1, 2, 3}, y[64], z;
      const int64_t right = 0;
      onnxc_tensor of = onnxc_output_buffer(NULL, 0);
      CHECK(onnxc_state_get(other, both_state_past, &of) == ONNXC_OK);
      // It runs, or says why not (another batch).
      both_run(other, 1, 1, x, &right, y, &z);
      ++loaded;
    } else {
      CHECK(*onnxc_error(other));
      ++refused;
    }
    free(copy);
  }
  CHECK(refused > 1000 && loaded > 100);
  CHECK(both_reset(other) == ONNXC_OK && step(other, 1, 1, 1) == 12);
  onnxc_destroy(context);
  onnxc_destroy(other);
}

// Memory: none is lost, and none is asked for in each run.
struct counter {
  int64_t blocks, calls, left;
};
static void *count_allocate(void *user, size_t bytes, size_t alignment) {
  struct counter *counter = (struct counter *)user;
  if (counter->left == 0)
    return NULL;
  --counter->left;
  ++counter->blocks;
  ++counter->calls;
  return aligned_alloc(alignment,
                       (bytes + alignment - 1) / alignment * alignment);
}
static void count_release(void *user, void *memory, size_t bytes) {
  --((struct counter *)user)->blocks;
  (void)bytes;
  free(memory);
}

static void takes_memory_now_and_then(void) {
  struct counter counter = {0, 0, -1};
  onnxc_options options;
  onnxc_context *context, *other;
  int64_t before;
  int i;
  memset(&options, 0, sizeof options);
  options.user = &counter;
  options.allocate = count_allocate;
  options.release = count_release;
  options.threads = 1;
  context = create(both_create, &options);
  for (i = 0; i < 8; ++i)
    step(context, 1, 1, 1);
  before = counter.calls;
  for (i = 0; i < 1000; ++i)
    step(context, 1, 1, 1);
  // Room doubles: some for each of two places.
  CHECK(counter.calls - before < 40);
  CHECK(both_state_fork(context, &other) == ONNXC_OK);
  onnxc_destroy(other);
  // Where there is no memory, a fork leaves nothing behind.
  for (i = 0; i < 8; ++i) {
    before = counter.blocks;
    counter.left = i;
    if (both_state_fork(context, &other) == ONNXC_OK) {
      onnxc_destroy(other);
    } else {
      CHECK(!other && strstr(onnxc_error(context), "no memory"));
    }
    CHECK(counter.blocks == before);
  }
  counter.left = -1;
  CHECK(both_state_length(context) == 1008);
  onnxc_destroy(context);
  // With a capacity, all of it is there from the start.
  context = create(cache_create, &options);
  for (i = 0; i < 4; ++i)
    cache_step(context, 1, 1);
  before = counter.calls;
  for (i = 0; i < 60; ++i)
    cache_step(context, 1, 1);
  CHECK(counter.calls == before && cache_state_length(context) == 64);
  // A fork has its room, too: its first run asks for its temporaries alone.
  CHECK(cache_state_truncate(context, 4) == ONNXC_OK);
  CHECK(cache_state_fork(context, &other) == ONNXC_OK);
  before = counter.calls;
  cache_step(other, 1, 1);
  CHECK(counter.calls - before <= 1);
  onnxc_destroy(other);
  onnxc_destroy(context);
  CHECK(counter.blocks == 0);
}

// Programs of version 4 and before know of no states, and run all the same.
static void serves_older_callers(void) {
  const float x[3] = {1, 2, 3};
  const int64_t i = 1, x_dims[] = {1, 1, 3};
  uint32_t version;
  for (version = 1; version <= 4; ++version) {
    const onnxc_model *model = both_query(version);
    onnxc_tensor in[2], out[2];
    onnxc_context *context = NULL;
    int round;
    CHECK(model && model->abi_version == version && model->num_inputs == 2);
    CHECK(model->create(model, NULL, &context) == ONNXC_OK);
    for (round = 1; round <= 2; ++round) {
      in[0] = onnxc_tensor_over(x, ONNXC_FLOAT, 3, x_dims);
      in[1] = onnxc_tensor_over(&i, ONNXC_INT64, 0, NULL);
      out[0] = out[1] = onnxc_output_buffer(NULL, 0);
      CHECK(model->run(context, in, 2, out, 2) == ONNXC_OK);
      CHECK(*(const float *)out[0].data == 12.0f * (float)round);
    }
    model->destroy(context);
  }
}

int main(void) {
  describes_itself();
  runs();
  keeps_states_where_a_run_fails();
  truncates();
  has_a_capacity();
  forks();
  saves_and_loads();
  refuses_wrong_bytes();
  takes_memory_now_and_then();
  serves_older_callers();
  return 0;
}
