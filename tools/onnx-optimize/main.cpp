//===- main.cpp - The onnx-optimize command -------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// onnx-optimize in.onnx out.onnx: a model in, a smaller one out.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Limits.h"
#include "ToolContext.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace onnxc;
namespace cl = llvm::cl;

namespace {

enum class Functions { Keep, Inline };

/// The command line. Constructed once, in main: nothing global.
struct Options {
  cl::OptionCategory category{"onnx-optimize options"};

  cl::opt<std::string> input{cl::Positional, cl::cat(category),
                             cl::desc("<in.onnx>"), cl::value_desc("file")};
  cl::opt<std::string> output{cl::Positional, cl::cat(category),
                              cl::desc("<out.onnx, or - for the standard "
                                       "output>"),
                              cl::value_desc("file")};

  cl::list<std::string> passes{
      "passes", cl::CommaSeparated, cl::cat(category), cl::value_desc("a,b"),
      cl::desc("Run these passes, in this order, once each; see --list. "
               "Default: everything that changes no result by more than "
               "rounding, until nothing changes")};
  cl::list<std::string> disabled{
      "disable", cl::CommaSeparated, cl::cat(category), cl::value_desc("a,b"),
      cl::desc("Passes that the default pipeline leaves out: to find the one "
               "at fault")};
  cl::opt<bool> none{"no-passes", cl::cat(category),
                     cl::desc("Run none: read and write")};
  cl::opt<bool> fixedPoint{"fixed-point", cl::cat(category),
                           cl::desc("Repeat --passes until nothing changes")};
  cl::opt<bool> upstream{
      "upstream-compatible", cl::cat(category),
      cl::desc("Write what onnx-optimizer writes: without --passes, the passes "
               "that it runs by default; no rewrite beyond its forms")};

  cl::opt<unsigned> check{
      "check", cl::cat(category), cl::value_desc("n"), cl::init(0),
      cl::desc("Compile both models at -O0 and compare n runs on random "
               "inputs; a difference is an error")};
  cl::opt<bool> stats{
      "stats", cl::cat(category),
      cl::desc("Print the changes by pass (in the default pipeline by group "
               "of passes, --list says which), and the nodes before and "
               "after")};

  cl::opt<bool> freeze{
      "freeze", cl::cat(category),
      cl::desc("Initializers that are inputs as well are constants: no caller "
               "overrides them")};
  cl::opt<Functions> functions{
      "functions", cl::cat(category), cl::init(Functions::Keep),
      cl::desc("What to do with the model's own functions"),
      cl::values(clEnumValN(Functions::Keep, "keep", "Keep them (default)"),
                 clEnumValN(Functions::Inline, "inline",
                            "Put what they do in the place of their calls"))};
  cl::opt<bool> keepMissingData{
      "keep-missing-data", cl::cat(category),
      cl::desc("Files of external data may be missing: what is in them stays a "
               "reference")};
  cl::list<std::string> inputShapes{
      "input-shape", cl::cat(category), cl::value_desc("name:sizes"),
      cl::desc("The shape of an input where the model leaves it open, ? for "
               "what stays so: x:1x3x?x?. Once for each input; the new model "
               "declares it")};

  cl::list<std::string> opsets{
      "opset", cl::cat(category), cl::value_desc("[domain=]n"),
      cl::desc("Bring the model to opset n first, newer or older; "
               "ai.onnx.ml=3 for another domain's")};

  cl::opt<cl::boolOrDefault> nsz{
      "nsz", cl::cat(category),
      cl::desc("The sign of a zero does not matter: x + 0 is x (default: "
               "false, but of passes that are named with "
               "--upstream-compatible)")};
  cl::opt<cl::boolOrDefault> keepInterface{
      "keep-interface", cl::cat(category),
      cl::desc("No input disappears, used or not (default: true, but of "
               "passes that are named with --upstream-compatible)")};
  cl::opt<bool> nnan{"nnan", cl::cat(category),
                     cl::desc("No value is NaN (default: false)")};
  cl::opt<bool> ninf{"ninf", cl::cat(category),
                     cl::desc("No value is infinite (default: false)")};
  cl::opt<bool> monotone{
      "assume-strictly-monotone", cl::cat(category),
      cl::desc("Monotone functions keep apart what is different, as if floats "
               "were exact")};
  cl::opt<bool> keepOpset{
      "keep-opset", cl::cat(category), cl::init(true),
      cl::desc("Make no operators that the model's opset lacks (default: "
               "true)")};
  cl::opt<int64_t> foldBudget{
      "fold-budget", cl::cat(category), cl::init(RewriteOptions().foldBudget),
      cl::value_desc("bytes"),
      cl::desc("The most that a folded constant may take, if what it is "
               "computed from takes less")};
  cl::opt<int64_t> unrollBudget{
      "unroll-budget", cl::cat(category),
      cl::init(RewriteOptions().unrollBudget), cl::value_desc("nodes"),
      cl::desc("The most nodes that an unrolled Loop may become")};

  ReadLimits limits{category};

  cl::opt<std::string> saveExternal{
      "save-external", cl::cat(category), cl::value_desc("file"),
      cl::desc("Write weights to a file of this name, beside the model; none "
               "that the model is read from")};
  cl::opt<uint64_t> externalThreshold{
      "external-threshold", cl::cat(category), cl::value_desc("bytes"),
      cl::init(ExportOptions().externalThreshold),
      cl::desc("Smaller weights stay in the model")};

  cl::opt<bool> list{"list", cl::cat(category),
                     cl::desc("Print all passes and what they are, and stop")};
  cl::opt<bool> printPipeline{
      "print-pipeline", cl::cat(category),
      cl::desc("Print the passes as onnx-mlir-opt --pass-pipeline= takes them, "
               "and stop")};
};

} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "onnx-optimize: " << message << "\n";
  return 1;
}

static void printList() {
  llvm::outs() << llvm::formatv("{0,-38} {1,-9} {2,-8} {3,-9} {4,-9} {5,-12} "
                                "{6,-9} {7}\n",
                                "NAME", "TYPE", "EFFICACY", "GAIN", "KIND",
                                "EXACTNESS", "GROUP", "WHAT IT DOES");
  for (const RewriteInfo &info : listRewrites())
    llvm::outs() << llvm::formatv(
        "{0,-38} {1,-9} {2,-8} {3,-9} {4,-9} {5,-12} {6,-9} {7}\n", info.name,
        info.passClass, info.efficiency, info.gain, info.kind, info.exactness,
        *info.group ? info.group : "-", info.summary);
}

namespace {
/// What the command line says. A compile resets LLVM's options, and folding
/// constants compiles: nothing may be read from them later.
struct Command {
  explicit Command(const Options &options);

  std::string inputPath, outputPath;
  OptimizeInput input;
  OptimizeRequest request;
  ExportOptions output;
  unsigned numChecks;
  bool stats;
};
} // namespace

static std::vector<std::string> getNames(const cl::list<std::string> &names) {
  std::vector<std::string> trimmed;
  for (const std::string &name : names)
    trimmed.push_back(llvm::StringRef(name).trim().str());
  return trimmed;
}

Command::Command(const Options &options)
    : inputPath(options.input), outputPath(options.output),
      numChecks(options.check), stats(options.stats) {
  input.freeze = options.freeze;
  input.keepMissingData = options.keepMissingData;
  input.inlineFunctions = options.functions == Functions::Inline;
  input.inputShapes.assign(options.inputShapes.begin(),
                           options.inputShapes.end());
  input.opsets.assign(options.opsets.begin(), options.opsets.end());
  options.limits.set(input.limits);
  output.saveExternal = options.saveExternal;
  output.externalThreshold = options.externalThreshold;
  auto getGiven = [](cl::boolOrDefault value) {
    return value == cl::BOU_UNSET ? std::nullopt
                                  : std::optional(value == cl::BOU_TRUE);
  };
  request.noSignedZeros = getGiven(options.nsz);
  request.keepInterface = getGiven(options.keepInterface);
  if (options.none)
    request.passes.emplace();
  else if (!options.passes.empty())
    request.passes = getNames(options.passes);
  else if (options.upstream)
    request.setUpstreamDefault();
  request.fixedPoint = options.fixedPoint;
  RewriteOptions &rewrites = request.rewrites;
  rewrites.disabled = getNames(options.disabled);
  rewrites.noNaNs = options.nnan;
  rewrites.noInfinities = options.ninf;
  rewrites.assumeStrictlyMonotone = options.monotone;
  rewrites.upstreamCompatible = options.upstream;
  rewrites.keepOpset = options.keepOpset;
  rewrites.foldBudget = options.foldBudget;
  rewrites.unrollBudget = options.unrollBudget;
}

static void printTable(const OperatorCounts &before,
                       const OperatorCounts &after) {
  std::set<std::string> names;
  int64_t sums[2] = {0, 0};
  for (const auto &[name, count] : before) {
    names.insert(name);
    sums[0] += count;
  }
  for (const auto &[name, count] : after) {
    names.insert(name);
    sums[1] += count;
  }
  auto countOf = [](const OperatorCounts &counts, const std::string &name) {
    auto found = counts.find(name);
    return found == counts.end() ? int64_t(0) : found->second;
  };
  llvm::outs() << llvm::formatv("{0,-32} {1,8} {2,8}\n", "operator", "before",
                                "after");
  for (const std::string &name : names)
    llvm::outs() << llvm::formatv("{0,-32} {1,8} {2,8}\n", name,
                                  countOf(before, name), countOf(after, name));
  llvm::outs() << llvm::formatv("{0,-32} {1,8} {2,8}\n", "all", sums[0],
                                sums[1]);
}

static void printChanges(const OptimizeStatistics &statistics) {
  llvm::outs() << llvm::formatv("{0,-38} {1,8}\n", "pass", "changes");
  for (const auto &[name, count] : statistics.changes)
    if (count)
      llvm::outs() << llvm::formatv("{0,-38} {1,8}\n", name, count);
  llvm::outs() << llvm::formatv("{0,-38} {1,8}\n\n", "all",
                                statistics.numChanges());
}

static int check(const Command &command, mlir::MLIRContext &context) {
  llvm::Expected<CheckOutcome> outcome =
      compareModels(command.inputPath, command.outputPath, command.numChecks,
                    command.input.inputShapes, context);
  if (!outcome)
    return fail("--check: " + llvm::toString(outcome.takeError()));
  if (!outcome->difference.empty())
    return fail("--check: the models differ: " + outcome->difference);
  if (!outcome->compared)
    return fail("--check: the model refuses all random inputs; sizes that it "
                "leaves open can be stated by --input-shape");
  llvm::outs() << llvm::formatv("check: {0} runs agree, {1} were refused; the "
                                "largest difference is {2}\n",
                                outcome->compared, outcome->refused,
                                outcome->worst);
  return 0;
}

static int optimize(const Command &command, mlir::MLIRContext &context) {
  llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module =
      loadForRewriting({command.inputPath, nullptr}, command.input, context);
  if (failed(module))
    return 1;
  OperatorCounts before = countOperators(**module);
  OptimizeStatistics statistics;
  if (failed(rewrite(**module, command.request, &statistics)) ||
      failed(exportModel(**module, command.outputPath, command.output)))
    return 1;
  if (command.stats) {
    printChanges(statistics);
    printTable(before, countOperators(**module));
  }
  return 0;
}

/// LLVM has an option of this name, which counts other things; ours wins.
static void makeRoomForOptions() {
  if (cl::Option *option = cl::getRegisteredOptions().lookup("stats"))
    option->removeArgument();
}

static void printVersion(llvm::raw_ostream &os) {
  os << "onnx-optimize " << ONNXC_VERSION << " (LLVM " << LLVM_VERSION_STRING
     << ")\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setCrashText();
  makeRoomForOptions();
  Options options;
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  cl::extrahelp moreHelp(R"(
EXAMPLES:

  onnx-optimize in.onnx out.onnx --stats --check 3
  onnx-optimize in.onnx out.onnx --passes fuse_bn_into_conv,eliminate_deadend
  onnx-optimize in.onnx out.onnx --upstream-compatible --fixed-point
  onnx-optimize in.onnx out.onnx --input-shape=image:1x3x224x224 --freeze
  onnx-optimize --list
)");
  cl::ParseCommandLineOptions(argc, argv,
                              "onnx-optimize: rewrites an ONNX model to a "
                              "smaller one that computes the same\n");
  if (options.list) {
    printList();
    return 0;
  }
  if (options.none && !options.passes.empty())
    return fail("--passes and --no-passes exclude each other");
  if (std::string wrong = options.limits.check(); !wrong.empty())
    return fail(wrong);
  Command command(options);
  if (std::string wrong = checkRequest(command.request); !wrong.empty())
    return fail(wrong + " (--list prints all)");
  if (options.printPipeline) {
    llvm::outs() << getOptimizeText(command.input, command.request) << "\n";
    return 0;
  }
  if (command.inputPath.empty() || command.outputPath.empty())
    return fail("say which model to read and which to write: in.onnx out.onnx");
  if (command.outputPath != "-")
    if (std::string reason =
            refuseOutput(command.outputPath, command.inputPath);
        !reason.empty())
      return fail(reason);
  if (command.outputPath == "-" && (command.stats || command.numChecks))
    return fail("--stats and --check print where the model would be written");

  ToolContext tool;
  mlir::MLIRContext &context = tool.get();
  DiagnosticPrinter printer(&context, llvm::errs(), getOnnxWording());
  if (int status = optimize(command, context))
    return printer.hadError()
               ? status
               : fail(command.inputPath +
                      ": failed without a message; that is an error of onnxc");
  return command.numChecks ? check(command, context) : 0;
}
