//===- Elementwise.cpp - One pattern for all elementwise ops --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc;

/// The type that the body is computed in: f16 and bf16 in f32, so that they are
/// rounded once.
static Type getBodyType(ScalarOpInterface op, Lowering &l) {
  Type type = l.resultType().getElementType();
  bool isUniform = llvm::all_of(l.operands, [&](Value operand) {
    return Lowering::elementType(operand) == type;
  });
  return isUniform && !isa<CastOp>(op.getOperation()) ? getAccumulatorType(type)
                                                      : type;
}

/// Few integers are computed one by one: they are mostly shapes, and fold.
static LogicalResult lowerOnScalars(ScalarOpInterface op, Lowering &l) {
  RankedTensorType type = l.resultType();
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : l.operands)
    operands.push_back(l.scalars(operand));
  SmallVector<Value> results;
  ScalarBuilder s(l.b, l.loc, type.getElementType(), l.isUnsigned());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> args;
    for (ArrayRef<Value> elements : operands)
      args.push_back(elements[elements.size() == 1 ? 0 : i]);
    results.push_back(op.buildScalar(s, args));
    assert(results.back() && "only of texts may a body be missing");
  }
  return l.replace(l.fromScalars(type, results));
}

/// A loop over more inputs takes more stack than a kernel may.
static constexpr size_t maxInputs = 32;

static LogicalResult lowerElementwise(ScalarOpInterface op, Lowering &l) {
  if (computesTexts(op))
    return lowerTextElementwise(l);
  RankedTensorType type = l.resultType();
  auto isShapeLike = [](Value value) { return Lowering::isShapeLike(value); };
  if (Lowering::isShapeLike(type) && llvm::all_of(l.operands, isShapeLike))
    return lowerOnScalars(op, l);

  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : l.operands) {
    if (Lowering::rank(operand) > type.getRank())
      return l.fail("an input has more dimensions than the output");
    auto [input, map] = l.broadcast(operand, *sizes);
    inputs.push_back(input);
    maps.push_back(map);
  }
  bool hasBody = true;
  Type compute = getBodyType(op, l);
  auto map = [&](ValueRange inputs, ArrayRef<AffineMap> maps, Type element,
                 auto build) {
    return l.map(
        inputs, maps, *sizes, element,
        [&](ScalarBuilder &s, ValueRange args) {
          SmallVector<Value> wide(args);
          for (Value &arg : wide)
            if (compute != type.getElementType() && arg.getType() != compute)
              arg = s.cast(arg, compute, false, false);
          Value result = build(s, wide);
          hasBody = hasBody && result;
          return result ? s.cast(result, element, false, false) : args[0];
        },
        l.isUnsigned());
  };
  // The first ones of many become one, in the order that all together would
  // have.
  auto variadic = dyn_cast<VariadicScalarOpInterface>(op.getOperation());
  auto combine = [&](ScalarBuilder &s, ValueRange args) {
    Value combined = args.front();
    for (Value arg : args.drop_front())
      combined = variadic.combine(s, combined, arg);
    return combined;
  };
  while (variadic && inputs.size() > maxInputs) {
    Value part = map(ArrayRef(inputs).take_front(maxInputs),
                     ArrayRef(maps).take_front(maxInputs), compute, combine);
    inputs.erase(inputs.begin(), inputs.begin() + maxInputs - 1);
    maps.erase(maps.begin(), maps.begin() + maxInputs - 1);
    inputs.front() = part;
    maps.front() = l.b.getMultiDimIdentityMap(type.getRank());
  }
  Value result = map(inputs, maps, type.getElementType(),
                     [&](ScalarBuilder &s, ValueRange args) {
                       return op.buildScalar(s, args);
                     });
  if (!hasBody)
    return l.fail("no scalar body for this element type");
  return l.replace(result);
}

namespace {
class LowerElementwise
    : public OpInterfaceConversionPattern<ScalarOpInterface> {
public:
  LowerElementwise(const TypeConverter &converter, MLIRContext *context,
                   Reasons &reasons)
      : OpInterfaceConversionPattern(converter, context), reasons(reasons) {}

  LogicalResult
  matchAndRewrite(ScalarOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    Lowering lowering(rewriter, *getTypeConverter(), op, operands, reasons);
    if (failed(lowering.begin()))
      return failure();
    return lowerElementwise(op, lowering);
  }

private:
  Reasons &reasons;
};
} // namespace

static LogicalResult lowerBitCast(BitCastOp, BitCastOp::Adaptor operands,
                                  Lowering &l) {
  Type to = l.resultType().getElementType();
  Value input = operands.getInput();
  Type from = Lowering::elementType(input);
  if (from == to)
    return l.replace(input);
  // A bool is stored as a byte.
  bool isBool = from.isInteger(1) || to.isInteger(1);
  return l.replace(
      l.mapSame(input, to, [&](ScalarBuilder &s, ValueRange args) -> Value {
        if (isBool)
          return s.cast(args[0], to, true, true);
        return arith::BitcastOp::create(s.getBuilder(), s.getLoc(), to,
                                        args[0]);
      }));
}

void onnxc::populateElementwise(Lowerings &lowerings) {
  MLIRContext *context = lowerings.patterns.getContext();
  lowerings.add<BitCastOp>(lowerBitCast);
  lowerings.patterns.add<LowerElementwise>(lowerings.converter, context,
                                           lowerings.reasons);
  CastLikeOp::getCanonicalizationPatterns(lowerings.patterns, context);
}
