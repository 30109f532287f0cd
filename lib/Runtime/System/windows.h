/*===- windows.h - The runtime on Windows -------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Functions of kernel32.dll from Windows Vista on, and of the Universal C    *|
|* Runtime, which Visual Studio has since 2015. `long` has 32 bits. Without   *|
|* dllimport, calls go by the stubs of import libraries, and a program may have
*|
|* the C runtime linked in as well as by DLL.                                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_SYSTEM_WINDOWS_H
#define ONNXC_LIB_RUNTIME_SYSTEM_WINDOWS_H

/* kernel32.dll; BOOL is int, DWORD uint32_t, a HANDLE void *. */
int QueryPerformanceCounter(int64_t *count);
int QueryPerformanceFrequency(int64_t *per_second);
int SwitchToThread(void);
uint32_t WaitForSingleObject(void *handle, uint32_t milliseconds);
int CloseHandle(void *handle);
void *GetCurrentProcess(void);
int GetProcessAffinityMask(void *process, uintptr_t *own, uintptr_t *all);
void AcquireSRWLockExclusive(void **lock);
void ReleaseSRWLockExclusive(void **lock);
int SleepConditionVariableSRW(void **condition, void **lock,
                              uint32_t milliseconds, uint32_t flags);
void WakeAllConditionVariable(void **condition);
int IsProcessorFeaturePresent(uint32_t feature);

/* The C runtime. */
void *_aligned_malloc(size_t bytes, size_t alignment);
void _aligned_free(void *memory);
uintptr_t _beginthreadex(void *security, unsigned stack_bytes,
                         unsigned (*start)(void *), void *argument,
                         unsigned flags, unsigned *id);
int rand_s(unsigned *number);
void *_create_locale(int category, const char *name);
void _free_locale(void *locale);
double _strtod_l(const char *text, char **end, void *locale);
float _strtof_l(const char *text, char **end, void *locale);
/* What snprintf is in its header. */
int __stdio_common_vsprintf(uint64_t options, char *text, size_t size,
                            const char *format, void *locale,
                            va_list arguments);
enum { onnxc_printf_standard = 2, onnxc_locale_all = 0 };
#define ONNXC_FOREVER UINT32_MAX

static inline void *onnxc_sys_allocate(size_t bytes, size_t alignment) {
  return _aligned_malloc(bytes, alignment);
}
static inline void onnxc_sys_release(void *memory) { _aligned_free(memory); }
static inline void onnxc_sys_populate(const void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}

static inline int64_t onnxc_rt_now(void) {
  const int64_t second = 1000000000;
  int64_t count, per_second;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&per_second);
  return count / per_second * second + count % per_second * second / per_second;
}
static inline long onnxc_sys_getrandom(void *bytes, size_t count) {
  size_t at;
  unsigned number;
  for (at = 0; at + sizeof number <= count; at += sizeof number) {
    if (rand_s(&number))
      return -1;
    memcpy((char *)bytes + at, &number, sizeof number);
  }
  return (long)at;
}
static inline void onnxc_sys_yield(void) { SwitchToThread(); }
/* Nothing forks. */
static inline int onnxc_sys_process(void) { return 0; }

#define ONNXC_SYS_COUNTS_CORES
/* Of the group of at most 64 that the process was started in. */
static inline int64_t onnxc_sys_count_cores(void) {
  uintptr_t own, all;
  int cores = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
    cores = __builtin_popcountll(own);
  return cores > 0 ? cores : 1;
}

typedef uintptr_t onnxc_sys_thread;
typedef unsigned onnxc_sys_result;
static inline int onnxc_sys_start(onnxc_sys_thread *thread,
                                  onnxc_sys_result (*start)(void *),
                                  void *argument) {
  *thread = _beginthreadex(NULL, 0, start, argument, 0, NULL);
  return *thread != 0;
}
static inline void onnxc_sys_join(onnxc_sys_thread thread) {
  WaitForSingleObject((void *)thread, ONNXC_FOREVER);
  CloseHandle((void *)thread);
}

/* SRWLOCK and CONDITION_VARIABLE are a pointer each, NULL at first. */
typedef struct onnxc_sys_gate {
  void *lock;
  void *condition;
} onnxc_sys_gate;
static inline int onnxc_sys_gate_create(onnxc_sys_gate *gate) {
  gate->lock = gate->condition = NULL;
  return 1;
}
static inline void onnxc_sys_gate_destroy(onnxc_sys_gate *gate) { (void)gate; }
static inline void onnxc_sys_wait(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word,
                                  uint32_t value) {
  AcquireSRWLockExclusive(&gate->lock);
  if (*word == value)
    SleepConditionVariableSRW(&gate->condition, &gate->lock, ONNXC_FOREVER, 0);
  ReleaseSRWLockExclusive(&gate->lock);
}
/* Who is about to sleep holds the lock, or has not looked at the word yet. */
static inline void onnxc_sys_wake(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word, int most) {
  (void)word;
  (void)most;
  AcquireSRWLockExclusive(&gate->lock);
  ReleaseSRWLockExclusive(&gate->lock);
  WakeAllConditionVariable(&gate->condition);
}

/* Functions of the C runtime take the locale as an argument. */
typedef struct onnxc_sys_numerals {
  void *locale;
} onnxc_sys_numerals;
static inline int onnxc_sys_enter_numerals(onnxc_sys_numerals *numerals) {
  numerals->locale = _create_locale(onnxc_locale_all, "C");
  return numerals->locale != NULL;
}
static inline void onnxc_sys_leave_numerals(onnxc_sys_numerals *numerals) {
  _free_locale(numerals->locale);
}
static inline double onnxc_sys_strtod(const char *text, char **end,
                                      const onnxc_sys_numerals *numerals) {
  return _strtod_l(text, end, numerals->locale);
}
static inline float onnxc_sys_strtof(const char *text, char **end,
                                     const onnxc_sys_numerals *numerals) {
  return _strtof_l(text, end, numerals->locale);
}
void onnxc_sys_write_exponential(char *text, size_t size, int precision,
                                 double value,
                                 const onnxc_sys_numerals *numerals);

#endif /* ONNXC_LIB_RUNTIME_SYSTEM_WINDOWS_H */
