//===- Fused.cpp - Fused operators of ONNX Runtime ------------------------===//
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
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
/// A function that fused operators have, and which of its attributes their
/// parameters are.
struct Activation {
  StringRef name;
  Value (*make)(Composer &c, Value x, ArrayRef<NamedAttribute> attributes);
  SmallVector<StringRef> parameters;
};

template <typename Op>
Activation activation(ArrayRef<StringRef> parameters = {}) {
  return {Op::getOnnxName(),
          [](Composer &c, Value x, ArrayRef<NamedAttribute> attributes) {
            return c.make<Op>(x, attributes);
          },
          llvm::to_vector(parameters)};
}
} // namespace

static std::optional<Activation> lookupActivation(StringRef function) {
  for (const Activation &known :
       {activation<EluOp>({"alpha"}), activation<GeluOp>(),
        activation<HardSigmoidOp>({"alpha", "beta"}), activation<HardSwishOp>(),
        activation<LeakyReluOp>({"alpha"}), activation<MishOp>(),
        activation<ReluOp>(), activation<SeluOp>({"alpha", "gamma"}),
        activation<SigmoidOp>(), activation<SoftplusOp>(),
        activation<SoftsignOp>(), activation<TanhOp>(),
        activation<ThresholdedReluOp>({"alpha"})})
    if (known.name == function)
      return known;
  return std::nullopt;
}

Value contrib::activate(Composer &c, Value x, StringRef function,
                        ArrayRef<float> parameters) {
  if (function.empty())
    return x;
  if (function == ClipOp::getOnnxName() && parameters.size() == 2)
    return c.make<ClipOp>(
        {x, c.number(parameters[0], x), c.number(parameters[1], x)});
  std::optional<Activation> known = lookupActivation(function);
  if (!known || parameters.size() > known->parameters.size()) {
    c.failAttribute("activation", "is '" + function + "' with " +
                                      Twine(parameters.size()) +
                                      " parameters, which onnxc does not know");
    return {};
  }
  SmallVector<NamedAttribute> attributes;
  for (auto [name, value] : llvm::zip(known->parameters, parameters))
    attributes.push_back(c.attribute(name, value));
  return known->make(c, x, attributes);
}

void contrib::gelu(Composer &c, Results &results) {
  results.push_back(c.make<GeluOp>(c.input(0)));
}

void contrib::biasGelu(Composer &c, Results &results) {
  results.push_back(c.make<GeluOp>(c.add(c.input(0), c.input(1))));
}

static Value makeFastGelu(Composer &c, Value x) {
  return c.make<GeluOp>(x, c.attribute("approximate", "tanh"));
}

void contrib::fastGelu(Composer &c, Results &results) {
  results.push_back(makeFastGelu(c, c.addIfAny(c.input(0), c.input(1))));
}

void contrib::quickGelu(Composer &c, Results &results) {
  results.push_back(c.make<SwishOp>(
      c.input(0), c.attribute("alpha", c.getFloat("alpha", 1.702f))));
}

/// silu(scale * x) without the scale in front: x is scaled before.
void contrib::scaledSiLU(Composer &c, Results &results) {
  Value x = c.input(0), scale = c.input(1);
  Value scaled =
      scale ? c.mul(x, c.castLike(scale, x)) : c.mul(x, c.getFloat("alpha", 1));
  results.push_back(c.make<SwishOp>(scaled));
}

/// The first half of the channels times Gelu of the second.
void contrib::biasSplitGelu(Composer &c, Results &results) {
  SmallVector<Value> halves = c.makeAll<SplitOp>(
      c.add(c.input(0), c.input(1)),
      {c.attribute("axis", -1), c.attribute("num_outputs", 2)},
      /*count=*/2);
  results.push_back(c.mul(halves[0], c.make<GeluOp>(halves[1])));
}

void contrib::biasAdd(Composer &c, Results &results) {
  results.push_back(c.add(c.add(c.input(0), c.input(1)), c.input(2)));
}

/// Softmax over all axes from `axis` on, of data and a bias that has 1 where it
/// is the same for all.
void contrib::biasSoftmax(Composer &c, Results &results) {
  Value sum = c.add(c.input(0), c.input(1));
  int64_t rank = c.getRank(sum, "of 'data'"), axis = c.getInt("axis", 1);
  if (axis == -1 || axis == rank - 1) {
    results.push_back(c.make<SoftmaxOp>(sum));
    return;
  }
  Value rows =
      c.make<SoftmaxOp>(c.make<FlattenOp>(sum, c.attribute("axis", axis)));
  results.push_back(c.make<ReshapeOp>({rows, c.shapeOf(sum)}));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// What is inferred with: nothing is dropped.
static void expectInference(Composer &c, unsigned trainingMode) {
  Value mode = c.input(trainingMode);
  if (!mode)
    return;
  DenseElementsAttr constant = getConstant(mode);
  if (!constant || constant.getElementType() != c.builder.getI1Type() ||
      llvm::is_contained(constant.getValues<bool>(), true))
    c.failInput(trainingMode, "must be the constant false");
}

void contrib::biasDropout(Composer &c, Results &results) {
  expectInference(c, 4);
  Value sum = c.addIfAny(c.add(c.input(0), c.input(1)), c.input(2));
  results.push_back(sum);
  if (c.hasOutput(1))
    results.push_back(c.make<ExpandOp>(
        {c.cast(c.integer(1), c.builder.getI1Type()), c.shapeOf(sum)}));
}

void contrib::bitmaskBiasDropout(Composer &c, Results &results) {
  expectInference(c, 4);
  c.expectNoOutput(1, "mask");
  results.push_back(c.addIfAny(c.add(c.input(0), c.input(1)), c.input(2)));
}

void contrib::bitmaskDropout(Composer &c, Results &results) {
  expectInference(c, 2);
  c.expectNoOutput(1, "mask");
  results.push_back(c.make<IdentityOp>(c.input(0)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// MatMul of tensors whose axes are moved first, times alpha. With
/// `transBatch…`, the first axis becomes the last but one.
static Value multiplyMoved(Composer &c) {
  auto moved = [&](unsigned input, StringRef batch, StringRef last) {
    Value x = c.input(input);
    bool movesBatch = c.getInt(batch, 0) != 0, swaps = c.getInt(last, 0) != 0;
    if (!movesBatch && !swaps)
      return x;
    int64_t rank = c.getRank(x, "to transpose it");
    if (rank < 2)
      return x;
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (movesBatch)
      std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
    if (swaps)
      std::swap(perm[rank - 2], perm[rank - 1]);
    return c.transpose(x, perm);
  };
  Value y = c.make<MatMulOp>(
      {moved(0, "transBatchA", "transA"), moved(1, "transBatchB", "transB")});
  float alpha = c.getFloat("alpha", 1);
  return alpha == 1 ? y : c.mul(y, alpha);
}

void contrib::fusedMatMul(Composer &c, Results &results) {
  results.push_back(multiplyMoved(c));
}

/// Those of the attributes activation_alpha, … that there are.
static SmallVector<float> getActivationParameters(Composer &c) {
  SmallVector<float> parameters;
  for (StringRef name :
       {"activation_alpha", "activation_beta", "activation_gamma"})
    if (c.getNode().attributes.get(name))
      parameters.push_back(c.getFloat(name, 0));
  return parameters;
}

void contrib::fusedMatMulActivation(Composer &c, Results &results) {
  Value y = multiplyMoved(c);
  StringRef function = c.getString("activation", "");
  if (function == SoftmaxOp::getOnnxName())
    y = c.make<SoftmaxOp>(y,
                          c.attribute("axis", c.getInt("activation_axis", -1)));
  else
    y = activate(c, y, function, getActivationParameters(c));
  results.push_back(y);
}

void contrib::fusedGemm(Composer &c, Results &results) {
  Value y = c.make<GemmOp>({c.input(0), c.input(1), c.input(2)},
                           c.pick({"alpha", "beta", "transA", "transB"}));
  results.push_back(activate(c, y, c.getString("activation", ""),
                             getActivationParameters(c)));
}

void contrib::gemmFastGelu(Composer &c, Results &results) {
  Value product = c.make<MatMulOp>({c.input(0), c.input(1)});
  results.push_back(makeFastGelu(c, c.addIfAny(product, c.input(2))));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// How many elements of x the operator Check is true for.
template <typename Check> static Value countElements(Composer &c, Value x) {
  Value found = c.make<Check>(c.cast(x, c.builder.getF32Type()));
  return c.make<ReduceSumOp>(c.cast(found, c.builder.getI32Type()),
                             c.attribute("keepdims", 0));
}

/// Whether no input has an infinity or a NaN, or only no such.
void contrib::isAllFinite(Composer &c, Results &results) {
  bool infinities = c.getInt("isnan_only", 0) == 0,
       nans = c.getInt("isinf_only", 0) == 0;
  if (!infinities && !nans)
    c.failAttribute("isnan_only", "and 'isinf_only' are both 1");
  Value sum;
  for (unsigned i = 0; i < c.getNumInputs(); ++i) {
    if (infinities)
      sum = c.addIfAny(countElements<IsInfOp>(c, c.input(i)), sum);
    if (nans)
      sum = c.addIfAny(countElements<IsNaNOp>(c, c.input(i)), sum);
  }
  results.push_back(c.make<EqualOp>({sum, c.number(0, sum)}));
}
