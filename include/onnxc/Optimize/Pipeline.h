//===- Pipeline.h - The optimize stage ------------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_PIPELINE_H
#define ONNXC_OPTIMIZE_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "onnxc/Support/OptionNumbers.h"

#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct OptimizeOptions : public mlir::PassPipelineOptions<OptimizeOptions> {
  Option<bool> rewrites{
      *this, "rewrites",
      llvm::cl::desc("Run the default rewrites of onnx-optimize as well, with "
                     "operators of any opset"),
      llvm::cl::init(false)};
  Option<int64_t> foldBudget{
      *this, "fold-budget",
      llvm::cl::desc("The most bytes that a folded constant may take, if what "
                     "it is computed from takes less"),
      llvm::cl::init(defaults::fold_budget)};
};

/// What is always a gain and changes no bit of a result: folders and
/// canonical forms, common subexpressions, unused nodes; with `rewrites`,
/// what is a gain within the rounding that an operator may have. The signature
/// and the names of inputs and outputs stay.
///
/// A rewrite may know less of a type than what it replaced: `addInference` adds
/// passes that restore the contract of the infer stage.
void buildOptimizePipeline(
    mlir::OpPassManager &pm, const OptimizeOptions &options,
    llvm::function_ref<void(mlir::OpPassManager &)> addInference = {});

/// The name of the rewrite of this pipeline that makes something invalid of
/// `module`, which it changes; "" if none does.
std::string findInvalidRewrite(mlir::ModuleOp module,
                               const OptimizeOptions &options);

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_PIPELINE_H
