//===- Weights.cpp - Weights of few bits, of ONNX Runtime -----------------===//
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
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/Matchers.h"

#include <array>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Packed numbers
//===----------------------------------------------------------------------===//

/// All numbers in the bytes of the last axis.
static Value unpackAll(Composer &c, Value bytes, int64_t bits) {
  if (bits == 8)
    return bytes;
  Value x = c.unsqueeze(bytes, -1);
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value part = x;
    if (shift != 0)
      part = c.make<BitShiftOp>({x, c.number(shift, x)},
                                c.attribute("direction", "RIGHT"));
    // Nothing is left above the highest ones.
    if (shift + bits < 8)
      part = c.make<BitwiseAndOp>({part, c.number((1 << bits) - 1, x)});
    parts.push_back(part);
  }
  // Sizes that are copied, and the last two axes as one.
  SmallVector<int64_t> shape(c.getRank(bytes, "of packed numbers"), 0);
  if (!shape.empty())
    shape.back() = -1;
  return c.reshape(c.concat(parts, -1), shape);
}

Value contrib::unpackLast(Composer &c, Value bytes, int64_t bits,
                          int64_t count) {
  Value all = unpackAll(c, bytes, bits);
  return getDim(all, -1) == count ? all : c.slice(all, -1, 0, count);
}

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

namespace {
/// The weights [columns, steps] of a node: numbers in blocks along the steps,
/// each with a scale and a zero point.
struct BlockedWeights {
  int64_t steps, columns, bits, block;
  /// The activations may become integers of 8 bits.
  bool allowsInt8;

  /// What the node says, with attribute `count` for the number of columns.
  static BlockedWeights get(Composer &c, StringRef count);
  /// `x` times the weights: `inputs` are those of MatMulNBits behind the first.
  Value multiply(Composer &c, Value x, std::array<Value, 5> inputs) const;

private:
  int64_t getNumBlocks() const { return (steps + block - 1) / block; }
  std::optional<SmallVector<int64_t>>
  sortByBlocks(ArrayRef<int64_t> blockOfStep) const;
  Value unpack(Composer &c, Value packed, int64_t count) const;
  Value getMiddle(Composer &c, Value numbers) const;
  Value getZeroPoints(Composer &c, Value given, Value numbers) const;
  Value sumBlocks(Composer &c, Value x) const;
  Value dequantize(Composer &c, Value numbers, Value scales, Value zeros,
                   Value order) const;
};
} // namespace

/// `count` numbers for each column, rows of whole bytes.
Value BlockedWeights::unpack(Composer &c, Value packed, int64_t count) const {
  int64_t bytes = (count * bits + 7) / 8;
  return contrib::unpackLast(c, c.reshape(packed, {columns, bytes}), bits,
                             count);
}

/// The elements of a constant.
static std::optional<SmallVector<int64_t>> readIntegers(Value value) {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (int64_t i = 0; i < elements.getNumElements(); ++i) {
    std::optional<int64_t> known = getInteger(elements, i);
    if (!known)
      return std::nullopt;
    integers.push_back(*known);
  }
  return integers;
}

/// The steps in the order of the blocks that they belong to; nothing if that
/// would give blocks of other lengths.
std::optional<SmallVector<int64_t>>
BlockedWeights::sortByBlocks(ArrayRef<int64_t> blockOfStep) const {
  if (int64_t(blockOfStep.size()) < steps)
    return std::nullopt;
  auto sorted = llvm::to_vector(llvm::seq<int64_t>(0, steps));
  llvm::stable_sort(sorted, [&](int64_t a, int64_t b) {
    return blockOfStep[a] < blockOfStep[b];
  });
  for (auto [place, step] : llvm::enumerate(sorted))
    if (blockOfStep[step] != int64_t(place) / block)
      return std::nullopt;
  return sorted;
}

/// Zero points in the middle of the numbers.
Value BlockedWeights::getMiddle(Composer &c, Value numbers) const {
  return c.make<ExpandOp>(
      {c.number(1 << (bits - 1), numbers), c.ints({columns, getNumBlocks()})});
}

/// One for each block: packed bytes, real numbers, or the middle if none are
/// given.
Value BlockedWeights::getZeroPoints(Composer &c, Value given,
                                    Value numbers) const {
  int64_t blocks = getNumBlocks();
  if (!given)
    return getMiddle(c, numbers);
  if (isa_and_present<FloatType>(getElementType(given)))
    return c.reshape(given, {columns, blocks});
  return unpack(c, given, blocks);
}

/// The sums of the elements of `x` that meet one block of the weights.
Value BlockedWeights::sumBlocks(Composer &c, Value x) const {
  int64_t blocks = getNumBlocks();
  if (int64_t missing = blocks * block - steps)
    x = c.make<PadOp>({x, c.ints({0, missing}), Value(), c.ints(-1)});
  // Sizes that are copied.
  SmallVector<int64_t> shape(c.getRank(x, "of 'A'"), 0);
  if (!shape.empty())
    shape.back() = blocks;
  shape.push_back(block);
  Value inBlocks = c.reshape(x, shape), last = c.ints(-1);
  return c.reduce<ReduceSumOp>(inBlocks, last, /*keepDims=*/false);
}

Value BlockedWeights::dequantize(Composer &c, Value numbers, Value scales,
                                 Value zeros, Value order) const {
  bool isReal = isa_and_present<FloatType>(getElementType(zeros));
  if (!isReal && !order)
    return c.make<DequantizeLinearOp>(
        {numbers, scales, zeros},
        {c.attribute("axis", 1), c.attribute("block_size", block)});
  // The block of each step: in their order, or as given.
  if (!order)
    order = c.make<DivOp>({c.range(c.integer(steps)), c.integer(block)});
  auto ofEachStep = [&](Value x) {
    return c.gather(c.castLike(x, scales), order, 1);
  };
  Value wide = c.castLike(numbers, scales);
  Value numbersFromZero = c.sub(wide, ofEachStep(zeros));
  return c.mul(numbersFromZero, ofEachStep(scales));
}

/// x times the transpose of `weights`, plus a bias. With `int8Block`, the rows
/// of x may be quantized by blocks of so many elements.
static Value multiplyTransposed(Composer &c, Value x, Value weights, Value bias,
                                int64_t int8Block = 0) {
  Value product = c.make<MatMulOp>({x, c.make<TransposeOp>(weights)});
  if (product && int8Block)
    product.getDefiningOp()->setAttr(model::int8Block,
                                     c.builder.getI64IntegerAttr(int8Block));
  return c.addIfAny(product, bias);
}

BlockedWeights BlockedWeights::get(Composer &c, StringRef count) {
  BlockedWeights weights{c.getCount("K"), c.getCount(count),
                         c.getInt("bits", 4), c.getCount("block_size"),
                         /*allowsInt8=*/c.getInt("accuracy_level", 0) == 4};
  if (!llvm::is_contained({2, 4, 8}, weights.bits))
    c.failAttribute("bits",
                    "is " + Twine(weights.bits) + "; expected 2, 4 or 8");
  return weights;
}

Value BlockedWeights::multiply(Composer &c, Value x,
                               std::array<Value, 5> inputs) const {
  auto [packed, packedScales, packedZeros, order, bias] = inputs;
  int64_t blocks = getNumBlocks(), padded = blocks * block;
  Value numbers = unpack(c, packed, padded);
  if (padded != steps)
    numbers = c.slice(numbers, 1, 0, steps);
  Value scales = c.reshape(packedScales, {columns, blocks});
  Value zeros = getZeroPoints(c, packedZeros, numbers);
  // Where blocks are scattered, rows and weights get another order instead.
  if (std::optional<SmallVector<int64_t>> known = readIntegers(order))
    if (std::optional<SmallVector<int64_t>> sorted = sortByBlocks(*known)) {
      order = {};
      if (!llvm::is_sorted(*sorted)) {
        Value inBlocks = c.ints(*sorted);
        x = c.gather(x, inBlocks, -1);
        numbers = c.gather(numbers, inBlocks, 1);
      }
    }
  if (order && getDim(order, 0) != steps)
    order = c.slice(order, 0, 0, steps);
  // Real zero points are an integer, the same for all, and what is left of
  // them, which meets the sums of blocks.
  if (isa_and_present<Float32Type>(getElementType(zeros)) && !order &&
      isa_and_present<RankedTensorType>(x.getType())) {
    Value rest = c.mul(scales, c.sub(c.number(1 << (bits - 1), zeros), zeros));
    bias = c.addIfAny(multiplyTransposed(c, sumBlocks(c, x), rest, {}), bias);
    zeros = getMiddle(c, numbers);
  }
  return multiplyTransposed(c, x, dequantize(c, numbers, scales, zeros, order),
                            bias, allowsInt8 ? block : 0);
}

void contrib::matMulNBits(Composer &c, Results &results) {
  c.expectInt("weight_prepacked", 0);
  BlockedWeights weights = BlockedWeights::get(c, "N");
  if (!c.hasFailed())
    results.push_back(weights.multiply(
        c, c.input(0),
        {c.input(1), c.input(2), c.input(3), c.input(4), c.input(5)}));
}

//===----------------------------------------------------------------------===//
// MatMulBnb4
//===----------------------------------------------------------------------===//

/// The numbers that the 16 codes stand for: quantiles of the normal
/// distribution (NF4), and floats with two bits of exponent and one of mantissa
/// (FP4), both scaled to 1.
static constexpr float normalFloats[] = {-1.0f,
                                         -0.6961928009986877f,
                                         -0.5250730514526367f,
                                         -0.39491748809814453f,
                                         -0.28444138169288635f,
                                         -0.18477343022823334f,
                                         -0.09105003625154495f,
                                         0.0f,
                                         0.07958029955625534f,
                                         0.16093020141124725f,
                                         0.24611230194568634f,
                                         0.33791524171829224f,
                                         0.44070982933044434f,
                                         0.5626170039176941f,
                                         0.7229568362236023f,
                                         1.0f};
static constexpr float smallFloats[] = {
    0.0f,      0.005208333333f, 2.0f / 3,  1.0f,  1.0f / 3,
    0.5f,      1.0f / 6,        0.25f,     -0.0f, -0.005208333333f,
    -2.0f / 3, -1.0f,           -1.0f / 3, -0.5f, -1.0f / 6,
    -0.25f};

/// Weights [N, K] as codes of four bits, the first in the high half of a byte,
/// in blocks that go on from row to row.
void contrib::matMulBnb4(Composer &c, Results &results) {
  int64_t steps = c.getCount("K"), columns = c.getCount("N"),
          block = c.getCount("block_size"), kind = c.getInt("quant_type", -1);
  if (kind != 0 && kind != 1)
    c.failAttribute("quant_type", "is " + Twine(kind) + "; expected 0 or 1");
  c.expectInt("transB", 1);
  c.expectInt("training_mode", 0);
  int64_t count = steps * columns, blocks = (count + block - 1) / block;
  Value packed = c.reshape(c.input(1), {-1, 1});
  Value codes =
      c.reshape(c.concat({c.make<BitShiftOp>({packed, c.number(4, packed)},
                                             c.attribute("direction", "RIGHT")),
                          c.make<BitwiseAndOp>({packed, c.number(15, packed)})},
                         1),
                {-1});
  Value table =
      c.floats(kind == 0 ? ArrayRef(smallFloats) : ArrayRef(normalFloats));
  Value scales = c.input(2);
  Value numbers = c.gather(c.castLike(table, scales),
                           c.cast(codes, c.builder.getI32Type()), 0);
  // The last block may lack its end, and half a byte may be left over.
  Value padding = c.make<ExpandOp>({c.number(0, numbers), c.ints(block + 1)});
  numbers = c.slice(c.concat({numbers, padding}, 0), 0, 0, blocks * block);
  Value inBlocks = c.reshape(numbers, {blocks, block});
  Value scaled = c.mul(inBlocks, c.reshape(scales, {blocks, 1}));
  Value weights = c.reshape(c.slice(c.reshape(scaled, {-1}), 0, 0, count),
                            {columns, steps});
  results.push_back(multiplyTransposed(c, c.input(0), weights, {}));
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

/// Gathers first: only what is read becomes real.
void contrib::gatherBlockQuantized(Composer &c, Results &results) {
  Value data = c.input(0), indices = c.input(1), zeros = c.input(3);
  int64_t rank = c.getRank(data, "of 'data'"),
          indexRank = c.getRank(indices, "of 'indices'"),
          bits = c.getInt("bits", 4), block = c.getInt("block_size", 128);
  auto axis = [&](StringRef name, int64_t otherwise) {
    int64_t given = c.getInt(name, otherwise);
    if (given < -rank || given >= rank)
      c.failAttribute(name, "is " + Twine(given) + ", of rank " + Twine(rank));
    return given < 0 ? given + rank : given;
  };
  int64_t gathered = axis("gather_axis", 0), blocked = axis("quantize_axis", 1);
  if (gathered == blocked)
    c.failAttribute("quantize_axis", "is the axis that is gathered");
  if (block < 1)
    c.failAttribute("block_size", "is " + Twine(block));
  if (!llvm::is_contained({2, 4, 8}, bits))
    c.failAttribute("bits", "is " + Twine(bits) + "; expected 2, 4 or 8");
  if (c.hasFailed())
    return;
  Type element = getElementType(data);
  if (!isa_and_present<IntegerType>(element))
    return c.failInput(0, "is not of integers, the only ones supported");
  bool isPacked = element.getIntOrFloatBitWidth() == 8;
  // The axis behind the gathered ones, and that of packed bytes: the last.
  int64_t last = rank + indexRank - 2,
          along = blocked > gathered ? blocked + indexRank - 1 : blocked;
  auto unpack = [&](Value x, Value like) {
    if (!isPacked || bits == 8)
      return x;
    Value all = unpackAll(c, x, bits);
    // Zero points that fill no byte.
    if (!like)
      return all;
    Value first = c.ints(0);
    return c.slice(all, last, first, c.sizeOf(like, -1));
  };
  // Nothing gathers elements of four bits.
  Type wide = IntegerType::get(element.getContext(), 8,
                               cast<IntegerType>(element).getSignedness());
  auto pick = [&](Value x) {
    return c.gather(getElementType(x) == element ? c.cast(x, wide) : x, indices,
                    gathered);
  };
  Value scales = pick(c.input(2));
  Value numbers = unpack(pick(data), {});
  Value zero;
  if (zeros)
    zero = unpack(pick(zeros), scales);
  else if (isPacked)
    zero = c.make<ExpandOp>(
        {c.number(1 << (bits - 1), numbers), c.shapeOf(scales)});
  results.push_back(c.make<DequantizeLinearOp>(
      {numbers, scales, zero},
      {c.attribute("axis", along), c.attribute("block_size", block)}));
}

//===----------------------------------------------------------------------===//
// Several products of one normalized input
//===----------------------------------------------------------------------===//

namespace {
/// RMSNormalization of an input, plus another one if there is `skip`, and what
/// was normalized. Without `scale`, it is the input itself.
struct NormalizedInput {
  Value rows, sum;

  NormalizedInput(Composer &c, double epsilon)
      : sum(c.addIfAny(c.input(0), c.input(1))) {
    rows = c.input(2) ? contrib::normalize<RMSNormalizationOp>(
                            c, {sum, c.input(2)}, epsilon)
                      : sum;
  }
  /// Times the weights of input `first`, their scales and bias behind it.
  Value multiply(Composer &c, unsigned first, StringRef columns) const {
    BlockedWeights weights = BlockedWeights::get(c, columns);
    if (c.hasFailed())
      return {};
    return weights.multiply(c, rows,
                            {c.input(first), c.input(first + 1), Value(),
                             Value(), c.input(first + 2)});
  }
};
} // namespace

void contrib::matMulNBitsMlp(Composer &c, Results &results) {
  StringRef function = c.getString("activation", "");
  if (function != "silu")
    c.failAttribute("activation",
                    "is '" + function + "'; only 'silu' is supported");
  NormalizedInput input(c, 1e-5);
  Value gate = input.multiply(c, 3, "N"), up = input.multiply(c, 6, "N");
  results.append({c.mul(c.make<SwishOp>(gate), up), input.sum});
}

void contrib::matMulNBitsQkv(Composer &c, Results &results) {
  NormalizedInput input(c, 1e-6);
  results.append({input.multiply(c, 3, "Nq"), input.multiply(c, 6, "Nkv"),
                  input.multiply(c, 9, "Nkv"), input.sum});
}
