//===- TransposeRules.cpp - Ops on transposed tensors ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeRules.h"

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "Rewriting/Slices.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

bool optimize::isIdentity(ArrayRef<int64_t> perm) {
  return llvm::is_sorted(perm);
}

Permutation optimize::compose(ArrayRef<int64_t> first,
                              ArrayRef<int64_t> second) {
  Permutation both;
  for (int64_t axis : second)
    both.push_back(first[axis]);
  return both;
}

Permutation optimize::invert(ArrayRef<int64_t> perm) {
  Permutation inverse(perm.size());
  for (auto [i, axis] : llvm::enumerate(perm))
    inverse[axis] = i;
  return inverse;
}

/// Of dims that an op removes: the order of the dims that stay.
static Permutation dropAxes(ArrayRef<int64_t> perm, ArrayRef<int64_t> axes) {
  Permutation kept;
  for (int64_t axis : perm)
    if (!llvm::is_contained(axes, axis))
      kept.push_back(axis - llvm::count_if(axes, [&](int64_t dropped) {
                       return dropped < axis;
                     }));
  return kept;
}

/// Of dims that an op inserts: they stay where they are, and the others have
/// the given order.
static Permutation insertAxes(ArrayRef<int64_t> perm, ArrayRef<int64_t> axes) {
  int64_t rank = perm.size() + axes.size();
  SmallVector<int64_t> others;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      others.push_back(axis);
  Permutation all;
  size_t next = 0;
  for (int64_t axis = 0; axis < rank; ++axis)
    all.push_back(llvm::is_contained(axes, axis) ? axis : others[perm[next++]]);
  return all;
}

//===----------------------------------------------------------------------===//
// Parts of rules
//===----------------------------------------------------------------------===//

static Value makeIndices(PatternRewriter &rewriter, Operation *op,
                         ArrayRef<int64_t> values, StringRef name) {
  return makeConstant(rewriter, op, makeIntegers(rewriter.getContext(), values),
                      name);
}

static void setAxis(PatternRewriter &rewriter, Operation *op, int64_t axis) {
  op->setAttr("axis", rewriter.getI64IntegerAttr(axis));
}

/// A Flip of an op with these operands and results transposed alike.
static Flip flipAlike(Operation *op, ArrayRef<int64_t> perm,
                      ArrayRef<unsigned> operands, ArrayRef<unsigned> results) {
  Flip flip;
  flip.operands.resize(op->getNumOperands());
  flip.results.resize(op->getNumResults());
  for (unsigned operand : operands)
    flip.operands[operand] = Permutation(perm);
  for (unsigned result : results)
    flip.results[result] = Permutation(perm);
  return flip;
}

/// Operand 0 and result 0 alike.
static Flip flipFirst(Operation *op, ArrayRef<int64_t> perm) {
  return flipAlike(op, perm, {0}, {0});
}

/// The same with an attribute `axis`.
static std::optional<Flip> flipAlongAxis(Operation *op, ArrayRef<int64_t> perm,
                                         int64_t axis) {
  std::optional<int64_t> place = normalizeAxis(axis, perm.size());
  if (!place)
    return std::nullopt;
  Flip flip = flipFirst(op, perm);
  int64_t moved = invert(perm)[*place];
  flip.adapt = [moved](PatternRewriter &rewriter, Operation *copy) {
    setAxis(rewriter, copy, moved);
  };
  return flip;
}

/// Whether some axes, which stay in the order of their numbers as perm shows
/// them, do so behind it as well.
static bool keepsOrder(ArrayRef<int64_t> perm, ArrayRef<int64_t> axes) {
  int64_t last = -1;
  for (int64_t axis : perm) {
    if (!llvm::is_contained(axes, axis))
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

static SmallVector<int64_t> moveAxes(ArrayRef<int64_t> perm,
                                     ArrayRef<int64_t> axes) {
  Permutation inverse = invert(perm);
  return llvm::map_to_vector(axes, [&](int64_t axis) { return inverse[axis]; });
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// An operand of a lower rank than the result: the axes that it needs in front
/// of and between its own to be broadcast along the transposed ones. Empty if
/// none; nullopt if its own come in another order.
static std::optional<SmallVector<int64_t>>
getAxesToInsert(ArrayRef<int64_t> perm, int64_t rank) {
  int64_t leading = perm.size() - rank, last = -1;
  SmallVector<int64_t> inserted;
  int64_t seen = 0;
  for (int64_t axis : perm) {
    bool isOwn = axis >= leading;
    if (isOwn && axis < last)
      return std::nullopt;
    if (isOwn)
      last = axis;
    if (!isOwn && seen > 0)
      inserted.push_back(seen);
    if (isOwn || seen > 0)
      ++seen;
  }
  return inserted;
}

static std::optional<Flip> flipElementwise(Operation *op,
                                           ArrayRef<int64_t> perm) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  int64_t rank = perm.size();
  Flip flip;
  flip.operands.resize(op->getNumOperands());
  flip.results.push_back(Permutation(perm));
  SmallVector<std::function<void(PatternRewriter &, Operation *)>> changes;
  bool isAny = false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<ArrayRef<int64_t>> shape = getShape(operand);
    if (!shape)
      return std::nullopt;
    if (llvm::all_of(*shape, [](int64_t dim) { return dim == 1; }))
      continue;
    int64_t own = shape->size();
    // The op has a higher rank than what is transposed.
    if (own > rank)
      return std::nullopt;
    if (own == rank) {
      flip.operands[i] = Permutation(perm);
      isAny = true;
      continue;
    }
    unsigned index = i;
    if (ElementsAttr constant = getConstant(operand)) {
      SmallVector<int64_t> full(rank - own, 1);
      llvm::append_range(full, *shape);
      if (!Elements::get(constant))
        return std::nullopt;
      changes.push_back([=, order = Permutation(perm)](
                            PatternRewriter &rewriter, Operation *copy) {
        ElementsAttr moved =
            transposeElements(reshapeElements(constant, full), order);
        copy->setOperand(index, makeConstant(rewriter, copy, moved, "moved"));
      });
      continue;
    }
    std::optional<SmallVector<int64_t>> axes = getAxesToInsert(perm, own);
    if (!axes)
      return std::nullopt;
    if (axes->empty())
      continue;
    ++flip.numHelpers;
    changes.push_back([=, inserted = *axes](PatternRewriter &rewriter,
                                            Operation *copy) {
      Value list = makeIndices(rewriter, copy, inserted, "axes");
      copy->setOperand(
          index,
          UnsqueezeOp::create(rewriter, makeHelperLocation(copy, "unsqueezed"),
                              copy->getOperand(index), list));
    });
  }
  // PRelu and others have the shape of their first operand.
  if (!isAny || getRank(op->getResult(0)) != rank)
    return std::nullopt;
  flip.adapt = [changes](PatternRewriter &rewriter, Operation *copy) {
    for (const auto &change : changes)
      change(rewriter, copy);
  };
  return flip;
}

/// Per tensor or per axis.
static std::optional<Flip> flipQuantization(Operation *op,
                                            ArrayRef<int64_t> perm,
                                            int64_t axis, int64_t blockSize) {
  RankedTensorType scale = getStaticType(op->getOperand(1));
  if (scale && scale.getNumElements() == 1 && scale.getRank() <= 1)
    return flipFirst(op, perm);
  if (getRank(op->getOperand(1)) != 1 || blockSize != 0)
    return std::nullopt;
  return flipAlongAxis(op, perm, axis);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Axes that are reduced, and whether they stay with size 1.
struct Reduced {
  SmallVector<int64_t> axes;
  bool keepsDims;
  /// Whether the axes are an operand, or else an attribute `axis`, or nothing.
  enum { Operand, Attribute, Implied } form;
};
} // namespace

static std::optional<Reduced> getReduced(Operation *op) {
  std::optional<SmallVector<int64_t>> axes = getReducedAxes(op);
  std::optional<int64_t> rank = getRank(op->getOperand(0));
  // Reduces nothing, or a scalar.
  if (!axes || (axes->empty() && *rank > 0))
    return std::nullopt;
  auto keepsDims = op->getAttrOfType<IntegerAttr>("keepdims");
  Reduced reduced;
  reduced.keepsDims = !keepsDims || keepsDims.getInt() != 0;
  std::optional<ArrayRef<int64_t>> given =
      op->getNumOperands() > 1 ? getShape(op->getOperand(1)) : std::nullopt;
  bool areGiven = given && *given != ArrayRef<int64_t>{0};
  reduced.form = isa<ArgMaxOp, ArgMinOp>(op) ? Reduced::Attribute
                 : areGiven                  ? Reduced::Operand
                                             : Reduced::Implied;
  reduced.axes = *axes;
  return reduced;
}

/// `data` is the order of the data's dims.
static std::optional<Flip> flipReduction(Operation *op, const Reduced &reduced,
                                         ArrayRef<int64_t> data) {
  // Sums of floats depend on their order.
  if (!isa<ReduceMaxOp, ReduceMinOp>(op) && !keepsOrder(data, reduced.axes))
    return std::nullopt;
  Flip flip = flipFirst(op, data);
  if (!reduced.keepsDims)
    flip.results[0] = dropAxes(data, reduced.axes);
  SmallVector<int64_t> axes = moveAxes(data, reduced.axes);
  llvm::sort(axes);
  flip.adapt = [axes, form = reduced.form](PatternRewriter &rewriter,
                                           Operation *copy) {
    if (form == Reduced::Attribute)
      setAxis(rewriter, copy, axes.front());
    if (form == Reduced::Operand)
      copy->setOperand(1, makeIndices(rewriter, copy, axes, "axes"));
  };
  return flip;
}

static bool isReduction(Operation *op) {
  return hasFact(op, OpFact::Reduces) || isa<ArgMaxOp, ArgMinOp>(op);
}

//===----------------------------------------------------------------------===//
// Squeeze and Unsqueeze
//===----------------------------------------------------------------------===//

/// Axes of the greater of the two shapes.
static std::optional<SmallVector<int64_t>> getSqueezedAxes(Operation *op) {
  bool inserts = isa<UnsqueezeOp>(op);
  Value greater = inserts ? op->getResult(0) : op->getOperand(0);
  std::optional<ArrayRef<int64_t>> shape = getShape(greater);
  if (!shape)
    return std::nullopt;
  if (op->getNumOperands() > 1) {
    std::optional<SmallVector<int64_t>> given = getIntegers(op->getOperand(1));
    return given ? normalizeAxes(*given, shape->size()) : std::nullopt;
  }
  SmallVector<int64_t> ones;
  for (auto [axis, dim] : llvm::enumerate(*shape)) {
    if (ShapedType::isDynamic(dim))
      return std::nullopt;
    if (dim == 1)
      ones.push_back(axis);
  }
  return ones;
}

/// `greater` is the order of the dims of the greater of the two shapes.
static std::optional<Flip> flipSqueeze(Operation *op, ArrayRef<int64_t> axes,
                                       ArrayRef<int64_t> greater) {
  bool inserts = isa<UnsqueezeOp>(op);
  Flip flip = flipFirst(op, greater);
  (inserts ? flip.operands[0] : flip.results[0]) = dropAxes(greater, axes);
  if (op->getNumOperands() < 2)
    return flip;
  SmallVector<int64_t> moved = moveAxes(greater, axes);
  llvm::sort(moved);
  flip.adapt = [moved](PatternRewriter &rewriter, Operation *copy) {
    copy->setOperand(1, makeIndices(rewriter, copy, moved, "axes"));
  };
  return flip;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static std::optional<Flip> flipConcat(ConcatOp op, ArrayRef<int64_t> perm) {
  std::optional<Flip> flip = flipAlongAxis(op, perm, op.getAxis());
  for (unsigned i = 1; flip && i < op->getNumOperands(); ++i)
    flip->operands[i] = Permutation(perm);
  return flip;
}

static std::optional<Flip> flipSplit(SplitOp op, ArrayRef<int64_t> perm) {
  std::optional<Flip> flip = flipAlongAxis(op, perm, op.getAxis());
  for (unsigned i = 1; flip && i < op->getNumResults(); ++i)
    flip->results[i] = Permutation(perm);
  return flip;
}

static std::optional<Flip> flipPad(PadOp op, ArrayRef<int64_t> perm) {
  Flip flip = flipFirst(op, perm);
  if (op.getAxes()) {
    std::optional<SmallVector<int64_t>> given = getIntegers(op.getAxes());
    std::optional<SmallVector<int64_t>> axes =
        given ? normalizeAxes(*given, perm.size()) : std::nullopt;
    if (!axes)
      return std::nullopt;
    flip.adapt = [axes = moveAxes(perm, *axes)](PatternRewriter &rewriter,
                                                Operation *copy) {
      Value list = makeIndices(rewriter, copy, axes, "axes");
      cast<PadOp>(copy).getAxesMutable().assign(list);
    };
    return flip;
  }
  std::optional<SmallVector<int64_t>> pads = getIntegers(op.getPads());
  if (!pads || pads->size() != 2 * perm.size())
    return std::nullopt;
  SmallVector<int64_t> moved;
  for (size_t side : {size_t(0), perm.size()})
    for (int64_t axis : perm)
      moved.push_back((*pads)[side + axis]);
  flip.adapt = [moved](PatternRewriter &rewriter, Operation *copy) {
    copy->setOperand(1, makeIndices(rewriter, copy, moved, "pads"));
  };
  return flip;
}

static std::optional<Flip> flipSlice(SliceOp op, ArrayRef<int64_t> perm) {
  std::optional<SmallVector<int64_t>> axes = getSliceAxes(op);
  if (!axes)
    return std::nullopt;
  Flip flip = flipFirst(op, perm);
  bool isInt32 = getElementType(op.getStarts()).isInteger(32);
  flip.adapt = [axes = moveAxes(perm, *axes),
                isInt32](PatternRewriter &rewriter, Operation *copy) {
    SmallVector<double> numbers(axes.begin(), axes.end());
    auto type =
        RankedTensorType::get(static_cast<int64_t>(axes.size()),
                              rewriter.getIntegerType(isInt32 ? 32 : 64));
    Value list =
        makeConstant(rewriter, copy, *makeElements(type, numbers), "axes");
    cast<SliceOp>(copy).getAxesMutable().assign(list);
  };
  return flip;
}

/// `data` is the order of the data's dims. The dims of the indices stand in the
/// place of the axis.
static std::optional<Flip> flipGather(GatherOp op, ArrayRef<int64_t> data) {
  std::optional<int64_t> axis = normalizeAxis(op.getAxis(), data.size()),
                         inserted = getRank(op.getIndices());
  if (!axis || !inserted)
    return std::nullopt;
  std::optional<Flip> flip = flipAlongAxis(op, data, *axis);
  Permutation result;
  for (int64_t dim : data) {
    if (dim == *axis)
      for (int64_t i = 0; i < *inserted; ++i)
        result.push_back(*axis + i);
    else
      result.push_back(dim < *axis ? dim : dim - 1 + *inserted);
  }
  flip->results[0] = result;
  return flip;
}

/// An operand with a number for each dim: a shape, repeats, sizes.
static std::optional<Flip> flipWithList(Operation *op, ArrayRef<int64_t> perm,
                                        unsigned operand) {
  std::optional<SmallVector<int64_t>> list =
      getIntegers(op->getOperand(operand));
  if (!list || list->size() > perm.size())
    return std::nullopt;
  list->insert(list->begin(), perm.size() - list->size(), 1);
  SmallVector<int64_t> moved;
  for (int64_t axis : perm)
    moved.push_back((*list)[axis]);
  Flip flip = flipFirst(op, perm);
  flip.adapt = [moved, operand](PatternRewriter &rewriter, Operation *copy) {
    copy->setOperand(operand, makeIndices(rewriter, copy, moved, "sizes"));
  };
  return flip;
}

static std::optional<Flip> flipResize(ResizeOp op, ArrayRef<int64_t> perm) {
  Value list = op.getScales() ? op.getScales() : op.getSizes();
  ElementsAttr numbers = list ? getConstant(list) : ElementsAttr();
  std::optional<Elements> elements = Elements::get(numbers);
  if (op.getRoi() || (op.getScales() && op.getSizes()) || op.getAxes() ||
      !elements || elements->size() != static_cast<int64_t>(perm.size()) ||
      op.getKeepAspectRatioPolicy() != "stretch" || op.getAntialias() ||
      op.getCoordinateTransformationMode() == "tf_crop_and_resize")
    return std::nullopt;
  // Interpolation goes along one axis after the other; and others than the last
  // axes are resized by few runtimes.
  SmallVector<int64_t> resized;
  for (int64_t axis = 0, rank = perm.size(); axis < rank; ++axis) {
    std::optional<int64_t> dim = getDim(op.getX(), axis);
    bool stays = op.getScales() ? elements->getNumber(axis) == 1
                                : dim && elements->getInteger(axis) == *dim;
    if (!stays)
      resized.push_back(axis);
  }
  int64_t first = perm.size() - resized.size();
  if (!keepsOrder(perm, resized) ||
      llvm::any_of(moveAxes(perm, resized),
                   [&](int64_t axis) { return axis < first; }))
    return std::nullopt;
  ElementsAttr moved;
  SmallVector<char> bytes;
  for (int64_t axis : perm)
    llvm::append_range(bytes, elements->getBytes(axis));
  moved = makeElements(elements->getType(), bytes);
  Flip flip = flipFirst(op, perm);
  flip.adapt = [moved](PatternRewriter &rewriter, Operation *copy) {
    auto resize = cast<ResizeOp>(copy);
    Value constant = makeConstant(rewriter, copy, moved, "sizes");
    (resize.getScales() ? resize.getScalesMutable() : resize.getSizesMutable())
        .assign(constant);
  };
  return flip;
}

static std::optional<Flip> flipShape(ShapeOp op, ArrayRef<int64_t> perm) {
  int64_t rank = perm.size();
  auto bound = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound(op.getStart()), end = bound(op.getEnd().value_or(rank));
  Flip flip;
  flip.operands.push_back(Permutation(perm));
  flip.results.resize(1);
  Permutation inverse = invert(perm);
  SmallVector<int64_t> picks;
  for (int64_t axis = start; axis < end; ++axis)
    picks.push_back(inverse[axis]);
  bool stays = true;
  for (auto [i, pick] : llvm::enumerate(picks))
    stays &= pick == start + static_cast<int64_t>(i);
  if (stays)
    return flip;
  flip.numHelpers = 1;
  Type type = op.getType();
  flip.finish = [picks, type, rank](PatternRewriter &rewriter,
                                    Operation *copy) -> Value {
    auto shape = cast<ShapeOp>(copy);
    shape.removeStartAttr();
    shape.removeEndAttr();
    shape.getResult().setType(
        RankedTensorType::get(rank, rewriter.getI64Type()));
    Value list = makeIndices(rewriter, copy, picks, "order");
    auto gather = GatherOp::create(rewriter, copy->getLoc(), shape.getShape(),
                                   list, IntegerAttr());
    gather.getResult().setType(cast<TensorType>(type));
    return gather;
  };
  return flip;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether the value is weights that are dequantized by block, transposed or
/// not: their product reads them as they are stored in either order, if they
/// stay its right operand, so that a Transpose of them costs nothing.
static bool isDequantizedByBlock(Value value) {
  while (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getData();
  auto dequantize = value.getDefiningOp<DequantizeLinearOp>();
  return dequantize && dequantize.getBlockSize() != 0;
}

static std::optional<Flip> flipMatMul(MatMulOp op, ArrayRef<int64_t> perm) {
  int64_t rank = perm.size();
  if (rank < 2 || getRank(op.getA()) != rank || getRank(op.getB()) != rank)
    return std::nullopt;
  bool stays = perm[rank - 2] == rank - 2 && perm[rank - 1] == rank - 1;
  bool swaps = perm[rank - 2] == rank - 1 && perm[rank - 1] == rank - 2;
  if ((!stays && !swaps) || (swaps && isDequantizedByBlock(op.getB())))
    return std::nullopt;
  Flip flip = flipAlike(op, perm, {0, 1}, {0});
  if (swaps)
    flip.adapt = [](PatternRewriter &, Operation *copy) {
      Value a = copy->getOperand(0);
      copy->setOperand(0, copy->getOperand(1));
      copy->setOperand(1, a);
    };
  return flip;
}

/// (A B + C)' = B' A' + C': only the flags change.
static std::optional<Flip> flipGemm(GemmOp op, ArrayRef<int64_t> perm) {
  if (perm.size() != 2 || perm[0] != 1)
    return std::nullopt;
  Flip flip;
  flip.operands.resize(op->getNumOperands());
  flip.results.push_back(Permutation(perm));
  ElementsAttr constant;
  if (op.getC()) {
    std::optional<ArrayRef<int64_t>> shape = getShape(op.getC());
    bool isOne =
        shape && llvm::all_of(*shape, [](int64_t dim) { return dim == 1; });
    constant = getConstant(op.getC());
    if (!isOne && !(constant && Elements::get(constant)))
      return std::nullopt;
    if (isOne)
      constant = {};
  }
  flip.adapt = [constant](PatternRewriter &rewriter, Operation *copy) {
    auto gemm = cast<GemmOp>(copy);
    Value a = gemm.getA();
    bool ofA = gemm.getTransA() != 0, ofB = gemm.getTransB() != 0;
    copy->setOperand(0, gemm.getB());
    copy->setOperand(1, a);
    gemm.setTransA(ofB ? 0 : 1);
    gemm.setTransB(ofA ? 0 : 1);
    if (!constant)
      return;
    SmallVector<int64_t> shape(cast<ShapedType>(constant.getType()).getShape());
    shape.insert(shape.begin(), 2 - shape.size(), 1);
    ElementsAttr moved =
        transposeElements(reshapeElements(constant, shape), {1, 0});
    copy->setOperand(2, makeConstant(rewriter, copy, moved, "moved"));
  };
  return flip;
}

/// What is normalized are the last dims, from `axis` on.
static std::optional<Flip> flipTrailing(Operation *op, ArrayRef<int64_t> perm,
                                        int64_t axis) {
  std::optional<int64_t> first = normalizeAxis(axis, perm.size());
  if (!first || op->getNumResults() != 1)
    return std::nullopt;
  for (int64_t i = *first, rank = perm.size(); i < rank; ++i)
    if (perm[i] != i)
      return std::nullopt;
  return flipFirst(op, perm);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Rules where operand 0 and the results have the same rank and order.
static std::optional<Flip> getPlainFlip(Operation *op, ArrayRef<int64_t> perm) {
  if (isa<ScalarOpInterface>(op))
    return flipElementwise(op, perm);
  if (isa<IdentityOp, CastLikeOp, DynamicQuantizeLinearOp>(op))
    return flipFirst(op, perm);
  if (auto quantize = dyn_cast<QuantizeLinearOp>(op))
    return flipQuantization(op, perm, quantize.getAxis(),
                            quantize.getBlockSize());
  if (auto dequantize = dyn_cast<DequantizeLinearOp>(op))
    return flipQuantization(op, perm, dequantize.getAxis(),
                            dequantize.getBlockSize());
  // Before, they have a form only for the last axis.
  static constexpr int64_t firstSoftmaxOfOneAxis = 13;
  if (isa<SoftmaxOp, LogSoftmaxOp, HardmaxOp>(op) &&
      getOpset(op) < firstSoftmaxOfOneAxis &&
      (perm.empty() || perm.back() != static_cast<int64_t>(perm.size()) - 1))
    return std::nullopt;
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return flipAlongAxis(op, perm, softmax.getAxis());
  if (auto softmax = dyn_cast<LogSoftmaxOp>(op))
    return flipAlongAxis(op, perm, softmax.getAxis());
  if (auto hardmax = dyn_cast<HardmaxOp>(op))
    return flipAlongAxis(op, perm, hardmax.getAxis());
  if (auto norm = dyn_cast<LpNormalizationOp>(op))
    return flipAlongAxis(op, perm, norm.getAxis());
  if (auto norm = dyn_cast<LayerNormalizationOp>(op))
    return flipTrailing(op, perm, norm.getAxis());
  if (auto norm = dyn_cast<RMSNormalizationOp>(op))
    return flipTrailing(op, perm, norm.getAxis());
  if (isa<TriluOp>(op))
    return flipTrailing(op, perm, -2);
  if (isa<CumSumOp, CumProdOp>(op)) {
    std::optional<int64_t> given = getInteger(op->getOperand(1));
    std::optional<int64_t> axis =
        given ? normalizeAxis(*given, perm.size()) : std::nullopt;
    if (!axis)
      return std::nullopt;
    Flip flip = flipFirst(op, perm);
    flip.adapt = [moved = invert(perm)[*axis]](PatternRewriter &rewriter,
                                               Operation *copy) {
      copy->setOperand(1, makeConstant(rewriter, copy,
                                       makeIntegers(rewriter.getContext(),
                                                    ArrayRef<int64_t>(), moved),
                                       "axis"));
    };
    return flip;
  }
  if (auto topK = dyn_cast<TopKOp>(op)) {
    std::optional<Flip> flip = flipAlongAxis(op, perm, topK.getAxis());
    if (flip)
      flip->results[1] = Permutation(perm);
    return flip;
  }
  if (auto concat = dyn_cast<ConcatOp>(op))
    return flipConcat(concat, perm);
  if (auto split = dyn_cast<SplitOp>(op))
    return flipSplit(split, perm);
  if (auto pad = dyn_cast<PadOp>(op))
    return flipPad(pad, perm);
  if (auto slice = dyn_cast<SliceOp>(op))
    return flipSlice(slice, perm);
  if (isa<ExpandOp, TileOp>(op))
    return getRank(op->getOperand(0)) == getRank(op->getResult(0))
               ? flipWithList(op, perm, 1)
               : std::nullopt;
  if (auto resize = dyn_cast<ResizeOp>(op))
    return flipResize(resize, perm);
  if (auto matmul = dyn_cast<MatMulOp>(op))
    return flipMatMul(matmul, perm);
  return std::nullopt;
}

/// Whether perm orders the dims of the value.
static bool fits(Value value, ArrayRef<int64_t> perm) {
  return isa<RankedTensorType>(value.getType()) &&
         getRank(value) == static_cast<int64_t>(perm.size());
}

/// Everything that is transposed must be of the rank that it is taken for.
static std::optional<Flip> checkRanks(Operation *op, std::optional<Flip> flip) {
  if (!flip)
    return std::nullopt;
  for (auto [operand, perm] :
       llvm::zip_equal(op->getOperands(), flip->operands))
    if (perm && !fits(operand, *perm))
      return std::nullopt;
  for (auto [result, perm] : llvm::zip_equal(op->getResults(), flip->results))
    if (perm && !fits(result, *perm))
      return std::nullopt;
  return flip;
}

std::optional<Flip> optimize::getFlipByOperand(Operation *op, unsigned operand,
                                               ArrayRef<int64_t> perm) {
  if (op->getNumRegions() > 0 || !fits(op->getOperand(operand), perm))
    return std::nullopt;
  auto get = [&]() -> std::optional<Flip> {
    if (isReduction(op)) {
      std::optional<Reduced> reduced =
          operand == 0 ? getReduced(op) : std::nullopt;
      return reduced ? flipReduction(op, *reduced, perm) : std::nullopt;
    }
    if (isa<SqueezeOp, UnsqueezeOp>(op)) {
      std::optional<SmallVector<int64_t>> axes =
          operand == 0 ? getSqueezedAxes(op) : std::nullopt;
      if (!axes)
        return std::nullopt;
      return flipSqueeze(op, *axes,
                         isa<UnsqueezeOp>(op) ? insertAxes(perm, *axes)
                                              : Permutation(perm));
    }
    if (auto gather = dyn_cast<GatherOp>(op))
      return operand == 0 ? flipGather(gather, perm) : std::nullopt;
    if (auto shape = dyn_cast<ShapeOp>(op))
      return flipShape(shape, perm);
    std::optional<Flip> flip = getPlainFlip(op, perm);
    if (!flip || !flip->operands[operand] ||
        ArrayRef(*flip->operands[operand]) != perm)
      return std::nullopt;
    return flip;
  };
  return checkRanks(op, get());
}

std::optional<Flip> optimize::getFlipByResult(Operation *op, unsigned result,
                                              ArrayRef<int64_t> perm) {
  if (op->getNumRegions() > 0 || !fits(op->getResult(result), perm))
    return std::nullopt;
  auto get = [&]() -> std::optional<Flip> {
    if (isReduction(op)) {
      std::optional<Reduced> reduced = getReduced(op);
      if (!reduced)
        return std::nullopt;
      return flipReduction(op, *reduced,
                           reduced->keepsDims
                               ? Permutation(perm)
                               : insertAxes(perm, reduced->axes));
    }
    if (isa<SqueezeOp, UnsqueezeOp>(op)) {
      std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(op);
      if (!axes)
        return std::nullopt;
      return flipSqueeze(op, *axes,
                         isa<SqueezeOp>(op) ? insertAxes(perm, *axes)
                                            : Permutation(perm));
    }
    if (auto gather = dyn_cast<GatherOp>(op))
      return getRank(gather.getIndices()) == 1 ? flipGather(gather, perm)
                                               : std::nullopt;
    if (auto gemm = dyn_cast<GemmOp>(op))
      return flipGemm(gemm, perm);
    std::optional<Flip> flip = getPlainFlip(op, perm);
    if (!flip || !flip->results[result] ||
        ArrayRef(*flip->results[result]) != perm)
      return std::nullopt;
    return flip;
  };
  return checkRanks(op, get());
}
