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
  /* The loader asked already. */
  int count;
} processor;

static int supported(processor *asked, const char *feature) {
  (void)asked;
#define AARCH64_FEATURE(NAME, ENTRY, BIT)                                      \
  if (strcmp(feature, NAME) == 0)                                              \
    return (int)((getauxval(ENTRY) >> (BIT)) & 1);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}
#endif /* ONNXC_ARCH_ASKS_PROCESSOR */

#endif /* ONNXC_LIB_RUNTIME_ARCH_AARCH64_H */
