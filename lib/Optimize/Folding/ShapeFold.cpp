//===- ShapeFold.cpp - Shape computations of which enough is known --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefineTypes.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>

namespace onnxc {
#define GEN_PASS_DEF_SHAPEFOLD
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// A shape has no more elements.
static constexpr int64_t maxElements = 64;

/// Longer chains are not followed: the pattern asks at each of their ops.
static constexpr unsigned maxSteps = 64;

/// The tensor of equal shape that comes first: seen through ops that give their
/// input's shape.
static Value getShapeSource(Value tensor) {
  for (unsigned i = 0; i < maxSteps; ++i) {
    Operation *op = tensor.getDefiningOp();
    if (!op || cast<OpResult>(tensor).getResultNumber() != 0)
      return tensor;
    Value operand = getOperandOfSameShape(op);
    if (!operand || !isa<RankedTensorType>(operand.getType()))
      return tensor;
    tensor = operand;
  }
  return tensor;
}

namespace {
/// Rewrites from the front to the back, so that one run suffices.
class ShapeFolder {
public:
  explicit ShapeFolder(const RewriteOptions &options) : options(options) {}

  int64_t run(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          run(inner);
        visit(&op);
      }
    return changes;
  }

private:
  void visit(Operation *op) {
    if (!isa<SchemaOpInterface>(op) || isa<ConstantOp>(op))
      return;
    bool isChanged = replaceByConstant(op);
    if (!isChanged) {
      if (auto reshape = dyn_cast<ReshapeOp>(op))
        isChanged = foldReshape(reshape);
      else if (auto expand = dyn_cast<ExpandOp>(op))
        isChanged = foldExpand(expand);
      else if (auto slice = dyn_cast<SliceOp>(op))
        isChanged = foldSlice(slice);
      else if (auto shape = dyn_cast<ShapeOp>(op))
        isChanged = moveUp(shape);
    }
    changes += isChanged;
  }

  /// All elements are known.
  bool replaceByConstant(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
        op->use_empty())
      return false;
    OpResult result = op->getResult(0);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !type.hasStaticShape() || type.getRank() > 1 ||
        type.getNumElements() > maxElements ||
        !isa<IntegerType>(type.getElementType()))
      return false;
    DenseElementsAttr elements = getKnownElements(result);
    if (!elements || !canHoldConstant(type.getElementType(), op, options))
      return false;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    Value constant = optimize::makeConstant(result, elements);
    bool isReplaced = succeeded(tryReplaceUses(uses, constant));
    (isReplaced ? op : constant.getDefiningOp())->erase();
    return isReplaced;
  }

  static void setList(OpOperand &operand, ArrayRef<int64_t> values,
                      StringRef name) {
    Operation *op = operand.getOwner();
    PatternRewriter rewriter(op->getContext());
    rewriter.setInsertionPoint(op);
    operand.set(optimize::makeConstant(
        rewriter, op, makeIntegers(op->getContext(), values), name));
  }

  /// Of an operand that may become a list of integers.
  static std::optional<SmallVector<SymbolicDim>>
  getElements(SymbolicShapes &shapes, Value value) {
    RankedTensorType type = getStaticType(value);
    if (!type || type.getRank() != 1 ||
        type.getNumElements() > maxElements / 2 ||
        !type.getElementType().isInteger(64))
      return std::nullopt;
    return shapes.getElements(value);
  }

  /// Dims of the data where they stand are 0, and one other that is not known
  /// is -1.
  bool foldReshape(ReshapeOp op) {
    if (isConstant(op.getShape()) || !hasSureNumbers(op))
      return false;
    if (!canHoldShape(op, options))
      return false;
    SymbolicShapes shapes;
    auto elements = getElements(shapes, op.getShape());
    std::optional<int64_t> rank = getRank(op.getData());
    if (!elements || !rank)
      return false;
    SmallVector<int64_t> shape;
    std::optional<size_t> open;
    // Whether all other dims are known not to be 0: -1 is then determined.
    bool isPositive = true;
    for (auto [i, element] : llvm::enumerate(*elements)) {
      int64_t place = i;
      bool hasPlace = place < *rank;
      if (std::optional<int64_t> dim = element.getKnown()) {
        shape.push_back(*dim);
        if (*dim == 0 && !op.getAllowzero())
          dim = hasPlace ? getDim(op.getData(), place) : std::nullopt;
        isPositive &= dim.value_or(0) > 0;
        continue;
      }
      if (hasPlace && !op.getAllowzero() &&
          shapes.isSame(element, shapes.getDim(op.getData(), place))) {
        shape.push_back(0);
        isPositive = false;
        continue;
      }
      if (open)
        return false;
      open = i;
      shape.push_back(-1);
    }
    if (open && !isPositive)
      return false;
    if (open && saysSize(op))
      return false;
    setList(op.getShapeMutable(), shape, "shape");
    return true;
  }

  /// A dim of the input in its own place is as good as 1.
  static bool foldExpand(ExpandOp op) {
    if (isConstant(op.getShape()))
      return false;
    SymbolicShapes shapes;
    auto elements = getElements(shapes, op.getShape());
    std::optional<int64_t> rank = getRank(op.getInput());
    if (!elements || !rank)
      return false;
    SmallVector<int64_t> shape;
    int64_t offset = *rank - static_cast<int64_t>(elements->size());
    for (auto [i, element] : llvm::enumerate(*elements)) {
      int64_t place = static_cast<int64_t>(i) + offset;
      if (element.isKnown())
        shape.push_back(*element.getKnown());
      else if (place >= 0 &&
               shapes.isSame(element, shapes.getDim(op.getInput(), place)))
        shape.push_back(1);
      else
        return false;
    }
    setList(op.getShapeMutable(), shape, "shape");
    return true;
  }

  /// The end of a dim is as good as any number behind it.
  static bool foldSlice(SliceOp op) {
    if (isConstant(op.getEnds()))
      return false;
    std::optional<int64_t> rank = getRank(op.getData());
    SymbolicShapes shapes;
    auto ends = getElements(shapes, op.getEnds());
    if (!rank || !ends)
      return false;
    SmallVector<int64_t> axes;
    if (op.getAxes()) {
      auto given = getIntegers(op.getAxes());
      auto normalized = given ? normalizeAxes(*given, *rank) : std::nullopt;
      if (!normalized)
        return false;
      axes = *normalized;
    } else {
      axes = llvm::to_vector(llvm::seq<int64_t>(0, ends->size()));
    }
    std::optional<SmallVector<int64_t>> steps;
    if (op.getSteps() && !(steps = getIntegers(op.getSteps())))
      return false;
    if (axes.size() != ends->size() ||
        (steps && steps->size() != axes.size()) ||
        static_cast<int64_t>(axes.size()) > *rank)
      return false;
    SmallVector<int64_t> folded;
    for (auto [i, end] : llvm::enumerate(*ends)) {
      if (end.isKnown()) {
        folded.push_back(*end.getKnown());
        continue;
      }
      bool isForward = !steps || (*steps)[i] > 0;
      if (!isForward ||
          !shapes.isAtMost(shapes.getDim(op.getData(), axes[i]), end))
        return false;
      folded.push_back(std::numeric_limits<int64_t>::max());
    }
    setList(op.getEndsMutable(), folded, "ends");
    return true;
  }

  /// Of the first tensor that has the shape, so that equal ones are one.
  static bool moveUp(ShapeOp op) {
    Value source = getShapeSource(op.getData());
    if (source == op.getData() || getRank(source) != getRank(op.getData()))
      return false;
    op.getDataMutable().set(source);
    return true;
  }

  const RewriteOptions &options;
  int64_t changes = 0;
};

struct ShapeFold : onnxc::impl::ShapeFoldBase<ShapeFold> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    refineTypes(module);
    int64_t changes = 0;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        changes += ShapeFolder(options).run(func.getBody());
    if (changes > 0)
      refineTypes(module);
    updateResultTypes(module);
    return changes;
  }
};
} // namespace
