//===- TensorSelection.h - Which activations are quantized ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs of layers are quantized, and results of convolutions (behind the Relu
// or Clip that is their only user). So are the values between them that only
// move or pool: then a chain of layers has integers from end to end.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_TENSORSELECTION_H
#define ONNXC_QUANTIZE_TENSORSELECTION_H

#include "onnxc/Quantize/ActivationRange.h"
#include "onnxc/Quantize/Layers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace onnxc::quantize {

/// Whether a layer's activations can be quantized, and why not.
bool canBeStatic(const Layer &layer, std::string &reason);

/// The value that a layer's result is quantized as: that of the Relu or Clip
/// which is its only user, or itself.
mlir::Value getActivated(mlir::Value result);

class TensorSelection {
public:
  /// `layers` are of the entry's block, and can be static.
  TensorSelection(mlir::func::FuncOp entry,
                  llvm::ArrayRef<const Layer *> layers);

  /// In the order of the model.
  llvm::ArrayRef<mlir::Value> getTensors() const { return tensors; }
  bool contains(mlir::Value value) const { return selected.contains(value); }
  /// Whether the use of a selected value reads the quantized form.
  bool isQuantizedUse(mlir::OpOperand &use) const;

  using Ranges = llvm::DenseMap<mlir::Value, ActivationRange::Bounds>;
  /// Gives values between which elements only move the same range: the one that
  /// holds those of all. Those that a Concat joins only where they differ by a
  /// factor of two at most.
  void unifyRanges(Ranges &ranges) const;

private:
  void growBackwards();
  void growForwards(mlir::Block &block);
  void findLeading(mlir::Block &block);

  llvm::SmallPtrSet<mlir::Operation *, 16> anchors;
  llvm::SetVector<mlir::Value> selected;
  llvm::SmallVector<mlir::Value> tensors;
  /// Values from which elementwise operators, pools and moves lead to a
  /// selected one.
  llvm::DenseSet<mlir::Value> leading;
};

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_TENSORSELECTION_H
