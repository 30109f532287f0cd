//===- Random.cpp - Random numbers ----------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/random-numbers.md says which numbers these are. Without a seed, the
// generator has no state: the number of an element and the node's key are
// hashed, in any order, in vectors. With one, the runtime draws.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// The generator
//===----------------------------------------------------------------------===//

constexpr uint64_t kStep = 0x9E3779B97F4A7C15;
constexpr std::pair<unsigned, uint64_t> kMixing[] = {{30, 0xBF58476D1CE4E5B9},
                                                     {27, 0x94D049BB133111EB}};
constexpr unsigned kLastShift = 31;

namespace {

/// The numbers of one node, of f64 where there is a seed.
class Generator {
public:
  Generator(Lowering &l, std::optional<uint64_t> given, Type type)
      : l(l), type(given ? l.b.getF64Type() : type) {
    if (given) {
      seed = l.constant(l.b.getI64IntegerAttr(*given));
      return;
    }
    // Another key for each execution: the call must not be merged or moved.
    auto call = rt::CallOp::create(
        l.b, l.loc, TypeRange(l.b.getI64Type()),
        l.b.getStringAttr("random_key"), ValueRange(), ValueRange(),
        DenseI32ArrayAttr(), StringAttr(), l.b.getUnitAttr());
    key = call.getResult(0);
  }

  /// Uniform in [0, 1).
  Value uniform(ArrayRef<OpFoldResult> sizes) {
    if (seed)
      return l.call("random_uniform", seed, l.empty(sizes, type)).front();
    return draw(sizes, type, [&](ScalarBuilder &s, Value number) {
      return toUnit(s, hash(s, number), type);
    });
  }
  /// Normally distributed, with mean 0 and variance 1.
  Value normal(ArrayRef<OpFoldResult> sizes) {
    if (seed)
      return l.call("random_normal", seed, l.empty(sizes, type)).front();
    // Box and Muller's way.
    return draw(sizes, type, [&](ScalarBuilder &s, Value number) {
      Value twice = s.add(number, number);
      Value u = toUnit(s, hash(s, twice), type);
      Value v = toUnit(s, hash(s, s.add(twice, s.one(twice))), type);
      // 1 - u is in (0, 1].
      Value log = s.log(s.sub(s.one(u), u));
      Value radius = s.sqrt(s.mul(s.constant(log, -2), log));
      return s.mul(radius, s.cos(s.mul(s.constant(v, 2 * M_PI), v)));
    });
  }
  /// Whether what has these chances happens: 1 or 0.
  Value bernoulli(Value chances) {
    if (seed) {
      SmallVector<Value> inputs = {seed, l.castElements(chances, type)};
      return l.call("random_bernoulli", inputs, l.empty(l.sizes(chances), type))
          .front();
    }
    return l.mapSame({chances, uniform(l.sizes(chances))}, type,
                     [&](ScalarBuilder &s, ValueRange args) {
                       Value chance = s.cast(args[0], type, false, false);
                       return s.cast(s.lt(args[1], chance), type, false, false);
                     });
  }

private:
  using Draw = llvm::function_ref<Value(ScalarBuilder &, Value)>;

  /// Elements are numbered in row-major order.
  Value draw(ArrayRef<OpFoldResult> sizes, Type type, Draw body) {
    Value flat = l.generate(
        l.product(sizes), type, [&](ScalarBuilder &s, ValueRange indices) {
          OpBuilder &b = s.getBuilder();
          return body(s, arith::IndexCastOp::create(
                             b, s.getLoc(), b.getI64Type(), indices[0]));
        });
    return l.reshape(flat, sizes);
  }

  /// 64 random bits.
  Value hash(ScalarBuilder &s, Value number) const {
    auto constant = [&](uint64_t value) -> Value {
      return arith::ConstantIntOp::create(s.getBuilder(), s.getLoc(),
                                          s.getBuilder().getI64Type(),
                                          int64_t(value));
    };
    auto fold = [&](Value x, unsigned shift) {
      return s.bitXor(x, arith::ShRUIOp::create(s.getBuilder(), s.getLoc(), x,
                                                constant(shift)));
    };
    Value next = s.add(number, constant(1));
    Value x = s.add(key, s.mul(next, constant(kStep)));
    for (auto [shift, factor] : kMixing) {
      Value folded = fold(x, shift);
      x = s.mul(folded, constant(factor));
    }
    return fold(x, kLastShift);
  }

  /// As many of the first bits as the type can hold, as a fraction.
  static Value toUnit(ScalarBuilder &s, Value bits, Type type) {
    int64_t digits = type.isF64() ? 53 : 24;
    Value count = arith::ConstantIntOp::create(s.getBuilder(), s.getLoc(),
                                               bits.getType(), 64 - digits);
    Value integer =
        arith::ShRUIOp::create(s.getBuilder(), s.getLoc(), bits, count);
    Value number = s.cast(integer, type, false, false);
    return s.mul(number, s.constant(number, std::ldexp(1.0, -digits)));
  }

  Lowering &l;
  Type type;
  /// One of them is null.
  Value seed, key;
};

} // namespace

/// The seed of an attribute, cut off to an integer; NaN stands for none.
static std::optional<uint64_t> readSeed(std::optional<APFloat> seed) {
  if (!seed || seed->isNaN())
    return std::nullopt;
  llvm::APSInt integer(64, /*isUnsigned=*/false);
  bool isExact;
  seed->convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return integer.getZExtValue();
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

/// offset + scale x for each of the numbers x.
static Value spread(Lowering &l, Value numbers, double offset, double scale,
                    Type element) {
  return l.mapSame(numbers, element, [&](ScalarBuilder &s, ValueRange args) {
    Value x = s.cast(args[0], getAccumulatorType(element), false, false);
    Value scaled = s.mul(s.constant(x, scale), x);
    x = s.add(scaled, s.constant(x, offset));
    return s.cast(x, element, false, false);
  });
}

template <typename OpTy>
static LogicalResult lowerNormal(OpTy op, typename OpTy::Adaptor, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  Generator generator(l, readSeed(op.getSeed()), getAccumulatorType(element));
  Value numbers = generator.normal(*sizes);
  return l.replace(spread(l, numbers, op.getMean().convertToDouble(),
                          op.getScale().convertToDouble(), element));
}

template <typename OpTy>
static LogicalResult lowerUniform(OpTy op, typename OpTy::Adaptor,
                                  Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  Generator generator(l, readSeed(op.getSeed()), getAccumulatorType(element));
  Value numbers = generator.uniform(*sizes);
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  return l.replace(spread(l, numbers, low, high - low, element));
}

static LogicalResult
lowerBernoulli(BernoulliOp op, BernoulliOp::Adaptor operands, Lowering &l) {
  Value x = operands.getInput();
  Type type = getAccumulatorType(Lowering::elementType(x));
  Type element = l.resultType().getElementType();
  Generator generator(l, readSeed(op.getSeed()), type);
  return l.replace(l.castElements(generator.bernoulli(x), element));
}

/// Chances of the classes, summed up from the first class on: [batch, classes].
static Value sumUp(Lowering &l, Value logs) {
  Type f64 = l.b.getF64Type();
  Value greatest =
      l.reduce(logs, 1, l.lowest(Lowering::elementType(logs), false),
               [](ScalarBuilder &s, ValueRange args) {
                 return s.max(args[1], args[0]);
               });
  Sizes sizes = l.sizes(logs);
  Value chances =
      l.map({logs, greatest}, {l.identityMap(2), l.dropDims(2, 1)}, sizes, f64,
            [&](ScalarBuilder &s, ValueRange args) {
              return s.exp(s.cast(s.sub(args[0], args[1]), f64, false, false));
            });
  Value zero = l.index(0), one = l.index(1);
  return scf::buildLoopNest(
             l.b, l.loc, {zero, one},
             {l.asValue(sizes[0]), l.asValue(sizes[1])}, {one, one}, chances,
             [&](OpBuilder &b, Location loc, ValueRange at, ValueRange state) {
               ScalarBuilder s(b, loc, f64, false);
               auto read = [&](ValueRange at) -> Value {
                 return tensor::ExtractOp::create(b, loc, state[0], at);
               };
               Value before = read({at[0], s.sub(at[1], one)});
               Value sum = s.add(before, read(at));
               return scf::ValueVector{
                   tensor::InsertOp::create(b, loc, sum, state[0], at)};
             })
      .results.front();
}

static LogicalResult lowerMultinomial(MultinomialOp op,
                                      MultinomialOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value logs = operands.getInput();
  Type f64 = l.b.getF64Type(), element = l.resultType().getElementType();
  OpFoldResult classes = l.dim(logs, 1);
  Value number = l.asValue(classes);
  l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::sgt,
                                          number, l.index(0)),
          "there must be at least one class");
  Value sums = sumUp(l, logs);
  Value totals = l.slice(sums, {l.attr(0), l.sub(classes, l.attr(1))},
                         {(*sizes)[0], l.attr(1)});
  Generator generator(l, readSeed(op.getSeed()), f64);
  Value numbers = generator.uniform(*sizes);

  // Loops: batch, sample, class. The class drawn is as many as there are sums
  // up to the number.
  AffineExpr n, i, c;
  bindDims(l.b.getContext(), n, i, c);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, l.b.getContext());
  };
  Value last = l.asElement(l.sub(classes, l.attr(1)), element);
  Value drawn = l.generic(
      {sums, totals, numbers}, l.filled(*sizes, l.constant(element, 0)),
      {map(n, c), map(n, l.b.getAffineConstantExpr(0)), map(n, i), map(n, i)},
      {IteratorType::parallel, IteratorType::parallel, IteratorType::reduction},
      [&](ScalarBuilder &s, ValueRange args) {
        Value isBefore = s.le(args[0], s.mul(args[1], args[2]));
        return s.add(args[3], s.cast(isBefore, element, false, false));
      });
  return l.replace(
      l.mapSame(drawn, element, [&](ScalarBuilder &s, ValueRange args) {
        return s.min(args[0], last);
      }));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

static LogicalResult lowerDropout(DropoutOp op, DropoutOp::Adaptor operands,
                                  Lowering &l) {
  Value data = operands.getData(), training = operands.getTrainingMode();
  Sizes sizes = l.sizes(data);
  Value yes = l.constant(l.b.getBoolAttr(true));
  std::optional<SmallVector<int64_t>> known =
      training ? l.constants(training) : SmallVector<int64_t>{0};
  if (known && known->front() == 0) {
    SmallVector<Value> results{data};
    if (op.getMask())
      results.push_back(l.filled(sizes, yes));
    return l.replace(results);
  }
  Type element = Lowering::elementType(data);
  if (!isa<FloatType>(element))
    return l.fail("training mode on this element type");
  Type type = getAccumulatorType(element);
  std::optional<uint64_t> seed;
  if (std::optional<int64_t> given = op.getSeed())
    seed = *given;
  Value numbers = Generator(l, seed, type).uniform(sizes);
  Type drawn = Lowering::elementType(numbers);
  ScalarBuilder scalars(l.b, l.loc, drawn, false);
  Value ratio =
      operands.getRatio()
          ? scalars.cast(l.scalar(operands.getRatio()), drawn, false, false)
          : l.constant(drawn, 0.5);
  Value chosen = l.scalar(training);
  ratio = scalars.select(chosen, ratio, scalars.zero(ratio));
  Value isNotNegative = scalars.ge(ratio, scalars.zero(ratio));
  l.check(scalars.bitAnd(isNotNegative, scalars.lt(ratio, scalars.one(ratio))),
          "ratio must be at least 0 and less than 1");
  Value one = scalars.one(ratio);
  Value scale = scalars.div(one, scalars.sub(one, ratio));
  Value mask = l.mapSame(
      numbers, l.b.getI1Type(),
      [&](ScalarBuilder &s, ValueRange args) { return s.ge(args[0], ratio); });
  SmallVector<Value> results{
      l.mapSame({data, mask}, element, [&](ScalarBuilder &s, ValueRange args) {
        Value x = s.mul(s.cast(args[0], drawn, false, false), scale);
        return s.cast(s.select(args[1], x, s.zero(x)), element, false, false);
      })};
  if (op.getMask())
    results.push_back(mask);
  return l.replace(results);
}

void onnxc::populateRandom(Lowerings &lowerings) {
  lowerings.add<BernoulliOp>(lowerBernoulli);
  lowerings.add<DropoutOp>(lowerDropout);
  lowerings.add<MultinomialOp>(lowerMultinomial);
  lowerings.add<RandomNormalLikeOp>(lowerNormal<RandomNormalLikeOp>);
  lowerings.add<RandomNormalOp>(lowerNormal<RandomNormalOp>);
  lowerings.add<RandomUniformLikeOp>(lowerUniform<RandomUniformLikeOp>);
  lowerings.add<RandomUniformOp>(lowerUniform<RandomUniformOp>);
}
