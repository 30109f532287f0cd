//===- BlockWeights.cpp - Constant weights with scales by blocks ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockWeights.h"
#include "Form/MatrixProduct.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "Kernels/QuantizedFactor.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The form
//===----------------------------------------------------------------------===//

static OpOperand *inputOf(linalg::GenericOp op, Value element) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// ext(trunc(byte)), or ext(byte).
static std::optional<ByteReading> matchReading(linalg::GenericOp op,
                                               Value wide) {
  Operation *extend = wide.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extend) ||
      !wide.getType().isInteger(32))
    return std::nullopt;
  ByteReading reading;
  reading.isUnsigned = isa<arith::ExtUIOp>(extend);
  Value narrow = extend->getOperand(0);
  reading.width = narrow.getType().getIntOrFloatBitWidth();
  if (auto truncate = narrow.getDefiningOp<arith::TruncIOp>())
    narrow = truncate.getIn();
  reading.from = inputOf(op, narrow);
  if (!reading.from || !narrow.getType().isInteger(8) || reading.width < 2)
    return std::nullopt;
  return reading;
}

static std::optional<DequantizedMatrix> matchDequantized(Value value,
                                                         bool byColumns) {
  if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
    value = transpose.getInput();
    byColumns = !byColumns; // of a matrix
  }
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 2 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !cast<ShapedType>(value.getType()).hasStaticShape())
    return std::nullopt;
  auto scaled = op.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::MulFOp>();
  auto converted = scaled ? scaled.getLhs().getDefiningOp<arith::SIToFPOp>()
                          : arith::SIToFPOp();
  if (!converted || !scaled.getType().isF32())
    return std::nullopt;
  DequantizedMatrix found;
  found.op = op;
  found.stepDim = byColumns;
  found.columnDim = !byColumns;
  found.scale = inputOf(op, scaled.getRhs());
  Value element = converted.getIn();
  if (auto centered = element.getDefiningOp<arith::SubIOp>()) {
    found.zero = matchReading(op, centered.getRhs());
    if (!found.zero)
      return std::nullopt;
    element = centered.getLhs();
  }
  std::optional<ByteReading> weights = matchReading(op, element);
  if (!weights || !found.scale ||
      !op.getMatchingIndexingMap(weights->from).isIdentity() ||
      (found.zero && (found.zero->width != weights->width ||
                      found.zero->isUnsigned != weights->isUnsigned)))
    return std::nullopt;
  found.weights = *weights;
  return found;
}

static std::optional<BlockConstant> readBlocks(const DequantizedMatrix &matrix,
                                               OpOperand *operand) {
  std::optional<SmallVector<char>> bytes = readConstant(operand->get());
  if (!bytes)
    return std::nullopt;
  linalg::GenericOp op = matrix.op;
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto shape = cast<RankedTensorType>(operand->get().getType()).getShape();
  BlockConstant constant;
  constant.bytes = std::move(*bytes);
  SaturatingInt stride = 1;
  for (auto [size, expr] :
       llvm::reverse(llvm::zip_equal(shape, map.getResults()))) {
    if (size == 1)
      continue; // it does not matter what is read
    int64_t divisor = 1;
    AffineExpr dim = expr;
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
        binary && binary.getKind() == AffineExprKind::FloorDiv) {
      auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (!by)
        return std::nullopt;
      divisor = by.getValue();
      dim = binary.getLHS();
    }
    auto loop = dyn_cast<AffineDimExpr>(dim);
    if (!loop)
      return std::nullopt;
    if (loop.getPosition() == matrix.stepDim && constant.block == 0) {
      constant.block = divisor;
      constant.blockStride = stride;
    } else if (loop.getPosition() == matrix.columnDim && divisor == 1 &&
               constant.columnStride == 0) {
      constant.columnStride = stride;
    } else {
      return std::nullopt;
    }
    stride *= size;
  }
  return constant;
}

/// Steps of which one block is, for both constants.
static std::optional<int64_t>
commonBlock(int64_t steps, const BlockConstant &scale,
            const std::optional<BlockConstant> &zero) {
  int64_t x = scale.block ? scale.block : steps,
          y = zero && zero->block ? zero->block : steps;
  if (x > y)
    std::swap(x, y);
  if (x == 0 || (y % x != 0 && y < steps))
    return std::nullopt;
  return x;
}

/// Unsigned numbers of few bits that stand in more become such.
static void narrow(BlockWeights &weights) {
  DequantizedMatrix &matrix = weights.matrix;
  if (!matrix.weights.isUnsigned)
    return;
  for (unsigned bits : {2, 4}) {
    auto areNarrow = [&](ArrayRef<char> all) {
      uint8_t mask = (1u << matrix.weights.width) - 1;
      return llvm::all_of(
          all, [&](char byte) { return (uint8_t(byte) & mask) >> bits == 0; });
    };
    if (bits >= matrix.weights.width || !areNarrow(weights.bytes) ||
        (weights.zero && !areNarrow(weights.zero->bytes)))
      continue;
    matrix.weights.width = bits;
    if (matrix.zero)
      matrix.zero->width = bits;
    return;
  }
}

std::optional<BlockWeights> onnxc::matchBlockWeights(linalg::MatmulOp matmul,
                                                     TargetAttr target,
                                                     std::string &why) {
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  std::optional<MatrixProduct> product = matchMatrixProduct(matmul);
  if (!product || matmul->getNumResults() != 1)
    return fail("the rows of the left operand are not the outer dimension");
  if (!getElementTypeOrSelf(matmul.getDpsInits()[0]).isF32() ||
      !getElementTypeOrSelf(matmul.getInputs()[0]).isF32())
    return fail("the left operand or the sums are not float32");
  std::optional<DequantizedMatrix> matrix =
      matchDequantized(matmul.getInputs()[1], product->byColumns);
  if (!matrix)
    return fail("the right operand is not a dequantized matrix");
  std::optional<SmallVector<char>> bytes =
      readConstant(matrix->weights.from->get());
  std::optional<BlockConstant> scale = readBlocks(*matrix, matrix->scale), zero;
  if (matrix->zero)
    zero = readBlocks(*matrix, matrix->zero->from);
  if (!bytes || !scale || (matrix->zero && !zero))
    return fail("weights, scales or zero points are not constants by block");
  BlockWeights weights{std::move(*matrix), std::move(*bytes), std::move(*scale),
                       std::move(zero)};
  narrow(weights);
  weights.steps = weights.matrix.size(weights.matrix.stepDim);
  weights.columns = weights.matrix.size(weights.matrix.columnDim);
  std::optional<int64_t> block =
      commonBlock(weights.steps, weights.scale, weights.zero);
  if (!block)
    return fail("blocks of scales and of zero points do not fit");
  weights.block = *block;
  // Blocks have whole words of 32 bits: short ones leave bits unused.
  constexpr int64_t kBits[] = {2, 4, 8};
  const auto *bits = llvm::find_if(kBits, [&](int64_t bits) {
    return bits >= int64_t(weights.matrix.weights.width) &&
           (weights.block >= weights.steps || weights.block % (32 / bits) == 0);
  });
  if (bits == std::end(kBits))
    return fail("blocks are not of whole words of 32 bits");
  weights.bits = *bits;
  // Few columns leave most lanes empty.
  if (weights.columns < target.getLayoutTarget().getVectorBytes() / 4 / 2)
    return fail("too few columns");
  return weights;
}

int64_t BlockWeights::zeroAt(int64_t step, int64_t column) const {
  if (zero)
    return matrix.zero->read(zero->at<char>(step, column));
  // What is unsigned has lost half of its range, and so have zero points.
  return matrix.weights.isUnsigned ? -(int64_t(1) << (matrix.weights.width - 1))
                                   : 0;
}

bool BlockWeights::hasOneZero() const {
  for (int64_t step = 0; step < steps; step += block)
    for (int64_t column = 0; column < columns; ++column)
      if (zeroAt(step, column) != zeroAt(0, 0))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel's
//===----------------------------------------------------------------------===//

/// As many numbers of `bits` bits as a byte holds, the first one in the lowest
/// bits.
static AsmResourceBlob joinNarrow(AsmResourceBlob bytes, int64_t bits) {
  ArrayRef<char> from = bytes.getData();
  int64_t perByte = 8 / bits, mask = (1 << bits) - 1;
  AsmResourceBlob joined = HeapAsmResourceBlob::allocate(
      from.size() / perByte, /*align=*/64, /*dataIsMutable=*/true);
  for (auto [i, byte] : llvm::enumerate(joined.getMutableData())) {
    int64_t all = 0;
    for (int64_t part = 0; part < perByte; ++part)
      all |= (from[i * perByte + part] & mask) << part * bits;
    byte = char(all);
  }
  return joined;
}

AsmResourceBlob BlockWeights::pack(const kernel::PackedLayout &layout,
                                   int64_t shift) const {
  SmallVector<char> values;
  for (char byte : bytes)
    values.push_back(char(matrix.weights.read(byte) + shift));
  linalg::GenericOp op = matrix.op;
  MLIRContext *context = op.getContext();
  AffineExpr column, step;
  bindDims(context, column, step);
  bool stepsFirst = matrix.stepDim == 0;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  AsmResourceBlob packed = packElements(
      values, /*width=*/1, type.getShape(), layout,
      AffineMap::get(2, 0,
                     stepsFirst ? ArrayRef<AffineExpr>{step, column}
                                : ArrayRef<AffineExpr>{column, step},
                     context));
  return bits < 8 ? joinNarrow(std::move(packed), bits) : std::move(packed);
}

Value BlockWeights::packScales(OpBuilder &b, Location loc, int64_t width,
                               int64_t shift) const {
  bool sameZero = hasOneZero();
  SmallVector<float> packed;
  for (int64_t panel = 0; panel < columns; panel += width)
    for (int64_t step = 0; step < steps; step += block)
      for (bool isZero : {false, true}) {
        if (isZero && sameZero)
          continue;
        for (int64_t column = panel; column < panel + width; ++column)
          packed.push_back(column >= columns ? 0
                           : isZero          ? zeroAt(step, column) + shift
                                             : scale.at<float>(step, column));
      }
  ArrayRef<char> raw(reinterpret_cast<const char *>(packed.data()),
                     packed.size() * sizeof(float));
  return makePacked(
      b, loc,
      RankedTensorType::get({int64_t(llvm::divideCeil(columns, width)),
                             int64_t(llvm::divideCeil(steps, block)),
                             sameZero ? 1 : 2, width},
                            b.getF32Type()),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(raw, /*align=*/64));
}

Value onnxc::addInit(OpBuilder &b, linalg::MatmulOp matmul, Value sums) {
  Location loc = matmul.getLoc();
  Value init = matmul.getDpsInits()[0];
  Type type = init.getType();
  if (sums.getType() != type)
    sums = tensor::CastOp::create(b, loc, type, sums);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return sums;
  return linalg::AddOp::create(b, loc, type, ValueRange{sums, init},
                               ValueRange{init})
      .getResult(0);
}
