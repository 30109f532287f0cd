//===- CompileMain.cpp - onnxc model.onnx -o model.so ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Findings.h"
#include "Limits.h"
#include "Overrides.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Pipelines/Check.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OutputFile.h"
#include "onnxc/Target/Levels.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace onnxc;

namespace {

/// The command line.
struct Options {
  const Arguments &arguments;
  std::string input = arguments.getOperand(0);
  std::string output = arguments.getName(OPT_o);
  std::string emit = arguments.getName(OPT_emit);
  unsigned level = arguments.getLevel();
  std::string cpu = arguments.getName(OPT_mcpu);
  std::string features = arguments.getString(OPT_mattr);
  std::string triple = arguments.getName(OPT_mtriple);
  bool freestanding = arguments.getFlag(OPT_freestanding);
  std::string prefix = arguments.getName(OPT_prefix);
  bool standaloneHeader = arguments.getFlag(OPT_standalone_header);
  Overrides overrides{arguments};
  FreezeOption freeze{arguments};
  std::string lastLogits = arguments.getName(OPT_last_logits);
  std::vector<std::string> states = arguments.getAll(OPT_state);
  std::vector<std::string> pulses = arguments.getAll(OPT_pulse);
  uint64_t stateCapacity = arguments.getNumber<uint64_t>(OPT_state_capacity, 0);
  bool opsetReport = arguments.getFlag(OPT_opset_report);
  std::string saveExternal = arguments.getName(OPT_save_external);
  std::vector<std::string> opsets = arguments.getAll(OPT_opset);
  bool fastMath = arguments.getFlag(OPT_fast_math);
  bool noWinograd = arguments.getFlag(OPT_no_winograd);
  std::string activationInt8 =
      arguments.getChoice(OPT_activation_int8, "model");
  std::string tuning = arguments.getName(OPT_tuning);
  std::string sanitize = arguments.getName(OPT_sanitize);
  std::string stopAfter = arguments.getName(OPT_stop_after);
  std::string startFrom = arguments.getName(OPT_start_from);
  std::string dumpStages = arguments.getName(OPT_dump_stages);
  bool printPipeline = arguments.getFlag(OPT_print_pipeline);
  std::string rewriteFailure =
      arguments.getChoice(OPT_rewrite_failure, "by-build");
  std::string afterRewrites = arguments.getString(OPT_after_rewrites);
  bool timeStages = arguments.getFlag(OPT_time_stages);
  unsigned threads = arguments.getNumber<unsigned>(OPT_threads, 0);
  bool withReport = arguments.has(OPT_opt_report);
  std::string optReport = arguments.getString(OPT_opt_report);
  bool profile = arguments.getFlag(OPT_profile);
  bool verbose = arguments.getFlag(OPT_v);
};

/// A line on a terminal that says which stage runs; elsewhere nothing.
class Progress {
public:
  Progress(bool enabled, StageRange range) : enabled(enabled), range(range) {}
  ~Progress() { clear(); }

  void show(Stage stage) {
    if (!enabled)
      return;
    llvm::errs() << llvm::formatv(
        "\r\x1b[K[{0}/{1}] {2}",
        static_cast<int>(stage) - static_cast<int>(range.first) + 1,
        static_cast<int>(range.last) - static_cast<int>(range.first) + 1,
        getStageInfo(stage).name);
    llvm::errs().flush();
    shown = true;
  }
  void clear() {
    if (shown)
      llvm::errs() << "\r\x1b[K";
    shown = false;
  }

private:
  bool enabled, shown = false;
  StageRange range;
};

} // namespace

/// Of a wrong command line.
static int fail(const llvm::Twine &message) {
  llvm::errs() << "onnxc: " << message << "\n";
  return status::usage;
}

static std::string listStages() {
  std::string text;
  for (const StageInfo &info : getStages())
    text += (text.empty() ? "" : ", ") + info.name.str();
  return text;
}

static std::string describeStages() {
  std::string text =
      "STAGES, in their order, and what the module is like after each:\n\n";
  for (const StageInfo &info : getStages())
    text += llvm::formatv("  {0,-10} {1}\n", info.name, info.contract).str();
  return text + R"(
EXAMPLES:

  onnxc mnist.onnx -o mnist.so                  a shared object, and mnist.h
  onnxc mnist.onnx -o mnist.a --prefix=digits   a static library
  onnxc mnist.onnx -o mnist                     a program: ./mnist image.npy
  onnxc mnist.onnx -o mnist.so --mcpu=x86-64-v3 --dump-stages=stages
  onnxc mnist.onnx -o mnist.mlir --stop-after=import
  onnxc mnist.onnx -o smaller.onnx --save-external=smaller.bin
  onnxc mnist.onnx -o old.onnx --opset=11       the same at another opset
  onnxc - -o mnist.so < mnist.onnx              the model from the standard input
  onnxc run mnist.so --inputs in.npz --save out.npz
  onnxc bench mnist.so --threads=2              how long a run takes
  onnxc profile mnist.onnx                      how long each node takes
  onnxc check model.onnx                        will it compile? if not, why
  onnxc inspect model.onnx --graph=html         what is in it
)";
}

constexpr llvm::StringLiteral briefExamples = R"(EXAMPLES
  onnxc mnist.onnx -o mnist.so                  a shared object, and mnist.h
  onnxc mnist.onnx -o mnist.a --prefix=digits   a static library
  onnxc mnist.onnx -o mnist                     a program: ./mnist image.npy
  onnxc run mnist.so --inputs in.npz --save out.npz
  onnxc check model.onnx                        will it compile? if not, why
  onnxc compare model.onnx                      does it compute the same? if not, from where on
)";

static std::optional<Stage>
parseStageOption(llvm::StringRef option, const std::string &name, int &status) {
  if (name.empty())
    return std::nullopt;
  std::optional<Stage> stage = parseStage(name);
  if (!stage)
    status = fail("--" + option + "=" + name + ": no such stage; there are " +
                  listStages());
  return stage;
}

/// The kind of library that is made for a triple where nothing is said.
static llvm::StringRef getLibraryKind(llvm::StringRef name) {
  llvm::Triple triple(llvm::Triple::normalize(name));
  if (triple.isWindowsMSVCEnvironment())
    return "lib";
  return triple.isMacOSX() || triple.isOSWindows() ? "a" : "so";
}

/// Where the output goes and what it is.
static int decideOutput(const Options &options, CompileRequest &request) {
  namespace path = llvm::sys::path;
  request.outputPath = options.output;
  llvm::StringRef kind = options.emit;
  if (kind.empty() && !options.output.empty() && options.output != "-") {
    if (!outputKindFromPath(options.output))
      return fail("'" + options.output +
                  "': unknown suffix; use .so, .a, .lib, .o, .obj, .wasm, .s, "
                  ".ll, .mlir, .mlirbc, .h or .onnx, or none for a program, or "
                  "give --emit=");
    kind = path::extension(options.output);
    if (!kind.consume_front("."))
      kind = "exe";
  }
  // Bytecode is a form of the file, not a kind: the path alone asks for it.
  if (options.emit == "mlirbc")
    return fail("--emit=mlirbc: name the output .mlirbc, or give --emit=mlir");
  if (kind.empty())
    kind = request.stopAfter || options.output == "-" ? "mlir"
           : options.freestanding ? "a"
                                  : getLibraryKind(options.triple);
  std::optional<OutputKind> parsed = parseOutputKind(kind);
  if (!parsed)
    return fail("--emit=" + kind +
                ": no such kind; there are so, exe, a, lib, o, obj, wasm, s, "
                "ll, mlir, h and onnx");
  request.kind = *parsed;
  if (request.kind == OutputKind::Model) {
    if (request.stopAfter && *request.stopAfter > Stage::Optimize)
      return fail("--stop-after=" + options.stopAfter +
                  " gives no ONNX model, expected optimize or a stage before");
    if (options.arguments.has(OPT_start_from))
      return fail("--start-from= cannot be combined with a .onnx output");
    if (!options.opsets.empty() && isMLIRFile(options.input))
      return fail("--opset= reads a .onnx file");
  } else if (!options.saveExternal.empty() || !options.opsets.empty()) {
    return fail(options.opsets.empty()
                    ? "--save-external= is for a .onnx output"
                    : "--opset= is for a .onnx output");
  }
  if (request.stopAfter && request.kind != OutputKind::MLIR &&
      request.kind != OutputKind::Model && request.stopAfter != Stage::Emit)
    return fail("--stop-after=" + options.stopAfter +
                " gives MLIR; name the output .mlir or give --emit=mlir");
  if (request.kind == OutputKind::MLIR && request.stopAfter == Stage::Emit)
    return fail("--stop-after=emit does not give MLIR");
  if (options.freestanding && request.kind == OutputKind::SharedObject)
    return fail("--freestanding gives no shared object, which a system would "
                "load; name the output .a or .o");
  if (options.freestanding && request.kind == OutputKind::Program)
    return fail("--freestanding gives no program, which a system would start; "
                "name the output .a or .o");
  if (options.freestanding && options.profile)
    return fail("--profile asks a system for the time, which --freestanding "
                "code has not");
  if (options.freestanding && !options.sanitize.empty())
    return fail("--sanitize= needs a library of the system, which "
                "--freestanding code has not");
  if (options.output == "-" && request.kind != OutputKind::MLIR)
    return fail("--emit=" + kind +
                " is not written to the standard output, only mlir is; name a "
                "file with -o");
  if (request.outputPath.empty() && options.input == "-" &&
      request.kind != OutputKind::MLIR)
    return fail("the model comes from the standard input; name the output "
                "with -o");
  if (request.outputPath.empty())
    request.outputPath = request.kind == OutputKind::MLIR ? "-"
                         : request.kind == OutputKind::Program
                             ? path::stem(options.input).str()
                             : (path::stem(options.input) + "." + kind).str();
  if (options.standaloneHeader && !hasHeader(request.kind))
    return fail("--standalone-header: there is no C header beside '" +
                request.outputPath + "'");
  return 0;
}

static int makeRequest(const Options &options, CompileRequest &request) {
  int status = 0;
  request.inputPath = options.input;
  request.startFrom = parseStageOption("start-from", options.startFrom, status);
  request.stopAfter = parseStageOption("stop-after", options.stopAfter, status);
  if (status)
    return status;
  request.options.optLevel = options.level;
  if (int status = decideOutput(options, request))
    return status;
  bool isText = isMLIRFile(options.input);
  if (request.startFrom == Stage::Import ? isText
                                         : request.startFrom && !isText)
    return fail("--start-from=" + options.startFrom +
                (isText ? " reads .onnx files" : " needs a .mlir file"));
  request.options.target.triple =
      options.triple.empty() ? getDefaultTriple(request).str() : options.triple;
  request.options.target.features = options.features;
  request.options.target.freestanding = options.freestanding;
  request.options.target.cpu =
      options.cpu.empty() ? getDefaultCpu(request).str() : options.cpu;
  request.prefix = options.prefix;
  request.standaloneHeader = options.standaloneHeader;
  options.overrides.set(request.options);
  request.options.lastLogits = options.lastLogits;
  request.options.states = options.states;
  request.options.pulses = options.pulses;
  request.options.stateCapacity = options.stateCapacity;
  request.options.batchOfOne = wantsBatchOfOne(request);
  request.options.profile = options.profile;
  request.options.afterRewrites = options.afterRewrites;
  request.rewriteFailure =
      options.rewriteFailure == "error"     ? RewriteFailure::Error
      : options.rewriteFailure == "warning" ? RewriteFailure::Warning
                                            : RewriteFailure::ByBuild;
  request.options.remarks = options.withReport;
  setCompileLimits(options.arguments, request.limits, request.options);
  options.freeze.set(request.freeze, request.limits);
  request.fastMath = options.fastMath;
  request.options.winograd = !options.noWinograd;
  request.options.activationInt8 = options.activationInt8;
  request.options.tuning = options.tuning;
  if (!options.tuning.empty() && options.level < 2)
    return fail("--tuning= is for kernels, which there are from -O2 on");
  if (!options.sanitize.empty() && options.sanitize != "address")
    return fail("--sanitize=" + options.sanitize +
                ": unknown sanitizer, expected address");
  request.sanitizeAddress = !options.sanitize.empty();
  request.options.separateBuffers = request.sanitizeAddress;
  request.saveExternal = options.saveExternal;
  request.opsets = options.opsets;
  request.dumpDirectory = options.dumpStages;
  request.threads = options.threads;
  return 0;
}

static int writeReport(const OptReport &report, const std::string &path) {
  if (path.empty()) {
    report.printText(llvm::outs());
    return 0;
  }
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    if (llvm::sys::path::extension(path) == ".json")
      report.printJson(os);
    else
      report.printText(os);
    return llvm::Error::success();
  });
  if (!error)
    return 0;
  llvm::errs() << "onnxc: " << llvm::toString(std::move(error)) << "\n";
  return status::model;
}

static void printMemory(const MemoryPlan &plan) {
  llvm::errs() << llvm::formatv(
      "model      weights {0:f1} MiB; each context {1:f1} MiB (at least {2:f1} "
      "are alive at once), and {3:f1} MiB for each of its threads\n",
      plan.weights / 1048576.0, plan.workspace / 1048576.0,
      plan.lowerBound / 1048576.0, plan.scratch / 1048576.0);
}

static void printCosts(llvm::ArrayRef<StageCost> costs, const EmitTimes &emit,
                       const std::optional<MemoryPlan> &memory) {
  double total = 0;
  llvm::errs() << "stage          time   peak memory\n";
  for (const StageCost &cost : costs) {
    llvm::errs() << llvm::formatv("{0,-10} {1,6:f2} s  {2,8} MiB\n",
                                  getStageInfo(cost.stage).name, cost.seconds,
                                  cost.peakBytes >> 20);
    total += cost.seconds;
    if (cost.stage != Stage::Emit || emit.codegen == 0)
      continue;
    // Parts of a model are made by several threads: together that may be more.
    for (auto [what, seconds] : {std::pair("LLVM's passes", emit.optimize),
                                 std::pair("machine code", emit.codegen),
                                 std::pair("link", emit.link)})
      llvm::errs() << llvm::formatv("  {0,-14} {1,6:f2} s  of threads\n", what,
                                    seconds);
  }
  llvm::errs() << llvm::formatv("total      {0,6:f2} s\n", total);
  if (memory)
    printMemory(*memory);
  if (auto shared = llvm::find_if(
          costs, [](const StageCost &cost) { return cost.levels > 1; });
      shared != costs.end())
    llvm::errs() << llvm::formatv(
        "{0} levels of processors from {1} on side by side: a stage's time is "
        "its share, its memory that of all levels\n",
        shared->levels, getStageInfo(shared->stage).name);
}

static void printPipeline(const CompileRequest &request, StageRange range) {
  llvm::outs() << (request.kind == OutputKind::Model
                       ? getModelPipelineText(request)
                       : getPipelineText(range.first, range.last,
                                         request.options))
               << "\n";
}

/// Lets MLIR, and LLVM's linker, which has threads of its own, use `threads`
/// threads; 0 is as many as there are. `pool` must live as long as the context
/// is used.
static void limitThreads(unsigned threads, mlir::MLIRContext &context,
                         std::optional<llvm::DefaultThreadPool> &pool) {
  if (threads == 0)
    return;
  llvm::parallel::strategy = llvm::hardware_concurrency(threads);
  if (threads > 1) {
    pool.emplace(llvm::hardware_concurrency(threads));
    context.setThreadPool(*pool);
  }
}

/// Code for this machine's processor, by --mcpu=native or where that is the
/// default, runs on all that have what the code uses.
static void reportNative(const CompileRequest &request,
                         llvm::ArrayRef<std::string> cpuFeatures) {
  llvm::StringRef cpu = request.options.target.cpu;
  bool isNative = cpu == nativeCpu ||
                  (cpu.empty() && request.options.target.triple.empty());
  if (isNative && !cpuFeatures.empty())
    llvm::errs() << request.outputPath << " starts on processors with "
                 << llvm::join(cpuFeatures, ", ") << "\n";
}

/// What --help-hidden lists, beside what LLVM's libraries have.
static void registerHiddenOptions() {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

/// Compiles, and says what is to be said of it.
static int runCompile(const Options &options, CompileRequest &request,
                      StageRange range, FindingWriter &writer) {
  std::optional<llvm::DefaultThreadPool> pool;
  ToolContext tool(options.threads == 0
                       ? mlir::MLIRContext::Threading::ENABLED
                       : mlir::MLIRContext::Threading::DISABLED);
  mlir::MLIRContext &context = tool.get();
  limitThreads(options.threads, context, pool);
  context.printOpOnDiagnostic(options.verbose);
  Progress progress(
      !options.verbose && llvm::sys::Process::StandardErrIsDisplayed(), range);
  request.onStage = [&](Stage stage) {
    progress.show(stage);
    if (!options.verbose)
      return;
    std::string text = getStageText(stage, request.options);
    llvm::errs() << "onnxc: "
                 << (text.empty() ? getStageInfo(stage).name.str() : text)
                 << "\n";
  };
  std::vector<StageCost> costs;
  request.costs = &costs;
  EmitTimes emitTimes;
  request.emitTimes = &emitTimes;
  std::vector<std::string> cpuFeatures;
  request.cpuFeatures = &cpuFeatures;
  std::vector<OpVersionUse> opVersions;
  if (options.opsetReport)
    request.opVersions = &opVersions;
  std::optional<MemoryPlan> memory;
  request.memory = &memory;

  DiagnosticReporter reporter(&context, writer, options.verbose,
                              [&] { progress.clear(); });
  OptReport optReport;
  if (options.withReport)
    request.optReport = &optReport;
  llvm::LogicalResult result = compile(request, context);
  progress.clear();
  if (options.opsetReport)
    printOpVersions(opVersions, llvm::outs());
  if (options.timeStages || options.verbose)
    printCosts(costs, emitTimes, memory);
  if (succeeded(result)) {
    reportNative(request, cpuFeatures);
    return options.withReport ? writeReport(optReport, options.optReport) : 0;
  }
  Stage last = costs.empty() ? range.first : costs.back().stage;
  return reporter.getFailure(request.inputPath,
                             "the stage '" + getStageInfo(last).name + "' ");
}

int onnxc::compileMain(int argc, char **argv) {
  registerHiddenOptions();
  const CommandText text{
      Command::Compile,
      "onnxc",
      "onnxc: compiles an ONNX model to a library of machine code\n"
      "VERBS, each with its own --help: compile (need not be said), check, "
      "inspect, run, bench,\n  profile, compare, optimize, convert, doctor, "
      "targets, tune, quantize.\n  "
      "Options of MLIR and LLVM: --help-hidden\n",
      "<model.onnx | model.onnxtxt | module.mlir | ->",
      1,
      1,
      describeStages(),
      briefExamples.str()};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  if (arguments.asksForFeatures())
    return listProcessors(options.triple);

  CompileRequest request;
  if (int status = makeRequest(options, request))
    return status;
  if (int status = arguments.saveConfig(options.input))
    return status;
  StageRange range = getStageRange(request);
  if (options.printPipeline) {
    printPipeline(request, range);
    return 0;
  }
  if (!options.optReport.empty())
    if (std::string reason = refuseOutput(options.optReport, options.input);
        !reason.empty()) {
      llvm::errs() << "onnxc: " << reason << "\n";
      return status::model;
    }
  FindingWriter writer(arguments, "onnxc", llvm::errs());
  return runCompile(options, request, range, writer);
}
