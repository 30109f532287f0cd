//===- BlockMatmulSchedule.cpp - The decision on one product --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"
#include "PanelLoops.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

kernel::BlockMatmulScheduleAttr onnxc::selectSchedule(kernel::BlockMatmulOp op,
                                                      TargetAttr target) {
  // Beside the sums: the weights of one step, their scales, and a table; or the
  // weights alone.
  auto fit = [&](int64_t vectors, int64_t others) {
    return std::clamp<int64_t>((target.getRegisters() - others) / vectors, 1,
                               12);
  };
  int64_t vectors = getWideVectors(target),
          wideRows = fit(vectors, 1 + vectors), steps = op.getSteps();
  // The floats of a strip are read again for each tile of rows, from the second
  // level of the cache: so many bytes fit there. So many rows meet them that it
  // takes little time to make them.
  constexpr int64_t kMostBytes = 512 << 10, kNearRows = 256;
  int64_t most = kMostBytes / (vectors * target.getVectorBytes()),
          block = op.getBlock(), unit = block < steps ? block : op.getPerWord(),
          depth = 0;
  if (steps > most)
    depth = llvm::alignTo(
        llvm::divideCeil(steps, llvm::divideCeil(steps, most)), unit);
  if (depth >= steps)
    depth = 0;
  return kernel::BlockMatmulScheduleAttr::get(
      op.getContext(), /*rows=*/fit(kTileVectors, 2 + 2 * kTileVectors),
      wideRows, depth ? int64_t(llvm::alignTo(kNearRows, wideRows)) : 0, depth,
      takesTiles(op, target));
}
