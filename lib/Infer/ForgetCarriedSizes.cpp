//===- ForgetCarriedSizes.cpp - Declared sizes that need not stay ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exporter declares the sizes that it saw when it traced a model: of a value
// that a loop carries, those of the first iteration, and of the result of an
// If, those of the branch that was taken.
//
//===----------------------------------------------------------------------===//

#include "CarriedTypes.h"

#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_FORGETCARRIEDSIZES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Whether the op runs its body more than once. Of an operator of another
/// version or domain (Scan-8), that is not known.
static bool isLoop(Operation *op) {
  return isa<NodeOp>(op) || hasFact(op, OpFact::RepeatsBody);
}

/// What differs from one iteration to the next of what enters a body.
static ValueRange getCarried(Operation *op, Region &body) {
  ValueRange arguments = body.getArguments();
  return llvm::TypeSwitch<Operation *, ValueRange>(op)
      .Case([&](LoopOp) {
        return arguments.drop_front(std::min<size_t>(2, arguments.size()));
      })
      .Case([&](ScanOp scan) {
        return arguments.drop_back(
            std::min<size_t>(scan.getNumScanInputs(), arguments.size()));
      })
      .Default(arguments);
}

/// What the region computes and yields.
static SmallVector<Value> getYielded(Region &region) {
  SmallVector<Value> yielded;
  for (Value value : region.front().back().getOperands())
    if (value.getDefiningOp() && value.getParentRegion() == &region)
      yielded.push_back(value);
  return yielded;
}

/// The values, and what is computed from them, also behind the op around it.
static llvm::SetVector<Value> collectDependents(ArrayRef<Value> values) {
  llvm::SetVector<Value> found(values.begin(), values.end());
  for (size_t i = 0; i < found.size(); ++i)
    for (Operation *user : found[i].getUsers())
      found.insert_range(isa<YieldOp>(user) ? user->getParentOp()->getResults()
                                            : user->getResults());
  return found;
}

/// A result of the model or a function, or an argument of a call: it stays as
/// the other side has it.
static bool isInterface(Value value) {
  return llvm::any_of(value.getUsers(),
                      llvm::IsaPred<func::ReturnOp, func::CallOp>);
}

/// Makes the sizes of the value unknown, if all that is known of them is what
/// the model declares.
static void forget(Value value) {
  Operation *op = value.getDefiningOp();
  bool isDeclared =
      op ? isa<SchemaOpInterface, NodeOp>(op) && !isa<ConstantOp>(op) : true;
  if (isDeclared && !isInterface(value))
    value.setType(forgetSizes(value.getType()));
}

namespace {
struct ForgetCarriedSizes
    : onnxc::impl::ForgetCarriedSizesBase<ForgetCarriedSizes> {
  void runOnOperation() override {
    SmallVector<Value> ofIterations, ofBranches;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumRegions() == 0 || !(isa<IfOp>(op) || isLoop(op)))
        return;
      SmallVector<Value> &starts = isa<IfOp>(op) ? ofBranches : ofIterations;
      llvm::append_range(starts, op->getResults());
      for (Region &region : op->getRegions()) {
        if (region.empty() || region.front().empty())
          continue;
        llvm::append_range(starts, getYielded(region));
        if (isLoop(op))
          llvm::append_range(starts, getCarried(op, region));
      }
    });
    for (Value value : collectDependents(ofIterations))
      forget(value);
    // The length of a list is the same in both branches: ranks follow from it.
    for (Value value : collectDependents(ofBranches))
      if (!isList(value.getType()))
        forget(value);
  }
};
} // namespace
