//===- Pipelines.cpp - The stages of a compile and their order ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Pipelines.h"

#include "onnxc/Bufferize/Pipeline.h"
#include "onnxc/Emit/Pipeline.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Infer/Pipeline.h"
#include "onnxc/Lower/Pipeline.h"
#include "onnxc/Optimize/Pipeline.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Schedule/Pipeline.h"
#include "onnxc/Target/Levels.h"
#include "onnxc/Upgrade/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

static constexpr StageInfo stages[] = {
    {Stage::Import, "import", "",
     "the model as it is: names in locations, weights as resources"},
    {Stage::Upgrade, "upgrade", "onnxc-upgrade",
     "every operator of a known domain in its newest form"},
    {Stage::Infer, "infer", "onnxc-infer",
     "element types and ranks known, shapes folded"},
    {Stage::Optimize, "optimize", "onnxc-optimize",
     "a smaller graph with the same signature and names"},
    {Stage::Lower, "lower", "onnxc-lower",
     "no onnx operations: linalg, tensor, scf, arith, math"},
    {Stage::Schedule, "schedule", "onnxc-schedule",
     "fused; each structured op carries its schedule; still tensors"},
    {Stage::Bufferize, "bufferize", "onnxc-bufferize",
     "no tensors: one arena for static temporaries, the C signature"},
    {Stage::LLVM, "llvm", "onnxc-llvm", "the llvm dialect only"},
    {Stage::Emit, "emit", "", "the requested file"},
};

ArrayRef<StageInfo> onnxc::getStages() { return stages; }

const StageInfo &onnxc::getStageInfo(Stage stage) {
  return stages[static_cast<size_t>(stage)];
}

std::optional<Stage> onnxc::parseStage(StringRef name) {
  const auto *found = llvm::find_if(
      stages, [&](const StageInfo &info) { return info.name == name; });
  if (found == std::end(stages))
    return std::nullopt;
  return found->stage;
}

/// Prints the options of a stage as its pipeline parses them.
template <typename Options> static std::string print(Options &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  options.print(os);
  return text;
}

static void setOptions(UpgradeOptions &upgrade, const StageOptions &options) {
  upgrade.keepUnknown = options.lenient;
  upgrade.reversible = options.reversible;
  upgrade.lastLogits = options.lastLogits;
  for (const std::string &pair : options.states)
    upgrade.states.addValue(pair);
  upgrade.stateCapacity = static_cast<int64_t>(options.stateCapacity);
}

static void setOptions(InferOptions &infer, const StageOptions &options) {
  infer.lenient = options.lenient;
  infer.reversible = options.reversible;
  infer.inlineFunctions = options.inlineFunctions;
  infer.maxTensorBytes = options.maxTensorBytes;
  infer.batchOfOne = options.batchOfOne;
  for (const std::string &dim : options.dims)
    infer.dims.addValue(dim);
  for (const std::string &shape : options.inputShapes)
    infer.inputShapes.addValue(shape);
  for (const std::string &pulse : options.pulses)
    infer.pulses.addValue(pulse);
}

std::string onnxc::getStageText(Stage stage, const StageOptions &options) {
  std::string text = getStageInfo(stage).pipeline.str();
  switch (stage) {
  case Stage::Upgrade: {
    if (!options.lenient && !options.reversible && options.states.empty() &&
        options.lastLogits.empty())
      return text;
    UpgradeOptions upgrade;
    setOptions(upgrade, options);
    return text + print(upgrade);
  }
  case Stage::Infer: {
    if (options.inputShapes.empty() && options.dims.empty() &&
        options.pulses.empty() &&
        options.maxTensorBytes == defaults::max_tensor_bytes &&
        !options.lenient && !options.reversible && !options.batchOfOne)
      return text;
    InferOptions infer;
    setOptions(infer, options);
    return text + print(infer);
  }
  case Stage::Optimize: {
    if (!options.rewrites || options.optLevel == 0)
      return text;
    OptimizeOptions optimize;
    optimize.rewrites = true;
    optimize.foldBudget = options.foldBudget;
    text += print(optimize);
    return options.afterRewrites.empty() ? text
                                         : text + "," + options.afterRewrites;
  }
  case Stage::Lower: {
    if (options.activationInt8 == "model")
      return text;
    LowerOptions lower;
    lower.activationInt8 = options.activationInt8;
    return text + print(lower);
  }
  case Stage::Schedule: {
    ScheduleOptions schedule;
    schedule.optLevel = options.optLevel;
    schedule.winograd = options.winograd;
    schedule.tuning = options.tuning;
    return text + print(schedule);
  }
  case Stage::Bufferize: {
    BufferizeOptions bufferize;
    bufferize.optLevel = options.optLevel;
    bufferize.remarks = options.remarks;
    bufferize.profile = options.profile;
    bufferize.separateBuffers = options.separateBuffers;
    bufferize.recordPlan = options.recordPlan;
    return text + print(bufferize);
  }
  case Stage::LLVM: {
    LLVMOptions llvm;
    llvm.optLevel = options.optLevel;
    return text + print(llvm);
  }
  default:
    return text;
  }
}

/// The pass that states the target, as --pass-pipeline takes it.
static std::string getTargetText(const TargetOptions &target) {
  std::string text = "onnxc-set-target{";
  if (!target.triple.empty())
    text += "triple=" + target.triple + " ";
  if (!target.cpu.empty())
    text += "cpu=" + target.cpu;
  if (!target.features.empty())
    text += " features=" + target.features;
  if (!target.layout.empty())
    text += " layout=" + target.layout;
  if (target.freestanding)
    text += " freestanding=true";
  return text + "}";
}

/// The stages of all levels, in lines: up to lower, and the others for each.
static std::string getTextOfLevels(Stage first, Stage last,
                                   const StageOptions &options,
                                   ArrayRef<Level> levels) {
  std::string text;
  if (first <= Stage::Lower)
    text = getPipelineText(first, Stage::Lower, options) + "\n";
  StageOptions own = options;
  for (const Level &level : levels) {
    own.target = level.target;
    text += getPipelineText(std::max(first, Stage::Schedule), last, own) + "\n";
  }
  return StringRef(text).trim().str();
}

std::string onnxc::getPipelineText(Stage first, Stage last,
                                   const StageOptions &options) {
  SmallVector<Level> levels = listLevels(options.target);
  if (levels.size() > 1 && last >= Stage::Schedule)
    return getTextOfLevels(first, last, options, levels);
  std::vector<std::string> parts;
  if (last >= Stage::Schedule)
    parts.push_back(getTargetText(levels.front().target));
  for (const StageInfo &info : stages)
    if (!info.pipeline.empty() && info.stage >= first && info.stage <= last)
      parts.push_back(getStageText(info.stage, options));
  return "builtin.module(" + llvm::join(parts, ",") + ")";
}

LogicalResult onnxc::runPipelineText(
    ModuleOp module, StringRef text, bool verify,
    llvm::function_ref<LogicalResult(PassManager &)> configure) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  if (failed(parsePassPipeline(text, manager)))
    return mlir::emitError(module.getLoc())
           << "internal error: bad pipeline " << text;
  manager.enableVerifier(false);
  if (configure && failed(configure(manager)))
    return failure();
  if (failed(manager.run(module)))
    return failure();
  return success(!verify || succeeded(mlir::verify(module)));
}

/// Where the sizes of the first iteration or of one branch were declared,
/// nothing is to be inferred from them in the upgrade stage, either.
static void buildUpgradeStage(OpPassManager &pm,
                              const UpgradeOptions &options) {
  buildUpgradePipeline(pm, options, [](OpPassManager &inner) {
    inner.addPass(createForgetCarriedSizes());
  });
}

void onnxc::buildFrontStages(OpPassManager &pm, const StageOptions &options) {
  UpgradeOptions upgrade;
  setOptions(upgrade, options);
  buildUpgradeStage(pm, upgrade);
  InferOptions infer;
  setOptions(infer, options);
  buildInferPipeline(pm, infer);
}

/// What was inferred must hold of what rewrites make of it, too.
static void buildOptimizeStage(OpPassManager &pm,
                               const OptimizeOptions &options) {
  buildOptimizePipeline(pm, options, buildInferAgainPipeline);
}

/// The vectorizer belongs to Schedule but works on buffers: it runs inside the
/// bufferize stage (docs/decisions/005-vectorize-on-buffers.md).
static void buildBufferizeStage(OpPassManager &pm,
                                const BufferizeOptions &options) {
  ScheduleOptions schedule;
  schedule.optLevel = options.optLevel;
  schedule.remarks = options.remarks;
  schedule.plainKernels = options.plainKernels;
  buildBufferizePipeline(
      pm, options,
      [&](OpPassManager &inner) { buildVectorizePipeline(inner, schedule); },
      [](OpPassManager &inner) {
        inner.addNestedPass<func::FuncOp>(createMergeEqualPass());
      });
}

/// Registers the pipeline of a stage under the name and with the words of the
/// table.
template <typename Options>
static void registerStage(Stage stage,
                          void (*build)(OpPassManager &, const Options &)) {
  const StageInfo &info = getStageInfo(stage);
  PassPipelineRegistration<Options>(info.pipeline, info.contract, build);
}

void onnxc::registerPipelines() {
  registerStage(Stage::Upgrade, buildUpgradeStage);
  registerStage(Stage::Infer, buildInferPipeline);
  registerStage(Stage::Optimize, buildOptimizeStage);
  registerStage(Stage::Lower, buildLowerPipeline);
  registerStage(Stage::Schedule, buildSchedulePipeline);
  registerStage(Stage::Bufferize, buildBufferizeStage);
  registerStage(Stage::LLVM, buildLLVMPipeline);
}
