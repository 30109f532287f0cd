/*===- Team.c - Threads that share the work of a run --------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A parallel loop is cut into pieces, which the caller and the workers take  *|
|* until none is left. The caller returns when all pieces are finished; a     *|
|* worker that comes too late is not waited for. So a loop ends, whatever     *|
|* workers there are: none after a fork, none where the system refused them.  *|
|*                                                                            *|
|* Who takes a piece does so by counting down `untaken`, and only then reads  *|
|* what the loop is. It reads the loop that the piece belongs to: the next    *|
|* one is not written before this piece is finished.                          *|
|*                                                                            *|
|* This file is part of a model only if the model has parallel loops; the     *|
|* context reaches it by pointers alone.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#include <stdatomic.h>

enum {
  /* How long a thread looks for work, or for the end of it, before it sleeps.
   */
  spin_nanoseconds = 60000,
  looks_per_time = 32,
  pieces_per_thread = 8
};

/* In the unit of the estimates, cycles. */
static const double least_piece_cost = 8000;

typedef struct member {
  struct onnxc_rt_team *team;
  onnxc_pthread thread;
  int32_t slot;
} member;

/* What the threads change often lies apart from the rest, line by line. */
struct onnxc_rt_team {
  onnxc_rt_context *context;
  size_t bytes;
  int process;
  int32_t workers;

  /* The loop. */
  onnxc_rt_task task;
  void *data;
  int64_t count, pieces;

  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic int64_t untaken;
  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic uint32_t unfinished;
  _Atomic uint32_t caller_sleeps;
  /* Goes up when there is something to look at. */
  _Alignas(ONNXC_RT_ALIGNMENT) _Atomic uint32_t news;
  _Atomic uint32_t sleepers;
  _Atomic uint32_t is_over;

  _Alignas(ONNXC_RT_ALIGNMENT) member members[];
};

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/* Waits until `*word` is not `value`, at most for a while. */
static int spin_while(const _Atomic uint32_t *word, uint32_t value) {
  int64_t start = onnxc_rt_now();
  do {
    int look;
    for (look = 0; look < looks_per_time; ++look) {
      if (atomic_load_explicit(word, memory_order_acquire) != value)
        return 1;
      pause_briefly();
    }
  } while (onnxc_rt_now() - start < spin_nanoseconds);
  return 0;
}

static void *scratch_of(const onnxc_rt_context *context, int64_t slot) {
  return (char *)context->scratch +
         (size_t)slot * (size_t)context->face.model->scratch_bytes;
}

/* Where piece `index` begins; pieces differ by one iteration at most. */
static int64_t begin_of(int64_t index, int64_t count, int64_t pieces) {
  int64_t rest = count % pieces;
  return index * (count / pieces) + (index < rest ? index : rest);
}

static void run_pieces(onnxc_rt_team *team, int32_t slot) {
  while (atomic_load_explicit(&team->untaken, memory_order_relaxed) > 0) {
    int64_t left =
        atomic_fetch_sub_explicit(&team->untaken, 1, memory_order_acquire);
    int64_t index = team->pieces - left;
    if (left <= 0)
      return;
    team->task(team->data, scratch_of(team->context, slot),
               begin_of(index, team->count, team->pieces),
               begin_of(index + 1, team->count, team->pieces));
    if (atomic_fetch_sub(&team->unfinished, 1) == 1 &&
        atomic_load(&team->caller_sleeps))
      onnxc_sys_futex_wake((void *)&team->unfinished, 1);
  }
}

static void wake_workers(onnxc_rt_team *team) {
  atomic_fetch_add(&team->news, 1);
  if (atomic_load(&team->sleepers))
    onnxc_sys_futex_wake((void *)&team->news, team->workers);
}

static void *work(void *argument) {
  member *self = argument;
  onnxc_rt_team *team = self->team;
  while (1) {
    uint32_t seen = atomic_load_explicit(&team->news, memory_order_acquire);
    if (atomic_load(&team->is_over))
      return NULL;
    run_pieces(team, self->slot);
    if (spin_while(&team->news, seen))
      continue;
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(&team->news) == seen)
      onnxc_sys_futex_wait((void *)&team->news, seen);
    atomic_fetch_sub(&team->sleepers, 1);
  }
}

static void wake_team(onnxc_rt_context *context) {
  if (atomic_load_explicit(&context->team->sleepers, memory_order_relaxed))
    wake_workers(context->team);
}

static void end_team(onnxc_rt_context *context) {
  onnxc_rt_team *team = context->team;
  int32_t i;
  atomic_store(&team->is_over, 1);
  wake_workers(team);
  /* A child of the process that made them does not have the threads. */
  if (team->process == getpid())
    for (i = 0; i < team->workers; ++i)
      pthread_join(team->members[i].thread, NULL);
  onnxc_rt_release(context, team, team->bytes);
  context->team = NULL;
}

/* As many workers as the system gives, which may be none. */
static void make_team(onnxc_rt_context *context) {
  int32_t wanted = onnxc_rt_thread_count(context) - 1;
  size_t bytes = sizeof(onnxc_rt_team) +
                 (size_t)(wanted > 0 ? wanted : 0) * sizeof(member);
  onnxc_rt_team *team = onnxc_rt_allocate(context, bytes);
  onnxc_sigset all, before;
  if (!team)
    return;
  memset(team, 0, bytes);
  team->context = context;
  team->bytes = bytes;
  team->process = getpid();
  /* Signals are for the threads that the program knows. */
  sigfillset(&all);
  pthread_sigmask(onnxc_sig_setmask, &all, &before);
  for (; team->workers < wanted; ++team->workers) {
    member *next = &team->members[team->workers];
    next->team = team;
    next->slot = team->workers + 1;
    if (pthread_create(&next->thread, NULL, work, next))
      break;
  }
  pthread_sigmask(onnxc_sig_setmask, &before, NULL);
  context->team = team;
  context->wake_team = wake_team;
  context->end_team = end_team;
}

static void run_by_team(onnxc_rt_team *team, int64_t count, int64_t pieces,
                        onnxc_rt_task task, void *data) {
  team->task = task;
  team->data = data;
  team->count = count;
  team->pieces = pieces;
  atomic_store_explicit(&team->unfinished, (uint32_t)pieces,
                        memory_order_relaxed);
  atomic_store_explicit(&team->untaken, pieces, memory_order_release);
  wake_workers(team);
  run_pieces(team, 0);
  while (1) {
    uint32_t left =
        atomic_load_explicit(&team->unfinished, memory_order_acquire);
    if (!left)
      return;
    if (spin_while(&team->unfinished, left))
      continue;
    atomic_store(&team->caller_sleeps, 1);
    if (atomic_load(&team->unfinished) == left)
      onnxc_sys_futex_wait((void *)&team->unfinished, left);
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

/* Pieces that are worth it, `most` at most. */
static int64_t count_pieces(int64_t count, double cost, int64_t most) {
  double worth = cost / least_piece_cost;
  if (count < most)
    most = count;
  if (worth < (double)most)
    most = (int64_t)worth;
  return most > 1 ? most : 1;
}

void onnxc_rt_parallel_for(onnxc_context *face, int64_t count,
                           int64_t cost_of_one, onnxc_rt_task task,
                           void *data) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  double cost = (double)count * (double)cost_of_one;
  int64_t threads, pieces;
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
    loop.pieces = count_pieces(
        count, cost,
        threads * (face->model->scratch_bytes ? 1 : pieces_per_thread));
    context->options.parallel_for(context->options.user, loop.pieces, run_piece,
                                  &loop);
    return;
  }
  if (!context->team)
    make_team(context);
  pieces = count_pieces(count, cost, threads * pieces_per_thread);
  if (!context->team || !context->team->workers || pieces == 1) {
    task(data, context->scratch, 0, count);
    return;
  }
  run_by_team(context->team, count, pieces, task, data);
}
