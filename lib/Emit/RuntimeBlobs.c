/*===- RuntimeBlobs.c - The runtime, carried by the compiler ------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* lib/Runtime builds bitcode and archives, lib/RuntimeExtra an archive; the   *|
|* build says in which folders, and which libraries the latter stands on.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>

extern const unsigned char onnxc_runtime_x86_64[];
extern const size_t onnxc_runtime_x86_64_size;
_Alignas(8) const unsigned char onnxc_runtime_x86_64[] = {
#embed "runtime-x86_64.bc"
};
const size_t onnxc_runtime_x86_64_size = sizeof onnxc_runtime_x86_64;

extern const unsigned char onnxc_runtime_x86_64_objects[];
extern const size_t onnxc_runtime_x86_64_objects_size;
_Alignas(8) const unsigned char onnxc_runtime_x86_64_objects[] = {
#embed "runtime-x86_64.a"
};
const size_t onnxc_runtime_x86_64_objects_size = sizeof onnxc_runtime_x86_64_objects;

extern const unsigned char onnxc_runtime_aarch64[];
extern const size_t onnxc_runtime_aarch64_size;
_Alignas(8) const unsigned char onnxc_runtime_aarch64[] = {
#embed "runtime-aarch64.bc"
};
const size_t onnxc_runtime_aarch64_size = sizeof onnxc_runtime_aarch64;

extern const unsigned char onnxc_runtime_aarch64_objects[];
extern const size_t onnxc_runtime_aarch64_objects_size;
_Alignas(8) const unsigned char onnxc_runtime_aarch64_objects[] = {
#embed "runtime-aarch64.a"
};
const size_t onnxc_runtime_aarch64_objects_size = sizeof onnxc_runtime_aarch64_objects;

extern const unsigned char onnxc_runtime_extra[];
extern const size_t onnxc_runtime_extra_size;
extern const char onnxc_runtime_extra_libraries[];

const unsigned char onnxc_runtime_extra[] = {
#embed "libOnnxcRuntimeExtra.a"
};
const size_t onnxc_runtime_extra_size = sizeof onnxc_runtime_extra;
const char onnxc_runtime_extra_libraries[] = ONNXC_EXTRA_LIBRARIES;
