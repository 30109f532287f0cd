//===- UnfoldConvolutions.cpp - Small convolutions as products ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select/Schedule.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace onnxc {
#define GEN_PASS_DEF_UNFOLDCONVOLUTIONSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Larger maps have rows that are long enough for lanes as they are.
constexpr int64_t kMaxPixels = 256;
constexpr int64_t kMaxUnfoldedElements = 2 << 20;
/// Each unfolded element is used this often at least.
constexpr int64_t kMinReuse = 16;

/// The parts of a convolution that the unfolding has to know.
struct Convolution {
  OpOperand *image = nullptr;
  SmallVector<unsigned> batch, window, pixels; // loops of the image
};

std::optional<Convolution> matchConvolution(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return std::nullopt;

  Convolution conv;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.isProjectedPermutation())
      continue;
    if (conv.image || op.isDpsInit(&operand))
      return std::nullopt;
    conv.image = &operand;
  }
  if (!conv.image)
    return std::nullopt;

  AffineMap map = op.getMatchingIndexingMap(conv.image);
  llvm::SmallBitVector sliding(op.getNumLoops());
  for (AffineExpr expr : map.getResults())
    if (!isa<AffineDimExpr>(expr))
      for (unsigned d = 0; d < op.getNumLoops(); ++d)
        if (expr.isFunctionOfDim(d))
          sliding.set(d);
  SaturatingInt reuse = 1, pixels = 1, elements = 1;
  auto kinds = op.getIteratorTypesArray();
  for (unsigned d = 0; d < op.getNumLoops(); ++d) {
    bool isParallel = kinds[d] == utils::IteratorType::parallel;
    if (!map.isFunctionOfDim(d)) {
      if (isParallel)
        reuse *= extents[d];
      continue;
    }
    elements *= extents[d];
    if (!isParallel) {
      conv.window.push_back(d);
    } else if (sliding.test(d)) {
      conv.pixels.push_back(d);
      pixels *= extents[d];
    } else {
      conv.batch.push_back(d);
    }
  }
  if (reuse < kMinReuse || pixels > kMaxPixels || pixels == 1 ||
      elements > kMaxUnfoldedElements || conv.window.empty())
    return std::nullopt;
  return conv;
}

void unfold(IRRewriter &rewriter, linalg::GenericOp op,
            const Convolution &conv) {
  MLIRContext *ctx = op.getContext();
  Location loc = op.getLoc();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> loops(conv.batch);
  loops.append(conv.window);
  loops.append(conv.pixels);

  // The image's index in terms of the loops that it depends on.
  SmallVector<AffineExpr> renamed(op.getNumLoops(),
                                  getAffineConstantExpr(0, ctx));
  SmallVector<AffineExpr> ofProduct;
  SmallVector<int64_t> shape;
  for (auto [i, d] : llvm::enumerate(loops)) {
    renamed[d] = getAffineDimExpr(i, ctx);
    ofProduct.push_back(getAffineDimExpr(d, ctx));
    shape.push_back(extents[d]);
  }
  AffineMap from = op.getMatchingIndexingMap(conv.image)
                       .replaceDimsAndSymbols(renamed, {}, loops.size(), 0);
  AffineMap to = AffineMap::getMultiDimIdentityMap(loops.size(), ctx);

  rewriter.setInsertionPoint(op);
  Value image = conv.image->get();
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape,
                                        getElementTypeOrSelf(image.getType()));
  SmallVector<utils::IteratorType> parallel(loops.size(),
                                            utils::IteratorType::parallel);
  auto unfolded = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), image, empty,
      ArrayRef<AffineMap>{from, to}, parallel,
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args[0]);
      });
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[conv.image->getOperandNumber()] =
      AffineMap::get(op.getNumLoops(), 0, ofProduct, ctx);
  rewriter.modifyOpInPlace(op, [&] {
    conv.image->set(unfolded.getResult(0));
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

class UnfoldConvolutions
    : public onnxc::impl::UnfoldConvolutionsPassBase<UnfoldConvolutions> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      // What is left without a window is a product already.
      dropUnitTerms(op);
      if (std::optional<Convolution> conv = matchConvolution(op))
        unfold(rewriter, op, *conv);
    }
  }
};

} // namespace
