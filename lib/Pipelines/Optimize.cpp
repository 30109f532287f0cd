//===- Optimize.cpp - From a model to a better model ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Optimize/Drivers.h"
#include "onnxc/Optimize/Passes.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Session.h"
#include "onnxc/Upgrade/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

int64_t OptimizeStatistics::numChanges() const {
  int64_t sum = 0;
  for (const auto &[name, count] : changes)
    sum += count;
  return sum;
}

void OptimizeStatistics::add(StringRef name, int64_t more) {
  auto known = llvm::find_if(
      changes, [&](const auto &entry) { return entry.first == name; });
  if (known != changes.end())
    known->second += more;
  else
    changes.emplace_back(name.str(), more);
}

//===----------------------------------------------------------------------===//
// Counting nodes
//===----------------------------------------------------------------------===//

/// How the model spells the operator; empty for what is not a node of it.
static std::string spellOperator(Operation *op) {
  SourceAttr source = getSource(op->getLoc());
  if (isa<ConstantOp>(op) && (op->hasAttr(model::initializer) ||
                              (source && source.getOp() == "Initializer")))
    return "";
  if (auto node = dyn_cast<NodeOp>(op)) {
    StringRef domain = node.getDomain();
    return (domain.empty() ? "" : domain + ".").str() + node.getOpType().str();
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return source ? source.getOp().str() : call.getCallee().str();
  if (!isa_and_nonnull<ONNXDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::IsTerminator>() || isa<NoneOp>(op))
    return "";
  return op->getName().stripDialect().str();
}

OperatorCounts onnxc::countOperators(ModuleOp module) {
  OperatorCounts counts;
  module->walk([&](Operation *op) {
    if (std::string name = spellOperator(op); !name.empty())
      ++counts[name];
  });
  return counts;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

ArrayRef<RewriteInfo> onnxc::listRewrites() { return getRewrites(); }

std::vector<std::string> onnxc::getUpstreamDefaultPasses() {
  std::vector<std::string> names;
  for (const RewriteInfo &info : getRewrites())
    if (info.isUpstreamDefault())
      names.push_back(info.name);
  return names;
}

std::string onnxc::checkRequest(const OptimizeRequest &request) {
  for (const std::string &name : request.rewrites.disabled)
    if (std::string wrong = checkRewriteName(name); !wrong.empty())
      return wrong;
  if (request.passes)
    for (const std::string &name : *request.passes)
      if (std::string wrong = checkRewriteName(name); !wrong.empty())
        return wrong;
  for (auto [name, budget] :
       {std::pair("fold-budget", request.rewrites.foldBudget),
        std::pair("unroll-budget", request.rewrites.unrollBudget)})
    if (const OptionNumber *number = findOptionNumber(name);
        !number->takes(budget))
      return (name + Twine(" is ") + Twine(budget) + ", " + number->describe())
          .str();
  return "";
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// What makes of an imported module one that rewrites understand.
static void buildPreparation(OpPassManager &pm, const OptimizeInput &input) {
  // Frozen initializers are not inputs. New constants can then be initializers,
  // too.
  if (input.freeze || !input.limits.frozen.empty())
    pm.addPass(createRaiseIRVersion());
  buildConversion(pm, input.opsets);
  StageOptions options;
  options.reversible = true;
  options.inlineFunctions = input.inlineFunctions;
  options.inputShapes = input.inputShapes;
  buildFrontStages(pm, options);
}

RewriteOptions OptimizeRequest::getRewriteOptions() const {
  RewriteOptions options = rewrites;
  bool asUpstream = passes && rewrites.upstreamCompatible;
  options.noSignedZeros = noSignedZeros.value_or(asUpstream);
  options.keepInterface = keepInterface.value_or(!asUpstream);
  return options;
}

void OptimizeRequest::setUpstreamDefault() {
  passes = getUpstreamDefaultPasses();
  if (!noSignedZeros)
    noSignedZeros = false;
  if (!keepInterface)
    keepInterface = true;
}

/// Adds the pass that does what is requested; null if that is nothing.
static RewritePass *buildRewriting(OpPassManager &pm,
                                   const OptimizeRequest &request) {
  if (request.passes && request.passes->empty())
    return nullptr;
  const RewriteOptions rewrites = request.getRewriteOptions();
  OptimizeRewritesOptions options;
  if (request.passes)
    llvm::append_range(options.passes, *request.passes);
  llvm::append_range(options.disabled, rewrites.disabled);
  options.fixedPoint = request.fixedPoint;
  std::unique_ptr<Pass> pass = createOptimizeRewrites(options);
  // Passes.td: its class is RewritePass.
  auto *rewriting = static_cast<RewritePass *>(pass.get());
  rewriting->setOptions(rewrites);
  pm.addPass(std::move(pass));
  return rewriting;
}

std::string onnxc::getOptimizeText(const OptimizeInput &input,
                                   const OptimizeRequest &request) {
  OpPassManager pm(ModuleOp::getOperationName());
  buildPreparation(pm, input);
  buildRewriting(pm, request);
  buildDowngrade(pm, ExportOptions());
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

/// Refuses a model that ONNX's schemas and shape rules do not allow. Rewrites
/// leave nodes alone whose old form they cannot write back, so it is a copy of
/// the model whose nodes all get the newest form.
static LogicalResult checkModel(ModuleOp module) {
  StageOptions options;
  options.lenient = true;
  Session session(*module.getContext(), options);
  session.verify = false;
  session.setModule(module.clone());
  // What is a warning here is one of the rewriting, too, if it matters there.
  ScopedDiagnosticHandler onlyErrors(
      module.getContext(), [](Diagnostic &diagnostic) {
        return failure(diagnostic.getSeverity() == DiagnosticSeverity::Error);
      });
  return session.run(Stage::Upgrade, Stage::Infer);
}

/// Runs what `build` adds. The verifier is off: what a broken model imports as
/// need not verify between the passes.
static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  build(manager);
  return success(succeeded(applyPassManagerCLOptions(manager)) &&
                 succeeded(manager.run(module)));
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::loadForRewriting(const ModelSource &source, const OptimizeInput &input,
                        MLIRContext &context) {
  ImportOptions options = input.limits;
  options.keepDefaults = !input.freeze;
  // What lies in memory lies in no folder.
  options.keepMissingData = input.keepMissingData || source.bytes;
  Session session(context);
  if (failed(session.import(source, options)) ||
      failed(checkModel(session.getModule())) ||
      failed(runPasses(session.getModule(), [&](OpPassManager &pm) {
        buildPreparation(pm, input);
      })))
    return failure();
  return session.takeModule();
}

/// A pass that may change values was named, and no promise was made that it
/// does not.
static void warnOfValues(ModuleOp module, const RewriteInfo &info,
                         const RewriteOptions &options, int64_t changes) {
  const bool isPromised =
      llvm::StringSwitch<bool>(info.promise)
          .Case("", true)
          .Case("ninf", options.noInfinities)
          .Case("assume-strictly-monotone", options.assumeStrictlyMonotone);
  if (isPromised)
    return;
  InFlightDiagnostic warning = module->emitWarning()
                               << "the pass '" << info.name << "' ";
  if (!options.upstreamCompatible)
    warning << "does nothing without the option '" << info.promise << "'";
  else
    warning << "made " << changes
            << " changes that do not keep every result: numbers that round to "
               "the same one, underflow, overflow or are NaN may give another";
}

LogicalResult onnxc::rewrite(ModuleOp module, const OptimizeRequest &request,
                             OptimizeStatistics *statistics) {
  if (std::string wrong = checkRequest(request); !wrong.empty())
    return module->emitError() << wrong;
  const RewriteOptions options = request.getRewriteOptions();
  OptimizeStatistics counted;
  if (failed(runPasses(module, [&](OpPassManager &pm) {
        if (RewritePass *pass = buildRewriting(pm, request))
          pass->setObserver([&](StringRef name, int64_t changes) {
            counted.add(name, changes);
          });
      })))
    return failure();
  if (request.passes)
    for (const auto &[name, changes] : counted.changes)
      if (changes || !options.upstreamCompatible)
        warnOfValues(module, *lookupRewrite(name), options, changes);
  if (statistics)
    for (const auto &[name, changes] : counted.changes)
      statistics->add(name, changes);
  return success();
}
