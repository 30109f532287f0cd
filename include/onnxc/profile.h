/*===- onnxc/profile.h - Where a compiled model spends its time ---*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A model that was compiled with `onnxc --profile` notes when each of its    *|
|* regions begins and ends. A region is what the compiler made of one node,   *|
|* or of several that it fused. Besides <prefix>_query such a file exports    *|
|*                                                                            *|
|*     const onnxc_profile *digits_profile(uint32_t abi_version);             *|
|*                                                                            *|
|* which tells the regions and gives the events of the last run of a context. *|
|* `onnxc profile` reads them. Other models have nothing of this, and no cost.*|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_PROFILE_H
#define ONNXC_PROFILE_H

#include "onnxc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of everything below. */
#define ONNXC_PROFILE_VERSION 1u

/* A node of the ONNX graph. */
typedef struct onnxc_profile_node {
  /* Its name, or that of its first output if it has none. */
  const char *name;
  /* "Conv". */
  const char *op;
} onnxc_profile_node;

typedef struct onnxc_profile_region {
  /* The node that the region is named after comes first; what is fused with it
     follows. May be empty: work that no node asks for. */
  const onnxc_profile_node *nodes;
  int32_t num_nodes;
  /* Reserved, 0. */
  int32_t flags;
  /* What runs: "kernel", "copy", "loop", or a function of the runtime. */
  const char *kind;
} onnxc_profile_region;

/* One time that a region ran. */
typedef struct onnxc_profile_event {
  int64_t region;
  /* Nanoseconds, by a clock that only goes forward. */
  int64_t begin;
  int64_t end;
  /* An estimate from the sizes of this run: arithmetic operations, and bytes
     of memory read or written once each. */
  int64_t flops;
  int64_t bytes;
} onnxc_profile_event;

typedef struct onnxc_profile {
  /* ONNXC_PROFILE_VERSION of the model. */
  uint32_t version;
  int32_t num_regions;
  const onnxc_profile_region *regions;
  /* The events of the last run, in the order of time; they belong to the
     context. *count is how many. */
  const onnxc_profile_event *(*events)(const onnxc_context *context,
                                       int64_t *count);
} onnxc_profile;

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_PROFILE_H */
