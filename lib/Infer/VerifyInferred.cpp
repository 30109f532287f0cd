//===- VerifyInferred.cpp - The contract of the infer stage ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Support/Diagnostics.h"

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

/// Whether the type or the rank of a value is unknown.
static bool isUnresolved(Value value) {
  return isOpen(value.getType()) || lacksRank(value);
}

/// Says of the op that the model is right as far as onnxc can tell, but that
/// this keeps it from compiling it.
static void reportUnresolved(Operation *op, const Twine &reason) {
  InFlightDiagnostic error = op->emitOpError() << reason;
  UnsupportedUse use;
  use.reason = reason.str();
  if (auto node = dyn_cast<NodeOp>(op)) {
    use.opType = node.getOpType().str();
    use.domain = node.getDomain().str();
    use.version = node.getVersion();
  } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
    use.opType = schema.getOnnxName().str();
    use.domain = schema.getOnnxDomain().str();
    use.version = schema.getSchemaVersions().back();
  } else {
    use.opType = op->getName().getStringRef().str();
  }
  markUnsupported(*error.getUnderlyingDiagnostic(), use);
}

namespace {
struct VerifyInferred : onnxc::impl::VerifyInferredBase<VerifyInferred> {
  /// Whether an input of the model lacks a rank, which only its author knows.
  bool checkEntries() {
    bool invalid = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (!function->hasAttr(model::entry))
        continue;
      for (BlockArgument argument : function.getArguments()) {
        if (!isUnresolved(argument))
          continue;
        auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), model::name);
        std::string text =
            ("input '" + (name ? name.getValue() : "") +
             "' has no rank; declare its shape, expected at least the number "
             "of its dimensions (each a number or a name such as N), or "
             "state it with --shape")
                .str();
        InFlightDiagnostic error = emitError(function.getLoc()) << text;
        markUnsupported(*error.getUnderlyingDiagnostic(),
                        {"graph input", "", 0, 1, text});
        invalid = true;
      }
    }
    return invalid;
  }

  /// Whether an output of the model is of other elements than it declares: what
  /// calls and rewritten nodes give is known only now.
  bool checkOutputs() {
    bool invalid = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(model::entry) || function.isExternal())
        continue;
      Operation *end = function.front().getTerminator();
      for (auto [index, value] : llvm::enumerate(end->getOperands())) {
        auto declared =
            function.getResultAttrOfType<TypeAttr>(index, model::type);
        if (!declared || areCompatibleTypes(dropShapes(value.getType()),
                                            dropShapes(declared.getValue())))
          continue;
        auto name =
            function.getResultAttrOfType<StringAttr>(index, model::name);
        emitError(value.getLoc())
            << "output '" << (name ? name.getValue() : "")
            << "' of the model is declared as " << declared.getValue()
            << ", but is " << value.getType();
        invalid = true;
      }
    }
    return invalid;
  }

  void runOnOperation() override {
    bool invalid = checkEntries();
    // What follows from an input without a rank is not an error of its own.
    if (invalid)
      return signalPassFailure();
    invalid = checkOutputs();
    getOperation()->walk([&](Operation *op) {
      // What depends on an unresolved value is not an error of its own.
      bool follows = llvm::any_of(op->getOperands(), isUnresolved);
      for (auto [index, result] : llvm::enumerate(op->getResults())) {
        if (!isUnresolved(result))
          continue;
        invalid = true;
        if (follows)
          continue;
        reportUnresolved(op,
                         isOpen(result.getType())
                             ? "the type of " + describeOutput(result) +
                                   " cannot be inferred, expected it to follow "
                                   "from the model"
                             : "the rank of " + describeOutput(result) +
                                   " cannot be inferred, expected it to follow "
                                   "from constants or from a declared shape");
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isUnresolved(argument)) {
              emitError(argument.getLoc())
                  << "input " << argument.getArgNumber()
                  << " of a graph has no known rank, expected a declared shape";
              invalid = true;
            }
    });
    if (invalid)
      signalPassFailure();
  }
};
} // namespace
