//===- CompiledView.cpp - What a compile makes of a model -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGraph.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Inspect.h"
#include "onnxc/Target/Levels.h"
#include "onnxc/Target/Target.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;

static std::vector<NodeKey> listFolded(ModuleOp optimized) {
  llvm::SetVector<NodeKey> keys;
  optimized.walk([&](ConstantOp constant) {
    keys.insert_range(collectNodeKeys(constant.getLoc()));
  });
  return {keys.begin(), keys.end()};
}

static std::vector<RegionView> readRegions(ModuleOp module) {
  std::vector<RegionView> regions;
  auto entries = module->getAttrOfType<ArrayAttr>(program::regions);
  if (!entries)
    return regions;
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    RegionView &region = regions.emplace_back();
    region.kind = entry.getAs<StringAttr>("kind").str();
    if (auto kernel = entry.getAs<IntegerAttr>("kernel"))
      region.kernel = static_cast<unsigned>(kernel.getInt());
    llvm::SetVector<NodeKey> keys;
    for (auto location :
         entry.getAs<ArrayAttr>("locations").getAsRange<LocationAttr>()) {
      keys.insert_range(collectNodeKeys(location));
      std::optional<NodeName> node = findNode(location);
      if (node && !node->isConstant && region.op.empty()) {
        region.name = node->name;
        region.op = node->opType;
      }
    }
    region.keys.assign(keys.begin(), keys.end());
  }
  return regions;
}

static std::optional<MemoryView> readMemory(ModuleOp module,
                                            std::vector<RegionView> &regions) {
  auto plan = module->getAttrOfType<DictionaryAttr>(program::memoryPlan);
  if (!plan)
    return std::nullopt;
  MemoryView memory;
  auto size = [&](StringRef name) {
    auto bytes = module->getAttrOfType<IntegerAttr>(name);
    return bytes ? bytes.getInt() : 0;
  };
  memory.bytes = size(program::workspace);
  memory.lowerBound = size(program::workspaceLowerBound);
  memory.alignment = plan.getAs<IntegerAttr>("alignment").getInt();
  memory.numOpen = plan.getAs<IntegerAttr>("open").getInt();
  ArrayRef<int64_t> buffers =
      plan.getAs<DenseI64ArrayAttr>("buffers").asArrayRef();
  auto locations = plan.getAs<ArrayAttr>("locations");
  for (auto location : locations.getAsRange<LocationAttr>()) {
    memory.buffers.push_back({buffers[0], buffers[1], buffers[2], buffers[3],
                              collectNodeKeys(location)});
    buffers = buffers.drop_front(4);
  }
  ArrayRef<int64_t> places =
      plan.getAs<DenseI64ArrayAttr>("regions").asArrayRef();
  for (; !places.empty(); places = places.drop_front(3))
    if (static_cast<size_t>(places[0]) < regions.size())
      regions[places[0]].place = {places[1], places[2]};
  return memory;
}

namespace {

/// The stages, one after the other, each as far as the model lets it.
class ViewedCompile {
public:
  ViewedCompile(const InspectRequest &request, const StageOptions &options,
                MLIRContext &context)
      : request(request), session(context, options) {
    session.verify = false;
    session.rewriteFailure = RewriteFailure::Warning;
  }

  /// False if a stage failed.
  bool run(CompiledView &view) {
    StringRef title = llvm::sys::path::filename(request.inputPath);
    stage = Stage::Import;
    if (failed(session.import({request.inputPath, request.bytes},
                              request.limits)) ||
        failed(runTo(Stage::Optimize)))
      return false;
    view.optimized = viewOptimized(session.getModule(), title);
    view.folded = listFolded(session.getModule());
    if (failed(runTo(Stage::Schedule)))
      return false;
    view.kernelGraphs = viewKernels(session.getModule(), title, view.kernels);
    session.options.profile = session.options.recordPlan = true;
    if (failed(runTo(Stage::Bufferize)))
      return false;
    view.regions = readRegions(session.getModule());
    view.memory = readMemory(session.getModule(), view.regions);
    return true;
  }

  Stage stage = Stage::Import;

private:
  LogicalResult runTo(Stage last) {
    while (stage < last) {
      stage = static_cast<Stage>(static_cast<int>(stage) + 1);
      if (failed(session.run(stage, stage)))
        return failure();
    }
    return success();
  }

  const InspectRequest &request;
  Session session;
};

} // namespace

FailureOr<CompiledView> onnxc::viewCompiled(const InspectRequest &request,
                                            MLIRContext &context) {
  StageOptions options = request.options;
  if (options.target.cpu.empty() && options.target.features.empty())
    options.target.cpu = nativeCpu.str();
  Location loc = FileLineColLoc::get(&context, request.inputPath, 0, 0);
  FailureOr<SmallVector<Level>> levels = getLevels(loc, options.target);
  if (failed(levels))
    return failure();
  // Of several the one that most machines run.
  options.target = levels->back().target;
  FailureOr<TargetAttr> target = makeTarget(loc, options.target);
  if (failed(target))
    return failure();
  CompiledView view;
  view.target =
      target->getCpu().str() + ", -O" + std::to_string(options.optLevel);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
        view.fault.empty())
      view.fault = StringRef(formatDiagnostic(diagnostic, getOnnxWording()))
                       .rtrim()
                       .str();
    return success();
  });
  ViewedCompile compile(request, options, context);
  if (compile.run(view)) {
    view.fault.clear();
    return view;
  }
  view.failedStage = getStageInfo(compile.stage).name.str();
  if (view.fault.empty())
    view.fault = "failed without a message; that is an error of onnxc";
  return view;
}
