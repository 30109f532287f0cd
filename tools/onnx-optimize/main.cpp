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

#include "Arguments.h"
#include "Check.h"
#include "Findings.h"
#include "Limits.h"
#include "StandardOutput.h"
#include "ToolContext.h"
#include "ToolMains.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Optimize.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace onnxc;

/// `name` is what the command is called: it is one of its own, and a verb of
/// onnxc.
static int fail(llvm::StringRef name, const llvm::Twine &message) {
  llvm::errs() << name << ": " << message << "\n";
  return status::model;
}

/// Of a wrong command line.
static int refuse(llvm::StringRef name, const llvm::Twine &message) {
  fail(name, message);
  return status::usage;
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
/// What the command line says.
struct Request {
  Request(llvm::StringRef name, const Arguments &arguments);

  llvm::StringRef name; // of the command
  std::string inputPath, outputPath;
  OptimizeInput input;
  OptimizeRequest request;
  ExportOptions output;
  unsigned numChecks;
  bool stats;
};
} // namespace

static std::vector<std::string> getNames(const Arguments &arguments,
                                         OptionID id) {
  std::vector<std::string> trimmed;
  for (llvm::StringRef name : arguments.getAll(id))
    trimmed.push_back(name.trim().str());
  return trimmed;
}

Request::Request(llvm::StringRef name, const Arguments &arguments)
    : name(name), inputPath(arguments.getOperand(0)),
      outputPath(arguments.getName(OPT_o, arguments.getOperand(1))),
      numChecks(arguments.getNumber<unsigned>(OPT_check)),
      stats(arguments.getFlag(OPT_stats)) {
  input.freeze = arguments.getFlag(OPT_freeze);
  input.keepMissingData = arguments.getFlag(OPT_keep_missing_data);
  input.inlineFunctions =
      arguments.getChoice(OPT_functions, "keep") == "inline";
  input.inputShapes = arguments.getAll(OPT_input_shape);
  input.opsets = arguments.getAll(OPT_opset);
  setReadLimits(arguments, input.limits);
  output.saveExternal = arguments.getString(OPT_save_external);
  output.externalThreshold =
      arguments.getNumber<uint64_t>(OPT_external_threshold);
  request.noSignedZeros = arguments.getGiven(OPT_nsz);
  request.keepInterface = arguments.getGiven(OPT_keep_interface);
  RewriteOptions &rewrites = request.rewrites;
  rewrites.upstreamCompatible = arguments.getFlag(OPT_upstream_compatible);
  if (arguments.getFlag(OPT_no_passes))
    request.passes.emplace();
  else if (arguments.has(OPT_passes))
    request.passes = getNames(arguments, OPT_passes);
  else if (rewrites.upstreamCompatible)
    request.setUpstreamDefault();
  request.fixedPoint = arguments.getFlag(OPT_fixed_point);
  rewrites.disabled = getNames(arguments, OPT_disable);
  rewrites.noNaNs = arguments.getFlag(OPT_nnan);
  rewrites.noInfinities = arguments.getFlag(OPT_ninf);
  rewrites.assumeStrictlyMonotone =
      arguments.getFlag(OPT_assume_strictly_monotone);
  rewrites.keepOpset = arguments.getFlag(OPT_keep_opset, rewrites.keepOpset);
  rewrites.foldBudget = arguments.getNumber<int64_t>(OPT_fold_budget);
  rewrites.unrollBudget = arguments.getNumber<int64_t>(OPT_unroll_budget);
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

static int check(const Request &command, mlir::MLIRContext &context) {
  llvm::Expected<CheckOutcome> outcome =
      compareModels(command.inputPath, command.outputPath, command.numChecks,
                    command.input.inputShapes, context);
  if (!outcome)
    return fail(command.name,
                "--check: " + llvm::toString(outcome.takeError()));
  if (!outcome->difference.empty())
    return fail(command.name,
                "--check: the models differ: " + outcome->difference);
  if (!outcome->compared)
    return fail(command.name,
                "--check: the model refuses all random inputs; sizes that it "
                "leaves open can be stated by --input-shape");
  llvm::outs() << llvm::formatv("check: {0} runs agree, {1} were refused; the "
                                "largest difference is {2}\n",
                                outcome->compared, outcome->refused,
                                outcome->worst);
  return 0;
}

static int optimize(const Request &command, mlir::MLIRContext &context) {
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

static int run(llvm::StringRef name, int argc, char **argv) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  const CommandText text{Command::Optimize,
                         name.str(),
                         "onnx-optimize, onnxc optimize: rewrites an ONNX "
                         "model to a smaller one that computes "
                         "the same\n",
                         "<in.onnx> <out.onnx, or - for the standard output>",
                         0,
                         2,
                         R"(
EXAMPLES:

  onnx-optimize in.onnx out.onnx --stats --check 3
  onnx-optimize in.onnx out.onnx --passes fuse_bn_into_conv,eliminate_deadend
  onnx-optimize in.onnx out.onnx --upstream-compatible --fixed-point
  onnx-optimize in.onnx out.onnx --input-shape=image:1x3x224x224 --freeze
  onnx-optimize --list
)"};
  Arguments arguments(argc, argv, text);
  if (arguments.getFlag(OPT_list_passes)) {
    printList();
    return 0;
  }
  if (arguments.getFlag(OPT_no_passes) && arguments.has(OPT_passes))
    return refuse(name, "--passes and --no-passes exclude each other");
  if (arguments.has(OPT_o) && !arguments.getOperand(1).empty())
    return refuse(name, "-o and the operand '" + arguments.getOperand(1) +
                            "' both say which model to write");
  Request command(name, arguments);
  if (std::string wrong = checkRequest(command.request); !wrong.empty())
    return refuse(name, wrong + " (--list prints all)");
  if (arguments.getFlag(OPT_print_pipeline)) {
    llvm::outs() << getOptimizeText(command.input, command.request) << "\n";
    return 0;
  }
  if (command.inputPath.empty() || command.outputPath.empty())
    return refuse(
        name,
        "say which model to read and which to write: in.onnx out.onnx, or "
        "in.onnx -o out.onnx");
  if (command.outputPath != "-")
    if (std::string reason =
            refuseOutput(command.outputPath, command.inputPath);
        !reason.empty())
      return fail(name, reason);
  if (command.outputPath == "-" && (command.stats || command.numChecks))
    return refuse(name,
                  "--stats and --check print where the model would be written");

  ToolContext tool;
  mlir::MLIRContext &context = tool.get();
  FindingWriter writer(arguments, text.name, llvm::errs());
  DiagnosticReporter reporter(&context, writer);
  if (optimize(command, context))
    return reporter.getFailure(command.inputPath);
  return command.numChecks ? check(command, context) : 0;
}

int onnx_optimize_main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setCrashText();
  reportOutputErrors();
  startInterruptThread();
  return run("onnx-optimize", argc, argv);
}

int onnxc::optimizeMain(int argc, char **argv) {
  return run("onnxc optimize", argc, argv);
}
