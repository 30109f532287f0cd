//===- ConvCodegen.cpp - How kernel.conv becomes code ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Conv/ConvSchedule.h"
#include "Kernels/Conv/WinogradSchedule.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelModel.h"

using namespace mlir;
using namespace onnxc;

template <>
struct onnxc::Codegen<kernel::ConvOp>
    : FilteredKernelModel<
          kernel::ConvOp,
          KernelModel<kernel::ConvOp, kernel::ConvScheduleAttr, selectSchedule,
                      getTuningKey, visitChoices, emitVectors,
                      emitPlainLoops>> {
  bool hasVectorCode(Operation *base, TargetAttr target,
                     std::string &why) const {
    auto op = cast<kernel::ConvOp>(base);
    auto filter = cast<ShapedType>(op.getFilter().getType()),
         image = cast<ShapedType>(op.getImage().getType());
    Type element = filter.getElementType();
    if (!op.getAccumulatorType().isF32() || !image.getElementType().isF32() ||
        (!element.isF32() && !isHalf(element)))
      return refuse(why,
                    "expected sums and an image of float32, and weights of "
                    "floats of at most 32 bits");
    if (!filter.hasStaticShape())
      return refuse(why, "expected a filter of known shape");
    // Tiles of a result of known size have code for the taps that lie in the
    // image, for which they need to know where it ends.
    auto result = cast<ShapedType>(op.getInit().getType());
    for (unsigned i = 2; i < op.getNumSpatial() + 2; ++i)
      if (image.isDynamicDim(i) && !result.isDynamicDim(i))
        return refuse(why, "the size of the image is not known, that of the "
                           "result is");
    if (!isLastDimConsecutive(op.getInit()) ||
        !isLastDimConsecutive(op.getFilter()) ||
        (op.isDepthwise() && !isLastDimConsecutive(op.getImage())))
      return refuse(why, "expected consecutive lanes in memory");
    int64_t lanes = op.getBlock(), group = op.getGroup(),
            panel = filter.getShape().back();
    if (op.isImageBlocked() && image.getShape().back() != lanes)
      return refuse(why, "blocks of the image and of the result differ");
    if (op.isDepthwise()) {
      if (!op.isImageBlocked() || panel != lanes)
        return refuse(why, "expected a depthwise filter of one block");
      return true;
    }
    if (panel % lanes != 0)
      return refuse(why, "expected panels of whole blocks");
    if (op.isImageBlocked() &&
        filter.getDimSize(filter.getRank() - 2) % lanes != 0)
      return refuse(why, "expected weights of whole blocks of the image");
    if (group == 1)
      return true;
    if (!op.isImageBlocked() || op.getChannels() / group % lanes != 0)
      return refuse(why, "the channels of a group end within a block");
    if (op.getFilters() / group % panel != 0)
      return refuse(why, "the filters of a group end within a panel");
    return true;
  }

  bool readsExtraAt(Operation *, ArrayRef<int64_t>) const { return true; }
};

template void onnxc::attachCodegen<kernel::ConvOp>(MLIRContext *context);
