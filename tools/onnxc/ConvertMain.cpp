//===- ConvertMain.cpp - onnxc convert in.onnx -o out.onnx ----------------===//
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

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

static int fail(const Twine &message) {
  errs() << "onnxc convert: " << message << "\n";
  return status::usage;
}

int onnxc::convertMain(int argc, char **argv) {
  const CommandText text{
      Command::Convert,
      "onnxc convert",
      "onnxc convert: writes a model at another opset, or in another file, and "
      "changes nothing else\n",
      "<model.onnx | model.onnxtxt | module.mlir | ->",
      1,
      1,
      R"(
EXAMPLES
  onnxc convert model.onnx -o older.onnx --opset=11
  onnxc convert model.onnx -o newer.onnx --opset=21 --opset=ai.onnx.ml=5
  onnxc convert model.onnxtxt -o model.onnx     from ONNX's text form
  onnxc convert model.onnx -o small.onnx --save-external=small.bin
)"};
  mlir::registerPassManagerCLOptions(); // The passes read them.
  Arguments arguments(argc, argv, text);
  CompileRequest request;
  request.inputPath = arguments.getOperand(0);
  request.outputPath = arguments.getName(OPT_o);
  request.kind = OutputKind::Model;
  request.opsets = arguments.getAll(OPT_opset);
  request.saveExternal = arguments.getName(OPT_save_external);
  setReadLimits(arguments, request.limits);
  if (request.outputPath.empty())
    return fail("name the new model with -o");
  if (request.outputPath == "-" ||
      !StringRef(request.outputPath).ends_with(".onnx"))
    return fail("-o " + request.outputPath +
                ": expected a file named .onnx; onnxc writes no other form of "
                "models");
  if (!request.opsets.empty() && isMLIRFile(request.inputPath))
    return fail("--opset= reads a .onnx file");
  // What the model says, before anything is rewritten.
  if (!isMLIRFile(request.inputPath))
    request.stopAfter = Stage::Import;
  ToolContext tool;
  FindingWriter writer(arguments, text.name, errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  if (succeeded(compile(request, tool.get())))
    return 0;
  return reporter.getFailure(request.inputPath);
}
