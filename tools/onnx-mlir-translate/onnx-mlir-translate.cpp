//===- onnx-mlir-translate.cpp - Between .onnx and MLIR -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "StandardOutput.h"
#include "ToolMains.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OptionNumbers.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

/// Imports `input` and writes it to `output`, if that is not empty.
static LogicalResult importModel(const DialectRegistry &registry,
                                 const std::string &input,
                                 const std::string &output,
                                 const onnxc::ImportOptions &options) {
  // Of its own for each: a context keeps the weights of what it has seen.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  onnxc::DiagnosticPrinter printer(&context, llvm::errs(),
                                   onnxc::getOnnxWording());
  FailureOr<OwningOpRef<ModuleOp>> module =
      onnxc::importModelFile(input, &context, options);
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

/// Writes `input`, a .mlir file or a .onnx file, as a model.
static LogicalResult exportModel(const DialectRegistry &registry,
                                 const std::string &input,
                                 const std::string &output,
                                 const onnxc::ImportOptions &importOptions,
                                 llvm::ArrayRef<std::string> opsets,
                                 const onnxc::ExportOptions &options) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  onnxc::DiagnosticPrinter printer(&context, llvm::errs(),
                                   onnxc::getOnnxWording());
  context.printOpOnDiagnostic(false);
  if (output != "-")
    if (std::string reason = onnxc::refuseOutput(output, input);
        !reason.empty()) {
      llvm::errs() << "onnx-mlir-translate: " << reason << '\n';
      return failure();
    }
  OwningOpRef<ModuleOp> module;
  if (StringRef(input).ends_with(".onnx") ||
      StringRef(input).ends_with(".onnxtxt")) {
    FailureOr<OwningOpRef<ModuleOp>> imported =
        onnxc::importModelFile(input, &context, importOptions);
    if (failed(imported))
      return failure();
    module = std::move(*imported);
  } else {
    module = parseSourceFile<ModuleOp>(input, &context);
  }
  if (!module ||
      (!opsets.empty() && failed(onnxc::convertOpsets(*module, opsets))))
    return failure();
  return onnxc::exportModel(*module, output, options);
}

namespace {
/// An option of onnxc that is a number.
class NumberOption {
public:
  NumberOption(onnxc::OptionID id, StringRef name, cl::OptionCategory &category)
      : number(*onnxc::findOptionNumber(name)),
        help(onnxc::getOptionHelp(id, onnxc::Command::Compile)),
        option(name, cl::cat(category), cl::init(number.value),
               cl::desc(help)) {}

  /// Ends the program where it is out of its bounds.
  int64_t get() const {
    if (number.takes(option))
      return option;
    llvm::errs() << "onnx-mlir-translate: --" << number.name << "=" << option
                 << ": " << number.describe() << '\n';
    std::exit(1);
  }

private:
  const onnxc::OptionNumber &number;
  std::string help;
  cl::opt<int64_t> option;
};
} // namespace

int onnx_mlir_translate_main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  onnxc::setCrashText();
  onnxc::reportOutputErrors();
  cl::OptionCategory category("onnx-mlir-translate");
  cl::opt<bool> onnxToMlir("onnx-to-mlir",
                           cl::desc("Import a .onnx or .onnxtxt file"),
                           cl::cat(category));
  cl::opt<bool> mlirToOnnx(
      "mlir-to-onnx", cl::desc("Write a module of the onnx dialect as a model"),
      cl::cat(category));
  cl::opt<bool> keepDefaults(
      "keep-defaults",
      cl::desc(
          "Initializers that are inputs, too, are arguments, no constants"),
      cl::cat(category));
  cl::opt<std::string> saveExternal(
      "save-external",
      cl::desc("Put large weights into this file, beside the model"),
      cl::value_desc("name"), cl::cat(category));
  cl::list<std::string> opsets(
      "opset", cl::desc("Write the model at opset n, or [domain=]n"),
      cl::value_desc("n"), cl::cat(category));
  cl::list<std::string> inputs(cl::Positional, cl::desc("<input file>"),
                               cl::OneOrMore, cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Output file"), cl::init("-"),
                              cl::cat(category));
  NumberOption maxNodes(onnxc::OPT_max_nodes, "max-nodes", category);
  NumberOption maxDepth(onnxc::OPT_max_depth, "max-depth", category);
  cl::opt<bool> quiet("no-output",
                      cl::desc("Only check; takes any number of files"),
                      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  // --mlir-print-debuginfo, --mlir-elide-resource-strings-if-larger, ...
  registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv, "Between .onnx and MLIR\n");
  if (onnxToMlir == mlirToOnnx) {
    llvm::errs() << "onnx-mlir-translate: give --onnx-to-mlir or "
                    "--mlir-to-onnx\n";
    return 1;
  }
  if (inputs.size() > 1 && (mlirToOnnx || !quiet)) {
    llvm::errs() << "onnx-mlir-translate: several files, but one output\n";
    return 1;
  }

  DialectRegistry registry;
  onnxc::registerAllDialects(registry);
  onnxc::ImportOptions importOptions;
  importOptions.maxNodes = maxNodes.get();
  importOptions.maxDepth = static_cast<unsigned>(maxDepth.get());
  importOptions.keepDefaults = keepDefaults || mlirToOnnx;
  if (mlirToOnnx) {
    onnxc::ExportOptions options;
    options.saveExternal = saveExternal;
    return failed(exportModel(
        registry, inputs.front(), output, importOptions,
        SmallVector<std::string>(opsets.begin(), opsets.end()), options));
  }
  bool hadError = false;
  for (const std::string &input : inputs)
    hadError |= failed(importModel(registry, input,
                                   quiet ? std::string() : output.getValue(),
                                   importOptions));
  return hadError;
}
