/*===- linux.h - The runtime on Linux -----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Also on WebAssembly, where Arch/wasm32.c stands for the system.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ONNXC_LIB_RUNTIME_SYSTEM_LINUX_H
#define ONNXC_LIB_RUNTIME_SYSTEM_LINUX_H

/* As glibc and musl have them on all 64-bit machines. */
typedef struct onnxc_sigset {
  unsigned long bits[16];
} onnxc_sigset;
enum {
  onnxc_open_read = 0,
  onnxc_clock_monotonic = 1,
  onnxc_sig_setmask = 2,
  onnxc_locale_mask = 1 << 1 /* LC_NUMERIC_MASK */
};

#include "posix.h"

void *aligned_alloc(size_t alignment, size_t bytes);
unsigned long getauxval(unsigned long entry);
int open(const char *path, int flags, ...);
long read(int file, void *bytes, size_t most);
int close(int file);
long syscall(long number, ...);
/* Of <sys/mman.h>, with the value it has on all of Linux' processors but Alpha.
 */
#define MADV_HUGEPAGE 14
#define MADV_POPULATE_READ 22
int madvise(void *memory, size_t bytes, int advice);

/* What is streamed through again in every run: with pages of 4 KiB a core reads
   13 GB/s of it where it reads 17 with huge ones. And the first run, which gets
   the pages from the system, does so some thousands of times less: for 4 MiB
   that is 1 ms. */
#define HUGE_PAGE ((size_t)2 << 20)

/* A multiple of the alignment, as aligned_alloc wants it; NULL for no memory.
 */
static inline void *onnxc_sys_allocate(size_t bytes, size_t alignment) {
#ifndef __wasm__
  if (bytes >= HUGE_PAGE / 2) {
    size_t whole = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    void *memory = aligned_alloc(HUGE_PAGE, whole);
    /* Only advice: whether the system follows it does not matter here. */
    if (memory)
      madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
  }
#endif
  return aligned_alloc(alignment, bytes);
}

#ifndef __wasm__
/* Memory of a file can be replaced by a copy with huge pages (Weights.c). */
#define ONNXC_SYS_MOVES_PAGES
enum {
  onnxc_prot_read = 1,
  onnxc_prot_write = 2,
  onnxc_map_private = 0x02,
  onnxc_map_anonymous = 0x20,
  onnxc_remap_may_move = 1,
  onnxc_remap_fixed = 2,
  onnxc_page_size_entry = 6 /* AT_PAGESZ of getauxval */
};
void *mmap(void *memory, size_t bytes, int protection, int flags, int file,
           long offset);
int munmap(void *memory, size_t bytes);
int mprotect(void *memory, size_t bytes, int protection);
void *mremap(void *memory, size_t bytes, size_t new_bytes, int flags, ...);
#endif

/* Only advice, which older systems refuse; on newer ones, what is read from a
   file comes in huge pages, if it is not in memory already. */
static inline void onnxc_sys_populate(const void *memory, size_t bytes) {
  const size_t page = 4096;
  size_t before = (uintptr_t)memory & (page - 1);
  if (bytes >= HUGE_PAGE)
    madvise((char *)memory - before, bytes + before, MADV_HUGEPAGE);
  madvise((char *)memory - before, bytes + before, MADV_POPULATE_READ);
}

/* Fills the bytes; how many were, or an error below 0: Linux has it since 3.17,
   and glibc gives it a name since 2.25. */
static inline long onnxc_sys_getrandom(void *bytes, size_t count) {
  return syscall(onnxc_nr_getrandom, bytes, count, 0);
}

/* How many bytes of the mask were written, or an error below 0. */
static inline long onnxc_sys_getaffinity(size_t bytes, void *mask) {
  return syscall(onnxc_nr_getaffinity, 0, bytes, mask);
}
/* Lets others have the processor that wait for it. */
static inline void onnxc_sys_yield(void) { syscall(onnxc_nr_yield); }

/* The kernel knows by its address who sleeps on a word: a gate has no state. */
typedef struct onnxc_sys_gate {
  char unused;
} onnxc_sys_gate;
enum { onnxc_futex_wait_private = 128, onnxc_futex_wake_private = 129 };

static inline int onnxc_sys_gate_create(onnxc_sys_gate *gate) {
  (void)gate;
  return 1;
}
static inline void onnxc_sys_gate_destroy(onnxc_sys_gate *gate) { (void)gate; }
/* Sleeps unless the word has another value; may return early. */
static inline void onnxc_sys_wait(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word,
                                  uint32_t value) {
  (void)gate;
  syscall(onnxc_nr_futex, word, onnxc_futex_wait_private, value, NULL, NULL, 0);
}
/* Wakes at least `most` of those that sleep on the word, if there are so many,
   after it has changed. */
static inline void onnxc_sys_wake(onnxc_sys_gate *gate,
                                  const _Atomic uint32_t *word, int most) {
  (void)gate;
  syscall(onnxc_nr_futex, word, onnxc_futex_wake_private, most, NULL, NULL, 0);
}

#endif /* ONNXC_LIB_RUNTIME_SYSTEM_LINUX_H */
