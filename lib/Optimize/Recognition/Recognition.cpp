//===- Recognition.cpp - Finding an operator in its parts -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/IR/OperationSupport.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// How deep to look into a chain: formulas are shorter, and a long chain is
/// asked about at each of its ops.
static constexpr unsigned maxDepth = 8;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isDead(Operation *op, unsigned depth = 0) {
  return depth < maxDepth && !op->hasTrait<OpTrait::IsTerminator>() &&
         isPure(op) &&
         llvm::all_of(
             op->getUsers(),
             [&](Operation *user) { return isDead(user, depth + 1); });
}

bool optimize::hasSoleUse(Value value, bool ignoresShapes) {
  /// With more users than that, one of them is alive.
  constexpr unsigned limit = 8;
  if (value.hasOneUse())
    return true;
  unsigned numUses = 0, numAlive = 0;
  for (OpOperand &use : value.getUses()) {
    numAlive += !(ignoresShapes && isa<ShapeOp>(use.getOwner())) &&
                !isDead(use.getOwner());
    if (++numUses > limit || numAlive > 1)
      return false;
  }
  return numAlive == 1;
}

bool Parts::areSelfContained() const {
  return llvm::all_of(ops, [&](Operation *op) {
    return op == root || llvm::all_of(op->getUsers(), [&](Operation *user) {
             return ops.contains(user) || isDead(user) ||
                    (ignoresShapes && isa<ShapeOp>(user));
           });
  });
}

Operation *Parts::getFirst() const {
  Operation *first = root;
  for (Operation *op : ops)
    if (op->isBeforeInBlock(first))
      first = op;
  return first;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::optional<double> optimize::getScalar(Value value, Value other) {
  /// Constants that say one number many times are small.
  constexpr int64_t limit = 4096;
  std::optional<Elements> elements = Elements::get(getConstant(value));
  if (!elements || !elements->getElementType().isIntOrFloat() ||
      elements->size() == 0 ||
      !broadcastsInto(elements->getType().getShape(), other.getType()))
    return std::nullopt;
  if (!elements->isSplat() &&
      (elements->size() > limit || !elements->allEqual()))
    return std::nullopt;
  return elements->getNumber(0);
}

bool optimize::isNear(double number, double expected, Type elementType,
                      unsigned count) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type || std::isnan(number))
    return false;
  double unit = std::ldexp(1.0, 1 - int(type.getFPMantissaWidth()));
  return std::abs(number - expected) <=
         std::abs(expected) * unit * std::max(count, 1u);
}

bool optimize::fitsFloatAttribute(double number, Type elementType) {
  if (!std::isfinite(number) || !std::isfinite(float(number)))
    return false;
  return !elementType.isF64() || double(float(number)) == number;
}

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

static bool areSame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  if (!a || !b || a.getType() != b.getType())
    return false;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() || depth == 0)
    return false;
  if (isConstant(a))
    return areSameConstant(a, b);
  return cast<OpResult>(a).getResultNumber() ==
             cast<OpResult>(b).getResultNumber() &&
         x->getNumOperands() == y->getNumOperands() &&
         x->getNumRegions() == 0 && isDeterministic(x) &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [&](auto operands) {
                        auto [left, right] = operands;
                        return areSame(left, right, depth - 1);
                      });
}

bool optimize::areSameValue(Value a, Value b) { return areSame(a, b, 3); }

//===----------------------------------------------------------------------===//
// Products, lines, clamps
//===----------------------------------------------------------------------===//

static void readProduct(Parts &parts, Value value, Product &product,
                        unsigned depth) {
  auto isInside = [&] { return depth == 0 || hasSoleUse(value); };
  auto scale = [&](double number) {
    product.coefficient *= number;
    ++product.numConstants;
  };
  if (depth == maxDepth || !isInside()) {
    product.factors.push_back(value);
    return;
  }
  if (auto mul = parts.find<MulOp>(value)) {
    Value a = mul.getA(), b = mul.getB();
    if (std::optional<double> number = getScalar(a, b)) {
      scale(*number);
      return readProduct(parts, b, product, depth + 1);
    }
    if (std::optional<double> number = getScalar(b, a))
      scale(*number);
    else
      readProduct(parts, b, product, depth + 1);
    return readProduct(parts, a, product, depth + 1);
  }
  if (auto div = parts.find<DivOp>(value)) {
    Value a = div.getA(), b = div.getB();
    if (std::optional<double> number = getScalar(b, a)) {
      scale(1 / *number);
      return readProduct(parts, a, product, depth + 1);
    }
    product.divisors.push_back(b);
    if (std::optional<double> number = getScalar(a, b))
      return scale(*number);
    return readProduct(parts, a, product, depth + 1);
  }
  if (auto reciprocal = parts.find<ReciprocalOp>(value)) {
    product.divisors.push_back(reciprocal.getX());
    return;
  }
  if (auto neg = parts.find<NegOp>(value)) {
    product.coefficient = -product.coefficient;
    return readProduct(parts, neg.getX(), product, depth + 1);
  }
  product.factors.push_back(value);
}

Product optimize::readProduct(Parts &parts, Value value) {
  Product product;
  ::readProduct(parts, value, product, 0);
  return product;
}

Line optimize::readLine(Parts &parts, Value value) {
  Line line;
  line.x = value;
  // value = a * x + b; each step reads one op of x.
  for (unsigned depth = 0; depth < maxDepth; ++depth) {
    if (depth > 0 && !hasSoleUse(line.x))
      break;
    auto take = [&](Value x, Value number, bool isFactor,
                    bool isInverse) -> bool {
      std::optional<double> c = getScalar(number, x);
      if (!c)
        return false;
      double amount = isInverse ? (isFactor ? 1 / *c : -*c) : *c;
      if (isFactor)
        line.a *= amount;
      else
        line.b += line.a * amount;
      ++line.numConstants;
      line.x = x;
      return true;
    };
    Operation *op = line.x.getDefiningOp();
    bool isFactor = isa_and_present<MulOp, DivOp>(op);
    bool isInverse = isa_and_present<DivOp, SubOp>(op);
    if (!isFactor && !isa_and_present<AddOp, SubOp>(op))
      break;
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (op->getBlock() != value.getParentBlock() ||
        (!take(a, b, isFactor, isInverse) &&
         (isInverse || !take(b, a, isFactor, isInverse))))
      break;
    parts.add(op);
  }
  return line;
}

std::optional<Clamp> optimize::readClamp(Parts &parts, Value value) {
  if (auto clip = parts.find<ClipOp>(value)) {
    if (!clip.getMin() || !clip.getMax())
      return std::nullopt;
    auto low = getScalar(clip.getMin(), clip.getInput()),
         high = getScalar(clip.getMax(), clip.getInput());
    if (!low || !high || !(*low <= *high))
      return std::nullopt;
    return Clamp{*low, *high, clip.getInput()};
  }
  /// One side: the bound, and what is bounded.
  auto readBound = [&](Value x, bool isLow, double &bound) -> Value {
    if (auto relu = isLow ? parts.find<ReluOp>(x) : ReluOp()) {
      bound = 0;
      return relu.getX();
    }
    Operation *op = isLow ? static_cast<Operation *>(parts.find<MaxOp>(x))
                          : static_cast<Operation *>(parts.find<MinOp>(x));
    Value inner;
    if (op && op->getNumOperands() == 2)
      inAnyOrder(op, [&](Value other, Value number) {
        std::optional<double> c = getScalar(number, other);
        if (!c)
          return false;
        bound = *c;
        inner = other;
        return true;
      });
    return inner;
  };
  for (bool lowLast : {false, true}) {
    size_t mark = parts.getMark();
    double outer, inner;
    if (Value x = readBound(value, lowLast, outer); x && hasSoleUse(x))
      if (Value innermost = readBound(x, !lowLast, inner)) {
        double low = lowLast ? outer : inner, high = lowLast ? inner : outer;
        if (low <= high)
          return Clamp{low, high, innermost};
      }
    parts.returnTo(mark);
  }
  return std::nullopt;
}

bool optimize::inAnyOrder(Operation *binary,
                          llvm::function_ref<bool(Value, Value)> match) {
  Value a = binary->getOperand(0), b = binary->getOperand(1);
  return match(a, b) || match(b, a);
}

Value optimize::readSquare(Parts &parts, Value value) {
  if (auto mul = parts.find<MulOp>(value))
    return areSameValue(mul.getA(), mul.getB()) ? mul.getA() : Value();
  if (auto pow = parts.find<PowOp>(value))
    if (getScalar(pow.getY(), pow.getX()) == 2.0)
      return pow.getX();
  return {};
}

Value optimize::readRoot(Parts &parts, Value value) {
  if (auto sqrt = parts.find<SqrtOp>(value))
    return sqrt.getX();
  if (auto pow = parts.find<PowOp>(value))
    if (getScalar(pow.getY(), pow.getX()) == 0.5)
      return pow.getX();
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>>
optimize::getUnsqueezedAxes(UnsqueezeOp unsqueeze) {
  std::optional<int64_t> rank = getRank(unsqueeze.getData());
  std::optional<SmallVector<int64_t>> axes = getIntegers(unsqueeze.getAxes());
  if (!rank || !axes)
    return std::nullopt;
  axes = normalizeAxes(*axes, *rank + axes->size());
  if (axes)
    llvm::sort(*axes);
  return axes;
}

std::optional<Reduction> optimize::readMean(Parts &parts, Value value) {
  size_t mark = parts.getMark();
  if (std::optional<Reduction> mean = readReduction<ReduceMeanOp>(parts, value))
    return mean;
  parts.returnTo(mark);
  Product product = readProduct(parts, value);
  if (product.factors.size() != 1 || !product.divisors.empty() ||
      product.numConstants != 1)
    return std::nullopt;
  std::optional<Reduction> sum =
      readReduction<ReduceSumOp>(parts, product.factors[0]);
  if (!sum)
    return std::nullopt;
  double count = 1;
  for (int64_t axis : sum->axes)
    count *= double(getDim(sum->input, axis).value_or(0));
  if (count == 0 ||
      !isNear(product.coefficient, 1 / count, getElementType(sum->input)))
    return std::nullopt;
  return sum;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

Type optimize::getResultType(Operation *root, Value like) {
  Type type = root->getResult(0).getType();
  Type element = getElementType(like);
  if (!element || !isa<FloatType>(element) ||
      element != getElementType(root->getResult(0)))
    return {};
  Type joined = joinTypes(type, like.getType());
  return joined && isSeenByCalls(root->getResult(0)) ? type : joined;
}

bool optimize::takesElements(Type elementType, int64_t bfloat16Since,
                             Operation *root, const RewriteOptions &options) {
  return !elementType.isBF16() || isAvailable(bfloat16Since, root, options);
}

Value optimize::makeSplat(PatternRewriter &rewriter, Operation *root,
                          ArrayRef<int64_t> shape, Type elementType,
                          double number, StringRef suffix) {
  auto type = RankedTensorType::get(shape, elementType);
  Attribute element = FloatAttr::get(elementType, number);
  return makeConstant(rewriter, root, DenseElementsAttr::get(type, element),
                      suffix);
}

/// A mask without columns is to be twice as long as the keys, which only fits
/// if there are none.
Value optimize::expandColumns(PatternRewriter &rewriter, Operation *root,
                              Value mask, Value keys) {
  auto at = [&](StringRef suffix) { return makeHelperLocation(root, suffix); };
  auto makeIndices = [&](ArrayRef<int64_t> values, StringRef suffix) {
    return makeConstant(rewriter, root,
                        makeIntegers(root->getContext(), values), suffix);
  };
  int64_t rank = *getRank(mask);
  Value own = ShapeOp::create(rewriter, at("own_columns"),
                              RankedTensorType::get({1}, rewriter.getI64Type()),
                              mask, rewriter.getI64IntegerAttr(rank),
                              rewriter.getI64IntegerAttr(rank - 1));
  Value none = makeIndices({0}, "none");
  Value isEmpty = EqualOp::create(rewriter, at("is_empty"), own, none);
  Value twice = AddOp::create(rewriter, at("twice"), keys, keys);
  Value wanted = WhereOp::create(rewriter, at("wanted"), isEmpty, twice, keys);
  Value shape = wanted;
  if (rank > 1) {
    Value others = makeIndices(SmallVector<int64_t>(rank - 1, 1), "others");
    shape = ConcatOp::create(rewriter, at("columns"),
                             ValueRange{others, wanted}, /*axis=*/0);
  }
  return ExpandOp::create(rewriter, at("mask_columns"), mask, shape);
}
