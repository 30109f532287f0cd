//===- CompiledView.h - What a compile makes of a model ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of the page that shows a model before and after each part of a
// compile. Each part is there if the stages that make it ran.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INSPECT_COMPILEDVIEW_H
#define ONNXC_INSPECT_COMPILEDVIEW_H

#include "onnxc/Inspect/GraphView.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace onnxc {

/// One kernel: a loop nest, or a call of the runtime, of the scheduled module.
struct KernelView {
  /// Its node in CompiledView::kernelGraphs.
  unsigned graph, node;
  /// How it rearranges elements; empty if it does not.
  std::string layoutChange;
  /// The sizes of its results in bytes, where they are known.
  std::vector<uint64_t> resultBytes;
};

/// A part of the run whose time a profile measures: a kernel, a copy, a call.
struct RegionView {
  std::string kind;
  std::optional<unsigned> kernel;
  /// The nodes of the model that it computes, the main one first; it may have a
  /// name that only the optimizer gave it.
  std::vector<NodeKey> keys;
  std::string name, op;
  /// The first and the last position in the program, as in BufferView; nothing
  /// if the region did not survive.
  std::optional<std::pair<int64_t, int64_t>> place;
};

/// A temporary in the arena.
struct BufferView {
  int64_t offset, bytes;
  /// The first and the last position in the program where it is alive.
  int64_t begin, end;
  std::vector<NodeKey> keys;
};

struct MemoryView {
  /// Of the whole arena, and the most that is alive at once.
  int64_t bytes = 0, lowerBound = 0;
  /// The sizes of buffers are multiples of it.
  int64_t alignment = 1;
  std::vector<BufferView> buffers;
  /// Temporaries whose sizes are known only when the model runs.
  int64_t numOpen = 0;
};

/// What `onnxc profile --json` measured.
struct TimesView {
  double total = 0, other = 0;
  /// Of the region with this number; in microseconds.
  std::vector<std::optional<double>> regions;
};

struct CompiledView {
  /// What code was made for: "znver4, -O2".
  std::string target;
  /// The graph behind the optimize stage; nodes of the model that became
  /// constants.
  std::optional<ModelView> optimized;
  std::vector<NodeKey> folded;
  /// Behind the schedule stage: one node for each kernel, and the values that
  /// go from one to another.
  std::optional<ModelView> kernelGraphs;
  std::vector<KernelView> kernels;
  /// Behind the bufferize stage.
  std::vector<RegionView> regions;
  std::optional<MemoryView> memory;
  std::optional<TimesView> times;
  /// The stage that failed, and why; both empty if none did.
  std::string failedStage, fault;
};

/// Reads what `onnxc profile --json` wrote for the same code. An error says how
/// the regions that it lists differ from `regions`.
llvm::Expected<TimesView> readTimes(llvm::StringRef json,
                                    llvm::ArrayRef<RegionView> regions);

/// A page that needs nothing else: pan, zoom, search, look into nodes, and what
/// a compile makes of them.
void writeHtml(const ModelView &model, const CompiledView &compiled,
               llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_INSPECT_COMPILEDVIEW_H
