//===- processor_level.c - A process that sees a lower level of x86 -------===//
//
// Preloaded into a process (LD_PRELOAD), makes the CPUID instruction answer as
// a processor of the level ONNXC_BENCH_LEVEL does (x86-64-v2, x86-64-v3,
// x86-64-v4): libraries that choose their kernels by CPUID choose those of that
// level, although the machine has more. Vendor, model and caches stay those of
// the machine. There are two ways to be asked:
//
// - Linux lets a process ask for a fault at each CPUID (arch_prctl(2),
//   ARCH_SET_CPUID), where the processor has such faults, which not every one
//   and few virtual ones have. Else the process ends with status 97.
// - With ONNXC_BENCH_REPLACED the process runs libraries in which each CPUID is
//   replaced by an instruction that no processor has (replaced.py).
//
// The handler executes CPUID itself and clears the bits of features above the
// level.
//
// Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 2A, CPUID; AMD64 Architecture Programmer's Manual, volume 3, appendix E.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define BIT(n) (1u << (n))

// Of leaf 7, subleaf 0: what x86-64-v4 adds to x86-64-v3, and what lies above
// it.
static const unsigned avx512InB =
    BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31);
static const unsigned aboveV4InB = BIT(21) | BIT(26) | BIT(27);
static const unsigned aboveV4InC =
    BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14);
static const unsigned aboveV4InD =
    BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25);
// GFNI, VAES and VPCLMULQDQ go with vectors of AVX.
static const unsigned vectorCodesInC = BIT(8) | BIT(9) | BIT(10);
// Of leaf 1: FMA, MOVBE, XSAVE stays, AVX, F16C. Of leaf 7: BMI1, AVX2, BMI2.
static const unsigned v3InC1 = BIT(12) | BIT(22) | BIT(28) | BIT(29);
static const unsigned v3InB7 = BIT(3) | BIT(5) | BIT(8);

// Of leaf 0x80000001: LZCNT; XOP, FMA4 and TBM, which no level has.
static const unsigned v3InExtendedC = BIT(5);
static const unsigned noLevelInExtendedC = BIT(11) | BIT(16) | BIT(21);

static int level;
static int asksForFaults;

static void clearFeatures(unsigned leaf, unsigned subleaf, unsigned *a,
                          unsigned *b, unsigned *c, unsigned *d) {
  if (leaf == 1 && level < 3)
    *c &= ~v3InC1;
  if (leaf == 7 && subleaf == 0) {
    *b &=
        ~(aboveV4InB | (level < 4 ? avx512InB : 0) | (level < 3 ? v3InB7 : 0));
    *c &= ~(aboveV4InC | (level < 4 ? vectorCodesInC : 0));
    *d &= ~aboveV4InD;
  }
  // AVX-VNNI, AVX512-BF16, AMX-FP16, AVX-IFMA and their like; AVX10; tiles.
  if (leaf == 7 && subleaf == 1) {
    *a = 0;
    *d = 0;
  }
  if (leaf == 0x80000001)
    *c &= ~(noLevelInExtendedC | (level < 3 ? v3InExtendedC : 0));
  if (leaf == 0x1d || leaf == 0x1e || leaf == 0x24)
    *a = *b = *c = *d = 0;
}

static void setFaults(int faults) {
  if (asksForFaults && syscall(SYS_arch_prctl, ARCH_SET_CPUID, !faults)) {
    static const char text[] = "CPUID cannot be answered for on this machine\n";
    ssize_t written = write(2, text, sizeof text - 1);
    (void)written;
    _exit(97);
  }
}

static void onFault(int number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)registers[REG_RIP];
  // What stands for CPUID is UD0 (0f ff), which no compiler writes, as it does
  // UD2 where a program is to end.
  if (at[0] != 0x0f || at[1] != (number == SIGILL ? 0xff : 0xa2)) {
    // A fault of its own, which comes again when the handler has returned.
    signal(number, SIG_DFL);
    return;
  }
  unsigned leaf = (unsigned)registers[REG_RAX];
  unsigned subleaf = (unsigned)registers[REG_RCX];
  unsigned a, b, c, d;
  setFaults(0);
  __cpuid_count(leaf, subleaf, a, b, c, d);
  setFaults(1);
  clearFeatures(leaf, subleaf, &a, &b, &c, &d);
  registers[REG_RAX] = a;
  registers[REG_RBX] = b;
  registers[REG_RCX] = c;
  registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("ONNXC_BENCH_LEVEL");
  if (!name || strncmp(name, "x86-64-v", 8) || name[8] < '2' || name[8] > '4')
    return;
  level = name[8] - '0';
  struct sigaction action = {.sa_sigaction = onFault,
                             .sa_flags = SA_SIGINFO | SA_NODEFER};
  asksForFaults = !getenv("ONNXC_BENCH_REPLACED");
  sigaction(asksForFaults ? SIGSEGV : SIGILL, &action, NULL);
  setFaults(1);
}
