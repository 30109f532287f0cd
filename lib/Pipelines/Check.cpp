//===- Check.cpp - What is wrong with a model, and what onnxc lacks -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Check.h"

#include "SampleNodes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Compile.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// A model with fewer nodes is lowered as a whole.
static constexpr int64_t minSampled = 20000;

/// Takes the elements out of large weights that lowering would unpack: nobody
/// reads them here.
static void forgetPackedWeights(ModuleOp module) {
  constexpr size_t minBytes = 1 << 20;
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(module.getContext());
  module->walk([&](ConstantOp constant) {
    auto resource =
        dyn_cast_or_null<DenseResourceElementsAttr>(constant.getValueAttr());
    std::optional<ArrayRef<char>> packed =
        resource ? getPackedData(resource) : std::nullopt;
    if (packed && packed->size() >= minBytes)
      constant.setValueAttr(DenseResourceElementsAttr::get(
          resource.getType(),
          manager.insert(resource.getRawHandle().getKey())));
  });
}

namespace {

/// Takes the diagnostics of a stage apart.
class Collector : public ScopedDiagnosticHandler {
public:
  Collector(MLIRContext &context, CheckReport &report, Stage stage,
            int64_t maxFaults)
      : ScopedDiagnosticHandler(&context), report(report), stage(stage),
        maxFaults(maxFaults) {
    setHandler([this](Diagnostic &diagnostic) { take(diagnostic); });
  }

  /// Where the module has holes, that something is not known says nothing.
  bool hasHoles = false;

private:
  void take(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return;
    bool isTable = false;
    if (std::optional<UnsupportedUse> use = readUnsupported(diagnostic)) {
      isTable = true;
      if (!hasHoles)
        add(*use, diagnostic);
    }
    for (Diagnostic &note : diagnostic.getNotes())
      if (std::optional<UnsupportedUse> use = readUnsupported(note)) {
        isTable = true;
        add(*use, note);
      }
    if (!isTable)
      addFault(diagnostic);
  }

  void addFault(Diagnostic &diagnostic) {
    CheckReport::Fault fault{stage, "", "", "", {}};
    std::optional<NodeName> node = findNode(diagnostic.getLocation());
    if (node) {
      fault.node = node->name;
      fault.opType = node->opType;
    }
    fault.message = getMessage(diagnostic, node);
    for (Diagnostic &note : diagnostic.getNotes()) {
      // The op as text helps only who works on onnxc.
      if (StringRef(note.str()).starts_with("see current operation"))
        continue;
      std::string text = formatDiagnostic(note, findNode);
      StringRef rest = StringRef(text).trim();
      rest.consume_front(report.path + ": ");
      rest.consume_front("note: ");
      fault.notes.push_back(rest.str());
    }
    // A function is read, and a branch inferred, more than once.
    if (!seen.insert(fault.node + '\0' + fault.opType + '\0' + fault.message)
             .second)
      return;
    auto &list = diagnostic.getSeverity() == DiagnosticSeverity::Warning
                     ? report.warnings
                     : report.faults;
    if (static_cast<int64_t>(list.size()) < maxFaults)
      list.push_back(std::move(fault));
    else
      report.isCutOff = true;
  }

  void add(const UnsupportedUse &use, Diagnostic &at) {
    for (CheckReport::Unsupported &row : report.unsupported) {
      if (row.use.opType != use.opType || row.use.domain != use.domain ||
          row.use.version != use.version)
        continue;
      // What the upgrade knows no form of the lowering does not know either.
      if (row.use.reason.empty())
        return;
      if (row.use.reason == use.reason) {
        row.use.count += use.count;
        return;
      }
    }
    std::optional<NodeName> node = findNode(at.getLocation());
    report.unsupported.push_back({use, node ? node->name : ""});
  }

  CheckReport &report;
  Stage stage;
  int64_t maxFaults;
  std::set<std::string> seen;
};

/// A check under way.
class Check {
public:
  Check(const CheckRequest &request, MLIRContext &context)
      : request(request), context(context) {
    report.path = request.inputPath;
  }

  CheckReport run() {
    if (succeeded(infer()) && !hasHoles && failed(lower(/*rewrites=*/false)) &&
        request.options.rewrites && request.options.optLevel > 0)
      tryRewrites();
    return std::move(report);
  }

private:
  LogicalResult import() {
    Collector collector(context, report, Stage::Import, request.maxFaults);
    ImportOptions options = request.limits;
    options.keepGoing = true;
    options.maxFaults = request.maxFaults;
    FailureOr<OwningOpRef<ModuleOp>> imported =
        request.bytes ? importModelBuffer(request.bytes, request.inputPath,
                                          &context, options)
                      : importModelFile(request.inputPath, &context, options);
    if (failed(imported)) {
      report.isCutOff = !report.faults.empty();
      return failure();
    }
    module = std::move(*imported);
    forgetPackedWeights(*module);
    hasHoles = (*module)->hasAttr(holesAttrName);
    return success();
  }

  LogicalResult runStage(Stage stage, bool rewrites = false) {
    Collector collector(context, report, stage, request.maxFaults);
    collector.hasHoles = hasHoles;
    StageOptions options = request.options;
    options.rewrites = rewrites;
    PassManager manager(&context, ModuleOp::getOperationName());
    manager.enableVerifier(false);
    size_t before = report.faults.size() + report.unsupported.size();
    if (succeeded(parsePassPipeline(getStageText(stage, options), manager)) &&
        succeeded(manager.run(*module)) &&
        (hasHoles || succeeded(verify(*module))))
      return success();
    if (!hasHoles && before == report.faults.size() + report.unsupported.size())
      report.faults.push_back(
          {stage,
           "",
           "",
           "the stage '" + getStageInfo(stage).name.str() +
               "' failed without saying why; that is an error of onnxc",
           {}});
    return failure();
  }

  /// Everything before the rewrites.
  LogicalResult infer() {
    if (failed(import()))
      return failure();
    report.opVersions = listOpVersions(*module);
    for (const OpVersionUse &use : report.opVersions)
      report.numNodes += use.count;
    // An operator without a newest form leaves a gap, as a fault does.
    if (failed(runStage(Stage::Upgrade)))
      hasHoles = true;
    return runStage(Stage::Infer);
  }

  LogicalResult lower(bool rewrites) {
    if (!rewrites && lowerSamples())
      return success();
    return success(succeeded(runStage(Stage::Optimize, rewrites)) &&
                   succeeded(runStage(Stage::Lower, rewrites)));
  }

  /// In a large model, whether one of each kind of nodes can be lowered. If
  /// not, the whole model may tell more.
  bool lowerSamples() {
    OwningOpRef<ModuleOp> samples = sampleNodes(*module, minSampled);
    if (!samples)
      return false;
    ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
    PassManager manager(&context, ModuleOp::getOperationName());
    manager.enableVerifier(false);
    return succeeded(parsePassPipeline(
               getStageText(Stage::Lower, request.options), manager)) &&
           succeeded(manager.run(*samples)) && succeeded(verify(*samples));
  }

  /// What cannot be lowered as it is may be gone, or have another form, after
  /// the rewrites, as a compile runs them. They take longer.
  void tryRewrites() {
    Check again(request, context);
    if (succeeded(again.infer()) && !again.hasHoles &&
        succeeded(again.lower(/*rewrites=*/true)))
      report = std::move(again.report);
  }

  const CheckRequest &request;
  MLIRContext &context;
  OwningOpRef<ModuleOp> module;
  CheckReport report;
  bool hasHoles = false;
};

} // namespace

CheckReport onnxc::checkModel(const CheckRequest &request,
                              MLIRContext &context) {
  return Check(request, context).run();
}
