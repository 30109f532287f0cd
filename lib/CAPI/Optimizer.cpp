//===- Optimizer.cpp - Optimizing ONNX models from C ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc-c/Optimizer.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OptionNumbers.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <new>
#include <tuple>

using namespace onnxc;
using llvm::StringRef;

/// What the handle points to.
struct onnxc_optimizer {
  onnxc_optimizer() {
    static std::once_flag registered;
    std::call_once(registered, [] {
      registerAllPasses();
      // A pipeline asks for them, given or not.
      mlir::registerPassManagerCLOptions();
    });
  }

  /// The model is of the context, and goes with it: what a context has seen it
  /// keeps.
  void startContext() {
    module = nullptr;
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  OptimizeInput input;
  OptimizeRequest request;
  ExportOptions output;
  int64_t numChanges = 0;
  std::string text, bytes;
};

static onnxc_optimizer_status refuse(onnxc_optimizer *optimizer,
                                     const llvm::Twine &text) {
  optimizer->text = text.str();
  return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
}

/// Does `work` on the model, if there is one, and collects what is said.
static onnxc_optimizer_status
runOn(onnxc_optimizer *optimizer,
      llvm::function_ref<llvm::LogicalResult()> work) {
  optimizer->text.clear();
  llvm::raw_string_ostream os(optimizer->text);
  DiagnosticPrinter printer(optimizer->context.get(), os, getOnnxWording());
  bool done = llvm::succeeded(work());
  if (!done && !printer.hadError())
    os << "failed without a message; that is an error of onnxc";
  while (!optimizer->text.empty() && optimizer->text.back() == '\n')
    optimizer->text.pop_back();
  return done ? ONNXC_OPTIMIZER_OK : ONNXC_OPTIMIZER_FAILED;
}

static onnxc_optimizer_status refuseNoModel(onnxc_optimizer *optimizer) {
  optimizer->text = "no model is loaded";
  return ONNXC_OPTIMIZER_NO_MODEL;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool parse(StringRef value, bool &to) {
  if (value != "true" && value != "false")
    return false;
  to = value == "true";
  return true;
}

/// Of an option that is a number.
template <typename Number>
static bool parse(StringRef option, StringRef value, Number &to) {
  int64_t number;
  if (value.getAsInteger(10, number) ||
      !findOptionNumber(option)->takes(number))
    return false;
  to = static_cast<Number>(number);
  return true;
}

static bool parse(StringRef value, std::string &to) {
  to = value.str();
  return true;
}

/// Nullopt if there is no such option, else whether it takes the value.
static std::optional<bool> setOption(onnxc_optimizer &optimizer,
                                     StringRef option, StringRef value) {
  OptimizeInput &input = optimizer.input;
  RewriteOptions &rewrites = optimizer.request.rewrites;
  using Setter = llvm::function_ref<bool()>;
  std::optional<bool> result;
  auto when = [&](StringRef name, Setter set) {
    if (option == name)
      result = set();
  };
  when("freeze", [&] { return parse(value, input.freeze); });
  when("functions", [&] {
    input.inlineFunctions = value == "inline";
    return value == "inline" || value == "keep";
  });
  when("input-shape", [&] {
    input.inputShapes.push_back(value.str());
    return value.contains(':');
  });
  when("keep-missing-data",
       [&] { return parse(value, input.keepMissingData); });
  when("max-nodes",
       [&] { return parse(option, value, input.limits.maxNodes); });
  when("max-depth",
       [&] { return parse(option, value, input.limits.maxDepth); });
  when("fixed-point",
       [&] { return parse(value, optimizer.request.fixedPoint); });
  when("upstream-compatible",
       [&] { return parse(value, rewrites.upstreamCompatible); });
  when("disable", [&] {
    rewrites.disabled.push_back(value.str());
    return true;
  });
  auto parseOptional = [&](std::optional<bool> &to) {
    bool given = false;
    bool isGood = parse(value, given);
    if (isGood)
      to = given;
    return isGood;
  };
  when("nsz", [&] { return parseOptional(optimizer.request.noSignedZeros); });
  when("keep-interface",
       [&] { return parseOptional(optimizer.request.keepInterface); });
  when("nnan", [&] { return parse(value, rewrites.noNaNs); });
  when("ninf", [&] { return parse(value, rewrites.noInfinities); });
  when("assume-strictly-monotone",
       [&] { return parse(value, rewrites.assumeStrictlyMonotone); });
  when("keep-opset", [&] { return parse(value, rewrites.keepOpset); });
  when("fold-budget",
       [&] { return parse(option, value, rewrites.foldBudget); });
  when("unroll-budget",
       [&] { return parse(option, value, rewrites.unrollBudget); });
  when("save-external",
       [&] { return parse(value, optimizer.output.saveExternal); });
  when("external-threshold", [&] {
    return parse(option, value, optimizer.output.externalThreshold);
  });
  return result;
}

onnxc_optimizer_status onnxc_optimizer_set(onnxc_optimizer *optimizer,
                                           const char *option,
                                           const char *value) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  if (!option || !value)
    return refuse(optimizer, "an option and its value are needed");
  auto before =
      std::tuple(optimizer->input, optimizer->request, optimizer->output);
  std::optional<bool> set = setOption(*optimizer, option, value);
  std::string wrong;
  if (!set)
    wrong = "there is no option '" + std::string(option) + "'";
  else if (!*set)
    wrong =
        "the option " + std::string(option) + " does not take '" + value + "'";
  else
    wrong = checkRequest(optimizer->request);
  if (wrong.empty()) {
    optimizer->text.clear();
    return ONNXC_OPTIMIZER_OK;
  }
  // Nothing is kept of what is refused.
  std::tie(optimizer->input, optimizer->request, optimizer->output) =
      std::move(before);
  return refuse(optimizer, wrong);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

onnxc_optimizer *onnxc_optimizer_create(uint32_t version) {
  if (version != ONNXC_OPTIMIZER_VERSION)
    return nullptr;
  return new (std::nothrow) onnxc_optimizer();
}

void onnxc_optimizer_destroy(onnxc_optimizer *optimizer) {
  if (!optimizer)
    return;
  optimizer->module = nullptr;
  delete optimizer;
}

const onnxc_optimizer_pass *onnxc_optimizer_passes(size_t *count) {
  static const std::vector<onnxc_optimizer_pass> passes = [] {
    std::vector<onnxc_optimizer_pass> all;
    for (const RewriteInfo &info : listRewrites())
      all.push_back({info.name, info.passClass, info.efficiency, info.exactness,
                     info.group, info.summary});
    return all;
  }();
  if (count)
    *count = passes.size();
  return passes.data();
}

const char *onnxc_optimizer_text(const onnxc_optimizer *optimizer) {
  return optimizer ? optimizer->text.c_str() : "";
}

int64_t onnxc_optimizer_num_changes(const onnxc_optimizer *optimizer) {
  return optimizer ? optimizer->numChanges : 0;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static onnxc_optimizer_status
load(onnxc_optimizer *optimizer,
     llvm::function_ref<llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>()>
         read) {
  optimizer->startContext();
  optimizer->numChanges = 0;
  return runOn(optimizer, [&]() -> llvm::LogicalResult {
    auto module = read();
    if (failed(module))
      return llvm::failure();
    optimizer->module = std::move(*module);
    return llvm::success();
  });
}

onnxc_optimizer_status onnxc_optimizer_load_file(onnxc_optimizer *optimizer,
                                                 const char *path) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  if (!path)
    return refuse(optimizer, "a path is needed");
  return load(optimizer, [&] {
    return loadForRewriting({path, nullptr}, optimizer->input,
                            *optimizer->context);
  });
}

onnxc_optimizer_status onnxc_optimizer_load_bytes(onnxc_optimizer *optimizer,
                                                  const void *data,
                                                  size_t size) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  if (!data)
    return refuse(optimizer, "a model is needed");
  return load(optimizer, [&] {
    std::shared_ptr<const llvm::MemoryBuffer> copy =
        llvm::MemoryBuffer::getMemBufferCopy(
            StringRef(static_cast<const char *>(data), size), "model");
    return loadForRewriting({"model", std::move(copy)}, optimizer->input,
                            *optimizer->context);
  });
}

static onnxc_optimizer_status runRequest(onnxc_optimizer *optimizer,
                                         const OptimizeRequest &request) {
  if (!optimizer->module)
    return refuseNoModel(optimizer);
  if (std::string wrong = checkRequest(request); !wrong.empty())
    return refuse(optimizer, wrong);
  return runOn(optimizer, [&] {
    OptimizeStatistics statistics;
    llvm::LogicalResult result =
        rewrite(*optimizer->module, request, &statistics);
    optimizer->numChanges += statistics.numChanges();
    return result;
  });
}

onnxc_optimizer_status onnxc_optimizer_run(onnxc_optimizer *optimizer) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  OptimizeRequest request = optimizer->request;
  request.passes.reset();
  return runRequest(optimizer, request);
}

onnxc_optimizer_status onnxc_optimizer_run_passes(onnxc_optimizer *optimizer,
                                                  const char *const *names,
                                                  size_t count) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  OptimizeRequest request = optimizer->request;
  request.passes.emplace();
  for (size_t i = 0; i < count; ++i) {
    if (!names || !names[i])
      return refuse(optimizer, "the name of a pass is NULL");
    request.passes->push_back(names[i]);
  }
  return runRequest(optimizer, request);
}

/// Export changes the forms of operators: a copy is written.
static onnxc_optimizer_status
save(onnxc_optimizer *optimizer,
     llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)> write) {
  if (!optimizer->module)
    return refuseNoModel(optimizer);
  return runOn(optimizer, [&] {
    mlir::OwningOpRef<mlir::ModuleOp> copy = optimizer->module->clone();
    return write(*copy);
  });
}

onnxc_optimizer_status onnxc_optimizer_save_file(onnxc_optimizer *optimizer,
                                                 const char *path) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  if (!path)
    return refuse(optimizer, "a path is needed");
  return save(optimizer, [&](mlir::ModuleOp module) {
    return exportModel(module, StringRef(path), optimizer->output);
  });
}

onnxc_optimizer_status onnxc_optimizer_save_bytes(onnxc_optimizer *optimizer,
                                                  const void **data,
                                                  size_t *size) {
  if (!optimizer)
    return ONNXC_OPTIMIZER_INVALID_ARGUMENT;
  if (!data || !size)
    return refuse(optimizer,
                  "places for the bytes and their number are needed");
  onnxc_optimizer_status status = save(optimizer, [&](mlir::ModuleOp module) {
    std::string bytes;
    llvm::LogicalResult result = exportModel(module, bytes, optimizer->output);
    optimizer->bytes = std::move(bytes);
    return result;
  });
  *data = optimizer->bytes.data();
  *size = optimizer->bytes.size();
  return status;
}
