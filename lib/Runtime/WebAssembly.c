/*===- WebAssembly.c - What a system gives elsewhere --------------*- C -*-===*\
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

#include "Libc.h"

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

int snprintf(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(text, size, format, arguments);
  va_end(arguments);
  return length;
}
