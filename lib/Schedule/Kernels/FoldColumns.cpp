//===- FoldColumns.cpp - What each column needs, known beforehand ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedFactor.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_FOLDCOLUMNSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

namespace {

/// The elements of a constant, by index; nothing if it is none, or too large.
std::optional<SmallVector<Attribute>> elementsOf(Value value) {
  constexpr int64_t kMaxElements = 1 << 16;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMaxElements ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<SmallVector<char>> bytes = readConstant(value);
  if (!bytes)
    return std::nullopt;
  DenseElementsAttr dense = DenseElementsAttr::getFromRawBuffer(type, *bytes);
  return SmallVector<Attribute>(dense.getValues<Attribute>());
}

/// Whether all elements of vectors can be folded at once: the folder makes no
/// use of the op's own type, which is that of an element.
bool foldsVectors(Operation &op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             math::SqrtOp>(op);
}

/// The value of each op of `block` whose operands are known: of one element, or
/// of all elements of vectors of the type `all`.
void evaluate(Block &block, DenseMap<Value, Attribute> &known,
              ShapedType all = {}) {
  auto ofElements = [&](Attribute value) -> Attribute {
    if (!all || !value || isa<ElementsAttr>(value))
      return value;
    Type element = cast<TypedAttr>(value).getType();
    return SplatElementsAttr::get(all.clone(element), value);
  };
  for (Operation &inner : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      known[constant] = ofElements(constant.getValue());
      continue;
    }
    if (all && !foldsVectors(inner))
      continue;
    SmallVector<Attribute> operands;
    for (Value operand : inner.getOperands()) {
      Attribute value = known.lookup(operand);
      if (!value && matchPattern(operand, m_Constant(&value)))
        value = ofElements(value); // one outside of the block
      operands.push_back(value);
    }
    SmallVector<OpFoldResult> results;
    if (inner.getNumResults() != 1 ||
        llvm::is_contained(operands, Attribute()) ||
        failed(inner.fold(operands, results)) || results.size() != 1)
      continue;
    if (auto value = dyn_cast<Attribute>(results[0]))
      known[inner.getResult(0)] = value;
    else if (Attribute same = known.lookup(cast<Value>(results[0])))
      known[inner.getResult(0)] = same;
  }
}

/// The vector that `op` computes of vectors of constants, all elements at once;
/// null if the ops of its body have no such folder.
DenseElementsAttr foldAtOnce(linalg::GenericOp op, RankedTensorType type) {
  DenseMap<Value, Attribute> known;
  for (auto [operand, argument] :
       llvm::zip(op.getDpsInputOperands(), op.getBlock()->getArguments())) {
    auto own = dyn_cast<RankedTensorType>(operand->get().getType());
    std::optional<SmallVector<char>> bytes =
        own == type && isa<FloatType>(type.getElementType())
            ? readConstant(operand->get())
            : std::nullopt;
    if (!bytes)
      return {};
    known[argument] = DenseElementsAttr::getFromRawBuffer(own, *bytes);
  }
  evaluate(*op.getBlock(), known, type);
  auto value = dyn_cast_or_null<DenseElementsAttr>(
      known.lookup(op.getBlock()->getTerminator()->getOperand(0)));
  return value && value.getType() == type ? value : DenseElementsAttr();
}

/// Elementwise ops over vectors of constants, such as a quantized bias.
bool foldVector(IRRewriter &rewriter, linalg::GenericOp op) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getRank() != 1 || !type.hasStaticShape() ||
      op.getNumLoops() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics() || op.getNumDpsInputs() == 0 ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  rewriter.setInsertionPoint(op);
  if (DenseElementsAttr folded = foldAtOnce(op, type)) {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, folded);
    return true;
  }
  SmallVector<SmallVector<Attribute>> inputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<SmallVector<Attribute>> elements = elementsOf(operand->get());
    if (!elements || (int64_t(elements->size()) != type.getDimSize(0) &&
                      elements->size() != 1))
      return false;
    inputs.push_back(std::move(*elements));
  }
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    DenseMap<Value, Attribute> known;
    for (auto [n, elements] : llvm::enumerate(inputs))
      known[op.getBlock()->getArgument(n)] =
          elements[elements.size() == 1 ? 0 : i];
    evaluate(*op.getBlock(), known);
    Attribute value =
        known.lookup(op.getBlock()->getTerminator()->getOperand(0));
    if (!value)
      return false;
    values.push_back(value);
  }
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, DenseElementsAttr::get(type, values));
  return true;
}

/// Whether `block` computes something from nothing but `arguments` and
/// constants.
bool computesFrom(Block &block, ArrayRef<BlockArgument> arguments) {
  SmallPtrSet<Value, 8> known(arguments.begin(), arguments.end());
  for (Operation &inner : block.without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      known.insert(inner.getResult(0));
    else if (llvm::all_of(inner.getOperands(), [&](Value operand) {
               return known.contains(operand) ||
                      matchPattern(operand, m_Constant());
             }))
      return true;
  }
  return false;
}

/// What an epilogue reads and its argument.
using Extra = std::pair<Value, BlockArgument>;

/// The extras that have one element for each column, or one for all: read by
/// `byColumn`.
SmallVector<Extra> listOfColumns(KernelOpInterface op, AffineMap byColumn) {
  Block &block = op.getEpilogue().front();
  SmallVector<Extra> found;
  for (auto [extra, map, argument] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps(),
                       block.getArguments().drop_front())) {
    // Along a dimension of size 1 it does not matter what is read.
    SmallVector<AffineExpr> dims;
    if (auto type = dyn_cast<ShapedType>(extra.getType()))
      for (auto [size, expr] :
           llvm::zip_equal(type.getShape(), map.getResults()))
        if (size != 1)
          dims.push_back(expr);
    if (dims.empty() || (dims.size() == 1 && dims[0] == byColumn.getResult(0)))
      found.push_back({extra, argument});
  }
  return found;
}

/// The columns' own part of an epilogue becomes vectors of constants.
void foldEpilogue(IRRewriter &rewriter, KernelOpInterface op) {
  Block &block = op.getEpilogue().front();
  auto init = cast<ShapedType>(op.getInitMutable().get().getType());
  unsigned last = init.getRank() - 1;
  int64_t columns = init.getDimSize(last);
  SmallVector<AffineMap> maps = op.getEpilogueAffineMaps();
  AffineMap byColumn =
      AffineMap::get(init.getRank(), 0, rewriter.getAffineDimExpr(last));
  if (ShapedType::isDynamic(columns))
    return;
  // Most epilogues add a bias and scale, of which there is nothing to compute;
  // each element is an attribute below.
  SmallVector<Extra> ofColumns = listOfColumns(op, byColumn);
  if (!computesFrom(block, llvm::to_vector(llvm::make_second_range(ofColumns))))
    return;
  DenseMap<Value, SmallVector<Attribute>> inputs;
  for (auto [extra, argument] : ofColumns)
    if (auto elements = elementsOf(extra);
        elements &&
        (elements->size() == 1 || int64_t(elements->size()) == columns))
      inputs[argument] = std::move(*elements);
  if (inputs.empty())
    return;
  // What is known for one column is for each.
  SmallVector<DenseMap<Value, Attribute>> known(columns);
  for (int64_t i = 0; i < columns; ++i) {
    for (auto &[argument, elements] : inputs)
      known[i][argument] = elements[elements.size() == 1 ? 0 : i];
    evaluate(block, known[i]);
  }
  auto isKnown = [&](Value value) {
    return llvm::all_of(known,
                        [&](auto &values) { return values.contains(value); });
  };
  SmallVector<Operation *> computed;
  for (Operation &inner : block.without_terminator())
    if (!isa<arith::ConstantOp>(inner) && inner.getNumResults() == 1 &&
        isKnown(inner.getResult(0)))
      computed.push_back(&inner);
  for (Operation *inner : computed) {
    Value result = inner->getResult(0);
    if (llvm::all_of(result.getUsers(), [&](Operation *user) {
          return llvm::is_contained(computed, user);
        }))
      continue;
    SmallVector<Attribute> values;
    for (auto &column : known)
      values.push_back(column.lookup(result));
    rewriter.setInsertionPoint(op);
    Value constant = arith::ConstantOp::create(
        rewriter, op->getLoc(),
        DenseElementsAttr::get(RankedTensorType::get(columns, result.getType()),
                               values));
    op.getExtrasMutable().append(constant);
    maps.push_back(byColumn);
    BlockArgument argument = block.addArgument(result.getType(), op->getLoc());
    rewriter.replaceAllUsesWith(result, argument);
  }
  for (Operation *inner : llvm::reverse(computed))
    rewriter.eraseOp(inner);
  // Extras that are not read any more.
  for (unsigned i = maps.size(); i-- > 0;)
    if (block.getArgument(i + 1).use_empty()) {
      block.eraseArgument(i + 1);
      op.getExtrasMutable().erase(i);
      maps.erase(maps.begin() + i);
    }
  op.setEpilogueMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

class FoldColumns : public onnxc::impl::FoldColumnsPassBase<FoldColumns> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> vectors;
    getOperation().walk([&](linalg::GenericOp op) { vectors.push_back(op); });
    for (linalg::GenericOp op : vectors)
      foldVector(rewriter, op);
    SmallVector<KernelOpInterface> kernels;
    getOperation().walk([&](KernelOpInterface op) { kernels.push_back(op); });
    for (KernelOpInterface op : kernels)
      foldEpilogue(rewriter, op);
  }
};

} // namespace
