/*===- Weights.c - The memory of weights --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The system maps weights from the model's file, in pages of 4 KiB. Where    *|
|* there are many weights, each run waits for the addresses of pages longer   *|
|* than for what is in them (docs/decisions/044). Then a copy with huge pages *|
|* takes their place, at the same address, where memory is plenty. What code  *|
|* reads is the same before, after and meanwhile, so nothing has to wait, and *|
|* nothing is remembered: the system knows which memory is of a file.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#ifdef ONNXC_SYS_MOVES_PAGES
enum { max_text = 4096 };

/* Fewer weights stay in the file: a copy would cost more at the start than most
   programs win. */
static const uint64_t least_copied = (uint64_t)32 << 20;
/* What is copied at once: memory for this much of the weights is needed twice.
 */
static const size_t piece = (size_t)64 << 20;

/* The beginning of a file as text; its length. */
static size_t read_text(const char *path, char *text) {
  int file = open(path, onnxc_open_read);
  size_t size = 0;
  if (file >= 0) {
    while (size < max_text - 1) {
      long got = read(file, text + size, max_text - 1 - size);
      if (got <= 0)
        break;
      size += (size_t)got;
    }
    close(file);
  }
  text[size] = 0;
  return size;
}

/* Behind the first `word` in the text, or NULL. */
static char *behind(char *text, const char *word) {
  size_t length = strlen(word);
  for (; *text; ++text)
    if (!strncmp(text, word, length))
      return text + length;
  return NULL;
}

/* What programs may take, by the system; 0 where it does not say. */
static uint64_t count_available(void) {
  char text[max_text], *number;
  read_text("/proc/meminfo", text);
  number = behind(text, "MemAvailable:");
  return number ? (uint64_t)strtoll(number, NULL, 10) << 10 : 0;
}

/* The least limit of the process' control group and of those around it, or
   `bytes`. */
static uint64_t limit_by_groups(uint64_t bytes) {
  char text[max_text], file[2 * max_text], number[max_text], *path, *end;
  read_text("/proc/self/cgroup", text);
  path = behind(text, "0::");
  if (!path)
    return bytes;
  for (end = path; *end && *end != '\n'; ++end)
    ;
  while (1) {
    long long limit;
    *end = 0;
    snprintf(file, sizeof file, "/sys/fs/cgroup%s/memory.max", path);
    read_text(file, number);
    limit = strtoll(number, NULL, 10); /* of "max": 0 */
    if (limit > 0 && (uint64_t)limit < bytes)
      bytes = (uint64_t)limit;
    if (end == path)
      return bytes;
    while (end != path && *--end != '/')
      ;
  }
}

/* Whether there are huge pages for who asks, and memory for the copy that
   leaves others as much again. */
static int has_room(uint64_t bytes) {
  char text[max_text];
  const char *wish = getenv("ONNXC_HUGE_PAGES");
  if (wish && !strcmp(wish, "never"))
    return 0;
  return read_text("/sys/kernel/mm/transparent_hugepage/enabled", text) &&
         !behind(text, "[never]") && getauxval(onnxc_page_size_entry) == 4096 &&
         bytes <= limit_by_groups(count_available()) / 2;
}

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

/* Replaces what it can, and returns where the rest begins. */
static char *replace_weights(char *memory, size_t bytes) {
  char *at = memory + (-(uintptr_t)memory & (HUGE_PAGE - 1));
  char *end = memory + bytes;
  end -= (uintptr_t)end & (HUGE_PAGE - 1);
  if (!has_room(bytes) || !is_of_file(at))
    return memory;
  while (at != end) {
    size_t left = (size_t)(end - at), count = left < piece ? left : piece;
    if (!replace_piece(at, count))
      break;
    at += count;
  }
  return at;
}
#endif /* ONNXC_SYS_MOVES_PAGES */

/* The first run would meet each stretch of the weights for the first time, and
   wait for the system some thousands of times: to ask for all at once takes a
   fourth of that. More than most machines have to spare is not asked for. */
void onnxc_rt_map_weights(const onnxc_model *model) {
  const uint64_t least = (uint64_t)1 << 18, most = (uint64_t)1 << 31;
  const char *begin = model->weights, *end;
  if (!begin || model->weight_bytes < least)
    return;
  end = begin + model->weight_bytes;
#ifdef ONNXC_SYS_MOVES_PAGES
  if (model->weight_bytes >= least_copied)
    begin = replace_weights((char *)begin, (size_t)model->weight_bytes);
#endif
  if ((uint64_t)(end - begin) <= most)
    onnxc_sys_populate(begin, (size_t)(end - begin));
}
