//===- TeamTest.cpp - Threads that share loops ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <pthread.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// How many more threads the system has for the team.
static std::atomic<int> threadsLeft = std::numeric_limits<int>::max();

extern "C" int onnxc_test_pthread_create(pthread_t *thread,
                                         const pthread_attr_t *attributes,
                                         void *(*work)(void *), void *data) {
  if (--threadsLeft < 0)
    return EAGAIN;
  return pthread_create(thread, attributes, work, data);
}

namespace {

constexpr int64_t large = 1000000;

struct Team : testing::Test {
  Team() {
    model.abi_version = ONNXC_ABI_VERSION;
    model.name = model.producer = model.target_triple = model.target_cpu = "";
    model.create = onnxc_rt_create;
    model.destroy = onnxc_rt_destroy;
    model.run = onnxc_rt_run;
    model.error = onnxc_rt_error;
    model.entry = [](onnxc_context *, const onnxc_tensor *, onnxc_tensor *) {
      return int32_t(ONNXC_OK);
    };
  }

  onnxc_context *create(int32_t threads) {
    onnxc_options options = {};
    options.threads = threads;
    onnxc_context *context = nullptr;
    EXPECT_EQ(onnxc_create(&model, &options, &context), ONNXC_OK);
    return context;
  }

  onnxc_model model = {};
};

/// Counts how often each iteration ran.
struct Visits {
  explicit Visits(int64_t count) : counts(count) {}
  static void visit(void *data, void *, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++static_cast<Visits *>(data)->counts[i];
  }
  bool allAre(int times) const {
    for (const auto &count : counts)
      if (count != times)
        return false;
    return true;
  }
  std::vector<std::atomic<int>> counts;
};

TEST_F(Team, RunsEachIterationOnce) {
  for (int32_t threads : {1, 2, 3, 7}) {
    onnxc_context *context = create(threads);
    for (int64_t count : {0, 1, 2, 3, 7, 8, 100, 1001}) {
      Visits visits(count);
      for (int times = 1; times <= 20; ++times) {
        onnxc_rt_parallel_for(context, count, large, Visits::visit, &visits);
        ASSERT_TRUE(visits.allAre(times)) << threads << " " << count;
      }
    }
    onnxc_destroy(context);
  }
}

TEST_F(Team, ThreadsHaveScratchOfTheirOwn) {
  model.scratch_bytes = 64;
  onnxc_context *context = create(4);
  std::atomic<int> shared = 0;
  for (int times = 0; times < 50; ++times)
    onnxc_rt_parallel_for(
        context, 64, large,
        [](void *data, void *scratch, int64_t begin, int64_t end) {
          auto *mine = static_cast<std::atomic<int64_t> *>(scratch);
          for (int64_t i = begin; i < end; ++i) {
            *mine = i;
            std::this_thread::yield();
            if (*mine != i)
              ++*static_cast<std::atomic<int> *>(data);
          }
        },
        &shared);
  EXPECT_EQ(shared, 0);
  onnxc_destroy(context);
}

TEST_F(Team, SmallLoopsStayWithTheCaller) {
  onnxc_context *context = create(4);
  std::set<std::thread::id> who;
  onnxc_rt_parallel_for(
      context, 100, 10,
      [](void *data, void *, int64_t, int64_t) {
        static_cast<std::set<std::thread::id> *>(data)->insert(
            std::this_thread::get_id());
      },
      &who);
  EXPECT_EQ(who, std::set{std::this_thread::get_id()});
  EXPECT_EQ(reinterpret_cast<onnxc_rt_context *>(context)->team, nullptr);
  onnxc_destroy(context);
}

TEST_F(Team, ContextsWorkSideBySide) {
  std::vector<std::thread> callers;
  std::atomic<bool> ok = true;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int times = 0; times < 10; ++times) {
        onnxc_context *context = create(3);
        Visits visits(50);
        for (int i = 1; i <= 10; ++i)
          onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
        if (!visits.allAre(10))
          ok = false;
        onnxc_destroy(context);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_TRUE(ok);
}

TEST_F(Team, SleepsBetweenRuns) {
  onnxc_context *context = create(4);
  Visits visits(50);
  onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
  auto used = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec * 1e6 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_sec * 1e6 + usage.ru_stime.tv_usec;
  };
  double before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  // In microseconds; three threads that burn would take hundreds of thousands.
  EXPECT_LT(used() - before, 20000);
  // They wake up again, at the start of a run or by a loop.
  EXPECT_EQ(onnxc_run(context, nullptr, 0, nullptr, 0), ONNXC_OK);
  onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
  EXPECT_TRUE(visits.allAre(2));
  onnxc_destroy(context);
}

TEST_F(Team, AChildProcessWorksAlone) {
  onnxc_context *context = create(3);
  Visits visits(50);
  onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
  pid_t child = fork();
  if (child == 0) {
    onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
    bool ok = visits.allAre(2);
    onnxc_destroy(context);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  onnxc_destroy(context);
}

TEST_F(Team, NeedsNoThreads) {
  for (int available : {0, 1, 2, 3}) {
    onnxc_context *context = create(64);
    Visits visits(50);
    threadsLeft = available;
    onnxc_rt_parallel_for(context, 50, large, Visits::visit, &visits);
    EXPECT_EQ(threadsLeft, -1) << "asks until there are no more";
    threadsLeft = std::numeric_limits<int>::max();
    EXPECT_TRUE(visits.allAre(1)) << available << " threads";
    onnxc_destroy(context);
  }
}

TEST_F(Team, CountsCores) {
  onnxc_context *context = create(0);
  int32_t count =
      onnxc_rt_thread_count(reinterpret_cast<onnxc_rt_context *>(context));
  EXPECT_GE(count, 1);
  EXPECT_LE(count, int32_t(std::thread::hardware_concurrency()));
  onnxc_destroy(context);
  onnxc_options options = {};
  options.threads = -1;
  EXPECT_EQ(onnxc_create(&model, &options, &context), ONNXC_INVALID_ARGUMENT);
}

} // namespace
