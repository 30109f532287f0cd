//===- Inspector.cpp - Checks and summaries of models for Python ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "onnxc/Inspect/GraphView.h"
#include "onnxc/Pipelines/Check.h"
#include "onnxc/Pipelines/Inspect.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace onnxc;
using namespace onnxc::python;

Outcome<std::string>
onnxc::python::checkFile(const std::string &input, int optLevel,
                         const std::vector<std::string> &shapes,
                         const std::vector<std::string> &dims, bool freeze,
                         const std::vector<std::string> &frozen,
                         const Limits &limits) {
  return catchFailure([&] {
    if (optLevel < 0 || optLevel > 3)
      throw makeError(FindingCode::InvalidOption,
                      "opt_level=" + std::to_string(optLevel) +
                          " does not exist; there are 0 to 3");
    CheckRequest request;
    request.inputPath = input;
    request.options.optLevel = optLevel;
    request.options.inputShapes = shapes;
    request.options.dims = dims;
    setLimits(limits, request.limits, request.options);
    request.freeze = freeze;
    request.limits.frozen = frozen;
    std::string text;
    runGuarded(
        [&](mlir::MLIRContext &context) {
          llvm::raw_string_ostream os(text);
          checkModel(request, context).printJson(os);
          return llvm::success();
        },
        [&] { return input + ": the check"; });
    return text;
  });
}

Outcome<std::string>
onnxc::python::inspectFile(const std::string &input, const std::string &form,
                           const std::vector<std::string> &shapes,
                           const std::vector<std::string> &dims,
                           const Limits &limits) {
  return catchFailure([&] {
    using GraphWriter = void (*)(const ModelView &, llvm::raw_ostream &);
    auto writer = llvm::StringSwitch<GraphWriter>(form)
                      .Case("dot", writeDot)
                      .Case("svg", writeSvg)
                      .Default(nullptr);
    InspectRequest request;
    request.inputPath = input;
    request.options.inputShapes = shapes;
    request.options.dims = dims;
    setLimits(limits, request.limits, request.options);
    std::string text;
    runGuarded(
        [&](mlir::MLIRContext &context) -> llvm::LogicalResult {
          llvm::FailureOr<InspectedModel> model =
              inspectModel(request, context);
          if (failed(model))
            return llvm::failure();
          llvm::raw_string_ostream os(text);
          if (form == "json") {
            model->summary.printJson(os);
            return llvm::success();
          }
          if (form != "html" && !writer) {
            model->summary.printText(os);
            return llvm::success();
          }
          ModelView view =
              viewModel(*model->imported,
                        model->inferred ? *model->inferred : mlir::ModuleOp(),
                        llvm::sys::path::filename(input));
          if (writer) {
            writer(view, os);
            return llvm::success();
          }
          llvm::FailureOr<CompiledView> compiled =
              viewCompiled(request, context);
          if (failed(compiled))
            return llvm::failure();
          writeHtml(view, *compiled, os);
          return llvm::success();
        },
        [&] { return input + ": the inspection"; });
    return text;
  });
}
