/*===- riscv64.h - The runtime on RISC-V --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_ARCH_RISCV64_H
#define ONNXC_LIB_RUNTIME_ARCH_RISCV64_H

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
  /* pause, which processors without it take for a fence. */
  __asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x010" ::: "memory");
}

#ifdef ONNXC_ARCH_ASKS_PROCESSOR
/* What features the processor has; for Cpu.c alone. */

typedef struct processor {
  int count;
} processor;

long syscall(long number, ...);
unsigned long getauxval(unsigned long entry);

/* A bit of the key IMA_EXT_0 for all processors of the machine. Linux has
   answered since 6.4; before, it says by letters which extensions there are. */
static int has(int bit) {
  enum { nr_hwprobe = 258, extensions = 4, vectors = 2, hwcap = 16 };
  struct {
    int64_t key;
    uint64_t value;
  } pair = {extensions, 0};
  if (syscall(nr_hwprobe, &pair, 1L, 0L, NULL, 0L) == 0 &&
      pair.key == extensions && ((pair.value >> bit) & 1))
    return 1;
  return bit == vectors && ((getauxval(hwcap) >> ('v' - 'a')) & 1);
}

/* The bytes of a vector register, vlenb, of a processor that has them. */
static uint64_t vector_bytes(void) {
  uint64_t bytes;
  __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
  return bytes;
}

static int supported(processor *asked, const char *feature) {
  (void)asked;
#define RISCV64_FEATURE(NAME, BIT, BYTES, DECODED_BY)                          \
  if (strcmp(feature, NAME) == 0)                                              \
    return has(BIT) && ((BYTES) == 0 || vector_bytes() >= (BYTES));
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}
#endif /* ONNXC_ARCH_ASKS_PROCESSOR */

#endif /* ONNXC_LIB_RUNTIME_ARCH_RISCV64_H */
