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
#include "Form/MatrixProduct.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "Kernels/QuantizedFactor.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace onnxc {
#define GEN_PASS_DEF_FORMBLOCKMATMULSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// How a byte is read as an integer.
struct Reading {
  unsigned width = 8;
  bool isUnsigned = false;
  OpOperand *from = nullptr;

  /// As a signed number of as many bits; what is unsigned is lessened by half
  /// of its range.
  int64_t read(char byte) const {
    uint64_t bits = uint8_t(byte) & ((1u << width) - 1);
    return isUnsigned ? int64_t(bits) - (int64_t(1) << (width - 1))
                      : llvm::SignExtend64(bits, width);
  }
};

/// The matrix (w - zero) * scale, of which `steps` and `columns` are the
/// dimensions.
struct Dequantized {
  Reading weights;
  std::optional<Reading> zero;
  OpOperand *scale;
  linalg::GenericOp op;
  unsigned stepDim, columnDim;

  int64_t size(unsigned dim) const {
    return cast<ShapedType>(op->getResult(0).getType()).getDimSize(dim);
  }
};

OpOperand *inputOf(linalg::GenericOp op, Value element) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// ext(trunc(byte)), or ext(byte).
std::optional<Reading> matchReading(linalg::GenericOp op, Value wide) {
  Operation *extend = wide.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extend) ||
      !wide.getType().isInteger(32))
    return std::nullopt;
  Reading reading;
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

std::optional<Dequantized> matchDequantized(Value value, bool byColumns) {
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
  Dequantized found;
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
  std::optional<Reading> weights = matchReading(op, element);
  if (!weights || !found.scale ||
      !op.getMatchingIndexingMap(weights->from).isIdentity() ||
      (found.zero && (found.zero->width != weights->width ||
                      found.zero->isUnsigned != weights->isUnsigned)))
    return std::nullopt;
  found.weights = *weights;
  return found;
}

/// What is read along with the weights: constants, by block and column.
struct BlockConstant {
  SmallVector<char> bytes;
  int64_t block = 0; // steps for which it is the same; 0: all
  int64_t blockStride = 0, columnStride = 0;

  template <typename T> T at(int64_t step, int64_t column) const {
    T value;
    int64_t index =
        (block ? step / block * blockStride : 0) + column * columnStride;
    memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
};

std::optional<BlockConstant> readBlocks(const Dequantized &matrix,
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
std::optional<int64_t> commonBlock(int64_t steps, const BlockConstant &scale,
                                   const std::optional<BlockConstant> &zero) {
  int64_t x = scale.block ? scale.block : steps,
          y = zero && zero->block ? zero->block : steps;
  if (x > y)
    std::swap(x, y);
  if (x == 0 || (y % x != 0 && y < steps))
    return std::nullopt;
  return x;
}

/// Pairs of numbers of 4 bits as bytes, the first one in the lower bits.
AsmResourceBlob joinHalves(AsmResourceBlob bytes) {
  ArrayRef<char> from = bytes.getData();
  AsmResourceBlob joined = HeapAsmResourceBlob::allocate(
      from.size() / 2, /*align=*/64, /*dataIsMutable=*/true);
  for (auto [i, byte] : llvm::enumerate(joined.getMutableData()))
    byte = char((from[2 * i] & 15) | (from[2 * i + 1] & 15) << 4);
  return joined;
}

/// The weights in the layout of the kernel.
static AsmResourceBlob packWeights(const Dequantized &matrix,
                                   ArrayRef<char> bytes,
                                   const kernel::PackedLayout &layout,
                                   int64_t bits, MLIRContext *context) {
  SmallVector<char> values;
  for (char byte : bytes)
    values.push_back(char(matrix.weights.read(byte)));
  AffineExpr column, step;
  bindDims(context, column, step);
  bool stepsFirst = matrix.stepDim == 0;
  auto type = cast<RankedTensorType>(matrix.op->getResult(0).getType());
  AsmResourceBlob packed = packElements(
      values, /*width=*/1, type.getShape(), layout,
      AffineMap::get(2, 0,
                     stepsFirst ? ArrayRef<AffineExpr>{step, column}
                                : ArrayRef<AffineExpr>{column, step},
                     context));
  return bits == 4 ? joinHalves(std::move(packed)) : std::move(packed);
}

/// The sums and what they are added to, if that is not zero.
static Value addInit(RewriterBase &b, Location loc, Value sums, Value init) {
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

/// The constants behind a dequantized operand of a product.
struct BlockConstants {
  SmallVector<char> bytes;
  BlockConstant scale;
  std::optional<BlockConstant> zero;
};

/// Nothing if one of them is not constant. Bytes that hold four bits each
/// become numbers of four bits in `matrix`.
static std::optional<BlockConstants> readConstants(Dequantized &matrix) {
  std::optional<SmallVector<char>> bytes =
      readConstant(matrix.weights.from->get());
  std::optional<BlockConstant> scale = readBlocks(matrix, matrix.scale), zero;
  if (matrix.zero)
    zero = readBlocks(matrix, matrix.zero->from);
  if (!bytes || !scale || (matrix.zero && !zero))
    return std::nullopt;
  auto areHalves = [](ArrayRef<char> all) {
    return llvm::all_of(all, [](char byte) { return uint8_t(byte) < 16; });
  };
  if (matrix.weights.isUnsigned && areHalves(*bytes) &&
      (!zero || areHalves(zero->bytes))) {
    matrix.weights.width = 4;
    if (zero)
      matrix.zero->width = 4;
  }
  return BlockConstants{std::move(*bytes), std::move(*scale), std::move(zero)};
}

/// A product that a kernel can be made of.
struct BlockMatmulMatch {
  Dequantized matrix;
  BlockConstants constants;
  int64_t steps, columns;
  /// Steps that share scales, and bits of a weight.
  int64_t block, bits;

  int64_t zeroAt(int64_t step, int64_t column) const {
    if (constants.zero)
      return matrix.zero->read(constants.zero->at<char>(step, column));
    // What is unsigned has lost half of its range, and so have zero points.
    return matrix.weights.isUnsigned
               ? -(int64_t(1) << (matrix.weights.width - 1))
               : 0;
  }
  /// Whether all zero points are the first one.
  bool hasOneZero() const;
};

bool BlockMatmulMatch::hasOneZero() const {
  for (int64_t step = 0; step < steps; step += block)
    for (int64_t column = 0; column < columns; ++column)
      if (zeroAt(step, column) != zeroAt(0, 0))
        return false;
  return true;
}

static std::optional<BlockMatmulMatch>
matchBlockMatmul(linalg::MatmulOp matmul, TargetAttr target, std::string &why) {
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
  std::optional<Dequantized> matrix =
      matchDequantized(matmul.getInputs()[1], product->byColumns);
  if (!matrix)
    return fail("the right operand is not a dequantized matrix");
  std::optional<BlockConstants> constants = readConstants(*matrix);
  if (!constants)
    return fail("weights, scales or zero points are not constants by block");
  int64_t steps = matrix->size(matrix->stepDim),
          columns = matrix->size(matrix->columnDim);
  std::optional<int64_t> block =
      commonBlock(steps, constants->scale, constants->zero);
  int64_t bits = matrix->weights.width <= 4 ? 4 : 8, perWord = 32 / bits;
  if (!block || *block % perWord != 0 || steps % perWord != 0)
    return fail("blocks are not of whole words of 32 bits");
  // Few columns leave most lanes empty.
  if (columns < target.getLayoutTarget().getVectorBytes() / 4 / 2)
    return fail("too few columns");
  return BlockMatmulMatch{
      std::move(*matrix), std::move(*constants), steps, columns, *block, bits};
}

/// Scales, and zero points if there are several, in panels of `width` columns:
/// a panel's lie in the order in which they are read.
static Value packScales(OpBuilder &b, Location loc,
                        const BlockMatmulMatch &match, int64_t width) {
  bool sameZero = match.hasOneZero();
  SmallVector<float> scales;
  for (int64_t panel = 0; panel < match.columns; panel += width)
    for (int64_t step = 0; step < match.steps; step += match.block)
      for (bool isZero : {false, true}) {
        if (isZero && sameZero)
          continue;
        for (int64_t column = panel; column < panel + width; ++column)
          scales.push_back(column >= match.columns ? 0
                           : isZero
                               ? match.zeroAt(step, column)
                               : match.constants.scale.at<float>(step, column));
      }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(scales.data()),
                       scales.size() * sizeof(float));
  return makePacked(
      b, loc,
      RankedTensorType::get(
          {int64_t(llvm::divideCeil(match.columns, width)),
           int64_t(llvm::divideCeil(match.steps, match.block)),
           sameZero ? 1 : 2, width},
          b.getF32Type()),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
}

} // namespace

bool onnxc::canFormBlockMatmul(linalg::MatmulOp op, TargetAttr target,
                               std::string &why) {
  return matchBlockMatmul(op, target, why).has_value();
}

FailureOr<kernel::BlockMatmulOp> onnxc::formBlockMatmul(RewriterBase &b,
                                                        linalg::MatmulOp matmul,
                                                        TargetAttr target,
                                                        std::string &why) {
  std::optional<BlockMatmulMatch> match = matchBlockMatmul(matmul, target, why);
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
  AsmResourceBlob packed = packWeights(match->matrix, match->constants.bytes,
                                       layout, match->bits, b.getContext());
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
      std::move(packed));
  Value scales = packScales(b, loc, *match, width);
  auto formed = kernel::BlockMatmulOp::create(
      b, loc, empty.getType(), lhs, weights, scales, ValueRange(), empty,
      match->bits, match->block, match->hasOneZero() ? match->zeroAt(0, 0) : 0,
      b.getAffineMapArrayAttr({}));
  kernel::buildTrivialEpilogue(b, loc, formed.getEpilogue(), b.getF32Type());
  if (!keepIfEmittable(b, formed, target, why))
    return failure();
  b.replaceOp(matmul, addInit(b, loc, formed->getResult(0), init));
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
