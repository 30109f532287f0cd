//===- PulseDispatch.cpp - Which operators have a form for pulses ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Dialect/ONNX/Signal.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

static int64_t getAxis(Operation *op) {
  return op->getAttrOfType<IntegerAttr>("axis").getInt();
}

LogicalResult Pulser::visitStreams(Operation *op) {
  for (Value result : op->getResults())
    if (!isa<RankedTensorType>(result.getType()))
      return fail(op) << "its result is not a tensor of known rank";
  // The length may say what shape there is, and not what is in it.
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (get(operand).kind == Kind::Sizes &&
        (i == 0 || !isa<ReshapeOp, ExpandOp, SliceOp, PadOp, ResizeOp>(op)))
      return fail(op) << "it computes with the length of the sequence";
  if (isa<ScalarOpInterface>(op))
    return visitElementwise(op);
  if (hasFact(op, OpFact::Reduces) || isa<ArgMaxOp, ArgMinOp>(op))
    return visitReduction(op);
  constexpr int64_t end = INT64_MAX;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<IdentityOp>([&](auto) {
        Stream same = get(op->getOperand(0)).stream;
        set(op->getResult(0), same);
        return success();
      })
      .Case<ShapeOp, SizeOp>([&](auto) { return visitSizes(op); })
      .Case<TransposeOp>([&](auto) { return visitTranspose(op); })
      .Case<SqueezeOp, UnsqueezeOp>([&](auto) { return visitSqueeze(op); })
      .Case<ReshapeOp, FlattenOp>([&](auto) { return visitReshape(op); })
      .Case<ExpandOp>([&](auto) { return visitExpand(op); })
      .Case<SplitOp>([&](auto) { return visitSplit(op); })
      .Case<ConcatOp>([&](auto) { return visitConcat(op); })
      .Case<GatherOp>([&](auto) { return visitGather(op); })
      .Case<SliceOp>([&](auto) { return visitSlice(op); })
      .Case<PadOp>([&](auto) { return visitPad(op); })
      .Case<ResizeOp>([&](auto) { return visitResize(op); })
      .Case<ConvOp, ConvIntegerOp, QLinearConvOp, MaxPoolOp, AveragePoolOp,
            LpPoolOp>([&](auto) { return visitWindow(op); })
      .Case<ConvTransposeOp>([&](auto) { return visitConvTranspose(op); })
      .Case<STFTOp>([&](auto) { return visitSTFT(op); })
      .Case<MatMulOp, MatMulIntegerOp, QLinearMatMulOp>(
          [&](auto) { return visitMatMul(op); })
      .Case<GemmOp>([&](auto) { return visitGemm(op); })
      .Case<EinsumOp>([&](auto) { return visitEinsum(op); })
      .Case<AttentionOp>([&](auto) { return visitAttention(op); })
      .Case<RNNOp, GRUOp, LSTMOp>([&](auto) { return visitRecurrent(op); })
      .Case<ScanOp>([&](auto) { return visitScan(op); })
      .Case<CumSumOp>([&](auto) { return visitCumSum(op); })
      .Case<BatchNormalizationOp>(
          [&](auto) { return visitBatchNormalization(op); })
      .Case<QuantizeLinearOp, DequantizeLinearOp>(
          [&](auto) { return visitQuantize(op); })
      .Case<SoftmaxOp, LogSoftmaxOp, HardmaxOp, LpNormalizationOp, TopKOp>(
          [&](auto) { return visitAxisOp(op, getAxis(op), getAxis(op) + 1); })
      .Case<LayerNormalizationOp, RMSNormalizationOp>(
          [&](auto) { return visitAxisOp(op, getAxis(op), end); })
      .Case<InstanceNormalizationOp, GroupNormalizationOp, GlobalAveragePoolOp,
            GlobalMaxPoolOp, GlobalLpPoolOp>(
          [&](auto) { return visitAxisOp(op, 1, end); })
      .Case<LRNOp, DepthToSpaceOp, SpaceToDepthOp>(
          [&](auto) { return visitAxisOp(op, 1, isa<LRNOp>(op) ? 2 : end); })
      .Case<DropoutOp>([&](auto) { return visitAxisOp(op, 0, 0); })
      .Case<CastLikeOp>([&](auto) { return visitAxisOp(op, 0, 0); })
      .Case<TileOp>([&](auto) { return visitTile(op); })
      .Case<DynamicQuantizeLinearOp, MeanVarianceNormalizationOp>([&](auto) {
        return fail(op) << "it needs all positions of the sequence at once";
      })
      .Case<IfOp, LoopOp, SequenceMapOp>(
          [&](auto) { return fail(op) << "its subgraphs read the sequence"; })
      .Default([&](Operation *) {
        return fail(op) << "this operator has no form for pulses";
      });
}

LogicalResult Pulser::visitTile(Operation *op) {
  auto tile = cast<TileOp>(op);
  if (!isStream(tile.getInput()))
    return fail(op) << "how often it repeats depends on the sequence";
  Stream in = getStream(op, tile.getInput());
  if (getConstantInteger(tile.getRepeats(), in.axis) != 1)
    return fail(op) << "it repeats the sequence";
  return keep(op, in, in.axis);
}
