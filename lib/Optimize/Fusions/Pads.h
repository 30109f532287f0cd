//===- Pads.h - Padding that windows can do ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_PADS_H
#define ONNXC_LIB_OPTIMIZE_PADS_H

#include "onnxc/Dialect/ONNX/Movement.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace onnxc::optimize {

/// What a Pad adds on each side of each spatial dim, begins then ends as a
/// window's `pads`. Nullopt unless it adds one value, elements are only added,
/// none to batch and channels, and all this is constant.
std::optional<llvm::SmallVector<int64_t>> getSpatialPads(PadOp pad);

/// What a window over `spatialRank` dims adds: `pads` where `autoPad` leaves it
/// to them, zeros for VALID; nullopt for what depends on sizes.
std::optional<llvm::SmallVector<int64_t>>
getExplicitPads(std::optional<llvm::ArrayRef<int64_t>> pads,
                llvm::StringRef autoPad, size_t spatialRank);

/// Element by element; nullopt if a sum is too large to be a pad.
std::optional<llvm::SmallVector<int64_t>> addPads(llvm::ArrayRef<int64_t> a,
                                                  llvm::ArrayRef<int64_t> b);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_PADS_H
