/*===- aarch64.h - The runtime on AArch64 -------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_ARCH_AARCH64_H
#define ONNXC_LIB_RUNTIME_ARCH_AARCH64_H

/* Linux' numbers of system calls. */
enum {
  onnxc_nr_futex = 98,
  onnxc_nr_pread = 67,
  onnxc_nr_getaffinity = 123,
  onnxc_nr_yield = 124,
  onnxc_nr_getrandom = 278
};

/* Tells the processor that the thread waits in a loop. */
static inline void onnxc_arch_pause(void) {
  __asm__ volatile("isb" ::: "memory");
}

#ifdef ONNXC_ARCH_ASKS_PROCESSOR
/* What features the processor has; for Cpu.c alone. */

typedef struct processor {
  /* The system asked already. */
  int count;
} processor;

#if defined(_WIN32)
int IsProcessorFeaturePresent(uint32_t feature);
static int has(unsigned long entry, int bit, const char *name, int number) {
  (void)entry;
  (void)bit;
  (void)name;
  return number >= 0 && IsProcessorFeaturePresent((uint32_t)number);
}
#elif defined(__APPLE__)
int sysctlbyname(const char *name, void *value, size_t *bytes, void *new_value,
                 size_t new_bytes);
static int has(unsigned long entry, int bit, const char *name, int number) {
  int value = 0;
  size_t bytes = sizeof value;
  (void)entry;
  (void)bit;
  (void)number;
  if (!name || !*name)
    return name != NULL;
  return !sysctlbyname(name, &value, &bytes, NULL, 0) && value;
}
#else
unsigned long getauxval(unsigned long entry);
static int has(unsigned long entry, int bit, const char *name, int number) {
  (void)name;
  (void)number;
  return (int)((getauxval(entry) >> bit) & 1);
}
#endif

static int supported(processor *asked, const char *feature) {
  (void)asked;
#define AARCH64_FEATURE(NAME, ENTRY, BIT, MACOS, WINDOWS)                      \
  if (strcmp(feature, NAME) == 0)                                              \
    return has(ENTRY, BIT, MACOS, WINDOWS);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}
#endif /* ONNXC_ARCH_ASKS_PROCESSOR */

#endif /* ONNXC_LIB_RUNTIME_ARCH_AARCH64_H */
