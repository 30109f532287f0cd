//===- QuantizeActivations.cpp - Rows of 8 bits for narrow weights --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In ONNX's operators: all levels compute the same integers. Kernels find the
// form again (FormBlockDots.cpp).
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Lower/Passes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

namespace onnxc {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONS
#include "onnxc/Lower/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// The weights of a product: dequantized by blocks of steps.
struct BlockedWeights {
  DequantizeLinearOp dequantize;
  TransposeOp transpose; // null if there is none
  int64_t steps;
};

struct QuantizeActivations
    : onnxc::impl::QuantizeActivationsBase<QuantizeActivations> {
  using QuantizeActivationsBase::QuantizeActivationsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (llvm::is_contained({"never", "model", "always"}, where.getValue()))
      return success();
    return emitError(UnknownLoc::get(context))
           << "where=" << where << ": expected never, model or always";
  }

  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatMulOp, GemmOp>(op))
        products.push_back(op);
    });
    for (Operation *product : products)
      if (failed(change(product)))
        return signalPassFailure();
  }

private:
  LogicalResult change(Operation *product);
};

} // namespace

/// The longest block whose sums of products float32 holds exactly.
static constexpr int64_t kLongestBlock = 512;

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

/// The weights that are the second operand of the product.
static std::optional<BlockedWeights> matchWeights(Operation *product) {
  Value matrix = product->getOperand(1);
  // Which axis of what is looked at has the steps.
  int64_t axis = 0;
  if (auto gemm = dyn_cast<GemmOp>(product)) {
    if (gemm.getTransA() != 0)
      return std::nullopt;
    axis = gemm.getTransB() != 0;
  }
  BlockedWeights weights;
  weights.transpose = matrix.getDefiningOp<TransposeOp>();
  if (weights.transpose) {
    // Of a matrix: any permutation that is not the identity.
    std::optional<ArrayRef<int64_t>> perm = weights.transpose.getPerm();
    if (perm && *perm != ArrayRef<int64_t>{1, 0})
      return std::nullopt;
    matrix = weights.transpose->getOperand(0);
    axis = 1 - axis;
  }
  weights.dequantize = matrix.getDefiningOp<DequantizeLinearOp>();
  if (!weights.dequantize || rankOf(matrix) != 2)
    return std::nullopt;
  int64_t blocked = weights.dequantize.getAxis();
  if (weights.dequantize.getBlockSize() == 0 ||
      (blocked < 0 ? blocked + 2 : blocked) != axis)
    return std::nullopt;
  weights.steps = cast<RankedTensorType>(matrix.getType()).getDimSize(axis);
  if (ShapedType::isDynamic(weights.steps))
    return std::nullopt;
  return weights;
}

/// `x` in blocks along its last axis, of `steps` elements: the last two axes of
/// what is returned.
static Value splitBlocks(ONNXBuilder &b, Value x, int64_t steps,
                         int64_t block) {
  if (int64_t missing = llvm::alignTo(steps, block) - steps)
    x = b.make<PadOp>({x, b.ints({0, missing}), Value(), b.ints(-1)});
  // Sizes that are copied.
  SmallVector<int64_t> shape(std::max<int64_t>(rankOf(x) - 1, 0), 0);
  if (rankOf(x) < 0)
    shape.push_back(-1);
  shape.append({int64_t(llvm::divideCeil(steps, block)), block});
  return b.reshape(x, shape);
}

/// The way back: as `x` was.
static Value joinBlocks(ONNXBuilder &b, Value blocks, Value x, int64_t steps,
                        int64_t block) {
  int64_t padded = llvm::alignTo(steps, block);
  if (rankOf(x) >= 0) {
    SmallVector<int64_t> shape(rankOf(x) - 1, 0);
    shape.push_back(padded);
    blocks = b.reshape(blocks, shape);
  } else {
    Value outer = b.slice(b.shapeOf(x), 0, 0, -1);
    blocks = b.make<ReshapeOp>({blocks, b.concat({outer, b.ints(padded)}, 0)});
  }
  return padded == steps ? blocks : b.slice(blocks, -1, 0, steps);
}

/// Float32 numbers near those of `x`: multiples of a scale for each block,
/// between -127 and 127 times that.
static Value quantizeRows(ONNXBuilder &b, Value x, int64_t steps,
                          int64_t block) {
  Type f32 = b.builder.getF32Type(), i8 = b.builder.getI8Type();
  Value wide = b.cast(x, f32), inBlocks = splitBlocks(b, wide, steps, block);
  Value magnitudes = b.abs(inBlocks), last = b.ints(-1);
  Value largest = b.reduce<ReduceMaxOp>(magnitudes, last);
  Value zero = b.number(0, f32), limit = b.number(127, f32);
  Value scale = b.div(largest, limit), isAny = b.less(zero, largest),
        quotient = b.div(limit, largest);
  Value inverse = b.where(isAny, quotient, zero);
  Value rounded = b.make<RoundOp>(b.mul(inBlocks, inverse));
  // Only what is not finite, or nearly 0, lies outside.
  Value least = b.number(-127, f32), below = b.min(rounded, limit);
  Value clipped = b.max(below, least);
  Value near = b.mul(b.cast(b.cast(clipped, i8), f32), scale);
  return joinBlocks(b, near, wide, steps, block);
}

/// The elements of a constant of 16-bit floats.
static std::optional<SmallVector<float>> readHalves(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!constant || !constant.getValueAttr() || !type)
    return std::nullopt;
  auto element = cast<FloatType>(type.getElementType());
  auto toFloat = [](APFloat number) {
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return number.convertToFloat();
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValueAttr()))
    return llvm::map_to_vector(dense.getValues<APFloat>(), toFloat);
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValueAttr());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || int64_t(blob->getData().size()) != 2 * type.getNumElements())
    return std::nullopt;
  SmallVector<float> numbers;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, blob->getData().data() + 2 * i, sizeof(bits));
    numbers.push_back(
        toFloat(APFloat(element.getFloatSemantics(), APInt(16, bits))));
  }
  return numbers;
}

/// Scales of 16-bit floats as float32: constants stay such, which kernels ask
/// for.
static Value widenScales(ONNXBuilder &b, Value scales) {
  Type f32 = b.builder.getF32Type();
  if (auto numbers = readHalves(scales))
    return b.constant(DenseElementsAttr::get(
        cast<RankedTensorType>(scales.getType()).clone(f32),
        ArrayRef<float>(*numbers)));
  return b.cast(scales, f32);
}

/// The second operand of the product with float32 elements: its scales, where
/// they have another type, become float32.
static Value widenWeights(ONNXBuilder &b, Operation *product,
                          const std::optional<BlockedWeights> &weights) {
  Value matrix = product->getOperand(1);
  Type f32 = b.builder.getF32Type();
  if (!weights || getElementType(matrix) == f32)
    return b.cast(matrix, f32);
  DequantizeLinearOp from = weights->dequantize;
  SmallVector<Value> operands{from.getX(), widenScales(b, from.getXScale())};
  if (from.getXZeroPoint())
    operands.push_back(from.getXZeroPoint());
  Value made = b.make<DequantizeLinearOp>(
      operands, {b.attribute("axis", from.getAxis()),
                 b.attribute("block_size", from.getBlockSize())});
  return weights->transpose ? b.transpose(made, {1, 0}) : made;
}

LogicalResult QuantizeActivations::change(Operation *product) {
  auto asked = product->getAttrOfType<IntegerAttr>(model::int8Block);
  product->removeAttr(model::int8Block);
  std::optional<BlockedWeights> weights = matchWeights(product);
  int64_t block = asked     ? asked.getInt()
                  : weights ? weights->dequantize.getBlockSize()
                            : 0;
  bool isWanted = asked ? where != "never" : where == "always";
  Value x = product->getOperand(0);
  auto element = dyn_cast_or_null<FloatType>(getElementType(x));
  if (!isWanted || block == 0 || !element || element.getWidth() > 32 ||
      rankOf(x) == 0 || (!asked && block > kLongestBlock))
    return success();
  auto matrix = dyn_cast<RankedTensorType>(product->getOperand(1).getType());
  int64_t steps = weights                           ? weights->steps
                  : matrix && matrix.getRank() == 2 ? matrix.getDimSize(0)
                                                    : ShapedType::kDynamic;
  if (ShapedType::isDynamic(steps))
    return success();
  OpBuilder builder(product);
  ONNXBuilder b(builder, product->getLoc());
  SmallVector<Value> operands(product->getOperands());
  operands[0] = quantizeRows(b, x, steps, block);
  operands[1] = widenWeights(b, product, weights);
  if (operands.size() > 2 && operands[2])
    operands[2] = b.cast(operands[2], builder.getF32Type());
  Value made = isa<GemmOp>(product)
                   ? b.make<GemmOp>(operands, product->getAttrs())
                   : b.make<MatMulOp>(operands, product->getAttrs());
  Value result = b.cast(made, element);
  if (b.hasFailed())
    return failure();
  product->getResult(0).replaceAllUsesWith(result);
  product->erase();
  return success();
}
