/*===- stdio.h - For run_model.c, on every target -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDIO_H
#define ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct onnxc_file FILE;
extern FILE *stderr, *stdout;
int fclose(FILE *file);
int ferror(FILE *file);
int fflush(FILE *file);
FILE *fopen(const char *path, const char *mode);
int fprintf(FILE *file, const char *format, ...);
int fputc(int byte, FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int printf(const char *format, ...);
int remove(const char *path);
int rename(const char *from, const char *to);
int snprintf(char *text, size_t size, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int vfprintf(FILE *file, const char *format, va_list arguments);

#endif /* ONNXC_LIB_RUNTIME_EXECUTABLE_LIBC_STDIO_H */
