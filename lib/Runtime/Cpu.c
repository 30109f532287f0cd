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

static int has(processor *asked, uint32_t leaf, uint32_t subleaf, int which,
               int bit, uint32_t state) {
  if (cpuid(asked, leaf & 0x80000000u, 0)[0] < leaf ||
      (subleaf && cpuid(asked, leaf, 0)[0] < subleaf))
    return 0;
  return ((cpuid(asked, leaf, subleaf)[which] >> bit) & 1) != 0 &&
         (enabled_states(asked) & state) == state;
}

static int supported(processor *asked, const char *feature) {
#define X86_FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                 \
  if (strcmp(feature, NAME) == 0)                                              \
    return has(asked, LEAF, SUBLEAF, REGISTER, BIT, STATE);
#include "onnxc/Runtime/CpuFeatures.def"
  return 0;
}

#elif defined(__aarch64__)

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

#elif defined(__riscv) && __riscv_xlen == 64

typedef struct processor {
  int count;
} processor;

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

#else
#error "the runtime supports x86-64, aarch64 and riscv64 only"
#endif

const char *onnxc_rt_missing_feature(const char *const *features) {
  processor asked;
  asked.count = 0;
  for (; features && *features; ++features)
    if (!supported(&asked, *features))
      return *features;
  return NULL;
}
