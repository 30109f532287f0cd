//===- PointwiseProducts.cpp - Pointwise convolutions as products ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Form/WindowLoops.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace onnxc {
#define GEN_PASS_DEF_POINTWISEPRODUCTSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Whether windows have one pixel each, and all pixels have one.
bool isPointwise(linalg::LinalgOp op, const WindowLoops &conv) {
  auto filter = cast<ShapedType>(op.getDpsInputs()[1].getType());
  auto isOne = [](int64_t size) { return size == 1; };
  return !conv.isDepthwise && llvm::all_of(conv.strides, isOne) &&
         llvm::all_of(filter.getShape().take_back(conv.strides.size()), isOne);
}

/// Images, of which those belong together that ops make of each other without
/// reshaping them: kernels would pass blocks of channels on from one to the
/// next.
class Surroundings {
public:
  explicit Surroundings(Operation *root);
  /// Whether no other op with windows is near.
  bool isAlone(linalg::LinalgOp conv) {
    return windows.lookup(classes.getLeaderValue(keyOf(conv->getResult(0)))) ==
           1;
  }

private:
  static const void *keyOf(Value value) { return value.getAsOpaquePointer(); }
  void join(Operation *op);

  llvm::EquivalenceClasses<const void *> classes;
  /// How many ops with windows there are, by the leader of the class.
  DenseMap<const void *, unsigned> windows;
};

bool hasWindows(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isa<kernel::KernelOpInterface>(op) ||
         (linalgOp &&
          (matchWindowLoops(linalgOp) ||
           !llvm::all_of(linalgOp.getIndexingMapsArray(), [](AffineMap map) {
             return map.isProjectedPermutation(/*allowZeroInResults=*/true);
           })));
}

void Surroundings::join(Operation *op) {
  Value result = op->getResult(0);
  classes.insert(keyOf(result));
  auto type = cast<RankedTensorType>(result.getType());
  std::optional<WindowLoops> conv;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    conv = matchWindowLoops(linalgOp);
  for (Value operand : op->getOperands()) {
    auto own = dyn_cast<RankedTensorType>(operand.getType());
    // What is empty is shared by ops that have nothing else to do with each
    // other.
    Operation *maker = operand.getDefiningOp();
    bool isShared = isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(maker) ||
                    matchPattern(operand, m_Constant());
    bool isFilter = conv && operand == conv->filter;
    if (own && own.getRank() == type.getRank() && !isShared && !isFilter)
      classes.unionSets(keyOf(result), keyOf(operand));
  }
}

Surroundings::Surroundings(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp,
            tensor::ExtractSliceOp, kernel::KernelOpInterface,
            kernel::ReorderOp>(op) &&
        op->getNumResults() > 0 &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      ops.push_back(op);
  });
  llvm::for_each(ops, [&](Operation *op) { join(op); });
  for (Operation *op : ops)
    if (hasWindows(op))
      ++windows[classes.getLeaderValue(keyOf(op->getResult(0)))];
}

/// Of fewer pixels, rows of vectors have none for most of their lanes.
constexpr int64_t kLeastPixels = 64;

/// Whether `op` would be a kernel that reads the image from channels apart, and
/// writes its result so: a product does without both copies.
bool isBetterAlone(linalg::LinalgOp op, const WindowLoops &conv,
                   Surroundings &surroundings) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (conv.group > 1 || !type.hasStaticShape() ||
      !type.getElementType().isF32() ||
      !getElementTypeOrSelf(conv.image).isF32() ||
      ShapedType::getNumElements(type.getShape().drop_front(2)) < kLeastPixels)
    return false;
  return surroundings.isAlone(op);
}

class Rewriter {
public:
  Rewriter(IRRewriter &b, linalg::LinalgOp op, const WindowLoops &conv)
      : b(b), loc(op.getLoc()), op(op), conv(conv),
        rank(cast<ShapedType>(op->getResult(0).getType()).getRank()),
        lead(rank - conv.strides.size()) {}

  void rewrite();

private:
  Value joinFrom(Value value, int64_t first);
  Value createStart();

  IRRewriter &b;
  Location loc;
  linalg::LinalgOp op;
  const WindowLoops &conv;
  /// Dimensions of the result, and those of them before the pixels.
  int64_t rank, lead;
};

/// The dimensions of `value` from `first` on as one.
Value Rewriter::joinFrom(Value value, int64_t first) {
  int64_t rank = cast<ShapedType>(value.getType()).getRank();
  if (rank == first + 1)
    return value;
  SmallVector<ReassociationIndices> parts;
  for (int64_t d = 0; d < first; ++d)
    parts.push_back({d});
  parts.push_back(llvm::to_vector(llvm::seq(first, rank)));
  return tensor::CollapseShapeOp::create(b, loc, value, parts);
}

/// What the sums start from. A bias is repeated for the joined pixels, so that
/// an epilogue reads it as it is.
Value Rewriter::createStart() {
  Value init = op.getDpsInits()[0];
  Value joined = joinFrom(init, lead);
  auto type = cast<RankedTensorType>(joined.getType());
  Value bias = getRepeatedByChannel(conv.init);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (conv.group > 1 && bias &&
      !cast<ShapedType>(bias.getType()).hasStaticShape())
    bias = Value();
  if (!bias && !fill)
    return joined;
  // Joined, the sizes are those of the empty tensor, which alone is left.
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, joined), type.getElementType());
  if (fill)
    return linalg::FillOp::create(b, loc, fill.getInputs(), empty)
        ->getResult(0);
  SmallVector<AffineExpr> at{b.getAffineDimExpr(lead - 1)};
  if (conv.group > 1) {
    int64_t filters = cast<ShapedType>(bias.getType()).getDimSize(0);
    auto split = RankedTensorType::get({conv.group, filters / conv.group},
                                       getElementTypeOrSelf(bias));
    bias = tensor::ExpandShapeOp::create(
        b, loc, split, bias, ArrayRef<ReassociationIndices>{{0, 1}});
    at.insert(at.begin(), b.getAffineDimExpr(1));
  }
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, bias, empty,
             ArrayRef<AffineMap>{
                 AffineMap::get(type.getRank(), 0, at, b.getContext()),
                 b.getMultiDimIdentityMap(type.getRank())},
             parallel,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value own = args[0];
               if (own.getType() != type.getElementType())
                 own =
                     arith::ExtFOp::create(b, loc, type.getElementType(), own);
               linalg::YieldOp::create(b, loc, own);
             })
      ->getResult(0);
}

/// Loops n (g) f p c: x [n, (g), c, p], w [(g), f, c] -> [n, (g), f, p].
void Rewriter::rewrite() {
  b.setInsertionPoint(op);
  Value x = joinFrom(op.getDpsInputs()[0], lead),
        w = joinFrom(op.getDpsInputs()[1], lead - 1), start = createStart();
  auto d = [&](int64_t i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> xs, ws, ys;
  for (int64_t i = 0; i < lead - 1; ++i) {
    xs.push_back(d(i));
    if (i > 0)
      ws.push_back(d(i));
  }
  xs.append({d(lead + 1), d(lead)});
  ws.append({d(lead - 1), d(lead + 1)});
  for (int64_t i = 0; i <= lead; ++i)
    ys.push_back(d(i));
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs : {ArrayRef(xs), ArrayRef(ws), ArrayRef(ys)})
    maps.push_back(AffineMap::get(lead + 2, 0, exprs, b.getContext()));
  SmallVector<utils::IteratorType> kinds(lead + 1,
                                         utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  auto product =
      linalg::GenericOp::create(b, loc, start.getType(), ValueRange{x, w},
                                start, maps, kinds, /*bodyBuild=*/nullptr);
  b.cloneRegionBefore(op->getRegion(0), product.getRegion(),
                      product.getRegion().end());
  Value result = product->getResult(0);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (rank > lead + 1) {
    SmallVector<ReassociationIndices> parts;
    for (int64_t i = 0; i < lead; ++i)
      parts.push_back({i});
    parts.push_back(llvm::to_vector(llvm::seq(lead, rank)));
    result = tensor::ExpandShapeOp::create(
        b, loc, type, result, parts,
        tensor::getMixedSizes(b, loc, op.getDpsInits()[0]));
  }
  b.replaceOp(op, result);
}

class PointwiseProducts
    : public onnxc::impl::PointwiseProductsPassBase<PointwiseProducts> {
public:
  using PointwiseProductsPassBase::PointwiseProductsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    std::optional<Surroundings> surroundings;
    if (alone)
      surroundings.emplace(getOperation());
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      if (!op.hasPureTensorSemantics())
        continue;
      std::optional<WindowLoops> conv = matchWindowLoops(op);
      if (conv && isPointwise(op, *conv) &&
          isa<FloatType>(getElementTypeOrSelf(op->getResult(0))) &&
          (!alone || isBetterAlone(op, *conv, *surroundings)))
        Rewriter(rewriter, op, *conv).rewrite();
    }
  }
};

} // namespace
