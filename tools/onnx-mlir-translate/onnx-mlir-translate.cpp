//===- onnx-mlir-translate.cpp - Between .onnx and MLIR -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

/// Imports `input` and writes it to `output`, if that is not empty.
static LogicalResult importModel(const DialectRegistry &registry,
                                 const std::string &input,
                                 const std::string &output) {
  // Of its own for each: a context keeps the weights of what it has seen.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  onnxc::DiagnosticPrinter printer(&context, llvm::errs(), onnxc::findNode);
  FailureOr<OwningOpRef<ModuleOp>> module =
      onnxc::importModelFile(input, &context);
  if (failed(module))
    return failure();
  if (output.empty())
    return success();
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &error);
  if (!file) {
    llvm::errs() << error << '\n';
    return failure();
  }
  (*module)->print(file->os());
  file->os() << '\n';
  file->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  onnxc::setCrashText();
  cl::OptionCategory category("onnx-mlir-translate");
  cl::opt<bool> onnxToMlir("onnx-to-mlir", cl::desc("Import a .onnx file"),
                           cl::cat(category));
  cl::list<std::string> inputs(cl::Positional, cl::desc("<input file>"),
                               cl::OneOrMore, cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Output file"), cl::init("-"),
                              cl::cat(category));
  cl::opt<bool> quiet("no-output",
                      cl::desc("Only check; takes any number of files"),
                      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  // --mlir-print-debuginfo, --mlir-elide-resource-strings-if-larger, ...
  registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv, "Between .onnx and MLIR\n");
  if (!onnxToMlir) {
    llvm::errs() << "onnx-mlir-translate: say what to do: --onnx-to-mlir\n";
    return 1;
  }
  if (inputs.size() > 1 && !quiet) {
    llvm::errs() << "onnx-mlir-translate: several files, but one output\n";
    return 1;
  }

  DialectRegistry registry;
  onnxc::registerAllDialects(registry);
  bool hadError = false;
  for (const std::string &input : inputs)
    hadError |= failed(importModel(registry, input,
                                   quiet ? std::string() : output.getValue()));
  return hadError;
}
