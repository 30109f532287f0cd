/*===- RuntimeBlobs.c - The runtime, carried by the compiler ------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Compiled once for each architecture, and system besides Linux, ONNXC_ARCH, *|
|* of which lib/Runtime builds bitcode, and for Linux an archive.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>

#define JOIN(a, b, c) a##b##c
#define NAME(arch, rest) JOIN(onnxc_runtime_, arch, rest)

extern const unsigned char NAME(ONNXC_ARCH, )[];
extern const size_t NAME(ONNXC_ARCH, _size);
_Alignas(8) const unsigned char NAME(ONNXC_ARCH, )[] = {
#embed ONNXC_BITCODE
};
const size_t NAME(ONNXC_ARCH, _size) = sizeof NAME(ONNXC_ARCH, );

#ifdef ONNXC_ARCHIVE
extern const unsigned char NAME(ONNXC_ARCH, _objects)[];
extern const size_t NAME(ONNXC_ARCH, _objects_size);
_Alignas(8) const unsigned char NAME(ONNXC_ARCH, _objects)[] = {
#embed ONNXC_ARCHIVE
};
const size_t NAME(ONNXC_ARCH, _objects_size) = sizeof NAME(ONNXC_ARCH,
                                                           _objects);
#endif /* ONNXC_ARCHIVE */
