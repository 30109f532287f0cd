/*===- System.h - The system that the runtime is compiled for -----*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What the runtime asks of a system, beside the functions of C that Libc.h   *|
|* declares. Each system has a header with:                                   *|
|*                                                                            *|
|*   onnxc_sys_allocate, _release   memory for contexts                       *|
|*   onnxc_sys_populate             advice that memory will be read soon, in   *|
|*                                  huge pages where there are some            *|
|*   onnxc_rt_now                   a clock                                   *|
|*   onnxc_sys_getrandom            a start of random numbers                 *|
|*   onnxc_sys_yield, _process      the processor, and who asks               *|
|*   onnxc_sys_start, _join         threads                                   *|
|*   onnxc_sys_gate, ...            where threads sleep until a word changes  *|
|*   onnxc_sys_numerals, ...        numbers as text with a point, in any locale
*|
|*                                                                            *|
|* Where ONNXC_SYS_COUNTS_CORES is defined, onnxc_sys_count_cores, too. Where  *|
|* ONNXC_SYS_MOVES_PAGES is, the functions of Linux that map memory.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_SYSTEM_SYSTEM_H
#define ONNXC_LIB_RUNTIME_SYSTEM_SYSTEM_H

#if defined(_WIN32)
#include "windows.h"
#elif defined(__APPLE__)
#include "macos.h"
#else
#include "linux.h"
#endif

#endif /* ONNXC_LIB_RUNTIME_SYSTEM_SYSTEM_H */
