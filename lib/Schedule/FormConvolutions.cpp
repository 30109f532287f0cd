//===- FormConvolutions.cpp - Kernels of convolutions ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "ConvSchedule.h"
#include "PackedConstants.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMCONVOLUTIONSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What a convolution says, whichever op says it.
struct Convolution {
  Value image, init;
  ElementsAttr filter;
  /// [f, c, k…]; without c if each channel has a filter of its own.
  SmallVector<int64_t> filterShape;
  SmallVector<int64_t> strides, dilations, pads;
  bool isDepthwise = false;
  int64_t group = 1;
  /// What the kernel takes the place of.
  Operation *replaced = nullptr;

  unsigned spatial() const { return strides.size(); }
  int64_t filters() const { return filterShape[0]; }
  int64_t channels() const {
    return isDepthwise ? filterShape[0] : filterShape[1] * group;
  }
  ArrayRef<int64_t> taps() const {
    return ArrayRef(filterShape).drop_front(isDepthwise ? 1 : 2);
  }
};

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) ||
         matchPattern(value, m_PosZeroFloat());
}

/// Takes the zeros around the image into the convolution.
void takePadding(Convolution &conv) {
  conv.pads.assign(2 * conv.spatial(), 0);
  auto pad = conv.image.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return;
  Value value = pad.getConstantPaddingValue();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  auto isKnown = [](int64_t x) { return x >= 0; };
  if (!value || !isZero(value) || !llvm::all_of(low, isKnown) ||
      !llvm::all_of(high, isKnown) || low[0] || low[1] || high[0] || high[1])
    return;
  for (unsigned i = 0; i < conv.spatial(); ++i) {
    conv.pads[i] = low[i + 2];
    conv.pads[conv.spatial() + i] = high[i + 2];
  }
  conv.image = pad.getSource();
}

template <typename Op> void readWindow(Op op, Convolution &conv) {
  conv.strides = llvm::to_vector(op.getStrides().template getValues<int64_t>());
  conv.dilations =
      llvm::to_vector(op.getDilations().template getValues<int64_t>());
}

bool isMultiplyAdd(Block &body) {
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || body.getNumArguments() != 3 || body.getOperations().size() != 3)
    return false;
  Value sum = body.getArgument(2);
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  auto product = term.getDefiningOp<arith::MulFOp>();
  return (add.getLhs() == sum || add.getRhs() == sum) && product &&
         product.getLhs() == body.getArgument(0) &&
         product.getRhs() == body.getArgument(1);
}

/// Whether a reshape has to do with dimension 1 of the smaller tensor alone.
template <typename Op> bool splitsChannels(Op reshape, int64_t splitRank) {
  SmallVector<ReassociationIndices> parts = reshape.getReassociationIndices();
  return int64_t(parts.size()) == splitRank - 1 && parts.size() >= 2 &&
         parts[1] == ReassociationIndices{1, 2};
}

/// The tensor that `split` has the groups of a dimension apart of.
Value joinGroups(Value split) {
  auto expand = split.getDefiningOp<tensor::ExpandShapeOp>();
  // Sizes that are not known may have been split by way of a flat tensor.
  return expand && splitsChannels(expand, expand.getResultType().getRank())
             ? expand.getSrc()
             : Value();
}

/// Loops n (g) f o… c k…: x [n (g) c s…], w [(g) f c k…] -> [n (g) f o…].
bool readGeneric(linalg::GenericOp op, Convolution &conv) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isMultiplyAdd(*op.getBlock()))
    return false;
  int64_t loops = op.getNumLoops(),
          rank = cast<ShapedType>(op->getResult(0).getType()).getRank(),
          spatial = loops - rank - 1, lead = rank - spatial;
  if (spatial < 1 || spatial > 3 || (lead != 2 && lead != 3) ||
      int64_t(op.getNumReductionLoops()) != 1 + spatial)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto d = [&](int64_t i) { return getAffineDimExpr(i, op.getContext()); };
  SmallVector<AffineExpr> ws, ys;
  if (lead == 3)
    ws.push_back(d(1));
  ws.append({d(lead - 1), d(rank)});
  for (int64_t i = 0; i < spatial; ++i)
    ws.push_back(d(rank + 1 + i));
  for (int64_t i = 0; i < rank; ++i)
    ys.push_back(d(i));
  AffineMap x = maps[0];
  if (llvm::to_vector(maps[1].getResults()) != ws ||
      llvm::to_vector(maps[2].getResults()) != ys ||
      int64_t(x.getNumResults()) != rank || x.getResult(0) != d(0) ||
      (lead == 3 && x.getResult(1) != d(1)) || x.getResult(lead - 1) != d(rank))
    return false;
  for (int64_t i = 0; i < spatial; ++i) {
    auto c = linearCoefficients(x.getResult(lead + i), loops);
    if (!c || c->back() != 0)
      return false;
    int64_t &stride = (*c)[lead + i], &dilation = (*c)[rank + 1 + i];
    conv.strides.push_back(std::exchange(stride, 0));
    conv.dilations.push_back(std::exchange(dilation, 0));
    if (conv.strides.back() < 1 || conv.dilations.back() < 1 ||
        llvm::any_of(*c, [](int64_t other) { return other != 0; }))
      return false;
  }
  if (lead == 2)
    return true;
  // Channels are split by group before, and joined behind.
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  auto join = op->hasOneUse()
                  ? dyn_cast<tensor::CollapseShapeOp>(*op->user_begin())
                  : tensor::CollapseShapeOp();
  auto type = cast<ShapedType>(op.getDpsInputs()[1].getType());
  conv.image = joinGroups(op.getDpsInputs()[0]);
  conv.init = fill ? Value(fill.getResult(0)) : joinGroups(op.getDpsInits()[0]);
  if (!conv.image || !conv.init || !join || !type.hasStaticShape() ||
      !splitsChannels(join, rank))
    return false;
  conv.group = type.getDimSize(0);
  conv.replaced = join;
  return true;
}

std::optional<Convolution> match(linalg::LinalgOp op, int64_t lanes) {
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  Convolution conv;
  bool isKnown = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case<linalg::Conv1DNcwFcwOp, linalg::Conv2DNchwFchwOp>(
                         [&](auto named) {
                           readWindow(named, conv);
                           return true;
                         })
                     .Case<linalg::DepthwiseConv1DNcwCwOp,
                           linalg::DepthwiseConv2DNchwChwOp,
                           linalg::DepthwiseConv3DNcdhwCdhwOp>([&](auto named) {
                       readWindow(named, conv);
                       conv.isDepthwise = true;
                       return true;
                     })
                     .Case([&](linalg::GenericOp generic) {
                       return readGeneric(generic, conv);
                     })
                     .Default([](Operation *) { return false; });
  if (!isKnown)
    return std::nullopt;
  if (!conv.replaced) {
    conv.image = op.getDpsInputs()[0];
    conv.init = op.getDpsInits()[0];
    conv.replaced = op;
  }
  Value filter = op.getDpsInputs()[1];
  for (Value value : {conv.image, filter, conv.init})
    if (!getElementTypeOrSelf(value).isF32())
      return std::nullopt;
  conv.filter = getPackableConstant(filter);
  if (!conv.filter)
    return std::nullopt;
  conv.filterShape =
      llvm::to_vector(cast<ShapedType>(filter.getType()).getShape());
  if (conv.group > 1) {
    int64_t groups = conv.filterShape[0];
    conv.filterShape.erase(conv.filterShape.begin());
    conv.filterShape[0] *= groups;
  }
  if (llvm::is_contained(conv.filterShape, 0) ||
      cast<ShapedType>(conv.image.getType()).getDimSize(1) != conv.channels())
    return std::nullopt;
  // Groups that end within a block would share its vectors.
  if (conv.group > 1 && (conv.filterShape[1] % lanes != 0 ||
                         conv.filterShape[0] / conv.group % lanes != 0))
    return std::nullopt;
  takePadding(conv);
  return conv;
}

/// Whether the image comes, by ops that keep blocks, from a kernel.
bool isFromKernel(Value image, unsigned depth = 0) {
  Operation *op = image.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<kernel::ReorderOp>(op))
    return true;
  if (isa<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      return type &&
             type.getRank() == cast<ShapedType>(image.getType()).getRank() &&
             isFromKernel(operand, depth + 1);
    });
  return false;
}

class Former {
public:
  Former(IRRewriter &b, const VectorTarget &target)
      : b(b), target(target), lanes(floatLanes(target)) {}
  void form(linalg::LinalgOp op, const Convolution &conv);

private:
  Value packFilter(Location loc, const Convolution &conv, bool isPlain,
                   int64_t panel);
  /// Adds what the sums start from to the epilogue, if that is not zero.
  void startSums(Location loc, const Convolution &conv,
                 SmallVectorImpl<Value> &extras,
                 SmallVectorImpl<AffineMap> &maps);

  IRRewriter &b;
  const VectorTarget &target;
  int64_t lanes;
};

Value Former::packFilter(Location loc, const Convolution &conv, bool isPlain,
                         int64_t panel) {
  // Dimensions of the packed filter; see kernel.conv.
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> taps;
  unsigned lead = conv.isDepthwise || isPlain ? 1 : 2;
  for (auto [i, size] : llvm::enumerate(conv.taps()))
    taps.push_back(b.getAffineDimExpr(lead + i));
  SmallVector<AffineExpr> source;
  auto d = [&](unsigned i) { return b.getAffineDimExpr(i); };
  if (conv.isDepthwise) {
    shape = {int64_t(llvm::divideCeil(conv.channels(), lanes))};
    llvm::append_range(shape, conv.taps());
    shape.push_back(lanes);
    source = {d(0) * lanes + d(shape.size() - 1)};
  } else {
    shape = {int64_t(llvm::divideCeil(conv.filters(), panel))};
    if (!isPlain)
      shape.push_back(llvm::divideCeil(conv.filterShape[1], lanes));
    llvm::append_range(shape, conv.taps());
    shape.append({isPlain ? conv.channels() : lanes, panel});
    AffineExpr inner = d(shape.size() - 2);
    source = {d(0) * panel + d(shape.size() - 1),
              isPlain ? inner : d(1) * lanes + inner};
  }
  source.append(taps);
  AffineMap map = AffineMap::get(shape.size(), 0, source, b.getContext());
  return packConstant(b, loc, conv.filter, conv.filterShape, shape, map);
}

void Former::startSums(Location loc, const Convolution &conv,
                       SmallVectorImpl<Value> &extras,
                       SmallVectorImpl<AffineMap> &maps) {
  if (auto fill = conv.init.getDefiningOp<linalg::FillOp>())
    if (isZero(fill.getInputs()[0]))
      return;
  unsigned rank = conv.spatial() + 3;
  auto generic = conv.init.getDefiningOp<linalg::GenericOp>();
  AffineMap byChannel = AffineMap::get(rank - 1, 0, b.getAffineDimExpr(1));
  if (generic && generic.getNumDpsInputs() == 1 &&
      generic.getNumDpsInits() == 1 &&
      generic.getIndexingMapsArray()[0] == byChannel &&
      generic.getIndexingMapsArray()[1].isIdentity() &&
      generic.getBlock()->getTerminator()->getOperand(0) ==
          generic.getBlock()->getArgument(0)) {
    Value bias = generic.getDpsInputs()[0];
    extras.push_back(blockVector(b, loc, bias, lanes));
    maps.push_back(AffineMap::get(
        rank, 0, {b.getAffineDimExpr(1), b.getAffineDimExpr(rank - 1)},
        b.getContext()));
    return;
  }
  extras.push_back(createBlocked(b, loc, conv.init, lanes));
  maps.push_back(b.getMultiDimIdentityMap(rank));
}

void Former::form(linalg::LinalgOp op, const Convolution &conv) {
  Location loc = op->getLoc();
  b.setInsertionPoint(conv.replaced);
  auto resultType =
      cast<RankedTensorType>(conv.replaced->getResult(0).getType());
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, conv.init);
  if (sizes.size() > size_t(resultType.getRank()))
    sizes.erase(sizes.begin() + 2); // channels are split by group
  int64_t pixels = 1;
  for (int64_t size : resultType.getShape().drop_front(2))
    pixels = ShapedType::isDynamic(size) || ShapedType::isDynamic(pixels)
                 ? ShapedType::kDynamic
                 : pixels * size;
  auto isOne = [](int64_t x) { return x == 1; };
  FilterShape shape{conv.filters() / conv.group,
                    llvm::all_of(conv.taps(), isOne) &&
                        llvm::all_of(conv.strides, isOne),
                    pixels};
  int64_t panel = conv.isDepthwise
                      ? lanes
                      : lanes * selectPanelVectors(shape, lanes, target);
  bool isPlain =
      !conv.isDepthwise && conv.channels() < lanes && !isFromKernel(conv.image);
  Value image = isPlain ? conv.image : createBlocked(b, loc, conv.image, lanes);
  Value filter = packFilter(loc, conv, isPlain, panel);
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  startSums(loc, conv, extras, maps);
  Value init =
      createBlockedEmpty(b, loc, sizes, conv.filters(), b.getF32Type(), lanes);
  auto kernel = kernel::ConvOp::create(
      b, loc, init.getType(), image, filter, extras, init,
      b.getDenseI64ArrayAttr(conv.strides),
      b.getDenseI64ArrayAttr(conv.dilations), b.getDenseI64ArrayAttr(conv.pads),
      b.getI64IntegerAttr(conv.channels()), b.getI64IntegerAttr(conv.filters()),
      b.getI64IntegerAttr(conv.isDepthwise ? conv.channels() : conv.group),
      b.getAffineMapArrayAttr(maps), UnitAttr(), UnitAttr());
  Block *block = b.createBlock(&kernel.getEpilogue());
  Value sum = block->addArgument(b.getF32Type(), loc);
  for (size_t i = 0; i < extras.size(); ++i)
    sum = arith::AddFOp::create(b, loc, sum,
                                block->addArgument(b.getF32Type(), loc));
  kernel::YieldOp::create(b, loc, sum);
  b.setInsertionPointAfter(kernel);
  b.replaceOp(conv.replaced,
              createPlain(b, loc, kernel->getResult(0), resultType, sizes));
}

class FormConvolutions
    : public onnxc::impl::FormConvolutionsPassBase<FormConvolutions> {
public:
  using FormConvolutionsPassBase::FormConvolutionsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, kernel::KernelDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    VectorTarget target{vectorBytes, registers};
    IRRewriter rewriter(&getContext());
    Former former(rewriter, target);
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<Convolution> conv = match(op, floatLanes(target)))
        former.form(op, *conv);
  }
};

} // namespace
