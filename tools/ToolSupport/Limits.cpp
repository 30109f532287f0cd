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

#include <limits>

using namespace onnxc;

ReadLimits::ReadLimits()
    : maxNodes(ImportOptions().maxNodes), maxDepth(ImportOptions().maxDepth) {}

ReadLimits::ReadLimits(const Arguments &arguments) : ReadLimits() {
  maxNodes = arguments.getNumber<int64_t>(OPT_max_nodes, maxNodes);
  maxDepth = arguments.getNumber<int64_t>(OPT_max_depth, maxDepth);
}

std::string ReadLimits::check() const {
  if (maxNodes < 1)
    return "--max-nodes: expected at least 1";
  if (maxDepth < 0 || maxDepth > std::numeric_limits<int>::max() / 8)
    return "--max-depth: expected at least 0";
  return "";
}

void ReadLimits::set(ImportOptions &options) const {
  options.maxNodes = maxNodes;
  options.maxDepth = static_cast<unsigned>(maxDepth);
}

InferLimits::InferLimits(const Arguments &arguments)
    : ReadLimits(arguments),
      maxTensorBytes(arguments.getNumber<int64_t>(OPT_max_tensor_bytes, 0)) {}

std::string InferLimits::check() const {
  if (maxTensorBytes < 0)
    return "--max-tensor-bytes: expected at least 0";
  return ReadLimits::check();
}

void InferLimits::set(ImportOptions &options, StageOptions &stages) const {
  ReadLimits::set(options);
  stages.maxTensorBytes = maxTensorBytes;
}

CompileLimits::CompileLimits(const Arguments &arguments)
    : InferLimits(arguments),
      foldBudget(arguments.getNumber<int64_t>(OPT_fold_budget,
                                              StageOptions().foldBudget)) {}

std::string CompileLimits::check() const {
  if (foldBudget < 0)
    return "--fold-budget: expected at least 0";
  return InferLimits::check();
}

void CompileLimits::set(ImportOptions &options, StageOptions &stages) const {
  InferLimits::set(options, stages);
  stages.foldBudget = foldBudget;
}
