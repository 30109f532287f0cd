//===- IntegerDotMatch.cpp - What a kernel.integer_dot is made of ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotMatch.h"
#include "Form/MatrixProduct.h"
#include "Form/WindowLoops.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

int64_t onnxc::getPanelLanes(TargetAttr target) {
  return target.getLayoutTarget().getVectorBytes() / 4;
}

static bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// What the sums start from must be 0 or the same for all rows: then that is
/// the bias, by column, which is dimension 1 of the result.
static bool matchInit(IntegerDotMatch &match, std::string &why) {
  if (auto fill = match.init.getDefiningOp<linalg::FillOp>())
    return isZero(fill.getInputs()[0]) ||
           refuse(why, "the sums start from a number that is not 0");
  auto spread = match.init.getDefiningOp<linalg::GenericOp>();
  if (!spread || spread.getNumDpsInputs() != 1 ||
      !llvm::hasSingleElement(*spread.getBlock()) ||
      spread.getBlock()->getTerminator()->getOperand(0) !=
          spread.getBlock()->getArgument(0))
    return refuse(why, "the sums start from more than a bias");
  AffineMap map = spread.getIndexingMapsArray()[0];
  if (map.getNumResults() != 1 ||
      map.getResult(0) != getAffineDimExpr(1, spread.getContext()))
    return refuse(why, "the bias is not one number for each column");
  match.bias = spread.getInputs()[0];
  return true;
}

/// The image, `from`, as bytes with one zero point and one scale.
static bool matchImage(IntegerDotMatch &match, Value from, std::string &why) {
  std::optional<QuantizedFactor> factor = matchQuantizedFactor(from);
  if (!factor)
    return refuse(why, "the image is not quantized");
  if (!factor->isPerTensor())
    return refuse(why, "the image has several zero points or scales");
  match.image = *factor;
  return true;
}

static bool matchWeights(IntegerDotMatch &match, Value from,
                         const WeightsForm &form, std::string &why) {
  std::optional<QuantizedWeights> weights =
      readQuantizedWeights(from, form, why);
  if (!weights)
    return false;
  if (weights->scales.empty() != !match.image.scale)
    return refuse(why, "of image and weights, one alone has scales");
  match.weights = std::move(*weights);
  return true;
}

/// The zeros around the image become its zero point.
static bool takePadding(IntegerDotMatch &match, Value &from, int64_t rank,
                        std::string &why) {
  Builder b(from.getContext());
  match.low.assign(rank, b.getIndexAttr(0));
  match.high = match.low;
  auto pad = from.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return true;
  Value value = pad.getConstantPaddingValue();
  if (!value || !isZero(value))
    return refuse(why, "the image is padded with other numbers than 0");
  match.low = pad.getMixedLowPad();
  match.high = pad.getMixedHighPad();
  from = pad.getSource();
  return true;
}

/// Groups of few columns leave lanes empty; those of more fill them.
static void mergeNarrowGroups(QuantizedWeights &weights, int64_t lanes) {
  int64_t merge = 1;
  while (merge < weights.groups &&
         (weights.groups % merge != 0 ||
          merge * weights.columns / weights.groups < lanes))
    ++merge;
  weights.mergeGroups(merge);
}

static std::optional<IntegerDotMatch>
matchConvolution(const WindowLoops &conv, TargetAttr target, std::string &why) {
  IntegerDotMatch match;
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  match.result = conv.result;
  match.init = conv.init;
  match.isConvolution = true;
  match.isDepthwise = conv.isDepthwise;
  auto result = cast<RankedTensorType>(conv.result->getResult(0).getType()),
       filter = cast<RankedTensorType>(conv.filter.getType());
  Value from = conv.image;
  if (!filter.hasStaticShape())
    return fail("the shape of the filter is not known");
  if (!takePadding(match, from, result.getRank(), why) ||
      !matchImage(match, from, why))
    return std::nullopt;
  SmallVector<int64_t> shape(filter.getShape());
  if (conv.group > 1) {
    shape.erase(shape.begin());
    // no overflow: the weights are a tensor, whose elements CheckSizes counted
    shape[0] *= conv.group;
  }
  int64_t columns = shape[0], channels = conv.isDepthwise ? 1 : shape[1];
  match.window.assign(shape.begin() + (conv.isDepthwise ? 1 : 2), shape.end());
  SaturatingInt taps = 1;
  for (int64_t size : match.window)
    taps *= size;
  auto image = cast<RankedTensorType>(match.image.bytes.getType());
  if (result.getDimSize(1) != columns || llvm::is_contained(shape, 0) ||
      image.isDynamicDim(1))
    return fail("the number of columns or channels is 0 or not known");
  if (!matchInit(match, why) ||
      !matchWeights(match, conv.filter,
                    {columns, taps, channels, /*columnsFirst=*/true,
                     /*mayBeWide=*/conv.isDepthwise},
                    why))
    return std::nullopt;
  match.weights.groups = conv.group;
  mergeNarrowGroups(match.weights, getPanelLanes(target));
  if (match.weights.groups > 1 && !match.weights.zeroPoints.empty())
    return fail("each group would need sums of windows of its own");
  match.strides = conv.strides;
  match.dilations = conv.dilations;
  // Windows of one pixel that leave none out are a matrix product.
  if (!conv.isDepthwise && taps == 1 &&
      llvm::all_of(conv.strides, [](int64_t s) { return s == 1; })) {
    match.strides.clear();
    match.dilations.clear();
    match.window.clear();
  }
  return match;
}

static std::optional<IntegerDotMatch> matchProduct(linalg::MatmulOp matmul,
                                                   std::string &why) {
  IntegerDotMatch match;
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  std::optional<MatrixProduct> product = matchMatrixProduct(matmul);
  auto weights = cast<RankedTensorType>(matmul.getInputs()[1].getType());
  if (!product)
    return fail("the rows of the left operand are not the outer dimension");
  if (!weights.hasStaticShape() || weights.getNumElements() == 0)
    return fail("the shape of the weights is not known, or they are empty");
  match.result = matmul;
  match.init = matmul.getDpsInits()[0];
  // Rows that were joined for the product stay as they were.
  Value from = matmul.getInputs()[0];
  if (auto cast = from.getDefiningOp<tensor::CastOp>())
    from = cast.getSource();
  auto collapse = from.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && collapse.getReassociationIndices().size() == 2 &&
      collapse.getReassociationIndices()[1].size() == 1) {
    from = collapse.getSrc();
    match.joined = collapse;
  }
  bool byColumns = product->byColumns;
  WeightsForm form{weights.getDimSize(byColumns ? 0 : 1), /*taps=*/1,
                   weights.getDimSize(byColumns ? 1 : 0), byColumns};
  if (!matchImage(match, from, why) || !matchInit(match, why) ||
      !matchWeights(match, matmul.getInputs()[1], form, why))
    return std::nullopt;
  int64_t channels =
      cast<RankedTensorType>(match.image.bytes.getType()).getShape().back();
  if (!ShapedType::isDynamic(channels) && channels != form.channels)
    return fail("image and weights differ in their number of channels");
  return match;
}

std::optional<IntegerDotMatch> onnxc::matchIntegerDot(linalg::LinalgOp op,
                                                      TargetAttr target,
                                                      std::string &why) {
  if (auto matmul = dyn_cast<linalg::MatmulOp>(*op))
    return matchProduct(matmul, why);
  if (std::optional<WindowLoops> conv = matchWindowLoops(op))
    return matchConvolution(*conv, target, why);
  refuse(why, "it is neither a matrix product nor sums over windows");
  return std::nullopt;
}
