/* What a program, or a library of which a program calls `features`, sees of the
   processor by CPUID. */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

/* Bits: AVX2, AVX-512F, AVX-VNNI, LZCNT, the first byte of the vendor. The
   number beside them has the bytes of a CPUID, which are none. */
__attribute__((noinline)) unsigned features(void) {
  unsigned a, b, c, d, found = 0, kept;
  __asm__ volatile("movl $0xa20fa20f, %0" : "=r"(kept));
  __cpuid_count(0, 0, a, b, c, d);
  found |= (b & 0xff) << 8;
  __cpuid_count(7, 0, a, b, c, d);
  found |= (b >> 5 & 1) | (b >> 16 & 1) << 1;
  __cpuid_count(7, 1, a, b, c, d);
  found |= (a >> 4 & 1) << 2;
  __cpuid_count(0x80000001, 0, a, b, c, d);
  found |= (c >> 5 & 1) << 3;
  return kept == 0xa20fa20f ? found : 0xffffffff;
}

int main(int argc, char **argv) {
  /* An end of its own, which is no CPUID. */
  if (argc > 1 && !strcmp(argv[1], "end"))
    __builtin_trap();
  printf("%x\n", features());
  return 0;
}
