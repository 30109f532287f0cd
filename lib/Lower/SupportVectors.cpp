//===- SupportVectors.cpp - Support vector machines -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClassicML.h"

#include "onnxc/Dialect/ONNX/ClassicML.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// How near two vectors are.
struct Kernel {
  enum Kind { Linear, Poly, RBF, Sigmoid } kind = Linear;
  float gamma = 0, offset = 0, degree = 0;
};

} // namespace

static FailureOr<Kernel> getKernel(Lowering &l, StringRef name,
                                   FloatList parameters) {
  Kernel kernel;
  int kind = llvm::StringSwitch<int>(name)
                 .Case("LINEAR", Kernel::Linear)
                 .Case("POLY", Kernel::Poly)
                 .Case("RBF", Kernel::RBF)
                 .Case("SIGMOID", Kernel::Sigmoid)
                 .Default(-1);
  if (kind < 0)
    return l.invalid("kernel_type '" + name +
                     "', expected LINEAR, POLY, RBF or SIGMOID");
  kernel.kind = static_cast<Kernel::Kind>(kind);
  ArrayRef<float> given = elementsOf(parameters);
  if (given.empty())
    return kernel;
  if (given.size() < 3)
    return l.invalid("kernel_params has " + Twine(given.size()) +
                     " elements, expected gamma, coef0 and degree");
  kernel.gamma = given[0];
  kernel.offset = given[1];
  kernel.degree = given[2];
  return kernel;
}

/// exp(-gamma |x - v|^2) for each row x and each vector v.
static Value radialBasis(Lowering &l, Value x, Value vectors, float gamma) {
  MLIRContext *context = l.b.getContext();
  AffineExpr row = l.b.getAffineDimExpr(0), vector = l.b.getAffineDimExpr(1),
             feature = l.b.getAffineDimExpr(2);
  Value zero = l.constant(l.b.getF32Type(), 0);
  Value squares =
      l.generic({x, vectors}, l.filled({l.dim(x, 0), l.dim(vectors, 0)}, zero),
                {AffineMap::get(3, 0, {row, feature}, context),
                 AffineMap::get(3, 0, {vector, feature}, context),
                 AffineMap::get(3, 0, {row, vector}, context)},
                {utils::IteratorType::parallel, utils::IteratorType::parallel,
                 utils::IteratorType::reduction},
                [](ScalarBuilder &s, ValueRange args) {
                  Value difference = s.sub(args[0], args[1]);
                  return s.add(args[2], s.mul(difference, difference));
                });
  return l.mapSame(squares, l.b.getF32Type(),
                   [&](ScalarBuilder &s, ValueRange args) {
                     return s.exp(s.mul(args[0], s.constant(args[0], -gamma)));
                   });
}

/// The kernel of each row of x with each of the vectors.
static Value applyKernel(Lowering &l, const Kernel &kernel, Value x,
                         Value vectors) {
  if (kernel.kind == Kernel::RBF)
    return radialBasis(l, x, vectors, kernel.gamma);
  Value products = timesTransposed(l, x, vectors);
  if (kernel.kind == Kernel::Linear)
    return products;
  return l.mapSame(
      products, l.b.getF32Type(), [&](ScalarBuilder &s, ValueRange args) {
        Value scaled = s.mul(args[0], s.constant(args[0], kernel.gamma));
        Value v = s.add(scaled, s.constant(args[0], kernel.offset));
        if (kernel.kind == Kernel::Sigmoid)
          return s.tanh(v);
        if (kernel.degree == 2)
          return s.mul(v, v);
        if (kernel.degree == 3)
          return s.mul(v, s.mul(v, v));
        return s.pow(v, s.constant(v, kernel.degree));
      });
}

/// A list of numbers as `rows` rows, which must be as long as those of x.
static FailureOr<Value> rowsLike(Lowering &l, Value x, ArrayRef<float> numbers,
                                 int64_t rows, StringRef name) {
  if (numbers.empty() || rows <= 0 || numbers.size() < size_t(rows))
    return l.invalid(name + " has " + Twine(numbers.size()) +
                     " elements, expected at least one for each of " +
                     Twine(rows) + " rows");
  Value matrix = matrixOf(l, numbers, rows);
  OpFoldResult features = l.dim(x, 1);
  l.checkEqual(features, l.dim(matrix, 1),
               "the input must have as many features as a row of " + name);
  return matrix;
}

//===----------------------------------------------------------------------===//
// Regression
//===----------------------------------------------------------------------===//

static LogicalResult lowerSVMRegressor(SVMRegressorOp op,
                                       SVMRegressorOp::Adaptor operands,
                                       Lowering &l) {
  FailureOr<Value> x = getRows(l, operands.getX(), l.b.getF32Type());
  FailureOr<Kernel> kernel =
      getKernel(l, op.getKernelType(), op.getKernelParams());
  if (failed(x) || failed(kernel))
    return failure();
  ArrayRef<float> coefficients = elementsOf(op.getCoefficients());
  ArrayRef<float> rho = elementsOf(op.getRho());
  if (rho.empty())
    return l.invalid("rho is missing");
  int64_t supports = op.getNSupports();
  Value factors = *x;
  if (supports > 0) {
    FailureOr<Value> vectors = rowsLike(
        l, *x, elementsOf(op.getSupportVectors()), supports, "support_vectors");
    if (failed(vectors))
      return failure();
    factors = applyKernel(l, *kernel, *x, *vectors);
  }
  FailureOr<Value> row = rowsLike(l, factors, coefficients, 1, "coefficients");
  if (failed(row))
    return failure();
  Value products = timesTransposed(l, factors, *row);
  Value result = addToRows(l, products, tableOf(l, rho.take_front()));
  if (op.getOneClass())
    result = l.mapSame(result, l.b.getF32Type(),
                       [](ScalarBuilder &s, ValueRange args) {
                         Value one = s.one(args[0]);
                         Value isPositive = s.gt(args[0], s.zero(args[0]));
                         return s.select(isPositive, one, s.neg(one));
                       });
  return l.replace(result);
}

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

/// Scores that are linear in the features, one per class.
static LogicalResult lowerLinearSVM(SVMClassifierOp op, Value x,
                                    const Labels &labels, int64_t transform,
                                    Lowering &l) {
  ArrayRef<float> coefficients = elementsOf(op.getCoefficients());
  FailureOr<Value> rows =
      rowsLike(l, x, coefficients, labels.count, "coefficients");
  if (failed(rows))
    return failure();
  SmallVector<float> rho(labels.count, elementsOf(op.getRho()).front());
  Value products = timesTransposed(l, x, *rows);
  Value scores = addToRows(l, products, tableOf(l, rho));
  bool positive = llvm::all_of(coefficients, [](float c) { return c >= 0; });
  SmallVector<Value> inputs = {scores, labels.table,
                               integer(l, !elementsOf(op.getProbA()).empty()),
                               integer(l, positive), integer(l, transform)};
  return l.replace(
      callClassifier(l, "svm_choose", inputs, l.dim(x, 0), labels.count));
}

static LogicalResult lowerSVMClassifier(SVMClassifierOp op,
                                        SVMClassifierOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Value> x = getRows(l, operands.getX(), l.b.getF32Type());
  FailureOr<Kernel> kernel =
      getKernel(l, op.getKernelType(), op.getKernelParams());
  FailureOr<int64_t> transform = getTransform(l, op.getPostTransform());
  FailureOr<Labels> labels =
      getLabels(l, op.getClasslabelsInts(), op.getClasslabelsStrings());
  if (failed(x) || failed(kernel) || failed(transform) || failed(labels))
    return failure();
  ArrayRef<float> rho = elementsOf(op.getRho());
  if (rho.empty())
    return l.invalid("rho is missing");
  SmallVector<int64_t> starts{0};
  for (int64_t vectors : elementsOf(op.getVectorsPerClass())) {
    if (vectors < 0)
      return l.invalid("vectors_per_class has the negative element " +
                       Twine(vectors));
    starts.push_back(starts.back() + vectors);
  }
  if (starts.back() == 0)
    return lowerLinearSVM(op, *x, *labels, *transform, l);

  int64_t classes = labels->count, pairs = classes * (classes - 1) / 2;
  ArrayRef<float> coefficients = elementsOf(op.getCoefficients());
  ArrayRef<float> probA = elementsOf(op.getProbA());
  ArrayRef<float> probB = elementsOf(op.getProbB());
  auto isShort = [](ArrayRef<float> list, int64_t count) {
    return static_cast<int64_t>(list.size()) < count;
  };
  if (static_cast<int64_t>(starts.size()) != classes + 1)
    return l.invalid("vectors_per_class must have one element per class");
  if (isShort(coefficients, (classes - 1) * starts.back()))
    return l.invalid(
        "coefficients must have an element for each vector and each "
        "class but one");
  if (isShort(rho, pairs))
    return l.invalid("rho must have an element for each two classes");
  if (!probA.empty() && (isShort(probA, pairs) || isShort(probB, pairs)))
    return l.invalid(
        "prob_a and prob_b must have an element for each two classes");
  FailureOr<Value> vectors = rowsLike(l, *x, elementsOf(op.getSupportVectors()),
                                      starts.back(), "support_vectors");
  if (failed(vectors))
    return failure();
  int64_t columns = !probA.empty() || classes <= 2 ? classes : pairs;
  SmallVector<Value> inputs = {applyKernel(l, *kernel, *x, *vectors),
                               tableOf(l, coefficients),
                               tableOf(l, starts),
                               tableOf(l, rho),
                               tableOf(l, probA),
                               tableOf(l, probB),
                               labels->table,
                               integer(l, probA.size()),
                               integer(l, *transform)};
  return l.replace(
      callClassifier(l, "svm_classify", inputs, l.dim(*x, 0), columns));
}

void onnxc::populateSupportVectors(Lowerings &lowerings) {
  lowerings.add<SVMClassifierOp>(lowerSVMClassifier);
  lowerings.add<SVMRegressorOp>(lowerSVMRegressor);
}
