//===- InferShapes.cpp - Types of all values by the ops' shape rules -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldShapes.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_INFERSHAPES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

namespace {

/// Infers one function's body. Errors are emitted at the op that they concern,
/// and inference goes on behind it.
class FunctionInference {
public:
  explicit FunctionInference(bool fold) : fold(fold) {}

  LogicalResult run(func::FuncOp function) {
    // Types only gain, so this ends; one round is enough unless folding or a
    // subgraph told something to what comes before it.
    do {
      changed = false;
      for (Block &block : function.getBody())
        visit(block);
    } while (changed && !invalid);
    if (invalid)
      return failure();
    updateSignature(function);
    return success();
  }

private:
  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner);
      if (!isa<SchemaOpInterface>(op))
        continue;
      visit(&op);
      if (fold && !invalid && foldShapeComputation(&op))
        changed = true;
    }
  }

  void visit(Operation *op) {
    llvm::SmallVector<Type> inferred;
    bool reported = false;
    auto emitError = [&](const llvm::Twine &message) {
      reported = true;
      op->emitOpError(message);
    };
    if (failed(inferResultTypes(op, inferred, emitError))) {
      if (!reported)
        op->emitOpError("violates its shape rule");
      invalid = true;
      return;
    }
    for (auto [index, type] : llvm::enumerate(inferred))
      refine(op, index, type);
    refineByTypeVariables(op);
  }

  void refine(Operation *op, unsigned index, Type type) {
    Value result = op->getResult(index);
    if (!type || type == result.getType())
      return;
    Type joined = joinTypes(result.getType(), type);
    if (!joined) {
      op->emitOpError() << "output #" << index << " is declared "
                        << result.getType() << ", but must be " << type;
      invalid = true;
      return;
    }
    if (joined == result.getType())
      return;
    result.setType(joined);
    changed = true;
  }

  /// Where the rule left a result open, another value of the schema's same type
  /// variable tells at least the element type.
  void refineByTypeVariables(Operation *op) {
    auto schema = cast<SchemaOpInterface>(op);
    if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<UnknownType>))
      return;
    llvm::StringMap<Type> bindings;
    auto collect = [&](llvm::ArrayRef<ValueSpec> specs,
                       llvm::ArrayRef<int> segments, TypeRange types) {
      unsigned next = 0;
      for (auto [spec, count] : llvm::zip_equal(specs, segments))
        for (int i = 0; i < count; ++i, ++next)
          if (!spec.typeVar.empty() && !isa<UnknownType>(types[next]))
            bindings.try_emplace(spec.typeVar, types[next]);
    };
    llvm::SmallVector<int> resultSegments = getResultSegments(op);
    collect(schema.getOperandSpecs(), getOperandSegments(op),
            op->getOperandTypes());
    collect(schema.getResultSpecs(), resultSegments, op->getResultTypes());
    unsigned next = 0;
    for (auto [spec, count] :
         llvm::zip_equal(schema.getResultSpecs(), resultSegments)) {
      for (int i = 0; i < count; ++i, ++next) {
        auto bound = bindings.find(spec.typeVar);
        if (bound == bindings.end() ||
            !isa<UnknownType>(op->getResult(next).getType()))
          continue;
        Type type = bound->second;
        if (auto tensor = dyn_cast<TensorType>(type))
          type = UnrankedTensorType::get(tensor.getElementType());
        refine(op, next, type);
      }
    }
  }

  /// The signature follows the body; whatever was declared for the outputs is
  /// part of the returned values' types already.
  static void updateSignature(func::FuncOp function) {
    if (function.isExternal())
      return;
    auto type = FunctionType::get(
        function.getContext(), function.front().getArgumentTypes(),
        function.front().getTerminator()->getOperandTypes());
    function.setFunctionType(type);
  }

  bool fold;
  bool changed = false;
  bool invalid = false;
};

struct InferShapes : onnxc::impl::InferShapesBase<InferShapes> {
  using InferShapesBase::InferShapesBase;

  void runOnOperation() override {
    bool invalid = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      invalid |= failed(FunctionInference(fold).run(function));
    if (invalid)
      signalPassFailure();
  }
};

} // namespace
