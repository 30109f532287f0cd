//===- CheckMain.cpp - onnxc check model.onnx -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Overrides.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Pipelines/Check.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace onnxc;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"onnxc check options"};
  cl::opt<std::string> model{cl::Positional, cl::Required, cl::cat(category),
                             cl::value_desc("file"), cl::desc("<model.onnx>")};
  cl::opt<char> level{"O", cl::Prefix, cl::cat(category), cl::init('2'),
                      cl::desc("The level that a compile would have: rewrites, "
                               "from -O1 on, may take away what is not "
                               "supported. Default: -O2")};
  Overrides overrides{category};
  FreezeOption freeze{category};
  CompileLimits limits{category};
  cl::opt<bool> opsetReport{
      "opset-report", cl::cat(category),
      cl::desc("Print which versions of operators the model uses, which are "
               "rewritten, and by which rule")};
  cl::opt<bool> json{"json", cl::cat(category),
                     cl::desc("Print JSON instead of text")};
  cl::opt<unsigned> maxFaults{
      "max-faults", cl::cat(category), cl::init(1000), cl::value_desc("count"),
      cl::desc("Stop at so many faults. Default: 1000")};
};

constexpr char moreHelp[] = R"(
Lists every fault of the model, and every operator that onnxc cannot compile,
without compiling anything; weights are not read. What is called supported
compiles. The exit status is 0 then, and 1 otherwise.

EXAMPLES:

  onnxc check model.onnx                        will it compile? if not, why
  onnxc check model.onnx --dim batch=1          with a size that it leaves open
  onnxc check model.onnx --json > report.json   for programs
  onnxc check model.onnx --opset-report         versions of the operators
)";

} // namespace

int onnxc::checkMain(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::extrahelp more(moreHelp);
  cl::ParseCommandLineOptions(
      argc, argv,
      "onnxc check: what is wrong with a model, and what onnxc "
      "cannot compile of it\n");
  CheckRequest request;
  request.inputPath = options.model;
  if (options.level < '0' || options.level > '3' || !options.maxFaults) {
    llvm::errs() << "onnxc check: expected -O0 to -O3 and --max-faults of at "
                    "least 1\n";
    return 1;
  }
  request.options.optLevel = options.level - '0';
  request.maxFaults = options.maxFaults;
  options.overrides.set(request.options);
  if (std::string wrong = options.limits.check(); !wrong.empty()) {
    llvm::errs() << "onnxc check: " << wrong << "\n";
    return 1;
  }
  options.limits.set(request.limits, request.options);
  options.freeze.set(request.freeze, request.limits);
  ToolContext tool;
  CheckReport report = checkModel(request, tool.get());
  if (options.json)
    report.printJson(llvm::outs());
  else
    report.printText(llvm::outs());
  if (options.opsetReport && !options.json)
    printOpVersions(report.opVersions, llvm::outs());
  return report.isSupported() ? 0 : 1;
}
