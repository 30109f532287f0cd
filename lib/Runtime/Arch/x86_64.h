/*===- x86_64.h - The runtime on x86-64 ---------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_ARCH_X86_64_H
#define ONNXC_LIB_RUNTIME_ARCH_X86_64_H

/* Linux' numbers of system calls. */
enum {
  onnxc_nr_futex = 202,
  onnxc_nr_pread = 17,
  onnxc_nr_getaffinity = 204,
  onnxc_nr_yield = 24,
  onnxc_nr_getrandom = 318,
  onnxc_nr_arch_prctl = 158
};

/* Tells the processor that the thread waits in a loop. */
static inline void onnxc_arch_pause(void) { __builtin_ia32_pause(); }

#ifdef ONNXC_ARCH_ASKS_PROCESSOR
/* What features the processor has; for Cpu.c alone. */

/* What the processor said about a leaf. In a virtual machine it takes some 10
   us to ask, as long as a small model runs: each is asked for once. */
typedef struct answer {
  uint32_t leaf, subleaf;
  uint32_t registers[4];
} answer;

typedef struct processor {
  /* 0, 1, 7 and its subleaf, 0x80000000 and 0x80000001. */
  answer answers[6];
  int count;
} processor;

static const uint32_t *cpuid(processor *asked, uint32_t leaf,
                             uint32_t subleaf) {
  const int room = (int)(sizeof asked->answers / sizeof *asked->answers);
  answer *place = asked->answers;
  const answer *end = place + asked->count;
  for (; place != end; ++place)
    if (place->leaf == leaf && place->subleaf == subleaf)
      return place->registers;
  if (asked->count < room)
    ++asked->count;
  else
    --place;
  place->leaf = leaf;
  place->subleaf = subleaf;
  __asm__ volatile("cpuid"
                   : "=a"(place->registers[0]), "=b"(place->registers[1]),
                     "=c"(place->registers[2]), "=d"(place->registers[3])
                   : "a"(leaf), "c"(subleaf));
  return place->registers;
}

/* Which register states the operating system saves. */
static uint32_t enabled_states(processor *asked) {
  uint32_t low, high;
  if (!(cpuid(asked, 1, 0)[2] & (1u << 27)))
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  (void)high;
  return low;
}

/* Linux saves tile registers for processes that asked for them before the first
   use, and for the threads that they make later
   (Documentation/arch/x86/xstate). It refuses where a thread's alternate signal
   stack has no room for them. */
long syscall(long number, ...);
static int is_allowed(uint32_t state) {
  const uint32_t tile_data = 1u << 18;
  if (!(state & tile_data))
    return 1;
#if defined(__linux__)
  return !syscall(onnxc_nr_arch_prctl, 0x1023L /* ARCH_REQ_XCOMP_PERM */, 18L);
#else
  return 0;
#endif
}

static int has(processor *asked, uint32_t leaf, uint32_t subleaf, int which,
               int bit, uint32_t state) {
  if (cpuid(asked, leaf & 0x80000000u, 0)[0] < leaf ||
      (subleaf && cpuid(asked, leaf, 0)[0] < subleaf))
    return 0;
  return ((cpuid(asked, leaf, subleaf)[which] >> bit) & 1) != 0 &&
         (enabled_states(asked) & state) == state && is_allowed(state);
}

static int supported(processor *asked, const char *feature) {
#define X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                 \
  if (strcmp(feature, NAME) == 0)                                              \
    return has(asked, LEAF, SUBLEAF, REGISTER, BIT, STATE);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}
#endif /* ONNXC_ARCH_ASKS_PROCESSOR */

#endif /* ONNXC_LIB_RUNTIME_ARCH_X86_64_H */
