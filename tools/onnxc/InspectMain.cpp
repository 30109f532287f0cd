//===- InspectMain.cpp - onnxc inspect model.onnx -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompileTemporary.h"
#include "Findings.h"
#include "Limits.h"
#include "Overrides.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Inspect/CompiledView.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Inspect.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
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
  unsigned level = arguments.getLevel();
  std::string cpu = arguments.getName(OPT_mcpu, getRunningCpu());
  std::string features = arguments.getString(OPT_mattr);
  std::string times = arguments.getName(OPT_times);
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
  onnxc inspect model.onnx --graph=html         writes model.html, for a browser:
                                                the model before and after each
                                                part of a compile
  onnxc profile model.onnx --json > times.json
  onnxc inspect model.onnx --graph=html --times=times.json
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
      .Default(nullptr);
}

/// Adds what a profile measured to what a compile makes of the model.
static llvm::Error addTimes(CompiledView &compiled, const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError(path + ": " + file.getError().message());
  if (!compiled.failedStage.empty())
    return llvm::createStringError(
        path +
        ": the model cannot be compiled, and has no times: " + compiled.fault);
  llvm::Expected<TimesView> times =
      readTimes((*file)->getBuffer(), compiled.regions);
  if (!times)
    return llvm::createStringError(
        path + ": " + llvm::toString(times.takeError()) +
        "; expected a profile of this model with the same -O, --mcpu and "
        "--shape");
  compiled.times = std::move(*times);
  return llvm::Error::success();
}

/// `compiled` is what a page shows beside the model; null for other drawings.
static int draw(InspectedModel &model, const CompiledView *compiled,
                llvm::StringRef kind, unsigned maxDrawn,
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
    if (compiled)
      writeHtml(view, *compiled, os);
    else
      lookupWriter(kind)(view, os);
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
  const bool isPage = kind == "html";
  if (arguments.has(OPT_graph) && !isPage && !lookupWriter(kind)) {
    fail("--graph=" + kind + ": unknown format, expected dot, svg or html");
    return status::usage;
  }
  if (!isPage && arguments.has(OPT_times)) {
    fail("--times=" + options.times + ": only --graph=html shows times");
    return status::usage;
  }
  request.options.optLevel = options.level;
  request.options.target.cpu = options.cpu;
  request.options.target.features = options.features;
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
    return reporter.getFailure(request.inputPath);
  if (isPage) {
    llvm::FailureOr<CompiledView> compiled = viewCompiled(request, tool.get());
    if (failed(compiled))
      return reporter.getFailure(request.inputPath);
    if (!options.times.empty())
      if (llvm::Error error = addTimes(*compiled, options.times))
        return fail(llvm::toString(std::move(error)));
    return draw(*model, &*compiled, kind, options.maxDrawn, output);
  }
  if (!kind.empty())
    return draw(*model, nullptr, kind, options.maxDrawn, output);
  if (options.json)
    model->summary.printJson(llvm::outs());
  else
    model->summary.printText(llvm::outs());
  return 0;
}
