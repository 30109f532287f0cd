/*===- wasm32.c - What a system gives elsewhere -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A WebAssembly module of a model imports nothing. So there is one thread,   *|
|* no environment, no clock, and random numbers start from what the host      *|
|* says. Of the C library, memory and math are wasi-libc's, which need no     *|
|* imports (lib/Emit/WebAssembly.cpp); formatted text is here, as far as the  *|
|* runtime writes it: %s, %.Ns, %d, %lld and %llu.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "../Libc.h"

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
                   sizeof(onnxc_tensor) == 152,
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

long syscall(long number, ...) {
  va_list arguments;
  void *bytes;
  size_t count;
  if (number != onnxc_nr_getrandom)
    return -1;
  va_start(arguments, number);
  bytes = va_arg(arguments, void *);
  count = va_arg(arguments, size_t);
  va_end(arguments);
  if (count != sizeof seed)
    return -1;
  memcpy(bytes, &seed, sizeof seed);
  /* Contexts draw different numbers. */
  seed += UINT64_C(0x9E3779B97F4A7C15);
  return (long)count;
}

int clock_gettime(int clock, onnxc_timespec *time) {
  (void)clock;
  time->seconds = time->nanoseconds = 0;
  return -1;
}

char *getenv(const char *name) {
  (void)name;
  return NULL;
}

int madvise(void *memory, size_t bytes, int advice) {
  (void)memory;
  (void)bytes;
  (void)advice;
  return -1;
}

/* Of the compiler's support library: the product of 128 bits, by which LLVM
   finds overflows of 64. In parts: a product of that width would call itself. */
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

int32_t onnxc_rt_thread_count(onnxc_rt_context *context) {
  (void)context;
  return 1;
}

void onnxc_rt_parallel_for(onnxc_context *face, int64_t count, int64_t cost,
                           onnxc_rt_task task, void *data) {
  (void)cost;
  if (count > 0)
    task(data, ((onnxc_rt_context *)face)->scratch, 0, count);
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
