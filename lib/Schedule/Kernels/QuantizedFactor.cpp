//===- QuantizedFactor.cpp - Bytes behind a factor ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace onnxc;

static bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

Value onnxc::extendBytes(OpBuilder &b, Location loc, Type type, Value bytes,
                         bool isUnsigned) {
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, bytes);
  return arith::ExtSIOp::create(b, loc, type, bytes);
}

bool QuantizedFactor::isPerTensor() const {
  return (!zeroPoint || isOneElement(zeroPoint)) &&
         (!scale || isOneElement(scale));
}

std::optional<int64_t> QuantizedFactor::knownZeroPoint() const {
  if (!zeroPoint)
    return 0;
  std::optional<SmallVector<char>> bytes = readConstant(zeroPoint);
  if (!bytes || bytes->size() != 1)
    return std::nullopt;
  return isUnsigned ? int64_t(uint8_t(bytes->front()))
                    : int64_t(int8_t(bytes->front()));
}

std::optional<QuantizedFactor> onnxc::matchQuantizedFactor(Value value) {
  // A reshape of the whole is one of the bytes; what is read along with them
  // must be the same for all.
  Value source = value;
  while (Operation *reshape = source.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      break;
    source = reshape->getOperand(0);
  }
  auto op = source.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || op.getNumDpsInputs() < 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps.front().isIdentity() || !maps.back().isIdentity())
    return std::nullopt;

  QuantizedFactor factor;
  auto inputOf = [&](Value element) -> OpOperand * {
    auto argument = dyn_cast<BlockArgument>(element);
    if (!argument || argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
      return nullptr;
    return op.getDpsInputOperand(argument.getArgNumber());
  };
  Value element = op.getBlock()->getTerminator()->getOperand(0);
  if (auto scaled = element.getDefiningOp<arith::MulFOp>()) {
    OpOperand *scale = inputOf(scaled.getRhs());
    auto converted = scaled.getLhs().getDefiningOp<arith::SIToFPOp>();
    if (!scale || !converted || !scaled.getType().isF32())
      return std::nullopt;
    factor.scale = scale->get();
    factor.scaleMap = op.getMatchingIndexingMap(scale);
    element = converted.getIn();
  }
  auto widened = [&](Value wide, bool &isUnsigned) -> OpOperand * {
    Operation *extend = wide.getDefiningOp();
    if (!extend || !isa<arith::ExtUIOp, arith::ExtSIOp>(extend) ||
        !wide.getType().isInteger(32) ||
        !extend->getOperand(0).getType().isInteger(8))
      return nullptr;
    isUnsigned = isa<arith::ExtUIOp>(extend);
    return inputOf(extend->getOperand(0));
  };
  if (auto centered = element.getDefiningOp<arith::SubIOp>()) {
    bool isUnsigned;
    OpOperand *zero = widened(centered.getRhs(), isUnsigned);
    if (!zero)
      return std::nullopt;
    factor.zeroPoint = zero->get();
    factor.zeroPointMap = op.getMatchingIndexingMap(zero);
    element = centered.getLhs();
  }
  OpOperand *bytes = widened(element, factor.isUnsigned);
  if (!bytes || bytes->getOperandNumber() != 0)
    return std::nullopt;
  factor.bytes = bytes->get();
  if (source != value && !readConstant(factor.bytes))
    return std::nullopt;
  return factor;
}

std::optional<SmallVector<char>> onnxc::readConstant(Value value) {
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return readConstant(collapse.getSrc());
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return readConstant(expand.getSrc());
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t width = type.getElementTypeBitWidth() / 8;
  SmallVector<char> bytes;
  if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
    auto from = cast<RankedTensorType>(transpose.getInput().getType());
    std::optional<SmallVector<char>> plain = readConstant(transpose.getInput());
    if (!plain || from.getRank() != 2 || transpose.getPermutation()[0] != 1)
      return std::nullopt;
    int64_t rows = from.getDimSize(0), columns = from.getDimSize(1);
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r)
        bytes.append(plain->begin() + (r * columns + c) * width,
                     plain->begin() + (r * columns + c + 1) * width);
    return bytes;
  }
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto resource =
          dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob ||
        int64_t(blob->getData().size()) != type.getNumElements() * width)
      return std::nullopt;
    bytes.append(blob->getData().begin(), blob->getData().end());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || int64_t(dense.getRawData().size()) <
                    (dense.isSplat() ? 1 : type.getNumElements()) * width)
    return std::nullopt;
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    bytes.append(raw.begin(), raw.end());
    return bytes;
  }
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    bytes.append(raw.begin(), raw.begin() + width);
  return bytes;
}
