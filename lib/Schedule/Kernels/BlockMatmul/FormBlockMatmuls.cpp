//===- FormBlockMatmuls.cpp - Products with dequantized weights -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights in memory are what such a product waits for: they stay as narrow as
// the model has them.
//
//===----------------------------------------------------------------------===//

#include "FormBlockMatmuls.h"
#include "BlockMatmulSchedule.h"
#include "BlockWeights.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/IntegerDots.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMBLOCKMATMULSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

bool onnxc::canFormBlockMatmul(linalg::MatmulOp op, TargetAttr target,
                               std::string &why) {
  return matchBlockWeights(op, target, why).has_value();
}

bool onnxc::hasBlockMatmuls(ModuleOp module, TargetAttr target) {
  if (!supports(target, Capability::MultiplyHalfTiles))
    return false;
  std::string why;
  return module
      ->walk([&](linalg::MatmulOp op) {
        int64_t rows =
            cast<ShapedType>(op.getInputs()[0].getType()).getDimSize(0);
        return (ShapedType::isDynamic(rows) || rows >= kLeastRowsOfTiles) &&
                       canFormBlockMatmul(op, target, why)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<kernel::BlockMatmulOp> onnxc::formBlockMatmul(RewriterBase &b,
                                                        linalg::MatmulOp matmul,
                                                        TargetAttr target,
                                                        std::string &why) {
  std::optional<BlockWeights> match = matchBlockWeights(matmul, target, why);
  if (!match)
    return failure();
  Location loc = matmul.getLoc();
  b.setInsertionPoint(matmul);
  int64_t lanes = target.getLayoutTarget().getVectorBytes() / 4,
          vectors =
              std::min<int64_t>(4, llvm::divideCeil(match->columns, lanes)),
          width = vectors * lanes;
  kernel::PackedLayout layout = kernel::BlockMatmulOp::getWeightsLayout(
      b.getContext(), match->columns, match->steps, width, match->bits);
  Value lhs = matmul.getInputs()[0];
  auto type = cast<RankedTensorType>(lhs.getType());
  if (type.isDynamicDim(1))
    lhs = tensor::CastOp::create(
        b, loc,
        RankedTensorType::get({type.getDimSize(0), match->steps},
                              b.getF32Type()),
        lhs);
  Value init = matmul.getDpsInits()[0];
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  sizes[1] = b.getIndexAttr(match->columns);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, b.getF32Type());
  Value weights = makePacked(
      b, loc, RankedTensorType::get(layout.getShape(), b.getI32Type()),
      match->pack(layout));
  Value scales = match->packScales(b, loc, width);
  auto formed = kernel::BlockMatmulOp::create(
      b, loc, empty.getType(), lhs, weights, scales, ValueRange(), empty,
      match->bits, match->block, match->hasOneZero() ? match->zeroAt(0, 0) : 0,
      b.getAffineMapArrayAttr({}));
  kernel::buildTrivialEpilogue(b, loc, formed.getEpilogue(), b.getF32Type());
  if (!keepIfEmittable(b, formed, target, why))
    return failure();
  b.replaceOp(matmul, addInit(b, matmul, formed->getResult(0)));
  return formed;
}

namespace {

class FormBlockMatmuls
    : public onnxc::impl::FormBlockMatmulsPassBase<FormBlockMatmuls> {
public:
  using FormBlockMatmulsPassBase::FormBlockMatmulsPassBase;

private:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    std::string why;
    for (auto op : collectOps<linalg::MatmulOp>(getOperation()))
      (void)formBlockMatmul(rewriter, op, target, why);
  }
};

} // namespace
