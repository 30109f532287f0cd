//===- TargetsMain.cpp - onnxc targets ------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "ToolContext.h"
#include "Verbs.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Target/Levels.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

constexpr char help[] =
    R"(onnxc targets: the processors and systems that code can be made for

USAGE: onnxc targets            a table of all
       onnxc targets <triple>   the processors and features of one, for --mcpu and
                                --mattr; * marks what a model checks where it runs
)";

int onnxc::targetsMain(int argc, char **argv) {
  llvm::StringRef first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") {
    llvm::outs() << help;
    return 0;
  }
  if (argc > 2 || first.starts_with("-")) {
    llvm::errs() << "onnxc targets: '" << (argc > 2 ? argv[2] : argv[1])
                 << "': expected at most the name of a system, such as "
                    "aarch64-linux-gnu\n";
    return 2;
  }
  if (first.empty()) {
    printTargets(llvm::outs());
    return 0;
  }
  return listProcessors(first);
}

int onnxc::listProcessors(llvm::StringRef triple) {
  ToolContext tool;
  FindingWriter writer(llvm::errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  if (failed(printProcessors(mlir::UnknownLoc::get(&tool.get()), triple,
                             llvm::outs())))
    return reporter.getFailure(triple);
  return 0;
}
