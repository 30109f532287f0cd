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

using namespace mlir;
using namespace onnxc;

template <typename... Ops>
void Pulser::addForm(LogicalResult (Pulser::*visit)(Operation *),
                     bool takesSizes) {
  (forms.try_emplace(TypeID::get<Ops>(), Form{visit, takesSizes}), ...);
}

/// As patterns are added: each class with what makes its form.
void Pulser::addForms() {
  addForm<IdentityOp>(&Pulser::visitIdentity);
  addForm<ShapeOp, SizeOp>(&Pulser::visitSizes);
  addForm<TransposeOp>(&Pulser::visitTranspose);
  addForm<SqueezeOp, UnsqueezeOp>(&Pulser::visitSqueeze);
  addForm<ReshapeOp>(&Pulser::visitReshape, /*takesSizes=*/true);
  addForm<FlattenOp>(&Pulser::visitReshape);
  addForm<ExpandOp>(&Pulser::visitExpand, /*takesSizes=*/true);
  addForm<SplitOp>(&Pulser::visitSplit);
  addForm<ConcatOp>(&Pulser::visitConcat);
  addForm<GatherOp>(&Pulser::visitGather);
  addForm<SliceOp>(&Pulser::visitSlice, /*takesSizes=*/true);
  addForm<PadOp>(&Pulser::visitPad, /*takesSizes=*/true);
  addForm<ResizeOp>(&Pulser::visitResize, /*takesSizes=*/true);
  addForm<ConvOp, ConvIntegerOp, QLinearConvOp>(&Pulser::visitWindow);
  addForm<MaxPoolOp, AveragePoolOp, LpPoolOp>(&Pulser::visitWindow);
  addForm<ConvTransposeOp>(&Pulser::visitConvTranspose);
  addForm<STFTOp>(&Pulser::visitSTFT);
  addForm<MatMulOp, MatMulIntegerOp, QLinearMatMulOp>(&Pulser::visitMatMul);
  addForm<GemmOp>(&Pulser::visitGemm);
  addForm<EinsumOp>(&Pulser::visitEinsum);
  addForm<AttentionOp>(&Pulser::visitAttention);
  addForm<RNNOp, GRUOp, LSTMOp>(&Pulser::visitRecurrent);
  addForm<ScanOp>(&Pulser::visitScan);
  addForm<CumSumOp>(&Pulser::visitCumSum);
  addForm<BatchNormalizationOp>(&Pulser::visitBatchNormalization);
  addForm<QuantizeLinearOp, DequantizeLinearOp>(&Pulser::visitQuantize);
  addForm<SoftmaxOp, LogSoftmaxOp, HardmaxOp>(&Pulser::visitAlongAxis);
  addForm<LpNormalizationOp, TopKOp>(&Pulser::visitAlongAxis);
  addForm<LayerNormalizationOp, RMSNormalizationOp>(&Pulser::visitFromAxis);
  addForm<InstanceNormalizationOp, GroupNormalizationOp>(&Pulser::visitSamples);
  addForm<GlobalAveragePoolOp, GlobalMaxPoolOp, GlobalLpPoolOp>(
      &Pulser::visitSamples);
  addForm<DepthToSpaceOp, SpaceToDepthOp>(&Pulser::visitSamples);
  addForm<LRNOp>(&Pulser::visitChannels);
  addForm<ArgMaxOp, ArgMinOp>(&Pulser::visitReduction);
  addForm<DropoutOp, CastLikeOp>(&Pulser::visitElements);
  addForm<TileOp>(&Pulser::visitTile);
  addForm<DynamicQuantizeLinearOp>(&Pulser::visitWhole);
  addForm<MeanVarianceNormalizationOp>(&Pulser::visitWhole);
  addForm<IfOp, LoopOp, SequenceMapOp>(&Pulser::visitSubgraphs);
}

LogicalResult Pulser::visitStreams(Operation *op) {
  for (Value result : op->getResults())
    if (!isa<RankedTensorType>(result.getType()))
      return fail(op) << "its result is not a tensor of known rank";
  auto form = forms.find(op->getName().getTypeID());
  // The length may say what shape there is, and not what is in it.
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (get(operand).kind == Kind::Sizes &&
        (i == 0 || form == forms.end() || !form->second.takesSizes))
      return fail(op) << "it computes with the length of the sequence";
  if (form != forms.end())
    return (this->*form->second.visit)(op);
  if (isa<ScalarOpInterface>(op))
    return visitElementwise(op);
  if (hasFact(op, OpFact::Reduces))
    return visitReduction(op);
  return fail(op) << "this operator has no form for pulses";
}

LogicalResult Pulser::visitIdentity(Operation *op) {
  Stream same = get(op->getOperand(0)).stream;
  set(op->getResult(0), same);
  return success();
}

LogicalResult Pulser::visitAlongAxis(Operation *op) {
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  return visitAxisOp(op, axis, axis + 1);
}

LogicalResult Pulser::visitFromAxis(Operation *op) {
  return visitAxisOp(op, op->getAttrOfType<IntegerAttr>("axis").getInt(),
                     INT64_MAX);
}

/// Of each place by itself.
LogicalResult Pulser::visitChannels(Operation *op) {
  return visitAxisOp(op, 1, 2);
}

/// Of each sample of a batch by itself.
LogicalResult Pulser::visitSamples(Operation *op) {
  return visitAxisOp(op, 1, INT64_MAX);
}

LogicalResult Pulser::visitElements(Operation *op) {
  return visitAxisOp(op, 0, 0);
}

LogicalResult Pulser::visitWhole(Operation *op) {
  return fail(op) << "it needs all positions of the sequence at once";
}

LogicalResult Pulser::visitSubgraphs(Operation *op) {
  return fail(op) << "its subgraphs read the sequence";
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
