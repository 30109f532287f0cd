//===- EliminateCommonSubexpression.cpp - Equal ops become one ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATECOMMONSUBEXPRESSION
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// What is said by saying nothing
//===----------------------------------------------------------------------===//

/// Whether the op would be the same without the attribute.
static bool isDefault(Operation *op, NamedAttribute attribute) {
  const OpFacts *facts = getFacts(op);
  const AttributeFacts *kind =
      facts ? facts->find(attribute.getName()) : nullptr;
  return kind && kind->isDefault(attribute.getValue());
}

//===----------------------------------------------------------------------===//
// Equal ops
//===----------------------------------------------------------------------===//

/// With two operands only: others would be added up in another order. Which of
/// two zeros is the greater one may depend on the order.
static bool isCommutative(Operation *op, const RewriteOptions &options) {
  return op->getNumOperands() == 2 && hasFact(op, OpFact::Commutative) &&
         (options.noSignedZeros || !isa<MaxOp, MinOp>(op));
}

/// Of the results of a variadic parameter there is a number; other results are
/// there or not, and do not matter to each other.
static bool hasVariadicResults(Operation *op) {
  auto schema = dyn_cast<SchemaOpInterface>(op);
  return !schema ||
         llvm::any_of(schema.getResultSpecs(), [](const ValueSpec &spec) {
           return spec.kind == ValueKind::Variadic;
         });
}

/// The same for ops that give the same.
static std::string makeKey(Operation *op, const RewriteOptions &options) {
  std::string key;
  auto add = [&](const void *part) {
    key.append(reinterpret_cast<const char *>(&part), sizeof part);
  };
  add(op->getName().getAsOpaquePointer());
  bool hasVariadic = hasVariadicResults(op);
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    bool isAboutResults = attribute.getName() == "resultSegmentSizes";
    if (isAboutResults ? !hasVariadic : isDefault(op, attribute))
      continue;
    add(attribute.getName().getAsOpaquePointer());
    add(attribute.getValue().getAsOpaquePointer());
  }
  SmallVector<const void *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getAsOpaquePointer());
  if (isCommutative(op, options))
    llvm::sort(operands);
  add(nullptr);
  for (const void *operand : operands)
    add(operand);
  if (hasVariadic)
    add(reinterpret_cast<const void *>(uintptr_t(op->getNumResults())));
  return key;
}

/// For each result of `later` the one of `earlier` that is the same; null where
/// there is none.
static SmallVector<Value> matchResults(Operation *earlier, Operation *later) {
  if (hasVariadicResults(later))
    return SmallVector<Value>(earlier->getResults());
  SmallVector<Value> matched;
  unsigned next = 0;
  for (auto [mine, other] :
       llvm::zip_equal(getResultSegments(earlier), getResultSegments(later))) {
    if (other)
      matched.push_back(mine ? earlier->getResult(next) : Value());
    next += mine;
  }
  return matched;
}

namespace {
/// The ops before the one that is looked at, in the blocks around it.
class CommonSubexpressions {
public:
  explicit CommonSubexpressions(const RewriteOptions &options)
      : options(options) {}

  int64_t run(Region &region) {
    for (Block &block : region) {
      SmallVector<std::string> added;
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          run(inner);
        visit(&op, added);
      }
      for (const std::string &key : added)
        known[key].pop_back();
    }
    return changes;
  }

private:
  void visit(Operation *op, SmallVector<std::string> &added) {
    if (op->getNumRegions() > 0 || op->getNumResults() == 0 ||
        isa<NoneOp, YieldOp>(op) || !isDeterministic(op) || isInitializer(op))
      return;
    std::string key = makeKey(op, options);
    SmallVector<Operation *, 1> &equal = known[key];
    for (Operation *&earlier : equal) {
      if (succeeded(replace(op, earlier))) {
        ++changes;
        return;
      }
      // The other way round, where only the later one has all results.
      if (earlier->getBlock() == op->getBlock() &&
          earlier->getNumResults() < op->getNumResults()) {
        op->moveBefore(earlier);
        if (succeeded(replace(earlier, op))) {
          earlier = op;
          ++changes;
          return;
        }
        op->moveAfter(earlier);
      }
    }
    equal.push_back(op);
    added.push_back(std::move(key));
  }

  /// An initializer is not a node.
  static bool isInitializer(Operation *op) {
    if (!isa<ConstantOp>(op))
      return false;
    SourceAttr source = getSource(op->getLoc());
    return op->hasAttr(model::initializer) ||
           (source && source.getOp() == "Initializer");
  }

  static LogicalResult replace(Operation *op, Operation *by) {
    SmallVector<Value> values = matchResults(by, op);
    SmallVector<Type> types;
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
      types.push_back({});
      if (!value) {
        if (!result.use_empty())
          return failure();
        continue;
      }
      types.back() = joinTypes(result.getType(), value.getType());
      if (!types.back())
        return failure();
      if (result.getType() == value.getType())
        continue;
      if (isSeenByCalls(result) || isSeenByCalls(value))
        return failure();
      // What is known in a branch need not hold outside of it.
      if (by->getBlock() != op->getBlock() || isa<ConstantOp>(by))
        types.back() = value.getType();
    }
    for (auto [result, value, type] :
         llvm::zip_equal(op->getResults(), values, types)) {
      if (!value)
        continue;
      value.setType(type);
      result.replaceAllUsesWith(value);
    }
    op->erase();
    return success();
  }

  const RewriteOptions &options;
  llvm::StringMap<SmallVector<Operation *, 1>> known;
  int64_t changes = 0;
};

struct EliminateCommonSubexpression
    : onnxc::impl::EliminateCommonSubexpressionBase<
          EliminateCommonSubexpression> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = 0;
    for (auto func : module.getOps<func::FuncOp>())
      changes += CommonSubexpressions(options).run(func.getBody());
    updateResultTypes(module);
    return changes;
  }
};
} // namespace
