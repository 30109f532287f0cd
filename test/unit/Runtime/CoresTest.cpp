//===- CoresTest.cpp - Limits of control groups ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cores.c is compiled once more for this test, with the functions below in
// place of those of the system (CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <map>
#include <string>

#include <fcntl.h>

namespace {

std::map<std::string, std::string> files;
/// By descriptor: what is left of a file.
std::map<int, std::string> opened;
int coresOfMask;

} // namespace

extern "C" {

int32_t onnxc_test_thread_count(onnxc_rt_context *context);

int onnxc_test_open(const char *path, int flags, ...) {
  auto file = files.find(path);
  if (file == files.end())
    // Others are the system's, unless they are of its own groups.
    return std::strncmp(path, "/proc/", 6) && std::strncmp(path, "/sys/", 5)
               ? open(path, flags)
               : -1;
  int descriptor = 100 + int(opened.size());
  opened[descriptor] = file->second;
  return descriptor;
}

/// Three bytes at a time. What lies behind them looks like a line of
/// /proc/self/cgroup, and nothing may read it.
long onnxc_test_read(int descriptor, void *bytes, size_t most) {
  std::string &left = opened.at(descriptor);
  std::string behind = "00::/behind\n00::/behind\n";
  size_t size = std::min({left.size(), most, size_t(3)});
  std::memcpy(bytes, left.data(), size);
  left.erase(0, size);
  behind.resize(std::min(behind.size(), most - size));
  std::memcpy(static_cast<char *>(bytes) + size, behind.data(), behind.size());
  return long(size);
}

int onnxc_test_close(int) { return 0; }

/// The one call there is asks for the affinity mask.
long onnxc_test_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  (void)va_arg(arguments, int);
  size_t bytes = va_arg(arguments, size_t);
  auto *mask = static_cast<unsigned char *>(va_arg(arguments, void *));
  va_end(arguments);
  if (coresOfMask < 0)
    return -1;
  std::memset(mask, 0, bytes);
  for (int i = 0; i < coresOfMask; ++i)
    mask[i / 4] |= 1 << i % 4 * 2;
  return 64;
}

} // extern "C"

namespace {

/// The number of threads with those files and so many cores in the mask.
int count(std::map<std::string, std::string> given, int mask = 16) {
  files = std::move(given);
  opened.clear();
  coresOfMask = mask;
  onnxc_rt_context context;
  std::memset(&context, 0, sizeof context);
  int result = onnxc_test_thread_count(&context);
  EXPECT_EQ(onnxc_test_thread_count(&context), result);
  return result;
}

const char own[] = "/proc/self/cgroup";

TEST(Cores, ThoseOfTheMaskWithoutGroups) {
  EXPECT_EQ(count({}), 16);
  EXPECT_EQ(count({}, 1), 1);
  EXPECT_EQ(count({}, 200), 200);
  EXPECT_EQ(count({}, 257), ONNXC_RT_MAX_THREADS);
  // Without an answer, one.
  EXPECT_EQ(count({}, -1), 1);
  EXPECT_EQ(count({}, 0), 1);
}

TEST(Cores, QuotaOfVersion2) {
  auto limited = [](const char *text) {
    return count({{own, "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", text}});
  };
  EXPECT_EQ(limited("300000 100000\n"), 3);
  // A part of a core is a core.
  EXPECT_EQ(limited("300001 100000\n"), 4);
  EXPECT_EQ(limited("1000 100000\n"), 1);
  EXPECT_EQ(limited("max 100000\n"), 16);
  EXPECT_EQ(limited("300000 0\n"), 16);
  EXPECT_EQ(limited("-300000 100000\n"), 16);
  EXPECT_EQ(limited("9900000 100000\n"), 16);
  EXPECT_EQ(limited(""), 16);
}

TEST(Cores, SmallestOfTheGroupsAround) {
  EXPECT_EQ(count({{own, "0::/a/b/c\n"},
                   {"/sys/fs/cgroup/a/b/c/cpu.max", "900000 100000\n"},
                   {"/sys/fs/cgroup/a/cpu.max", "500000 100000\n"},
                   {"/sys/fs/cgroup/cpu.max", "700000 100000\n"}}),
            5);
  // The root of a container is a group, too.
  EXPECT_EQ(count({{own, "0::/\n"},
                   {"/sys/fs/cgroup/cpu.max", "700000 100000\n"},
                   {"/sys/fs/cgroup//cpu.max", "700000 100000\n"}}),
            7);
}

TEST(Cores, QuotaOfVersion1) {
  std::map<std::string, std::string> given = {
      {own, "12:pids:/other\n4:cpu,cpuacct:/a\n1:name=systemd:/other\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/other/cpu.max", "100000 100000\n"},
      {"/sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(count(given), 3);
  given[own] = "4:cpuacct,cpu:/a\n";
  EXPECT_EQ(count(given), 3);
  given[own] = "4:cpu:/a\n";
  EXPECT_EQ(count(given), 3);
  given[own] = "4:cpuset:/a\n";
  EXPECT_EQ(count(given), 16);
  given[own] = "4:cpu:/a\n";
  given["/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_EQ(count(given), 16);
}

TEST(Cores, NothingBehindTheEndOfAFileIsRead) {
  EXPECT_EQ(count({{own, "0::/a\n"},
                   {"/sys/fs/cgroup/behind/cpu.max", "100000 100000\n"}}),
            16);
  EXPECT_EQ(
      count({{own, "0::/a"}, {"/sys/fs/cgroup/a/cpu.max", "300000 10000"}}),
      16);
}

TEST(Cores, LinesThatAreNone) {
  EXPECT_EQ(count({{own, "\n:\n0\n0:\n4:cpu\n::\n"}}), 16);
}

} // namespace
