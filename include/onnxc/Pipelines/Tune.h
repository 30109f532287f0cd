//===- Tune.h - One model, compiled with many schedules ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `onnxc tune` compiles. A model is brought to the schedule stage once;
// then it is compiled with any decisions for its kernels, and each library
// tells which region of a profile is which kernel. Who runs and measures them
// is the verb.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_TUNE_H
#define ONNXC_PIPELINES_TUNE_H

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Pipelines/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace onnxc {

/// Kernels of one form, for which there is one decision.
struct TunableKernel {
  /// How the compiler decides, and all ways to decide.
  kernel::ScheduleInterface basis;
  std::vector<kernel::ScheduleInterface> choices;
  /// What the first of them is called, and how many there are.
  std::string node;
  unsigned count = 0;
};

/// The decisions for some kernels, by their keys.
using Decisions = std::map<std::string, kernel::ScheduleInterface>;

class TuningCompiler {
public:
  /// `request` says what is compiled; its output and kind are not read.
  TuningCompiler(const CompileRequest &request, mlir::MLIRContext &context)
      : request(request), context(context) {}

  /// Reads the model and runs the stages up to lower.
  llvm::LogicalResult prepare();

  /// The kernels that take decisions, by their keys. After a compile without
  /// decisions.
  const std::map<std::string, TunableKernel> &getKernels() const {
    return kernels;
  }

  /// Compiles with `decisions` into a shared object. With `profile`, `keys`
  /// gets the key of each region of the profile, "" where it is none of the
  /// kernels.
  llvm::LogicalResult compile(const Decisions &decisions, llvm::StringRef path,
                              bool profile,
                              std::vector<std::string> *keys = nullptr);

  /// The text of a file of decisions.
  std::string write(const Decisions &decisions, llvm::StringRef machine);

private:
  mlir::DictionaryAttr toAttr(const Decisions &decisions);

  const CompileRequest &request;
  mlir::MLIRContext &context;
  mlir::OwningOpRef<mlir::ModuleOp> lowered;
  std::map<std::string, TunableKernel> kernels;
  std::string target;
};

} // namespace onnxc

#endif // ONNXC_PIPELINES_TUNE_H
