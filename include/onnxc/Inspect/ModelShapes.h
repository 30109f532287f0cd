//===- ModelShapes.h - Shapes whose open sizes have names ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INSPECT_MODELSHAPES_H
#define ONNXC_INSPECT_MODELSHAPES_H

#include "onnxc/Support/Size.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

class SymbolicShapes;

/// A size that no name stands for, and where it is first.
struct OpenSize {
  std::string symbol, where;
};

/// The shapes of all values of a module, in its newest form and with types
/// inferred, in terms of the names that the model gives to the sizes of its
/// inputs.
class ModelShapes {
public:
  explicit ModelShapes(mlir::ModuleOp module);

  /// The sizes of a value; nullopt if its rank is not known, or it is no
  /// tensor.
  std::optional<llvm::ArrayRef<Size>> getShape(mlir::Value value) const;
  /// Unknown if a size is, or the rank.
  Size getNumElements(mlir::Value value) const;
  /// Sizes that follow from what a node computes, in the order in which they
  /// come up.
  llvm::ArrayRef<OpenSize> getOpenSizes() const { return open; }
  /// A new one.
  Size makeOpen(llvm::StringRef what, mlir::Operation *op);

private:
  void visit(SymbolicShapes &symbolic, mlir::Block &block);
  void visit(SymbolicShapes &symbolic, mlir::ValueRange values);
  Size nameDim(mlir::Value value, int64_t index);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<Size>> shapes;
  std::vector<OpenSize> open;
};

} // namespace onnxc

#endif // ONNXC_INSPECT_MODELSHAPES_H
