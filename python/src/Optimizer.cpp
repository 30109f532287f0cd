//===- Optimizer.cpp - Better models for Python ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Pipelines/Session.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace onnxc;
using namespace onnxc::python;

static OptimizeRequest
makeRequest(const onnxc::python::OptimizeOptions &options) {
  OptimizeRequest request;
  request.passes = options.passes;
  request.fixedPoint = options.fixedPoint;
  RewriteOptions &rewrites = request.rewrites;
  rewrites.disabled = options.disabled;
  rewrites.upstreamCompatible = options.upstreamCompatible;
  request.noSignedZeros = options.nsz;
  request.keepInterface = options.keepInterface;
  rewrites.noNaNs = options.nnan;
  rewrites.noInfinities = options.ninf;
  rewrites.assumeStrictlyMonotone = options.assumeStrictlyMonotone;
  if (options.foldBudget)
    rewrites.foldBudget = *options.foldBudget;
  if (options.unrollBudget)
    rewrites.unrollBudget = *options.unrollBudget;
  if (std::string wrong = checkRequest(request); !wrong.empty())
    throw makeError(FindingCode::InvalidOption, wrong);
  return request;
}

/// `load` and `save` are the two ends.
static OptimizeResult optimize(
    const std::string &name, const onnxc::python::OptimizeOptions &options,
    llvm::function_ref<llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(
        const OptimizeInput &, mlir::MLIRContext &)>
        load,
    llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp, OptimizeResult &)>
        save) {
  OptimizeRequest request = makeRequest(options);
  OptimizeInput input;
  input.freeze = options.freeze;
  input.inlineFunctions = options.inlineFunctions;
  input.inputShapes = options.inputShapes;
  StageOptions unused;
  setLimits({options.maxNodes, options.maxDepth, {}, {}}, input.limits, unused);
  OptimizeResult result;
  result.warnings = runGuarded(
      [&](mlir::MLIRContext &context) -> llvm::LogicalResult {
        auto module = load(input, context);
        if (failed(module))
          return llvm::failure();
        result.before = countOperators(**module);
        OptimizeStatistics statistics;
        if (failed(rewrite(**module, request, &statistics)) ||
            failed(save(**module, result)))
          return llvm::failure();
        result.changes = std::move(statistics.changes);
        result.after = countOperators(**module);
        return llvm::success();
      },
      [&] { return name + ": the optimizer"; });
  return result;
}

Outcome<OptimizeResult>
onnxc::python::optimizeBytes(const char *data, size_t size,
                             const OptimizeOptions &options) {
  return catchFailure([&] {
    std::string name = "model";
    return optimize(
        name, options,
        [&](const OptimizeInput &input, mlir::MLIRContext &context) {
          // The caller's bytes outlive the module.
          std::shared_ptr<const llvm::MemoryBuffer> buffer =
              llvm::MemoryBuffer::getMemBuffer(
                  llvm::StringRef(data, size), name,
                  /*RequiresNullTerminator=*/false);
          return loadForRewriting({name, std::move(buffer)}, input, context);
        },
        [&](mlir::ModuleOp module, OptimizeResult &result) {
          return exportModel(module, result.model, ExportOptions());
        });
  });
}

Outcome<OptimizeResult>
onnxc::python::optimizeFile(const std::string &input, const std::string &output,
                            const OptimizeOptions &options) {
  return catchFailure([&] {
    return optimize(
        input, options,
        [&](const OptimizeInput &how, mlir::MLIRContext &context) {
          return loadForRewriting({input, nullptr}, how, context);
        },
        [&](mlir::ModuleOp module, OptimizeResult &) {
          ExportOptions write;
          write.saveExternal = options.saveExternal;
          return exportModel(module, output, write);
        });
  });
}

Outcome<std::pair<std::string, std::string>>
onnxc::python::convertBytes(const char *data, size_t size,
                            const std::vector<std::string> &opsets) {
  return catchFailure([&] {
    std::string model;
    std::string warnings = runGuarded(
        [&](mlir::MLIRContext &context) -> llvm::LogicalResult {
          ImportOptions options;
          options.keepDefaults = options.keepMissingData = true;
          onnxc::Session session(context);
          if (failed(session.import(
                  {"model", llvm::MemoryBuffer::getMemBuffer(
                                llvm::StringRef(data, size), "model",
                                /*RequiresNullTerminator=*/false)},
                  options)) ||
              (!opsets.empty() &&
               failed(convertOpsets(session.getModule(), opsets))))
            return llvm::failure();
          return exportModel(session.getModule(), model);
        },
        [] { return std::string("model: the change of opset"); });
    return std::pair(std::move(model), std::move(warnings));
  });
}

std::vector<std::map<std::string, std::string>>
onnxc::python::describePasses() {
  std::vector<std::map<std::string, std::string>> passes;
  for (const RewriteInfo &info : listRewrites())
    passes.push_back({{"name", info.name},
                      {"pass", info.argument},
                      {"type", info.passClass},
                      {"efficiency", info.efficiency},
                      {"gain", info.gain},
                      {"kind", info.kind},
                      {"exactness", info.exactness},
                      {"group", info.group},
                      {"summary", info.summary},
                      {"upstream", info.isUpstream() ? "yes" : ""}});
  return passes;
}

std::vector<std::string> onnxc::python::upstreamDefaultPasses() {
  return getUpstreamDefaultPasses();
}
