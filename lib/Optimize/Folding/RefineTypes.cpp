//===- RefineTypes.cpp - Types that follow from constants -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefineTypes.h"

#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static bool obeysRule(Operation *op) {
  if (isa<YieldOp>(op))
    op = op->getParentOp();
  if (!isa_and_present<SchemaOpInterface>(op))
    return true;
  SmallVector<Type> types;
  if (failed(inferResultTypes(op, types, [](const llvm::Twine &) {})))
    return false;
  return llvm::all_of(llvm::zip_equal(types, op->getResultTypes()),
                      [](auto pair) {
                        auto [type, declared] = pair;
                        return !type || areCompatibleTypes(type, declared);
                      });
}

bool optimize::doUsersObey(Value value) {
  return llvm::all_of(value.getUsers(), obeysRule);
}

LogicalResult optimize::tryReplaceUses(ArrayRef<OpOperand *> uses, Value by) {
  SmallVector<Value> before;
  for (OpOperand *use : uses) {
    before.push_back(use->get());
    use->set(by);
  }
  if (llvm::all_of(uses,
                   [](OpOperand *use) { return obeysRule(use->getOwner()); }))
    return success();
  for (auto [use, value] : llvm::zip_equal(uses, before))
    use->set(value);
  return failure();
}

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
      Type before = result.getType();
      result.setType(joined);
      if (doUsersObey(result))
        ++changes;
      else
        result.setType(before);
    }
  });
  return changes;
}
