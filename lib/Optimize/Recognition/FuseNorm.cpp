//===- FuseNorm.cpp - Normalizations in their parts -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step by step, each at the op that ends it: x over its deviation becomes a
// normalization by a scale of ones; a Cast behind it, a Mul, an Add go into it.
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSENORM
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

namespace {
/// What is divided by what.
struct Deviation {
  /// What is normalized: with its mean (layer) or without (RMS).
  Value x;
  bool isCentered = false;
  SmallVector<int64_t> axes;
  /// sqrt(variance + epsilon), or sqrt(variance) + outerEpsilon.
  double epsilon = 0, outerEpsilon = 0;
};
} // namespace

/// The x of x - mean(x), of a mean along `axes`.
static Value readCentered(Parts &parts, Value value, ArrayRef<int64_t> axes) {
  auto sub = parts.find<SubOp>(value);
  if (!sub)
    return {};
  std::optional<Reduction> mean = readMean(parts, sub.getB());
  return mean && areSameValue(mean->input, sub.getA()) &&
                 ArrayRef<int64_t>(mean->axes) == axes
             ? sub.getA()
             : Value();
}

/// mean(d^2) of d = x - mean(x), mean(x^2) - mean(x)^2, or mean(x^2).
static bool readVariance(Parts &parts, Value value, Deviation &deviation) {
  size_t mark = parts.getMark();
  // What rounding made negative is cut off.
  Value variance = value;
  if (auto relu = parts.find<ReluOp>(value)) {
    variance = relu.getX();
  } else if (auto max = parts.find<MaxOp>(value);
             max && max->getNumOperands() == 2) {
    inAnyOrder(max, [&](Value x, Value zero) {
      if (getScalar(zero, x) != 0.0)
        return false;
      variance = x;
      return true;
    });
  }
  if (auto sub = parts.find<SubOp>(variance)) {
    auto squares = readMean(parts, sub.getA());
    Value x = squares ? readSquare(parts, squares->input) : Value();
    Value meanValue = x ? readSquare(parts, sub.getB()) : Value();
    auto mean =
        meanValue ? readMean(parts, meanValue) : std::optional<Reduction>();
    if (mean && mean->axes == squares->axes && areSameValue(mean->input, x)) {
      deviation.x = x;
      deviation.isCentered = true;
      deviation.axes = mean->axes;
      return true;
    }
  }
  parts.returnTo(mark);
  auto mean = readMean(parts, value);
  Value d = mean ? readSquare(parts, mean->input) : Value();
  if (!d)
    return false;
  deviation.axes = mean->axes;
  mark = parts.getMark();
  if (Value x = readCentered(parts, d, mean->axes)) {
    deviation.x = x;
    deviation.isCentered = true;
    return true;
  }
  parts.returnTo(mark);
  deviation.x = d;
  return true;
}

/// Of a sum: the positive number that is added, and to what.
static Value readEpsilon(Parts &parts, Value value, double &epsilon) {
  auto add = parts.find<AddOp>(value);
  Value rest;
  if (add)
    inAnyOrder(add, [&](Value x, Value number) {
      std::optional<double> c = getScalar(number, x);
      if (!c || !(*c > 0))
        return false;
      epsilon = *c;
      rest = x;
      return true;
    });
  return rest;
}

static std::optional<Deviation> readDeviation(Parts &parts, Value value) {
  Deviation deviation;
  size_t mark = parts.getMark();
  if (Value square = readRoot(parts, value)) {
    Value variance = readEpsilon(parts, square, deviation.epsilon);
    if (variance && readVariance(parts, variance, deviation))
      return deviation;
  }
  parts.returnTo(mark);
  Value root = readEpsilon(parts, value, deviation.outerEpsilon);
  Value variance = root ? readRoot(parts, root) : Value();
  if (variance && readVariance(parts, variance, deviation))
    return deviation;
  return std::nullopt;
}

/// A factor that is 1 / sqrt(...) by a power.
static std::optional<Deviation> readInverseDeviation(Parts &parts,
                                                     Value factor) {
  auto pow = parts.find<PowOp>(factor);
  Deviation deviation;
  if (!pow || getScalar(pow.getY(), pow.getX()) != -0.5)
    return std::nullopt;
  Value variance = readEpsilon(parts, pow.getX(), deviation.epsilon);
  if (!variance || !readVariance(parts, variance, deviation))
    return std::nullopt;
  return deviation;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// `value`, by which normalized values are multiplied or to which it is added,
/// as parameter of shape `shape`. It may have the dims of `aligned`, from the
/// last one on; a constant may also be one number. Null if it cannot be.
static Value makeParameter(PatternRewriter &rewriter, Operation *root,
                           Value value, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> aligned, StringRef suffix) {
  std::optional<ArrayRef<int64_t>> has = getShape(value);
  if (!has || has->size() > aligned.size() ||
      getElementType(value) != getElementType(root->getResult(0)))
    return {};
  bool isAligned =
      *has == aligned.take_back(has->size()) &&
      ShapedType::getNumElements(*has) == ShapedType::getNumElements(shape);
  if (isAligned && *has == shape)
    return value;
  ElementsAttr constant = getConstant(value);
  std::optional<Elements> elements = Elements::get(constant);
  if (!elements)
    return {};
  ElementsAttr parameter;
  if (elements->size() == 1)
    parameter = DenseElementsAttr::getFromRawBuffer(
        RankedTensorType::get(shape, elements->getElementType()),
        elements->getBytes(0));
  else if (isAligned)
    parameter = reshapeElements(constant, shape);
  return parameter ? makeConstant(rewriter, root, parameter, suffix) : Value();
}

namespace {
/// What scale and bias are like: those of channels, or of all from an axis on.
struct ParameterShape {
  SmallVector<int64_t> shape, aligned;
};
} // namespace

/// Of `axis` and all behind it; nullopt if their sizes are not known.
static std::optional<ParameterShape> getTrailingShape(Value x, int64_t axis) {
  std::optional<ArrayRef<int64_t>> dims = getShape(x);
  if (!dims || axis < 0)
    return std::nullopt;
  ParameterShape result;
  result.shape.assign(dims->begin() + axis, dims->end());
  if (ShapedType::isDynamicShape(result.shape))
    return std::nullopt;
  result.aligned.assign(axis, 1);
  result.aligned.append(result.shape);
  return result;
}

static std::optional<ParameterShape> getChannelShape(Value x) {
  std::optional<ArrayRef<int64_t>> dims = getShape(x);
  if (!dims || dims->size() < 3 || ShapedType::isDynamic((*dims)[1]))
    return std::nullopt;
  ParameterShape result;
  result.shape.push_back((*dims)[1]);
  result.aligned.assign(dims->size(), 1);
  result.aligned[1] = (*dims)[1];
  return result;
}

static bool areOnes(Value value) { return isAll(value, 1); }
static bool areZeros(Value value) { return isAll(value, 0, /*anyZero=*/true); }

//===----------------------------------------------------------------------===//
// x over its deviation
//===----------------------------------------------------------------------===//

namespace {
/// A view of the normalizations that have a scale.
struct Norm {
  Operation *op = nullptr;
  Value x, scale, bias;
  bool canHaveBias = true;
  ParameterShape parameters;
};
} // namespace

/// The parameters of a normalization; nullopt if it is not one.
static std::optional<Norm> readParameters(Value value) {
  Norm norm;
  norm.op = value.getDefiningOp();
  if (!norm.op)
    return std::nullopt;
  std::optional<ParameterShape> shape;
  auto setTrailing = [&](Value x, int64_t axis) {
    std::optional<int64_t> rank = getRank(x);
    auto first = rank ? normalizeAxis(axis, *rank) : std::optional<int64_t>();
    if (first)
      shape = getTrailingShape(x, *first);
  };
  if (auto layer = dyn_cast<LayerNormalizationOp>(norm.op)) {
    if (layer->getNumResults() != 1)
      return std::nullopt;
    norm.x = layer.getX();
    norm.scale = layer.getScale();
    norm.bias = layer.getB();
    setTrailing(norm.x, int64_t(layer.getAxis()));
  } else if (auto rms = dyn_cast<RMSNormalizationOp>(norm.op)) {
    norm.x = rms.getX();
    norm.scale = rms.getScale();
    norm.canHaveBias = false;
    setTrailing(norm.x, int64_t(rms.getAxis()));
  } else if (auto instance = dyn_cast<InstanceNormalizationOp>(norm.op)) {
    norm.x = instance.getInput();
    norm.scale = instance.getScale();
    norm.bias = instance.getB();
    shape = getChannelShape(norm.x);
  } else if (auto group = dyn_cast<GroupNormalizationOp>(norm.op)) {
    norm.x = group.getX();
    norm.scale = group.getScale();
    norm.bias = group.getBias();
    shape = getChannelShape(norm.x);
  }
  if (!shape || getElementType(norm.x) != getElementType(value))
    return std::nullopt;
  norm.parameters = *shape;
  return norm;
}

/// The same of one that has no other use.
static std::optional<Norm> readNorm(Value value) {
  return hasSoleUse(value) ? readParameters(value) : std::nullopt;
}

/// The scale that is there, or ones.
static Value makeScale(Operation *op, Value scale, Value x,
                       const ParameterShape &shape,
                       const RewriteOptions &options,
                       PatternRewriter &rewriter) {
  if (scale)
    return makeParameter(rewriter, op, scale, shape.shape, shape.aligned,
                         "scale");
  Type element = getElementType(x);
  SaturatingInt count = ShapedType::getNumElements(shape.shape);
  if (count * int64_t(element.getIntOrFloatBitWidth() / 8) > options.foldBudget)
    return {};
  return makeSplat(rewriter, op, shape.shape, element, 1, "scale");
}

/// The operator that divides x by its deviation and multiplies it by `scale`;
/// null if there is none.
static Value makeNorm(Operation *op, Parts &parts, const Deviation &deviation,
                      Value scale, Type type, const RewriteOptions &options,
                      PatternRewriter &rewriter) {
  Value x = deviation.x;
  Type element = getElementType(x);
  int64_t rank = *getRank(x), first = deviation.axes.front();
  Location loc = fuseLocations(parts.getFirst(), op);
  if (deviation.outerEpsilon != 0) {
    if (!deviation.isCentered || scale || element.isF64() ||
        !isNear(deviation.outerEpsilon, 1e-9, element) ||
        !takesElements(element, 13, op, options) ||
        !isAvailable(9, op, options))
      return {};
    return MeanVarianceNormalizationOp::create(
        rewriter, loc, type, x, rewriter.getDenseI64ArrayAttr(deviation.axes));
  }
  if (!fitsFloatAttribute(deviation.epsilon, element) ||
      first + int64_t(deviation.axes.size()) != rank)
    return {};
  FloatAttr epsilon = rewriter.getF32FloatAttr(deviation.epsilon);
  if (deviation.isCentered && rank >= 4 && first == 2 &&
      takesElements(element, 22, op, options) && isAvailable(6, op, options))
    if (auto shape = getChannelShape(x))
      if (Value gamma = makeScale(op, scale, x, *shape, options, rewriter)) {
        Value zeros = makeSplat(rewriter, op, shape->shape, element, 0, "bias");
        return InstanceNormalizationOp::create(rewriter, loc, type, x, gamma,
                                               zeros, epsilon);
      }
  // Stage one of these is computed in float32.
  auto shape = getTrailingShape(x, first);
  bool exists = deviation.isCentered
                    ? isAvailable<LayerNormalizationOp>(op, options)
                    : isAvailable<RMSNormalizationOp>(op, options);
  if (!shape || element.isF64() || !exists)
    return {};
  IntegerAttr axis = rewriter.getI64IntegerAttr(first - rank);
  Value gamma = makeScale(op, scale, x, *shape, options, rewriter);
  if (!gamma)
    return {};
  if (!deviation.isCentered)
    return RMSNormalizationOp::create(rewriter, loc, type, x, gamma, axis,
                                      epsilon, IntegerAttr());
  return LayerNormalizationOp::create(rewriter, loc, type, Type(), Type(), x,
                                      gamma, Value(), axis, epsilon,
                                      IntegerAttr())
      .getY();
}

/// The deviation by which a product divides, which loses it.
static std::optional<Deviation> takeDeviation(Parts &parts, Product &product) {
  if (product.coefficient != 1 || product.divisors.size() > 1)
    return std::nullopt;
  if (product.divisors.size() == 1) {
    Value divisor = product.divisors.pop_back_val();
    return readDeviation(parts, divisor);
  }
  for (auto [i, factor] : llvm::enumerate(product.factors))
    if (auto deviation = readInverseDeviation(parts, factor)) {
      product.factors.erase(product.factors.begin() + i);
      return deviation;
    }
  return std::nullopt;
}

namespace {
template <typename Root> struct RecognizeNormalized : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    size_t count = product.factors.size() + product.divisors.size();
    if (count < 2 || count > 3)
      return rewriter.notifyMatchFailure(op, "not x over something");
    std::optional<Deviation> deviation = takeDeviation(parts, product);
    if (!deviation)
      return rewriter.notifyMatchFailure(op, "no deviation");
    Value x = deviation->x, scale;
    bool found = false;
    for (Value factor : product.factors) {
      if (!found && isNumerator(parts, factor, *deviation))
        found = true;
      else
        scale = factor;
    }
    if (!found || product.factors.size() != (scale ? 2u : 1u))
      return rewriter.notifyMatchFailure(op, "not the deviation of x");
    Type type = getResultType(op, x);
    if (!type || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "a part has other uses");
    Value y =
        makeNorm(op, parts, *deviation, scale, type, this->options, rewriter);
    if (!y)
      return rewriter.notifyMatchFailure(op, "no operator for it");
    return replaceRoot(rewriter, op, y);
  }

private:
  static bool isNumerator(Parts &parts, Value factor,
                          const Deviation &deviation) {
    if (!deviation.isCentered)
      return areSameValue(factor, deviation.x);
    size_t mark = parts.getMark();
    Value x = readCentered(parts, factor, deviation.axes);
    if (x && areSameValue(x, deviation.x))
      return true;
    parts.returnTo(mark);
    return false;
  }
};

/// x s + (bias - mean(x) s), where s is the scale over the deviation: as Keras
/// has it.
struct RecognizeNormalizedByLine : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    Value x, s, mean, bias;
    bool found = inAnyOrder(op, [&](Value scaled, Value offset) {
      auto mul = parts.findSole<MulOp>(scaled);
      auto sub = mul ? parts.findSole<SubOp>(offset) : SubOp();
      auto moved = sub ? parts.findSole<MulOp>(sub.getB()) : MulOp();
      if (!moved)
        return false;
      bias = sub.getA();
      return inAnyOrder(mul, [&](Value a, Value b) {
        x = a;
        s = b;
        return inAnyOrder(moved, [&](Value c, Value d) {
          mean = c;
          return areSameValue(d, s);
        });
      });
    });
    if (!found)
      return rewriter.notifyMatchFailure(op, "no such line");
    Product product = readProduct(parts, s);
    auto deviation = takeDeviation(parts, product);
    if (!deviation || !deviation->isCentered || deviation->outerEpsilon != 0 ||
        product.factors.size() != 1 || !areSameValue(deviation->x, x))
      return rewriter.notifyMatchFailure(op, "no deviation of x");
    auto ofX = readMean(parts, mean);
    Type type = getResultType(op, x);
    if (!ofX || ofX->axes != deviation->axes || !areSameValue(ofX->input, x) ||
        !type || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "not the mean of x");
    // Then what can be the scale can be the bias.
    Value scale = product.factors[0];
    if (getShape(bias) != getShape(scale) || !isConstant(bias) ||
        !isConstant(scale))
      return rewriter.notifyMatchFailure(op, "scale and bias do not match");
    Value y = makeNorm(op, parts, *deviation, scale, type, options, rewriter);
    if (!y)
      return rewriter.notifyMatchFailure(op, "no operator for it");
    ParameterShape shape = readParameters(y)->parameters;
    Value beta =
        makeParameter(rewriter, op, bias, shape.shape, shape.aligned, "bias");
    rewriter.moveOpBefore(y.getDefiningOp(), op);
    rewriter.modifyOpInPlace(y.getDefiningOp(), [&] {
      if (auto layer = y.getDefiningOp<LayerNormalizationOp>())
        layer.getBMutable().assign(beta);
      else
        y.getDefiningOp()->setOperand(2, beta);
    });
    return replaceRoot(rewriter, op, y);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What stands behind a normalization
//===----------------------------------------------------------------------===//

/// The same normalization with other parameters, in the root's place.
static LogicalResult replaceByNorm(PatternRewriter &rewriter, Operation *root,
                                   const Norm &norm, Value x, Value scale,
                                   Value bias) {
  Type type = getResultType(root, x);
  if (!type)
    return rewriter.notifyMatchFailure(root, "the types contradict");
  Location loc = fuseLocations(norm.op, root);
  Value y;
  if (auto layer = dyn_cast<LayerNormalizationOp>(norm.op))
    y = LayerNormalizationOp::create(rewriter, loc, type, Type(), Type(), x,
                                     scale, bias, layer.getAxisAttr(),
                                     layer.getEpsilonAttr(),
                                     layer.getStashTypeAttr())
            .getY();
  else if (auto rms = dyn_cast<RMSNormalizationOp>(norm.op))
    y = RMSNormalizationOp::create(rewriter, loc, type, x, scale,
                                   rms.getAxisAttr(), rms.getEpsilonAttr(),
                                   rms.getStashTypeAttr());
  else if (auto instance = dyn_cast<InstanceNormalizationOp>(norm.op))
    y = InstanceNormalizationOp::create(rewriter, loc, type, x, scale, bias,
                                        instance.getEpsilonAttr());
  else if (auto group = dyn_cast<GroupNormalizationOp>(norm.op))
    y = GroupNormalizationOp::create(
        rewriter, loc, type, x, scale, bias, group.getNumGroupsAttr(),
        group.getEpsilonAttr(), group.getStashTypeAttr());
  return replaceRoot(rewriter, root, y);
}

namespace {
/// norm(x) * scale, of a norm that has none.
struct MultiplyIntoNorm : Rewriting<MulOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    LogicalResult result = failure();
    inAnyOrder(op, [&](Value value, Value scale) {
      std::optional<Norm> norm = readNorm(value);
      if (!norm || !areOnes(norm->scale) ||
          (norm->bias && !areZeros(norm->bias)) || !getResultType(op, norm->x))
        return false;
      Value gamma = makeParameter(rewriter, op, scale, norm->parameters.shape,
                                  norm->parameters.aligned, "scale");
      if (gamma)
        result = replaceByNorm(rewriter, op, *norm, norm->x, gamma, norm->bias);
      return succeeded(result);
    });
    if (failed(result))
      return rewriter.notifyMatchFailure(
          op, "no normalization by ones times what its scale can be");
    return result;
  }
};

/// norm(x) + bias.
struct AddIntoNorm : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    LogicalResult result = failure();
    inAnyOrder(op, [&](Value value, Value bias) {
      std::optional<Norm> norm = readNorm(value);
      if (!norm || !norm->canHaveBias ||
          (norm->bias && !areZeros(norm->bias)) || !getResultType(op, norm->x))
        return false;
      Value beta = makeParameter(rewriter, op, bias, norm->parameters.shape,
                                 norm->parameters.aligned, "bias");
      if (beta)
        result = replaceByNorm(rewriter, op, *norm, norm->x, norm->scale, beta);
      return succeeded(result);
    });
    if (failed(result))
      return rewriter.notifyMatchFailure(
          op, "no normalization without bias plus what its bias can be");
    return result;
  }
};

/// Normalized in float32, and rounded to the type that x had before: what
/// `stash_type` says.
struct CastIntoNorm : Rewriting<CastOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Norm> norm = readNorm(op.getInput());
    if (!norm || !isa<LayerNormalizationOp, RMSNormalizationOp>(norm->op) ||
        norm->bias || !areOnes(norm->scale))
      return rewriter.notifyMatchFailure(op, "no normalization by ones");
    auto widened = norm->x.getDefiningOp<CastOp>();
    Type narrow = getElementType(op.getOutput());
    if (!widened || !narrow || getElementType(widened.getInput()) != narrow ||
        !(narrow.isF16() || narrow.isBF16()) ||
        !getElementType(norm->x).isF32() ||
        !getResultType(op, widened.getInput()))
      return rewriter.notifyMatchFailure(op, "x was not of this type");
    Value ones =
        makeSplat(rewriter, op, norm->parameters.shape, narrow, 1, "scale");
    return replaceByNorm(rewriter, op, *norm, widened.getInput(), ones, {});
  }
};

//===----------------------------------------------------------------------===//
// Groups, norms of vectors
//===----------------------------------------------------------------------===//

/// x in groups of channels, each normalized like a channel, and back.
struct RecognizeGroups : Rewriting<ReshapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable(21, op, options))
      return rewriter.notifyMatchFailure(op, "no GroupNormalization-21");
    std::optional<Norm> norm = readNorm(op.getData());
    if (!norm ||
        !isa<InstanceNormalizationOp, LayerNormalizationOp>(norm->op) ||
        !areOnes(norm->scale) || (norm->bias && !areZeros(norm->bias)))
      return rewriter.notifyMatchFailure(op, "no plain normalization");
    auto split = norm->x.getDefiningOp<ReshapeOp>();
    if (!split)
      return rewriter.notifyMatchFailure(op, "x has not been reshaped");
    Value x = split.getData();
    auto dims = getShape(x), grouped = getShape(norm->x);
    Type type = getResultType(op, x), element = getElementType(x);
    if (!dims || !grouped || dims->size() < 3 || grouped->size() < 3 || !type ||
        element.isF64() || !keepsShape(op, x) || !keepsBatch(*dims, *grouped))
      return rewriter.notifyMatchFailure(op, "the shapes do not fit");
    int64_t channels = (*dims)[1], groups = (*grouped)[1];
    FloatAttr epsilon;
    if (auto layer = dyn_cast<LayerNormalizationOp>(norm->op)) {
      if (normalizeAxis(int64_t(layer.getAxis()), grouped->size()) != 2 ||
          layer.getStashType() != 1)
        return rewriter.notifyMatchFailure(op, "not normalized by groups");
      epsilon = rewriter.getF32FloatAttr(layer.getEpsilon().convertToFloat());
    } else {
      epsilon = rewriter.getF32FloatAttr(cast<InstanceNormalizationOp>(norm->op)
                                             .getEpsilon()
                                             .convertToFloat());
    }
    if (channels <= 0 || groups <= 0 || channels % groups != 0)
      return rewriter.notifyMatchFailure(op, "channels are not in groups");
    Value ones = makeSplat(rewriter, op, {channels}, element, 1, "scale"),
          zeros = makeSplat(rewriter, op, {channels}, element, 0, "bias");
    auto group = GroupNormalizationOp::create(
        rewriter, fuseLocations(norm->op, op), type, x, ones, zeros,
        rewriter.getI64IntegerAttr(groups), epsilon, IntegerAttr());
    return replaceRoot(rewriter, op, group->getResults());
  }

private:
  /// Whether all of a Reshape's result and `x`, which have as many elements,
  /// agree: but for one dim that then is what is left.
  static bool keepsShape(ReshapeOp op, Value x) {
    if (auto shape = op.getShape().getDefiningOp<ShapeOp>())
      if (shape.getData() == x && !shape.getEnd() && shape.getStart() == 0)
        return true;
    auto to = getShape(op.getReshaped()), from = getShape(x);
    if (!to || !from || to->size() != from->size())
      return false;
    unsigned numUnknown = 0;
    for (auto [a, b] : llvm::zip(*to, *from)) {
      if (ShapedType::isDynamic(a) && ShapedType::isDynamic(b))
        ++numUnknown;
      else if (a != b || a == 0)
        return false;
    }
    return numUnknown <= 1;
  }

  /// Whether the first dim stays: the product of the others does.
  static bool keepsBatch(ArrayRef<int64_t> dims, ArrayRef<int64_t> grouped) {
    ArrayRef<int64_t> before = dims.drop_front(), after = grouped.drop_front();
    if (ShapedType::isDynamicShape(before) || ShapedType::isDynamicShape(after))
      return !ShapedType::isDynamic(dims[0]) && dims[0] == grouped[0] &&
             dims[0] > 0 && !ShapedType::isDynamic(dims[1]) &&
             !ShapedType::isDynamic(grouped[1]);
    int64_t count = ShapedType::getNumElements(before);
    return count > 0 && count == ShapedType::getNumElements(after);
  }
};

/// x over its norm. The operator says 0 for a vector of zeros, the quotient
/// NaN.
template <typename Root> struct RecognizeLpNormalized : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    if (!this->options.noNaNs)
      return rewriter.notifyMatchFailure(op, "0 / 0 would become 0");
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (product.factors.size() != 1 || product.divisors.size() != 1 ||
        product.coefficient != 1)
      return rewriter.notifyMatchFailure(op, "not x over something");
    Value x = product.factors[0];
    int64_t p = 0;
    std::optional<Reduction> length = readLength(parts, product.divisors[0], p);
    Type type = getResultType(op, x);
    if (!length || !type || length->axes.size() != 1 ||
        !areSameValue(length->input, x) ||
        !takesElements(getElementType(x), 22, op, this->options) ||
        !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "not the norm of x");
    auto lp = LpNormalizationOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, x,
        rewriter.getI64IntegerAttr(length->axes[0]),
        rewriter.getI64IntegerAttr(p));
    return replaceRoot(rewriter, op, lp->getResults());
  }

private:
  static std::optional<Reduction> readLength(Parts &parts, Value value,
                                             int64_t &p) {
    size_t mark = parts.getMark();
    p = 1;
    if (auto length = readReduction<ReduceL1Op>(parts, value))
      return length;
    p = 2;
    parts.returnTo(mark);
    if (auto length = readReduction<ReduceL2Op>(parts, value))
      return length;
    parts.returnTo(mark);
    Value sum = readRoot(parts, value);
    if (!sum)
      return std::nullopt;
    mark = parts.getMark();
    if (auto squares = readReduction<ReduceSumSquareOp>(parts, sum))
      return squares;
    parts.returnTo(mark);
    auto squares = readReduction<ReduceSumOp>(parts, sum);
    if (!squares || !(squares->input = readSquare(parts, squares->input)))
      return std::nullopt;
    return squares;
  }
};

struct FuseNorm : onnxc::impl::FuseNormBase<FuseNorm> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<RecognizeNormalized<MulOp>, RecognizeNormalized<DivOp>,
                 RecognizeNormalizedByLine, MultiplyIntoNorm, AddIntoNorm,
                 CastIntoNorm, RecognizeGroups, RecognizeLpNormalized<MulOp>,
                 RecognizeLpNormalized<DivOp>>(patterns.getContext(), options);
  }
};
} // namespace
