//===- ApplyPlan.h - The quantized model ---------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_APPLYPLAN_H
#define ONNXC_QUANTIZE_APPLYPLAN_H

#include "onnxc/Quantize/Plan.h"
#include "onnxc/Quantize/TensorSelection.h"

#include "mlir/IR/OwningOpRef.h"

namespace onnxc::quantize {

/// All that is decided of a model: its layers, and what becomes of them.
struct Plan {
  mlir::ModuleOp module;
  std::vector<Layer> layers;
  /// One for each layer.
  std::vector<WeightCode> codes;
  BlockOptions blocks;

  /// Activations are quantized as well, and weights are by channel.
  bool isStatic = false;
  bool isUnsigned = true;
  /// Of all values that a selection may have, as calibrated.
  TensorSelection::Ranges ranges;

  /// The layers that are included.
  llvm::SmallVector<const Layer *>
  getLayers(llvm::ArrayRef<bool> included) const;
};

/// The codes of the values that are quantized where these layers are.
class ActivationCodes {
public:
  ActivationCodes(const Plan &plan, llvm::ArrayRef<const Layer *> layers);

  const TensorSelection &getSelection() const { return selection; }
  ActivationCode get(mlir::Value value) const;

private:
  bool isUnsigned;
  TensorSelection selection;
  TensorSelection::Ranges ranges;
};

/// Fills in the codes of the weights of a static plan, whose ranges are known.
/// Their scales are such that int32 holds each bias in steps of the product of
/// the scales of input and weights.
void quantizeWeights(Plan &plan);

/// A copy of the plan's module in which the layers that are `included` are
/// quantized.
mlir::OwningOpRef<mlir::ModuleOp> applyPlan(const Plan &plan,
                                            llvm::ArrayRef<bool> included);

/// Quantizes and dequantizes a value where it is defined; the result.
mlir::Value applyActivation(mlir::Value value, ActivationCode code);

/// Puts integers in the place of weights and bias of the layer's op, or of a
/// copy of it, whose input has the code.
void applyChannels(mlir::Operation *op, const Layer &layer,
                   const WeightCode &code, ActivationCode input);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_APPLYPLAN_H
