//===- Optimize.cpp - From a model to a better model ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Optimize.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Optimize/Drivers.h"
#include "onnxc/Optimize/Passes.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Upgrade/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

int64_t OptimizeStatistics::numChanges() const {
  int64_t sum = 0;
  for (const auto &[name, count] : changes)
    sum += count;
  return sum;
}

//===----------------------------------------------------------------------===//
// Counting nodes
//===----------------------------------------------------------------------===//

/// How the model spells the operator; empty for what is no node of it.
static std::string spellOperator(Operation *op) {
  SourceAttr source = getSource(op->getLoc());
  if (isa<ConstantOp>(op) && (op->hasAttr("onnx.initializer") ||
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
    if (budget < 0)
      return (name + Twine(" is ") + Twine(budget) +
              ", a number from 0 up was expected")
          .str();
  return "";
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// What makes of an imported module one that rewrites understand.
static void buildPreparation(OpPassManager &pm, const OptimizeInput &input) {
  UpgradeNodesOptions upgrade;
  upgrade.keepUnknown = true;
  upgrade.reversible = true;
  pm.addPass(createUpgradeNodes(upgrade));
  if (input.inlineFunctions) {
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
  }
  if (!input.inputShapes.empty()) {
    SpecializeInputsOptions inputs;
    llvm::append_range(inputs.shapes, input.inputShapes);
    pm.addPass(createSpecializeInputs(inputs));
  }
  InferShapesOptions infer;
  infer.lenient = true;
  pm.addPass(createInferShapes(infer));
}

static std::unique_ptr<Pass> createRewrites(const OptimizeRequest &request) {
  const RewriteOptions &rewrites = request.rewrites;
  OptimizeRewritesOptions options;
  if (request.passes)
    llvm::append_range(options.passes, *request.passes);
  llvm::append_range(options.disabled, rewrites.disabled);
  options.fixedPoint = request.fixedPoint;
  std::unique_ptr<Pass> pass = createOptimizeRewrites(options);
  // Passes.td: its class is RewritePass.
  static_cast<RewritePass &>(*pass).setOptions(rewrites);
  return pass;
}

std::string onnxc::getOptimizeText(const OptimizeInput &input,
                                   const OptimizeRequest &request) {
  OpPassManager pm(ModuleOp::getOperationName());
  buildPreparation(pm, input);
  if (!request.passes || !request.passes->empty())
    pm.addPass(createRewrites(request));
  pm.addPass(createDowngradeNodes());
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

/// What the model declares of an input or output of a type that is now known
/// better; `set` changes an attribute, or takes it away.
static void declareType(DictionaryAttr declared, Type type,
                        function_ref<void(StringRef, Attribute)> set) {
  if (!declared || !isa<RankedTensorType>(type))
    return;
  auto before = declared.getAs<TypeAttr>("onnx.type");
  if (before && before.getValue() == type)
    return;
  set("onnx.type", before ? TypeAttr::get(type) : TypeAttr());
  // The message as it was written says the old type.
  set("onnx.proto", Attribute());
}

/// Shapes that the user states become the model's.
static void declareShapes(ModuleOp module) {
  for (auto entry : module.getOps<func::FuncOp>()) {
    if (!entry->hasAttr("onnx.entry"))
      continue;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      declareType(entry.getArgAttrDict(i), entry.getArgumentTypes()[i],
                  [&](StringRef name, Attribute value) {
                    if (value)
                      entry.setArgAttr(i, name, value);
                    else
                      entry.removeArgAttr(i, name);
                  });
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      declareType(entry.getResultAttrDict(i), entry.getResultTypes()[i],
                  [&](StringRef name, Attribute value) {
                    auto attr = StringAttr::get(module.getContext(), name);
                    if (value)
                      entry.setResultAttr(i, attr, value);
                    else
                      entry.removeResultAttr(i, attr);
                  });
  }
}

/// Frozen initializers are no inputs, which IR version 4 was the first to
/// allow; new constants can then be initializers, too.
static void raiseFrozen(ModuleOp module) {
  constexpr StringLiteral name = "onnx.ir_version";
  auto version = module->getAttrOfType<IntegerAttr>(name);
  if (version && version.getInt() < 4)
    module->setAttr(name, IntegerAttr::get(version.getType(), 4));
}

static FailureOr<OwningOpRef<ModuleOp>>
prepare(FailureOr<OwningOpRef<ModuleOp>> module, const OptimizeInput &input,
        MLIRContext &context) {
  if (failed(module))
    return failure();
  if (input.freeze)
    raiseFrozen(**module);
  if (!input.opsets.empty() && failed(convertOpsets(**module, input.opsets)))
    return failure();
  PassManager manager(&context, ModuleOp::getOperationName());
  // What a broken model imports as need not verify between the passes.
  manager.enableVerifier(false);
  buildPreparation(manager, input);
  if (failed(applyPassManagerCLOptions(manager)) ||
      failed(manager.run(**module)))
    return failure();
  if (!input.inputShapes.empty())
    declareShapes(**module);
  return module;
}

static ImportOptions getImportOptions(const OptimizeInput &input) {
  ImportOptions options = input.limits;
  options.keepDefaults = !input.freeze;
  options.keepMissingData = input.keepMissingData;
  return options;
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::loadForRewriting(StringRef path, const OptimizeInput &input,
                        MLIRContext &context) {
  return prepare(importModelFile(path, &context, getImportOptions(input)),
                 input, context);
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::loadForRewriting(std::shared_ptr<const llvm::MemoryBuffer> bytes,
                        StringRef path, const OptimizeInput &input,
                        MLIRContext &context) {
  ImportOptions options = getImportOptions(input);
  options.keepMissingData = true;
  return prepare(importModelBuffer(std::move(bytes), path, &context, options),
                 input, context);
}

LogicalResult onnxc::rewrite(ModuleOp module, const OptimizeRequest &request,
                             OptimizeStatistics *statistics) {
  if (std::string wrong = checkRequest(request); !wrong.empty())
    return module->emitError() << wrong;
  auto observe = [&](StringRef name, int64_t changes) {
    if (!statistics)
      return;
    auto known = llvm::find_if(statistics->changes, [&](const auto &entry) {
      return entry.first == name;
    });
    if (known != statistics->changes.end())
      known->second += changes;
    else
      statistics->changes.emplace_back(name.str(), changes);
  };
  // That there is no end of it is a warning: the model is right all the same.
  if (!request.passes) {
    (void)runDefaultRewrites(module, request.rewrites, observe);
    return success();
  }
  SmallVector<const RewriteInfo *> rewrites;
  for (const std::string &name : *request.passes)
    rewrites.push_back(lookupRewrite(name));
  if (request.fixedPoint)
    (void)runRewritesToFixedPoint(module, rewrites, request.rewrites, observe);
  else
    runRewrites(module, rewrites, request.rewrites, observe);
  return success();
}
