/*===- vectors_in_qemu.h - RISC-V with vectors --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* QEMU before 8.1 does not say in user mode that the processor has vectors.  *|
|* A program that includes this, linked with -rdynamic, does.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_TEST_SUPPORT_VECTORS_IN_QEMU_H
#define ONNXC_TEST_SUPPORT_VECTORS_IN_QEMU_H

#if defined(__riscv)
#include <sys/auxv.h>
unsigned long getauxval(unsigned long entry) {
  return entry == AT_HWCAP ? 1UL << ('v' - 'a') : 0;
}
#endif

#endif
