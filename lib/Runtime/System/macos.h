/*===- macos.h - The runtime on macOS -----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Public functions of libSystem, from macOS 10.13 on. It has no public way to
*|
|* sleep on a word before 14.4: a mutex and a condition do it.                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_SYSTEM_MACOS_H
#define ONNXC_LIB_RUNTIME_SYSTEM_MACOS_H

typedef uint32_t onnxc_sigset;
enum {
  onnxc_clock_monotonic = 6,
  onnxc_sig_setmask = 3,
  onnxc_locale_mask = 0x3f /* LC_ALL_MASK */
};

#include "posix.h"

int posix_memalign(void **memory, size_t alignment, size_t bytes);
void arc4random_buf(void *bytes, size_t count);
int sched_yield(void);
int sysctlbyname(const char *name, void *value, size_t *bytes, void *new_value,
                 size_t new_bytes);

static inline void *onnxc_sys_allocate(size_t bytes, size_t alignment) {
  void *memory = NULL;
  return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}
static inline void onnxc_sys_populate(const void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
static inline long onnxc_sys_getrandom(void *bytes, size_t count) {
  arc4random_buf(bytes, count);
  return (long)count;
}
static inline void onnxc_sys_yield(void) { sched_yield(); }

/* The number that the system has under the name, or 0. */
static inline int onnxc_sys_ask(const char *name) {
  int value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, NULL, 0) ? 0 : value;
}

#define ONNXC_SYS_COUNTS_CORES
static inline int64_t onnxc_sys_count_cores(void) {
  int cores = onnxc_sys_ask("hw.activecpu");
  return cores > 0 ? cores : 1;
}

/* pthread_mutex_t has 64 bytes, and pthread_cond_t 48: these are larger. */
typedef struct onnxc_sys_gate {
  _Alignas(16) char mutex[128];
  _Alignas(16) char condition[128];
  int process;
} onnxc_sys_gate;
int pthread_mutex_init(void *mutex, const void *attributes);
int pthread_mutex_destroy(void *mutex);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_unlock(void *mutex);
int pthread_cond_init(void *condition, const void *attributes);
int pthread_cond_destroy(void *condition);
int pthread_cond_wait(void *condition, void *mutex);
int pthread_cond_broadcast(void *condition);

static inline int onnxc_sys_gate_create(onnxc_sys_gate *gate) {
  gate->process = getpid();
  if (pthread_mutex_init(gate->mutex, NULL))
    return 0;
  if (!pthread_cond_init(gate->condition, NULL))
    return 1;
  pthread_mutex_destroy(gate->mutex);
  return 0;
}
static inline void onnxc_sys_gate_destroy(onnxc_sys_gate *gate) {
  if (gate->process != getpid())
    return;
  pthread_cond_destroy(gate->condition);
  pthread_mutex_destroy(gate->mutex);
}
static inline void onnxc_sys_wait(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word,
                                  uint32_t value) {
  pthread_mutex_lock(gate->mutex);
  if (*word == value)
    pthread_cond_wait(gate->condition, gate->mutex);
  pthread_mutex_unlock(gate->mutex);
}
/* Who is about to sleep holds the mutex, or has not looked at the word yet. In
   the child of a fork no thread sleeps, and the mutex may stay locked. */
static inline void onnxc_sys_wake(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word, int most) {
  (void)word;
  (void)most;
  if (gate->process != getpid())
    return;
  pthread_mutex_lock(gate->mutex);
  pthread_mutex_unlock(gate->mutex);
  pthread_cond_broadcast(gate->condition);
}

#endif /* ONNXC_LIB_RUNTIME_SYSTEM_MACOS_H */
