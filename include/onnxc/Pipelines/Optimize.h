//===- Optimize.h - From a model to a better model ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What onnx-optimize, the Python package and the C API share: load, rewrite,
// save. The rewrites themselves are lib/Optimize.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_OPTIMIZE_H
#define ONNXC_PIPELINES_OPTIMIZE_H

#include "onnxc/Import/Import.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// How a model is read for rewriting.
struct OptimizeInput {
  /// Initializers that are graph inputs as well can no longer be overridden.
  bool freeze = false;
  /// Calls of model-local functions become what they call.
  bool inlineFunctions = false;
  /// Shapes of inputs, as --input-shape takes them: "x:1x3x?x?". They become
  /// the model's.
  std::vector<std::string> inputShapes;
  /// The opsets that the model gets first, as convertOpsets takes them.
  std::vector<std::string> opsets;
  /// External data of a file's model may be missing. It always may for a model
  /// in memory, which lies in no folder: there, references are all there is.
  bool keepMissingData = false;
  /// How many nodes a model may have, how deep it may be nested.
  ImportOptions limits;
};

/// Which rewrites run, and how.
struct OptimizeRequest {
  /// By onnx-optimizer's names, dashes or underscores; none means that the
  /// model is only read and written. Without a value, the default pipeline:
  /// everything that is exact or differs by rounding, to a fixed point.
  std::optional<std::vector<std::string>> passes;
  /// Repeat `passes` until nothing changes.
  bool fixedPoint = false;
  /// The sign of a zero does not matter. Without a value, it does not where
  /// passes are named in onnx-optimizer's form: there, x + 0 is x.
  std::optional<bool> noSignedZeros;
  /// No input disappears. Without a value, they all stay but where passes are
  /// named in onnx-optimizer's form.
  std::optional<bool> keepInterface;
  /// The others; what the values above decide is not read.
  RewriteOptions rewrites;

  /// The options that the rewrites get.
  RewriteOptions getRewriteOptions() const;
  /// What onnx-optimizer runs when no passes are named; the signs of zeros and
  /// all inputs stay.
  void setUpstreamDefault();
};

/// What was done.
struct OptimizeStatistics {
  /// Changes by rewrite (by group, in the default pipeline), in the order in
  /// which they first ran.
  std::vector<std::pair<std::string, int64_t>> changes;
  int64_t numChanges() const;
  void add(llvm::StringRef name, int64_t more);
};

/// Nodes by operator, in all graphs and functions of a model; operators of
/// other domains with their domain.
using OperatorCounts = std::map<std::string, int64_t>;
OperatorCounts countOperators(mlir::ModuleOp module);

/// All rewrites, those of onnx-optimizer first, in its order.
llvm::ArrayRef<RewriteInfo> listRewrites();

/// The names that onnx-optimizer runs when none are given.
std::vector<std::string> getUpstreamDefaultPasses();

/// What is wrong with the request: the first name that is not a rewrite's, and
/// what may be meant, or a budget below zero. Empty if nothing is.
std::string checkRequest(const OptimizeRequest &request);

/// All that happens between import and export, as onnx-mlir-opt's
/// --pass-pipeline takes it.
std::string getOptimizeText(const OptimizeInput &input,
                            const OptimizeRequest &request);

/// Reads a model into the form that rewrites work on. Errors are diagnostics of
/// the context. Of bytes, what the module needs is kept alive by it.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
loadForRewriting(const ModelSource &source, const OptimizeInput &input,
                 mlir::MLIRContext &context);

/// Rewrites what loadForRewriting read.
llvm::LogicalResult rewrite(mlir::ModuleOp module,
                            const OptimizeRequest &request,
                            OptimizeStatistics *statistics = nullptr);

} // namespace onnxc

#endif // ONNXC_PIPELINES_OPTIMIZE_H
