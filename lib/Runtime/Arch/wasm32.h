/*===- wasm32.h - The runtime on WebAssembly ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* There is no system below: syscall() of wasm32.c knows getrandom       *|
|* alone.                                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_ARCH_WASM32_H
#define ONNXC_LIB_RUNTIME_ARCH_WASM32_H

enum {
  onnxc_nr_futex = 1,
  onnxc_nr_getaffinity = 2,
  onnxc_nr_yield = 3,
  onnxc_nr_getrandom = 4
};

static inline void onnxc_arch_pause(void) {}

#endif /* ONNXC_LIB_RUNTIME_ARCH_WASM32_H */
