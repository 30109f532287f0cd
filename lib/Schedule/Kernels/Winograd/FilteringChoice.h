//===- FilteringChoice.h - Whether minimal filtering pays ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_FILTERINGCHOICE_H
#define ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_FILTERINGCHOICE_H

#include "MinimalFiltering.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

namespace onnxc::winograd {

/// How many elements are multiplied at a time: equal shares of whole blocks of
/// `block`, of about `most` at most, or all of them.
int64_t selectDepth(int64_t elements, int64_t block, int64_t most);

/// Squares of pixels of a result, as far as they are known.
struct Squares {
  int64_t ofImage = 0, batch = 0; // or kDynamic
  /// Pixels of a square on average, or all of them where that is not known.
  double pixels = 1;

  /// Of images of the spatial sizes `image` and `result`; slices count one by
  /// one.
  static Squares count(const WindowFiltering &filtering, int64_t batch,
                       llvm::ArrayRef<int64_t> image,
                       llvm::ArrayRef<int64_t> result);

  bool isOpen() const { return mlir::ShapedType::isDynamic(ofImage); }
  std::optional<int64_t> all() const;
};

/// What a kernel says of itself: sizes, and times in one unit.
struct Layer {
  WindowFiltering filtering;
  Squares squares;
  /// Groups of filters, which meet channels of their own and take the same
  /// time: what follows is of one.
  int64_t groups;
  /// Transformed pixels of a square for each of its places, of 32 bits, and
  /// those that are multiplied at a time.
  int64_t elements, depth;
  int64_t filters;
  /// A register tile: squares, and blocks of `lanes` filters.
  int64_t tile, blocks, lanes;
  /// The time of a square from pixels to results, of a tile besides (squares
  /// share weights that are loaded), and of all weights' transform.
  double ofSquare, ofTile, ofWeights;
  /// The time of a pixel's sums as they are defined.
  double ofPixel;
};

/// How the layer is filtered if that is expected to take less time than the
/// sums as they are defined; null if not. Images of open size, and batches of
/// which that depends on their number, compare when they run: `direct` is the
/// schedule of the other branch.
kernel::WinogradScheduleAttr
selectFiltering(mlir::MLIRContext *context, const Layer &layer,
                TargetAttr target,
                llvm::function_ref<kernel::ScheduleInterface()> direct);

/// Visits schedules like `basis` with other tiles, of `blocks` blocks and as
/// many squares as have sums in `registers` registers beside a row of weights,
/// and shorter runs.
void visitFilterings(kernel::WinogradScheduleAttr basis,
                     llvm::ArrayRef<int64_t> blocks, int64_t registers,
                     llvm::function_ref<void(kernel::ScheduleInterface)> visit);

} // namespace onnxc::winograd

#endif // ONNXC_LIB_SCHEDULE_KERNELS_WINOGRAD_FILTERINGCHOICE_H
