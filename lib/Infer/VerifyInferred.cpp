//===- VerifyInferred.cpp - The contract of the infer stage -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_VERIFYINFERRED
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Whether a type leaves open what the elements are.
static bool isOpen(Type type) {
  if (auto sequence = dyn_cast<SeqType>(type))
    return isOpen(sequence.getElementType());
  if (auto optional = dyn_cast<OptType>(type))
    return isOpen(optional.getElementType());
  return isa<UnknownType>(type);
}

namespace {
struct VerifyInferred : onnxc::impl::VerifyInferredBase<VerifyInferred> {
  /// Whether an input of the model lacks a rank, which only its author knows.
  bool checkEntries() {
    bool invalid = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (!function->hasAttr("onnx.entry"))
        continue;
      for (BlockArgument argument : function.getArguments()) {
        if (!isOpen(argument.getType()) && !lacksRank(argument))
          continue;
        auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), "onnx.name");
        emitError(function.getLoc())
            << "input '" << (name ? name.getValue() : "")
            << "' has no rank; declare its shape, expected at least the number "
               "of its dimensions (each a number or a name such as N), or "
               "state it with --input-shape";
        invalid = true;
      }
    }
    return invalid;
  }

  void runOnOperation() override {
    bool invalid = checkEntries();
    // What follows from an input without a rank is no error of its own.
    if (invalid)
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      for (auto [index, result] : llvm::enumerate(op->getResults())) {
        if (isOpen(result.getType())) {
          op->emitOpError() << "type of output #" << index
                            << " cannot be told, expected it to follow from "
                               "the model";
          invalid = true;
        } else if (lacksRank(result)) {
          op->emitOpError() << "rank of output #" << index
                            << " cannot be told, expected it to follow from "
                               "constants or from a declared shape";
          invalid = true;
        }
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isOpen(argument.getType()) || lacksRank(argument)) {
              emitError(argument.getLoc())
                  << "input #" << argument.getArgNumber()
                  << " of a graph has no known rank, expected a declared shape";
              invalid = true;
            }
    });
    if (invalid)
      signalPassFailure();
  }
};
} // namespace
