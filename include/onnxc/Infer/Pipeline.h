//===- Pipeline.h - The infer stage --------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INFER_PIPELINE_H
#define ONNXC_INFER_PIPELINE_H

#include "onnxc/Support/OptionNumbers.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

/// Whether an entry of `dims` states a range of sizes, seq=1..512, and not one.
inline bool isSizeRange(llvm::StringRef dim) { return dim.contains(".."); }

struct InferOptions : public mlir::PassPipelineOptions<InferOptions> {
  ListOption<std::string> inputShapes{
      *this, "input-shapes",
      llvm::cl::desc("Shapes of inputs beyond what the model declares, as in "
                     "x:1x3x?x?")};
  ListOption<std::string> dims{
      *this, "dims",
      llvm::cl::desc("Sizes of named dimensions, seq=128, or ranges to have "
                     "code for likely sizes of, seq=1..512")};
  Option<bool> batchOfOne{
      *this, "batch-of-one",
      llvm::cl::desc("Code for one item beside that for any number, if the "
                     "model is small and no ranges are given"),
      llvm::cl::init(false)};
  ListOption<std::string> pulses{
      *this, "pulses",
      llvm::cl::desc("Dimensions along which sequences come in pulses, and "
                     "their size, time=160 or audio:1=160")};
  Option<int64_t> maxTensorBytes{
      *this, "max-tensor-bytes",
      llvm::cl::desc("The most bytes that one tensor of the model may take"),
      llvm::cl::init(defaults::max_tensor_bytes)};
  Option<bool> lenient{
      *this, "lenient",
      llvm::cl::desc("Report what the model contradicts, and require nothing "
                     "to be known: types may be open and operators unknown"),
      llvm::cl::init(false)};
  Option<bool> reversible{
      *this, "reversible",
      llvm::cl::desc("For a model that is written again: functions stay, "
                     "nothing is required to be known, and shapes that "
                     "`input-shapes` states are declared"),
      llvm::cl::init(false)};
  Option<bool> inlineFunctions{
      *this, "without-functions",
      llvm::cl::desc("Where `reversible`: calls of functions become what they "
                     "call all the same"),
      llvm::cl::init(false)};
};

/// Inlines model functions, infers types and shapes, folds shape computations
/// and normalizes attributes. Afterwards every value has an element type and a
/// rank, or there was an error.
void buildInferPipeline(mlir::OpPassManager &pm, const InferOptions &options);

/// The same for a module that was inferred and then rewritten.
void buildInferAgainPipeline(mlir::OpPassManager &pm);

} // namespace onnxc

#endif // ONNXC_INFER_PIPELINE_H
