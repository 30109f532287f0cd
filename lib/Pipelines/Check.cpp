//===- Check.cpp - What is wrong with a model, and what onnxc lacks -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Check.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "SampleNodes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// A model with fewer nodes is lowered as a whole.
static constexpr int64_t minSampled = 20000;

/// Takes the elements out of large weights that lowering would unpack: they are
/// not read here.
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
  /// `seen`: what any stage has said.
  Collector(MLIRContext &context, CheckReport &report, Stage stage,
            int64_t maxFaults, std::set<std::string> &seen)
      : ScopedDiagnosticHandler(&context), report(report), stage(stage),
        maxFaults(maxFaults), seen(seen) {
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
    fault.code = classify(diagnostic, getOnnxWording());
    std::optional<NodeName> node = findNode(diagnostic.getLocation());
    if (node) {
      fault.node = node->name;
      fault.opType = node->opType;
    }
    fault.message = getMessage(diagnostic, node, getOnnxWording());
    for (Diagnostic &note : diagnostic.getNotes()) {
      // The printed op helps only developers of onnxc.
      if (StringRef(note.str()).starts_with("see current operation"))
        continue;
      std::string text = formatDiagnostic(note, getOnnxWording());
      StringRef rest = StringRef(text).trim();
      rest.consume_front(report.path + ": ");
      rest.consume_front("note: ");
      fault.notes.push_back(rest.str());
    }
    // A function is read, and a branch inferred, more than once; and a stage
    // that goes on finds what the one before it has found.
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
  std::set<std::string> &seen;
};

/// A check under way.
class Check {
public:
  /// `overridable`: with the code that runs where initializers are overridden.
  Check(const CheckRequest &request, MLIRContext &context, bool overridable)
      : request(request), context(context), overridable(overridable),
        session(context, request.options) {
    report.path = request.inputPath;
    session.around = [this](Stage stage, function_ref<LogicalResult()> work) {
      return runStage(stage, work);
    };
  }

  CheckReport run() {
    if (succeeded(infer()) && !hasHoles && failed(lower(/*rewrites=*/false)) &&
        request.options.rewrites && request.options.optLevel > 0)
      tryRewrites();
    return std::move(report);
  }

  /// Whether the model has initializers that a caller may override.
  bool hasOverridable() const { return foundOverridable; }

private:
  /// Whether an initializer is an input, too, of a model in which that makes it
  /// overridable; it was imported as a constant.
  static bool findOverridable(ModuleOp module) {
    auto version = module->getAttrOfType<IntegerAttr>(model::irVersion);
    if (!version || version.getInt() < 4)
      return false;
    for (auto function : module.getOps<func::FuncOp>())
      if (auto graph = function->getAttrOfType<DictionaryAttr>(model::graph))
        if (function->hasAttr(model::entry) && graph.get("defaulted_inputs"))
          return true;
    return false;
  }

  LogicalResult import() {
    Collector collector(context, report, Stage::Import, request.maxFaults,
                        seen);
    ImportOptions options = request.limits;
    options.keepGoing = true;
    options.keepDefaults = overridable;
    options.onlyOverridable = true;
    options.maxFaults = request.maxFaults;
    if (failed(session.import({request.inputPath, request.bytes}, options))) {
      report.isCutOff = !report.faults.empty();
      report.isUnread =
          llvm::all_of(report.faults, [](const CheckReport::Fault &fault) {
            return fault.opType.empty();
          });
      return failure();
    }
    foundOverridable = findOverridable(session.getModule());
    forgetPackedWeights(session.getModule());
    hasHoles = session.getModule()->hasAttr(model::holes);
    return success();
  }

  LogicalResult runStage(Stage stage, function_ref<LogicalResult()> work) {
    Collector collector(context, report, stage, request.maxFaults, seen);
    collector.hasHoles = hasHoles;
    session.verify = !hasHoles;
    size_t before = report.faults.size() + report.unsupported.size();
    if (succeeded(work()))
      return success();
    if (!hasHoles && before == report.faults.size() + report.unsupported.size())
      report.faults.push_back(
          {stage,
           "",
           "",
           "the stage '" + getStageInfo(stage).name.str() +
               "' failed without a message; that is an error of onnxc",
           {}});
    return failure();
  }

  /// Everything before the rewrites.
  LogicalResult infer() {
    if (failed(import()))
      return failure();
    report.opVersions = listOpVersions(session.getModule());
    for (const OpVersionUse &use : report.opVersions)
      report.numNodes += use.count;
    // An operator without a newest form leaves a gap, as a fault does.
    if (failed(session.run(Stage::Upgrade, Stage::Upgrade)))
      hasHoles = true;
    return session.run(Stage::Infer, Stage::Infer);
  }

  LogicalResult lower(bool rewrites) {
    if (!rewrites && lowerSamples())
      return success();
    session.options.rewrites = rewrites;
    return session.run(Stage::Optimize, Stage::Lower);
  }

  /// In a large model, whether one of each kind of nodes can be lowered. If
  /// not, the whole model may tell more.
  bool lowerSamples() {
    OwningOpRef<ModuleOp> samples =
        sampleNodes(session.getModule(), minSampled);
    if (!samples)
      return false;
    ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
    Session sampled(context, request.options);
    sampled.setModule(std::move(samples));
    return succeeded(sampled.run(Stage::Lower, Stage::Lower));
  }

  /// What cannot be lowered as it is may be gone, or have another form, after
  /// the rewrites, as a compile runs them. They take longer.
  void tryRewrites() {
    Check again(request, context, overridable);
    if (succeeded(again.infer()) && !again.hasHoles &&
        succeeded(again.lower(/*rewrites=*/true)))
      report = std::move(again.report);
  }

  const CheckRequest &request;
  MLIRContext &context;
  bool overridable, foundOverridable = false;
  Session session;
  CheckReport report;
  bool hasHoles = false;
  std::set<std::string> seen;
};

} // namespace

CheckReport onnxc::checkModel(const CheckRequest &request,
                              MLIRContext &context) {
  Check check(request, context, /*overridable=*/false);
  CheckReport report = check.run();
  if (request.freeze || !report.isSupported() || !check.hasOverridable())
    return report;
  // A compile takes those for constants whose values it must know.
  CheckReport overridden = Check(request, context, /*overridable=*/true).run();
  constexpr StringLiteral what = "some initializers cannot be overridden: ";
  for (CheckReport::Fault &fault : overridden.faults) {
    fault.message = (what + fault.message).str();
    report.warnings.push_back(std::move(fault));
  }
  for (const CheckReport::Unsupported &row : overridden.unsupported)
    report.warnings.push_back({Stage::Lower,
                               row.firstNode,
                               row.use.opType,
                               (what + row.use.reason).str(),
                               {},
                               FindingCode::UnsupportedOperator});
  return report;
}
