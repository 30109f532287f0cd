/*===- Team.c - Threads that share the work of a run --------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A parallel loop is cut into shares, one for each thread, of consecutive *|
|* iterations: the same thread then works on the same rows of one layer after *|
|* the other, which its cache still holds. Who is through with its own share  *|
|* takes from the ends of the others', so that a loop ends whatever workers   *|
|* there are: none after a fork, none where the system refused them. The      *|
|* caller returns when all iterations are finished; a worker that comes too   *|
|* late is not waited for.                                                    *|
|*                                                                            *|
|* A share is one word. Who takes iterations changes it, and only then reads  *|
|* what the loop is. It reads the loop that the iterations belong to: the     *|
|* next one is not written before these are finished.                         *|
|*                                                                            *|
|* While a run is on its way, workers look for work most of the time and do   *|
|* not sleep: to wake one costs its caller as much as 20 us of work. Past the *|
|* end of a run they sleep soon.                                              *|
|*                                                                            *|
|* This file is part of a model only if the model has parallel loops; the     *|
|* context reaches it by pointers alone.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#include <stdatomic.h>

enum {
  /* How long a thread looks for work, or for the end of it, before it lets
     others have the processor in between; and before it sleeps, if nothing
     says that there will be some soon. */
  spin_nanoseconds = 60000,
  /* Before it sleeps, if there may be. */
  patience_nanoseconds = 2000000,
  looks_per_time = 32,
  /* A share is taken in so many portions, if they are large enough. */
  portions = 8,
  /* In the unit of the estimates, cycles. */
  least_portion_cost = 3000,
  /* To wake a worker takes its caller about half of this. */
  least_cost_to_wake = 80000
};

/* What threads change often lies apart from the rest, line by line. */
typedef struct member {
  /* What is left of the member's share: its begin in the upper half, its end in
     the lower. */
  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic uint64_t left;
  struct onnxc_rt_team *team;
  onnxc_sys_thread thread;
} member;

struct onnxc_rt_team {
  onnxc_rt_context *context;
  size_t bytes;
  int process;
  /* Where workers sleep until there is news, and the caller until its loop is
     finished. */
  onnxc_sys_gate news_gate, unfinished_gate;
  /* The members but the first, who is the caller. */
  _Atomic int32_t workers;
  /* What the loops of this run would be worth, in cycles. */
  double worth;

  /* The loop. Shares count in steps of `step` iterations. */
  onnxc_rt_task task;
  void *data;
  int64_t count, step;
  _Atomic uint32_t portion;

  /* In the unit of shares. */
  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic uint32_t unfinished;
  _Atomic uint32_t caller_sleeps;
  /* Goes up when there is something to look at. */
  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic uint32_t news;
  _Atomic uint32_t sleepers;
  _Atomic uint32_t is_running;
  _Atomic uint32_t is_over;

  member members[];
};

/* Waits until `*word` is not `value`, at most for a while: for long if
   `is_patient`. */
static int spin_while(const _Atomic uint32_t *word, uint32_t value,
                      const _Atomic uint32_t *is_patient) {
  int64_t start = onnxc_rt_now(), waited;
  do {
    int look;
    for (look = 0; look < looks_per_time; ++look) {
      if (atomic_load_explicit(word, memory_order_acquire) != value)
        return 1;
      onnxc_arch_pause();
    }
    waited = onnxc_rt_now() - start;
    if (waited < spin_nanoseconds)
      continue;
    if (is_patient && !atomic_load_explicit(is_patient, memory_order_relaxed))
      return 0;
    onnxc_sys_yield();
  } while (waited < patience_nanoseconds);
  return 0;
}

static void *scratch_of(const onnxc_rt_context *context, int64_t slot) {
  return (char *)context->scratch +
         (size_t)slot * (size_t)context->face.model->scratch_bytes;
}

/* Where piece `index` begins; pieces differ by one at most. */
static int64_t begin_of(int64_t index, int64_t count, int64_t pieces) {
  int64_t rest = count % pieces;
  return index * (count / pieces) + (index < rest ? index : rest);
}

/* Takes a portion of a share, its owner from the front, others from the end.
   Returns how much that is, and where it begins. */
static uint32_t take(onnxc_rt_team *team, member *of, int is_own,
                     uint32_t *from) {
  uint64_t left = atomic_load_explicit(&of->left, memory_order_relaxed), rest;
  uint32_t begin, end, taken;
  do {
    begin = (uint32_t)(left >> 32);
    end = (uint32_t)left;
    if (begin >= end)
      return 0;
    /* It may be the last loop's: any portion is right. */
    taken = atomic_load_explicit(&team->portion, memory_order_relaxed);
    if (taken > end - begin)
      taken = end - begin;
    *from = is_own ? begin : end - taken;
    rest = is_own ? (uint64_t)(begin + taken) << 32 | end
                  : (uint64_t)begin << 32 | (end - taken);
  } while (!atomic_compare_exchange_weak_explicit(
      &of->left, &left, rest, memory_order_acquire, memory_order_relaxed));
  return taken;
}

/* Works on the shares of all, its own first. */
static void run_shares(onnxc_rt_team *team, int32_t slot) {
  int32_t members = team->workers + 1, i;
  uint32_t done = 0;
  for (i = 0; i < members; ++i) {
    member *of = &team->members[(slot + i) % members];
    uint32_t from, taken;
    while ((taken = take(team, of, i == 0, &from))) {
      int64_t begin = from * team->step, end = begin + taken * team->step;
      team->task(team->data, scratch_of(team->context, slot), begin,
                 end < team->count ? end : team->count);
      done += taken;
    }
  }
  /* Until here, none of it counts as finished, so it was all of one loop. */
  if (done && atomic_fetch_sub(&team->unfinished, done) == done &&
      atomic_load(&team->caller_sleeps))
    onnxc_sys_wake(&team->unfinished_gate, &team->unfinished, 1);
}

static void wake_workers(onnxc_rt_team *team) {
  atomic_fetch_add(&team->news, 1);
  if (atomic_load(&team->sleepers))
    onnxc_sys_wake(&team->news_gate, &team->news, team->workers);
}

static onnxc_sys_result work(void *argument) {
  member *self = argument;
  onnxc_rt_team *team = self->team;
  while (1) {
    uint32_t seen = atomic_load_explicit(&team->news, memory_order_acquire);
    if (atomic_load(&team->is_over))
      return 0;
    run_shares(team, (int32_t)(self - team->members));
    if (spin_while(&team->news, seen, &team->is_running))
      continue;
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(&team->news) == seen)
      onnxc_sys_wait(&team->news_gate, &team->news, seen);
    atomic_fetch_sub(&team->sleepers, 1);
  }
}

/* Who sleeps wakes up while a run begins, if the last one was worth it. */
static void tell_team(onnxc_rt_context *context, int32_t is_running) {
  onnxc_rt_team *team = context->team;
  atomic_store_explicit(&team->is_running, (uint32_t)is_running,
                        memory_order_relaxed);
  if (!is_running)
    return;
  if (team->worth >= least_cost_to_wake &&
      atomic_load_explicit(&team->sleepers, memory_order_relaxed))
    wake_workers(team);
  team->worth = 0;
}

static void end_team(onnxc_rt_context *context) {
  onnxc_rt_team *team = context->team;
  int32_t i;
  atomic_store(&team->is_over, 1);
  wake_workers(team);
  /* A child of the process that made them does not have the threads. */
  if (team->process == onnxc_sys_process())
    for (i = 0; i < team->workers; ++i)
      onnxc_sys_join(team->members[i + 1].thread);
  onnxc_sys_gate_destroy(&team->news_gate);
  onnxc_sys_gate_destroy(&team->unfinished_gate);
  onnxc_rt_release(context, team, team->bytes);
  context->team = NULL;
}

static int make_gates(onnxc_rt_team *team) {
  if (!onnxc_sys_gate_create(&team->news_gate))
    return 0;
  if (onnxc_sys_gate_create(&team->unfinished_gate))
    return 1;
  onnxc_sys_gate_destroy(&team->news_gate);
  return 0;
}

/* As many workers as the system gives, which may be none. */
static void make_team(onnxc_rt_context *context) {
  int32_t wanted = onnxc_rt_thread_count(context) - 1;
  size_t bytes = sizeof(onnxc_rt_team) +
                 (size_t)(wanted > 0 ? wanted + 1 : 1) * sizeof(member);
  onnxc_rt_team *team = onnxc_rt_allocate(context, bytes);
  if (!team)
    return;
  memset(team, 0, bytes);
  team->context = context;
  team->bytes = bytes;
  team->process = onnxc_sys_process();
  team->is_running = 1;
  if (!make_gates(team)) {
    onnxc_rt_release(context, team, bytes);
    return;
  }
  for (; team->workers < wanted; ++team->workers) {
    member *next = &team->members[team->workers + 1];
    next->team = team;
    if (!onnxc_sys_start(&next->thread, work, next))
      break;
  }
  context->team = team;
  context->tell_team = tell_team;
  context->end_team = end_team;
}

static void run_by_team(onnxc_rt_team *team, int64_t count, double cost,
                        onnxc_rt_task task, void *data) {
  int64_t step = count / INT32_MAX + 1, size = (count + step - 1) / step;
  int64_t sharers = team->workers + 1, i;
  double portion = (double)size / (double)(sharers * portions),
         least = least_portion_cost / cost * (double)size;
  if (portion < least)
    portion = least;
  /* Those that there is no share for may still help out. */
  if ((double)sharers * portion > (double)size)
    sharers = (int64_t)((double)size / portion);
  if (sharers < 1)
    sharers = 1;
  team->task = task;
  team->data = data;
  team->count = count;
  team->step = step;
  atomic_store_explicit(&team->portion, portion > 1 ? (uint32_t)portion : 1,
                        memory_order_relaxed);
  atomic_store_explicit(&team->unfinished, (uint32_t)size,
                        memory_order_relaxed);
  for (i = 0; i < sharers; ++i)
    atomic_store_explicit(&team->members[i].left,
                          (uint64_t)begin_of(i, size, sharers) << 32 |
                              (uint64_t)begin_of(i + 1, size, sharers),
                          memory_order_release);
  if (cost >= least_cost_to_wake)
    wake_workers(team);
  else
    atomic_fetch_add(&team->news, 1);
  run_shares(team, 0);
  while (1) {
    uint32_t left =
        atomic_load_explicit(&team->unfinished, memory_order_acquire);
    if (!left)
      return;
    if (spin_while(&team->unfinished, left, NULL))
      continue;
    atomic_store(&team->caller_sleeps, 1);
    if (atomic_load(&team->unfinished) == left)
      onnxc_sys_wait(&team->unfinished_gate, &team->unfinished, left);
    atomic_store(&team->caller_sleeps, 0);
  }
}

/* A loop as the caller's parallel_for sees it. */
typedef struct pieces_for_caller {
  onnxc_rt_context *context;
  onnxc_rt_task task;
  void *data;
  int64_t count, pieces;
} pieces_for_caller;

static void run_piece(void *argument, int64_t index) {
  const pieces_for_caller *loop = argument;
  loop->task(loop->data, scratch_of(loop->context, index),
             begin_of(index, loop->count, loop->pieces),
             begin_of(index + 1, loop->count, loop->pieces));
}

void onnxc_rt_parallel_for(onnxc_context *face, int64_t count,
                           int64_t cost_of_one, onnxc_rt_task task,
                           void *data) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  double cost = (double)count * (double)cost_of_one;
  int64_t threads;
  if (count <= 0)
    return;
  if (cost < ONNXC_RT_LEAST_LOOP_COST || count == 1 ||
      (threads = onnxc_rt_thread_count(context)) == 1) {
    task(data, context->scratch, 0, count);
    return;
  }
  if (context->options.parallel_for) {
    /* Any number of pieces may run at once: each has a place of its own. */
    pieces_for_caller loop = {context, task, data, count, 0};
    int64_t most = threads * (face->model->scratch_bytes ? 1 : portions);
    double worth = cost / least_portion_cost;
    loop.pieces = count < most ? count : most;
    if (worth < (double)loop.pieces)
      loop.pieces = (int64_t)worth;
    context->options.parallel_for(context->options.user, loop.pieces, run_piece,
                                  &loop);
    return;
  }
  if (!context->team && cost >= least_cost_to_wake)
    make_team(context);
  if (context->team)
    context->team->worth += cost;
  /* No thread is there, or would be before it is done. */
  if (!context->team || !context->team->workers ||
      (cost < least_cost_to_wake &&
       atomic_load_explicit(&context->team->sleepers, memory_order_relaxed) ==
           (uint32_t)context->team->workers)) {
    task(data, context->scratch, 0, count);
    return;
  }
  run_by_team(context->team, count, cost, task, data);
}
