//===- Signal.cpp - The ops of Signal.td ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Signal.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Signal.cpp.inc"

void ONNXDialect::registerSignalOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Signal.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult DFTOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  if (!s.ranked(op.getInput()))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(op.getInput());
  if (!s.require(rank >= 2, "dft_input: must have at least rank 2"))
    return failure();
  Dims dims = s.dims(op.getInput());
  bool onesided = op.getOnesided() != 0, inverse = op.getInverse() != 0;
  for (Value scalar : {op.getAxis(), op.getDftLength()})
    if (scalar &&
        !requireScalar(s, scalar, "dft_c1: axis and length must be scalars"))
      return failure();
  Dim axis = op.getAxis() ? s.value(op.getAxis(), 0) : s.constant(rank - 2);
  AxisSet set(s, axis, rank, "dft_axis");
  if (s.hasFailed())
    return failure();
  if (dims.back().isKnown())
    s.require(dims.back().is(1) || dims.back().is(2),
              "dft_input: the last dimension must be 1 (real) or 2 (complex)");
  if (op.getDftLength())
    s.requireLess(s.constant(0), s.value(op.getDftLength(), 0),
                  "dft_dft_length: must be positive");
  s.require(set.mayBe(0, rank - 1) ? !axis.isKnown() : true,
            "dft_axis: must not be the one of real and imaginary parts");
  Dim given = op.getDftLength() ? s.value(op.getDftLength(), 0) : s.unknown();
  Dims output = dims;
  for (int64_t i = 0; i + 1 < rank; ++i) {
    if (!set.mayBe(0, i))
      continue;
    Dim length = op.getDftLength()     ? given
                 : onesided && inverse ? (dims[i] - 1) * 2
                                       : dims[i];
    if (onesided && !inverse)
      length = s.floordiv(length, s.constant(2)) + 1;
    output[i] = set.selectAxis(0, i, length, dims[i]);
  }
  output.back() = s.constant(onesided && inverse ? 1 : 2);
  return s.result(0, elementType, output);
}

LogicalResult STFTOp::shape(ShapeBuilder &s, Adaptor op) {
  // torch writes real signals without the last dimension.
  Value given = op.getSignal();
  bool lacksParts = s.ranked(given) && s.rank(given) == 2;
  Dims signal = dimsOfRank(s, given, lacksParts ? 2 : 3, "stft_signal");
  for (Value scalar : {op.getFrameLength(), op.getFrameStep()})
    if (scalar &&
        !requireScalar(s, scalar,
                       "stft_c1: length and step of frames must be scalars"))
      return failure();
  Dim length = signal[1];
  if (op.getFrameLength())
    length = s.value(op.getFrameLength(), 0);
  else if (op.getWindow())
    length = dimsOfRank(s, op.getWindow(), 1, "stft_window")[0];
  Dim step = s.value(op.getFrameStep(), 0);
  s.requireLess(s.constant(0), step, "stft_frame_step: must be positive");
  if (s.hasFailed())
    return failure();
  Dim frames = s.floordiv(signal[1] - length, s.max(step, s.constant(1))) + 1;
  Dim bins = op.getOnesided() ? s.floordiv(length, s.constant(2)) + 1 : length;
  return s.result(0, s.elementType(op.getSignal()),
                  {signal[0], frames, bins, s.constant(2)});
}

/// HannWindow, HammingWindow, BlackmanWindow.
static LogicalResult window(ShapeBuilder &s, Value size, int64_t type,
                            const llvm::Twine &tag) {
  Type elementType = getElementType(s.getContext(), type);
  s.require(elementType && elementType.isIntOrFloat(),
            tag + ": is not a tensor element type");
  if (!requireScalar(s, size, "window_size: must be one number"))
    return failure();
  return s.result(0, elementType, s.value(size, 0));
}

LogicalResult HannWindowOp::shape(ShapeBuilder &s, Adaptor op) {
  return window(s, op.getSize(), op.getOutputDatatype(),
                "hannwindow_output_datatype");
}
LogicalResult HammingWindowOp::shape(ShapeBuilder &s, Adaptor op) {
  return window(s, op.getSize(), op.getOutputDatatype(),
                "hammingwindow_output_datatype");
}
LogicalResult BlackmanWindowOp::shape(ShapeBuilder &s, Adaptor op) {
  return window(s, op.getSize(), op.getOutputDatatype(),
                "blackmanwindow_output_datatype");
}

LogicalResult MelWeightMatrixOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = getElementType(s.getContext(), op.getOutputDatatype());
  s.require(static_cast<bool>(elementType),
            "melweightmatrix_output_datatype: is not a tensor element type");
  for (Value scalar : {op.getDftLength(), op.getNumMelBins()})
    if (!requireScalar(s, scalar,
                       "melweightmatrix_c1: numbers of bins must be scalars"))
      return failure();
  Dim bins = s.floordiv(s.value(op.getDftLength(), 0), s.constant(2)) + 1;
  return s.result(0, elementType, {bins, s.value(op.getNumMelBins(), 0)});
}
