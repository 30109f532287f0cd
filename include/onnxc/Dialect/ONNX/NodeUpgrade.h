//===- NodeUpgrade.h - A node on its way to the newest form --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_NODEUPGRADE_H
#define ONNXC_DIALECT_ONNX_NODEUPGRADE_H

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include <functional>

namespace onnxc {

/// The parts of an `onnx.node`, which the steps of its rule change in place
/// until they are what the newest form takes. Ops that a step makes stand
/// before the node; their types are inferred at once.
class NodeUpgrade {
public:
  /// `record`: of the newest form, if the node becomes that one op.
  NodeUpgrade(NodeOp op, std::optional<mlir::RegisteredOperationName> record,
              mlir::OpBuilder &builder);

  NodeOp op;
  std::optional<mlir::RegisteredOperationName> record;
  mlir::OpBuilder &builder;
  /// Null: absent, as for `outputs`.
  llvm::SmallVector<mlir::Value> inputs;
  mlir::NamedAttrList attributes;
  llvm::SmallVector<mlir::Type> outputs;
  /// Called with the results of the new op (null where absent) to put into
  /// their place what the old outputs are, the last one first.
  using Finish =
      std::function<llvm::LogicalResult(llvm::MutableArrayRef<mlir::Value>)>;
  llvm::SmallVector<Finish> finish;

  mlir::Location getLoc() { return op.getLoc(); }
  mlir::InFlightDiagnostic emitError() { return mlir::emitError(getLoc()); }

  /// The input, or null if it is absent.
  mlir::Value getInput(unsigned index) const {
    return index < inputs.size() ? inputs[index] : mlir::Value();
  }
  void setInput(unsigned index, mlir::Value value);
  bool hasOutput(unsigned index) const {
    return index < outputs.size() && outputs[index];
  }

  int64_t getInt(llvm::StringRef name, int64_t otherwise) const;
  float getFloat(llvm::StringRef name, float otherwise) const;
  llvm::StringRef getString(llvm::StringRef name,
                            llvm::StringRef otherwise) const;
  std::optional<llvm::ArrayRef<int64_t>> getInts(llvm::StringRef name) const;
  void setInt(llvm::StringRef name, int64_t value);
  void setString(llvm::StringRef name, llvm::StringRef value);

  /// Makes an op, in its newest form, with one output. Null after an error: the
  /// old node may lack an input. Null values may be passed on; the node then
  /// fails.
  template <typename Op>
  mlir::Value create(llvm::ArrayRef<mlir::Value> operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    llvm::SmallVector<mlir::Value> results =
        createAll<Op>(operands, attributes, /*count=*/1);
    return results.empty() ? mlir::Value() : results.front();
  }
  /// The same with `count` outputs, or none of them after an error.
  template <typename Op>
  llvm::SmallVector<mlir::Value>
  createAll(llvm::ArrayRef<mlir::Value> operands,
            llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned count) {
    return createOp(mlir::TypeID::get<Op>(), operands, attributes, count);
  }
  /// A Loop over a body that takes step, condition and states, and gives all
  /// but the first and what is collected; none of its `numResults` after an
  /// error.
  llvm::SmallVector<mlir::Value> createLoop(mlir::Value count,
                                            mlir::ValueRange initial,
                                            std::unique_ptr<mlir::Region> body,
                                            unsigned numResults);
  mlir::Value createConstant(mlir::ElementsAttr value);
  mlir::Value createInts(llvm::ArrayRef<int64_t> values);
  mlir::Value createInt(int64_t value);
  mlir::Value createFloats(llvm::ArrayRef<float> values);
  /// A scalar of the element type of `like`.
  mlir::Value createScalarLike(mlir::Value like, double value);
  mlir::Value createCast(mlir::Value value, mlir::Type elementType);
  mlir::Value createShape(mlir::Value value);
  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }

private:
  /// Makes the op of the record, verified and with its types; none of its
  /// results after an error.
  llvm::SmallVector<mlir::Value> createOp(mlir::TypeID op, NodeParts parts);
  llvm::SmallVector<mlir::Value>
  createOp(mlir::TypeID op, llvm::ArrayRef<mlir::Value> operands,
           llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned count);
};

/// Element type of a tensor; null if it is not known.
mlir::Type getElementType(mlir::Value value);
/// Shape of a tensor, if its rank is known.
std::optional<llvm::ArrayRef<int64_t>> getShape(mlir::Value value);
std::optional<int64_t> getRank(mlir::Value value);
/// The value, if it is a small constant.
mlir::DenseElementsAttr getConstant(mlir::Value value);
/// The elements of a small constant of integers or floats (which are rounded
/// towards zero).
std::optional<llvm::SmallVector<int64_t>> getIntegers(mlir::Value value);
std::optional<llvm::SmallVector<double>> getNumbers(mlir::Value value);

/// Calls and the functions that they call see the types of arguments and
/// results; only the entry, which gets its new type from the pass, has no
/// caller.
bool isSeenAcrossCalls(mlir::Value value);

/// Joins the types of the op's results with what its shape rule tells. Where
/// they contradict, the rule is right. Values that calls see keep their types.
void refineResults(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_NODEUPGRADE_H
