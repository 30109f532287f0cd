/*===- Start.c - Where a program of a model begins ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a C compiler takes from crt1.o, so that linking a program needs no    *|
|* development packages: the address that the system jumps to, with the       *|
|* arguments on the stack, and in a register what the dynamic loader wants    *|
|* called at the end. `main` is that of share/onnxc/run_model.c. The name is   *|
|* not `_start`, which lld takes from an archive for libraries, too.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stddef.h>

#if defined(__x86_64__)
__asm__(".text\n"
        ".global onnxc_program\n"
        ".hidden onnxc_program\n"
        ".type onnxc_program, @function\n"
        "onnxc_program:\n"
        "  xorl %ebp, %ebp\n" /* The last frame, for debuggers. */
        "  movq %rsp, %rdi\n"
        "  movq %rdx, %rsi\n"
        "  andq $-16, %rsp\n"
        "  call onnxc_start_program\n"
        "  hlt\n"
        ".size onnxc_program, .-onnxc_program\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".global onnxc_program\n"
        ".hidden onnxc_program\n"
        ".type onnxc_program, %function\n"
        "onnxc_program:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x1, x0\n"
        "  mov x0, sp\n"
        "  bl onnxc_start_program\n"
        "  brk #0\n"
        ".size onnxc_program, .-onnxc_program\n");
#elif defined(__riscv)
__asm__(".text\n"
        ".global onnxc_program\n"
        ".hidden onnxc_program\n"
        ".type onnxc_program, @function\n"
        "onnxc_program:\n"
        "  mv a1, a0\n"
        "  mv a0, sp\n"
        "  andi sp, sp, -16\n"
        "  call onnxc_start_program\n"
        "  ebreak\n"
        ".size onnxc_program, .-onnxc_program\n");
#else
#error "no entry of programs for this architecture"
#endif

int main(int argc, char **argv);
/* glibc calls `initialize` before 2.34 if it is not NULL, and then no longer,
   musl never: a program of a model has nothing to initialize. */
_Noreturn void __libc_start_main(int (*entry)(int, char **), int argc,
                                 char **argv, void (*initialize)(void),
                                 void (*finish)(void),
                                 void (*finish_loader)(void), void *stack);

/* Called above alone. */
_Noreturn void onnxc_start_program(long *stack, void (*finish_loader)(void));
_Noreturn __attribute__((used)) void
onnxc_start_program(long *stack, void (*finish_loader)(void)) {
  __libc_start_main(main, (int)*stack, (char **)(stack + 1), NULL, NULL,
                    finish_loader, stack);
}
