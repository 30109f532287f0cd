//===- RecurrentSimplify.cpp - States and lengths that say nothing -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matching.h"
#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_RECURRENTSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether all elements are +0, which is what an absent state is; whatever the
/// sizes are.
static bool isZero(Value value) {
  auto filled = value.getDefiningOp<ConstantOfShapeOp>();
  if (!filled)
    return isAll(value, 0);
  std::optional<ElementsAttr> element = filled.getValue();
  std::optional<Elements> elements =
      element ? Elements::get(*element) : std::nullopt;
  return !element ||
         (elements && elements->size() == 1 &&
          llvm::all_of(elements->getBytes(0), [](char byte) { return !byte; }));
}

namespace {
template <typename Op> struct DropZeroState : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<MutableOperandRange> states = {op.getInitialHMutable()};
    if constexpr (std::is_same_v<Op, LSTMOp>)
      states.push_back(op.getInitialCMutable());
    llvm::erase_if(states, [](const MutableOperandRange &state) {
      return state.empty() || !isZero(state[0].get());
    });
    if (states.empty())
      return rewriter.notifyMatchFailure(op, "no state begins with zeros");
    // From the last on: clearing one moves those behind it.
    rewriter.modifyOpInPlace(op, [&] { states.back().clear(); });
    return success();
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

struct RecurrentSimplify
    : PatternsPass<onnxc::impl::RecurrentSimplifyBase<RecurrentSimplify>,
                   DropZeroState<RNNOp>, DropZeroState<GRUOp>,
                   DropZeroState<LSTMOp>, DropFullLengths<RNNOp>,
                   DropFullLengths<GRUOp>, DropFullLengths<LSTMOp>> {};
} // namespace
