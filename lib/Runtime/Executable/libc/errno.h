/*===- errno.h - For run_model.c, on every target -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_ERRNO_H
#define ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_ERRNO_H

/* A function of this name gives its place in glibc and in musl. */
int *__errno_location(void);
#define errno (*__errno_location())

#endif /* ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_ERRNO_H */
