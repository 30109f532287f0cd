/*===- peak.c - The limits of each level of processors ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* usage: peak THREADS [MIB]                                                  *|
|*                                                                            *|
|* Prints a JSON object: for each level of processors that this machine has,  *|
|* how many operations and bytes per second that many threads reach together. *|
|* The loops are those of `onnxc bench --peak`, which measures one thread and *|
|* the highest level; to them come products of 8-bit integers without VNNI.   *|
|* With MIB, which each thread reads for memory's bandwidth, the highest      *|
|* level alone.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Peak.c"

#include <pthread.h>
#include <stdio.h>

#define ROUNDS 20
#define LONG_STEPS 300000

/* What the threads do at the same time. */
struct phase {
  loop run;
  reader read;
  size_t bytes, rounds;
};

struct team {
  pthread_barrier_t barrier;
  struct phase phase;
  double best;
  int threads;
};

static void *work(void *data) {
  struct team *team = data;
  const struct phase *phase = &team->phase;
  words *memory = NULL;
  double start = 0;
  size_t k;
  int i, leads;
  if (phase->read) {
    memory =
        aligned_alloc((size_t)2 << 20, (phase->bytes + 0x1fffff) >> 21 << 21);
    madvise(memory, phase->bytes, MADV_HUGEPAGE);
    memset(memory, 1, phase->bytes);
  }
  for (i = 0; i <= (phase->bytes > LARGE_BYTES ? ROUNDS / 5 : ROUNDS); ++i) {
    leads =
        pthread_barrier_wait(&team->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    if (leads)
      start = seconds();
    for (k = 0; k < phase->rounds; ++k)
      if (memory)
        phase->read(memory, phase->bytes);
      else
        phase->run(LONG_STEPS);
    pthread_barrier_wait(&team->barrier);
    /* The first round warms up. */
    if (leads && i) {
      double rate = (double)phase->rounds / (seconds() - start);
      team->best = rate > team->best ? rate : team->best;
    }
  }
  free(memory);
  return NULL;
}

/* The most rounds per second of one thread while all do the same. */
static double measure_team(int threads, struct phase phase) {
  struct team team = {.phase = phase, .threads = threads};
  pthread_t others[256];
  int i;
  pthread_barrier_init(&team.barrier, NULL, (unsigned)threads);
  for (i = 1; i < threads; ++i)
    if (pthread_create(&others[i], NULL, work, &team))
      exit(1);
  work(&team);
  for (i = 1; i < threads; ++i)
    pthread_join(others[i], NULL);
  pthread_barrier_destroy(&team.barrier);
  return team.best * threads;
}

#if defined(__x86_64__)
/* Four products of bytes for each sum, by three instructions. What is
   multiplied must look new each time. */
#define DOTS(type, zero, add, madd, maddubs, set8, set16)                      \
  type left = set8(3), right = set8(5), ones = set16(1);                       \
  RUN_CHAINS(type, zero, ({                                                    \
               __asm__ volatile("" : "+" CHAIN_REGISTER(left));                \
               add(chain[k], madd(maddubs(left, right), ones));                \
             }))

#undef CHAIN_REGISTER
#define CHAIN_REGISTER(value) "x"(value)
__attribute__((target("avx2"))) static void int8_avx2(int64_t steps) {
  DOTS(__m256i, _mm256_setzero_si256(), _mm256_add_epi32, _mm256_madd_epi16,
       _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16)
  int_sink = _mm256_extract_epi32(chain[0], 0);
}

__attribute__((target("avx2,avxvnni"))) static void
int8_avxvnni(int64_t steps) {
  const __m256i a = _mm256_set1_epi8(3), b = _mm256_set1_epi8(5);
  RUN_CHAINS(__m256i, a, _mm256_dpbusd_avx_epi32(chain[k], a, b))
  int_sink = _mm256_extract_epi32(chain[0], 0);
}

#undef CHAIN_REGISTER
#define CHAIN_REGISTER(value) "v"(value)
__attribute__((target("avx512f,avx512bw"))) static void
int8_avx512bw(int64_t steps) {
  DOTS(__m512i, _mm512_setzero_si512(), _mm512_add_epi32, _mm512_madd_epi16,
       _mm512_maddubs_epi16, _mm512_set1_epi8, _mm512_set1_epi16)
  int_sink = _mm512_reduce_add_epi32(chain[0]);
}
#endif

/* A level by onnxc's name (--mcpu), and what it can do; the sizes are
   operations per instruction. */
struct level {
  const char *name;
  loop float_loop;
  double float_size;
  const char *float_name;
  loop int8_loop;
  double int8_size;
  const char *int8_name;
  reader read;
};

static int list_levels(struct level *levels) {
  int count = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  levels[count++] =
      (struct level){"x86-64-v2", float_baseline, 8, "SSE2 mul, add", NULL, 0,
                     "none",      read_baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    levels[count++] = (struct level){"x86-64-v3",
                                     float_avx2,
                                     16,
                                     "AVX2 fma",
                                     int8_avx2,
                                     64,
                                     "AVX2 pmaddubsw, pmaddwd, paddd",
                                     read_avx2};
  if (__builtin_cpu_supports("avxvnni"))
    levels[count++] = (struct level){"x86-64-v3+avxvnni", float_avx2,   16,
                                     "AVX2 fma",          int8_avxvnni, 64,
                                     "AVX-VNNI dpbusd",   read_avx2};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
    levels[count++] = (struct level){"x86-64-v4",
                                     float_avx512,
                                     32,
                                     "AVX-512 fma",
                                     int8_avx512bw,
                                     128,
                                     "AVX-512 pmaddubsw, pmaddwd, paddd",
                                     read_avx512};
  if (__builtin_cpu_supports("avx512vnni"))
    levels[count++] = (struct level){"x86-64-v4+avx512vnni", float_avx512, 32,
                                     "AVX-512 fma",          int8_avx512,  128,
                                     "AVX-512 VNNI dpbusd",  read_avx512};
  if (has_tiles())
    levels[count++] = (struct level){"x86-64-v4+avx512vnni+amx-int8",
                                     float_avx512,
                                     32,
                                     "AVX-512 fma",
                                     int8_amx,
                                     32768,
                                     "AMX tdpbusd",
                                     read_avx512};
#else
  levels[count++] =
      (struct level){"baseline",
#if defined(__aarch64__)
                     float_baseline, 8, "NEON fmla",
#else
                     NULL,       0, "none",
#endif
                     NULL,           0, "none",      read_baseline};
#endif
  return count;
}

int main(int argc, char **argv) {
  struct level levels[8];
  int threads = argc > 1 ? atoi(argv[1]) : 1, count = list_levels(levels), i, j,
      first = argc > 2 ? count - 1 : 0;
  size_t large =
      argc > 2 ? (size_t)atol(argv[2]) << 20 : (size_t)LARGE_BYTES / 2;
  if (threads < 1 || threads > 256)
    return 2;
  printf("{");
  for (i = first; i < count; ++i) {
    const struct level *level = &levels[i];
    const struct phase phases[] = {
        {level->float_loop, NULL, 0, 1},
        {level->int8_loop, NULL, 0, 1},
        {NULL, level->read, SMALL_BYTES, 2000},
        {NULL, level->read, large, 1},
    };
    const double sizes[] = {level->float_size * CHAINS * LONG_STEPS,
                            level->int8_size * CHAINS * LONG_STEPS, SMALL_BYTES,
                            (double)large};
    double rates[4];
    for (j = 0; j < 4; ++j)
      rates[j] = phases[j].run || phases[j].read
                     ? 1e-9 * sizes[j] * measure_team(threads, phases[j])
                     : 0;
    printf("%s\"%s\": {\"float_name\": \"%s\", \"float_gflops\": %.1f, "
           "\"int8_name\": \"%s\", \"int8_gops\": %.1f, \"l1_gbs\": %.1f, "
           "\"memory_gbs\": %.2f}",
           i != first ? ",\n " : "", level->name, level->float_name, rates[0],
           level->int8_name, rates[1], rates[2], rates[3]);
  }
  printf("}\n");
  return 0;
}
