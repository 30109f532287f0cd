//===- Pipeline.cpp - The infer stage -------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Infer/Pipeline.h"

#include "onnxc/Infer/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace onnxc;

/// The stage for a model that is written again.
static void buildReversibly(OpPassManager &pm, const InferOptions &options) {
  if (options.inlineFunctions) {
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
    // What a body called a function for is known to depend on its iteration.
    pm.addPass(createForgetCarriedSizes());
  }
  SpecializeInputsOptions inputs;
  llvm::append_range(inputs.shapes, options.inputShapes);
  if (!inputs.shapes.empty())
    pm.addPass(createSpecializeInputs(inputs));
  pm.addPass(createForgetExampleSizes());
  InferShapesOptions infer;
  infer.lenient = true;
  pm.addPass(createInferShapes(infer));
  // Shapes that the user states become the model's.
  if (!inputs.shapes.empty())
    pm.addPass(createDeclareShapes());
}

void onnxc::buildInferPipeline(OpPassManager &pm, const InferOptions &options) {
  if (options.reversible)
    return buildReversibly(pm, options);
  // Model functions take on the types of their call sites by being inlined.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createLoosenOverridden());
  // Behind that, since a call states the types of its operands.
  SpecializeInputsOptions inputs;
  llvm::append_range(inputs.shapes, options.inputShapes);
  // A range is left for branches, one size is stated.
  SpecializeSizesOptions sizes;
  sizes.batchOfOne = options.batchOfOne;
  for (const std::string &dim : options.dims)
    (isSizeRange(dim) ? sizes.ranges : inputs.dims).push_back(dim);
  pm.addPass(createSpecializeInputs(inputs));
  pm.addPass(createForgetExampleSizes());
  if (options.lenient) {
    pm.addPass(createForgetCarriedSizes());
    InferShapesOptions infer;
    infer.lenient = true;
    infer.report = true;
    return pm.addPass(createInferShapes(infer));
  }
  pm.addPass(createCheckSizeSums());
  pm.addPass(createSpecializeSizes(sizes));
  pm.addPass(createDensifyConstants());
  pm.addPass(createCheckDivisors());
  // Again, for the functions that bodies called.
  pm.addPass(createForgetCarriedSizes());
  pm.addPass(createInferShapes());
  pm.addPass(createExpandFlexAttention());
  buildInferAgainPipeline(pm);
  PulseStreamsOptions pulses;
  llvm::append_range(pulses.pulses, options.pulses);
  if (!pulses.pulses.empty()) {
    pm.addPass(createPulseStreams(pulses));
    buildInferAgainPipeline(pm);
  }
  pm.addPass(createCheckStates());
  CheckSizesOptions limit;
  limit.maxBytes = options.maxTensorBytes;
  pm.addPass(createCheckSizes(limit));
}

void onnxc::buildInferAgainPipeline(OpPassManager &pm) {
  // What the specialized forms tell of later ops' operands shows in another
  // round.
  pm.addPass(createSpecializeLengths());
  InferShapesOptions again;
  again.branch = true;
  pm.addPass(createInferShapes(again));
  pm.addPass(createNormalizeAttributes());
  pm.addPass(createVerifyInferred());
}
