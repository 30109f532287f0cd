/*===- Cpu.c - Does this processor run the model ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Asks the processor itself: the answer of the C library or the compiler's   *|
|* support library would be one more dependency.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#if defined(__x86_64__)

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]),
                     "=d"(registers[3])
                   : "a"(leaf), "c"(subleaf));
}

/* Which register states the operating system saves. */
static uint32_t enabled_states(void) {
  uint32_t registers[4], low, high;
  cpuid(1, 0, registers);
  if (!(registers[2] & (1u << 27)))
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  (void)high;
  return low;
}

static int has(uint32_t leaf, uint32_t subleaf, int which, int bit,
               uint32_t state) {
  uint32_t registers[4];
  cpuid(leaf & 0x80000000u, 0, registers);
  if (registers[0] < leaf)
    return 0;
  if (subleaf) {
    cpuid(leaf, 0, registers);
    if (registers[0] < subleaf)
      return 0;
  }
  cpuid(leaf, subleaf, registers);
  return ((registers[which] >> bit) & 1) != 0 &&
         (enabled_states() & state) == state;
}

static int supported(const char *feature) {
#define X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                 \
  if (strcmp(feature, NAME) == 0)                                              \
    return has(LEAF, SUBLEAF, REGISTER, BIT, STATE);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}

#elif defined(__aarch64__)

static int supported(const char *feature) {
#define AARCH64_FEATURE(NAME, ENTRY, BIT)                                      \
  if (strcmp(feature, NAME) == 0)                                              \
    return (int)((getauxval(ENTRY) >> (BIT)) & 1);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}

#else
#error "the runtime knows x86-64 and aarch64"
#endif

const char *onnxc_rt_missing_feature(const char *const *features) {
  for (; features && *features; ++features)
    if (!supported(*features))
      return *features;
  return NULL;
}
