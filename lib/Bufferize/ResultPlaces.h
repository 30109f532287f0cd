//===- ResultPlaces.h - Where results of the entry are made ----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is an operand of the entry's return. A state that an If makes is
// bound in the branches instead: there it is known whether rows are appended to
// it, and that it stays as it is where a branch yields the value before.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_RESULTPLACES_H
#define ONNXC_LIB_BUFFERIZE_RESULTPLACES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc {

/// A value that becomes result `result` of the entry: operand `operand` of its
/// return or of a branch's yield.
struct ResultPlace {
  unsigned result;
  mlir::Operation *terminator;
  unsigned operand;
  /// Those of its open dimensions, known early in its block.
  llvm::SmallVector<mlir::Value> sizes;

  mlir::Value get() const { return terminator->getOperand(operand); }
};

class ResultPlaces {
public:
  explicit ResultPlaces(mlir::func::ReturnOp ret) : ret(ret) {}

  /// Adds the place of a result that is not a state.
  void add(unsigned result);
  /// Adds those of a state whose value before the run is `past`. None is where
  /// that is its next value: it stays where it is.
  void addState(unsigned result, mlir::Value past);
  llvm::MutableArrayRef<ResultPlace> get() { return places; }
  /// Drops the results of Ifs that were bound in branches, when the return is
  /// gone. Their sizes become results where something asks for them.
  void dropBranchResults();

private:
  void addState(unsigned result, mlir::Value past, mlir::Operation *terminator,
                unsigned operand);

  mlir::func::ReturnOp ret;
  llvm::SmallVector<ResultPlace> places;
  /// Outer Ifs before those in their branches.
  llvm::MapVector<mlir::scf::IfOp, llvm::SmallVector<unsigned>> bound;
};

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_RESULTPLACES_H
