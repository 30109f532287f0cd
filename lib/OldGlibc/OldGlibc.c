/*===- OldGlibc.c - Functions that older releases of glibc lack ---*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The archives of LLVM, protobuf and libstdc++ were compiled against this    *|
|* machine's headers, and call what its glibc has. These definitions are in   *|
|* the programs instead, by what glibc has had from the beginning; a linker   *|
|* that finds one missing names it (utils/glibc_stand_ins.py).                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <time.h>

/* Until 2.33 the functions of the header called these, with the version of the
   structure, of which there is one on each 64-bit machine. */
#ifdef __x86_64__
#define VERSION_OF_STAT 1
#else
#define VERSION_OF_STAT 0
#endif
#define VERSION_OF_MKNOD 0
int __xstat(int version, const char *path, struct stat *buffer);
int __lxstat(int version, const char *path, struct stat *buffer);
int __fxstat(int version, int file, struct stat *buffer);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);

int stat(const char *restrict path, struct stat *restrict buffer) {
  return __xstat(VERSION_OF_STAT, path, buffer);
}
int lstat(const char *restrict path, struct stat *restrict buffer) {
  return __lxstat(VERSION_OF_STAT, path, buffer);
}
int fstat(int file, struct stat *buffer) {
  return __fxstat(VERSION_OF_STAT, file, buffer);
}
int mknod(const char *path, mode_t mode, dev_t device) {
  return __xmknod(VERSION_OF_MKNOD, path, mode, &device);
}

/* The same structure under another name. */
int stat64(const char *restrict path, struct stat64 *restrict buffer) {
  return __xstat(VERSION_OF_STAT, path, (struct stat *)buffer);
}
int lstat64(const char *restrict path, struct stat64 *restrict buffer) {
  return __lxstat(VERSION_OF_STAT, path, (struct stat *)buffer);
}
int fstat64(int file, struct stat64 *buffer) {
  return __fxstat(VERSION_OF_STAT, file, (struct stat *)buffer);
}
_Static_assert(sizeof(struct stat) == sizeof(struct stat64),
               "stat and stat64 are one function");

/* 2.30. std::timed_mutex waits by the steady clock. Here the time that is left is
   one of the clock that can be set, which makes this wait shorter or longer if
   it is set meanwhile. */
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *until) {
  const long second = 1000000000;
  struct timespec now, end;
  if (clock_gettime(clock, &now) || clock_gettime(CLOCK_REALTIME, &end))
    return EINVAL;
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (end.tv_nsec < 0) {
    end.tv_nsec += second;
    --end.tv_sec;
  } else if (end.tv_nsec >= second) {
    end.tv_nsec -= second;
    ++end.tv_sec;
  }
  return pthread_mutex_timedlock(mutex, &end);
}

/* 2.32. libstdc++ counts references without atomics where it is set: 0 is
   always right. */
char __libc_single_threaded = 0;

/* 2.33. The numbers of mallinfo wrap at 4 GiB; LLVM prints them in statistics
   of time. */
struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
  struct mallinfo2 result = {0};
  result.arena = (unsigned)old.arena;
  result.ordblks = (unsigned)old.ordblks;
  result.smblks = (unsigned)old.smblks;
  result.hblks = (unsigned)old.hblks;
  result.hblkhd = (unsigned)old.hblkhd;
  result.usmblks = (unsigned)old.usmblks;
  result.fsmblks = (unsigned)old.fsmblks;
  result.uordblks = (unsigned)old.uordblks;
  result.fordblks = (unsigned)old.fordblks;
  result.keepcost = (unsigned)old.keepcost;
  return result;
}

/* 2.36. For seeds, of LLVM's temporary names and of libstdc++. */
uint32_t arc4random(void) {
  uint32_t result = 0;
  char *rest = (char *)&result;
  size_t missing = sizeof result;
  while (missing) {
    ssize_t count = getrandom(rest, missing, 0);
    if (count < 0) {
      if (errno == EINTR)
        continue;
      abort();
    }
    rest += count;
    missing -= (size_t)count;
  }
  return result;
}

/* 2.35. Where libgcc finds the tables of an address, to unwind from there. */
struct Search {
  uintptr_t address;
  struct dl_find_object *result;
};

static int findInObject(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  const ElfW(Phdr) *tables = NULL;
  int found = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME)
      tables = header;
    if (header->p_type != PT_LOAD || search->address < start ||
        search->address >= start + header->p_memsz)
      continue;
    found = 1;
    search->result->dlfo_map_start = (void *)start;
    search->result->dlfo_map_end = (void *)(start + header->p_memsz);
  }
  if (!found || !tables)
    return 0;
  search->result->dlfo_eh_frame = (void *)(object->dlpi_addr + tables->p_vaddr);
  return 1;
}

int _dl_find_object(void *address, struct dl_find_object *result) {
  memset(result, 0, sizeof *result);
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(findInObject, &search) == 1 ? 0 : -1;
}
