//===- Quantized.cpp - Quantized operators of ONNX Runtime ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Elements, scale and zero point
//===----------------------------------------------------------------------===//

Value contrib::dequantizeInput(Composer &c, unsigned first) {
  return c.make<DequantizeLinearOp>(
      {c.input(first), c.input(first + 1), c.input(first + 2)});
}

/// `x` by the scale of input `scale` and the zero point behind it; without one
/// the elements are of the type of `like`.
static Value quantize(Composer &c, Value x, unsigned scale, Value like) {
  Value zero = c.input(scale + 1);
  return c.make<QuantizeLinearOp>(
      {x, c.input(scale), zero ? zero : c.number(0, like)});
}

/// Inputs X, scale, zero point, and those of the result.
static void applyToReal(Composer &c, contrib::Results &results,
                        function_ref<Value(Value)> compute) {
  Value y = compute(contrib::dequantizeInput(c, 0));
  results.push_back(quantize(c, y, 3, c.input(0)));
}

template <typename Op>
static void applyToReal(Composer &c, contrib::Results &results,
                        ArrayRef<StringRef> attributes = {}) {
  applyToReal(c, results,
              [&](Value x) { return c.make<Op>(x, c.pick(attributes)); });
}

template <typename Op>
static void combineReal(Composer &c, contrib::Results &results) {
  Value a = contrib::dequantizeInput(c, 0);
  Value b = contrib::dequantizeInput(c, 3);
  Value y = c.make<Op>({a, b});
  results.push_back(quantize(c, y, 6, c.input(0)));
}

void contrib::quantizedAdd(Composer &c, Results &results) {
  combineReal<AddOp>(c, results);
}

void contrib::quantizedMul(Composer &c, Results &results) {
  combineReal<MulOp>(c, results);
}

void contrib::quantizedSigmoid(Composer &c, Results &results) {
  applyToReal<SigmoidOp>(c, results);
}

void contrib::quantizedLeakyRelu(Composer &c, Results &results) {
  applyToReal<LeakyReluOp>(c, results, {"alpha"});
}

/// Before opset 13 of the model, Softmax flattened its input from the axis on;
/// the attribute `opset` says which one is meant.
void contrib::quantizedSoftmax(Composer &c, Results &results) {
  int64_t axis = c.getInt("axis", -1);
  bool flattens = c.getInt("opset", 13) < 13;
  applyToReal(c, results, [&](Value x) {
    if (!flattens || axis == -1)
      return c.make<SoftmaxOp>(x, c.attribute("axis", axis));
    Value rows = c.make<FlattenOp>(x, c.attribute("axis", axis));
    return c.make<ReshapeOp>({c.make<SoftmaxOp>(rows), c.shapeOf(x)});
  });
}

void contrib::quantizedReduceMean(Composer &c, Results &results) {
  Value axes;
  if (std::optional<ArrayRef<int64_t>> given = c.getInts("axes"))
    axes = c.ints(*given);
  applyToReal(c, results, [&](Value x) {
    return c.make<ReduceMeanOp>({x, axes}, c.pick({"keepdims"}));
  });
}

template <typename Op>
static void poolReal(Composer &c, contrib::Results &results,
                     ArrayRef<StringRef> attributes) {
  applyToReal(c, results, [&](Value x) {
    return contrib::withChannelsFirst(
        c, x, c.getInt("channels_last", 0) != 0,
        [&](Value image) { return c.make<Op>(image, c.pick(attributes)); });
  });
}

void contrib::quantizedGlobalAveragePool(Composer &c, Results &results) {
  poolReal<GlobalAveragePoolOp>(c, results, {});
}

void contrib::quantizedAveragePool(Composer &c, Results &results) {
  poolReal<AveragePoolOp>(c, results,
                          {"auto_pad", "ceil_mode", "count_include_pad",
                           "kernel_shape", "pads", "strides"});
}

/// Scale and zero point of the result come first, then those of each part.
void contrib::quantizedConcat(Composer &c, Results &results) {
  if (c.getNumInputs() < 5 || c.getNumInputs() % 3 != 2)
    return c.fail("has " + Twine(c.getNumInputs()) +
                  " inputs; expected a scale, a zero point, and three for each "
                  "tensor");
  SmallVector<Value> parts;
  for (unsigned i = 2; i < c.getNumInputs(); i += 3)
    parts.push_back(dequantizeInput(c, i));
  Value y = c.make<ConcatOp>(parts, c.pick({"axis"}));
  results.push_back(quantize(c, y, 0, c.input(2)));
}

void contrib::quantizedWhere(Composer &c, Results &results) {
  Value y = c.make<WhereOp>(
      {c.input(0), dequantizeInput(c, 1), dequantizeInput(c, 4)});
  results.push_back(quantize(c, y, 7, c.input(1)));
}

/// ONNX's operator, but for channels that may come last, and that of x too.
void contrib::quantizedConv(Composer &c, Results &results) {
  results.push_back(withChannelsFirst(
      c, c.input(0), c.getInt("channels_last", 0) != 0, [&](Value x) {
        SmallVector<Value> operands{x};
        for (unsigned i = 1; i < 9; ++i)
          operands.push_back(c.input(i));
        return c.make<QLinearConvOp>(
            operands, c.pick({"auto_pad", "dilations", "group", "kernel_shape",
                              "pads", "strides"}));
      }));
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

/// Sums of products, times `scale`, plus `bias` if there is one.
static Value scaleSums(Composer &c, Value sums, Value scale, Value bias) {
  return c.addIfAny(c.mul(c.castLike(sums, scale), scale), bias);
}

Value contrib::multiplyScaled(Composer &c, Value a, Value b, Value aZero,
                              Value bZero, Value scale, Value bias) {
  return scaleSums(c, c.make<MatMulIntegerOp>({a, b, aZero, bZero}), scale,
                   bias);
}

/// The bias is of int32, in units of alpha times both scales; without a scale
/// for it the result is real.
void contrib::quantizedGemm(Composer &c, Results &results) {
  auto transposed = [&](unsigned input, StringRef attribute) {
    Value x = c.input(input);
    return c.getInt(attribute, 0) ? c.make<TransposeOp>(x) : x;
  };
  Value sums =
      c.make<MatMulIntegerOp>({transposed(0, "transA"), transposed(3, "transB"),
                               c.input(2), c.input(5)});
  Value scale = c.mul(c.input(1), c.input(4));
  if (float alpha = c.getFloat("alpha", 1); alpha != 1)
    scale = c.mul(scale, alpha);
  Value y = scaleSums(c, c.addIfAny(sums, c.input(6)), scale, {});
  results.push_back(c.input(7) ? quantize(c, y, 7, c.input(0)) : y);
}

void contrib::matMulIntegerToFloat(Composer &c, Results &results) {
  results.push_back(multiplyScaled(c, c.input(0), c.input(1), c.input(4),
                                   c.input(5), c.mul(c.input(2), c.input(3)),
                                   c.input(6)));
}

void contrib::dynamicQuantizeMatMul(Composer &c, Results &results) {
  SmallVector<Value> a =
      c.makeAll<DynamicQuantizeLinearOp>(c.input(0), {}, /*count=*/3);
  results.push_back(multiplyScaled(c, a[0], c.input(1), a[2], c.input(3),
                                   c.mul(a[1], c.input(2)), c.input(4)));
}

/// The unsigned element type that the result is declared to have; null if it
/// has no such one.
static Type getUnsignedResult(Composer &c) {
  if (!c.hasOutput(0))
    return {};
  auto tensor = dyn_cast<TensorType>(c.getNode().outputs.front());
  return tensor && tensor.getElementType().isUnsignedInteger()
             ? tensor.getElementType()
             : Type();
}

void contrib::matMulInteger16(Composer &c, Results &results) {
  // Sums are of 32 bits; they wrap around alike with and without a sign.
  Type integer = c.builder.getI32Type();
  Value product = c.make<MatMulOp>(
      {c.cast(c.input(0), integer), c.cast(c.input(1), integer)});
  Type result = getUnsignedResult(c);
  results.push_back(result ? c.cast(product, result) : product);
}

void contrib::mulInteger(Composer &c, Results &results) {
  auto centered = [&](unsigned input) {
    Type integer = c.builder.getI32Type();
    Value x = c.cast(c.input(input), integer), zero = c.input(input + 1);
    return zero ? c.sub(x, c.cast(zero, integer)) : x;
  };
  Value x = centered(0);
  results.push_back(c.mul(x, centered(2)));
}

void contrib::reduceSumInteger(Composer &c, Results &results) {
  Type sum = getUnsignedResult(c);
  if (!sum)
    sum = c.builder.getI32Type();
  Value axes;
  if (std::optional<ArrayRef<int64_t>> given = c.getInts("axes"))
    axes = c.ints(*given);
  results.push_back(c.make<ReduceSumOp>({c.cast(c.input(0), sum), axes},
                                        c.pick({"keepdims"})));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

void contrib::dequantizeLinear(Composer &c, Results &results) {
  results.push_back(c.make<DequantizeLinearOp>(
      {c.input(0), c.input(1), c.input(2)}, c.pick({"axis", "block_size"})));
}

void contrib::quantizeLinear(Composer &c, Results &results) {
  results.push_back(
      c.make<QuantizeLinearOp>({c.input(0), c.input(1), c.input(2)},
                               c.pick({"axis", "block_size", "saturate"})));
}

//===----------------------------------------------------------------------===//
// Recurrence
//===----------------------------------------------------------------------===//

/// States of so many elements are rounded to bytes, as ONNX Runtime does: each
/// step reads all weights, which are a fourth as large as bytes.
static constexpr int64_t kLeastRounded = 128;

namespace {
/// One direction of a DynamicQuantizeLSTM with the default activations.
struct Direction {
  Composer &c;
  int64_t number, hidden;
  bool isReverse;

  /// What it has of an input that has directions first; null if it is absent.
  Value own(unsigned index) {
    return c.input(index) ? c.take(c.input(index), 0, number) : Value();
  }
  Value reverse(Value x) {
    constexpr int64_t begin = std::numeric_limits<int64_t>::min();
    return c.make<SliceOp>(
        {x, c.ints(-1), c.ints(begin), c.ints(0), c.ints(-1)});
  }
  /// The product of `x`, rounded, and weights [1, input, gates].
  Value multiply(Value x, unsigned weights, unsigned scale, Value bias) {
    SmallVector<Value> bytes =
        c.makeAll<DynamicQuantizeLinearOp>(x, {}, /*count=*/3);
    Value matrix = own(weights), zero = own(scale + 1);
    Value both = c.mul(bytes[1], own(scale));
    return contrib::multiplyScaled(c, bytes[0], matrix, bytes[2], zero, both,
                                   bias);
  }
  /// The states before the first step.
  Value initial(unsigned index) {
    if (Value given = own(index))
      return given;
    return c.make<ExpandOp>(
        {c.number(0, c.input(0)), c.shape({c.dim(c.input(0), 1), hidden})});
  }
  /// The states after each step, and the last two.
  SmallVector<Value> run();
};
} // namespace

SmallVector<Value> Direction::run() {
  Value x = isReverse ? reverse(c.input(0)) : c.input(0), bias = own(3);
  if (bias) {
    SmallVector<Value> both = c.split(bias, 0, {4 * hidden, 4 * hidden});
    bias = c.add(both[0], both[1]);
  }
  // All steps are the rows of one product.
  Value rows = multiply(c.flatten(x, 2), 1, 8, bias);
  KnownOrValue steps = c.dim(x, 0), sequences = c.dim(x, 1);
  Value ofInput = c.reshapeTo(rows, {steps, sequences, 4 * hidden});
  auto runStep = [&](Value step, ValueRange states) -> SmallVector<Value> {
    Value ofStep = c.gather(ofInput, step, /*axis=*/0);
    SmallVector<int64_t> sizes(4, hidden);
    SmallVector<Value> gates =
        c.split(multiply(states[0], 2, 10, ofStep), -1, sizes);
    for (Value &gate : MutableArrayRef(gates).drop_back())
      gate = c.make<SigmoidOp>(gate);
    Value candidate = c.make<TanhOp>(gates[3]);
    Value added = c.mul(gates[0], candidate);
    Value cell = c.add(c.mul(gates[2], states[1]), added);
    Value state = c.mul(gates[1], c.make<TanhOp>(cell));
    return {state, cell, c.make<IdentityOp>(state)};
  };
  Value count = c.scalarSizeOf(x, 0), state = initial(5), cell = initial(6);
  SmallVector<Value> made =
      c.loop(count, {state, cell}, /*numCollected=*/1, runStep);
  Value all = isReverse ? reverse(made[2]) : made[2];
  Value last = c.unsqueeze(made[0], 0), lastCell = c.unsqueeze(made[1], 0);
  return {c.unsqueeze(all, 1), last, lastCell};
}

/// Whether ONNX Runtime's rounding of states is done as well. Of several
/// sequences it depends on the number of threads.
static bool areStatesRounded(Composer &c) {
  auto hasRank = [&](unsigned input) {
    return isa<RankedTensorType>(c.input(input).getType());
  };
  return c.getInt("hidden_size", 0) >= kLeastRounded && hasRank(0) &&
         getDim(c.input(0), 1) == int64_t(1) && !c.input(4) && !c.input(7) &&
         c.pick({"activations", "clip"}).empty() &&
         c.getInt("input_forget", 0) == 0 && hasRank(8) && hasRank(10);
}

/// LSTM with the weights of bytes that are given as [directions, input, gates].
/// Of several sequences, of few states, or with other activations than the
/// default ones what comes in and the states stay real.
void contrib::dynamicQuantizeLSTM(Composer &c, Results &results) {
  if (areStatesRounded(c)) {
    StringRef direction = c.getString("direction", "forward");
    SmallVector<bool> isReverse = {direction == "reverse"};
    if (direction == "bidirectional")
      isReverse.push_back(true);
    SmallVector<Value> ofDirections[3];
    for (auto [number, reverse] : llvm::enumerate(isReverse)) {
      Direction own{c, int64_t(number), c.getCount("hidden_size"), reverse};
      for (auto [list, value] : llvm::zip_equal(ofDirections, own.run()))
        list.push_back(value);
    }
    for (auto [i, list] : llvm::enumerate(ofDirections))
      results.push_back(list.size() == 1 ? list.front()
                                         : c.concat(list, i == 0 ? 1 : 0));
    return;
  }
  auto weights = [&](unsigned input, unsigned scale) {
    // One number, or one for each gate, for each direction.
    auto perColumn = [&](unsigned index) {
      int64_t directions = getDim(c.input(input), 0).value_or(0);
      return c.reshape(c.input(index), {directions, 1, -1});
    };
    Value real = c.castLike(c.input(input), c.input(scale));
    Value zero = c.castLike(perColumn(scale + 1), c.input(scale));
    Value centered = c.sub(real, zero);
    return c.transpose(c.mul(centered, perColumn(scale)), {0, 2, 1});
  };
  SmallVector<Value> made = c.makeAll<LSTMOp>(
      {c.input(0), weights(1, 8), weights(2, 10), c.input(3), c.input(4),
       c.input(5), c.input(6), c.input(7)},
      c.pick({"activation_alpha", "activation_beta", "activations", "clip",
              "direction", "hidden_size", "input_forget"}),
      /*count=*/3);
  results.append(made.begin(), made.end());
}
