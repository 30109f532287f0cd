/*===- Libc.h - The C library functions of the runtime ------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Declared here and not taken from the system's headers, so that one machine *|
|* compiles the runtime for every target, whose headers it need not have. The *|
|* list is also the list of what a model needs from libc, together with what  *|
|* LLVM calls by itself.                                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_LIBC_H
#define ONNXC_LIB_RUNTIME_LIBC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

char *getenv(const char *name);
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *memory, int byte, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
size_t strlen(const char *text);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
int snprintf(char *text, size_t size, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
float expf(float x);
float logf(float x);
float sqrtf(float x);
double cos(double angle);
double log(double number);
double sin(double angle);
double sqrt(double number);

/* Writes a finite number by the format "%.*e" or "%.*f". Apart from snprintf,
   which in WebAssembly is the runtime's own (Arch/wasm32.c) and has no
   floats: what writes them is in modules that call this. */
#ifdef __wasm__
int onnxc_rt_print(char *text, size_t size, const char *format, int precision,
                   double value);
#else
static inline int onnxc_rt_print(char *text, size_t size, const char *format,
                                 int precision, double value) {
  return snprintf(text, size, format, precision, value);
}
#endif

/* Both ask by functions that are declared above. */
#include "Arch/Arch.h"
#include "System/System.h"

#endif /* ONNXC_LIB_RUNTIME_LIBC_H */
