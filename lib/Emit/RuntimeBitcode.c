/*===- RuntimeBitcode.c - The runtime, carried by the compiler ----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* lib/Runtime builds the bitcode files; the build says in which folder.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>

extern const unsigned char onnxc_runtime_x86_64[];
extern const size_t onnxc_runtime_x86_64_size;
extern const unsigned char onnxc_runtime_aarch64[];
extern const size_t onnxc_runtime_aarch64_size;

_Alignas(8) const unsigned char onnxc_runtime_x86_64[] = {
#embed "runtime-x86_64.bc"
};
const size_t onnxc_runtime_x86_64_size = sizeof onnxc_runtime_x86_64;

_Alignas(8) const unsigned char onnxc_runtime_aarch64[] = {
#embed "runtime-aarch64.bc"
};
const size_t onnxc_runtime_aarch64_size = sizeof onnxc_runtime_aarch64;
