/*===- stdlib.h - For run_model.c, on every target ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDLIB_H
#define ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDLIB_H

#include <stddef.h>

_Noreturn void abort(void);
_Noreturn void exit(int status);
void free(void *memory);
void *malloc(size_t bytes);
void *realloc(void *memory, size_t bytes);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);

#endif /* ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDLIB_H */
