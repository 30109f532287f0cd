//===- Limits.cpp - What a model may ask for ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Pipelines.h"

#include <limits>

using namespace onnxc;
namespace cl = llvm::cl;

ReadLimits::ReadLimits(cl::OptionCategory &category)
    : maxNodes("max-nodes", cl::cat(category), cl::value_desc("n"),
               cl::init(ImportOptions().maxNodes),
               cl::desc("Refuse a model of more nodes, calls of functions "
                        "counted as what they call (default: 2^22)")),
      maxDepth("max-depth", cl::cat(category), cl::value_desc("n"),
               cl::init(ImportOptions().maxDepth),
               cl::desc("Refuse a model with subgraphs or calls nested deeper "
                        "(default: 400)")) {}

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

InferLimits::InferLimits(cl::OptionCategory &category)
    : ReadLimits(category),
      maxTensorBytes(
          "max-tensor-bytes", cl::cat(category), cl::value_desc("n"),
          cl::init(0),
          cl::desc(
              "Refuse a model with a tensor of more bytes (default: 2^35)")) {}

std::string InferLimits::check() const {
  if (maxTensorBytes < 0)
    return "--max-tensor-bytes: expected at least 0";
  return ReadLimits::check();
}

void InferLimits::set(ImportOptions &options, StageOptions &stages) const {
  ReadLimits::set(options);
  stages.maxTensorBytes = maxTensorBytes;
}

CompileLimits::CompileLimits(cl::OptionCategory &category)
    : InferLimits(category),
      foldBudget("fold-budget", cl::cat(category), cl::value_desc("n"),
                 cl::init(StageOptions().foldBudget),
                 cl::desc("The most bytes that a constant computed by the "
                          "compiler may take, if what it is computed from "
                          "takes less (default: 2^22)")) {}

std::string CompileLimits::check() const {
  if (foldBudget < 0)
    return "--fold-budget: expected at least 0";
  return InferLimits::check();
}

void CompileLimits::set(ImportOptions &options, StageOptions &stages) const {
  InferLimits::set(options, stages);
  stages.foldBudget = foldBudget;
}
