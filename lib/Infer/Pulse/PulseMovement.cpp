//===- PulseMovement.cpp - Pulses of what moves elements, and of sizes ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;

static int64_t getRankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

Value Pulser::replaceItem(ONNXBuilder &b, Value list, int64_t index,
                          int64_t item) {
  std::optional<int64_t> known = list ? getDim(list, 0) : std::nullopt;
  int64_t count = known.value_or(0);
  SmallVector<Value> parts;
  if (index > 0)
    parts.push_back(b.slice(list, 0, 0, index));
  parts.push_back(b.castLike(b.ints({item}), list));
  if (index + 1 < count)
    parts.push_back(b.slice(list, 0, index + 1, count));
  return parts.size() == 1 ? parts.front() : b.concat(parts, 0);
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

LogicalResult Pulser::visitTranspose(Operation *op) {
  Stream out = get(op->getOperand(0)).stream;
  auto perm = cast<TransposeOp>(op).getPerm();
  int64_t rank = getRankOf(op->getOperand(0));
  out.value = clone(op, {{op->getOperand(0), out.value}})->getResult(0);
  out.axis =
      perm ? llvm::find(*perm, out.axis) - perm->begin() : rank - 1 - out.axis;
  set(op->getResult(0), out);
  return success();
}

/// Squeeze and Unsqueeze. A dimension of one position is not one of size 1 for
/// good: the axes are always stated.
LogicalResult Pulser::visitSqueeze(Operation *op) {
  Value old = op->getOperand(0);
  if (!isStream(old))
    return fail(op) << "its axes depend on the sequence";
  Stream out = get(old).stream;
  bool adds = isa<UnsqueezeOp>(op);
  Value list = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  int64_t rank = getRankOf(adds ? op->getResult(0) : old);
  SmallVector<int64_t> axes;
  if (list) {
    for (int64_t i = 0, e = getDim(list, 0).value_or(0); i < e; ++i) {
      std::optional<int64_t> axis = getConstantInteger(list, i);
      if (!axis)
        return fail(op) << "its axes are not constants";
      axes.push_back(*axis < 0 ? *axis + rank : *axis);
    }
  } else {
    for (int64_t i = 0; i < rank; ++i)
      if (getDim(old, i) == 1)
        axes.push_back(i);
  }
  llvm::sort(axes);
  int64_t axis = out.axis;
  for (int64_t at : axes) {
    if (!adds && at == out.axis)
      return fail(op) << "it takes the sequence for one position";
    if (adds)
      axis += at <= axis;
    else
      axis -= at < out.axis;
  }
  ONNXBuilder b(builder, op->getLoc());
  out.value = adds ? b.make<UnsqueezeOp>({out.value, b.ints(axes)})
                   : b.make<SqueezeOp>({out.value, b.ints(axes)});
  out.axis = axis;
  set(op->getResult(0), out);
  return success(!b.hasFailed());
}

/// Groups of positions; the first one begins with the sequence.
FailureOr<Stream> Pulser::splitPositions(Operation *op, const Stream &in,
                                         int64_t count) {
  if (in.size % count != 0)
    return failSize(op, in, count);
  int64_t rest = (count - in.delay % count) % count;
  FailureOr<Stream> out = delayBy(op, op->getOperand(0), in, rest);
  if (failed(out))
    return failure();
  out->size /= count;
  out->delay /= count;
  out->denominator = multiply(out->denominator, count);
  out->length = derive(in.length, 1, 0, count, 0);
  return out;
}

/// Finds the dimension of the result that has the sequence by what is before
/// and behind it: the numbers of elements of both sides stay.
LogicalResult Pulser::visitReshape(Operation *op) {
  Value old = op->getOperand(0), reshaped = op->getResult(0);
  if (!isStream(old))
    return fail(op) << "its shape depends on the elements of the sequence";
  Stream in = getStream(op, old);
  int64_t rank = getRankOf(old), outRank = getRankOf(reshaped);
  // Prefixes[i]: elements of the dimensions before i that are not the
  // sequence's.
  SmallVector<Size> prefixes{Size(1)};
  for (int64_t i = 0; i < in.axis; ++i)
    prefixes.push_back(prefixes.back() * getSize(old, i));
  if (in.isRepeated)
    prefixes.push_back(prefixes.back() * in.repeats);
  Size behind(1);
  for (int64_t i = in.axis + 1; i < rank; ++i)
    behind = behind * getSize(old, i);
  Size before(1);
  for (int64_t axis = 0; axis < outRank; ++axis) {
    if (axis > 0)
      before = before * getSize(reshaped, axis - 1);
    if (before.isUnknown() || dependsOnSequence(before))
      break;
    Size after(1);
    for (int64_t i = axis + 1; i < outRank; ++i)
      after = after * getSize(reshaped, i);
    if (after.isUnknown() || dependsOnSequence(after))
      continue;
    auto prefix = llvm::find(prefixes, before);
    if (prefix == prefixes.end())
      continue;
    std::optional<int64_t> split = after.floorDiv(behind).getNumber();
    std::optional<int64_t> joined = behind.floorDiv(after).getNumber();
    Stream out = in;
    // Of the sequences in one dimension with the sequence.
    out.isRepeated = !(prefixes.back() == *prefix);
    out.repeats = prefixes.back().floorDiv(*prefix);
    int64_t factor = 1;
    if (after == behind) {
      // The sequence stays whole.
    } else if (split && after == behind * Size(*split)) {
      if (out.isRepeated || in.isRepeated)
        continue;
      FailureOr<Stream> groups = splitPositions(op, in, *split);
      if (failed(groups))
        return failure();
      out = *groups;
    } else if (joined && behind == after * Size(*joined)) {
      if (out.isRepeated || in.isRepeated)
        continue;
      factor = *joined;
      out.size = multiply(out.size, factor);
      out.delay = multiply(out.delay, factor);
      out.numerator = multiply(out.numerator, factor);
      out.length = derive(in.length, factor, 0, 1, 0);
    } else {
      continue;
    }
    ONNXBuilder b(builder, op->getLoc());
    Value shape;
    if (isa<ReshapeOp>(op)) {
      shape = getNew(op, op->getOperand(1));
      // Where several sequences are in one dimension, its size is computed.
      shape = replaceItem(b, shape, axis, out.isRepeated ? -1 : out.size);
      out.value = b.make<ReshapeOp>({out.value, shape});
    } else {
      out.value = clone(op, {{old, out.value}})->getResult(0);
    }
    if (b.hasFailed())
      return failure();
    out.axis = axis;
    set(reshaped, out);
    return success();
  }
  return fail(op) << "no dimension of its result has the positions of the "
                     "sequence in their order";
}

LogicalResult Pulser::visitSplit(Operation *op) {
  auto split = cast<SplitOp>(op);
  if (!isStream(split.getInput()))
    return fail(op) << "its sizes depend on the sequence";
  Stream in = getStream(op, split.getInput());
  if (in.axis == static_cast<int64_t>(split.getAxis()))
    return fail(op) << "it cuts the sequence at positions that depend on its "
                       "length";
  return keep(op, in, in.axis);
}

//===----------------------------------------------------------------------===//
// Concat and Gather
//===----------------------------------------------------------------------===//

/// One element, if all of them have the same bytes.
static DenseElementsAttr takeOneElement(Attribute value) {
  auto elements = dyn_cast_if_present<ElementsAttr>(value);
  if (!elements || elements.getNumElements() == 0 ||
      !elements.getElementType().isIntOrFloat())
    return {};
  unsigned bits = elements.getElementType().getIntOrFloatBitWidth();
  auto scalar = RankedTensorType::get({}, elements.getElementType());
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      return dense.resizeSplat(scalar);
    bytes = dense.getRawData();
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  }
  size_t size = bits / 8;
  if (bits == 0 || bits % 8 != 0 ||
      bytes.size() / size != size_t(elements.getNumElements()) ||
      bytes.size() % size != 0)
    return {};
  for (size_t at = size; at < bytes.size(); at += size)
    if (bytes.slice(at, size) != bytes.take_front(size))
      return {};
  return DenseElementsAttr::getFromRawBuffer(scalar, bytes.take_front(size));
}

Value Pulser::findOneValue(ONNXBuilder &b, Value value) {
  if (!value)
    return {};
  if (auto expand = value.getDefiningOp<ExpandOp>())
    return findOneValue(b, expand.getInput());
  DenseElementsAttr element;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    element = takeOneElement(constant.getValueAttr());
  } else if (auto filled = value.getDefiningOp<ConstantOfShapeOp>()) {
    if (!filled.getValueAttr())
      return b.number(0.0, b.builder.getF32Type());
    element = takeOneElement(filled.getValueAttr());
  }
  return element ? b.constant(element) : Value();
}

LogicalResult Pulser::visitConcat(Operation *op) {
  auto concat = cast<ConcatOp>(op);
  int64_t axis = concat.getAxis();
  SmallVector<Value> streams;
  for (Value operand : op->getOperands()) {
    if (isStream(operand))
      streams.push_back(operand);
  }
  int64_t sequenceAxis = get(streams.front()).stream.axis;
  for (Value stream : streams)
    if (get(stream).stream.axis != sequenceAxis)
      return fail(op) << "the sequence is in different dimensions of its "
                         "operands";
  if (axis != sequenceAxis) {
    if (streams.size() != op->getNumOperands())
      return fail(op) << "one of its operands has a length of its own along "
                         "the sequence";
    SmallVector<std::pair<Value, Value>> replaced;
    Stream out;
    if (failed(align(op, streams, replaced, out)))
      return failure();
    out.value = clone(op, replaced)->getResult(0);
    set(op->getResult(0), out);
    return success();
  }
  // What is put before and behind, if it is one value, is padding.
  if (streams.size() != 1)
    return fail(op) << "it puts one sequence behind another";
  Stream out = getStream(op, streams.front());
  ONNXBuilder b(builder, op->getLoc());
  PulsePadding padding;
  bool isBefore = true;
  std::optional<Attribute> value;
  for (Value operand : op->getOperands()) {
    if (operand == streams.front()) {
      isBefore = false;
      continue;
    }
    std::optional<int64_t> size = getDim(operand, axis);
    Value fill = findOneValue(b, operand);
    Attribute own =
        fill ? Attribute(fill.getDefiningOp<ConstantOp>().getValueAttr())
             : Attribute();
    if (!size || !own || (value && *value != own))
      return fail(op) << "it puts values that are not all the same before or "
                         "behind the sequence; a model that has its buffers as "
                         "inputs is a step already, for --state= and --dim=";
    value = own;
    padding.fill = fill;
    (isBefore ? padding.left : padding.right) += *size;
  }
  out.padding = padding;
  set(op->getResult(0), out);
  return success();
}

LogicalResult Pulser::visitGather(Operation *op) {
  auto gather = cast<GatherOp>(op);
  Value data = gather.getData(), indices = gather.getIndices();
  int64_t axis = gather.getAxis();
  if (isStream(data) && isStream(indices))
    return fail(op) << "it takes elements of the sequence by the sequence";
  if (isStream(indices)) {
    Stream in = getStream(op, indices);
    return keep(op, in, in.axis + axis);
  }
  Stream in = getStream(op, data);
  if (in.axis == axis)
    return fail(op) << "it takes single positions of the sequence";
  return keep(op, in,
              in.axis < axis ? in.axis : in.axis - 1 + getRankOf(indices));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Of a sequence, or of a value that is spread along it.
LogicalResult Pulser::visitExpand(Operation *op) {
  Value result = op->getResult(0);
  bool fills = isa<ConstantOfShapeOp>(op);
  Value list = op->getOperand(fills ? 0 : 1);
  if (isStream(list))
    return fail(op) << "its shape depends on the elements of the sequence";
  int64_t rank = getRankOf(result);
  std::optional<int64_t> length = getDim(list, 0);
  ONNXBuilder b(builder, op->getLoc());
  Stream out;
  bool hasSequence = !fills && isStream(op->getOperand(0));
  if (hasSequence) {
    out = getStream(op, op->getOperand(0));
    out.axis += rank - getRankOf(op->getOperand(0));
    for (int64_t i = 0; i < rank; ++i)
      if (i != out.axis && dependsOnSequence(getSize(result, i)))
        return fail(op) << "two of its dimensions have the length of the "
                           "sequence";
  } else {
    // The one whose sequence has the size.
    std::optional<int64_t> axis;
    for (int64_t i = 0; i < rank; ++i) {
      if (!dependsOnSequence(getSize(result, i)))
        continue;
      if (axis)
        return fail(op) << "two of its dimensions have the length of the "
                           "sequence";
      axis = i;
    }
    for (auto &[old, value] : values)
      if (value.kind == Kind::Stream && !value.stream.isRepeated && axis &&
          !value.stream.padding &&
          getSize(old, value.stream.axis) == getSize(result, *axis)) {
        out = value.stream;
        break;
      }
    if (!axis || !out.value)
      return fail(op) << "no sequence of the model has the length of its "
                         "result";
    out.axis = *axis;
    out.delay = 0;
  }
  if (!length)
    return fail(op) << "the rank of its result is not known";
  int64_t at = out.axis - (rank - *length);
  Value shape = getNew(op, list);
  if (at >= 0)
    shape = replaceItem(b, shape, at, hasSequence ? 1 : out.size);
  out.value = clone(op, {{list, shape}})->getResult(0);
  set(result, out);
  return success(!b.hasFailed());
}

/// Numbers of positions.
LogicalResult Pulser::visitRange(Operation *op) {
  auto range = cast<RangeOp>(op);
  Value result = range.getOutput();
  std::optional<int64_t> start = getConstantInteger(range.getStart(), 0);
  std::optional<int64_t> delta = getConstantInteger(range.getDelta(), 0);
  if (!start || !delta)
    return fail(op) << "its start and step are not whole constants";
  Stream out;
  for (auto &[old, value] : values)
    if (value.kind == Kind::Stream && !value.stream.isRepeated &&
        !value.stream.padding &&
        getSize(old, value.stream.axis) == getSize(result, 0)) {
      out = value.stream;
      break;
    }
  if (!out.value)
    return fail(op) << "no sequence of the model has the length of its result";
  out.axis = 0;
  out.delay = 0;
  ONNXBuilder b(builder, op->getLoc());
  Value numbers = getPositions(out, 0, out.size, 1);
  numbers = b.mul(numbers, b.ints({*delta}));
  numbers = b.add(numbers, b.ints({*start}));
  out.value = b.cast(numbers, getElementType(result));
  set(result, out);
  return success(!b.hasFailed());
}

/// What is computed from sizes alone, or shaped by them.
LogicalResult Pulser::visitSizes(Operation *op) {
  if (op->getNumRegions() > 0)
    return fail(op) << "what it does depends on the length of the sequence";
  bool isKnown = true;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return fail(op) << "it computes with the length of the sequence";
    for (int64_t i = 0; i < type.getRank(); ++i)
      isKnown &= !dependsOnSequence(getSize(result, i));
  }
  if (isa<ExpandOp, ConstantOfShapeOp>(op) && !isKnown)
    return visitExpand(op);
  if (isa<RangeOp>(op) && !isKnown)
    return visitRange(op);
  // What only its shape is computed for, and sizes of which none is the
  // sequence's.
  bool isFixed = isKnown && isa<ConstantOfShapeOp>(op);
  if (isa<ReshapeOp, ExpandOp>(op))
    isFixed |= isKnown && get(op->getOperand(0)).kind == Kind::Fixed;
  isFixed |= isKnown && llvm::all_of(op->getResults(), [&](Value result) {
               return hasFixedElements(result);
             });
  if (isFixed) {
    Operation *made = clone(op);
    for (auto [old, value] :
         llvm::zip_equal(op->getResults(), made->getResults()))
      setPlain(old, Kind::Fixed, value);
    return success();
  }
  for (Value result : op->getResults())
    setPlain(result, Kind::Sizes, {});
  return success();
}
