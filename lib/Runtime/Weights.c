/*===- Weights.c - The memory of weights --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The system maps weights from the model's file, in pages of 4 KiB or, where *|
|* it can (Linux' large folios), in huge ones, which a run waits less for.    *|
|* With ONNXC_HUGE_PAGES=always a copy takes their place, at the same address *|
|* (docs/decisions/045). What code reads is the same before and after, and    *|
|* Linux lets no thread read between: who meets memory that mremap has        *|
|* unmapped waits until the copy is there. What mremap refuses for a limit of *|
|* mappings or of memory it refuses before it unmaps (tested at both limits). *|
|* So nothing has to wait, and nothing is remembered: the system knows which  *|
|* memory is of a file.                                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#ifdef ONNXC_SYS_MOVES_PAGES
/* What is copied at once: memory for this much of the weights is needed twice.
 */
static const size_t piece = (size_t)64 << 20;

/* Whether the page is of a file, and not of a copy that another context made;
   not if the system does not say. */
static int is_of_file(const volatile char *memory) {
  const long entry_bytes = 8;
  int file = open("/proc/self/pagemap", onnxc_open_read);
  uint64_t entry = 0;
  long got;
  if (file < 0)
    return 0;
  /* Only pages that are mapped have an entry. */
  (void)*memory;
  got = syscall(onnxc_nr_pread, (long)file, &entry, entry_bytes,
                (long)((uintptr_t)memory / 4096) * entry_bytes);
  close(file);
  return got == entry_bytes && (entry >> 61 & 1);
}

/* Puts a copy with huge pages in the place of memory that begins and ends with
   one; 0 if the system refuses. */
static int replace_piece(char *memory, size_t bytes) {
  char *room = mmap(NULL, bytes + HUGE_PAGE, onnxc_prot_read | onnxc_prot_write,
                    onnxc_map_private | onnxc_map_anonymous, -1, 0);
  char *copy;
  size_t before;
  int moved;
  if (room == (char *)-1)
    return 0;
  before = -(uintptr_t)room & (HUGE_PAGE - 1);
  copy = room + before;
  moved = !madvise(copy, bytes, MADV_HUGEPAGE);
  if (moved) {
    onnxc_sys_populate(memory, bytes);
    memcpy(copy, memory, bytes);
    moved = !mprotect(copy, bytes, onnxc_prot_read) &&
            mremap(copy, bytes, bytes, onnxc_remap_may_move | onnxc_remap_fixed,
                   memory) == memory;
  }
  if (before)
    munmap(room, before);
  munmap(copy + bytes, HUGE_PAGE - before);
  if (!moved)
    munmap(copy, bytes);
  return moved;
}

/* Replaces what it can, from the front on. Where a part was replaced before,
   another context does not go on with the rest: there was no memory for it. */
static void replace_weights(char *memory, size_t bytes) {
  char *at = memory + (-(uintptr_t)memory & (HUGE_PAGE - 1));
  char *end = memory + bytes;
  end -= (uintptr_t)end & (HUGE_PAGE - 1);
  if (getauxval(onnxc_page_size_entry) != 4096 || at >= end || !is_of_file(at))
    return;
  while (at != end) {
    size_t left = (size_t)(end - at), count = left < piece ? left : piece;
    if (!replace_piece(at, count))
      break;
    at += count;
  }
}
#endif /* ONNXC_SYS_MOVES_PAGES */

/* The first run would meet each stretch of the weights for the first time, and
   wait for the system some thousands of times: to ask for all at once takes a
   fourth of that. More than most machines have to spare is not asked for. */
void onnxc_rt_map_weights(const onnxc_model *model) {
  const uint64_t least = (uint64_t)1 << 18, most = (uint64_t)1 << 31;
  size_t bytes = (size_t)model->weight_bytes;
  if (!model->weights || model->weight_bytes < least)
    return;
#ifdef ONNXC_SYS_MOVES_PAGES
  {
    const char *wish = getenv("ONNXC_HUGE_PAGES");
    if (wish && !strcmp(wish, "always"))
      replace_weights((char *)model->weights, bytes);
  }
#endif
  if (model->weight_bytes <= most)
    onnxc_sys_populate(model->weights, bytes);
}
