//===- QuantizeMain.cpp - onnxc quantize in.onnx -o out.onnx --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Findings.h"
#include "Limits.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Quantize.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

static int fail(const Twine &message) {
  errs() << "onnxc quantize: " << message << "\n";
  return status::usage;
}

static constexpr char moreHelp[] = R"(
Without --calibrate only weights are quantized, and errors are measured on made-up
inputs. With --int8 --calibrate, activations are, too.

EXAMPLES
  onnxc quantize llm.onnx -o llm4.onnx --int4
  onnxc quantize llm.onnx -o llm4.onnx --int4 --calibrate prompts/ --exclude 'lm_head*'
  onnxc quantize resnet50.onnx -o resnet50_8.onnx --int8 --calibrate images.npz
  onnxc quantize net.onnx -o net8.onnx --int8 --calibrate in.npz --max-error 0.02
)";

static quantize::RangeMethod getMethod(const Arguments &arguments) {
  std::string name = arguments.getChoice(OPT_calibration_method, "least-error");
  return name == "min-max"      ? quantize::RangeMethod::MinMax
         : name == "percentile" ? quantize::RangeMethod::Percentile
                                : quantize::RangeMethod::LeastError;
}

static QuantizeRequest makeRequest(const Arguments &arguments) {
  QuantizeRequest request;
  request.blocks.bits = arguments.getFlag(OPT_int4) ? 4 : 8;
  request.blocks.blockSize = arguments.getNumber<int64_t>(OPT_block_size);
  request.blocks.zeroPoints = arguments.getFlag(OPT_zero_points);
  request.blocks.format = arguments.getChoice(OPT_format, "qdq") == "qdq"
                              ? quantize::Format::QDQ
                              : quantize::Format::MatMulNBits;
  request.weightOnly = arguments.getFlag(OPT_weight_only);
  request.embeddings = arguments.getFlag(OPT_embeddings);
  request.calibration = arguments.getAll(OPT_calibrate);
  request.method = getMethod(arguments);
  request.percentile =
      arguments.getFraction(OPT_percentile).value_or(request.percentile);
  request.signedActivations =
      arguments.getChoice(OPT_activations, "uint8") == "int8";
  request.exclude = arguments.getAll(OPT_exclude);
  request.maxError = arguments.getFraction(OPT_max_error);
  request.measureEach = arguments.getFlag(OPT_sensitivity);
  request.shapes = arguments.getAll(OPT_shape);
  request.threads = arguments.getNumber<unsigned>(OPT_threads, 0);
  request.freeze = arguments.has(OPT_freeze);
  setReadLimits(arguments, request.limits);
  return request;
}

/// Why the outputs cannot be; empty if they can.
static std::string checkOutputs(const Arguments &arguments) {
  std::string input = arguments.getOperand(0),
              output = arguments.getName(OPT_o),
              report = arguments.getName(OPT_report);
  if (output.empty())
    return "name the new model with -o";
  if (output != "-" && !StringRef(output).ends_with(".onnx"))
    return "-o " + output + ": expected a file named .onnx";
  for (const std::string &path : {output, report})
    if (!path.empty() && path != "-")
      if (std::string reason = refuseOutput(path, input); !reason.empty())
        return path + ": " + reason;
  if (isMLIRFile(input))
    return input + ": expected a .onnx file";
  return "";
}

static Error writeReport(const QuantizeReport &report,
                         const std::string &path) {
  if (path.empty()) {
    errs() << report.toText();
    return Error::success();
  }
  return writeToOutput(path, [&](raw_ostream &os) {
    os << (StringRef(path).ends_with(".json") ? report.toJson()
                                              : report.toText());
    return Error::success();
  });
}

int onnxc::quantizeMain(int argc, char **argv) {
  const CommandText text{Command::Quantize,
                         "onnxc quantize",
                         "onnxc quantize: writes a model with integers of 4 or "
                         "8 bits for weights, "
                         "or for activations, too\n",
                         "<model.onnx>",
                         1,
                         1,
                         moreHelp};
  mlir::registerPassManagerCLOptions(); // The passes read them.
  Arguments arguments(argc, argv, text);
  if (arguments.getFlag(OPT_int4) == arguments.getFlag(OPT_int8))
    return fail("say how: --int4 or --int8");
  if (std::string wrong = checkOutputs(arguments); !wrong.empty())
    return fail(wrong);
  const std::string input = arguments.getOperand(0);
  const QuantizeRequest request = makeRequest(arguments);
  if (std::string wrong = checkRequest(request); !wrong.empty())
    return fail(wrong);
  ToolContext tool;
  FindingWriter writer(arguments, text.name, errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  QuantizeReport report;
  auto module = quantizeModel({input, nullptr}, request, tool.get(), report);
  if (failed(module))
    return reporter.getFailure(input);
  ExportOptions options;
  options.saveExternal = arguments.getName(OPT_save_external);
  if (failed(exportModel(**module, arguments.getName(OPT_o), options)))
    return reporter.getFailure(input);
  if (Error error = writeReport(report, arguments.getName(OPT_report))) {
    errs() << "onnxc quantize: " << toString(std::move(error)) << "\n";
    return status::model;
  }
  return 0;
}
