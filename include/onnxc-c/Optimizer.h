/*===- onnxc-c/Optimizer.h - Optimizing ONNX models from C --------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Load a model, run passes on it, save it:                                   *|
|*                                                                            *|
|*     onnxc_optimizer *o = onnxc_optimizer_create(ONNXC_OPTIMIZER_VERSION);  *|
|*     if (!o) ...                       the library speaks another version   *|
|*     if (onnxc_optimizer_load_file(o, "in.onnx") != ONNXC_OPTIMIZER_OK ||   *|
|*         onnxc_optimizer_run(o) != ONNXC_OPTIMIZER_OK ||                    *|
|*         onnxc_optimizer_save_file(o, "out.onnx") != ONNXC_OPTIMIZER_OK)    *|
|*       fprintf(stderr, "%s\n", onnxc_optimizer_text(o));                    *|
|*     onnxc_optimizer_destroy(o);                                            *|
|*                                                                            *|
|* The passes are those of the command onnx-optimize, and so are the options  *|
|* of onnxc_optimizer_set. Link with -lonnxc.                                 *|
|*                                                                            *|
|* Threads: an optimizer belongs to one thread at a time; any number of them  *|
|* may work at once. Failure: functions return a status, and the text says    *|
|* what is wrong, in terms of the model. Nothing is printed.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_C_OPTIMIZER_H
#define ONNXC_C_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of everything below. */
#define ONNXC_OPTIMIZER_VERSION 1u

/* The outcome of a call. The numbers are part of the interface. */
typedef enum onnxc_optimizer_status {
  ONNXC_OPTIMIZER_OK = 0,
  /* An argument of the call itself is wrong: a NULL pointer, an option or a
     pass that does not exist. */
  ONNXC_OPTIMIZER_INVALID_ARGUMENT = 1,
  /* There is no model yet: load one first. */
  ONNXC_OPTIMIZER_NO_MODEL = 2,
  /* The model is broken, or a file cannot be read or written. */
  ONNXC_OPTIMIZER_FAILED = 3
} onnxc_optimizer_status;

/* A model and the options for it. */
typedef struct onnxc_optimizer onnxc_optimizer;

/* What is known of a pass; all texts live as long as the library is loaded. */
typedef struct onnxc_optimizer_pass {
  /* As onnx-optimizer spells it: "fuse_bn_into_conv". */
  const char *name;
  /* fuse, nop, separate, immutable, replace or other. */
  const char *type;
  /* complete or partial. */
  const char *efficiency;
  /* bit-exact, sign-of-zero, rounding or values: how far results may change. */
  const char *exactness;
  /* The group of the default pipeline that it is in; "" if it only runs when
     it is named. */
  const char *group;
  /* One sentence. */
  const char *summary;
} onnxc_optimizer_pass;

/* NULL if this library does not speak `version` of the interface, or there is
   no memory. */
onnxc_optimizer *onnxc_optimizer_create(uint32_t version);

/* NULL is allowed. */
void onnxc_optimizer_destroy(onnxc_optimizer *optimizer);

/* All passes, and how many they are. */
const onnxc_optimizer_pass *onnxc_optimizer_passes(size_t *count);

/* Sets an option, by the name and the values that onnx-optimize --help tells,
   before the call that it is for:
     load   freeze, functions (keep or inline), input-shape (adds one),
            keep-missing-data, max-nodes, max-depth
     run    disable (adds a name), fixed-point, upstream-compatible, nsz,
            keep-interface, nnan, ninf, assume-strictly-monotone, keep-opset,
            fold-budget, unroll-budget
     save   save-external, external-threshold
   A truth is "true" or "false". What is refused changes nothing. */
onnxc_optimizer_status onnxc_optimizer_set(onnxc_optimizer *optimizer,
                                           const char *option,
                                           const char *value);

/* Reads a model in the place of the one before. Of `data`, the serialized
   ModelProto, everything is copied; external data is looked for in the working
   directory, and may be missing, which in a file's model is an error. */
onnxc_optimizer_status onnxc_optimizer_load_file(onnxc_optimizer *optimizer,
                                                 const char *path);
onnxc_optimizer_status onnxc_optimizer_load_bytes(onnxc_optimizer *optimizer,
                                                  const void *data,
                                                  size_t size);

/* Runs the default pipeline: everything that changes no result by more than
   rounding, until nothing changes. */
onnxc_optimizer_status onnxc_optimizer_run(onnxc_optimizer *optimizer);

/* Runs these passes, in this order; once each, unless fixed-point is set. */
onnxc_optimizer_status onnxc_optimizer_run_passes(onnxc_optimizer *optimizer,
                                                  const char *const *names,
                                                  size_t count);

/* How much all runs since the model was loaded have changed. */
int64_t onnxc_optimizer_num_changes(const onnxc_optimizer *optimizer);

/* Writes the model. It can be run and saved again. */
onnxc_optimizer_status onnxc_optimizer_save_file(onnxc_optimizer *optimizer,
                                                 const char *path);
/* The bytes belong to the optimizer, until the next call of this function or
   onnxc_optimizer_destroy. */
onnxc_optimizer_status onnxc_optimizer_save_bytes(onnxc_optimizer *optimizer,
                                                  const void **data,
                                                  size_t *size);

/* The errors and warnings of the last call; "" if there were none. Valid until
   the next. */
const char *onnxc_optimizer_text(const onnxc_optimizer *optimizer);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_C_OPTIMIZER_H */
