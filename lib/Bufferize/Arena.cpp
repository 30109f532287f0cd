//===- Arena.cpp - Offsets by liveness ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace onnxc;

static uint64_t peakOfLiveBytes(llvm::ArrayRef<Lifetime> pieces) {
  // +bytes at the begin, -bytes after the end; at one time, ends come first.
  llvm::SmallVector<std::pair<uint64_t, int64_t>> events;
  events.reserve(2 * pieces.size());
  for (const Lifetime &p : pieces) {
    events.push_back({2 * uint64_t(p.begin) + 1, int64_t(p.bytes)});
    events.push_back({2 * (uint64_t(p.end) + 1), -int64_t(p.bytes)});
  }
  llvm::sort(events);
  int64_t live = 0, peak = 0;
  for (auto [time, change] : events) {
    live += change;
    peak = std::max(peak, live);
  }
  return peak;
}

ArenaSize onnxc::assignOffsets(llvm::MutableArrayRef<Lifetime> pieces,
                               uint64_t alignment) {
  for (Lifetime &p : pieces)
    p.bytes = llvm::alignTo(std::max<uint64_t>(p.bytes, 1), alignment);

  llvm::SmallVector<Lifetime *> order;
  for (Lifetime &p : pieces)
    order.push_back(&p);
  // Of equal sizes, the one that comes first in the program goes first.
  llvm::sort(order, [](const Lifetime *a, const Lifetime *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });

  ArenaSize arena;
  llvm::SmallVector<Lifetime *> placed; // by offset
  for (Lifetime *piece : order) {
    uint64_t best = 0, bestGap = UINT64_MAX, top = 0;
    bool found = false;
    for (Lifetime *other : placed) {
      if (other->end < piece->begin || piece->end < other->begin)
        continue;
      if (other->offset > top) {
        uint64_t gap = other->offset - top;
        if (gap >= piece->bytes && gap < bestGap) {
          best = top;
          bestGap = gap;
          found = true;
        }
      }
      top = std::max(top, other->offset + other->bytes);
    }
    piece->offset = found ? best : top;
    arena.bytes = std::max(arena.bytes, piece->offset + piece->bytes);
    placed.insert(llvm::upper_bound(placed, piece,
                                    [](const Lifetime *a, const Lifetime *b) {
                                      return a->offset < b->offset;
                                    }),
                  piece);
  }
  arena.lowerBound = peakOfLiveBytes(pieces);
  return arena;
}
