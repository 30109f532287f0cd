//===- RefineTypes.cpp - Types that follow from constants
//----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefineTypes.h"

#include "Rewriting.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

int64_t optimize::refineTypes(ModuleOp module) {
  int64_t changes = 0;
  module.walk([&](Operation *op) {
    if (!isa<SchemaOpInterface>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return;
    SmallVector<Type> types;
    if (failed(inferResultTypes(op, types, [](const llvm::Twine &) {})))
      return;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
      Type joined = type ? joinTypes(result.getType(), type) : result.getType();
      if (!joined || joined == result.getType() || isSeenByCalls(result))
        continue;
      result.setType(joined);
      ++changes;
    }
  });
  return changes;
}
