//===- InspectMain.cpp - onnxc inspect model.onnx -------------------------===//
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

#include "onnxc/Inspect/GraphView.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Inspect.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace onnxc;

namespace {

struct Options {
  const Arguments &arguments;
  std::string model = arguments.getOperand(0);
  Overrides overrides{arguments};
  bool json = arguments.getFlag(OPT_json);
  std::string graph = arguments.getString(OPT_graph);
  std::string output = arguments.getString(OPT_o);
  unsigned maxDrawn = arguments.getNumber<unsigned>(OPT_max_drawn);
};

constexpr char moreHelp[] = R"(
Says what is in a model: inputs and outputs, operators, parameters, how much
arithmetic a run is, functions, named sizes. Weights are not read, and may be
missing. Where the model leaves sizes open, numbers are formulas of them; --dim
and --shape close them.

EXAMPLES:

  onnxc inspect model.onnx                      a page of text
  onnxc inspect model.onnx --dim batch=1        numbers in place of formulas
  onnxc inspect model.onnx --json               for programs
  onnxc inspect model.onnx --graph=html         writes model.html, for a browser
  onnxc inspect model.onnx --graph=svg -o net.svg --dim batch=1
)";

} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "onnxc inspect: " << message << "\n";
  return 1;
}

using GraphWriter = void (*)(const ModelView &, llvm::raw_ostream &);

static GraphWriter lookupWriter(llvm::StringRef kind) {
  return llvm::StringSwitch<GraphWriter>(kind)
      .Case("dot", writeDot)
      .Case("svg", writeSvg)
      .Case("html", writeHtml)
      .Default(nullptr);
}

static int draw(InspectedModel &model, GraphWriter write, unsigned maxDrawn,
                const std::string &path) {
  llvm::StringRef title = llvm::sys::path::filename(model.summary.path);
  auto limit = static_cast<int64_t>(maxDrawn);
  if (model.summary.numNodes > limit)
    return fail(
        model.summary.path + " has " + llvm::Twine(model.summary.numNodes) +
        " nodes, a drawing of "
        "more than " +
        llvm::Twine(limit) + " is not made; --max-drawn= sets another limit");
  ModelView view =
      viewModel(*model.imported,
                model.inferred ? *model.inferred : mlir::ModuleOp(), title);
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    write(view, os);
    return llvm::Error::success();
  });
  return error ? fail(llvm::toString(std::move(error))) : 0;
}

int onnxc::inspectMain(int argc, char **argv) {
  const CommandText text{Command::Inspect,
                         "onnxc inspect",
                         "onnxc inspect: what is in a model\n",
                         "<model.onnx>",
                         1,
                         1,
                         moreHelp};
  Arguments arguments(argc, argv, text);
  const Options options{arguments};
  InspectRequest request;
  request.inputPath = options.model;
  options.overrides.set(request.options);
  setInferLimits(arguments, request.limits, request.options);
  const std::string kind = options.graph;
  if (arguments.has(OPT_graph) && !lookupWriter(kind)) {
    fail("--graph=" + kind + ": unknown format, expected dot, svg or html");
    return status::usage;
  }
  std::string output = options.output;
  if (output.empty())
    output = (llvm::sys::path::stem(request.inputPath) + "." + kind).str();
  if (!kind.empty() && output != "-")
    if (std::string reason = refuseOutput(output, request.inputPath);
        !reason.empty())
      return fail(reason);
  if (int status = arguments.saveConfig(options.model))
    return status;
  ToolContext tool;
  FindingWriter writer(llvm::errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  llvm::FailureOr<InspectedModel> model = inspectModel(request, tool.get());
  if (failed(model))
    return reporter.hadError()
               ? reporter.status()
               : reporter.reportInternal(
                     "failed without a message; that is an error of onnxc",
                     request.inputPath);
  if (!kind.empty())
    return draw(*model, lookupWriter(kind), options.maxDrawn, output);
  if (options.json)
    model->summary.printJson(llvm::outs());
  else
    model->summary.printText(llvm::outs());
  return 0;
}
