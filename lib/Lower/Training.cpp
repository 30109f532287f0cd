//===- Training.cpp - Steps of optimizers ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Training.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// The tensors of an optimizer: `inputs` is as many lists, one behind the
/// other, as there are kinds of tensors (X, G, …), each with an element for
/// every tensor to optimize.
class Optimizer {
public:
  Optimizer(Lowering &l, ValueRange inputs, unsigned kinds)
      : l(l), kinds(kinds), count(inputs.size() / kinds), inputs(inputs) {}

  /// Makes the results: for each tensor, what `step` gives for its kinds, kind
  /// by kind.
  LogicalResult
  run(llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> step);

private:
  Lowering &l;
  unsigned kinds, count;
  SmallVector<Value> inputs;
};

} // namespace

LogicalResult
Optimizer::run(llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> step) {
  if (inputs.size() != size_t(kinds) * count)
    return l.invalid("the number of inputs must be a multiple of " +
                     Twine(kinds) + " after R and T");
  SmallVector<SmallVector<Value>> made;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value> own;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      Value &tensor = inputs[kind * count + i];
      if (failed(l.fit(tensor, l.sizes(inputs[i]),
                       "input " + Twine(2 + kind * count + i))))
        return failure();
      if (Lowering::elementType(tensor) != Lowering::elementType(inputs[i]))
        return l.invalid("tensors of one variable must have one element type");
      own.push_back(tensor);
    }
    made.push_back(step(own));
  }
  SmallVector<Value> results;
  for (unsigned kind = 0; count && kind < made.front().size(); ++kind)
    for (ArrayRef<Value> own : made)
      results.push_back(own[kind]);
  if (results.size() != l.op->getNumResults())
    return l.invalid("there must be " + Twine(results.size()) + " outputs");
  return l.replace(results);
}

static double asDouble(APFloat value) { return value.convertToDouble(); }

/// G + norm X: the gradient with that of the penalty on large values.
static Value regularize(ScalarBuilder &s, Value x, Value g, double norm) {
  return s.add(s.mul(s.constant(x, norm), x), g);
}

/// A scalar of the loop, as the type of `like`.
static Value as(ScalarBuilder &s, Value scalar, Value like) {
  return s.cast(scalar, like.getType(), false, false);
}

static LogicalResult lowerAdagrad(AdagradOp op, AdagradOp::Adaptor operands,
                                  Lowering &l) {
  double norm = asDouble(op.getNormCoefficient());
  double epsilon = asDouble(op.getEpsilon());
  Type f64 = l.b.getF64Type();
  ScalarBuilder s(l.b, l.loc, f64, false);
  Value count = s.cast(l.scalar(operands.getT()), f64, false, false);
  Value rate = s.cast(l.scalar(operands.getR()), f64, false, false);
  Value decay = s.mul(count, s.constant(count, asDouble(op.getDecayFactor())));
  rate = s.div(rate, s.add(s.one(count), decay));
  return Optimizer(l, operands.getInputs(), 3).run([&](ArrayRef<Value> in) {
    Value x = in[0], g = in[1], h = in[2];
    Type element = Lowering::elementType(x);
    Value squares =
        l.mapSame({x, g, h}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value gradient = regularize(s, args[0], args[1], norm);
          return s.add(args[2], s.mul(gradient, gradient));
        });
    Value moved = l.mapSame(
        {x, g, squares}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value gradient = regularize(s, args[0], args[1], norm);
          Value deviation = s.sqrt(args[2]);
          Value root = s.add(deviation, s.constant(args[2], epsilon));
          Value way = s.mul(as(s, rate, gradient), gradient);
          return s.sub(args[0], s.div(way, root));
        });
    return SmallVector<Value>{moved, squares};
  });
}

static LogicalResult lowerAdam(AdamOp op, AdamOp::Adaptor operands,
                               Lowering &l) {
  double norm = asDouble(op.getNormCoefficient());
  double post = asDouble(op.getNormCoefficientPost());
  double alpha = asDouble(op.getAlpha()), beta = asDouble(op.getBeta());
  double epsilon = asDouble(op.getEpsilon());
  // After the first update: the averages began with zeros, which the rate makes
  // up for.
  Type f64 = l.b.getF64Type();
  ScalarBuilder s(l.b, l.loc, f64, false);
  Value updates = l.scalar(operands.getT());
  Value count = s.cast(updates, f64, false, false);
  Value rate = s.cast(l.scalar(operands.getR()), f64, false, false);
  auto missing = [&](double factor) {
    Value one = s.one(count);
    return s.sub(one, s.pow(s.constant(count, factor), count));
  };
  Value corrected = s.mul(rate, s.sqrt(missing(beta)));
  Value adjusted = s.div(corrected, missing(alpha));
  rate = s.select(s.gt(updates, s.zero(updates)), adjusted, rate);
  return Optimizer(l, operands.getInputs(), 4).run([&](ArrayRef<Value> in) {
    Value x = in[0], g = in[1], v = in[2], h = in[3];
    Type element = Lowering::elementType(x);
    auto average = [](ScalarBuilder &s, Value old, Value now, double factor) {
      Value kept = s.mul(s.constant(old, factor), old);
      return s.add(kept, s.mul(s.constant(old, 1 - factor), now));
    };
    Value means =
        l.mapSame({x, g, v}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value gradient = regularize(s, args[0], args[1], norm);
          return average(s, args[2], gradient, alpha);
        });
    Value squares =
        l.mapSame({x, g, h}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value gradient = regularize(s, args[0], args[1], norm);
          return average(s, args[2], s.mul(gradient, gradient), beta);
        });
    Value moved = l.mapSame(
        {x, means, squares}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value deviation = s.sqrt(args[2]);
          Value root = s.add(deviation, s.constant(args[2], epsilon));
          Value scaled = as(s, rate, args[1]);
          Value way = s.mul(scaled, s.div(args[1], root));
          Value next = s.sub(args[0], way);
          return post == 0 ? next : s.mul(s.constant(next, 1 - post), next);
        });
    return SmallVector<Value>{moved, means, squares};
  });
}

static LogicalResult lowerMomentum(MomentumOp op, MomentumOp::Adaptor operands,
                                   Lowering &l) {
  StringRef mode = op.getMode();
  if (mode != "standard" && mode != "nesterov")
    return l.invalid("mode must be standard or nesterov, is '" + mode + "'");
  bool isNesterov = mode == "nesterov";
  double norm = asDouble(op.getNormCoefficient());
  double alpha = asDouble(op.getAlpha());
  Type f64 = l.b.getF64Type();
  ScalarBuilder s(l.b, l.loc, f64, false);
  Value updates = l.scalar(operands.getT());
  Value rate = s.cast(l.scalar(operands.getR()), f64, false, false);
  Value isLater = s.gt(updates, s.zero(updates));
  Value later = s.constant(rate, asDouble(op.getBeta()));
  Value beta = s.select(isLater, later, s.one(rate));
  return Optimizer(l, operands.getInputs(), 3).run([&](ArrayRef<Value> in) {
    Value x = in[0], g = in[1], v = in[2];
    Type element = Lowering::elementType(x);
    Value momentum =
        l.mapSame({x, g, v}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value gradient = regularize(s, args[0], args[1], norm);
          Value kept = s.mul(s.constant(args[2], alpha), args[2]);
          return s.add(kept, s.mul(as(s, beta, gradient), gradient));
        });
    Value moved = l.mapSame(
        {x, g, momentum}, element, [&](ScalarBuilder &s, ValueRange args) {
          Value way = args[2];
          if (isNesterov) {
            Value gradient = regularize(s, args[0], args[1], norm);
            way = s.add(gradient, s.mul(s.constant(way, alpha), way));
          }
          return s.sub(args[0], s.mul(as(s, rate, way), way));
        });
    return SmallVector<Value>{moved, momentum};
  });
}

void onnxc::populateTraining(Lowerings &lowerings) {
  lowerings.add<AdagradOp>(lowerAdagrad);
  lowerings.add<AdamOp>(lowerAdam);
  lowerings.add<MomentumOp>(lowerMomentum);
}
