//===- FuseAddBiasIntoConv.cpp - What is added to a Conv is its bias ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEADDBIASINTOCONV
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Where the channels of a Conv's result are, by its weights or its result.
static std::optional<Channels> getChannels(ConvOp conv) {
  std::optional<int64_t> rank = getRank(conv.getY());
  if (!rank)
    rank = getRank(conv.getW());
  std::optional<int64_t> count = getDim(conv.getW(), 0);
  if (!count && getRank(conv.getY()))
    count = getDim(conv.getY(), 1);
  if (!rank || *rank < 3 || !count || *count < 1)
    return std::nullopt;
  return Channels{*rank - 2, *count};
}

/// Whether a bias of this shape, added to a result of `channels`, is one number
/// for each channel or (`count` of 1) for all, and leaves its shape.
static bool isChannelBias(ArrayRef<int64_t> shape, Channels channels) {
  if (static_cast<int64_t>(shape.size()) > channels.fromEnd + 2)
    return false;
  for (auto [fromEnd, dim] : llvm::enumerate(llvm::reverse(shape)))
    if (dim != 1 && (static_cast<int64_t>(fromEnd) != channels.fromEnd ||
                     dim != channels.count))
      return false;
  return true;
}

namespace {
/// A bias that is not a constant, or weights that are not: it is brought to
/// one dimension.
struct TakeBias : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (succeeded(fuse(op, op.getA(), op.getB(), rewriter)))
      return success();
    if (options.upstreamCompatible)
      return failure();
    return fuse(op, op.getB(), op.getA(), rewriter);
  }

  LogicalResult fuse(AddOp op, Value product, Value bias,
                     PatternRewriter &rewriter) const {
    auto conv = product.getDefiningOp<ConvOp>();
    if (!conv || conv.getB() || !conv->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "adds to no Conv without bias and other uses");
    std::optional<Channels> channels = getChannels(conv);
    std::optional<ArrayRef<int64_t>> shape = getShape(bias);
    if (!channels || !shape || !isChannelBias(*shape, *channels) ||
        getElementType(bias) != getElementType(conv.getY()))
      return rewriter.notifyMatchFailure(op, "no bias of channels");
    bool isOne = llvm::all_of(*shape, [](int64_t dim) { return dim == 1; });
    if (options.upstreamCompatible && !isUpstreamBias(bias))
      return rewriter.notifyMatchFailure(op, "what is added is computed");
    // Repeating one number takes more ops than adding it.
    if (isOne && channels->count > 1 && !options.upstreamCompatible &&
        !isConstant(bias))
      return rewriter.notifyMatchFailure(op, "one number for all channels");
    Type type = joinTypes(op.getC().getType(), conv.getY().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "types contradict");

    Value flat = flatten(op, bias, *shape, *channels, rewriter);
    if (!flat)
      return rewriter.notifyMatchFailure(op, "the bias cannot be written");
    Operation *biased = rewriter.clone(*conv);
    biased->setLoc(fuseLocations(conv, op));
    biased->setOperands({conv.getX(), conv.getW(), flat});
    biased->getResult(0).setType(type);
    if (failed(replaceRoot(rewriter, op, biased->getResults()))) {
      rewriter.eraseOp(biased);
      return failure();
    }
    eraseIfUnused(rewriter, conv, options);
    return success();
  }

  /// Has the model state the type of a value, as onnx-optimizer does for this
  /// one.
  static void declare(Value value, PatternRewriter &rewriter) {
    auto func = value.getDefiningOp()->getParentOfType<func::FuncOp>();
    SourceAttr source = getSource(value.getLoc());
    if (!func || value.getDefiningOp()->getParentOp() != func || !source ||
        !source.getOutputs() || source.getOutputs().empty())
      return;
    NamedAttrList graph(func->getAttrOfType<DictionaryAttr>(model::graph));
    SmallVector<Attribute> infos;
    if (auto known = dyn_cast_or_null<ArrayAttr>(graph.get("value_info")))
      llvm::append_range(infos, known);
    infos.push_back(rewriter.getDictionaryAttr(
        {rewriter.getNamedAttr("name", source.getOutputs()[0]),
         rewriter.getNamedAttr("type", TypeAttr::get(value.getType()))}));
    graph.set("value_info", rewriter.getArrayAttr(infos));
    rewriter.modifyOpInPlace(func, [&] {
      func->setAttr(model::graph, graph.getDictionary(func.getContext()));
    });
  }

  /// An input or a constant: nothing that an op makes.
  static bool isUpstreamBias(Value bias) {
    return isa<BlockArgument>(bias) || isConstant(bias);
  }

  /// The bias with one dimension: all channels.
  Value flatten(AddOp op, Value bias, ArrayRef<int64_t> shape,
                Channels channels, PatternRewriter &rewriter) const {
    MLIRContext *context = getContext();
    int64_t rank = shape.size();
    SaturatingInt size = 1;
    for (int64_t dim : shape)
      size *= dim;
    if (!options.upstreamCompatible) {
      if (ElementsAttr constant = getConstant(bias)) {
        std::optional<Elements> elements = Elements::get(constant);
        if (!elements)
          return {};
        std::vector<char> bytes;
        for (int64_t i = 0; i < channels.count; ++i)
          llvm::append_range(bytes, elements->getBytes(size == 1 ? 0 : i));
        return makeConstant(
            rewriter, op,
            makeElements(RankedTensorType::get(channels.count,
                                               elements->getElementType()),
                         bytes),
            "bias");
      }
    }
    if (rank == 0)
      bias = UnsqueezeOp::create(
          rewriter, makeHelperLocation(op, "bias_1d"), bias,
          makeConstant(rewriter, op, makeIntegers(context, {0}), "bias_axes"));
    if (rank > 1) {
      // All dims but the channels'; of a bias of one number, all but the last.
      int64_t kept = size == 1 ? rank - 1 : rank - 1 - channels.fromEnd;
      SmallVector<int64_t> axes;
      for (int64_t axis = 0; axis < rank; ++axis)
        if (axis != kept)
          axes.push_back(axis);
      bias = SqueezeOp::create(
          rewriter, makeHelperLocation(op, "bias_1d"), bias,
          makeConstant(rewriter, op, makeIntegers(context, axes), "bias_axes"));
    }
    if (size == 1 && channels.count > 1) {
      Value repeats = makeConstantNode(
          rewriter, op, makeIntegers(context, {channels.count}), "repeats");
      declare(repeats, rewriter);
      bias = TileOp::create(rewriter, makeHelperLocation(op, "bias"), bias,
                            repeats);
    }
    return bias;
  }
};

struct FuseAddBiasIntoConv
    : onnxc::impl::FuseAddBiasIntoConvBase<FuseAddBiasIntoConv> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<TakeBias>(patterns.getContext(), options);
    if (!options.upstreamCompatible)
      patterns.add<FoldShift<AddOp, ConvOp, ConvTransposeOp>,
                   FoldShift<SubOp, ConvOp, ConvTransposeOp>>(
          patterns.getContext(), options);
  }
};
} // namespace
