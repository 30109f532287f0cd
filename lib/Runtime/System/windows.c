/*===- windows.c - Formatted text on Windows ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The C runtime's headers have snprintf as an inline function; what it calls is
*|
|* what programs and its DLL agree on.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "../Libc.h"

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
  /* NULL: the program's locale. */
  return __stdio_common_vsprintf(onnxc_printf_standard, text, size, format,
                                 NULL, arguments);
}

static void format_in(void *locale, char *text, size_t size, const char *format,
                      ...) {
  va_list arguments;
  va_start(arguments, format);
  __stdio_common_vsprintf(onnxc_printf_standard, text, size, format, locale,
                          arguments);
  va_end(arguments);
}

void onnxc_sys_write_exponential(char *text, size_t size, int precision,
                                 double value,
                                 const onnxc_sys_numerals *numerals) {
  format_in(numerals->locale, text, size, "%.*e", precision, value);
}
