/*===- startup.c - From reset to main on a Cortex-M ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* An example for programs that run a model compiled with --freestanding. It  *|
|* writes by semihosting: to the debugger, or to the terminal of QEMU.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "board.h"

extern uint32_t data_begin[], data_end[], data_load[], bss_begin[], bss_end[];
extern uint32_t stack_begin[], stack_end[];

/* ARM's semihosting calls. */
enum { sys_write0 = 0x04, sys_exit_extended = 0x20 };
enum { application_exit = 0x20026 };

/* What the stack is filled with, to see how deep it gets. */
static const uint32_t paint = 0xA5A5A5A5u;

static int semihost(int call, const void *argument) {
  register int number __asm__("r0") = call;
  register const void *block __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(number) : "r"(block) : "memory");
  return number;
}

void board_write(const char *text) { semihost(sys_write0, text); }

void board_write_hex(uint32_t number) {
  char text[10];
  for (int i = 0; i < 8; ++i)
    text[i] = "0123456789abcdef"[number >> (28 - 4 * i) & 15];
  text[8] = ' ';
  text[9] = '\0';
  board_write(text);
}

uint32_t board_stack_bytes(void) {
  const volatile uint32_t *at = stack_begin;
  while (at < stack_end && *at == paint)
    ++at;
  return (uint32_t)((const char *)stack_end - (const char *)at);
}

/* SysTick, which counts down the processor's cycles. */
uint32_t board_ticks(void) {
  return 0xFFFFFFu - *(volatile uint32_t *)0xE000E018;
}

static void leave(int status) {
  uint32_t block[] = {application_exit, (uint32_t)status};
  semihost(sys_exit_extended, block);
  for (;;)
    ;
}

static void fault(void) {
  board_write("the processor reports a fault\n");
  leave(2);
}

void reset(void) {
  uint32_t marker;
#if __ARM_FP
  /* Coprocessors 10 and 11 are the floating-point unit; nobody has used it. */
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  for (volatile uint32_t *to = data_begin, *from = data_load; to < data_end;)
    *to++ = *from++;
  for (volatile uint32_t *to = bss_begin; to < bss_end;)
    *to++ = 0;
  for (volatile uint32_t *to = stack_begin; to < &marker - 16;)
    *to++ = paint;
  *(volatile uint32_t *)0xE000E014 = 0xFFFFFF;
  *(volatile uint32_t *)0xE000E018 = 0;
  *(volatile uint32_t *)0xE000E010 = 5;
  leave(main());
}

__attribute__((section(".vectors"),
               used)) static const void *const vectors[] = {
    stack_end,           (const void *)reset, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
    (const void *)fault};
