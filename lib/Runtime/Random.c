/*===- Random.c - Random numbers -----------------------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See docs/random-numbers.md. A node with a seed draws what numpy's
RandomState*|
|* of that seed draws, as ONNX's reference implementation does: MT19937, and
the*|
|* ways of RandomState from its numbers to distributions. A node without one  *|
|* hashes a key and the number of each element, in compiled code; the keys
come*|
|* from here, another one for each node in each run.                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

/* The hash that compiled code draws by: the mixing step of SplitMix64. */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

int32_t onnxc_rt_random_key(onnxc_context *face, const char *node,
                            int64_t *key) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  (void)node;
  if (!context->random_keys &&
      onnxc_sys_getrandom(&context->random_start,
                          sizeof context->random_start) !=
          (long)sizeof context->random_start)
    context->random_start =
        (uint64_t)(uintptr_t)context ^ (uint64_t)onnxc_rt_now();
  ++context->random_keys;
  *key = (int64_t)mix(context->random_start + context->random_keys);
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* Draws from a seed                                                          *|
\*===----------------------------------------------------------------------===*/

#define STATE_SIZE 624
#define STATE_DISTANCE 397

typedef struct twister {
  uint32_t state[STATE_SIZE];
  int next;
} twister;

static void twister_seed(twister *t, uint32_t seed) {
  int i;
  t->state[0] = seed;
  for (i = 1; i < STATE_SIZE; ++i)
    t->state[i] =
        UINT32_C(1812433253) * (t->state[i - 1] ^ (t->state[i - 1] >> 30)) +
        (uint32_t)i;
  t->next = STATE_SIZE;
}

static void twister_renew(twister *t) {
  int i;
  for (i = 0; i < STATE_SIZE; ++i) {
    uint32_t x = (t->state[i] & UINT32_C(0x80000000)) |
                 (t->state[(i + 1) % STATE_SIZE] & UINT32_C(0x7FFFFFFF));
    t->state[i] = t->state[(i + STATE_DISTANCE) % STATE_SIZE] ^ (x >> 1) ^
                  (x & 1 ? UINT32_C(0x9908B0DF) : 0);
  }
  t->next = 0;
}

static uint32_t twister_bits(twister *t) {
  uint32_t x;
  if (t->next == STATE_SIZE)
    twister_renew(t);
  x = t->state[t->next++];
  x ^= x >> 11;
  x ^= (x << 7) & UINT32_C(0x9D2C5680);
  x ^= (x << 15) & UINT32_C(0xEFC60000);
  return x ^ (x >> 18);
}

/* In [0, 1), of 53 bits. */
static double draw_uniform(twister *t) {
  double high = twister_bits(t) >> 5, low = twister_bits(t) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* Two at a time by the polar method; `spare` is the other one where `has_spare`
   is set. */
static double draw_normal(twister *t, int *has_spare, double *spare) {
  double x, y, square, factor;
  if (*has_spare) {
    *has_spare = 0;
    return *spare;
  }
  do {
    x = 2 * draw_uniform(t) - 1;
    y = 2 * draw_uniform(t) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  factor = sqrt(-2 * log(square) / square);
  *spare = factor * x;
  *has_spare = 1;
  return factor * y;
}

/* By inversion from the likelier side; the impossible takes no number. */
static double draw_bernoulli(twister *t, double chance) {
  double rare = chance <= 0.5 ? chance : 1 - chance;
  int is_rare;
  if (!(chance > 0))
    return 0;
  is_rare = draw_uniform(t) > 1 - rare;
  return is_rare == (chance <= 0.5);
}

int32_t onnxc_rt_random_uniform(onnxc_context *context, const char *node,
                                int64_t seed, onnxc_tensor *numbers) {
  double *to = numbers->data;
  int64_t count = onnxc_rt_count_elements(numbers), i;
  twister t;
  (void)context;
  (void)node;
  twister_seed(&t, (uint32_t)seed);
  for (i = 0; i < count; ++i)
    to[i] = draw_uniform(&t);
  return 0;
}

int32_t onnxc_rt_random_normal(onnxc_context *context, const char *node,
                               int64_t seed, onnxc_tensor *numbers) {
  double *to = numbers->data, spare = 0;
  int64_t count = onnxc_rt_count_elements(numbers), i;
  int has_spare = 0;
  twister t;
  (void)context;
  (void)node;
  twister_seed(&t, (uint32_t)seed);
  for (i = 0; i < count; ++i)
    to[i] = draw_normal(&t, &has_spare, &spare);
  return 0;
}

int32_t onnxc_rt_random_bernoulli(onnxc_context *context, const char *node,
                                  int64_t seed, const onnxc_tensor *chances,
                                  onnxc_tensor *numbers) {
  const double *from = chances->data;
  double *to = numbers->data;
  int64_t count = onnxc_rt_count_elements(numbers), i;
  twister t;
  (void)context;
  (void)node;
  twister_seed(&t, (uint32_t)seed);
  for (i = 0; i < count; ++i)
    to[i] = draw_bernoulli(&t, from[i]);
  return 0;
}
