//===- Drivers.cpp - Running rewrites by name -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Drivers.h"

#include "FunctionMarks.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Optimize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define GET_RewriteTable_IMPL
namespace {
#include "onnxc/Optimize/Rewrites.inc"
} // namespace

ArrayRef<RewriteInfo> onnxc::getRewrites() {
  static const std::vector<RewriteInfo> rewrites = [] {
    std::vector<RewriteInfo> sorted(std::begin(RewriteTable),
                                    std::end(RewriteTable));
    llvm::sort(sorted, [](const RewriteInfo &a, const RewriteInfo &b) {
      return a.order < b.order;
    });
    return sorted;
  }();
  return rewrites;
}

const RewriteInfo *onnxc::lookupRewrite(StringRef name) {
  std::string spelled = name.str();
  llvm::replace(spelled, '-', '_');
  for (const RewriteInfo &info : getRewrites())
    if (spelled == info.name || name == info.argument)
      return &info;
  return nullptr;
}

/// The name that is most like `name`; empty if none is.
static StringRef suggestRewrite(StringRef name) {
  StringRef best;
  // A typo or two, or a word too many.
  unsigned least = std::max<size_t>(3, name.size() / 3);
  for (const RewriteInfo &info : getRewrites()) {
    unsigned distance = name.edit_distance(info.name);
    if (distance >= least)
      continue;
    least = distance;
    best = info.name;
  }
  return best;
}

std::string onnxc::checkRewriteName(StringRef name) {
  if (lookupRewrite(name))
    return "";
  std::string text = "there is no pass '" + name.str() + "'";
  if (StringRef similar = suggestRewrite(name); !similar.empty())
    text += "; did you mean '" + similar.str() + "'?";
  return text;
}

static std::unique_ptr<RewritePass> makeRewrite(const RewriteInfo &info) {
  // RewriteBase.td: the class of every such pass is RewritePass.
  return std::unique_ptr<RewritePass>(
      static_cast<RewritePass *>(info.create().release()));
}

void onnxc::populateRewrite(const RewriteInfo &info,
                            RewritePatternSet &patterns,
                            const RewriteOptions &options) {
  RewritePatternSet mine(patterns.getContext());
  makeRewrite(info)->populatePatterns(mine, options);
  for (std::unique_ptr<RewritePattern> &pattern : mine.getNativePatterns()) {
    pattern->addDebugLabels(info.name);
    patterns.add(std::move(pattern));
  }
  patterns.getPDLPatterns().mergeIn(std::move(mine.getPDLPatterns()));
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

namespace {
struct SweepRewriter : public PatternRewriter {
  SweepRewriter(MLIRContext *context, OpBuilder::Listener *listener)
      : PatternRewriter(context) {
    setListener(listener);
  }
};

/// Visits ops in order, graphs first, and lets patterns change each once.
class Sweep : public RewriterBase::Listener {
public:
  Sweep(MLIRContext *context, const FrozenRewritePatternSet &patterns)
      : rewriter(context, this), applicator(patterns) {
    applicator.applyDefaultCostModel();
  }

  int64_t run(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : llvm::make_early_inc_range(block))
          visit(&inner);
    return numMatches;
  }

private:
  void visit(Operation *op) {
    if (op->getNumRegions() > 0)
      run(op);
    current = op;
    rewriter.setInsertionPoint(op);
    if (succeeded(applicator.matchAndRewrite(op, rewriter)))
      ++numMatches;
  }

  void notifyOperationErased(Operation *op) override {
    assert((!current || current->isAncestor(op) || standsBefore(op, current)) &&
           "a pattern must erase nothing but the op that it is given, and what "
           "stands before it");
    if (op == current)
      current = nullptr;
  }

  static bool standsBefore(Operation *op, Operation *other) {
    Operation *around = op->getBlock()->findAncestorOpInBlock(*other);
    return around && op->isBeforeInBlock(around);
  }

  SweepRewriter rewriter;
  PatternApplicator applicator;
  Operation *current = nullptr;
  int64_t numMatches = 0;
};
} // namespace

int64_t onnxc::sweepPatterns(ModuleOp module,
                             const FrozenRewritePatternSet &patterns) {
  int64_t changes = Sweep(module.getContext(), patterns).run(module);
  optimize::updateResultTypes(module);
  return changes;
}

//===----------------------------------------------------------------------===//
// Lists of rewrites
//===----------------------------------------------------------------------===//

/// After so many rounds something undoes what something else does.
static constexpr int maxRounds = 100;

int64_t onnxc::runRewrites(ModuleOp module,
                           ArrayRef<const RewriteInfo *> rewrites,
                           const RewriteOptions &options,
                           RewriteObserver observer) {
  int64_t changes = 0;
  optimize::FunctionMarks marks(module);
  for (const RewriteInfo *info : rewrites) {
    int64_t mine = makeRewrite(*info)->rewriteModule(module, options);
    if (observer)
      observer(info->name, mine);
    changes += mine;
  }
  return changes;
}

static LogicalResult repeatUntilStable(ModuleOp module,
                                       llvm::function_ref<int64_t()> round) {
  for (int i = 0; i < maxRounds; ++i)
    if (round() == 0)
      return success();
  module.emitWarning() << "the rewrites do not come to an end: stopped after "
                       << maxRounds << " rounds";
  return failure();
}

LogicalResult onnxc::runRewritesToFixedPoint(
    ModuleOp module, ArrayRef<const RewriteInfo *> rewrites,
    const RewriteOptions &options, RewriteObserver observer) {
  return repeatUntilStable(
      module, [&] { return runRewrites(module, rewrites, options, observer); });
}

//===----------------------------------------------------------------------===//
// The default pipeline
//===----------------------------------------------------------------------===//

namespace {
/// Sees what patterns do, and whether what they leave is valid.
class ChangeListener : public RewriterBase::Listener {
public:
  /// With `module`, all of it is verified after each change.
  explicit ChangeListener(ModuleOp module = {}) : module(module) {}

  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    if (failed(status))
      return;
    ++count;
    // populateRewrite labels them.
    if (module)
      check(pattern.getDebugLabels().front());
  }

  void check(StringRef rewrite) {
    if (invalid.empty() && !isValid(module))
      invalid = rewrite.str();
  }

  int64_t count = 0;
  /// The first rewrite that left something invalid.
  std::string invalid;

private:
  /// Functions have the types of what they return only after a group.
  static bool isValid(ModuleOp module) {
    ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) {});
    WalkResult walked = module.walk([](SchemaOpInterface op) {
      return succeeded(op->getName().verifyInvariants(op))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    return !walked.wasInterrupted();
  }

  ModuleOp module;
};

/// The rewrites of one name in `group`: patterns together, then what looks at
/// all of the module.
struct Group {
  StringRef name;
  FrozenRewritePatternSet patterns;
  std::vector<const RewriteInfo *> wholeModule;
};
} // namespace

static Group makeGroup(MLIRContext *context, StringRef name,
                       const RewriteOptions &options) {
  Group group{name, {}, {}};
  RewritePatternSet patterns(context);
  for (const RewriteInfo &info : getRewrites()) {
    if (name != info.group || llvm::is_contained(options.disabled, info.name))
      continue;
    if (StringRef(info.kind) == "graph")
      group.wholeModule.push_back(&info);
    else
      populateRewrite(info, patterns, options);
  }
  group.patterns = FrozenRewritePatternSet(std::move(patterns));
  return group;
}

static void runPatterns(ModuleOp module, const Group &group,
                        ChangeListener &listener) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal()
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setListener(&listener)
      .enableFolding(false)
      .enableConstantCSE(false);
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      (void)applyPatternsGreedily(func, group.patterns, config);
  optimize::updateResultTypes(module);
}

static std::vector<Group> makeGroups(MLIRContext *context,
                                     const RewriteOptions &options) {
  std::vector<Group> groups;
  for (StringRef name : {"clean", "movement", "weights", "recognize", "share"})
    groups.push_back(makeGroup(context, name, options));
  return groups;
}

LogicalResult onnxc::runDefaultRewrites(ModuleOp module,
                                        const RewriteOptions &options,
                                        RewriteObserver observer) {
  optimize::FunctionMarks marks(module);
  std::vector<Group> groups = makeGroups(module.getContext(), options);
  return repeatUntilStable(module, [&] {
    int64_t changes = 0;
    for (const Group &group : groups) {
      ChangeListener listener;
      runPatterns(module, group, listener);
      int64_t mine =
          listener.count + runRewrites(module, group.wholeModule, options);
      if (observer)
        observer(group.name, mine);
      changes += mine;
    }
    return changes;
  });
}

/// Runs each of them once, and checks what it leaves.
static int64_t runAndCheck(ModuleOp module,
                           ArrayRef<const RewriteInfo *> rewrites,
                           const RewriteOptions &options,
                           ChangeListener &listener) {
  return runRewrites(module, rewrites, options,
                     [&](StringRef name, int64_t) { listener.check(name); });
}

std::string onnxc::findInvalidRewrite(ModuleOp module,
                                      ArrayRef<const RewriteInfo *> rewrites,
                                      const RewriteOptions &options) {
  ChangeListener listener(module);
  runAndCheck(module, rewrites, options, listener);
  return listener.invalid;
}

std::string onnxc::findInvalidRewrite(ModuleOp module,
                                      const RewriteOptions &options) {
  optimize::FunctionMarks marks(module);
  std::vector<Group> groups = makeGroups(module.getContext(), options);
  ChangeListener listener(module);
  (void)repeatUntilStable(module, [&] {
    int64_t before = listener.count, changes = 0;
    for (const Group &group : groups) {
      runPatterns(module, group, listener);
      changes += runAndCheck(module, group.wholeModule, options, listener);
    }
    return listener.invalid.empty() ? changes + listener.count - before : 0;
  });
  return listener.invalid;
}
