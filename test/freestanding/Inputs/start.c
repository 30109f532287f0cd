/* The board of share/onnxc/cortex-m for programs without libc that run on
   Linux, to try --freestanding code of other processors. */

#include "board.h"

#if defined(__x86_64__)
enum { nr_write = 1, nr_exit = 60 };
static long call(long number, long a, long b, long c) {
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return number;
}
__asm__(
    ".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
enum { nr_write = 64, nr_exit = 93 };
static long call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
__asm__(".globl _start\n_start: bl begin\n");
#elif defined(__riscv)
enum { nr_write = 64, nr_exit = 93 };
static long call(long number, long a, long b, long c) {
  register long a7 __asm__("a7") = number, a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
  return a0;
}
__asm__(".globl _start\n_start: call begin\n");
#elif defined(__arm__)
enum { nr_write = 4, nr_exit = 1 };
static long call(long number, long a, long b, long c) {
  register long r7 __asm__("r7") = number, r0 __asm__("r0") = a;
  register long r1 __asm__("r1") = b, r2 __asm__("r2") = c;
  __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
  return r0;
}
__asm__(".globl _start\n_start: bl begin\n");
#endif

void board_write(const char *text) {
  long length = 0;
  while (text[length])
    ++length;
  call(nr_write, 1, (long)text, length);
}

void board_write_hex(uint32_t number) {
  char text[10];
  for (int i = 0; i < 8; ++i)
    text[i] = "0123456789abcdef"[number >> (28 - 4 * i) & 15];
  text[8] = ' ';
  text[9] = '\0';
  board_write(text);
}

uint32_t board_ticks(void) { return 0; }

uint32_t board_stack_bytes(void) { return 0; }

__attribute__((used)) void begin(void) {
  call(nr_exit, main(), 0, 0);
  __builtin_trap();
}
