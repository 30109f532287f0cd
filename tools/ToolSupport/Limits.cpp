//===- Limits.cpp - What a model may ask for ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

#include "Arguments.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Pipelines.h"

using namespace onnxc;

void onnxc::setReadLimits(const Arguments &arguments, ImportOptions &reading) {
  reading.maxNodes = arguments.getNumber<int64_t>(OPT_max_nodes);
  reading.maxDepth = arguments.getNumber<unsigned>(OPT_max_depth);
}

void onnxc::setInferLimits(const Arguments &arguments, ImportOptions &reading,
                           StageOptions &stages) {
  setReadLimits(arguments, reading);
  stages.maxTensorBytes = arguments.getNumber<int64_t>(OPT_max_tensor_bytes);
}

void onnxc::setCompileLimits(const Arguments &arguments, ImportOptions &reading,
                             StageOptions &stages) {
  setInferLimits(arguments, reading, stages);
  stages.foldBudget = arguments.getNumber<int64_t>(OPT_fold_budget);
}
