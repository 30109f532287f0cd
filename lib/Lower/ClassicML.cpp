//===- ClassicML.cpp - Classic machine learning (ai.onnx.ml) --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense arithmetic is linalg; what chooses between classes is a call of the
// runtime (Scores.c). Where the standard leaves a case open, ONNX Runtime's
// answer is the one given.
//
//===----------------------------------------------------------------------===//

#include "ClassicML.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/ClassicML.h"
#include "onnxc/Runtime/ClassicML.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

FailureOr<DenseElementsAttr> onnxc::readDense(Lowering &l,
                                              ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return l.fail("a tensor without data");
    return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                               blob->getData());
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense;
  return l.fail("a tensor of this form");
}

template <typename T>
static Value makeTable(Lowering &l, ArrayRef<T> numbers, Type element) {
  static const T none[] = {0};
  if (numbers.empty())
    numbers = none;
  auto type =
      RankedTensorType::get(static_cast<int64_t>(numbers.size()), element);
  return l.constant(DenseElementsAttr::get(type, numbers));
}

Value onnxc::tableOf(Lowering &l, ArrayRef<float> numbers) {
  return makeTable(l, numbers, l.b.getF32Type());
}
Value onnxc::tableOf(Lowering &l, ArrayRef<double> numbers) {
  return makeTable(l, numbers, l.b.getF64Type());
}
Value onnxc::tableOf(Lowering &l, ArrayRef<int64_t> numbers) {
  return makeTable(l, numbers, l.b.getI64Type());
}
Value onnxc::tableOf(Lowering &l, ArrayRef<int32_t> numbers) {
  return makeTable(l, numbers, l.b.getI32Type());
}

Value onnxc::matrixOf(Lowering &l, ArrayRef<float> numbers, int64_t rows) {
  int64_t columns = static_cast<int64_t>(numbers.size()) / rows;
  auto type = RankedTensorType::get({rows, columns}, l.b.getF32Type());
  return l.constant(
      DenseElementsAttr::get(type, numbers.take_front(rows * columns)));
}

FailureOr<Labels> onnxc::getLabels(Lowering &l, IntList integers,
                                   std::optional<ArrayAttr> strings) {
  SmallVector<StringRef> names = getStrings(strings);
  ArrayRef<int64_t> numbers = elementsOf(integers);
  if (names.empty() && numbers.empty())
    return l.invalid("it has no class labels");
  if (!names.empty()) {
    FailureOr<Value> table = texts(l, names);
    if (failed(table))
      return failure();
    return Labels{*table, static_cast<int64_t>(names.size()), ONNXC_STRING};
  }
  return Labels{tableOf(l, numbers), static_cast<int64_t>(numbers.size()),
                ONNXC_INT64};
}

//===----------------------------------------------------------------------===//
// Rows, scores, classes
//===----------------------------------------------------------------------===//

FailureOr<Value> onnxc::getRows(Lowering &l, Value x, Type element) {
  int64_t rank = Lowering::rank(x);
  if (rank != 1 && rank != 2)
    return l.invalid("input of rank " + Twine(rank) +
                     ", expected [N, C] or a row [C]");
  x = l.castElements(x, element);
  return rank == 2 ? x : l.reshape(x, {l.attr(1), l.dim(x, 0)});
}

FailureOr<int64_t> onnxc::getTransform(Lowering &l, StringRef name) {
  int64_t transform = llvm::StringSwitch<int64_t>(name)
                          .Case("NONE", ONNXC_RT_SCORES_AS_IS)
                          .Case("SOFTMAX", ONNXC_RT_SCORES_SOFTMAX)
                          .Case("LOGISTIC", ONNXC_RT_SCORES_LOGISTIC)
                          .Case("SOFTMAX_ZERO", ONNXC_RT_SCORES_SOFTMAX_ZERO)
                          .Case("PROBIT", ONNXC_RT_SCORES_PROBIT)
                          .Default(-1);
  if (transform < 0)
    return l.invalid("post_transform '" + name +
                     "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or "
                     "PROBIT");
  return transform;
}

Value onnxc::transformScores(Lowering &l, Value scores, int64_t transform) {
  if (transform == ONNXC_RT_SCORES_AS_IS)
    return scores;
  SmallVector<Value> inputs = {scores, integer(l, transform)};
  return l
      .call("transform_scores", inputs,
            l.empty(l.sizes(scores), Lowering::elementType(scores)))
      .front();
}

Value onnxc::timesTransposed(Lowering &l, Value x, Value rows) {
  Value transposed = l.transpose(rows, {1, 0});
  return matmul(l, x, transposed, {l.dim(x, 0), l.dim(rows, 0)},
                Lowering::elementType(x));
}

/// (d0, d1) -> (d1)
static AffineMap columnMap(Lowering &l) {
  return l.dropDims(/*rank=*/2, /*axes=*/0);
}

Value onnxc::addToRows(Lowering &l, Value x, Value vector) {
  return l.map({x, vector}, {l.identityMap(2), columnMap(l)}, l.sizes(x),
               Lowering::elementType(x), [](ScalarBuilder &s, ValueRange args) {
                 return s.add(args[0], args[1]);
               });
}

SmallVector<Value> onnxc::callClassifier(Lowering &l, StringRef name,
                                         ValueRange inputs, OpFoldResult rows,
                                         int64_t columns) {
  Value outs[] = {l.empty(rows, l.b.getI64Type()),
                  l.empty({rows, l.attr(columns)}, l.b.getF32Type())};
  return l.call(name, inputs, outs);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// A parameter per feature, or one for all, as a tensor and how loops over `x`
/// read it; `given` must not be empty.
static FailureOr<std::pair<Value, AffineMap>>
perFeature(Lowering &l, Value x, Value table, StringRef name) {
  int64_t rank = Lowering::rank(x),
          count = Lowering::typeOf(table).getDimSize(0);
  if (rank == 0)
    return l.invalid("input of rank 0, expected [N, C] or a row [C]");
  AffineExpr place = l.b.getAffineDimExpr(rank - 1);
  if (count == 1)
    place = l.b.getAffineConstantExpr(0);
  else
    l.checkEqual(l.dim(x, rank - 1), l.attr(count),
                 name + " has " + Twine(count) +
                     " elements, which must be the number of features");
  return std::pair(table, AffineMap::get(rank, 0, place, l.b.getContext()));
}

static LogicalResult lowerScaler(ScalerOp op, ScalerOp::Adaptor operands,
                                 Lowering &l) {
  Value x = operands.getX();
  static const float zero[] = {0}, one[] = {1};
  ArrayRef<float> offsets = elementsOf(op.getOffset());
  ArrayRef<float> scales = elementsOf(op.getScale());
  auto offset = perFeature(
      l, x, tableOf(l, offsets.empty() ? ArrayRef(zero) : offsets), "offset");
  auto scale = perFeature(
      l, x, tableOf(l, scales.empty() ? ArrayRef(one) : scales), "scale");
  if (failed(offset) || failed(scale))
    return failure();
  Type f32 = l.b.getF32Type();
  Type type = Lowering::elementType(x).isF64() ? l.b.getF64Type() : f32;
  return l.replace(l.map(
      {x, offset->first, scale->first},
      {l.identityMap(Lowering::rank(x)), offset->second, scale->second},
      l.sizes(x), f32, [&](ScalarBuilder &s, ValueRange args) {
        auto wide = [&](Value v) { return s.cast(v, type, false, false); };
        Value number = wide(args[0]);
        Value centered = s.sub(number, wide(args[1]));
        Value scaled = s.mul(centered, wide(args[2]));
        return s.cast(scaled, f32, false, false);
      }));
}

static LogicalResult
lowerBinarizer(BinarizerOp op, BinarizerOp::Adaptor operands, Lowering &l) {
  Type type = Lowering::elementType(operands.getX());
  double threshold = op.getThreshold().convertToDouble();
  return l.replace(
      l.mapSame(operands.getX(), type, [&](ScalarBuilder &s, ValueRange args) {
        // Doubles hold any threshold and almost any integer.
        Type wide = type.isF32() ? type : Type(l.b.getF64Type());
        Value x = s.cast(args[0], wide, false, false);
        Value isAbove = s.gt(x, s.constant(x, threshold));
        Value one = s.one(args[0]);
        return s.select(isAbove, one, s.zero(args[0]));
      }));
}

static LogicalResult lowerImputer(ImputerOp op, ImputerOp::Adaptor operands,
                                  Lowering &l) {
  Value x = operands.getX();
  Type type = Lowering::elementType(x);
  bool isFloat = isa<FloatType>(type);
  if (isFloat ? elementsOf(op.getImputedValueFloats()).empty()
              : elementsOf(op.getImputedValueInt64s()).empty())
    return l.invalid(isFloat ? "imputed_value_floats is missing"
                             : "imputed_value_int64s is missing");
  Value table = isFloat ? tableOf(l, elementsOf(op.getImputedValueFloats()))
                        : tableOf(l, elementsOf(op.getImputedValueInt64s()));
  auto imputed = perFeature(l, x, table, "the list of imputed values");
  if (failed(imputed))
    return failure();
  return l.replace(l.map(
      {x, imputed->first}, {l.identityMap(Lowering::rank(x)), imputed->second},
      l.sizes(x), type, [&](ScalarBuilder &s, ValueRange args) {
        auto narrow = [&](Value v) { return s.cast(v, type, false, false); };
        Value missing, replaced;
        if (isFloat) {
          llvm::APFloat value = op.getReplacedValueFloat();
          replaced = arith::ConstantOp::create(
              s.getBuilder(), s.getLoc(),
              s.getBuilder().getF32FloatAttr(value.convertToFloat()));
          missing = value.isNaN() ? s.isNaN(args[0])
                                  : s.eq(args[0], narrow(replaced));
        } else {
          replaced = arith::ConstantOp::create(
              s.getBuilder(), s.getLoc(),
              s.getBuilder().getI64IntegerAttr(op.getReplacedValueInt64()));
          missing = s.eq(args[0], narrow(replaced));
        }
        return s.select(missing, narrow(args[1]), args[0]);
      }));
}

/// Each row by its norm; a norm of 0 leaves it as it is.
static LogicalResult
lowerNormalizer(NormalizerOp op, NormalizerOp::Adaptor operands, Lowering &l) {
  Type f32 = l.b.getF32Type();
  FailureOr<Value> x = getRows(l, operands.getX(), f32);
  if (failed(x))
    return failure();
  StringRef norm = op.getNorm();
  bool isMax = norm == "MAX", isL2 = norm == "L2";
  if (!isMax && !isL2 && norm != "L1")
    return l.invalid("norm '" + norm + "', expected MAX, L1 or L2");
  Value init = isMax ? l.constant(f32, -std::numeric_limits<float>::max())
                     : l.constant(f32, 0);
  Value norms = l.reduce(
      *x, /*axes=*/1, init, [&](ScalarBuilder &s, ValueRange args) -> Value {
        if (isMax)
          return s.select(s.lt(args[1], args[0]), args[0], args[1]);
        return s.add(args[1], isL2 ? s.mul(args[0], args[0]) : s.abs(args[0]));
      });
  Value result =
      l.map({*x, norms}, {l.identityMap(2), l.dropDims(2, 1)}, l.sizes(*x), f32,
            [&](ScalarBuilder &s, ValueRange args) {
              Value norm = isL2 ? s.sqrt(args[1]) : args[1];
              Value isZero = s.eq(norm, s.zero(norm));
              return s.div(args[0], s.select(isZero, s.one(norm), norm));
            });
  return l.replace(l.reshape(result, l.sizes(operands.getX())));
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

static LogicalResult
lowerArrayFeatureExtractor(ArrayFeatureExtractorOp op,
                           ArrayFeatureExtractorOp::Adaptor operands,
                           Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  if (rank == 0)
    return l.invalid("input of rank 0, expected at least 1");
  OpFoldResult limit = l.dim(x, rank - 1);
  Value indices =
      l.reshape(operands.getY(), l.product(l.sizes(operands.getY())));
  if (failed(checkIndices(l, indices, limit)))
    return failure();
  Sizes sizes = l.sizes(x);
  sizes.back() = l.dim(indices, 0);
  Value bound = l.asValue(limit);
  AffineMap last =
      AffineMap::get(rank, 0, l.b.getAffineDimExpr(rank - 1), l.b.getContext());
  Value picked =
      l.map(indices, last, sizes, Lowering::elementType(x),
            [&](ScalarBuilder &s, ValueRange args) -> Value {
              OpBuilder &b = s.getBuilder();
              SmallVector<Value> from;
              for (int64_t i = 0; i + 1 < rank; ++i)
                from.push_back(linalg::IndexOp::create(b, s.getLoc(), i));
              // Checked, and inside of the tensor whatever they are.
              Value at = arith::IndexCastOp::create(b, s.getLoc(),
                                                    b.getIndexType(), args[0]);
              Value isNegative = s.lt(at, s.zero(at));
              at = s.select(isNegative, s.add(at, bound), at);
              Value bounded = s.min(at, s.sub(bound, s.one(bound)));
              from.push_back(s.max(bounded, s.zero(bound)));
              return tensor::ExtractOp::create(b, s.getLoc(), x, from);
            });
  // What is picked from a vector is a row.
  if (rank == 1)
    picked = l.reshape(picked, {l.attr(1), sizes.back()});
  return l.replace(picked);
}

static LogicalResult
lowerFeatureVectorizer(FeatureVectorizerOp op,
                       FeatureVectorizerOp::Adaptor operands, Lowering &l) {
  Type f32 = l.b.getF32Type();
  ArrayRef<int64_t> widths = elementsOf(op.getInputdimensions());
  if (!widths.empty() && widths.size() != operands.getX().size())
    return l.invalid("inputdimensions must have one element per input");
  SmallVector<Value> inputs;
  SmallVector<OpFoldResult> columns;
  OpFoldResult total = l.attr(0);
  for (auto [i, input] : llvm::enumerate(operands.getX())) {
    FailureOr<Value> rows = getRows(l, input, f32);
    if (failed(rows))
      return failure();
    inputs.push_back(*rows);
    columns.push_back(widths.empty() ? l.dim(*rows, 1) : l.attr(widths[i]));
    total = l.add(total, columns.back());
    OpFoldResult height = l.dim(*rows, 0);
    l.checkEqual(height, l.dim(inputs.front(), 0),
                 "all inputs must have the same number of rows");
  }
  OpFoldResult height = l.dim(inputs.front(), 0), at = l.attr(0);
  // An input is cut, or zeros follow it.
  Value result = l.filled({height, total}, l.constant(f32, 0));
  for (auto [input, width] : llvm::zip(inputs, columns)) {
    OpFoldResult used = l.min(l.dim(input, 1), width);
    Value part = l.slice(input, {l.attr(0), l.attr(0)}, {height, used});
    result = tensor::InsertSliceOp::create(
        l.b, l.loc, part, result, Sizes{l.attr(0), at}, Sizes{height, used},
        Sizes{l.attr(1), l.attr(1)});
    at = l.add(at, width);
  }
  return l.replace(result);
}

//===----------------------------------------------------------------------===//
// Linear models
//===----------------------------------------------------------------------===//

/// x times the coefficients of each of `targets` targets, plus the intercepts
/// where there is one for each.
static FailureOr<Value> linearScores(Lowering &l, Value x,
                                     ArrayRef<float> coefficients,
                                     ArrayRef<float> intercepts,
                                     int64_t targets) {
  FailureOr<Value> rows = getRows(l, x, l.b.getF32Type());
  if (failed(rows))
    return failure();
  if (targets <= 0 || coefficients.empty() ||
      coefficients.size() % targets != 0)
    return l.invalid(
        "coefficients has " + Twine(coefficients.size()) +
        " elements, expected a multiple of the number of targets, " +
        Twine(targets));
  Value matrix = matrixOf(l, coefficients, targets);
  OpFoldResult width = l.dim(*rows, 1);
  l.checkEqual(width, l.dim(matrix, 1),
               "the input must have as many features as there are "
               "coefficients for a target");
  Value scores = timesTransposed(l, *rows, matrix);
  if (static_cast<int64_t>(intercepts.size()) == targets)
    scores = addToRows(l, scores, tableOf(l, intercepts));
  return scores;
}

static LogicalResult lowerLinearRegressor(LinearRegressorOp op,
                                          LinearRegressorOp::Adaptor operands,
                                          Lowering &l) {
  FailureOr<int64_t> transform = getTransform(l, op.getPostTransform());
  if (failed(transform))
    return failure();
  // Rows of more targets than there are do not count.
  ArrayRef<float> coefficients = elementsOf(op.getCoefficients());
  int64_t features = Lowering::typeOf(operands.getX()).getShape().back();
  if (!ShapedType::isDynamic(features))
    coefficients = coefficients.take_front(features * op.getTargets());
  FailureOr<Value> scores =
      linearScores(l, operands.getX(), coefficients,
                   elementsOf(op.getIntercepts()), op.getTargets());
  if (failed(scores))
    return failure();
  return l.replace(transformScores(l, *scores, *transform));
}

static LogicalResult lowerLinearClassifier(LinearClassifierOp op,
                                           LinearClassifierOp::Adaptor operands,
                                           Lowering &l) {
  FailureOr<int64_t> transform = getTransform(l, op.getPostTransform());
  if (failed(transform))
    return failure();
  ArrayRef<float> intercepts = elementsOf(op.getIntercepts());
  FailureOr<Labels> labels =
      getLabels(l, op.getClasslabelsInts(), op.getClasslabelsStrings());
  if (failed(labels))
    return failure();
  int64_t count = intercepts.empty() ? labels->count : intercepts.size();
  FailureOr<Value> scores =
      linearScores(l, operands.getX(), op.getCoefficients(), intercepts, count);
  if (failed(scores))
    return failure();
  SmallVector<Value> inputs = {*scores, labels->table,
                               integer(l, labels->count),
                               integer(l, *transform)};
  return l.replace(
      callClassifier(l, "linear_classify", inputs, l.dim(*scores, 0),
                     count == 1 && labels->count == 2 ? 2 : count));
}

void onnxc::populateClassicML(Lowerings &lowerings) {
  lowerings.add<ArrayFeatureExtractorOp>(lowerArrayFeatureExtractor);
  lowerings.add<BinarizerOp>(lowerBinarizer);
  lowerings.add<FeatureVectorizerOp>(lowerFeatureVectorizer);
  lowerings.add<ImputerOp>(lowerImputer);
  lowerings.add<LinearClassifierOp>(lowerLinearClassifier);
  lowerings.add<LinearRegressorOp>(lowerLinearRegressor);
  lowerings.add<NormalizerOp>(lowerNormalizer);
  lowerings.add<ScalerOp>(lowerScaler);
}
