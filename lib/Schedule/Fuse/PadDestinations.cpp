//===- PadDestinations.cpp - Results where they are padded ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The padded tensor is made first, its borders are filled, and the kernel's
// destination is the slice between them: a chain of slices that bufferizes
// without a copy.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_PADDESTINATIONSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// A part of a tensor, with steps of 1.
struct Box {
  SmallVector<OpFoldResult> offsets, sizes;

  Value take(OpBuilder &b, Location loc, Value from) const {
    return tensor::ExtractSliceOp::create(b, loc, from, offsets, sizes,
                                          ones(b));
  }
  Value put(OpBuilder &b, Location loc, Value part, Value into) const {
    return tensor::InsertSliceOp::create(b, loc, part, into, offsets, sizes,
                                         ones(b));
  }

private:
  SmallVector<OpFoldResult> ones(OpBuilder &b) const {
    return SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(1));
  }
};

/// The kernel that makes what `pad` pads, if it can write elsewhere: those that
/// read its result besides take any strides.
kernel::IntegerDotOp findProducer(tensor::PadOp pad) {
  auto dot = pad.getSource().getDefiningOp<kernel::IntegerDotOp>();
  Value value = pad.getConstantPaddingValue();
  if (!dot || !dot.getInit().getDefiningOp<tensor::EmptyOp>() || !value ||
      !matchPattern(value, m_Constant()))
    return nullptr;
  for (Operation *user : pad.getSource().getUsers())
    if (user != pad && !isa<kernel::IntegerDotOp>(user))
      return nullptr;
  // Channels stay side by side.
  auto isKnown = [](int64_t amount) { return !ShapedType::isDynamic(amount); };
  bool isStatic = llvm::all_of(pad.getStaticLow(), isKnown) &&
                  llvm::all_of(pad.getStaticHigh(), isKnown);
  return isStatic && pad.getStaticLow().back() == 0 &&
                 pad.getStaticHigh().back() == 0
             ? dot
             : nullptr;
}

void writeIntoPadded(RewriterBase &b, tensor::PadOp pad,
                     kernel::IntegerDotOp dot) {
  Location loc = pad.getLoc();
  b.setInsertionPoint(dot);
  IndexMath index{b, loc};
  SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                            high = pad.getMixedHighPad(), whole;
  Box inner{low, tensor::getMixedSizes(b, loc, dot.getInit())};
  for (auto [size, before, behind] : llvm::zip_equal(inner.sizes, low, high))
    whole.push_back(index.add(index.add(size, before), behind));
  Value padded =
      tensor::EmptyOp::create(b, loc, whole, pad.getType().getElementType());
  Value fill =
      b.clone(*pad.getConstantPaddingValue().getDefiningOp())->getResult(0);
  // Borders of one dimension lie between those of the ones before it.
  Box border{SmallVector<OpFoldResult>(whole.size(), b.getIndexAttr(0)), whole};
  auto fillBorder = [&](unsigned dim, OpFoldResult from, OpFoldResult count) {
    if (getConstantIntValue(count) == 0)
      return;
    Box part = border;
    part.offsets[dim] = from;
    part.sizes[dim] = count;
    Value filled =
        linalg::FillOp::create(b, loc, fill, part.take(b, loc, padded))
            .getResult(0);
    padded = part.put(b, loc, filled, padded);
  };
  for (unsigned dim = 0; dim < whole.size(); ++dim) {
    fillBorder(dim, b.getIndexAttr(0), low[dim]);
    fillBorder(dim, index.add(low[dim], inner.sizes[dim]), high[dim]);
    border.offsets[dim] = low[dim];
    border.sizes[dim] = inner.sizes[dim];
  }
  b.modifyOpInPlace(
      dot, [&] { dot.getInitMutable().assign(inner.take(b, loc, padded)); });
  b.setInsertionPointAfter(dot);
  Value result = dot.getResults()[0];
  padded = inner.put(b, loc, result, padded);
  if (padded.getType() != pad.getType())
    padded = tensor::CastOp::create(b, loc, pad.getType(), padded);
  b.replaceOp(pad, padded);
  Value part;
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
    auto reader = dyn_cast<kernel::IntegerDotOp>(use.getOwner());
    if (!reader)
      continue;
    if (!part)
      part = inner.take(b, loc, padded);
    b.modifyOpInPlace(reader, [&] { use.set(part); });
  }
}

class PadDestinations
    : public onnxc::impl::PadDestinationsPassBase<PadDestinations> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads)
      if (kernel::IntegerDotOp dot = findProducer(pad))
        writeIntoPadded(rewriter, pad, dot);
  }
};

} // namespace
