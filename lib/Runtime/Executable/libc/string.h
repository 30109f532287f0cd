/*===- string.h - For run_model.c, on every target ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STRING_H
#define ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STRING_H

#include <stddef.h>

int memcmp(const void *a, const void *b, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *memory, int byte, size_t bytes);
char *strchr(const char *text, int byte);
int strcmp(const char *a, const char *b);
size_t strcspn(const char *text, const char *bytes);
char *strerror(int error);
size_t strlen(const char *text);
int strncmp(const char *a, const char *b, size_t most);
char *strrchr(const char *text, int byte);
char *strstr(const char *text, const char *part);

#endif /* ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STRING_H */
