/*===- Peak.h - The fastest that this machine can go --------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_TOOLS_ONNXC_PEAK_H
#define ONNXC_TOOLS_ONNXC_PEAK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Measured on one core, on registers or on reads alone; 0 for what the
   processor cannot do. */
typedef struct onnxc_peak {
  /* 1e9 operations per second: multiply-adds of float count as two. */
  double float_gflops;
  /* The same of 8-bit integers, added up in 32 bits (VNNI and its like). */
  double int8_gops;
  /* 1e9 bytes per second read from a buffer of 16 KiB, of 512 KiB, and of one
     that no cache of the core holds. */
  double l1_gbs, l2_gbs, memory_gbs;
  /* The instructions that were measured. */
  const char *float_name, *int8_name;
} onnxc_peak;

/* Takes some tenths of a second. The memory bandwidth is 0 if there is no
   memory to measure it with. */
void onnxc_measure_peak(onnxc_peak *peak);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_TOOLS_ONNXC_PEAK_H */
