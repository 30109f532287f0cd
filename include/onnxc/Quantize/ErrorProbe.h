//===- ErrorProbe.h - The error of each layer alone ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that computes every layer twice, as it is and quantized, and sums up
// the squares of the difference. One run gives the errors of all layers on the
// same inputs, and, where it is asked to go on with the quantized result of one
// layer, what that does to the model's outputs.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_ERRORPROBE_H
#define ONNXC_QUANTIZE_ERRORPROBE_H

#include "onnxc/Quantize/ApplyPlan.h"

namespace onnxc::quantize {

struct ErrorProbe {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The layers that it has, in the order of its outputs; those in bodies of
  /// control flow nodes are left out.
  std::vector<size_t> layers;
  /// The input that says with which layer's quantized result the model goes on,
  /// as its index in the plan; -1 for none.
  std::string selectInput;
  /// Behind the model's own outputs there are two for each layer, scalars of
  /// float: the sum of squares of the difference, and of the result.
  unsigned firstOutput = 0;
};

ErrorProbe buildProbe(const Plan &plan);

/// A copy of the module with `values` as further outputs.
mlir::OwningOpRef<mlir::ModuleOp>
exposeValues(mlir::ModuleOp module, llvm::ArrayRef<mlir::Value> values);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_ERRORPROBE_H
