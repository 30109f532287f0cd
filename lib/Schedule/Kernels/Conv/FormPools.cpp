//===- FormPools.cpp - Kernels of windows ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "FormConvolutions.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelForms.h"
#include "Kernels/Reorder/Blocks.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMPOOLSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What the combination of nothing is: -inf, or zero.
bool isNeutral(Value value, bool isMaximum) {
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return false;
  return isMaximum ? number.isInfinity() && number.isNegative()
                   : number.isZero();
}

/// The body combines what it reads of the image, or that widened, with what it
/// has.
bool readBody(Block &body, Pool &pool) {
  Operation *combine = body.getTerminator()->getOperand(0).getDefiningOp();
  if (body.getNumArguments() != 3 ||
      !isa_and_nonnull<arith::MaximumFOp, arith::AddFOp>(combine))
    return false;
  pool.isMaximum = isa<arith::MaximumFOp>(combine);
  Value x = body.getArgument(0), y = body.getArgument(2);
  auto extend = dyn_cast<arith::ExtFOp>(body.front());
  if (extend && extend.getIn() == x)
    x = extend.getResult();
  if (body.getOperations().size() != (extend ? 3 : 2))
    return false;
  return llvm::is_contained(combine->getOperands(), x) &&
         llvm::is_contained(combine->getOperands(), y);
}

/// Loops n c o… k…: x [n c s…], a window that only has a shape -> [n c o…].
bool readMaps(linalg::GenericOp op, Pool &pool) {
  int64_t rank = cast<ShapedType>(op->getResult(0).getType()).getRank(),
          spatial = rank - 2, loops = op.getNumLoops();
  if (spatial < 1 || spatial > 3 || loops != rank + spatial ||
      int64_t(op.getNumReductionLoops()) != spatial)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap all = AffineMap::getMultiDimIdentityMap(loops, op.getContext());
  if (int64_t(maps[0].getNumResults()) != rank ||
      maps[1] != all.getMinorSubMap(spatial) ||
      maps[2] != all.getMajorSubMap(rank) ||
      maps[0].getMajorSubMap(2) != all.getMajorSubMap(2))
    return false;
  for (int64_t i = 0; i < spatial; ++i) {
    auto c = linearCoefficients(maps[0].getResult(i + 2), loops);
    if (!c)
      return false;
    pool.windows.strides.push_back(std::exchange((*c)[i + 2], 0));
    pool.windows.dilations.push_back(std::exchange((*c)[rank + i], 0));
    if (pool.windows.strides.back() < 1 || pool.windows.dilations.back() < 1 ||
        llvm::any_of(*c, [](int64_t other) { return other != 0; }))
      return false;
  }
  return true;
}

/// Takes what lies around the image into the kernel, if it changes nothing.
void takePadding(Pool &pool) {
  size_t spatial = pool.windows.taps.size();
  pool.windows.pads.assign(2 * spatial, 0);
  auto pad = pool.image.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return;
  Value value = pad.getConstantPaddingValue();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  auto isKnown = [](int64_t x) { return x >= 0; };
  if (!value || !isNeutral(value, pool.isMaximum) ||
      !llvm::all_of(low, isKnown) || !llvm::all_of(high, isKnown) || low[0] ||
      low[1] || high[0] || high[1])
    return;
  for (size_t i = 0; i < spatial; ++i) {
    pool.windows.pads[i] = low[i + 2];
    pool.windows.pads[spatial + i] = high[i + 2];
  }
  pool.image = pad.getSource();
}

} // namespace

std::optional<Pool> onnxc::matchPool(linalg::GenericOp op, std::string &why) {
  Pool pool;
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !readBody(*op.getBlock(), pool) ||
      !readMaps(op, pool))
    return fail("it is not the greatest or the sum of each window");
  pool.image = op.getDpsInputs()[0];
  pool.init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(pool.image.getType()),
       window = cast<RankedTensorType>(op.getDpsInputs()[1].getType());
  auto fill = pool.init.getDefiningOp<linalg::FillOp>();
  // The greatest of halves is one of them; sums are wider.
  Type from = type.getElementType(), to = getElementTypeOrSelf(pool.init);
  if ((!from.isF32() && !isHalf(from)) ||
      (!to.isF32() && (!pool.isMaximum || to != from)))
    return fail("elements are not floats of at most 32 bits");
  if (!fill || !isNeutral(fill.getInputs()[0], pool.isMaximum) ||
      !window.hasStaticShape() || window.getNumElements() == 0)
    return fail("the windows start from another number, or there are no "
                "pixels");
  pool.windows.taps = llvm::to_vector(window.getShape());
  takePadding(pool);
  return pool;
}

/// A pool that can be a kernel.
static std::optional<Pool> match(linalg::GenericOp op, std::string &why) {
  std::optional<Pool> pool = matchPool(op, why);
  if (!pool)
    return std::nullopt;
  auto type = cast<RankedTensorType>(pool->image.getType());
  // One channel would be no depthwise convolution.
  if (type.isDynamicDim(1) || type.getDimSize(1) < 2) {
    refuse(why, "there is one channel, or it is not known how many");
    return std::nullopt;
  }
  if (!isFromKernel(pool->image)) {
    refuse(why, "the image does not come from a kernel");
    return std::nullopt;
  }
  return pool;
}

bool onnxc::canFormPool(linalg::GenericOp op, std::string &why) {
  return match(op, why).has_value();
}

kernel::ConvOp onnxc::createPool(OpBuilder &b, Location loc, Value image,
                                 const Windows &windows, int64_t channels,
                                 bool isMaximum, Value init) {
  int64_t lanes = cast<ShapedType>(init.getType()).getShape().back();
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, windows.taps);
  shape.push_back(lanes);
  Value ones = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(shape, b.getF32Type()),
                             1.0f));
  auto kernel = kernel::ConvOp::create(
      b, loc, init.getType(), image, ones, ValueRange(), init,
      b.getDenseI64ArrayAttr(windows.strides),
      b.getDenseI64ArrayAttr(windows.dilations),
      b.getDenseI64ArrayAttr(windows.pads), b.getI64IntegerAttr(channels),
      b.getI64IntegerAttr(channels), b.getI64IntegerAttr(channels),
      b.getArrayAttr({}), UnitAttr(), UnitAttr(),
      /*spread=*/DenseI64ArrayAttr(), isMaximum ? b.getUnitAttr() : UnitAttr(),
      /*winograd_error=*/FloatAttr(),
      /*winograd_taps=*/DenseI64ArrayAttr());
  kernel::buildTrivialEpilogue(b, loc, kernel.getEpilogue(), b.getF32Type());
  return kernel;
}

/// Windows of which rows and columns are combined apart, because there are many
/// pixels in them that windows share.
static bool isSeparable(const Pool &pool) {
  const Windows &w = pool.windows;
  return pool.isMaximum && w.taps.size() == 2 &&
         llvm::all_of(w.strides, [](int64_t stride) { return stride == 1; }) &&
         llvm::all_of(w.taps, [](int64_t taps) { return taps >= 5; });
}

/// The greatest of each row of a window, an image of its own. Leaves `windows`
/// with their columns alone.
static Value combineRows(OpBuilder &b, Location loc, Value image,
                         Windows &windows, int64_t channels,
                         ArrayRef<OpFoldResult> sizes) {
  Windows rows = windows;
  rows.taps[0] = rows.dilations[0] = windows.taps[1] = windows.dilations[1] = 1;
  rows.pads[0] = rows.pads[2] = windows.pads[1] = windows.pads[3] = 0;
  auto type = cast<RankedTensorType>(image.getType());
  Value init = createBlockedEmpty(b, loc, sizes, channels, b.getF32Type(),
                                  type.getShape().back());
  return createPool(b, loc, image, rows, channels, /*isMaximum=*/true, init)
      ->getResult(0);
}

FailureOr<kernel::ConvOp> onnxc::formPool(RewriterBase &b, linalg::GenericOp op,
                                          TargetAttr target, std::string &why) {
  std::optional<Pool> found = match(op, why);
  if (!found)
    return failure();
  const Pool &pool = *found;
  int64_t lanes = floatLanes(target);
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t channels = type.getDimSize(1);
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, pool.init);
  Value image = createBlocked(b, loc, widen(b, pool.image), lanes);
  Value init =
      createBlockedEmpty(b, loc, sizes, channels, b.getF32Type(), lanes);
  Windows windows = pool.windows;
  if (isSeparable(pool)) {
    SmallVector<OpFoldResult> ofRows = sizes;
    ofRows[2] = tensor::getMixedSize(b, loc, pool.image, 2);
    image = combineRows(b, loc, image, windows, channels, ofRows);
  }
  kernel::ConvOp kernel =
      createPool(b, loc, image, windows, channels, pool.isMaximum, init);
  if (!keepIfEmittable(b, kernel, target, why))
    return failure();
  b.setInsertionPointAfter(kernel);
  Value plain = createPlain(b, loc, kernel->getResult(0),
                            type.clone(b.getF32Type()), sizes);
  b.replaceOp(op, castFloats(b, plain, cast<FloatType>(type.getElementType())));
  return kernel;
}

namespace {

class FormPools : public onnxc::impl::FormPoolsPassBase<FormPools> {
public:
  using FormPoolsPassBase::FormPoolsPassBase;

private:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    std::string why;
    for (auto op : collectOps<linalg::GenericOp>(getOperation()))
      (void)formPool(rewriter, op, target, why);
  }
};

} // namespace
