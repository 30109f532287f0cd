//===- RnnSimplify.cpp - Operands of recurrent ops that say the default ---===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_RNNSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether a value is zeros, of whatever shape.
static bool isZero(Value value, bool anyZero) {
  if (!value)
    return false;
  if (isConstant(value))
    return isAll(value, 0, anyZero);
  auto filled = value.getDefiningOp<ConstantOfShapeOp>();
  if (!filled)
    return false;
  std::optional<Elements> element =
      filled.getValue() ? Elements::get(*filled.getValue()) : std::nullopt;
  if (!filled.getValue())
    return true;
  return element && element->size() == 1 &&
         element->getElementType().isIntOrFloat() &&
         element->getNumber(0) == 0 &&
         (anyZero || !std::signbit(element->getNumber(0)));
}

namespace {
/// First states are 0 where they are absent. Biases and peepholes, too; but
/// they cost no node, and runtimes have other code without a bias, which meets
/// infinities differently.
template <typename Op> struct DropZeros : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    unsigned before = op->getNumOperands();
    rewriter.startOpModification(op);
    dropIfZero(op.getInitialHMutable());
    if constexpr (std::is_same_v<Op, LSTMOp>)
      dropIfZero(op.getInitialCMutable());
    if (op->getNumOperands() == before) {
      rewriter.cancelOpModification(op);
      return rewriter.notifyMatchFailure(op, "no operand is zeros");
    }
    rewriter.finalizeOpModification(op);
    return success();
  }

private:
  void dropIfZero(MutableOperandRange optional) const {
    if (optional.size() == 1 &&
        isZero(optional[0].get(), this->options.noSignedZeros))
      optional.clear();
  }
};

template <typename Op> struct DropFullLengths : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value lengths = op.getSequenceLens();
    std::optional<int64_t> steps = getDim(op.getX(), op.getLayout() ? 1 : 0);
    if (!lengths || !steps || !isAll(lengths, static_cast<double>(*steps)))
      return rewriter.notifyMatchFailure(op, "no lengths, or shorter ones");
    rewriter.modifyOpInPlace(op, [&] { op.getSequenceLensMutable().clear(); });
    return success();
  }
};

struct RnnSimplify
    : PatternsPass<onnxc::impl::RnnSimplifyBase<RnnSimplify>, DropZeros<GRUOp>,
                   DropZeros<LSTMOp>, DropZeros<RNNOp>, DropFullLengths<GRUOp>,
                   DropFullLengths<LSTMOp>, DropFullLengths<RNNOp>> {};
} // namespace
