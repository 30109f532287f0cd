/*===- RuntimeExtraBlob.c - The extra runtime, carried as well ----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* lib/RuntimeExtra builds an archive; the build says in which folder, and *|
|* which libraries it stands on.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>

extern const unsigned char onnxc_runtime_extra[];
extern const size_t onnxc_runtime_extra_size;
extern const char onnxc_runtime_extra_libraries[];

const unsigned char onnxc_runtime_extra[] = {
#embed "libOnnxcRuntimeExtra.a"
};
const size_t onnxc_runtime_extra_size = sizeof onnxc_runtime_extra;
const char onnxc_runtime_extra_libraries[] = ONNXC_EXTRA_LIBRARIES;
