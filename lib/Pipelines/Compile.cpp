//===- Compile.cpp - One compile, from a file to a file -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "OutputKinds.h"
#include "Overridable.h"
#include "SideBySide.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Messages.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Emit/Emit.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Schedule/IntegerDots.h"
#include "onnxc/Support/OutputFile.h"
#include "onnxc/Support/PeakMemory.h"
#include "onnxc/Target/Architecture.h"
#include "onnxc/Target/Levels.h"
#include "onnxc/Target/Target.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <chrono>

using namespace mlir;
using namespace onnxc;

/// Above this, dumps leave weights out: nine copies of them as text would fill
/// the disk.
static constexpr size_t maxDumpedWeightBytes = 16 << 20;

std::optional<OutputKind> onnxc::parseOutputKind(StringRef name) {
  return llvm::StringSwitch<std::optional<OutputKind>>(name)
      .Case("so", OutputKind::SharedObject)
      .Case("exe", OutputKind::Program)
      .Cases({"a", "lib"}, OutputKind::Archive)
      .Cases({"o", "obj"}, OutputKind::Object)
      .Case("s", OutputKind::Assembly)
      .Case("ll", OutputKind::LLVMIR)
      .Case("wasm", OutputKind::WebAssembly)
      .Cases({"mlir", "mlirbc"}, OutputKind::MLIR)
      .Case("h", OutputKind::Header)
      .Case("onnx", OutputKind::Model)
      .Default(std::nullopt);
}

std::optional<OutputKind> onnxc::outputKindFromPath(StringRef path) {
  StringRef suffix = llvm::sys::path::extension(path);
  if (suffix.empty())
    return OutputKind::Program;
  // A program for Windows would be named so, and there is none.
  return suffix == ".exe" ? std::nullopt : parseOutputKind(suffix.drop_front());
}

bool onnxc::hasHeader(OutputKind kind) {
  return kind == OutputKind::SharedObject || kind == OutputKind::Archive ||
         kind == OutputKind::Object || kind == OutputKind::Header;
}

bool onnxc::isMLIRFile(StringRef path) {
  return path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

StringRef onnxc::getDefaultCpu(const CompileRequest &request) {
  bool isLibrary = request.kind == OutputKind::SharedObject ||
                   request.kind == OutputKind::Program ||
                   request.kind == OutputKind::Archive ||
                   request.kind == OutputKind::Object;
  return isLibrary && request.options.optLevel > 0 &&
                 !request.options.target.freestanding &&
                 request.options.target.features.empty() &&
                 !isMLIRFile(request.inputPath)
             ? StringRef(portableCpu)
         : request.options.target.triple.empty() ? StringRef("native")
                                                 : StringRef();
}

StringRef onnxc::getDefaultTriple(const CompileRequest &request) {
  return request.kind == OutputKind::WebAssembly ? "wasm32-unknown-unknown"
                                                 : "";
}

bool onnxc::wantsBatchOfOne(const CompileRequest &request) {
  const StageOptions &options = request.options;
  bool isStated = !options.dims.empty() || !options.inputShapes.empty() ||
                  !options.pulses.empty() || !options.states.empty();
  // A module shows a stage, of the model as it is.
  return options.optLevel >= 2 && !isStated &&
         request.kind != OutputKind::MLIR && request.kind != OutputKind::Model;
}

StageRange onnxc::getStageRange(const CompileRequest &request) {
  StageRange range{Stage::Import, Stage::Emit};
  if (request.startFrom)
    range.first = *request.startFrom;
  else if (isMLIRFile(request.inputPath))
    range.first = Stage::Upgrade;
  // The last form that is still the onnx dialect is what a reader wants to see
  // who does not say anything else.
  if (request.kind == OutputKind::MLIR || request.kind == OutputKind::Model)
    range.last = request.stopAfter.value_or(
        request.opsets.empty() ? Stage::Optimize : Stage::Import);
  // The header needs the C signature, which the bufferize stage makes.
  if (request.kind == OutputKind::Header)
    range.last = Stage::Bufferize;
  return range;
}

namespace {

/// The state of one compile.
class Compilation {
public:
  Compilation(const CompileRequest &request, MLIRContext &context)
      : request(request), context(context),
        fileLoc(FileLineColLoc::get(&context, request.inputPath, 0, 0)),
        session(context, request.options) {
    session.rewriteFailure = request.rewriteFailure;
    session.configure = [](PassManager &manager) {
      applyDefaultTimingPassManagerCLOptions(manager);
      return applyPassManagerCLOptions(manager);
    };
    session.around = [this](Stage stage, function_ref<LogicalResult()> work) {
      return step(stage, [&] { return runStage(stage, work); });
    };
  }

  LogicalResult run();

private:
  LogicalResult checkOutputs();
  LogicalResult readText();
  LogicalResult import();
  /// Runs `work` as `stage`, and notes what it decided.
  LogicalResult runStage(Stage stage, function_ref<LogicalResult()> work);
  LogicalResult emit();
  LogicalResult readModel(StageRange range);
  LogicalResult rewriteModel();
  LogicalResult writeModel();
  LogicalResult dump(Stage stage);
  LogicalResult writeModule(StringRef path, Stage stage,
                            const OpPrintingFlags &flags);
  LogicalResult runOverridable(Stage last);
  LogicalResult checkLevels(StageRange range);
  LogicalResult dropIdleLevels(SmallVectorImpl<Level> &asked);
  LogicalResult runLevels(SmallVector<Level> asked, Stage last);
  LogicalResult runLevelsSideBySide(OwningOpRef<ModuleOp> lowered, Stage last);
  bool mayRunSideBySide() const;
  void note(const StageCost &cost);
  /// Runs `work` as `stage`, with the bookkeeping around it.
  LogicalResult step(Stage stage, llvm::function_ref<LogicalResult()> work);

  const CompileRequest &request;
  MLIRContext &context;
  Location fileLoc;
  Session session;
  /// Initializers that cannot be overridden, beside those of the request.
  std::vector<std::string> frozen;
  /// The levels of processors that there is code for, if there are several, and
  /// their code but for the last one's, which is the session's.
  SmallVector<Level> levels;
  std::vector<OwningOpRef<ModuleOp>> lowerLevels;
  bool isLastLevel = false;
};

} // namespace

LogicalResult Compilation::step(Stage stage,
                                llvm::function_ref<LogicalResult()> work) {
  if (request.onStage)
    request.onStage(stage);
  auto start = std::chrono::steady_clock::now();
  LogicalResult result = work();
  if (request.costs) {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    note({stage, time.count(), getPeakMemory()});
  }
  if (failed(result))
    return result;
  return dump(stage);
}

void Compilation::note(const StageCost &cost) {
  auto known = llvm::find_if(*request.costs, [&](const StageCost &other) {
    return other.stage == cost.stage;
  });
  if (known == request.costs->end())
    known = request.costs->insert(known, {cost.stage, 0, 0});
  known->seconds += cost.seconds;
  known->peakBytes = std::max(known->peakBytes, cost.peakBytes);
  known->levels = cost.levels;
}

/// Refuses outputs that must not be written, before any work is done.
LogicalResult Compilation::checkOutputs() {
  StringRef output = request.outputPath;
  if (output == "-")
    return success();
  llvm::SmallVector<std::string, 2> paths = {output.str()};
  switch (request.kind) {
  case OutputKind::SharedObject:
  case OutputKind::Archive:
  case OutputKind::Object:
    if (request.header)
      paths.push_back(headerPathFromOutput(output));
    break;
  case OutputKind::WebAssembly:
    llvm::append_range(paths, loaderPathsFromOutput(output));
    break;
  case OutputKind::Program:
  case OutputKind::Assembly:
  case OutputKind::LLVMIR:
  case OutputKind::MLIR:
  case OutputKind::Header:
    break;
  case OutputKind::Model:
    // One with a folder is refused when the model is written.
    if (!request.saveExternal.empty() &&
        !llvm::sys::path::has_parent_path(request.saveExternal)) {
      llvm::SmallString<128> weights(llvm::sys::path::parent_path(output));
      llvm::sys::path::append(weights, request.saveExternal);
      paths.push_back(weights.str().str());
    }
    break;
  }
  for (const std::string &path : paths)
    if (std::string reason = refuseOutput(path, request.inputPath);
        !reason.empty())
      return emitError(fileLoc) << reason;
  return success();
}

LogicalResult Compilation::readText() {
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(request.inputPath, &context);
  if (!module)
    return failure();
  session.setModule(std::move(module));
  return success();
}

LogicalResult Compilation::import() {
  ImportOptions options = request.limits;
  options.keepDefaults = !request.freeze;
  options.onlyOverridable = true;
  llvm::append_range(options.frozen, frozen);
  if (failed(session.import({request.inputPath, request.bytes}, options)))
    return failure();
  if (size_t count = listOverridable(session.getModule()).size())
    emitRemark(fileLoc) << count
                        << " initializers can be overridden when the model "
                           "runs, for which code is compiled that does not "
                           "know their values; --freeze makes them constants";
  if (request.opVersions)
    *request.opVersions = listOpVersions(session.getModule());
  return success();
}

/// What the bufferize stage wrote on the module.
static MemoryPlan readMemoryPlan(ModuleOp module) {
  auto read = [&](StringRef name) -> uint64_t {
    auto bytes = module->getAttrOfType<IntegerAttr>(name);
    return bytes ? bytes.getInt() : 0;
  };
  MemoryPlan plan;
  plan.workspace = read(program::workspace);
  plan.lowerBound = read(program::workspaceLowerBound);
  plan.scratch = read(program::scratch);
  if (auto weights = module.lookupSymbol<memref::GlobalOp>("onnxc_weights"))
    plan.weights = weights.getType().getNumElements();
  return plan;
}

LogicalResult Compilation::runStage(Stage stage,
                                    function_ref<LogicalResult()> work) {
  auto run = [&] {
    LogicalResult result = work();
    if (succeeded(result) && stage == Stage::Bufferize && request.memory)
      *request.memory = readMemoryPlan(session.getModule());
    return result;
  };
  if (!request.optReport)
    return run();
  // Of several levels the report is on the last one.
  bool isReported = levels.empty() || isLastLevel;
  ScopedDiagnosticHandler remarks(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure();
    if (!isReported)
      return success();
    // What is said of no node is printed as it is without a report.
    return success(request.optReport->addRemark(diagnostic.getLocation(),
                                                diagnostic.str(), findNode));
  });
  LogicalResult result = run();
  if (succeeded(result) && stage == Stage::Schedule && isReported)
    request.optReport->addSchedule(session.getModule(), findNode);
  return result;
}

LogicalResult Compilation::emit() {
  EmitOptions options;
  switch (request.kind) {
  case OutputKind::SharedObject:
    options.kind = EmitKind::SharedObject;
    break;
  case OutputKind::Program:
    options.kind = EmitKind::Program;
    break;
  case OutputKind::Archive:
    options.kind = EmitKind::Archive;
    break;
  case OutputKind::Object:
    options.kind = EmitKind::Object;
    break;
  case OutputKind::Assembly:
    options.kind = EmitKind::Assembly;
    break;
  case OutputKind::LLVMIR:
    options.kind = EmitKind::LLVMIR;
    break;
  case OutputKind::WebAssembly:
    options.kind = EmitKind::WebAssembly;
    break;
  case OutputKind::Header:
    return emitHeader(session.getModule(), request.outputPath, request.prefix,
                      request.standaloneHeader);
  case OutputKind::MLIR:
    return writeModule(request.outputPath, getStageRange(request).last,
                       OpPrintingFlags().enableDebugInfo());
  case OutputKind::Model:
    return writeModel();
  }
  options.outputPath = request.outputPath;
  options.prefix = request.prefix;
  options.optLevel = request.options.optLevel;
  options.fastMath = request.fastMath;
  options.sanitizeAddress = request.sanitizeAddress;
  options.header = request.header;
  options.standaloneHeader = request.standaloneHeader;
  options.findNode = findNode;
  options.threads = request.threads;
  options.times = request.emitTimes;
  options.cpuFeatures = request.cpuFeatures;
  SmallVector<ModuleOp> modules;
  for (OwningOpRef<ModuleOp> &module : lowerLevels)
    modules.push_back(*module);
  modules.push_back(session.getModule());
  for (const Level &level : levels)
    options.levels.push_back(level.name);
  return emitModule(modules, options);
}

LogicalResult Compilation::writeModule(StringRef path, Stage stage,
                                       const OpPrintingFlags &flags) {
  if (path != "-")
    if (std::string reason = refuseOutput(path, request.inputPath);
        !reason.empty())
      return emitError(fileLoc) << reason;
  session.getModule()->setAttr(
      program::stage, StringAttr::get(&context, getStageInfo(stage).name));
  llvm::Error error =
      llvm::writeToOutput(path, [&](raw_ostream &os) -> llvm::Error {
        if (path.ends_with(".mlirbc"))
          return succeeded(writeBytecodeToFile(session.getModule(), os))
                     ? llvm::Error::success()
                     : llvm::createStringError("cannot be written as bytecode");
        session.getModule().print(os, flags);
        return llvm::Error::success();
      });
  session.getModule()->removeAttr(program::stage);
  if (error)
    return emitError(FileLineColLoc::get(&context, path, 0, 0))
           << llvm::toString(std::move(error));
  return success();
}

/// The bytes of all resources that the module's attributes refer to.
static size_t countResourceBytes(ModuleOp module) {
  size_t bytes = 0;
  module->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr attr) {
      if (AsmResourceBlob *blob = attr.getRawHandle().getBlob())
        bytes += blob->getData().size();
    });
  });
  return bytes;
}

LogicalResult Compilation::dump(Stage stage) {
  if (request.dumpDirectory.empty() || stage == Stage::Emit)
    return success();
  if (std::error_code error =
          llvm::sys::fs::create_directories(request.dumpDirectory))
    return emitError(FileLineColLoc::get(&context, request.dumpDirectory, 0, 0))
           << error.message();
  llvm::SmallString<128> path(request.dumpDirectory);
  std::string level = levels.empty() ? "" : "-" + levels.back().name;
  llvm::sys::path::append(path, llvm::formatv("{0:d2}-{1}{2}.mlir",
                                              static_cast<int>(stage) + 1,
                                              getStageInfo(stage).name, level)
                                    .str());
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  if (countResourceBytes(session.getModule()) > maxDumpedWeightBytes)
    flags.elideLargeResourceString(1024).elideLargeElementsAttrs(1024);
  return writeModule(path, stage, flags);
}

static OptimizeInput getModelInput(const CompileRequest &request) {
  OptimizeInput input;
  input.opsets = request.opsets;
  input.inputShapes = request.options.inputShapes;
  input.freeze = request.freeze;
  input.limits.frozen = request.limits.frozen;
  return input;
}

std::string onnxc::getModelPipelineText(const CompileRequest &request) {
  if (getStageRange(request).last == Stage::Import)
    return getConversionText(request.opsets);
  OptimizeRequest rewrites;
  if (getStageRange(request).last < Stage::Optimize)
    rewrites.passes.emplace();
  return getOptimizeText(getModelInput(request), rewrites);
}

/// As rewrites work on it, or, if nothing comes after import, as it is.
LogicalResult Compilation::readModel(StageRange range) {
  const ModelSource source{request.inputPath, nullptr};
  if (range.last == Stage::Import) {
    ImportOptions asItIs = request.limits;
    asItIs.keepDefaults = !request.freeze;
    if (failed(session.import(source, asItIs)))
      return failure();
    return request.opsets.empty()
               ? success()
               : convertOpsets(session.getModule(), request.opsets);
  }
  FailureOr<OwningOpRef<ModuleOp>> read =
      loadForRewriting(source, getModelInput(request), context);
  if (failed(read))
    return failure();
  session.setModule(std::move(*read));
  return success();
}

LogicalResult Compilation::rewriteModel() {
  if (!isMLIRFile(request.inputPath))
    return rewrite(session.getModule(), OptimizeRequest());
  return runPipelineText(session.getModule(), getModelPipelineText(request),
                         /*verify=*/false);
}

LogicalResult Compilation::writeModel() {
  ExportOptions options;
  options.saveExternal = request.saveExternal;
  return exportModel(session.getModule(), request.outputPath, options);
}

/// Runs the stages up to `last` on a model with overridable initializers. Where
/// no code can be made that does not know the values of some (they decide a
/// rank, or are what an operator takes as a constant only), those are constants
/// after all: the ones that reach the nodes which say so, or, where more stands
/// behind those, all.
LogicalResult Compilation::runOverridable(Stage last) {
  std::vector<std::vector<Diagnostic>> said;
  auto attempt = [&] {
    std::vector<Diagnostic> &mine = said.emplace_back();
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      mine.push_back(std::move(diagnostic));
      return success();
    });
    return session.run(Stage::Upgrade, last);
  };
  auto say = [&](std::vector<Diagnostic> &diagnostics) {
    for (Diagnostic &diagnostic : diagnostics)
      context.getDiagEngine().emit(std::move(diagnostic));
  };
  OwningOpRef<ModuleOp> imported = session.getModule().clone();
  bool isCompiled = succeeded(attempt());
  auto freeze = [&](std::vector<std::string> names) -> LogicalResult {
    if (names.size() <= frozen.size())
      return success();
    frozen = std::move(names);
    ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
    if (failed(import()))
      return failure();
    isCompiled = succeeded(attempt());
    return success();
  };
  if (!isCompiled && failed(freeze(findOverridable(*imported, said.back()))))
    return failure();
  if (!isCompiled && failed(freeze(listOverridable(*imported))))
    return failure();
  if (!isCompiled) {
    // What the user states of inputs may be of one that is now a constant.
    bool isStated =
        !request.options.inputShapes.empty() || !request.options.dims.empty() ||
        !request.options.pulses.empty() || !request.options.states.empty();
    say(isStated ? said.front() : said.back());
    return failure();
  }
  for (const std::string &name : frozen) {
    InFlightDiagnostic warning =
        emitWarning(fileLoc)
        << "initializer '" << name
        << "' cannot be overridden when the model runs: its value decides what "
           "code is made; --freeze="
        << name << " says that it is a constant";
    for (Diagnostic &diagnostic : said.front())
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        warning.attachNote(diagnostic.getLocation()) << diagnostic.str();
  }
  say(said.back());
  return success();
}

/// What is written of the stages from schedule on is about one processor.
LogicalResult Compilation::checkLevels(StageRange range) {
  const std::string &cpu = request.options.target.cpu;
  if (range.first > Stage::Schedule)
    return emitError(fileLoc)
           << "--mcpu=" << cpu << ": the stage "
           << getStageInfo(range.first).name
           << " starts from the code of one processor, expected its name";
  if (request.kind == OutputKind::MLIR && range.last >= Stage::Schedule)
    return emitError(fileLoc)
           << "--mcpu=" << cpu << ": the output of the stage "
           << getStageInfo(range.last).name
           << " is the code of one processor, expected its name";
  return success();
}

/// What is written or counted of each stage is so one level after the other.
bool Compilation::mayRunSideBySide() const {
  return request.threads != 1 && context.isMultithreadingEnabled() &&
         !request.optReport && request.dumpDirectory.empty() &&
         !request.options.profile;
}

LogicalResult Compilation::runLevelsSideBySide(OwningOpRef<ModuleOp> lowered,
                                               Stage last) {
  std::vector<Session> sessions;
  for (const Level &level : levels) {
    Session &own = sessions.emplace_back(context, session.options);
    own.options.target = level.target;
    own.configure = session.configure;
    own.setModule(sessions.size() == levels.size()
                      ? std::move(lowered)
                      : OwningOpRef<ModuleOp>(lowered->clone()));
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<StageCost> costs;
  double sum = 0;
  LevelObserver observer;
  observer.begins = [&](Stage stage) {
    if (request.onStage)
      request.onStage(stage);
  };
  observer.ends = [&](size_t level, Stage stage, double seconds,
                      ModuleOp module) {
    costs.push_back({stage, seconds, getPeakMemory(), levels.size()});
    sum += seconds;
    if (level + 1 == levels.size() && stage == Stage::Bufferize &&
        request.memory)
      *request.memory = readMemoryPlan(module);
  };
  LogicalResult result = runSideBySide(
      context, sessions, last,
      request.threads ? request.threads : sessions.size(), observer);
  // Stages run at the same time: each gets its share of what passed.
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  llvm::sort(costs, [](const StageCost &a, const StageCost &b) {
    return a.stage < b.stage;
  });
  for (StageCost &cost : costs) {
    cost.seconds *= passed.count() / sum;
    if (request.costs)
      note(cost);
  }
  if (failed(result))
    return failure();
  for (Session &own : llvm::drop_end(sessions))
    lowerLevels.push_back(own.takeModule());
  session.options.target = levels.back().target;
  session.setModule(sessions.back().takeModule());
  return success();
}

/// Leaves out the levels that have nothing for this model.
LogicalResult Compilation::dropIdleLevels(SmallVectorImpl<Level> &asked) {
  ModuleOp module = session.getModule();
  bool isInUse = false;
  auto keep = [&](LevelPurpose purpose,
                  function_ref<bool(TargetAttr)> isWorth) -> LogicalResult {
    auto isOfPurpose = [=](const Level &l) { return l.purpose == purpose; };
    auto last = llvm::find_if(llvm::reverse(asked), isOfPurpose);
    if (last == asked.rend())
      return success();
    FailureOr<TargetAttr> target = makeTarget(fileLoc, last->target);
    if (failed(target))
      return failure();
    // A context takes the last level that it can: there is one kind.
    bool isKept = !isInUse && request.options.optLevel >= 2 && isWorth(*target);
    isInUse |= isKept;
    if (!isKept)
      llvm::erase_if(asked, isOfPurpose);
    return success();
  };
  if (failed(keep(LevelPurpose::Integers,
                  [&](TargetAttr target) {
                    return hasIntegerDots(module, target) ||
                           hasBlockDots(module, target);
                  })) ||
      failed(keep(LevelPurpose::NarrowWeights, [&](TargetAttr target) {
        return hasBlockMatmuls(module, target);
      })))
    return failure();
  for (Level &level : asked)
    if (!level.target.layout.empty())
      level.target.layout = asked.back().name;
  return success();
}

/// Runs the stages from schedule to `last` for each level on the lowered
/// module. All have their weights in one blob: each level goes on from the
/// places that those before it took.
LogicalResult Compilation::runLevels(SmallVector<Level> asked, Stage last) {
  if (failed(dropIdleLevels(asked)))
    return failure();
  // Nothing is shared then.
  if (asked.size() == 1)
    asked.front().target.layout.clear();
  // A header says nothing of processors.
  if (last < Stage::Emit)
    asked.erase(asked.begin(), asked.end() - 1);
  OwningOpRef<ModuleOp> lowered = session.takeModule();
  if (asked.size() > 1 && mayRunSideBySide()) {
    levels = std::move(asked);
    return runLevelsSideBySide(std::move(lowered), std::min(last, Stage::LLVM));
  }
  for (auto [i, level] : llvm::enumerate(asked)) {
    bool isLast = isLastLevel = i + 1 == asked.size();
    session.setModule(isLast ? std::move(lowered)
                             : OwningOpRef<ModuleOp>(lowered->clone()));
    if (!lowerLevels.empty())
      for (StringRef list : {program::weights, program::regions})
        if (Attribute known = (*lowerLevels.back())->getAttr(list))
          session.getModule()->setAttr(list, known);
    session.options.target = level.target;
    levels.push_back(level);
    if (failed(session.run(Stage::Schedule, std::min(last, Stage::LLVM))))
      return failure();
    if (!isLast)
      lowerLevels.push_back(session.takeModule());
  }
  if (levels.size() == 1)
    levels.clear();
  return success();
}

LogicalResult Compilation::run() {
  if (failed(checkOutputs()) || failed(checkKind(fileLoc, request)))
    return failure();
  // An error before anything is read.
  FailureOr<SmallVector<Level>> asked =
      getLevels(fileLoc, request.options.target);
  StageRange range = getStageRange(request);
  if (failed(asked) || (asked->size() > 1 && failed(checkLevels(range))))
    return failure();
  if (asked->size() == 1)
    session.options.target = asked->front().target;
  if (request.kind == OutputKind::Model) {
    if (failed(isMLIRFile(request.inputPath)
                   ? readText()
                   : step(Stage::Import, [&] { return readModel(range); })) ||
        (range.last >= Stage::Optimize &&
         failed(step(Stage::Optimize, [&] { return rewriteModel(); }))))
      return failure();
    session.getModule()->removeAttr(program::stage);
    return step(Stage::Emit, [&] { return emit(); });
  }
  if (isMLIRFile(request.inputPath)) {
    if (failed(readText()))
      return failure();
    auto written =
        session.getModule()->getAttrOfType<StringAttr>(program::stage);
    session.getModule()->removeAttr(program::stage);
    std::optional<Stage> behind =
        written ? parseStage(written.getValue()) : std::nullopt;
    if (behind && !request.startFrom)
      range.first = static_cast<Stage>(static_cast<int>(*behind) + 1);
  } else if (failed(step(Stage::Import, [&] { return import(); }))) {
    return failure();
  }

  if (range.first == Stage::Import &&
      !listOverridable(session.getModule()).empty()) {
    if (failed(runOverridable(std::min(range.last, Stage::Lower))))
      return failure();
    range.first = Stage::Schedule;
  }
  if (asked->size() > 1 && range.last > Stage::Lower) {
    if (failed(session.run(range.first, Stage::Lower)) ||
        failed(runLevels(std::move(*asked), range.last)))
      return failure();
  } else if (failed(session.run(range.first, range.last))) {
    return failure();
  }
  return step(Stage::Emit, [&] { return emit(); });
}

std::optional<NodeName> onnxc::findNode(Location location) {
  SourceAttr source = getSource(location);
  if (!source)
    return std::nullopt;
  StringRef op = source.getOp();
  return NodeName{getNodeName(source).str(), op.str(),
                  op == "Initializer" || op == ConstantOp::getOnnxName()};
}

DiagnosticWording onnxc::getOnnxWording() { return {findNode, writeMessage}; }

LogicalResult onnxc::compile(const CompileRequest &request,
                             MLIRContext &context) {
  return Compilation(request, context).run();
}
