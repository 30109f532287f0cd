//===- ControlFlowFold.cpp - Graphs in nodes that run once or never -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFacts.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/IRMapping.h"

namespace onnxc {
#define GEN_PASS_DEF_CONTROLFLOWFOLD
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether values of these types may take the place of the op's results.
static bool canReplace(Operation *op, TypeRange types) {
  return llvm::all_of(llvm::zip_equal(op->getResults(), types), [](auto pair) {
    auto [result, type] = pair;
    return type == result.getType() ||
           (joinTypes(result.getType(), type) && !isSeenByCalls(result));
  });
}

/// The values of a body for one run, before `root`.
static SmallVector<Value> cloneBody(PatternRewriter &rewriter, Block &body,
                                    ValueRange arguments) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    rewriter.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

namespace {
/// The branch that is taken is there instead.
struct InlineBranch : Rewriting<IfOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> condition = getInteger(op.getCond());
    if (!condition)
      return rewriter.notifyMatchFailure(op, "the condition is not known");
    Block &branch =
        (*condition ? op.getThenBranch() : op.getElseBranch()).front();
    Operation *yield = branch.getTerminator();
    if (yield->getNumOperands() != op->getNumResults())
      return rewriter.notifyMatchFailure(op, "the branch does not fit");
    if (!canReplace(op, yield->getOperandTypes()))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    SmallVector<Value> values(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&branch, op);
    return replaceRoot(rewriter, op, values);
  }
};

/// A loop that runs a known, small number of times: its body as often.
struct UnrollLoop : Rewriting<LoopOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(LoopOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> count = getTripCount(op);
    if (!count)
      return rewriter.notifyMatchFailure(op, "how often it runs is not known");
    if (!canHoldConstant(rewriter.getI64Type(), op, options))
      return rewriter.notifyMatchFailure(op, "there are no such constants");
    Block &body = op.getBody().front();
    if (*count == 0)
      return replaceByInitial(op, body, rewriter);
    if (*count > 1 &&
        SaturatingInt(*count) * countOps(body) > options.unrollBudget)
      return rewriter.notifyMatchFailure(op, "it would become too many ops");
    // Copies of what draws random numbers would each begin anew.
    if (*count > 1 && !llvm::all_of(body, [](Operation &inner) {
          return isDeterministic(&inner);
        }))
      return rewriter.notifyMatchFailure(op, "an op must not be copied");
    // What an optional holds changes its type on the way.
    auto isOptional = [](Type type) { return isa<OptType>(type); };
    if (llvm::any_of(body.getArgumentTypes(), isOptional) ||
        llvm::any_of(op->getOperandTypes(), isOptional) ||
        llvm::any_of(op->getResultTypes(), isOptional))
      return rewriter.notifyMatchFailure(op, "it carries an optional");
    unsigned carried = op.getVInitial().size();
    SmallVector<Type> types(
        body.getTerminator()->getOperands().slice(1, carried).getTypes());
    for (Type type : op->getResults().drop_front(carried).getTypes())
      types.push_back(type);
    if (!canReplace(op, types))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    unroll(op, *count, rewriter);
    return success();
  }

private:
  static int64_t countOps(Block &body) {
    int64_t ops = 0;
    body.walk([&](Operation *op) { ops += !isa<ConstantOp, YieldOp>(op); });
    return std::max<int64_t>(ops, 1);
  }

  static LogicalResult replaceByInitial(LoopOp op, Block &body,
                                        PatternRewriter &rewriter) {
    SmallVector<Value> values(op.getVInitial());
    SmallVector<Type> types(op.getVInitial().getTypes());
    for (OpResult result : op->getResults().drop_front(values.size())) {
      Value each =
          body.getTerminator()->getOperand(result.getResultNumber() + 1);
      auto type = dyn_cast<RankedTensorType>(each.getType());
      if (!result.use_empty() && (!type || !type.hasStaticShape() ||
                                  isa<StringType>(type.getElementType())))
        return rewriter.notifyMatchFailure(
            op, "the shape of what it would collect is not known");
      if (type && type.hasStaticShape()) {
        SmallVector<int64_t> shape = {0};
        llvm::append_range(shape, type.getShape());
        types.push_back(type.clone(shape));
      } else {
        types.push_back(result.getType());
      }
    }
    if (!canReplace(op, types))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    for (OpResult result : op->getResults().drop_front(values.size()))
      values.push_back(
          result.use_empty()
              ? Value()
              : optimize::makeConstant(
                    result,
                    DenseElementsAttr::get(
                        cast<RankedTensorType>(types[result.getResultNumber()]),
                        ArrayRef<Attribute>())));
    return replaceRoot(rewriter, op, values);
  }

  static void unroll(LoopOp op, int64_t count, PatternRewriter &rewriter) {
    Block &body = op.getBody().front();
    Builder b(op.getContext());
    auto scalar = [&](Type type, int64_t value) {
      return DenseElementsAttr::get(RankedTensorType::get({}, type),
                                    b.getIntegerAttr(type, value));
    };
    Value yes;
    if (!body.getArgument(1).use_empty())
      yes = optimize::makeConstant(rewriter, op, scalar(b.getI1Type(), 1),
                                   "condition");
    Value axis;
    unsigned carried = op.getVInitial().size();
    unsigned scanned = op->getNumResults() - carried;
    SmallVector<SmallVector<Value>> collected(scanned);
    SmallVector<Value> values(op.getVInitial());
    for (int64_t i = 0; i < count; ++i) {
      Value number;
      if (!body.getArgument(0).use_empty())
        number = optimize::makeConstant(rewriter, op, scalar(b.getI64Type(), i),
                                        "iteration_" + std::to_string(i));
      SmallVector<Value> arguments = {number, yes};
      llvm::append_range(arguments, values);
      SmallVector<Value> yielded = cloneBody(rewriter, body, arguments);
      values.assign(yielded.begin() + 1, yielded.begin() + 1 + carried);
      for (unsigned k = 0; k < scanned; ++k) {
        if (op->getResult(carried + k).use_empty())
          continue;
        if (!axis)
          axis = optimize::makeConstant(
              rewriter, op, makeIntegers(op.getContext(), {0}), "axes");
        Location loc =
            count == 1 ? op.getLoc()
                       : makeHelperLocation(op, "slice_" + std::to_string(k) +
                                                    "_" + std::to_string(i));
        collected[k].push_back(
            UnsqueezeOp::create(rewriter, loc, yielded[1 + carried + k], axis));
      }
    }
    for (auto [k, slices] : llvm::enumerate(collected)) {
      if (slices.size() <= 1)
        values.push_back(slices.empty() ? Value() : slices.front());
      else
        values.push_back(
            ConcatOp::create(rewriter, op.getLoc(), slices, uint64_t(0)));
    }
    (void)replaceRoot(rewriter, op, values);
  }
};

/// A scan over one element: its body.
struct InlineScan : Rewriting<ScanOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ScanOp op,
                                PatternRewriter &rewriter) const override {
    if (getScanLength(op) != 1)
      return rewriter.notifyMatchFailure(op, "its length is not known to be 1");
    Block &body = op.getBody().front();
    OperandRange inputs = op.getInitialStateAndScanInputs();
    unsigned scanned = op.getNumScanInputs();
    unsigned states = inputs.size() - scanned;
    SmallVector<Type> types(
        body.getTerminator()->getOperands().take_front(states).getTypes());
    for (Type type : op->getResults().drop_front(states).getTypes())
      types.push_back(type);
    if (!canReplace(op, types))
      return rewriter.notifyMatchFailure(op, "the types contradict");
    SmallVector<Value> arguments(inputs.take_front(states));
    auto makeAxis = [&](std::optional<ArrayRef<int64_t>> axes, unsigned i,
                        StringRef kind) {
      return optimize::makeConstant(
          rewriter, op, makeIntegers(op.getContext(), {axes ? (*axes)[i] : 0}),
          (kind + "_axes_" + llvm::Twine(i)).str());
    };
    for (unsigned i = 0; i < scanned; ++i)
      arguments.push_back(SqueezeOp::create(
          rewriter, makeHelperLocation(op, "element_" + std::to_string(i)),
          inputs[states + i], makeAxis(op.getScanInputAxes(), i, "input")));
    SmallVector<Value> values = cloneBody(rewriter, body, arguments);
    for (unsigned i = 0; states + i < values.size(); ++i) {
      Value &value = values[states + i];
      if (op->getResult(states + i).use_empty())
        value = {};
      else
        value =
            UnsqueezeOp::create(rewriter, op.getLoc(), value,
                                makeAxis(op.getScanOutputAxes(), i, "output"));
    }
    return replaceRoot(rewriter, op, values);
  }
};

struct ControlFlowFold : onnxc::impl::ControlFlowFoldBase<ControlFlowFold> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<InlineBranch, UnrollLoop, InlineScan>(patterns.getContext(),
                                                       options);
    populateLoopPatterns(patterns, options);
  }
};
} // namespace
