//===- FlattenRows.cpp - Rows of a product, in the product's own shape ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of grouped queries the scores of a group are one matrix, [groups, heads of a
// group * queries, keys], and softmax is a loop over [heads, queries]. Between
// the loop and the two products stand reshapes that keep rows whole. The loop
// becomes one over the rows of the products' matrices, which
// onnxc-block-attention expects:
//
//   forall (head, query)             forall (group, row)
//     row of reshape(scores)   ->      n = group * rows + row
//                                      head, query = n / queries, n % queries
//                                      row of scores
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace onnxc {
#define GEN_PASS_DEF_FLATTENROWSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using kernel::MatmulOp;

namespace {

/// Whether a reshape leaves the last dimension as it is; a scalar has none.
bool keepsRows(ArrayRef<ReassociationIndices> groups) {
  return !groups.empty() && groups.back().size() == 1;
}

/// What `value` is another shape of with the same rows; itself if of nothing.
Value skipReshapes(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(def);
    auto expand = dyn_cast<tensor::ExpandShapeOp>(def);
    if (collapse && keepsRows(collapse.getReassociationIndices()))
      value = collapse.getSrc();
    else if (expand && keepsRows(expand.getReassociationIndices()))
      value = expand.getSrc();
    else
      break;
  }
  return value;
}

/// Erases reshapes that nothing uses, from `value` back.
void eraseReshapes(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(def) ||
        !def->use_empty())
      break;
    value = def->getOperand(0);
    def->erase();
  }
}

/// The loop over rows between two products.
class RowLoop {
public:
  explicit RowLoop(MatmulOp last) : last(last) {}

  /// Finds the loop; says why it is to stay as it is.
  const char *match();
  void flatten(OpBuilder &b);

private:
  const char *matchSlices();
  bool isRow(OffsetSizeAndStrideOpInterface slice);
  void mapVariables(OpBuilder &b, scf::ForallOp flat, IRMapping &map);
  void cloneBody(OpBuilder &b, scf::ForallOp flat, IRMapping &map);

  MatmulOp last, first;
  scf::ForallOp loop;
  /// The scores in the loop's shape.
  Value scores;
};

const char *RowLoop::match() {
  Value weights = last.getLhs();
  loop = skipReshapes(weights).getDefiningOp<scf::ForallOp>();
  if (!loop || loop->getNumResults() != 1 || loop.getResult(0) == weights)
    return "no loop is reshaped to the lhs";
  if (!loop.isNormalized())
    return "the loop does not count rows one by one";
  auto needsElements = [](OpOperand &use) {
    return !isa<tensor::DimOp>(use.getOwner());
  };
  if (llvm::count_if(loop->getUses(), needsElements) != 1)
    return "the weights are used elsewhere";
  for (Value value = weights; value != loop.getResult(0);
       value = value.getDefiningOp()->getOperand(0))
    if (!value.hasOneUse())
      return "the weights are used elsewhere";
  if (const char *why = matchSlices())
    return why;
  auto type = cast<RankedTensorType>(weights.getType());
  if (!first || type.getRank() != 3 ||
      cast<RankedTensorType>(first.getResult(0).getType())
              .clone(type.getElementType()) != type)
    return "scores and weights are matrices of other sizes";
  // Rows are as many on both sides, as reshapes keep the number of elements.
  if (type.isDynamicDim(0))
    return "the number of matrices is open";
  return nullptr;
}

/// One row of a tensor in the loop's shape: the loop's variables in their
/// order, each but those of dimensions of size 1, and the last dimension whole.
bool RowLoop::isRow(OffsetSizeAndStrideOpInterface slice) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes();
  if (!slice.hasUnitStride() || !isZeroInteger(offsets.back()))
    return false;
  auto type = cast<RankedTensorType>(loop.getResult(0).getType());
  unsigned next = 0;
  for (int64_t i = 0; i + 1 < type.getRank(); ++i) {
    if (!isOneInteger(sizes[i]))
      return false;
    if (isZeroInteger(offsets[i]) && type.getDimSize(i) == 1)
      continue;
    if (next == loop.getInductionVars().size() ||
        offsets[i] != OpFoldResult(loop.getInductionVar(next++)))
      return false;
  }
  return next == loop.getInductionVars().size();
}

/// The loop reads rows of one product and writes the same rows.
const char *RowLoop::matchSlices() {
  using InsertOp = tensor::ParallelInsertSliceOp;
  auto inserts = loop.getTerminator().getBody()->getOps<InsertOp>();
  InsertOp insert = *inserts.begin();
  if (!llvm::hasSingleElement(inserts) || !isRow(insert))
    return "an iteration does not write one row";
  for (Operation *user : loop.getRegionIterArgs()[0].getUsers())
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
      if (!isRow(slice))
        return "a row is written in pieces";
    } else if (user != insert && !isa<tensor::DimOp>(user)) {
      return "the loop reads what it writes";
    }
  for (auto slice : loop.getBody()->getOps<tensor::ExtractSliceOp>()) {
    auto product = skipReshapes(slice.getSource()).getDefiningOp<MatmulOp>();
    if (!product)
      continue;
    if ((first && first != product) || (scores && scores != slice.getSource()))
      return "the loop reads two products";
    if (slice.getSourceType().getShape() !=
        cast<ShapedType>(loop.getResult(0).getType()).getShape())
      return "scores and weights have other shapes";
    if (!isRow(slice))
      return "a row of scores is not a row of weights";
    first = product;
    scores = slice.getSource();
  }
  return first ? nullptr : "the loop reads no product";
}

/// The variables of the loop as it was, of the number of a row.
void RowLoop::mapVariables(OpBuilder &b, scf::ForallOp flat, IRMapping &map) {
  Location loc = loop.getLoc();
  IndexMath index{b, loc};
  OpFoldResult perMatrix =
      tensor::getMixedSize(b, loc, flat.getRegionIterArgs()[0], 1);
  SmallVector<Value> at = flat.getInductionVars();
  Value number = index.value(index.add(index.mul(at[0], perMatrix), at[1]));
  for (unsigned i = loop.getInductionVars().size(); i-- > 0;) {
    OpFoldResult count = loop.getMixedUpperBound()[i];
    Value own = number;
    if (isOneInteger(count)) {
      own = arith::ConstantIndexOp::create(b, loc, 0);
    } else if (i > 0) {
      // A division may be moved to where there are no rows.
      Value bound = index.value(index.max(count, index.constant(1)));
      own = arith::RemUIOp::create(b, loc, number, bound);
      number = arith::DivUIOp::create(b, loc, number, bound);
    }
    map.map(loop.getInductionVar(i), own);
  }
}

void RowLoop::cloneBody(OpBuilder &b, scf::ForallOp flat, IRMapping &map) {
  Location loc = loop.getLoc();
  Value result = flat.getRegionIterArgs()[0], arg = loop.getRegionIterArgs()[0];
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<OpFoldResult> sizes(2, b.getIndexAttr(1)),
      strides(3, b.getIndexAttr(1)),
      offsets{flat.getInductionVar(0), flat.getInductionVar(1),
              b.getIndexAttr(0)};
  sizes.push_back(OpFoldResult());
  auto rowOf = [&](Value matrices, tensor::ExtractSliceOp old) {
    RankedTensorType row = old.getType().clone({type.getDimSize(2)});
    sizes.back() = tensor::getMixedSize(b, loc, matrices, 2);
    Value mine = tensor::ExtractSliceOp::create(b, loc, row, matrices, offsets,
                                                sizes, strides);
    if (row != old.getType())
      mine = tensor::CastOp::create(b, loc, old.getType(), mine);
    map.map(old.getResult(), mine);
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    auto dim = dyn_cast<tensor::DimOp>(op);
    if (slice && slice.getSource() == scores)
      rowOf(first.getResult(0), slice);
    else if (slice && slice.getSource() == arg)
      rowOf(result, slice);
    else if (dim && (dim.getSource() == arg || dim.getSource() == scores))
      // The sizes do not change in the loop.
      map.map(dim.getResult(),
              tensor::DimOp::create(b, loc, loop.getOutputs()[0],
                                    map.lookupOrDefault(dim.getIndex()))
                  .getResult());
    else
      b.clone(op, map);
  }
  auto insert = *loop.getTerminator()
                     .getBody()
                     ->getOps<tensor::ParallelInsertSliceOp>()
                     .begin();
  Value row = map.lookupOrDefault(insert.getSource());
  sizes.back() = tensor::getMixedSize(b, loc, result, 2);
  b.setInsertionPointToStart(flat.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, row, result, offsets, sizes,
                                        strides);
}

void RowLoop::flatten(OpBuilder &b) {
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value init = first.getInit();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  auto type = cast<RankedTensorType>(last.getLhs().getType());
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  auto flat = scf::ForallOp::create(b, loc, ArrayRef(sizes).take_front(2),
                                    ValueRange{empty},
                                    /*mapping=*/std::nullopt);
  if (Attribute work = loop->getAttr(program::work))
    flat->setAttr(program::work, work);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(flat.getBody());
    IRMapping map;
    mapVariables(b, flat, map);
    cloneBody(b, flat, map);
  }
  Value made = flat.getResult(0);
  if (made.getType() != type)
    made = tensor::CastOp::create(b, loc, type, made);
  Value weights = last.getLhs();
  last.getLhsMutable().assign(made);
  eraseReshapes(weights);
  loop.getResult(0).replaceAllUsesWith(loop.getOutputs()[0]);
  loop.erase();
  eraseReshapes(scores);
}

class FlattenRows : public onnxc::impl::FlattenRowsPassBase<FlattenRows> {
public:
  using FlattenRowsPassBase::FlattenRowsPassBase;

private:
  void runOnOperation() override {
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) {
      if (isa<RankedTensorType>(op.getLhs().getType()))
        products.push_back(op);
    });
    OpBuilder b(&getContext());
    for (MatmulOp op : products) {
      RowLoop rows(op);
      if (!rows.match())
        rows.flatten(b);
    }
  }
};

} // namespace
