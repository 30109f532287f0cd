/*===- Peak.c - The fastest that this machine can go --------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Each loop has enough independent chains to hide the latency of its         *|
|* instruction. The best of several short measurements counts: the machine    *|
|* may be doing other things in between.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Peak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define REPEATS 12
#define STEPS 20000
#define SMALL_BYTES ((size_t)16 << 10)
#define MIDDLE_BYTES ((size_t)512 << 10)
#define LARGE_BYTES ((size_t)256 << 20)

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What the loops compute must look needed. */
static volatile float float_sink;
static volatile int int_sink;

/* A function that runs `steps` rounds of CHAINS instructions of `operations`
   operations each. */
typedef void (*loop)(int64_t steps);
#define CHAINS 12

#define RUN_CHAINS(type, zero, step)                                           \
  type chain[CHAINS];                                                          \
  int64_t i;                                                                   \
  int k;                                                                       \
  for (k = 0; k < CHAINS; ++k)                                                 \
    chain[k] = zero;                                                           \
  for (i = 0; i < steps; ++i) {                                                \
    _Pragma("GCC unroll 12") for (k = 0; k < CHAINS; ++k) {                    \
      chain[k] = step;                                                         \
      __asm__ volatile("" : "+" CHAIN_REGISTER(chain[k]));                     \
    }                                                                          \
  }

#if defined(__x86_64__)
#define CHAIN_REGISTER(value) "v"(value)

__attribute__((target("avx512f"))) static void float_avx512(int64_t steps) {
  const __m512 scale = _mm512_set1_ps(0.5F), shift = _mm512_set1_ps(1.0F);
  RUN_CHAINS(__m512, shift, _mm512_fmadd_ps(chain[k], scale, shift))
  float_sink = _mm512_reduce_add_ps(chain[0]);
}

#undef CHAIN_REGISTER
#define CHAIN_REGISTER(value) "x"(value)

__attribute__((target("avx2,fma"))) static void float_avx2(int64_t steps) {
  const __m256 scale = _mm256_set1_ps(0.5F), shift = _mm256_set1_ps(1.0F);
  RUN_CHAINS(__m256, shift, _mm256_fmadd_ps(chain[k], scale, shift))
  float_sink = _mm256_cvtss_f32(chain[0]);
}

static void float_baseline(int64_t steps) {
  const __m128 scale = _mm_set1_ps(0.5F), shift = _mm_set1_ps(1.0F);
  RUN_CHAINS(__m128, shift, _mm_add_ps(_mm_mul_ps(chain[k], scale), shift))
  float_sink = _mm_cvtss_f32(chain[0]);
}

#undef CHAIN_REGISTER
#define CHAIN_REGISTER(value) "v"(value)

__attribute__((target("avx512f,avx512vnni"))) static void
int8_avx512(int64_t steps) {
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
  RUN_CHAINS(__m512i, a, _mm512_dpbusd_epi32(chain[k], a, b))
  int_sink = _mm512_reduce_add_epi32(chain[0]);
}

/* Whether Linux lets this process use tile registers. */
static int has_tiles(void) {
  return __builtin_cpu_supports("amx-int8") &&
         !syscall(SYS_arch_prctl, 0x1023L /* ARCH_REQ_XCOMP_PERM */, 18L);
}

/* 16 rows by 16 columns of 64 bytes; four sums for the twelve chains. */
__attribute__((target("amx-tile,amx-int8"))) static void
int8_amx(int64_t steps) {
  unsigned char config[64] = {1};
  int64_t i;
  int k;
  for (k = 0; k < 8; ++k) {
    config[16 + 2 * k] = 64;
    config[48 + k] = 16;
  }
  _tile_loadconfig(config);
  for (i = 0; i < 3 * steps; ++i) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  _tile_release();
}

#elif defined(__aarch64__)
#define CHAIN_REGISTER(value) "w"(value)

static void float_baseline(int64_t steps) {
  const float32x4_t scale = vdupq_n_f32(0.5F), shift = vdupq_n_f32(1.0F);
  RUN_CHAINS(float32x4_t, shift, vfmaq_f32(shift, chain[k], scale))
  float_sink = vgetq_lane_f32(chain[0], 0);
}
#endif

/* The best rate in 1e9 per second of a loop with `operations` per
   instruction. */
static double measure_loop(loop run, double operations) {
  double best = 0;
  int i;
  run(STEPS);
  for (i = 0; i < REPEATS; ++i) {
    double start = seconds(), rate;
    run(STEPS);
    rate = operations * CHAINS * STEPS / (seconds() - start);
    best = rate > best ? rate : best;
  }
  return 1e-9 * best;
}

/* Sixteen numbers that may be added in any order: the compiler picks the
   widest registers that the function is allowed. */
typedef uint64_t words __attribute__((vector_size(64)));

#define READ_ALL(data, bytes)                                                  \
  words sum[4];                                                                \
  size_t i;                                                                    \
  memset(sum, 0, sizeof sum);                                                  \
  for (i = 0; i < (bytes) / sizeof(words); i += 4) {                           \
    sum[0] ^= (data)[i];                                                       \
    sum[1] ^= (data)[i + 1];                                                   \
    sum[2] ^= (data)[i + 2];                                                   \
    sum[3] ^= (data)[i + 3];                                                   \
  }                                                                            \
  sum[0] ^= sum[1] ^ sum[2] ^ sum[3];                                          \
  int_sink = (int)sum[0][0];

typedef void (*reader)(const words *data, size_t bytes);

static void read_baseline(const words *data, size_t bytes) {
  READ_ALL(data, bytes)
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void read_avx512(const words *data,
                                                           size_t bytes) {
  READ_ALL(data, bytes)
}
__attribute__((target("avx2"))) static void read_avx2(const words *data,
                                                      size_t bytes) {
  READ_ALL(data, bytes)
}
#endif

static double measure_reads(reader read, const words *data, size_t bytes) {
  double best = 0;
  size_t rounds = LARGE_BYTES / 8 / bytes, k;
  int i;
  rounds = rounds ? rounds : 1;
  read(data, bytes);
  for (i = 0; i < 4; ++i) {
    double start = seconds(), rate;
    for (k = 0; k < rounds; ++k)
      read(data, bytes);
    rate = (double)bytes * (double)rounds / (seconds() - start);
    best = rate > best ? rate : best;
  }
  return 1e-9 * best;
}

void onnxc_measure_peak(onnxc_peak *peak) {
  reader read = read_baseline;
  words *data;
  memset(peak, 0, sizeof *peak);
  peak->float_name = peak->int8_name = "none";
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    read = read_avx512;
    peak->float_name = "AVX-512 fma";
    peak->float_gflops = measure_loop(float_avx512, 32);
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    read = read_avx2;
    peak->float_name = "AVX2 fma";
    peak->float_gflops = measure_loop(float_avx2, 16);
  } else {
    peak->float_name = "SSE2 mul, add";
    peak->float_gflops = measure_loop(float_baseline, 8);
  }
  if (has_tiles()) {
    peak->int8_name = "AMX tdpbusd";
    peak->int8_gops = measure_loop(int8_amx, 32768);
  } else if (__builtin_cpu_supports("avx512vnni")) {
    peak->int8_name = "AVX-512 VNNI dpbusd";
    peak->int8_gops = measure_loop(int8_avx512, 128);
  }
#elif defined(__aarch64__)
  peak->float_name = "NEON fmla";
  peak->float_gflops = measure_loop(float_baseline, 8);
#endif
  data = aligned_alloc((size_t)2 << 20, LARGE_BYTES);
  if (!data)
    return;
  madvise(data, LARGE_BYTES, MADV_HUGEPAGE);
  memset(data, 1, LARGE_BYTES);
  peak->l1_gbs = measure_reads(read, data, SMALL_BYTES);
  peak->l2_gbs = measure_reads(read, data, MIDDLE_BYTES);
  peak->memory_gbs = measure_reads(read, data, LARGE_BYTES);
  free(data);
}
