//===- KernelLoops.h - Loops and addresses of kernels --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_KERNELLOOPS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_KERNELLOOPS_H

#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineMap.h"

namespace onnxc {

inline bool isIndex(mlir::OpFoldResult x, int64_t value) {
  return mlir::getConstantIntValue(x) == value;
}

/// A buffer seen as one-dimensional, and how far a step in each of its
/// dimensions moves in it.
struct FlatBuffer {
  mlir::Value memory;
  mlir::Type element;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};
FlatBuffer flatten(IndexMath &index, mlir::Value buffer);

/// Whether a buffer may have so many elements that the nearer levels of the
/// cache do not hold what a kernel before wrote there.
bool isFar(const FlatBuffer &buffer, TargetAttr target);

/// An operand of a kernel: a buffer seen as one-dimensional and how far each
/// loop moves in it, or a scalar.
struct LoopOperand : FlatBuffer {
  mlir::Value scalar; // an operand that is not a buffer
  llvm::SmallVector<mlir::OpFoldResult> step;
  bool padded = false; // dead lanes may be read
};
/// `map` leads from the loops to `value`, a buffer or not. Indices are linear;
/// others, and what is constant in them, count as 0.
LoopOperand makeLoopOperand(IndexMath &index, mlir::Value value,
                            mlir::AffineMap map);

/// `lanes` consecutive elements from `at` on, of which `live` are there.
mlir::Value loadLanes(IndexMath &index, const FlatBuffer &from,
                      mlir::OpFoldResult at, int64_t lanes, int64_t live);
/// What lanes read from `at` on, `step` apart: a scalar if it is the same for
/// all.
mlir::Value readLanes(IndexMath &index, const LoopOperand &from,
                      mlir::OpFoldResult at, mlir::OpFoldResult step,
                      int64_t lanes, int64_t live);
/// A mask of `lanes` lanes, `live` of which are set.
mlir::Value makeMask(IndexMath &index, int64_t lanes, int64_t live);

using CarriedBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpFoldResult, mlir::ValueRange)>;

/// `scf.for` that carries values; no loop where there is just one step or none.
llvm::SmallVector<mlir::Value>
carryLoop(IndexMath &index, mlir::OpFoldResult from, mlir::OpFoldResult to,
          int64_t step, mlir::ValueRange carried, CarriedBody body);

/// Code of its own for each value of `number` below `cases`, and for all others
/// together (nothing).
void switchOver(IndexMath &index, mlir::OpFoldResult number, int64_t cases,
                llvm::function_ref<void(std::optional<int64_t>)> body);

/// The same for each of `values`; the last one stands for all others, too.
void switchOver(IndexMath &index, mlir::OpFoldResult number,
                llvm::ArrayRef<int64_t> values,
                llvm::function_ref<void(int64_t)> body);

/// Code for both outcomes of a comparison.
void emitEither(IndexMath &index, mlir::arith::CmpIPredicate how,
                mlir::OpFoldResult x, mlir::OpFoldResult y,
                llvm::function_ref<void()> ifTrue,
                llvm::function_ref<void()> ifFalse);

/// Fewer panels than this do not give even shares to threads.
constexpr int64_t kFewPanels = 16;
constexpr int64_t kCacheLine = 64;
/// Fetches what comes soon of a stream that few rows wait for, across pages:
/// into the second level of the cache, and what is nearer from there into the
/// first one, which holds few lines on their way; or into the first one alone,
/// where it holds many. `ahead` gives the address so many bytes behind the one
/// that is read now, a multiple of `unit`.
void prefetchStream(IndexMath &index, TargetAttr target, mlir::Value memory,
                    llvm::function_ref<mlir::OpFoldResult(int64_t)> ahead,
                    int64_t unit = 1);
/// Cycles in which a line of weights arrives that is used once.
constexpr int64_t kCyclesPerLine = 4;

/// `scf.forall` from 0 to `extents`; those that are 1 are left out, and `body`
/// gets 0 for them. `work` estimates the cycles of one iteration (0: unknown).
/// Iterations have to be independent of each other.
void parallelLoop(
    IndexMath &index, llvm::ArrayRef<mlir::OpFoldResult> extents, int64_t work,
    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult>)> body);

/// Whether to count the steps of a sum takes a part of a tile's time: the ports
/// that do so do its multiply-adds, too, of which each step has so few (16
/// registers hold no more sums), but enough that the latency of one is not what
/// the tile waits for. Several steps of such a tile are written out.
inline bool isCountingCostly(int64_t products) {
  return products >= 8 && products <= 15;
}
constexpr int64_t kStepsTogether = 4;

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_KERNELLOOPS_H
