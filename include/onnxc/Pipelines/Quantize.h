//===- Quantize.h - From a model to one of fewer bits --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `onnxc quantize` and the Python package share. The rewrite itself is
// lib/Quantize; here models are compiled and run for it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_QUANTIZE_H
#define ONNXC_PIPELINES_QUANTIZE_H

#include "onnxc/Import/Import.h"
#include "onnxc/Quantize/ActivationRange.h"
#include "onnxc/Quantize/Plan.h"

#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc {

struct QuantizeRequest {
  /// How weights by block are stored; bits say what is asked for.
  quantize::BlockOptions blocks;
  /// Only weights, also where there are calibration data and 8 bits.
  bool weightOnly = false;
  /// The tables of Gather nodes as well.
  bool embeddings = false;

  /// Files of arrays (.npz, or .npy for a model of one input), or folders of
  /// such.
  std::vector<std::string> calibration;
  quantize::RangeMethod method = quantize::RangeMethod::LeastError;
  /// Of RangeMethod::Percentile.
  double percentile = 99.99;
  /// Activations are signed and have no zero point.
  bool signedActivations = false;

  /// Names of nodes, outputs or operators that stay as they are, or patterns.
  std::vector<std::string> exclude;
  /// Leave out the most sensitive layers until the outputs' relative error is
  /// at most that.
  std::optional<double> maxError;
  /// Measure what each layer alone does to the outputs.
  bool measureEach = false;

  /// Sizes that the model leaves open, for made-up inputs: "x:1x3x224x224".
  std::vector<std::string> shapes;
  /// How many threads runs use; 0 for one per core.
  unsigned threads = 0;
  /// Initializers that are inputs as well are constants.
  bool freeze = false;
  ImportOptions limits;

  bool isStatic() const {
    return blocks.bits == 8 && !calibration.empty() && !weightOnly;
  }
};

/// What is wrong with the request; empty if nothing is.
std::string checkRequest(const QuantizeRequest &request);

/// What was done. Errors are relative: the square root of the sum of squared
/// differences over the sum of squares.
struct QuantizeReport {
  struct Layer {
    std::string name, kind;
    int64_t bytesBefore = 0, bytesAfter = 0;
    double weightError = 0;
    /// Of the layer's own result, on the inputs that it has in the model as it
    /// was; and of the model's outputs, with this layer alone quantized.
    std::optional<double> resultError, outputError;
    /// Why it stays as it is; empty if it does not.
    std::string leftOut;
  };
  struct Output {
    std::string name;
    /// Of integers the share that differs.
    double error = 0;
    bool isFloat = true;
  };
  std::vector<Layer> layers;
  std::vector<Output> outputs;
  /// On how many runs it was measured, and whether their inputs are made up.
  size_t numSamples = 0;
  bool isMadeUp = false;
  /// Why errors of results and outputs were not measured.
  std::string notMeasured;

  /// The greatest error of an output; of outputs of floats, if there are any.
  static double getGreatestError(llvm::ArrayRef<Output> outputs);
  std::string toText() const;
  std::string toJson() const;
};

/// Reads a model and quantizes it; the result is as `exportModel` takes it.
/// Errors are diagnostics of the context.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
quantizeModel(const ModelSource &source, const QuantizeRequest &request,
              mlir::MLIRContext &context, QuantizeReport &report);

} // namespace onnxc

#endif // ONNXC_PIPELINES_QUANTIZE_H
