//===- Pipeline.h - The stage onnxc-lower --------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LOWER_PIPELINE_H
#define ONNXC_LOWER_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

struct LowerOptions : public mlir::PassPipelineOptions<LowerOptions> {
  Option<std::string> activationInt8{
      *this, "activation-int8",
      llvm::cl::desc("Of which products with weights of few bits the rows "
                     "become 8-bit integers: never, model or always"),
      llvm::cl::init("model")};
};

/// onnx on tensors -> linalg on tensors.
void buildLowerPipeline(mlir::OpPassManager &pm, const LowerOptions &options);

} // namespace onnxc

#endif // ONNXC_LOWER_PIPELINE_H
