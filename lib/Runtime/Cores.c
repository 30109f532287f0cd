/*===- Cores.c - How many threads a process may use ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the onnxc project, under the Apache License v2.0 with LLVM         *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* On Linux, the cores of the affinity mask, unless the quota of a control    *|
|* group, its own or one around it, allows less time than that. Where         *|
|* something cannot be read, it limits nothing. Elsewhere the system says.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "onnxc/Runtime/Context.h"

#include "Libc.h"

#ifndef ONNXC_SYS_COUNTS_CORES
enum { max_text = 4096, max_cores = 8192 };

static int64_t count_cores(void) {
  uint8_t mask[max_cores / 8];
  long bytes = onnxc_sys_getaffinity(sizeof mask, mask), i;
  int64_t count = 0;
  for (i = 0; i < bytes; ++i)
    count += __builtin_popcount(mask[i]);
  return count > 0 ? count : 1;
}

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

/* Of "<quota> <period>", both in microseconds, the cores that are used up;
   0 for no limit. */
static int64_t cores_of_quota(const char *text) {
  char *rest;
  long long quota = strtoll(text, &rest, 10);
  long long period = strtoll(rest, NULL, 10);
  if (rest == text || quota <= 0 || period <= 0)
    return 0;
  return (quota + period - 1) / period;
}

/* The limits of the group at `path`, "/a/b", and of those around it: the
   smallest, or `cores`. The files of version 1 have a number each. */
static int64_t limit_by_group(int64_t cores, const char *root, char *path,
                              int is_first_version) {
  char file[2 * max_text], text[2 * max_text];
  size_t length = strlen(path);
  while (1) {
    size_t size;
    int64_t limit;
    snprintf(file, sizeof file, "%s%s/%s", root, path,
             is_first_version ? "cpu.cfs_quota_us" : "cpu.max");
    size = read_text(file, text);
    if (size && is_first_version) {
      snprintf(file, sizeof file, "%s%s/cpu.cfs_period_us", root, path);
      text[size] = ' ';
      read_text(file, text + size + 1);
    }
    limit = cores_of_quota(text);
    if (limit && limit < cores)
      cores = limit;
    if (!length)
      return cores;
    while (length && path[--length] != '/')
      ;
    path[length] = 0;
  }
}

/* Lines are "<number>:<controllers>:<path>"; version 2 has no controllers. */
static int64_t limit_by_groups(int64_t cores) {
  char text[max_text], *line = text;
  read_text("/proc/self/cgroup", text);
  while (*line) {
    char *end = line, *controllers, *path;
    while (*end && *end != '\n')
      ++end;
    if (*end)
      *end++ = 0;
    for (controllers = line; *controllers && *controllers++ != ':';)
      ;
    for (path = controllers; *path && *path != ':'; ++path)
      ;
    if (*path) {
      *path++ = 0;
      if (!*controllers)
        cores = limit_by_group(cores, "/sys/fs/cgroup", path, 0);
      else if (!strcmp(controllers, "cpu") ||
               !strcmp(controllers, "cpu,cpuacct") ||
               !strcmp(controllers, "cpuacct,cpu"))
        cores = limit_by_group(cores, "/sys/fs/cgroup/cpu", path, 1);
    }
    line = end;
  }
  return cores;
}

static int64_t onnxc_sys_count_cores(void) {
  return limit_by_groups(count_cores());
}
#endif /* ONNXC_SYS_COUNTS_CORES */

int32_t onnxc_rt_thread_count(onnxc_rt_context *context) {
  if (!context->threads) {
    int64_t count = context->options.threads;
    if (!count)
      count = onnxc_sys_count_cores();
    context->threads =
        (int32_t)(count < ONNXC_RT_MAX_THREADS ? count : ONNXC_RT_MAX_THREADS);
  }
  return context->threads;
}
