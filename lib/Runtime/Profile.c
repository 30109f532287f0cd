/*===- Profile.c - When the regions of a model ran ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Only models compiled with --profile call these. Regions do not nest, and   *|
|* the entry of a model runs on one thread.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

/* The log grows by doubling from here. */
#define FIRST_EVENTS 1024

void onnxc_rt_profile_start(onnxc_context *face) {
  ((onnxc_rt_context *)face)->events.count = 0;
}

/* Whether there is room for one more event. */
static int make_room(onnxc_rt_context *context) {
  onnxc_rt_events *events = &context->events;
  int64_t capacity = events->capacity ? 2 * events->capacity : FIRST_EVENTS;
  onnxc_profile_event *log;
  if (events->count < events->capacity)
    return 1;
  log = onnxc_rt_allocate(context, (size_t)capacity * sizeof *log);
  if (!log) {
    onnxc_rt_set_error(context, ONNXC_OUT_OF_MEMORY,
                       "no memory for the profile of this run");
    return 0;
  }
  if (events->count)
    memcpy(log, events->log, (size_t)events->count * sizeof *log);
  onnxc_rt_release(context, events->log,
                   (size_t)events->capacity * sizeof *log);
  events->log = log;
  events->capacity = capacity;
  return 1;
}

void onnxc_rt_profile_begin(onnxc_context *face, int64_t region) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_rt_events *events = &context->events;
  onnxc_profile_event *event;
  events->is_open = make_room(context);
  if (!events->is_open)
    return;
  event = &events->log[events->count];
  event->region = region;
  event->begin = onnxc_rt_now();
}

void onnxc_rt_profile_end(onnxc_context *face, int64_t flops, int64_t bytes) {
  onnxc_rt_context *context = (onnxc_rt_context *)face;
  onnxc_rt_events *events = &context->events;
  onnxc_profile_event *event;
  if (!events->is_open)
    return;
  event = &events->log[events->count++];
  event->end = onnxc_rt_now();
  event->flops = flops;
  event->bytes = bytes;
  events->is_open = 0;
}

const onnxc_profile_event *onnxc_rt_profile_events(const onnxc_context *face,
                                                   int64_t *count) {
  const onnxc_rt_context *context = (const onnxc_rt_context *)face;
  *count = context->events.count;
  return context->events.log;
}
