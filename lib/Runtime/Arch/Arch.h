/*===- Arch.h - The processor that the runtime is compiled for ----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Each architecture has a header with the numbers of its system calls        *|
|* (onnxc_nr_...), onnxc_arch_pause, and, where ONNXC_ARCH_ASKS_PROCESSOR is  *|
|* defined, a type processor and supported(), which asks it for a feature of  *|
|* CpuFeatures.def. Here alone one is chosen.                                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_ARCH_ARCH_H
#define ONNXC_LIB_RUNTIME_ARCH_ARCH_H

#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "riscv64.h"
#elif defined(__wasm32__)
#include "wasm32.h"
#else
#error "the runtime supports x86-64, aarch64, riscv64 and wasm32 only"
#endif

#endif /* ONNXC_LIB_RUNTIME_ARCH_ARCH_H */
