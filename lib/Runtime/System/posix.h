/*===- posix.h - What Linux and macOS have in common --------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The including header says what differs: the type of a set of signals, and the
*|
|* numbers onnxc_sig_setmask, onnxc_clock_monotonic and onnxc_locale_mask.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_SYSTEM_POSIX_H
#define ONNXC_LIB_RUNTIME_SYSTEM_POSIX_H

void free(void *memory);
int getpid(void);
void *newlocale(int categories, const char *name, void *base);
void *uselocale(void *locale);
void freelocale(void *locale);

/* Seconds and nanoseconds have 64 bits on all 64-bit machines. */
typedef struct onnxc_timespec {
  long seconds;
  long nanoseconds;
} onnxc_timespec;
int clock_gettime(int clock, onnxc_timespec *time);

/* Nanoseconds, by a clock that only goes forward. */
static inline int64_t onnxc_rt_now(void) {
  onnxc_timespec time;
  clock_gettime(onnxc_clock_monotonic, &time);
  return (int64_t)time.seconds * 1000000000 + time.nanoseconds;
}

/* Of aligned_alloc and posix_memalign. */
static inline void onnxc_sys_release(void *memory) { free(memory); }

/* Another one in the child of a fork. */
static inline int onnxc_sys_process(void) { return getpid(); }

/* pthread_t: a number on Linux, a pointer on macOS. */
typedef void *onnxc_sys_thread;
typedef void *onnxc_sys_result;
int sigfillset(onnxc_sigset *set);
int pthread_sigmask(int how, const onnxc_sigset *set, onnxc_sigset *before);
int pthread_create(onnxc_sys_thread *thread, const void *attributes,
                   void *(*start)(void *), void *argument);
int pthread_join(onnxc_sys_thread thread, void **result);

/* Starts a thread without signals, which are for those that the program knows;
   0 if the system has none to give. */
static inline int onnxc_sys_start(onnxc_sys_thread *thread,
                                  onnxc_sys_result (*start)(void *),
                                  void *argument) {
  onnxc_sigset all, before;
  int error;
  sigfillset(&all);
  pthread_sigmask(onnxc_sig_setmask, &all, &before);
  error = pthread_create(thread, NULL, start, argument);
  pthread_sigmask(onnxc_sig_setmask, &before, NULL);
  return !error;
}
static inline void onnxc_sys_join(onnxc_sys_thread thread) {
  pthread_join(thread, NULL);
}

/* The "C" locale for this thread, from enter to leave. */
typedef struct onnxc_sys_numerals {
  void *locale;
  void *before;
} onnxc_sys_numerals;

/* 0 if there is no memory for it. */
static inline int onnxc_sys_enter_numerals(onnxc_sys_numerals *numerals) {
  numerals->locale = newlocale(onnxc_locale_mask, "C", NULL);
  if (numerals->locale)
    numerals->before = uselocale(numerals->locale);
  return numerals->locale != NULL;
}
static inline void onnxc_sys_leave_numerals(onnxc_sys_numerals *numerals) {
  uselocale(numerals->before);
  freelocale(numerals->locale);
}
static inline double onnxc_sys_strtod(const char *text, char **end,
                                      const onnxc_sys_numerals *numerals) {
  (void)numerals;
  return strtod(text, end);
}
static inline float onnxc_sys_strtof(const char *text, char **end,
                                     const onnxc_sys_numerals *numerals) {
  (void)numerals;
  return strtof(text, end);
}
/* As "%.*e" of printf. */
static inline void
onnxc_sys_write_exponential(char *text, size_t size, int precision,
                            double value, const onnxc_sys_numerals *numerals) {
  (void)numerals;
  onnxc_rt_print(text, size, "%.*e", precision, value);
}

#endif /* ONNXC_LIB_RUNTIME_SYSTEM_POSIX_H */
