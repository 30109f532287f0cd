/*===- wasm32.c - What a system gives elsewhere -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A WebAssembly module of a model imports nothing, or a memory that several  *|
|* threads share. So there is no environment, no clock, threads are the       *|
|* host's, and random numbers start from what the host says. Of the C library,
memory and math are wasi-libc's, which need no     *|
|* imports (lib/Emit/WebAssembly.cpp); formatted text is here, as far as the  *|
|* runtime writes it: %s, %.Ns, %d, %lld and %llu.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "../Libc.h"

#include <stdatomic.h>

/* What lib/Emit/Loader.mjs reads. */
_Static_assert(offsetof(onnxc_value_info, rank) == 8 &&
                   offsetof(onnxc_value_info, dims) == 12 &&
                   offsetof(onnxc_value_info, symbols) == 16 &&
                   offsetof(onnxc_value_info, type) == 20 &&
                   sizeof(onnxc_value_info) == 24,
               "#readInfos() reads this layout");
_Static_assert(offsetof(onnxc_model, num_inputs) == 4 &&
                   offsetof(onnxc_model, num_outputs) == 8 &&
                   offsetof(onnxc_model, inputs) == 32 &&
                   offsetof(onnxc_model, outputs) == 36 &&
                   offsetof(onnxc_model, num_overridable) == 92,
               "the constructor reads this layout");
_Static_assert(offsetof(onnxc_tensor, bytes) == 8 &&
                   offsetof(onnxc_tensor, dtype) == 16 &&
                   offsetof(onnxc_tensor, rank) == 20 &&
                   offsetof(onnxc_tensor, dims) == 24 &&
                   sizeof(onnxc_tensor) == 152 && sizeof(onnxc_string) == 8,
               "#writeHead() and #read() have this layout");

/*===----------------------------------------------------------------------===*\
|* The system                                                                 *|
\*===----------------------------------------------------------------------===*/

/* Where random numbers start, for the next context that draws some. */
static uint64_t seed;

/* For the host, which has entropy: two halves, for JavaScript's numbers. */
void onnxc_wasm_seed(uint32_t low, uint32_t high);
void onnxc_wasm_seed(uint32_t low, uint32_t high) {
  seed = ((uint64_t)high << 32) | low;
}

static long get_random(void *bytes, size_t count) {
  if (count != sizeof seed)
    return -1;
  memcpy(bytes, &seed, sizeof seed);
  /* Contexts draw different numbers. */
  seed += UINT64_C(0x9E3779B97F4A7C15);
  return (long)count;
}

/* Of a futex, and of what the host has. */
static long use_futex(_Atomic uint32_t *word, int operation, unsigned value);

long syscall(long number, ...) {
  va_list arguments;
  void *memory;
  long result = -1;
  va_start(arguments, number);
  memory = va_arg(arguments, void *);
  if (number == onnxc_nr_getrandom) {
    result = get_random(memory, va_arg(arguments, size_t));
  } else if (number == onnxc_nr_futex) {
    int operation = va_arg(arguments, int);
    result = use_futex(memory, operation, va_arg(arguments, unsigned));
  }
  va_end(arguments);
  return result;
}

/* Threads that look for work ask how long they have done so: as often as they
   ask, 32 looks are as good as 100 nanoseconds. */
int clock_gettime(int clock, onnxc_timespec *time) {
  static _Atomic uint32_t asked;
  uint32_t count = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
  (void)clock;
  time->seconds = (long)(count / 10000000);
  time->nanoseconds = (long)(count % 10000000 * 100);
  return 0;
}

char *getenv(const char *name) {
  (void)name;
  return NULL;
}

/* Numbers are written and read as in the "C" locale, the only one. */
static char c_locale;

void *newlocale(int categories, const char *name, void *base) {
  (void)categories;
  (void)name;
  (void)base;
  return &c_locale;
}

void *uselocale(void *locale) {
  (void)locale;
  return &c_locale;
}

void freelocale(void *locale) { (void)locale; }

int madvise(void *memory, size_t bytes, int advice) {
  (void)memory;
  (void)bytes;
  (void)advice;
  return -1;
}

/* Of the compiler's support library: the product of 128 bits, by which LLVM
   finds overflows of 64. In parts: a product of that width would call itself.
 */
typedef struct onnxc_int128 {
  uint64_t low, high;
} onnxc_int128;
onnxc_int128 __multi3(uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high);
onnxc_int128 __multi3(uint64_t a, uint64_t a_high, uint64_t b,
                      uint64_t b_high) {
  const uint64_t half = 0xffffffff;
  uint64_t low = (a & half) * (b & half);
  uint64_t middle = (a >> 32) * (b & half) + (low >> 32);
  uint64_t other = (a & half) * (b >> 32) + (middle & half);
  onnxc_int128 product;
  product.low = (other << 32) | (low & half);
  product.high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32) +
                 a * b_high + a_high * b;
  return product;
}

/*===----------------------------------------------------------------------===*\
|* Threads and processors                                                     *|
\*===----------------------------------------------------------------------===*/

/* The host of a module whose memory can be shared makes threads: each has an
   instance of the module, a stack of its own, and calls onnxc_wasm_work, which
   does not return. pthread_create, which Team.c calls, hands work to one of
   them. Without them, what follows is folded away, Team.c with it. */

enum { most_workers = 63 };
enum worker_state { waits, works };

typedef struct worker {
  _Atomic uint32_t state;
  void *(*start)(void *);
  void *argument;
} worker;

static worker workers[most_workers];
static int32_t num_workers;
/* Whether the thread that calls models may sleep: that of a page may not. */
static int32_t caller_sleeps;

/* Where the stack of the thread that calls models ends; those of others are
   behind it (lld's --stack-first). */
extern char __stack_high;

__attribute__((target("atomics"))) static long
use_futex(_Atomic uint32_t *word, int operation, unsigned value) {
  char here;
  if (!num_workers)
    return -1;
  if (operation == onnxc_futex_wake_private)
    return __builtin_wasm_memory_atomic_notify((int *)word, value);
  if (!caller_sleeps && (uintptr_t)&here < (uintptr_t)&__stack_high)
    return 0;
  return __builtin_wasm_memory_atomic_wait32((int *)word, (int)value, -1);
}

static void wait_while(_Atomic uint32_t *word, uint32_t value) {
  onnxc_sys_gate gate;
  while (atomic_load(word) == value)
    onnxc_sys_wait(&gate, word, value);
}

static void set_state(worker *of, enum worker_state state) {
  onnxc_sys_gate gate;
  atomic_store(&of->state, state);
  onnxc_sys_wake(&gate, &of->state, 1);
}

void onnxc_wasm_set_threads(int32_t count, int32_t may_sleep);
void onnxc_wasm_set_threads(int32_t count, int32_t may_sleep) {
  num_workers = count < most_workers ? count : most_workers;
  caller_sleeps = may_sleep;
}

void onnxc_wasm_work(int32_t index);
void onnxc_wasm_work(int32_t index) {
  worker *self = &workers[index];
  while (1) {
    wait_while(&self->state, waits);
    self->start(self->argument);
    set_state(self, waits);
  }
}

int pthread_create(onnxc_sys_thread *thread, const void *attributes,
                   void *(*start)(void *), void *argument) {
  int32_t i;
  (void)attributes;
  for (i = 0; i < num_workers; ++i) {
    if (atomic_load(&workers[i].state) != waits)
      continue;
    workers[i].start = start;
    workers[i].argument = argument;
    set_state(&workers[i], works);
    *thread = (onnxc_sys_thread)(uintptr_t)i;
    return 0;
  }
  return -1;
}

int pthread_join(onnxc_sys_thread thread, void **result) {
  (void)result;
  wait_while(&workers[(uintptr_t)thread].state, works);
  return 0;
}

int getpid(void) { return 1; }

int sigfillset(onnxc_sigset *set) {
  (void)set;
  return 0;
}

int pthread_sigmask(int how, const onnxc_sigset *set, onnxc_sigset *before) {
  (void)how;
  (void)set;
  (void)before;
  return 0;
}

int32_t onnxc_rt_thread_count(onnxc_rt_context *context) {
  int32_t wanted = context->options.threads;
  return wanted > 0 && wanted <= num_workers ? wanted : num_workers + 1;
}

/* An engine that lacks an instruction refuses the module. */
const char *onnxc_rt_missing_feature(const char *const *features) {
  (void)features;
  return NULL;
}

/*===----------------------------------------------------------------------===*\
|* Formatted text                                                             *|
\*===----------------------------------------------------------------------===*/

typedef struct writer {
  char *text;
  size_t size;
  /* Of the whole text, also of what had no place. */
  size_t length;
} writer;

static void put(writer *to, char c) {
  if (to->length + 1 < to->size)
    to->text[to->length] = c;
  ++to->length;
}

static void put_number(writer *to, uint64_t number) {
  char digits[20];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  while (count)
    put(to, digits[--count]);
}

static void put_signed(writer *to, int64_t number) {
  if (number < 0)
    put(to, '-');
  put_number(to, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
  writer to = {text, size, 0};
  for (; *format; ++format) {
    size_t most = SIZE_MAX;
    int longs = 0;
    if (*format != '%') {
      put(&to, *format);
      continue;
    }
    if (*++format == '.')
      for (most = 0, ++format; *format >= '0' && *format <= '9'; ++format)
        most = most * 10 + (size_t)(*format - '0');
    for (; *format == 'l'; ++format)
      ++longs;
    if (*format == 's') {
      const char *s = va_arg(arguments, const char *);
      for (; *s && most; ++s, --most)
        put(&to, *s);
    } else if (*format == 'd') {
      put_signed(&to, longs == 2 ? va_arg(arguments, long long)
                                 : (long long)va_arg(arguments, int));
    } else if (*format == 'u') {
      put_number(&to, longs == 2 ? va_arg(arguments, unsigned long long)
                                 : va_arg(arguments, unsigned));
    } else {
      put(&to, *format);
    }
  }
  if (size)
    text[to.length < size ? to.length : size - 1] = 0;
  return (int)to.length;
}
