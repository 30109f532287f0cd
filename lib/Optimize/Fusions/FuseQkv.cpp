//===- FuseQkv.cpp - Products of one value as one product -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEQKV
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// A product with constant weights, and what is then added to it.
struct Projection {
  Operation *product;
  /// The Add of a constant, or the product.
  Operation *end;
  Elements weights;
  /// Bytes of the bias, of an element for each column; empty if none.
  std::vector<char> bias;

  bool hasBias() const { return !bias.empty(); }
  bool isTransposed() const {
    auto gemm = dyn_cast<GemmOp>(product);
    return gemm && gemm.getTransB();
  }
  int64_t getColumnAxis() const {
    return weights.getType().getRank() - (isTransposed() ? 2 : 1);
  }
  int64_t getColumns() const {
    return weights.getType().getDimSize(getColumnAxis());
  }
};
} // namespace

/// The bytes of a constant that is added to each of `columns`, which broadcasts
/// to a result of `rank`.
static std::optional<std::vector<char>>
getBias(Value bias, int64_t rank, const Elements &weights, int64_t columns) {
  std::optional<Elements> elements = Elements::get(getConstant(bias));
  if (!elements || elements->getElementType() != weights.getElementType() ||
      (elements->size() != 1 && elements->size() != columns))
    return std::nullopt;
  ArrayRef<int64_t> shape = elements->getType().getShape();
  if (static_cast<int64_t>(shape.size()) > rank ||
      (!shape.empty() && shape.back() != elements->size()))
    return std::nullopt;
  std::vector<char> bytes;
  for (int64_t i = 0; i < columns; ++i)
    llvm::append_range(bytes,
                       elements->getBytes(elements->size() == 1 ? 0 : i));
  return bytes;
}

static std::optional<Projection> getProjection(Operation *op) {
  if (!isa<MatMulOp, GemmOp>(op) || isConstant(op->getOperand(0)))
    return std::nullopt;
  std::optional<Elements> weights =
      Elements::get(getConstant(op->getOperand(1)));
  if (!weights || weights->getType().getRank() < 2 || weights->size() == 0 ||
      op->getOperand(0) == op->getOperand(1))
    return std::nullopt;
  Projection projection{op, op, *weights, {}};
  if (isa<GemmOp>(op)) {
    if (weights->getType().getRank() != 2)
      return std::nullopt;
    if (op->getNumOperands() > 2) {
      std::optional<std::vector<char>> bias = getBias(
          op->getOperand(2), /*rank=*/2, *weights, projection.getColumns());
      if (!bias)
        return std::nullopt;
      projection.bias = *bias;
    }
    return projection;
  }
  if (!op->hasOneUse())
    return projection;
  auto add = dyn_cast<AddOp>(*op->user_begin());
  std::optional<int64_t> rank = getRank(op->getResult(0));
  if (!add || !rank || add->getBlock() != op->getBlock())
    return projection;
  Value other = add.getA() == op->getResult(0) ? add.getB() : add.getA();
  if (auto bias = getBias(other, *rank, *weights, projection.getColumns())) {
    projection.end = add;
    projection.bias = *bias;
  }
  return projection;
}

/// Whether two products of one value can be columns of one.
static bool fitTogether(const Projection &a, const Projection &b) {
  RankedTensorType x = a.weights.getType(), y = b.weights.getType();
  if (a.product->getName() != b.product->getName() ||
      a.isTransposed() != b.isTransposed() || x.getRank() != y.getRank() ||
      x.getElementType() != y.getElementType())
    return false;
  for (int64_t axis = 0; axis < x.getRank(); ++axis)
    if (axis != a.getColumnAxis() && x.getDimSize(axis) != y.getDimSize(axis))
      return false;
  auto gemm = dyn_cast<GemmOp>(a.product), other = dyn_cast<GemmOp>(b.product);
  if (!gemm)
    return true;
  return gemm.getTransA() == other.getTransA() &&
         gemm.getAlpha() == other.getAlpha() && a.hasBias() == b.hasBias() &&
         (!a.hasBias() || gemm.getBeta() == other.getBeta());
}

/// The weights beside each other.
static ElementsAttr joinWeights(ArrayRef<Projection> group) {
  const Projection &first = group.front();
  int64_t axis = first.getColumnAxis(), columns = 0;
  SaturatingInt outer = 1;
  SmallVector<int64_t> shape(first.weights.getType().getShape());
  for (const Projection &projection : group)
    columns += projection.getColumns();
  for (int64_t dim : ArrayRef(shape).take_front(axis))
    outer *= dim;
  shape[axis] = columns;
  std::vector<char> bytes;
  for (int64_t i = 0; i < outer; ++i)
    for (const Projection &projection : group) {
      int64_t slice = projection.weights.size() / outer;
      for (int64_t j = 0; j < slice; ++j)
        llvm::append_range(bytes, projection.weights.getBytes(i * slice + j));
    }
  return makeElements(
      RankedTensorType::get(shape, first.weights.getElementType()), bytes);
}

/// The location of the Split whose outputs are those of `group`.
static Location getSplitLocation(ArrayRef<Projection> group) {
  Operation *first = group.front().product;
  MLIRContext *context = first->getContext();
  SmallVector<Attribute> outputs;
  for (const Projection &projection : group) {
    SourceAttr source = getSource(projection.end->getLoc());
    if (!source || !source.getOutputs() || source.getOutputs().empty())
      return makeHelperLocation(first, "split");
    outputs.push_back(source.getOutputs()[0]);
  }
  SourceAttr source = getSource(makeHelperLocation(first, "split"));
  SmallVector<Location> locations;
  for (const Projection &projection : group)
    locations.push_back(projection.end->getLoc());
  return FusedLoc::get(locations,
                       SourceAttr::get(context, source.getName(),
                                       source.getOp(),
                                       ArrayAttr::get(context, outputs),
                                       nullptr, nullptr, nullptr),
                       context);
}

/// Whether no product but those of the group reads the weights: they are not
/// to be kept twice.
static bool ownsWeights(const Projection &projection,
                        ArrayRef<Projection> group) {
  return llvm::all_of(
      projection.product->getOperand(1).getUsers(), [&](Operation *user) {
        return llvm::any_of(group, [&](const Projection &other) {
          return other.product == user;
        });
      });
}

namespace {
struct BlockRewriter : public PatternRewriter {
  explicit BlockRewriter(Operation *before)
      : PatternRewriter(before->getContext()) {
    setInsertionPoint(before);
  }
};

struct FuseQkv : onnxc::impl::FuseQkvBase<FuseQkv> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = 0;
    SmallVector<Block *> blocks;
    module.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      changes += rewriteBlock(*block, options);
    return changes;
  }

  int64_t rewriteBlock(Block &block, const RewriteOptions &options) {
    llvm::MapVector<Value, SmallVector<Projection>> projections;
    for (Operation &op : block)
      if (std::optional<Projection> projection = getProjection(&op))
        projections[op.getOperand(0)].push_back(*projection);
    int64_t changes = 0;
    for (auto &[input, candidates] : projections) {
      // The first one, and all that fit to it; then the first of the others.
      while (candidates.size() > 1) {
        SmallVector<Projection> group, rest;
        for (Projection &projection : candidates)
          (group.empty() || fitTogether(group.front(), projection) ? group
                                                                   : rest)
              .push_back(std::move(projection));
        candidates = std::move(rest);
        changes += options.upstreamCompatible
                       ? fuseAsUpstream(group, input, options)
                       : fuse(group, options);
      }
    }
    return changes;
  }

  static bool fuse(SmallVector<Projection> &group,
                   const RewriteOptions &options) {
    SmallVector<Projection> own;
    for (const Projection &projection : group)
      if (ownsWeights(projection, group))
        own.push_back(projection);
    // Biases that not all have are added behind the Split.
    bool addBias = llvm::all_of(
        own, [](const Projection &projection) { return projection.hasBias(); });
    if (!addBias)
      for (Projection &projection : own)
        projection.end = projection.product;
    return replace(own, addBias, options);
  }

  /// Three of one shape, which are all that reads the value.
  static bool fuseAsUpstream(SmallVector<Projection> &group, Value input,
                             const RewriteOptions &options) {
    if (group.size() != 3 || !isa<MatMulOp>(group.front().product) ||
        std::distance(input.use_begin(), input.use_end()) != 3)
      return false;
    for (Projection &projection : group) {
      projection.end = projection.product;
      if (projection.weights.getType() != group.front().weights.getType() ||
          !projection.product->hasOneUse())
        return false;
    }
    return replace(group, /*addBias=*/false, options);
  }

  static bool replace(ArrayRef<Projection> group, bool addBias,
                      const RewriteOptions &options) {
    if (group.size() < 2)
      return false;
    Operation *first = group.front().product;
    std::optional<int64_t> rank = getRank(first->getResult(0));
    if (!rank && !isAvailable(/*since=*/11, first, options))
      return false;
    bool isGemm = isa<GemmOp>(first);
    BlockRewriter rewriter(first);
    Type element = group.front().weights.getElementType();
    SmallVector<int64_t> widths;
    std::vector<char> biasBytes;
    int64_t columns = 0;
    for (const Projection &projection : group) {
      widths.push_back(projection.getColumns());
      columns += widths.back();
      llvm::append_range(biasBytes, projection.bias);
    }
    Value weights, bias;
    if (options.upstreamCompatible && canReadWeights(group))
      weights = ConcatOp::create(
          rewriter, makeHelperLocation(first, "weights"),
          llvm::map_to_vector(group,
                              [](const Projection &projection) {
                                return projection.product->getOperand(1);
                              }),
          group.front().getColumnAxis());
    else
      weights = makeConstant(rewriter, first, joinWeights(group), "weights");
    if (addBias || (isGemm && group.front().hasBias()))
      bias = makeConstant(
          rewriter, first,
          makeElements(RankedTensorType::get(columns, element), biasBytes),
          "bias");

    Location loc = makeHelperLocation(first, "all");
    Value product;
    if (auto gemm = dyn_cast<GemmOp>(first))
      product = GemmOp::create(rewriter, loc, gemm.getA(), weights, bias,
                               gemm.getAlphaAttr(),
                               bias ? gemm.getBetaAttr() : FloatAttr(),
                               gemm.getTransAAttr(), gemm.getTransBAttr());
    else
      product = MatMulOp::create(rewriter, loc, first->getOperand(0), weights);
    if (bias && !isGemm)
      product = AddOp::create(rewriter, makeHelperLocation(first, "biased"),
                              product, bias);
    Value split = makeConstant(
        rewriter, first, makeIntegers(first->getContext(), widths), "widths");
    SmallVector<Type> types;
    for (const Projection &projection : group)
      types.push_back(projection.end->getResult(0).getType());
    auto parts = SplitOp::create(
        rewriter, getSplitLocation(group), TypeRange(types), product, split,
        rewriter.getI64IntegerAttr(rank ? *rank - 1 : -1), IntegerAttr());
    for (auto [projection, part] : llvm::zip_equal(group, parts.getOutputs())) {
      projection.end->getResult(0).replaceAllUsesWith(part);
      if (projection.end != projection.product)
        projection.end->erase();
      projection.product->erase();
    }
    return true;
  }

  /// Whether all weights are defined before the first product.
  static bool canReadWeights(ArrayRef<Projection> group) {
    DominanceInfo dominance;
    return llvm::all_of(group, [&](const Projection &projection) {
      return dominance.properlyDominates(projection.product->getOperand(1),
                                         group.front().product);
    });
  }
};
} // namespace
