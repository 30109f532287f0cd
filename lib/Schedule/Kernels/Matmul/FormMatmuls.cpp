//===- FormMatmuls.cpp - Matrix products become kernels -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormMatmuls.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "MatmulSchedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <map>

namespace onnxc {
#define GEN_PASS_DEF_FORMMATMULSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Fewer columns than this leave most lanes empty.
constexpr int64_t kMinColumns = 4;
/// A constant that others read too is not kept twice if it is larger than this.
constexpr int64_t kMaxSharedBytes = 1 << 16;

//===----------------------------------------------------------------------===//
// What is a matrix product
//===----------------------------------------------------------------------===//

/// The value behind extensions to the type of the sum.
Value stripExtension(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether the body adds the product of its two inputs to its third argument,
/// in floating point.
bool isMultiplyAdd(linalg::GenericOp op) {
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value acc = body->getArgument(2);
  if (!add || !acc.hasOneUse())
    return false;
  Value term = add.getLhs() == acc ? add.getRhs() : add.getLhs();
  if (add.getLhs() != acc && add.getRhs() != acc)
    return false;
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value x = stripExtension(product.getLhs()),
        y = stripExtension(product.getRhs());
  return (x == body->getArgument(0) && y == body->getArgument(1)) ||
         (x == body->getArgument(1) && y == body->getArgument(0));
}

/// The loops of a generic op as those of a matrix product.
struct Product {
  SmallVector<unsigned> batch;
  unsigned m, n, k;
  bool swapped = false; // rhs is the first input
};

/// The last loop of `map` that takes more than one step.
std::optional<unsigned> innermost(AffineMap map, ArrayRef<int64_t> extents) {
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    unsigned d = cast<AffineDimExpr>(expr).getPosition();
    if (extents[d] != 1)
      return d;
  }
  return std::nullopt;
}

std::optional<Product> matchProduct(linalg::GenericOp op, std::string &why) {
  auto refuse = [&](const char *reason) {
    why = reason;
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return refuse("not two inputs and one result");
  if (!isMultiplyAdd(op))
    return refuse("the body is not a multiply-add of floats");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation())
      return refuse("an indexing map is not a projected permutation");
  if (!hasSums(getElementTypeOrSelf(op.getDpsInputs()[0]),
               getElementTypeOrSelf(op.getDpsInputs()[1]),
               getElementTypeOrSelf(op.getDpsInits()[0]), why))
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> rows[2], reductions;
  Product product;
  for (unsigned d = 0; d < op.getNumLoops(); ++d) {
    bool x = maps[0].isFunctionOfDim(d), y = maps[1].isFunctionOfDim(d);
    if (!maps[2].isFunctionOfDim(d)) {
      if (!x || !y)
        return refuse("a sum over elements of one input");
      reductions.push_back(d);
    } else if (x && y) {
      product.batch.push_back(d);
    } else if (x || y) {
      rows[y].push_back(d);
    } else {
      return refuse("a loop that no input depends on");
    }
  }
  if (reductions.size() != 1)
    return refuse("not one loop to sum over");
  product.k = reductions.front();
  // The lanes are the columns: the innermost loop of the result.
  std::optional<unsigned> lane = innermost(maps[2], extents);
  if (!lane)
    return refuse("a single element");
  if (llvm::is_contained(product.batch, *lane))
    return refuse("batches are innermost in the result");
  product.swapped = llvm::is_contained(rows[0], *lane);
  SmallVector<unsigned> &ofLhs = rows[product.swapped],
                        &ofRhs = rows[!product.swapped];
  product.n = *lane;
  if (!ShapedType::isDynamic(extents[*lane]) && extents[*lane] < kMinColumns)
    return refuse("too few columns");
  llvm::erase(ofRhs, *lane);
  // One loop of lhs gives the rows; the others are batches that rhs does not
  // depend on.
  if (ofLhs.empty())
    return refuse("a vector times a matrix without a loop for the vector");
  auto size = [&](unsigned d) {
    return ShapedType::isDynamic(extents[d]) ? int64_t(128) : extents[d];
  };
  product.m = ofLhs.back();
  for (unsigned d : ofLhs)
    if (size(d) > size(product.m))
      product.m = d;
  llvm::erase(ofLhs, product.m);
  product.batch.append(ofLhs);
  product.batch.append(ofRhs);
  llvm::sort(product.batch);
  return product;
}

bool isZeroFill(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

} // namespace

bool onnxc::canFormMatmul(linalg::GenericOp op, std::string &why) {
  return matchProduct(op, why).has_value();
}

FailureOr<kernel::MatmulOp> onnxc::formMatmul(RewriterBase &rewriter,
                                              linalg::GenericOp op,
                                              std::string &why) {
  std::optional<Product> product = matchProduct(op, why);
  if (!product)
    return failure();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  MLIRContext *ctx = op.getContext();
  SmallVector<unsigned> loops(product->batch);
  loops.append({product->m, product->n, product->k});
  SmallVector<AffineExpr> renamed(loops.size());
  for (auto [i, d] : llvm::enumerate(loops))
    renamed[d] = getAffineDimExpr(i, ctx);
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(op.getIndexingMapsArray(), [&](AffineMap map) {
        return map.replaceDimsAndSymbols(renamed, {}, loops.size(), 0);
      });
  Value lhs = op.getDpsInputs()[product->swapped],
        rhs = op.getDpsInputs()[!product->swapped];
  if (product->swapped)
    std::swap(maps[0], maps[1]);
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
      type.getElementType());
  auto matmul = kernel::MatmulOp::create(
      rewriter, loc, type, lhs, rhs, ValueRange(), empty,
      rewriter.getAffineMapArrayAttr(maps), rewriter.getAffineMapArrayAttr({}),
      /*lhs_unsigned=*/false, /*rhs_unsigned=*/false,
      /*rhs_factor=*/FloatAttr());
  kernel::buildTrivialEpilogue(rewriter, loc, matmul.getEpilogue(),
                               type.getElementType());
  if (op->hasAttr(program::fewRows))
    matmul->setAttr(program::fewRows, rewriter.getUnitAttr());
  Value sums = matmul->getResult(0);
  if (!isZeroFill(init)) {
    AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), ctx);
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    sums = linalg::GenericOp::create(
               rewriter, loc, type, ValueRange{sums, init}, empty,
               ArrayRef<AffineMap>{identity, identity, identity}, parallel,
               [](OpBuilder &b, Location loc, ValueRange args) {
                 Value sum = arith::AddFOp::create(b, loc, args[0], args[1]);
                 linalg::YieldOp::create(b, loc, sum);
               })
               .getResult(0);
  }
  rewriter.replaceOp(op, sums);
  return matmul;
}

namespace {

/// linalg.generic that multiplies matrices -> kernel.matmul, and the start of
/// the sums added behind it.
class FormMatmul : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::string why;
    if (failed(formMatmul(rewriter, op, why)))
      return rewriter.notifyMatchFailure(op, why);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Transposed operands
//===----------------------------------------------------------------------===//

/// For a generic op that only moves elements: the dimension of its input that
/// each dimension of its result is.
std::optional<SmallVector<unsigned>> matchTranspose(linalg::GenericOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isPermutation())
    return std::nullopt;
  // result dimension -> loop -> input dimension
  AffineMap inverse = inversePermutation(maps[0]);
  SmallVector<unsigned> from;
  for (unsigned i = 0; i < maps[1].getNumResults(); ++i)
    from.push_back(inverse.getDimPosition(maps[1].getDimPosition(i)));
  return from;
}

/// An operand that is a transposed tensor -> that tensor, read elsewhere.
class FoldTransposedOperand : public OpRewritePattern<kernel::MatmulOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {0u, 1u}) {
      if (i == 1 && op.getPanelWidth() > 0)
        continue;
      auto producer = op->getOperand(i).getDefiningOp<linalg::GenericOp>();
      std::optional<SmallVector<unsigned>> from = matchTranspose(producer);
      if (!from)
        continue;
      AffineMap map = op.getMap(i);
      SmallVector<AffineExpr> exprs(map.getNumResults());
      for (auto [to, source] : llvm::enumerate(*from))
        exprs[source] = map.getResult(to);
      SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
      maps[i] = AffineMapAttr::get(
          AffineMap::get(map.getNumDims(), 0, exprs, op.getContext()));
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(i, producer.getDpsInputs()[0]);
        op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is transposed");
  }
};

/// A result that is only read transposed -> written there.
class FoldTransposedResult : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<unsigned>> from = matchTranspose(op);
    if (!from)
      return rewriter.notifyMatchFailure(op, "not a transposition");
    auto matmul = op.getDpsInputs()[0].getDefiningOp<kernel::MatmulOp>();
    if (!matmul || !matmul->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a product's only result");
    AffineMap map = matmul.getMap(2);
    SmallVector<AffineExpr> exprs;
    for (unsigned source : *from)
      exprs.push_back(map.getResult(source));
    if (exprs.back() != map.getResults().back())
      return rewriter.notifyMatchFailure(op, "columns would lie apart");
    // The same extras, from the new dimensions.
    SmallVector<AffineExpr> places(from->size());
    for (auto [to, source] : llvm::enumerate(*from))
      places[source] = rewriter.getAffineDimExpr(to);
    AffineMap moved = AffineMap::get(places.size(), 0, places, op.getContext());
    SmallVector<AffineMap> extraMaps = llvm::map_to_vector(
        cast<kernel::KernelOpInterface>(matmul.getOperation())
            .getEpilogueAffineMaps(),
        [&](AffineMap extra) { return extra.compose(moved); });
    SmallVector<Attribute> maps(matmul.getIndexingMaps().getValue());
    maps[2] = AffineMapAttr::get(
        AffineMap::get(map.getNumDims(), 0, exprs, op.getContext()));
    auto folded = kernel::MatmulOp::create(
        rewriter, matmul.getLoc(), op->getResultTypes(), matmul.getLhs(),
        matmul.getRhs(), matmul.getExtras(), op.getDpsInits()[0],
        rewriter.getArrayAttr(maps), rewriter.getAffineMapArrayAttr(extraMaps),
        matmul.getLhsUnsigned(), matmul.getRhsUnsigned(),
        matmul.getRhsFactorAttr());
    folded.getEpilogue().takeBody(matmul.getEpilogue());
    rewriter.replaceOp(op, folded->getResults());
    rewriter.eraseOp(matmul);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

/// A product whose only use is to be rounded to halves -> the same with that in
/// its epilogue: it is then one op again for the patterns that move results.
class FoldRounding : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto round = dyn_cast_if_present<arith::TruncFOp>(getFloatCast(op));
    if (!round)
      return rewriter.notifyMatchFailure(op, "does more than to round");
    auto matmul = op.getDpsInputs()[0].getDefiningOp<kernel::MatmulOp>();
    if (!matmul || !matmul->hasOneUse() || !matmul.getExtras().empty())
      return rewriter.notifyMatchFailure(op, "not of a product's only result");
    auto rounded = kernel::MatmulOp::create(
        rewriter, matmul.getLoc(), op->getResultTypes(), matmul.getLhs(),
        matmul.getRhs(), ValueRange(), op.getDpsInits()[0],
        matmul.getIndexingMapsAttr(), matmul.getEpilogueMapsAttr(),
        matmul.getLhsUnsigned(), matmul.getRhsUnsigned(),
        matmul.getRhsFactorAttr());
    if (matmul->hasAttr(program::fewRows))
      rounded->setAttr(program::fewRows, rewriter.getUnitAttr());
    rounded.getEpilogue().takeBody(matmul.getEpilogue());
    Operation *yield = rounded.getEpilogue().front().getTerminator();
    rewriter.setInsertionPoint(yield);
    Value half = arith::TruncFOp::create(rewriter, op.getLoc(), round.getType(),
                                         yield->getOperand(0));
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, half); });
    rewriter.replaceOp(op, rounded->getResults());
    rewriter.eraseOp(matmul);
    return success();
  }
};

/// Halves that are read element by element, or again for each tile, are
/// widened before; constants stay what they are.
void widenOperands(OpBuilder &b, kernel::MatmulOp op) {
  b.setInsertionPoint(op);
  int64_t rows = op.getLoopExtent(op.getNumBatchLoops());
  bool isReadOnce = !ShapedType::isDynamic(rows) && rows <= kFewRows;
  if (!isReadOnce)
    op.getLhsMutable().assign(widen(b, op.getLhs()));
  if (!isReadOnce && !getPackableConstant(op.getRhs()))
    op.getRhsMutable().assign(widen(b, op.getRhs()));
}

//===----------------------------------------------------------------------===//
// Batches that reshapes have joined
//===----------------------------------------------------------------------===//

/// An operand whose batch dimension several dimensions of a transposed tensor
/// were joined to -> one loop for each of these.
class SplitBatch : public OpRewritePattern<kernel::MatmulOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::MatmulOp op,
                                PatternRewriter &rewriter) const override;
};

/// The collapse whose one group of more than one dimension is batch loop
/// `loop` of the operand, if an op behind it walks the parts.
tensor::CollapseShapeOp findJoined(kernel::MatmulOp op, unsigned operand,
                                   unsigned &loop, unsigned &group) {
  auto collapse =
      op->getOperand(operand).getDefiningOp<tensor::CollapseShapeOp>();
  auto walker = collapse ? collapse.getSrc().getDefiningOp<linalg::GenericOp>()
                         : linalg::GenericOp();
  if (!walker)
    return nullptr;
  // Keys that are scaled one by one lie as they did.
  if (operand == 1 && walker.getNumDpsInputs() == 1 &&
      llvm::all_of(walker.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  int found = -1;
  for (auto [i, dims] : llvm::enumerate(collapse.getReassociationIndices())) {
    if (dims.size() == 1)
      continue;
    if (found >= 0)
      return nullptr;
    found = i;
  }
  AffineExpr dim;
  if (found >= 0)
    dim = op.getMap(operand).getResult(found);
  if (!dim || !isa<AffineDimExpr>(dim))
    return nullptr;
  loop = cast<AffineDimExpr>(dim).getPosition();
  if (loop >= op.getNumBatchLoops())
    return nullptr;
  group = found;
  return collapse;
}

LogicalResult SplitBatch::matchAndRewrite(kernel::MatmulOp op,
                                          PatternRewriter &rewriter) const {
  if (op.getPanelWidth() > 0 || !op.getExtras().empty())
    return rewriter.notifyMatchFailure(op, "is no longer a plain product");
  unsigned loop = 0, group = 0;
  tensor::CollapseShapeOp collapse = findJoined(op, 0, loop, group);
  if (!collapse)
    collapse = findJoined(op, 1, loop, group);
  if (!collapse || !op.getMap(2).isFunctionOfDim(loop))
    return rewriter.notifyMatchFailure(op, "no joined batch");

  Location loc = op.getLoc();
  MLIRContext *ctx = op.getContext();
  ReassociationIndices parts = collapse.getReassociationIndices()[group];
  SmallVector<OpFoldResult> sizes;
  for (int64_t d : parts)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, collapse.getSrc(), d));
  unsigned more = parts.size() - 1, loops = op.getMap(0).getNumDims() + more;

  // Splits `loop` in the map and, in `groups`, the dimension that it indexes.
  auto split = [&](AffineMap map, SmallVector<ReassociationIndices> &groups,
                   int64_t &at) {
    SmallVector<AffineExpr> exprs;
    at = -1;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      unsigned d = cast<AffineDimExpr>(expr).getPosition();
      ReassociationIndices &indices = groups.emplace_back();
      for (unsigned part = 0; part <= (d == loop ? more : 0); ++part) {
        indices.push_back(exprs.size());
        exprs.push_back(getAffineDimExpr(d + (d > loop ? more : part), ctx));
      }
      if (d == loop)
        at = i;
    }
    return AffineMap::get(loops, 0, exprs, ctx);
  };
  auto expand = [&](Value value, ArrayRef<ReassociationIndices> groups,
                    int64_t at) -> Value {
    if (at < 0)
      return value;
    if (value == collapse.getResult())
      return collapse.getSrc();
    SmallVector<OpFoldResult> shape =
        tensor::getMixedSizes(rewriter, loc, value);
    shape.erase(shape.begin() + at);
    shape.insert(shape.begin() + at, sizes.begin(), sizes.end());
    SmallVector<int64_t> known;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(shape, dynamic, known);
    return tensor::ExpandShapeOp::create(
        rewriter, loc,
        RankedTensorType::get(known, getElementTypeOrSelf(value)), value,
        groups, shape);
  };
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  SmallVector<ReassociationIndices> groups[3];
  int64_t at[3];
  for (unsigned i = 0; i < 2; ++i) {
    maps.push_back(split(op.getMap(i), groups[i], at[i]));
    values.push_back(expand(op->getOperand(i), groups[i], at[i]));
  }
  maps.push_back(split(op.getMap(2), groups[2], at[2]));
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(rewriter, loc, op.getInit());
  shape.erase(shape.begin() + at[2]);
  shape.insert(shape.begin() + at[2], sizes.begin(), sizes.end());
  Type element = getElementTypeOrSelf(op.getInit());
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element);
  auto matmul = kernel::MatmulOp::create(
      rewriter, loc, empty.getType(), values[0], values[1], ValueRange(), empty,
      rewriter.getAffineMapArrayAttr(maps), op.getEpilogueMapsAttr(),
      op.getLhsUnsigned(), op.getRhsUnsigned(), op.getRhsFactorAttr());
  matmul.getEpilogue().takeBody(op.getEpilogue());
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      op, op->getResult(0).getType(), matmul->getResult(0), groups[2]);
  return success();
}

//===----------------------------------------------------------------------===//
// Packed weights
//===----------------------------------------------------------------------===//

class FormMatmuls : public onnxc::impl::FormMatmulsPassBase<FormMatmuls> {
public:
  using FormMatmulsPassBase::FormMatmulsPassBase;

private:
  void runOnOperation() override;
  void chooseWidths(ArrayRef<kernel::MatmulOp> ops, TargetAttr target);
  void pack(kernel::MatmulOp op, TargetAttr target);

  /// What was packed already: constant, the dimensions of its columns and of
  /// its steps, width of the panels.
  using Key = std::tuple<const void *, unsigned, unsigned, int64_t>;
  std::map<Key, Value> known;
  /// Constants, and how wide the panels are that they got first.
  DenseMap<Attribute, int64_t> widths;
};

/// The constant that rhs is, if panels may be made of it: all elements differ
/// and can be read, and no other op would keep a second copy of many.
ElementsAttr getPanelConstant(kernel::MatmulOp op) {
  auto constant = op.getRhs().getDefiningOp<arith::ConstantOp>();
  ElementsAttr value =
      constant ? getPackableConstant(constant) : ElementsAttr();
  if (!value || value.getNumElements() == 0 ||
      (isa<DenseElementsAttr>(value) && value.isSplat()))
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  // no overflow: the constant is in memory
  int64_t size = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  if (size > kMaxSharedBytes &&
      !llvm::all_of(constant->getUsers(), llvm::IsaPred<kernel::MatmulOp>))
    return {};
  return value;
}

/// All uses of a constant share one packed copy, in the panels that the one
/// with the most rows wants: a tile of few rows takes several side by side,
/// where one of many rows would have few of these beside a wide panel.
void FormMatmuls::chooseWidths(ArrayRef<kernel::MatmulOp> ops,
                               TargetAttr target) {
  llvm::MapVector<Attribute, kernel::MatmulOp> deciding;
  auto rowsOf = [](kernel::MatmulOp op) {
    int64_t rows = op.getLoopExtent(op.getNumBatchLoops());
    return ShapedType::isDynamic(rows) ? std::numeric_limits<int64_t>::max()
                                       : rows;
  };
  for (kernel::MatmulOp op : ops) {
    ElementsAttr value = getPanelConstant(op);
    if (!value)
      continue;
    kernel::MatmulOp &most = deciding.try_emplace(value, op).first->second;
    if (rowsOf(op) > rowsOf(most))
      most = op;
  }
  for (auto [value, op] : deciding)
    widths[value] = selectPanelWidth(op, target);
}

void FormMatmuls::pack(kernel::MatmulOp op, TargetAttr target) {
  ElementsAttr value = getPanelConstant(op);
  AffineMap map = op.getMap(1);
  unsigned loops = map.getNumDims();
  auto column =
      map.getResultPosition(getAffineDimExpr(loops - 2, &getContext()));
  auto step = map.getResultPosition(getAffineDimExpr(loops - 1, &getContext()));
  if (!value || !column || !step)
    return;
  int64_t width = widths.lookup(value);
  if (width == 0)
    return;
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  SmallVector<int64_t> extents(loops, 1);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    extents[cast<AffineDimExpr>(expr).getPosition()] = size;
  kernel::PackedLayout layout =
      kernel::MatmulOp::getRhsLayout(map, extents, width);
  Value &packed = known[Key(value.getAsOpaquePointer(), *column, *step, width)];
  Operation *constant = op.getRhs().getDefiningOp();
  OpBuilder b(&getOperation().getBody().front(),
              getOperation().getBody().front().begin());
  if (!packed)
    packed = packConstant(b, constant->getLoc(), value, type.getShape(), layout,
                          map);
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  maps[1] = AffineMapAttr::get(layout.map);
  op.getRhsMutable().set(packed);
  op.setIndexingMapsAttr(b.getArrayAttr(maps));
  if (constant->use_empty())
    constant->erase();
}

void FormMatmuls::runOnOperation() {
  known.clear();
  widths.clear();
  RewritePatternSet patterns(&getContext());
  patterns.add<FormMatmul, FoldTransposedOperand, FoldRounding, SplitBatch>(
      &getContext());
  populateFoldTransposedResult(patterns);
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    return signalPassFailure();
  TargetAttr target = TargetAttr::of(getOperation());
  OpBuilder b(&getContext());
  auto ops = collectOps<kernel::MatmulOp>(getOperation());
  for (kernel::MatmulOp op : ops)
    widenOperands(b, op);
  chooseWidths(ops, target);
  for (kernel::MatmulOp op : ops)
    pack(op, target);
}

} // namespace

void onnxc::populateFoldTransposedResult(RewritePatternSet &patterns) {
  patterns.add<FoldTransposedResult>(patterns.getContext());
}
