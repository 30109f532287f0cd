//===- allocator.cpp - All memory of a model from the caller --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// allocator
//
// A session takes everything from an object of the program: here, from one
// static block with a budget. Shows what a session needs, that nothing is
// allocated once it has run, and what happens when there is too little.
//
//===----------------------------------------------------------------------===//

#include "model.h" // written by: onnxc model.onnx -o model.a
#include <onnxc/onnxc.hpp>

#include <cstdio>

namespace {
// Gives out parts of one block in a row, and all of it anew when nothing is in
// use. Enough for one session, whose memory grows until its first run ends.
class Arena {
public:
  explicit Arena(std::size_t budget) : budget(budget) {}

  void *allocate(std::size_t bytes, std::size_t alignment) {
    std::size_t begin = (used + alignment - 1) / alignment * alignment;
    ++calls;
    if (begin > budget || bytes > budget - begin)
      return nullptr;
    used = begin + bytes;
    ++blocks;
    return memory + begin;
  }
  void release(void *, std::size_t) {
    if (--blocks == 0)
      used = 0;
  }

  std::size_t used = 0, calls = 0, blocks = 0;

private:
  std::size_t budget;
  alignas(4096) inline static unsigned char memory[16 << 20];
};

// For models with one input of floats and fixed sizes.
onnxc::Result<onnxc::Outputs> run(onnxc::Session &session) {
  onnxc::Shape shape(session.model().input(0).dims());
  std::size_t count = 1;
  for (std::int64_t size : shape)
    count *= static_cast<std::size_t>(size);
  std::vector<float> input(count, 0.5f);
  return session.try_run_in_order({{input, shape}});
}
} // namespace

int main() {
  // One thread: another pool of memory would be each thread's stack.
  Arena arena(16 << 20);
  onnxc::Options options;
  options.allocator(arena).threads(1);
  {
    onnxc::Result<onnxc::Session> session =
        onnxc::Session::open(model_query, options);
    if (!session || !run(*session))
      return 1;
    std::size_t after_first = arena.calls;
    std::printf("after the first run: %zu bytes in %zu blocks\n", arena.used,
                arena.blocks);
    for (int i = 0; i < 10; ++i)
      if (!run(*session))
        return 1;
    std::printf("ten runs later: %zu more calls\n", arena.calls - after_first);
  }
  std::printf("after the session: %zu blocks\n", arena.blocks);

  // With too little, the session or its run fails, and the program goes on.
  Arena small(1024);
  onnxc::Result<onnxc::Session> session = onnxc::Session::open(
      model_query, onnxc::Options().allocator(small).threads(1));
  if (session) {
    onnxc::Result<onnxc::Outputs> outputs = run(*session);
    std::printf("1 KiB: %s\n", outputs ? "enough" : outputs.text().c_str());
  } else
    std::printf("1 KiB: %s\n", session.text().c_str());
  return 0;
}
