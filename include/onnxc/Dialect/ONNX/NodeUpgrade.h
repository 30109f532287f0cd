//===- NodeUpgrade.h - A node on its way to the newest form --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_NODEUPGRADE_H
#define ONNXC_DIALECT_ONNX_NODEUPGRADE_H

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Core.h"

#include <functional>

namespace onnxc {

/// The parts of an `onnx.node`, which the steps of its rule change in place
/// until they are what the newest form takes. Ops that a step makes stand
/// before the node.
class NodeUpgrade : public ONNXBuilder {
public:
  /// `record`: of the newest form, if the node becomes that one op.
  NodeUpgrade(NodeOp op, std::optional<mlir::RegisteredOperationName> record,
              mlir::OpBuilder &builder);

  NodeOp op;
  std::optional<mlir::RegisteredOperationName> record;
  /// Null: absent, as for `outputs`.
  llvm::SmallVector<mlir::Value> inputs;
  mlir::NamedAttrList attributes;
  llvm::SmallVector<mlir::Type> outputs;
  /// Called with the results of the new op (null where absent) to put into
  /// their place what the old outputs are, the last one first.
  using Finish =
      std::function<llvm::LogicalResult(llvm::MutableArrayRef<mlir::Value>)>;
  llvm::SmallVector<Finish> finish;

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
};

/// The value, if it is a small constant.
mlir::DenseElementsAttr getConstant(mlir::Value value);
/// The elements of a small constant of integers or floats (which are rounded
/// towards zero).
std::optional<llvm::SmallVector<int64_t>> getIntegers(mlir::Value value);
std::optional<llvm::SmallVector<double>> getNumbers(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_NODEUPGRADE_H
