//===- Loss.cpp - Losses over classes -------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Loss.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

namespace {
/// Class labels, some of which may be ignored.
struct Labels {
  Value tensor;
  std::optional<int64_t> ignored;

  Value isIgnored(ScalarBuilder &s, Value label) const {
    OpBuilder &b = s.getBuilder();
    if (!ignored)
      return arith::ConstantOp::create(b, s.getLoc(), b.getBoolAttr(false));
    Value same = arith::ConstantOp::create(
        b, s.getLoc(), b.getIntegerAttr(label.getType(), *ignored));
    return s.eq(label, same);
  }
};
} // namespace

/// Every label is a class or ignored.
static void checkLabels(Lowering &l, const Labels &labels, Value classes) {
  int64_t rank = Lowering::rank(labels.tensor);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value all = l.reduce(
      labels.tensor, axes, l.constant(l.b.getBoolAttr(true)),
      [&](ScalarBuilder &s, ValueRange args) {
        Value at = arith::IndexCastOp::create(
            s.getBuilder(), s.getLoc(), s.getBuilder().getIndexType(), args[0]);
        Value isNotNegative = s.ge(at, s.zero(at));
        Value isClass = s.bitAnd(isNotNegative, s.lt(at, classes));
        return s.bitAnd(args[1],
                        s.bitOr(isClass, labels.isIgnored(s, args[0])));
      });
  l.check(tensor::ExtractOp::create(l.b, l.loc, all, ValueRange{}),
          "a label is not a class");
}

/// The negative log probabilities [n, c, d…] of the labels [n, d…], weighted by
/// class and reduced.
static FailureOr<Value> likelihoodLoss(Lowering &l, Value logs,
                                       const Labels &labels, Value weights,
                                       StringRef reduction) {
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return l.invalid("reduction '" + reduction +
                     "', expected none, sum or mean");
  Type element = Lowering::elementType(logs);
  Type type = getAccumulatorType(element);
  int64_t rank = Lowering::rank(labels.tensor);
  Value classes = l.asValue(l.dim(logs, 1));
  checkLabels(l, labels, classes);

  auto classOf = [&](ScalarBuilder &s, Value label) {
    Value at = arith::IndexCastOp::create(s.getBuilder(), s.getLoc(),
                                          s.getBuilder().getIndexType(), label);
    Value bounded = s.min(at, s.sub(classes, s.one(classes)));
    return s.max(bounded, s.zero(classes));
  };
  auto weightOf = [&](ScalarBuilder &s, Value label) {
    Value weight = l.constant(type, 1);
    if (weights)
      weight = s.cast(tensor::ExtractOp::create(s.getBuilder(), s.getLoc(),
                                                weights, classOf(s, label)),
                      type, false, false);
    Value isIgnored = labels.isIgnored(s, label);
    return s.select(isIgnored, s.zero(weight), weight);
  };
  Value losses =
      l.mapSame(labels.tensor, type, [&](ScalarBuilder &s, ValueRange args) {
        OpBuilder &b = s.getBuilder();
        SmallVector<Value> at;
        for (int64_t i = 0; i < rank; ++i)
          at.push_back(linalg::IndexOp::create(b, s.getLoc(), i));
        at.insert(at.begin() + 1, classOf(s, args[0]));
        Value x = tensor::ExtractOp::create(b, s.getLoc(), logs, at);
        Value negative = s.neg(s.cast(x, type, false, false));
        Value loss = s.mul(negative, weightOf(s, args[0]));
        // Also where the ignored class has a probability of 0.
        Value isIgnored = labels.isIgnored(s, args[0]);
        return s.select(isIgnored, s.zero(loss), loss);
      });
  if (reduction == "none")
    return l.castElements(losses, element);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value zero = l.constant(type, 0);
  auto add = [](ScalarBuilder &s, ValueRange args) {
    return s.add(args[1], args[0]);
  };
  Value sum = l.reduce(losses, axes, zero, add);
  if (reduction == "sum")
    return l.castElements(sum, element);
  Value total = l.reduce(labels.tensor, axes, zero,
                         [&](ScalarBuilder &s, ValueRange args) {
                           return s.add(args[1], weightOf(s, args[0]));
                         });
  return l.mapSame(
      {sum, total}, element, [&](ScalarBuilder &s, ValueRange args) {
        return s.cast(s.div(args[0], args[1]), element, false, false);
      });
}

static LogicalResult
lowerNegativeLogLikelihoodLoss(NegativeLogLikelihoodLossOp op,
                               NegativeLogLikelihoodLossOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Value> loss = likelihoodLoss(
      l, operands.getInput(), {operands.getTarget(), op.getIgnoreIndex()},
      operands.getWeight(), op.getReduction());
  if (failed(loss))
    return failure();
  return l.replace(*loss);
}

static LogicalResult
lowerSoftmaxCrossEntropyLoss(SoftmaxCrossEntropyLossOp op,
                             SoftmaxCrossEntropyLossOp::Adaptor operands,
                             Lowering &l) {
  Value logs = logSoftmax(l, operands.getScores(), 1);
  FailureOr<Value> loss =
      likelihoodLoss(l, logs, {operands.getLabels(), op.getIgnoreIndex()},
                     operands.getWeights(), op.getReduction());
  if (failed(loss))
    return failure();
  SmallVector<Value> results{*loss};
  if (op.getLogProb())
    results.push_back(logs);
  return l.replace(results);
}

void onnxc::populateLoss(Lowerings &lowerings) {
  lowerings.add<NegativeLogLikelihoodLossOp>(lowerNegativeLogLikelihoodLoss);
  lowerings.add<SoftmaxCrossEntropyLossOp>(lowerSoftmaxCrossEntropyLoss);
}
