//===- EliminateDuplicateInitializer.cpp - Equal constants become one -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/xxhash.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEDUPLICATEINITIALIZER
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static bool isInitializer(ConstantOp op) {
  SourceAttr source = getSource(op->getLoc());
  return op->hasAttr(model::initializer) ||
         (source && source.getOp() == "Initializer");
}

/// Bytes in which equal constants of a type are equal: one element's, if all
/// are the same.
static ArrayRef<char> getContent(const Elements &elements) {
  return elements.allEqual() && elements.size() > 0 ? elements.getBytes(0)
                                                    : elements.getRaw();
}

namespace {
/// The constants of a function, those of one type together.
class Constants {
public:
  explicit Constants(func::FuncOp func, bool onlyInitializers) {
    auto add = [&](ConstantOp op) {
      if (!onlyInitializers || isInitializer(op))
        byType[op.getOutput().getType()].push_back(op);
    };
    // Upstream's leaves the graphs in nodes alone.
    if (onlyInitializers)
      llvm::for_each(func.getOps<ConstantOp>(), add);
    else
      func.walk(add);
  }

  int64_t merge() {
    int64_t changes = 0;
    for (auto &[type, constants] : byType)
      if (constants.size() > 1)
        changes += merge(constants);
    return changes;
  }

private:
  int64_t merge(ArrayRef<ConstantOp> constants) {
    int64_t changes = 0;
    DenseMap<Attribute, ConstantOp> byAttribute;
    DenseMap<uint64_t, SmallVector<ConstantOp, 1>> byContent;
    for (ConstantOp op : constants) {
      ElementsAttr value = getConstant(op.getOutput());
      Attribute attribute = value ? Attribute(value) : op->getAttrDictionary();
      ConstantOp &same = byAttribute[attribute];
      if (same) {
        changes += unify(same, op);
        continue;
      }
      std::optional<Elements> elements = Elements::get(value);
      if (!elements) {
        same = op;
        continue;
      }
      uint64_t hash = llvm::xxh3_64bits(toText(getContent(*elements)));
      auto &candidates = byContent[hash];
      auto found = llvm::find_if(candidates, [&](ConstantOp other) {
        auto theirs = Elements::get(getConstant(other.getOutput()));
        return toText(getContent(*theirs)) == toText(getContent(*elements));
      });
      if (found == candidates.end()) {
        same = op;
        candidates.push_back(op);
        continue;
      }
      same = *found;
      changes += unify(same, op);
    }
    return changes;
  }

  static StringRef toText(ArrayRef<char> bytes) {
    return StringRef(bytes.data(), bytes.size());
  }

  /// `kept` comes first in a walk.
  static int64_t unify(ConstantOp kept, ConstantOp op) {
    Block *block = kept->getBlock();
    Operation *around = block->findAncestorOpInBlock(*op);
    if (!around) {
      // Out of the graph that it is in, as far as to where both are.
      Operation *outer = kept;
      while (!around) {
        outer = outer->getParentOp();
        around = outer->getBlock()->findAncestorOpInBlock(*op);
      }
      kept->moveBefore(outer);
    }
    if (!kept->isBeforeInBlock(around))
      return 0;
    op.getOutput().replaceAllUsesWith(kept.getOutput());
    op->erase();
    return 1;
  }

  llvm::MapVector<Type, std::vector<ConstantOp>> byType;
};

struct EliminateDuplicateInitializer
    : onnxc::impl::EliminateDuplicateInitializerBase<
          EliminateDuplicateInitializer> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = 0;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        changes += Constants(func, options.upstreamCompatible).merge();
    return changes;
  }
};
} // namespace
