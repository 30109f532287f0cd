//===- PulseWindows.cpp - Pulses of what reads or writes windows ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Dialect/ONNX/Signal.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;

/// One number of a list of an attribute that onnx-normalize-attributes has made
/// present.
static std::optional<int64_t> getItem(Operation *op, StringRef name,
                                      int64_t index) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!list || index >= list.size())
    return std::nullopt;
  return list[index];
}

static void setItem(Operation *op, StringRef name, int64_t index,
                    int64_t value) {
  SmallVector<int64_t> list(
      op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef());
  list[index] = value;
  op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), list));
}

//===----------------------------------------------------------------------===//
// Convolutions and pools
//===----------------------------------------------------------------------===//

/// SAME_* as numbers, where those do not depend on an open size.
static bool writePads(Operation *op) {
  auto autoPad = op->getAttrOfType<StringAttr>("auto_pad");
  if (!autoPad || !autoPad.getValue().starts_with("SAME"))
    return true;
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t n = input.getRank() - 2;
  SmallVector<int64_t> pads(2 * n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t stride = *getItem(op, "strides", i);
    int64_t extent =
        (*getItem(op, "kernel_shape", i) - 1) * *getItem(op, "dilations", i) +
        1;
    int64_t total = extent - 1;
    if (stride != 1) {
      if (input.isDynamicDim(i + 2))
        return false;
      int64_t size = input.getDimSize(i + 2);
      total = std::max<int64_t>(
          ((size + stride - 1) / stride - 1) * stride + extent - size, 0);
    }
    pads[i] =
        autoPad.getValue() == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[i + n] = total - pads[i];
  }
  op->setAttr("pads", DenseI64ArrayAttr::get(op->getContext(), pads));
  op->setAttr("auto_pad", StringAttr::get(op->getContext(), "NOTSET"));
  return true;
}

/// Where a slice alone reads a result, what it drops at the end need not be
/// computed: Conv with padding on both sides and a crop is how exporters write
/// causal convolutions.
int64_t Pulser::takeCroppedEnd(Operation *op, int64_t axis, int64_t right) {
  Value result = op->getResult(0);
  auto slice =
      result.hasOneUse() ? dyn_cast<SliceOp>(*result.user_begin()) : SliceOp();
  if (!slice || slice.getData() != result || right <= 0)
    return 0;
  std::optional<SmallVector<SymbolicDim>> ends =
      shapes.getElements(slice.getEnds());
  if (!ends || ends->size() != 1)
    return 0;
  std::optional<int64_t> at =
      slice.getAxes() ? getConstantInteger(slice.getAxes(), 0) : 0;
  std::optional<int64_t> step =
      slice.getSteps() ? getConstantInteger(slice.getSteps(), 0) : 1;
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  if (!at || step != 1 || (*at < 0 ? *at + rank : *at) != axis)
    return 0;
  std::optional<int64_t> end = ends->front().getKnown();
  if (!end)
    end = getDifference(shapes.getSize(ends->front()), getSize(result, axis));
  if (!end || *end >= 0)
    return 0;
  return croppedEnds[slice] = std::min(right, -*end);
}

/// What an operator reads beside the sequence.
static Value getFill(Operation *op, ONNXBuilder &b, Value zeroPoint) {
  if (!isa<MaxPoolOp>(op))
    return zeroPoint;
  Type element = getElementType(op->getOperand(0));
  auto type = RankedTensorType::get({}, element);
  if (auto real = dyn_cast<FloatType>(element))
    return b.constant(DenseElementsAttr::get(
        type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true)));
  unsigned width = element.getIntOrFloatBitWidth();
  return b.constant(DenseElementsAttr::get(
      type, element.isUnsignedInteger() ? APInt::getMinValue(width)
                                        : APInt::getSignedMinValue(width)));
}

/// Which part of each window of a pulse is inside of the sequence, as an
/// AveragePool that does not count padding divides.
static Value makeShares(ONNXBuilder &b, Value inside, int64_t kernel,
                        int64_t stride, int64_t dilation, int64_t axis,
                        int64_t rank) {
  Value shares = b.make<AveragePoolOp>(
      {inside}, {b.attribute("kernel_shape", ArrayRef<int64_t>{kernel}),
                 b.attribute("strides", ArrayRef<int64_t>{stride}),
                 b.attribute("dilations", ArrayRef<int64_t>{dilation}),
                 b.attribute("pads", ArrayRef<int64_t>{0, 0}),
                 b.attribute("auto_pad", StringRef("NOTSET"))});
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = -1;
  return b.reshape(shares, shape);
}

FailureOr<PulsePadding> Pulser::readWindowPadding(Operation *op, int64_t dim,
                                                  int64_t extent) {
  if (!writePads(op))
    return fail(op) << "auto_pad SAME with a stride depends on the length of "
                       "the sequence";
  int64_t n = cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 2;
  PulsePadding padding;
  padding.left = *getItem(op, "pads", dim);
  padding.right = *getItem(op, "pads", dim + n);
  return padding;
}

LogicalResult Pulser::visitWindow(Operation *op) {
  Value old = op->getOperand(0);
  if (!isStream(old) ||
      llvm::any_of(op->getOperands().drop_front(),
                   [&](Value other) { return isStream(other); }))
    return fail(op) << "its weights depend on the sequence";
  Stream in = get(old).stream;
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  if (in.axis == 0)
    return keep(op, getStream(op, old), 0);
  if (in.axis == 1)
    return fail(op) << "its channels are the positions of the sequence";
  int64_t dim = in.axis - 2, n = rank - 2;
  auto kernel = getItem(op, "kernel_shape", dim);
  auto stride = getItem(op, "strides", dim);
  auto dilation = getItem(op, "dilations", dim);
  if (!kernel || !stride || !dilation)
    return fail(op) << "the size of its kernel is not known";
  auto ceil = op->getAttrOfType<IntegerAttr>("ceil_mode");
  if (ceil && ceil.getInt() && *stride != 1)
    return fail(op) << "ceil_mode adds a window at the end of the sequence";
  if (op->getNumResults() > 1 && !op->getResult(1).use_empty())
    return fail(op) << "indices of elements are counted from the start of the "
                       "whole tensor";
  WindowForm form;
  form.extent = multiply(*kernel - 1, *dilation) + 1;
  form.stride = *stride;
  FailureOr<PulsePadding> own = readWindowPadding(op, dim, form.extent);
  if (failed(own))
    return failure();
  ONNXBuilder b(builder, op->getLoc());
  Value zeroPoint = getFormal(op, "x_zero_point");
  own->fill = getFill(op, b, zeroPoint ? getNew(op, zeroPoint) : Value());
  bool hasOwn = own->left != 0 || own->right != 0;
  bool skipsPadding = isa<AveragePoolOp>(op) && hasOwn &&
                      !cast<AveragePoolOp>(op).getCountIncludePad();
  form.padding = *own;
  if (in.padding) {
    bool isSame = in.padding->mode == Mode::Constant &&
                  !isNonZero(in.padding->fill) && !isNonZero(own->fill);
    if (!hasOwn || (isSame && !skipsPadding)) {
      form.padding = *in.padding;
      form.padding.left += own->left;
      form.padding.right += own->right;
    } else {
      in = getStream(op, old);
    }
    in.padding.reset();
  }
  if (*stride == 1)
    form.padding.right -= takeCroppedEnd(op, in.axis, form.padding.right);
  FailureOr<Stream> out = readWindows(op, old, in, form);
  if (failed(out))
    return failure();
  Operation *made = clone(op, {{old, out->value}});
  setItem(made, "pads", dim, 0);
  setItem(made, "pads", dim + n, 0);
  made->setAttr("auto_pad", builder.getStringAttr("NOTSET"));
  refineResults(made);
  out->value = made->getResult(0);
  if (skipsPadding) {
    // Ones where the sequence is, through the same windows.
    Type element = getElementType(out->value);
    Stream ones = in;
    ones.axis = 2;
    int64_t rows = in.size - *stride + form.extent;
    int64_t first = form.extent - 1 - form.padding.left + in.delay -
                    *stride * out->delay - (form.extent - 1);
    ones.value = b.constant(
        DenseElementsAttr::get(RankedTensorType::get({1, 1, rows}, element),
                               builder.getFloatAttr(element, 1.0)));
    Value inside = mask(ones, ones.value, -first, form.padding.left > 0,
                        form.padding.right > 0, {});
    out->value = b.div(out->value, makeShares(b, inside, *kernel, *stride,
                                              *dilation, in.axis, rank));
  }
  set(op->getResult(0), *out);
  return success(!b.hasFailed());
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// What a pulse writes behind its own positions is added to the next ones.
LogicalResult Pulser::visitConvTranspose(Operation *op) {
  auto conv = cast<ConvTransposeOp>(op);
  Value old = conv.getX();
  if (!isStream(old) || isStream(conv.getW()) || isStream(conv.getB()))
    return fail(op) << "its weights depend on the sequence";
  Stream in = getStream(op, old);
  if (in.axis == 0)
    return keep(op, in, 0);
  if (in.axis == 1)
    return fail(op) << "its channels are the positions of the sequence";
  if (in.isRepeated)
    return fail(op) << "the sequence is in one dimension with others, which "
                       "its windows run over";
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  int64_t dim = in.axis - 2, n = rank - 2;
  auto kernel = getItem(op, "kernel_shape", dim);
  if (!kernel || conv.getAutoPad() != "NOTSET" || conv.getOutputShape())
    return fail(op) << "what is cut off its result depends on the length of "
                       "the sequence";
  int64_t stride = *getItem(op, "strides", dim);
  int64_t extent = multiply(*kernel - 1, *getItem(op, "dilations", dim)) + 1;
  int64_t left = *getItem(op, "pads", dim);
  int64_t right = *getItem(op, "pads", dim + n);
  int64_t added = getItem(op, "output_padding", dim).value_or(0);
  for (int64_t size : {extent, stride, left, right, added})
    if (size > mostPositions || size < -mostPositions)
      return fail(op) << "its windows or padding have " << size
                      << " positions, expected at most " << mostPositions;
  int64_t overlap = std::max<int64_t>(extent - stride, 0);
  right += takeCroppedEnd(op, in.axis, extent);

  ONNXBuilder b(builder, op->getLoc());
  Value x = mask(in, in.value, 0, in.delay > 0 && overlap > 0,
                 extent + added - right > stride, {});
  Operation *made = clone(op, {{old, x}});
  auto madeConv = cast<ConvTransposeOp>(made);
  setItem(made, "pads", dim, 0);
  setItem(made, "pads", dim + n, 0);
  // Positions that no tap reaches, if windows do not touch each other.
  int64_t gap = std::max<int64_t>(stride - extent, 0);
  if (madeConv.getOutputPadding())
    setItem(made, "output_padding", dim, gap);
  else if (gap > 0) {
    SmallVector<int64_t> paddings(n, 0);
    paddings[dim] = gap;
    madeConv.setOutputPadding(paddings);
  }
  Value bias = madeConv.getB();
  if (overlap > 0)
    madeConv.getBMutable().clear();
  refineResults(made);
  Value full = made->getResult(0);
  int64_t size = multiply(in.size, stride);
  Value y = full;
  if (overlap > 0) {
    Value buffer =
        makeBuffer(op, op->getResult(0), in.axis, overlap, "overlap");
    if (!buffer)
      return failure();
    Value first = b.add(b.slice(full, in.axis, 0, overlap), buffer);
    Value sum = b.concat(
        {first, b.slice(full, in.axis, overlap, size + overlap)}, in.axis);
    y = b.slice(sum, in.axis, 0, size);
    setNext(buffer, b.slice(sum, in.axis, size, size + overlap));
    if (bias) {
      SmallVector<int64_t> shape(rank - 1, 1);
      shape[0] = -1;
      y = b.add(y, b.reshape(bias, shape));
    }
  }
  Stream out = in;
  out.value = y;
  out.size = size;
  out.delay = multiply(in.delay, stride) + left;
  out.numerator = multiply(out.numerator, stride);
  out.length =
      derive(in.length, stride, -stride + extent + added - left - right, 1, 0);
  set(op->getResult(0), out);
  return success(!b.hasFailed());
}

//===----------------------------------------------------------------------===//
// STFT, Pad, Slice
//===----------------------------------------------------------------------===//

LogicalResult Pulser::visitSTFT(Operation *op) {
  auto stft = cast<STFTOp>(op);
  Value old = stft.getSignal();
  if (!isStream(old))
    return fail(op) << "its window depends on the sequence";
  Stream in = get(old).stream;
  if (in.axis == 0)
    return keep(op, getStream(op, old), 0);
  WindowForm form;
  std::optional<int64_t> step = getConstantInteger(stft.getFrameStep(), 0);
  std::optional<int64_t> length =
      stft.getFrameLength() ? getConstantInteger(stft.getFrameLength(), 0)
      : stft.getWindow()    ? getDim(stft.getWindow(), 0)
                            : std::nullopt;
  if (in.axis != 1 || !step || !length)
    return fail(op) << "its frame_step and frame_length are not constants";
  form.extent = *length;
  form.stride = *step;
  if (in.padding)
    form.padding = *in.padding;
  in.padding.reset();
  FailureOr<Stream> out = readWindows(op, old, in, form);
  if (failed(out))
    return failure();
  out->value = clone(op, {{old, out->value}})->getResult(0);
  set(op->getResult(0), *out);
  return success();
}

/// Leaves the padding to the reader, which knows how far it looks.
LogicalResult Pulser::visitPad(Operation *op) {
  auto pad = cast<PadOp>(op);
  Value old = pad.getData();
  if (!isStream(old))
    return fail(op) << "how much it pads depends on the sequence";
  Stream stream = getStream(op, old);
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  SmallVector<int64_t> axes;
  if (pad.getAxes()) {
    std::optional<int64_t> count = getDim(pad.getAxes(), 0);
    for (int64_t i = 0; i < count.value_or(0); ++i) {
      std::optional<int64_t> axis = getConstantInteger(pad.getAxes(), i);
      if (!axis)
        return fail(op) << "its axes are not constants";
      axes.push_back(*axis < 0 ? *axis + rank : *axis);
    }
  } else {
    axes.assign(llvm::seq<int64_t>(0, rank).begin(),
                llvm::seq<int64_t>(0, rank).end());
  }
  SmallVector<int64_t> pads(2 * rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes))
    for (int64_t side : {0, 1}) {
      SymbolicDim size =
          shapes.getElement(pad.getPads(), i + (side ? axes.size() : 0));
      if (!size.getKnown())
        return fail(op) << "how much it pads is not known";
      pads[axis + (side ? rank : 0)] = *size.getKnown();
    }
  PulsePadding padding;
  padding.left = pads[stream.axis];
  padding.right = pads[stream.axis + rank];
  StringRef mode = pad.getMode();
  if (mode == "wrap" && (padding.left != 0 || padding.right != 0))
    return fail(op) << "it continues the sequence by its other end";
  padding.mode = mode == "reflect" ? Mode::Reflect
                 : mode == "edge"  ? Mode::Edge
                                   : Mode::Constant;
  ONNXBuilder b(builder, op->getLoc());
  if (pad.getConstantValue())
    padding.fill = b.reshape(getNew(op, pad.getConstantValue()), {});
  pads[stream.axis] = pads[stream.axis + rank] = 0;
  if (llvm::any_of(pads, [](int64_t size) { return size != 0; })) {
    SmallVector<Value> operands = {stream.value, b.ints(pads),
                                   getNew(op, pad.getConstantValue())};
    stream.value = b.make<PadOp>(operands, {b.attribute("mode", mode)});
  }
  if (padding.left != 0 || padding.right != 0)
    stream.padding = padding;
  set(op->getResult(0), stream);
  return success(!b.hasFailed());
}

LogicalResult Pulser::visitSlice(Operation *op) {
  auto slice = cast<SliceOp>(op);
  Value old = slice.getData();
  if (!isStream(old) || isStream(slice.getStarts()) ||
      isStream(slice.getEnds()))
    return fail(op) << "what it takes depends on the elements of the sequence";
  Stream in = getStream(op, old);
  int64_t rank = cast<RankedTensorType>(old.getType()).getRank();
  std::optional<int64_t> count = getDim(slice.getStarts(), 0);
  std::optional<int64_t> at;
  for (int64_t i = 0; i < count.value_or(0); ++i) {
    std::optional<int64_t> axis =
        slice.getAxes() ? getConstantInteger(slice.getAxes(), i) : i;
    if (!axis)
      return fail(op) << "its axes are not constants";
    if ((*axis < 0 ? *axis + rank : *axis) == in.axis)
      at = i;
    else if (dependsOnSequence(
                 shapes.getSize(shapes.getElement(slice.getStarts(), i))) ||
             dependsOnSequence(
                 shapes.getSize(shapes.getElement(slice.getEnds(), i))))
      return fail(op) << "what it takes depends on the length of the sequence";
  }
  if (!count)
    return fail(op) << "its axes are not constants";
  if (!at)
    return keep(op, in, in.axis);
  std::optional<int64_t> step =
      slice.getSteps() ? getConstantInteger(slice.getSteps(), *at) : 1;
  std::optional<int64_t> start =
      shapes.getElement(slice.getStarts(), *at).getKnown();
  SymbolicDim endDim = shapes.getElement(slice.getEnds(), *at);
  std::optional<int64_t> end = endDim.getKnown();
  if (!step || *step <= 0)
    return fail(op) << "it takes positions backwards";
  if (!start || *start < 0)
    return fail(op) << "it starts at a position that depends on the length of "
                       "the sequence";
  if (!end) {
    end = getDifference(shapes.getSize(endDim), getSize(old, in.axis));
    if (end && *end >= 0)
      end = INT64_MAX;
  }
  // Exporters write "to the end" as any large number.
  if (!end || (*end >= 0 && *end < INT32_MAX))
    return fail(op) << "it ends at a position that is not counted from the end "
                       "of the sequence: expected a negative number, or the "
                       "largest int64 for the end itself";
  WindowForm form;
  form.stride = *step;
  form.padding.left = -*start;
  form.padding.right = *end < 0 ? *end + croppedEnds.lookup(op) : 0;
  FailureOr<Stream> out = readWindows(op, old, in, form);
  if (failed(out))
    return failure();
  if (*count > 1) {
    ONNXBuilder b(builder, op->getLoc());
    auto replace = [&](Value list, int64_t item) {
      return std::pair(list, replaceItem(b, getNew(op, list), *at, item));
    };
    // Several operands may be one constant.
    SmallVector<Value> operands = {
        out->value, replace(slice.getStarts(), 0).second,
        replace(slice.getEnds(), INT32_MAX).second,
        slice.getAxes() ? getNew(op, slice.getAxes()) : Value(),
        slice.getSteps() ? replace(slice.getSteps(), 1).second : Value()};
    out->value = b.make<SliceOp>(operands);
    if (b.hasFailed())
      return failure();
  }
  set(op->getResult(0), *out);
  return success();
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

/// The scale of a dimension, if it is a constant and a whole number.
static std::optional<int64_t> getWholeScale(ResizeOp resize, int64_t axis) {
  Value scales = resize.getScales();
  auto constant = scales ? scales.getDefiningOp<ConstantOp>() : ConstantOp();
  auto elements = dyn_cast_if_present<DenseFPElementsAttr>(
      constant ? constant.getValueAttr() : Attribute());
  if (resize.getAxes())
    axis = llvm::find(*resize.getAxes(), axis) - resize.getAxes()->begin();
  if (!elements || axis >= elements.getNumElements())
    return std::nullopt;
  double scale = elements.getValues<APFloat>()[axis].convertToDouble();
  if (scale != std::floor(scale) || scale < 1 || scale > 1 << 20)
    return std::nullopt;
  return static_cast<int64_t>(scale);
}

/// By a whole factor the pulses of the result are the results of the pulses, as
/// long as no element is a mixture of two.
LogicalResult Pulser::visitResize(Operation *op) {
  auto resize = cast<ResizeOp>(op);
  Value old = resize.getX();
  Value scales = resize.getScales();
  if (!isStream(old) || (scales && get(scales).kind != Kind::Fixed))
    return fail(op) << "its sizes depend on the sequence";
  Stream in = getStream(op, old);
  Size before = getSize(old, in.axis),
       after = getSize(op->getResult(0), in.axis);
  std::optional<int64_t> factor = after.floorDiv(before).getNumber();
  if (factor && !(before * Size(*factor) == after))
    factor.reset();
  // Rules round products of open sizes and scales.
  if (!factor)
    factor = getWholeScale(resize, in.axis);
  if (!factor || *factor < 1 || in.isRepeated)
    return fail(op) << "it does not make a whole number of positions of each";
  StringRef coordinates = resize.getCoordinateTransformationMode();
  StringRef rounding = resize.getNearestMode();
  bool isHalf = coordinates == "half_pixel" && rounding == "round_prefer_floor";
  bool isFloor = coordinates == "asymmetric" && rounding == "floor";
  if (*factor != 1 && (resize.getMode() != "nearest" || !(isHalf || isFloor)))
    return fail(op) << "along the sequence it has no form for pulses but "
                       "nearest, of half_pixel with round_prefer_floor or "
                       "asymmetric with floor";
  SmallVector<std::pair<Value, Value>> replaced;
  ONNXBuilder b(builder, op->getLoc());
  if (Value sizes = resize.getSizes()) {
    int64_t index = in.axis;
    if (resize.getAxes()) {
      auto found = llvm::find(*resize.getAxes(), in.axis);
      index = found - resize.getAxes()->begin();
    }
    std::optional<int64_t> count = getDim(sizes, 0);
    if (count && index < *count)
      replaced.push_back(
          {sizes, replaceItem(b, getNew(op, sizes), index, in.size * *factor)});
  }
  Stream out = in;
  out.value = clone(op, replaced)->getResult(0);
  out.size = multiply(out.size, *factor);
  out.delay = multiply(out.delay, *factor);
  out.numerator = multiply(out.numerator, *factor);
  out.length = derive(in.length, *factor, 0, 1, 0);
  set(op->getResult(0), out);
  return success();
}
