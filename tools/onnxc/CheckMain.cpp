//===- CheckMain.cpp - onnxc check model.onnx -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Findings.h"
#include "Limits.h"
#include "Overrides.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Pipelines/Check.h"

#include "llvm/Support/raw_ostream.h"

using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  unsigned level = arguments.getLevel();
  Overrides overrides{arguments};
  FreezeOption freeze{arguments};
  bool opsetReport = arguments.getFlag(OPT_opset_report);
  bool json = arguments.getFlag(OPT_json);
  unsigned maxFaults = arguments.getNumber<unsigned>(OPT_max_faults);
};

constexpr char moreHelp[] = R"(
Lists every fault of the model, and every operator that onnxc cannot compile,
without compiling anything; weights are not read. What is called supported
compiles. The exit status is 0 then, and 1 otherwise; 2 for a wrong command line.

EXAMPLES:

  onnxc check model.onnx                        will it compile? if not, why
  onnxc check model.onnx --dim batch=1          with a size that it leaves open
  onnxc check model.onnx --json > report.json   for programs
  onnxc check model.onnx --opset-report         versions of the operators
)";

} // namespace

/// The report in the form that a compile's errors have.
static void addFindings(const CheckReport &report, FindingWriter &writer) {
  auto add = [&](llvm::StringRef severity, const CheckReport::Fault &fault) {
    Finding finding;
    finding.code = fault.code;
    finding.severity = severity;
    finding.message = fault.message;
    finding.file = report.path;
    finding.node = fault.node;
    finding.opType = fault.opType;
    finding.notes = fault.notes;
    writer.add(finding);
  };
  for (const CheckReport::Fault &fault : report.faults)
    add("error", fault);
  for (const CheckReport::Unsupported &unsupported : report.unsupported) {
    const UnsupportedUse &use = unsupported.use;
    std::string message = use.opType + " of domain '" +
                          (use.domain.empty() ? "ai.onnx" : use.domain) +
                          "' is not supported: " + std::to_string(use.count) +
                          (use.count == 1 ? " node" : " nodes") +
                          (use.reason.empty() ? "" : ": " + use.reason);
    add("error", {Stage::Lower,
                  unsupported.firstNode,
                  use.opType,
                  message,
                  {},
                  FindingCode::UnsupportedOperator});
  }
  for (const CheckReport::Fault &fault : report.warnings)
    add("warning", fault);
}

int onnxc::checkMain(int argc, char **argv) {
  const CommandText text{
      Command::Check,
      "onnxc check",
      "onnxc check: what is wrong with a model, and what onnxc "
      "cannot compile of it\n",
      "<model.onnx>",
      1,
      1,
      moreHelp};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  CheckRequest request;
  request.inputPath = options.model;
  request.options.optLevel = options.level;
  request.maxFaults = options.maxFaults;
  options.overrides.set(request.options);
  setCompileLimits(arguments, request.limits, request.options);
  options.freeze.set(request.freeze, request.limits);
  if (int status = arguments.saveConfig(options.model))
    return status;
  ToolContext tool;
  CheckReport report = checkModel(request, tool.get());
  FindingWriter writer(arguments, text.name, llvm::outs());
  if (options.json)
    report.printJson(llvm::outs());
  else if (!writer.isText())
    addFindings(report, writer);
  else
    report.printText(llvm::outs());
  if (options.opsetReport && !options.json && writer.isText())
    printOpVersions(report.opVersions, llvm::outs());
  if (report.isSupported())
    return 0;
  return report.isValid() ? status::model
                          : getStatus(report.faults.front().code);
}
