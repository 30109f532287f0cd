//===- ResultPlaces.cpp - Where results of the entry are made -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultPlaces.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

/// The If that makes an operand of `terminator`, through casts, if all others
/// ask for are its sizes; `result` is which of its results that is. Null if
/// something else makes the operand, or reads it outside of the branches.
static scf::IfOp findBranches(Operation *terminator, unsigned operand,
                              unsigned &result) {
  OpOperand *use = &terminator->getOpOperand(operand);
  while (true) {
    Value value = use->get();
    for (OpOperand &other : value.getUses()) {
      auto dim = dyn_cast<tensor::DimOp>(other.getOwner());
      if (&other != use && !(dim && dim.getConstantIndex()))
        return nullptr;
    }
    if (auto cast = value.getDefiningOp<tensor::CastOp>()) {
      use = &cast->getOpOperand(0);
      continue;
    }
    auto branches = value.getDefiningOp<scf::IfOp>();
    if (branches)
      result = cast<OpResult>(value).getResultNumber();
    return branches;
  }
}

void ResultPlaces::add(unsigned result) {
  places.push_back({result, ret, result, {}});
}

void ResultPlaces::addState(unsigned result, Value past) {
  addState(result, past, ret, result);
}

void ResultPlaces::addState(unsigned result, Value past, Operation *terminator,
                            unsigned operand) {
  Value value = terminator->getOperand(operand);
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  if (value == past)
    return;
  unsigned number;
  scf::IfOp branches = findBranches(terminator, operand, number);
  if (!branches) {
    places.push_back({result, terminator, operand, {}});
    return;
  }
  bound[branches].push_back(number);
  addState(result, past, branches.thenYield(), number);
  addState(result, past, branches.elseYield(), number);
}

/// Erases the casts behind a result, which nothing reads any more, and lists
/// the questions for its sizes.
static void listDims(Value value, SmallVectorImpl<tensor::DimOp> &dims) {
  for (Operation *user : llvm::to_vector(value.getUsers())) {
    if (auto cast = dyn_cast<tensor::CastOp>(user)) {
      listDims(cast, dims);
      if (cast->use_empty())
        cast->erase();
    } else if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      if (dim->use_empty())
        dim->erase();
      else
        dims.push_back(dim);
    }
  }
}

/// Puts an If in the place of `branches` that has sizes of the results
/// `dropped` alone.
static void dropResults(scf::IfOp branches, ArrayRef<unsigned> dropped) {
  OpBuilder b(branches);
  Location loc = branches.getLoc();
  SmallVector<std::pair<unsigned, tensor::DimOp>> asked;
  for (unsigned number : dropped) {
    SmallVector<tensor::DimOp> dims;
    listDims(branches.getResult(number), dims);
    for (tensor::DimOp dim : dims)
      asked.push_back({number, dim});
  }
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < branches.getNumResults(); ++i)
    if (!llvm::is_contained(dropped, i))
      kept.push_back(i);

  for (scf::YieldOp yield : {branches.thenYield(), branches.elseYield()}) {
    b.setInsertionPoint(yield);
    SmallVector<Value> values;
    for (unsigned i : kept)
      values.push_back(yield.getOperand(i));
    for (auto [number, dim] : asked)
      values.push_back(tensor::DimOp::create(b, loc, yield.getOperand(number),
                                             *dim.getConstantIndex()));
    yield->setOperands(values);
  }
  SmallVector<Type> types;
  for (unsigned i : kept)
    types.push_back(branches.getResultTypes()[i]);
  types.append(asked.size(), b.getIndexType());
  b.setInsertionPoint(branches);
  auto made = scf::IfOp::create(b, loc, types, branches.getCondition(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  made->setDiscardableAttrs(branches->getDiscardableAttrDictionary());
  made.getThenRegion().takeBody(branches.getThenRegion());
  made.getElseRegion().takeBody(branches.getElseRegion());
  for (auto [place, i] : llvm::enumerate(kept))
    branches.getResult(i).replaceAllUsesWith(made.getResult(place));
  for (auto [place, question] : llvm::enumerate(asked)) {
    question.second.replaceAllUsesWith(made.getResult(kept.size() + place));
    question.second->erase();
  }
  // The casts that were asked.
  SmallVector<tensor::DimOp> none;
  for (unsigned number : dropped)
    listDims(branches.getResult(number), none);
  assert(none.empty() && branches->use_empty());
  branches->erase();
}

void ResultPlaces::dropBranchResults() {
  for (auto &[branches, dropped] : bound)
    dropResults(branches, dropped);
}
