//===- threads.cpp - Loops of models on the program's own threads ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// threads
//
// A program that has a pool of threads already gives it to its sessions, which
// then start none of their own. Two sessions share it here, as they would share
// that of a game engine or a server. The results are the same bits as with one
// thread.
//
//===----------------------------------------------------------------------===//

#include "model.h" // written by: onnxc model.onnx -o model.a
#include <onnxc/onnxc.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>

namespace {
// Runs one loop at a time. Who calls it works, too.
class Pool {
public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ends = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  template <typename Task> void operator()(std::int64_t count, Task task) {
    std::lock_guard<std::mutex> one_loop(callers);
    ++loops;
    {
      std::lock_guard<std::mutex> lock(mutex);
      current = [this, count, &task] {
        for (std::int64_t i; (i = next.fetch_add(1)) < count;)
          task(i);
      };
      next = 0;
      ++generation;
    }
    wake.notify_all();
    current();
    // All pieces are taken; wait for those that are at one. Who comes later
    // finds nothing.
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [this] { return at_work == 0; });
    current = nullptr;
  }

  std::int64_t loops = 0;

private:
  void work() {
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return ends || (current && generation != seen); });
      if (ends)
        return;
      seen = generation;
      ++at_work;
      lock.unlock();
      current();
      lock.lock();
      if (--at_work == 0)
        done.notify_one();
    }
  }

  std::vector<std::thread> threads;
  std::mutex callers, mutex;
  std::condition_variable wake, done;
  std::function<void()> current;
  std::atomic<std::int64_t> next = 0;
  std::uint64_t generation = 0;
  int at_work = 0;
  bool ends = false;
};

// For models with one input of floats and fixed sizes.
std::vector<float> run(onnxc::Session &session) {
  onnxc::Shape shape(session.model().input(0).dims());
  std::size_t count = 1;
  for (std::int64_t size : shape)
    count *= static_cast<std::size_t>(size);
  std::vector<float> input(count);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  onnxc::Tensor output = session.run_in_order({{input, shape}})[0];
  onnxc::span<const float> elements = output.data<float>();
  return std::vector<float>(elements.begin(), elements.end());
}
} // namespace

int main() {
  try {
    onnxc::Session alone(model_query, onnxc::Options().threads(1));
    std::vector<float> expected = run(alone);

    Pool pool(3);
    std::vector<float> results[2];
    std::thread callers[2];
    for (int i = 0; i < 2; ++i)
      callers[i] = std::thread([&, i] {
        // 4: the three workers and the caller.
        onnxc::Session session(model_query,
                               onnxc::Options().parallel_for(pool, 4));
        for (int times = 0; times < 10; ++times)
          results[i] = run(session);
      });
    for (std::thread &caller : callers)
      caller.join();
    std::printf("loops that were shared: %s\n", pool.loops ? "some" : "none");
    std::printf("results: %s\n",
                results[0] == expected && results[1] == expected
                    ? "those of one thread"
                    : "others than those of one thread");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "threads: %s\n", error.what());
    return 1;
  }
}
