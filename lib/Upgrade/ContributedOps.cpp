//===- ContributedOps.cpp - Operators of ONNX Runtime's domain ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures: ONNX Runtime, docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace {

using Results = SmallVectorImpl<Value>;

//===----------------------------------------------------------------------===//
// Quantized tensors
//===----------------------------------------------------------------------===//

/// The real numbers behind inputs `first` (elements), +1 (scale), +2 (zero
/// point, may be absent).
Value dequantize(OldNode &node, unsigned first) {
  FailureOr<Value> x = require(node, first), scale = require(node, first + 1);
  if (failed(x) || failed(scale))
    return {};
  return create(node, "DequantizeLinear",
                {*x, *scale, node.getInput(first + 2)});
}

/// `x` by the scale of input `scale` and the zero point behind it; without one
/// the elements are of the type of `like`.
Value quantize(OldNode &node, Value x, unsigned scale, Value like) {
  FailureOr<Value> by = require(node, scale);
  if (failed(by) || !x)
    return {};
  Value zero = node.getInput(scale + 1);
  if (!zero)
    zero = node.createScalarLike(like, 0);
  return create(node, "QuantizeLinear", {x, *by, zero});
}

/// Inputs X, scale, zero point, and those of the result.
LogicalResult quantizedUnary(OldNode &node, Results &results, StringRef name,
                             ArrayRef<StringRef> attributes) {
  Value y = create(node, name, dequantize(node, 0), pick(node, attributes));
  return finish(quantize(node, y, 3, node.getInput(0)), results);
}

LogicalResult quantizedBinary(OldNode &node, Results &results, StringRef name) {
  Value y = create(node, name, {dequantize(node, 0), dequantize(node, 3)});
  return finish(quantize(node, y, 6, node.getInput(0)), results);
}

LogicalResult quantizedAdd(OldNode &node, Results &results) {
  return quantizedBinary(node, results, "Add");
}

LogicalResult quantizedMul(OldNode &node, Results &results) {
  return quantizedBinary(node, results, "Mul");
}

LogicalResult quantizedSigmoid(OldNode &node, Results &results) {
  return quantizedUnary(node, results, "Sigmoid", {});
}

LogicalResult quantizedLeakyRelu(OldNode &node, Results &results) {
  return quantizedUnary(node, results, "LeakyRelu", {"alpha"});
}

/// Before opset 13 of the model, Softmax flattened its input; the attribute
/// `opset` says which one is meant.
LogicalResult quantizedSoftmax(OldNode &node, Results &results) {
  if (node.getInt("opset", 13) < 13 && node.getInt("axis", -1) != -1)
    return node.emitError()
           << "attribute 'opset' is " << node.getInt("opset", 13)
           << ", with an axis other than -1; expected 13 or newer";
  return quantizedUnary(node, results, "Softmax", {"axis"});
}

LogicalResult quantizedReduceMean(OldNode &node, Results &results) {
  Value x = dequantize(node, 0);
  Value axes;
  if (std::optional<ArrayRef<int64_t>> given = node.getInts("axes"))
    axes = node.createInts(*given);
  Value y = create(node, "ReduceMean", {x, axes}, pick(node, {"keepdims"}));
  return finish(quantize(node, y, 3, node.getInput(0)), results);
}

/// Applies `pool` to a tensor whose channels may come last.
LogicalResult quantizedPool(OldNode &node, Results &results, StringRef pool,
                            ArrayRef<StringRef> attributes) {
  Value x = dequantize(node, 0);
  bool channelsLast = node.getInt("channels_last", 0) != 0;
  auto transpose = [&](Value value, ArrayRef<int64_t> perm) {
    return create(node, "Transpose", value,
                  node.builder.getNamedAttr(
                      "perm", node.builder.getDenseI64ArrayAttr(perm)));
  };
  SmallVector<int64_t> toFirst, toLast;
  if (channelsLast) {
    std::optional<int64_t> rank = getRank(x);
    if (!rank || *rank < 3)
      return node.emitError() << "attribute 'channels_last' needs an input of "
                                 "known rank, at least 3";
    toFirst = {0, *rank - 1};
    toLast = {0};
    for (int64_t i = 1; i < *rank - 1; ++i)
      toFirst.push_back(i);
    for (int64_t i = 2; i < *rank; ++i)
      toLast.push_back(i);
    toLast.push_back(1);
    x = transpose(x, toFirst);
  }
  Value y = create(node, pool, x, pick(node, attributes));
  if (channelsLast)
    y = transpose(y, toLast);
  return finish(quantize(node, y, 3, node.getInput(0)), results);
}

LogicalResult quantizedGlobalAveragePool(OldNode &node, Results &results) {
  return quantizedPool(node, results, "GlobalAveragePool", {});
}

LogicalResult quantizedAveragePool(OldNode &node, Results &results) {
  return quantizedPool(node, results, "AveragePool",
                       {"auto_pad", "ceil_mode", "count_include_pad",
                        "kernel_shape", "pads", "strides"});
}

/// Scale and zero point of the result come first.
LogicalResult quantizedConcat(OldNode &node, Results &results) {
  SmallVector<Value> parts;
  for (unsigned i = 2; i + 1 < node.inputs.size(); i += 3)
    parts.push_back(dequantize(node, i));
  if (parts.empty() || llvm::is_contained(parts, Value()))
    return node.emitError()
           << "expected tensors, each with scale and zero point";
  Value y = create(node, "Concat", parts, pick(node, {"axis"}));
  return finish(quantize(node, y, 0, node.getInput(2)), results);
}

LogicalResult quantizedWhere(OldNode &node, Results &results) {
  FailureOr<Value> condition = require(node, 0);
  if (failed(condition))
    return failure();
  Value y = create(node, "Where",
                   {*condition, dequantize(node, 1), dequantize(node, 4)});
  return finish(quantize(node, y, 7, node.getInput(1)), results);
}

/// The products of integers summed exactly, times both scales, plus `bias`.
Value scaledProduct(OldNode &node, Value sums, Value aScale, Value bScale,
                    float alpha, Value bias) {
  Value scale = create(node, "Mul", {aScale, bScale});
  if (alpha != 1 && scale)
    scale = create(node, "Mul", {scale, node.createScalarLike(scale, alpha)});
  if (!sums || !scale)
    return {};
  Value y = create(node, "Mul",
                   {node.createCast(sums, getElementType(scale)), scale});
  return bias ? create(node, "Add", {y, bias}) : y;
}

/// A, a_scale, a_zero_point, B, b_scale, b_zero_point, C of int32 (in units of
/// alpha times both scales), y_scale, y_zero_point; without the last two the
/// result is real.
LogicalResult quantizedGemm(OldNode &node, Results &results) {
  for (unsigned i : {0, 1, 3, 4})
    if (failed(require(node, i)))
      return failure();
  auto transposed = [&](unsigned input, StringRef attribute) {
    Value x = node.getInput(input);
    return node.getInt(attribute, 0) ? create(node, "Transpose", x) : x;
  };
  Value sums = create(node, "MatMulInteger",
                      {transposed(0, "transA"), transposed(3, "transB"),
                       node.getInput(2), node.getInput(5)});
  if (Value c = node.getInput(6))
    sums = create(node, "Add", {sums, c});
  Value y = scaledProduct(node, sums, node.getInput(1), node.getInput(4),
                          node.getFloat("alpha", 1), {});
  if (node.getInput(7))
    y = quantize(node, y, 7, node.getInput(0));
  return finish(y, results);
}

/// A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias.
LogicalResult matMulIntegerToFloat(OldNode &node, Results &results) {
  for (unsigned i : {0, 1, 2, 3})
    if (failed(require(node, i)))
      return failure();
  Value sums = create(
      node, "MatMulInteger",
      {node.getInput(0), node.getInput(1), node.getInput(4), node.getInput(5)});
  return finish(scaledProduct(node, sums, node.getInput(2), node.getInput(3), 1,
                              node.getInput(6)),
                results);
}

/// Rows of `count` numbers of four bits, two in a byte and the first in its low
/// half, as bytes [rows, count].
Value unpackHalves(OldNode &node, Value packed, int64_t rows, int64_t count) {
  int64_t bytes = (count + 1) / 2;
  Value x =
      create(node, "Reshape", {packed, node.createInts({rows, bytes, 1})});
  if (!x)
    return {};
  Value low =
      create(node, "BitwiseAnd", {x, node.createScalarLike(packed, 15)});
  Value high = create(node, "BitShift", {x, node.createScalarLike(packed, 4)},
                      node.attribute("direction", "RIGHT"));
  if (!low || !high)
    return {};
  Value both = create(node, "Concat", {low, high}, node.attribute("axis", 2));
  Value all =
      create(node, "Reshape", {both, node.createInts({rows, 2 * bytes})});
  if (count == 2 * bytes || !all)
    return all;
  return create(node, "Slice",
                {all, node.createInts({0}), node.createInts({count}),
                 node.createInts({1})});
}

/// A, B [N, K / block, bytes], scales and zero points [N, K / block], an order
/// of K, bias. Numbers of B and of zero points have `bits` bits.
LogicalResult matMulNBits(OldNode &node, Results &results) {
  for (unsigned i : {0, 1, 2})
    if (failed(require(node, i)))
      return failure();
  int64_t steps = node.getInt("K", 0), columns = node.getInt("N", 0),
          bits = node.getInt("bits", 4), block = node.getInt("block_size", 0);
  if (steps < 1 || columns < 1 || block < 1 || (bits != 4 && bits != 8))
    return node.emitError()
           << "K is " << steps << ", N is " << columns << ", block_size is "
           << block << ", bits is " << bits
           << "; expected positive numbers, and 4 or 8 bits";
  Value packed = node.getInput(1), zeros = node.getInput(3);
  Type element = getElementType(packed);
  if (node.getInput(4) || (zeros && getElementType(zeros) != element))
    return node.emitError() << "an order of K and zero points that are no "
                               "bytes are not supported";
  int64_t blocks = (steps + block - 1) / block;
  auto shape = node.createInts({columns, blocks});
  auto unpacked = [&](Value value, int64_t count) {
    return bits == 4 ? unpackHalves(node, value, columns, count)
                     : create(node, "Reshape",
                              {value, node.createInts({columns, count})});
  };
  Value numbers = unpacked(packed, blocks * block);
  if (steps != blocks * block)
    numbers = create(node, "Slice",
                     {numbers, node.createInts({0}), node.createInts({steps}),
                      node.createInts({1})});
  if (zeros)
    zeros = unpacked(zeros, blocks);
  else
    zeros = create(node, "Expand",
                   {node.createScalarLike(packed, 1 << (bits - 1)), shape});
  Value scales = create(node, "Reshape", {node.getInput(2), shape});
  if (!scales || !zeros)
    return failure();
  Value weights =
      create(node, "DequantizeLinear", {numbers, scales, zeros},
             {node.attribute("axis", 1), node.attribute("block_size", block)});
  Value right = create(node, "Transpose", weights);
  if (!right)
    return failure();
  Value y = create(node, "MatMul", {node.getInput(0), right});
  if (Value bias = node.getInput(5))
    y = create(node, "Add", {y, bias});
  return finish(y, results);
}

//===----------------------------------------------------------------------===//
// Fused real operators
//===----------------------------------------------------------------------===//

LogicalResult gelu(OldNode &node, Results &results) {
  return finish(create(node, "Gelu", node.getInput(0)), results);
}

LogicalResult biasGelu(OldNode &node, Results &results) {
  Value sum = create(node, "Add", {node.getInput(0), node.getInput(1)});
  return finish(create(node, "Gelu", sum), results);
}

LogicalResult fastGelu(OldNode &node, Results &results) {
  Value x = node.getInput(0);
  if (Value bias = node.getInput(1))
    x = create(node, "Add", {x, bias});
  return finish(create(node, "Gelu", x, node.attribute("approximate", "tanh")),
                results);
}

LogicalResult quickGelu(OldNode &node, Results &results) {
  return finish(create(node, "Swish", node.getInput(0),
                       node.builder.getNamedAttr(
                           "alpha", node.builder.getF32FloatAttr(
                                        node.getFloat("alpha", 1.702f)))),
                results);
}

/// MatMul of matrices that are transposed first, times alpha.
LogicalResult fusedMatMul(OldNode &node, Results &results) {
  if (node.getInt("transBatchA", 0) || node.getInt("transBatchB", 0))
    return node.emitError()
           << "attributes 'transBatchA' and 'transBatchB' are not supported";
  auto transposed = [&](unsigned input, StringRef attribute) -> Value {
    Value x = node.getInput(input);
    std::optional<int64_t> rank = getRank(x);
    if (!node.getInt(attribute, 0) || (rank && *rank < 2))
      return x;
    if (!rank) {
      node.emitError() << "attribute '" << attribute
                       << "' needs an input of known rank";
      return {};
    }
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
    std::swap(perm[*rank - 2], perm[*rank - 1]);
    return create(node, "Transpose", x,
                  node.builder.getNamedAttr(
                      "perm", node.builder.getDenseI64ArrayAttr(perm)));
  };
  Value a = transposed(0, "transA"), b = transposed(1, "transB");
  if (!a || !b)
    return failure();
  Value y = create(node, "MatMul", {a, b});
  float alpha = node.getFloat("alpha", 1);
  if (alpha != 1 && y)
    y = create(node, "Mul", {y, node.createScalarLike(y, alpha)});
  return finish(y, results);
}

/// Conv, plus Z, and an activation.
LogicalResult fusedConv(OldNode &node, Results &results) {
  Value y = create(node, "Conv",
                   {node.getInput(0), node.getInput(1), node.getInput(2)},
                   pick(node, {"auto_pad", "dilations", "group", "kernel_shape",
                               "pads", "strides"}));
  if (Value z = node.getInput(3))
    y = create(node, "Add", {y, z});
  StringRef activation = node.getString("activation", "");
  auto params = dyn_cast_or_null<DenseF32ArrayAttr>(
      node.attributes.get("activation_params"));
  auto withParams = [&](ArrayRef<StringRef> names) {
    SmallVector<NamedAttribute> attributes;
    for (auto [i, name] : llvm::enumerate(names))
      if (params && static_cast<int64_t>(i) < params.size())
        attributes.push_back(node.builder.getNamedAttr(
            name, node.builder.getF32FloatAttr(params[i])));
    return attributes;
  };
  if (activation == "LeakyRelu")
    y = create(node, activation, y, withParams({"alpha"}));
  else if (activation == "HardSigmoid")
    y = create(node, activation, y, withParams({"alpha", "beta"}));
  else if (activation == "Clip" && params && params.size() == 2 && y)
    y = create(node, activation,
               {y, node.createScalarLike(y, params[0]),
                node.createScalarLike(y, params[1])});
  else if (activation == "Relu" || activation == "Sigmoid" ||
           activation == "Tanh")
    y = create(node, activation, y);
  else if (!activation.empty())
    return node.emitError()
           << "activation '" << activation << "' is not one that onnxc knows";
  return finish(y, results);
}

/// Normalizes the sum of input, skip and bias, which is the fourth output.
LogicalResult skipNormalization(OldNode &node, Results &results, StringRef name,
                                ArrayRef<Value> parameters, Value bias) {
  for (unsigned output : {1, 2})
    if (node.hasOutput(output))
      return node.emitError() << "output " << output << " is not supported";
  Value sum = create(node, "Add", {node.getInput(0), node.getInput(1)});
  if (bias)
    sum = create(node, "Add", {sum, bias});
  SmallVector<Value> operands{sum};
  llvm::append_range(operands, parameters);
  Value y = create(node, name, operands,
                   {node.attribute("axis", -1),
                    node.builder.getNamedAttr(
                        "epsilon", node.builder.getF32FloatAttr(
                                       node.getFloat("epsilon", 1e-12f)))});
  results.append({y, Value(), Value(), sum});
  return success(y && sum);
}

LogicalResult skipLayerNormalization(OldNode &node, Results &results) {
  return skipNormalization(node, results, "LayerNormalization",
                           {node.getInput(2), node.getInput(3)},
                           node.getInput(4));
}

LogicalResult skipRMSNormalization(OldNode &node, Results &results) {
  return skipNormalization(node, results, "RMSNormalization",
                           {node.getInput(2)}, node.getInput(3));
}

/// The same as ONNX's operators, which took 16-bit types later.
LogicalResult dequantizeLinear(OldNode &node, Results &results) {
  return finish(create(node, "DequantizeLinear", node.inputs,
                       pick(node, {"axis", "block_size"})),
                results);
}

LogicalResult quantizeLinear(OldNode &node, Results &results) {
  return finish(create(node, "QuantizeLinear", node.inputs,
                       pick(node, {"axis", "block_size", "saturate"})),
                results);
}

} // namespace

Expansion onnxc::lookupContributedOp(StringRef domain, StringRef name) {
  if (domain != "com.microsoft")
    return nullptr;
  return llvm::StringSwitch<Expansion>(name)
      .Case("BiasGelu", biasGelu)
      .Case("DequantizeLinear", dequantizeLinear)
      .Case("FastGelu", fastGelu)
      .Case("FusedConv", fusedConv)
      .Cases({"FusedMatMul", "TransposeMatMul"}, fusedMatMul)
      .Case("Gelu", gelu)
      .Case("MatMulIntegerToFloat", matMulIntegerToFloat)
      .Case("MatMulNBits", matMulNBits)
      .Case("QGemm", quantizedGemm)
      .Case("QLinearAdd", quantizedAdd)
      .Case("QLinearAveragePool", quantizedAveragePool)
      .Case("QLinearConcat", quantizedConcat)
      .Case("QLinearGlobalAveragePool", quantizedGlobalAveragePool)
      .Case("QLinearLeakyRelu", quantizedLeakyRelu)
      .Case("QLinearMul", quantizedMul)
      .Case("QLinearReduceMean", quantizedReduceMean)
      .Case("QLinearSigmoid", quantizedSigmoid)
      .Case("QLinearSoftmax", quantizedSoftmax)
      .Case("QLinearWhere", quantizedWhere)
      .Case("QuantizeLinear", quantizeLinear)
      .Case("QuickGelu", quickGelu)
      .Case("SkipLayerNormalization", skipLayerNormalization)
      .Case("SkipSimplifiedLayerNormalization", skipRMSNormalization)
      .Default(nullptr);
}
