/*===- Libc.h - The C library functions of the runtime ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Declared here and not taken from the system's headers, so that one machine *|
|* compiles the runtime for every target, whose headers it need not have. The *|
|* list is also the list of what a model needs from libc, together with what  *|
|* LLVM calls by itself.                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_LIBC_H
#define ONNXC_LIB_RUNTIME_LIBC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void *aligned_alloc(size_t alignment, size_t bytes);
void free(void *memory);
char *getenv(const char *name);
/* Of <sys/mman.h>, with the value it has on all of Linux' processors but Alpha.
 */
#define MADV_HUGEPAGE 14
#define MADV_POPULATE_READ 22
int madvise(void *memory, size_t bytes, int advice);
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *memory, int byte, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
size_t strlen(const char *text);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
void *newlocale(int categories, const char *name, void *base);
void *uselocale(void *locale);
void freelocale(void *locale);
int snprintf(char *text, size_t size, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
float strtof(const char *text, char **end);
long long strtoll(const char *text, char **end, int base);
int open(const char *path, int flags, ...);
long read(int file, void *bytes, size_t most);
int close(int file);
int getpid(void);
long syscall(long number, ...);
float expf(float x);
float logf(float x);
float sqrtf(float x);
unsigned long getauxval(unsigned long entry);
double cos(double angle);
double log(double number);
double sin(double angle);
double sqrt(double number);

/* Types and numbers as Linux has them on all 64-bit machines. */
typedef struct onnxc_timespec {
  long seconds;
  long nanoseconds;
} onnxc_timespec;
typedef struct onnxc_sigset {
  unsigned long bits[16];
} onnxc_sigset;
typedef unsigned long onnxc_pthread;
enum { onnxc_open_read = 0, onnxc_clock_monotonic = 1, onnxc_sig_setmask = 2 };
int clock_gettime(int clock, onnxc_timespec *time);
/* Nanoseconds, by a clock that only goes forward. */
static inline int64_t onnxc_rt_now(void) {
  onnxc_timespec time;
  clock_gettime(onnxc_clock_monotonic, &time);
  return (int64_t)time.seconds * 1000000000 + time.nanoseconds;
}
/* Writes a finite number by the format "%.*e" or "%.*f". Apart from snprintf,
   which in WebAssembly is the runtime's own (Arch/wasm32.c) and has no
   floats: what writes them is in modules that call this. */
#ifdef __wasm__
int onnxc_rt_print(char *text, size_t size, const char *format, int precision,
                   double value);
#else
static inline int onnxc_rt_print(char *text, size_t size, const char *format,
                                 int precision, double value) {
  return snprintf(text, size, format, precision, value);
}
#endif
int sigfillset(onnxc_sigset *set);
int pthread_sigmask(int how, const onnxc_sigset *set, onnxc_sigset *before);
int pthread_create(onnxc_pthread *thread, const void *attributes,
                   void *(*start)(void *), void *argument);
int pthread_join(onnxc_pthread thread, void **result);

/* Asks by functions that are declared above. */
#include "Arch/Arch.h"

enum { onnxc_futex_wait_private = 128, onnxc_futex_wake_private = 129 };

/* How many bytes of the mask were written, or an error below 0. */
static inline long onnxc_sys_getaffinity(size_t bytes, void *mask) {
  return syscall(onnxc_nr_getaffinity, 0, bytes, mask);
}
/* Sleeps unless the word has another value; may return early. */
static inline void onnxc_sys_futex_wait(void *word, unsigned value) {
  syscall(onnxc_nr_futex, word, onnxc_futex_wait_private, value, NULL, NULL, 0);
}
static inline void onnxc_sys_futex_wake(void *word, int most) {
  syscall(onnxc_nr_futex, word, onnxc_futex_wake_private, most, NULL, NULL, 0);
}
/* Fills the bytes; how many were, or an error below 0: Linux has it since 3.17,
   and glibc gives it a name since 2.25. */
static inline long onnxc_sys_getrandom(void *bytes, size_t count) {
  return syscall(onnxc_nr_getrandom, bytes, count, 0);
}
/* Lets others have the processor that wait for it. */
static inline void onnxc_sys_yield(void) { syscall(onnxc_nr_yield); }

#endif /* ONNXC_LIB_RUNTIME_LIBC_H */
