//===- PulseBuffers.cpp - What pulses keep for those that follow ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

/// Longer than any sequence, and than nothing that is computed from it
/// overflows: the length before it is known.
static constexpr int64_t endless = int64_t(1) << 40;

static int64_t divideDown(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
static int64_t divideUp(int64_t a, int64_t b) { return -divideDown(-a, b); }

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

Value Pulser::makeState(Operation *op, RankedTensorType type, StringRef name) {
  std::string unique = name.str();
  for (unsigned i = 1; !usedNames.insert(unique).second; ++i)
    unique = name.str() + "_" + std::to_string(i);
  OpBuilder start(&entry.front(), entry.front().begin());
  auto placeholder = UnrealizedConversionCastOp::create(start, op->getLoc(),
                                                        type, ValueRange());
  Value state = placeholder.getResult(0);
  states.push_back(state);
  stateNames.push_back(unique);
  stateDims[state].resize(type.getRank());
  return state;
}

/// The input and its dimension that a dimension is; the dimension has a name
/// afterwards.
static std::optional<std::string> findInputDim(func::FuncOp entry,
                                               SymbolicShapes &shapes,
                                               Value old, int64_t dim) {
  for (BlockArgument input : entry.getArguments()) {
    unsigned number = input.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || entry.getArgAttr(number, model::state) ||
        entry.getArgAttr(number, model::defaultValue))
      continue;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!type.isDynamicDim(i) || !shapes.isSameDim(old, dim, input, i))
        continue;
      SmallVector<std::string> names(type.getRank());
      if (auto known =
              entry.getArgAttrOfType<ArrayAttr>(number, model::dimParams))
        for (auto [name, given] :
             llvm::zip(names, known.getAsRange<StringAttr>()))
          name = given.str();
      if (names[i].empty()) {
        StringRef of = getInputName(entry, number);
        names[i] =
            (of.empty() ? "input" : of.str()) + "_dim" + std::to_string(i);
        entry.setArgAttr(
            number, model::dimParams,
            Builder(entry.getContext())
                .getStrArrayAttr(llvm::to_vector_of<StringRef>(names)));
      }
      return names[i];
    }
  }
  return std::nullopt;
}

static std::string getStateName(Operation *op, StringRef name) {
  SourceAttr source = getSource(op->getLoc());
  StringRef node = source ? getNodeName(source) : "";
  return (node.empty() ? op->getName().stripDialect().str() : node.str()) +
         "." + name.str();
}

Value Pulser::makeBuffer(Operation *op, Type element, ArrayRef<BufferDim> sizes,
                         StringRef name) {
  SmallVector<int64_t> shape;
  SmallVector<std::string> names(sizes.size());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    shape.push_back(size.known);
    if (ShapedType::isStatic(size.known))
      continue;
    std::optional<std::string> symbol =
        findInputDim(entry, shapes, size.old, size.dim);
    if (!symbol) {
      fail(op) << "its buffer has an open dimension (" << dim
               << ") that is none of an input; --dim= or --shape= states sizes";
      return {};
    }
    names[dim] = *symbol;
  }
  Value state = makeState(op, RankedTensorType::get(shape, element),
                          getStateName(op, name));
  stateDims[state] = names;
  return state;
}

Value Pulser::makeBuffer(Operation *op, Value old, int64_t axis, int64_t size,
                         StringRef name) {
  auto type = cast<RankedTensorType>(old.getType());
  SmallVector<BufferDim> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back({dim == axis ? size : type.getDimSize(dim), old, dim});
  return makeBuffer(op, type.getElementType(), sizes, name);
}

Value Pulser::getCount() {
  if (count)
    return count;
  Operation *op = entry.front().getTerminator();
  count = makeState(op, RankedTensorType::get({1}, builder.getI64Type()),
                    dims.front().name + ".pulses");
  ONNXBuilder b(builder, entry.getLoc());
  setNext(count, b.add(count, b.ints({1})));
  return count;
}

LengthRef Pulser::derive(const LengthRef &of, int64_t factor, int64_t added,
                         int64_t divisor, int64_t addedBehind) {
  if (factor == 1 && divisor == 1 && added + addedBehind == 0)
    return of;
  auto length = std::make_shared<SequenceLength>();
  length->of = of;
  length->root = of->root;
  length->factor = factor;
  length->added = added;
  length->divisor = divisor;
  length->addedBehind = addedBehind;
  length->numerator = multiply(of->numerator, factor);
  length->denominator = multiply(of->denominator, divisor);
  length->offset =
      multiply(of->offset, factor) +
      multiply(added - divisor + 1 + multiply(addedBehind, divisor),
               of->denominator);
  return length;
}

/// Positions behind the end of a stream may come before the input ends, where
/// operators before dropped its last ones.
void Pulser::noteEnd(const Stream &stream) {
  const SequenceLength &length = *stream.length;
  lead = std::max(lead, divideUp(-(length.offset +
                                   multiply(stream.delay, length.denominator)),
                                 length.numerator));
}

Value Pulser::getLength(const LengthRef &length) {
  if (length->value)
    return length->value;
  ONNXBuilder b(builder, entry.getLoc());
  if (!length->of) {
    Value &state = lengthStates[length->root];
    state = makeState(entry.front().getTerminator(),
                      RankedTensorType::get({1}, builder.getI64Type()),
                      dims[length->root].name + ".length");
    setNext(state, state);
    Value isOpen = b.make<EqualOp>({state, b.ints({0})});
    return length->value = b.where(isOpen, b.ints({endless}), state);
  }
  Value value = getLength(length->of);
  if (length->factor != 1)
    value = b.mul(value, b.ints({length->factor}));
  if (length->added)
    value = b.add(value, b.ints({length->added}));
  if (length->divisor != 1)
    value = b.div(value, b.ints({length->divisor}));
  if (length->addedBehind)
    value = b.add(value, b.ints({length->addedBehind}));
  return length->value = value;
}

//===----------------------------------------------------------------------===//
// Positions outside of the sequence
//===----------------------------------------------------------------------===//

/// start, start + 1, ... along `axis` of `rank` dimensions.
static Value makeNumbers(ONNXBuilder &b, int64_t start, int64_t count,
                         int64_t axis, int64_t rank) {
  SmallVector<int64_t> numbers(count), shape(rank, 1);
  for (auto [i, number] : llvm::enumerate(numbers))
    number = start + int64_t(i);
  shape[axis] = count;
  return b.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, b.builder.getI64Type()),
      ArrayRef<int64_t>(numbers)));
}

Value Pulser::getPositions(const Stream &stream, int64_t before,
                           int64_t rowCount, int64_t rank) {
  ONNXBuilder b(builder, entry.getLoc());
  Value numbers = makeNumbers(b, -before - stream.delay, rowCount,
                              rank == 1 ? 0 : stream.axis, rank);
  return b.add(numbers, b.mul(getCount(), b.ints({stream.size})));
}

bool Pulser::isNonZero(Value fill) {
  if (!fill)
    return false;
  Attribute value;
  if (auto constant = fill.getDefiningOp<ConstantOp>())
    value = constant.getValueAttr();
  auto elements = dyn_cast_if_present<DenseElementsAttr>(value);
  if (!elements || !elements.isSplat())
    return true;
  if (isa<FloatType>(elements.getElementType()))
    return !elements.getSplatValue<APFloat>().isPosZero();
  if (elements.getElementType().isIntOrIndex())
    return !elements.getSplatValue<APInt>().isZero();
  return true;
}

Value Pulser::mask(const Stream &stream, Value value, int64_t before,
                   bool start, bool end, Value fill) {
  if (!start && !end)
    return value;
  ONNXBuilder b(builder, value.getLoc());
  auto type = cast<RankedTensorType>(value.getType());
  Value numbers =
      makeNumbers(b, -before - stream.delay, type.getDimSize(stream.axis),
                  stream.axis, type.getRank());
  Value first = b.mul(getCount(), b.ints({-stream.size}));
  Value isInside;
  if (start)
    isInside = b.make<GreaterOrEqualOp>({numbers, first});
  if (end) {
    noteEnd(stream);
    Value isBefore = b.less(numbers, b.add(first, getLength(stream.length)));
    isInside = isInside ? b.make<AndOp>({isInside, isBefore}) : isBefore;
  }
  if (!fill)
    fill = type.getElementType().isInteger(1)
               ? b.constant(DenseElementsAttr::get(
                     RankedTensorType::get({}, type.getElementType()), false))
               : b.number(0.0, type.getElementType());
  return b.where(isInside, value, fill);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// What is before and behind a sequence is its first and last element, or the
/// sequence backwards. `rows` has `before` ones before the pulse.
static Value continueSequence(ONNXBuilder &b, Value rows, int64_t axis,
                              Value positions, Value firstRow, Value length,
                              const PulsePadding &padding, int64_t count) {
  bool isReflected = padding.mode == PulsePadding::Mode::Reflect;
  Value source = positions, zero = b.ints({0});
  if (padding.left > 0)
    source =
        b.max(positions, isReflected ? b.make<SubOp>({zero, positions}) : zero);
  if (padding.right > 0) {
    Value last = b.sub(length, b.ints({1}));
    Value behind = isReflected ? b.sub(b.mul(last, b.ints({2})), source) : last;
    source = b.where(b.less(last, source), behind, source);
  }
  Value row = b.sub(source, firstRow);
  row = b.max(row, zero);
  row = b.min(row, b.ints({count - 1}));
  return b.gather(rows, row, axis);
}

FailureOr<Stream> Pulser::readWindows(Operation *op, Value old,
                                      const Stream &in, WindowForm form) {
  const PulsePadding &padding = form.padding;
  int64_t extent = form.extent, stride = form.stride;
  if (in.isRepeated)
    return fail(op) << "the sequence is in one dimension with others, which "
                       "its windows run over";
  for (int64_t size : {extent, stride, padding.left, padding.right})
    if (size > mostPositions || size < -mostPositions)
      return fail(op) << "its windows or padding have " << size
                      << " positions, expected at most " << mostPositions;
  if (in.size % stride != 0)
    return failSize(op, in, stride);
  // The window of output position 0 ends at this position of the stream, and
  // output positions come when their windows have.
  int64_t end = extent - 1 - padding.left + in.delay;
  int64_t delay = std::max<int64_t>(0, divideDown(end, stride));
  if (padding.left > 0 && padding.mode == Mode::Reflect)
    delay =
        std::max(delay, divideUp(in.delay + padding.left - stride + 1, stride));
  if (padding.left > 0 && padding.mode == Mode::Edge)
    delay = std::max(delay, divideUp(in.delay - stride + 1, stride));
  int64_t firstRow = end - stride * delay - (extent - 1);
  int64_t before = std::max<int64_t>(0, -firstRow);
  // What is behind the end is made of what was there before it.
  bool isConstant = padding.mode == Mode::Constant;
  if (!isConstant && padding.right > 0)
    before += (padding.mode == Mode::Reflect ? 2 : 1) * padding.right;

  ONNXBuilder b(builder, op->getLoc());
  bool hasFill = isNonZero(padding.fill);
  bool hasStart = isConstant && padding.left > 0 && (in.delay > 0 || hasFill);
  bool hasEnd = isConstant && padding.right > 0;
  Value x = in.value, rows = x;
  // Zeros are in the buffer as they come; other values are not at its start.
  if (!hasFill)
    rows = x = mask(in, x, 0, hasStart, hasEnd, {});
  int64_t count = in.size;
  if (before > 0) {
    Value buffer = makeBuffer(op, old, in.axis, before, "past");
    if (!buffer)
      return failure();
    rows = b.concat({buffer, x}, in.axis);
    count += before;
    setNext(buffer, before <= in.size
                        ? b.slice(x, in.axis, in.size - before, in.size)
                        : b.slice(rows, in.axis, in.size, count));
  }
  if (hasFill)
    rows = mask(in, rows, before, hasStart, hasEnd, padding.fill);
  if (!isConstant && (padding.left > 0 || padding.right > 0)) {
    // Sequence positions of the rows, and that of the first.
    Value positions = getPositions(in, before, count, 1);
    Value first = b.mul(getCount(), b.ints({in.size}));
    first = b.add(first, b.ints({-before - in.delay}));
    if (padding.right > 0)
      noteEnd(in);
    rows = continueSequence(b, rows, in.axis, positions, first,
                            padding.right > 0 ? getLength(in.length) : Value(),
                            padding, count);
  }
  int64_t from = before + firstRow, to = from + in.size - stride + extent;
  if (from != 0 || to != count)
    rows = b.slice(rows, in.axis, from, to);
  if (b.hasFailed())
    return failure();
  Stream out = in;
  out.padding.reset();
  out.value = rows;
  out.size = in.size / stride;
  out.delay = delay;
  out.denominator = multiply(out.denominator, stride);
  out.length =
      derive(in.length, 1, padding.left + padding.right - extent, stride, 1);
  return out;
}

FailureOr<Stream> Pulser::delayBy(Operation *op, Value old, const Stream &in,
                                  int64_t positions) {
  if (positions == 0)
    return in;
  if (in.isRepeated)
    return fail(op) << "it joins values of different delays whose sequence is "
                       "in one dimension with others";
  Value buffer = makeBuffer(op, old, in.axis, positions, "delayed");
  if (!buffer)
    return failure();
  ONNXBuilder b(builder, op->getLoc());
  Stream out = in;
  out.delay += positions;
  if (positions < in.size) {
    out.value = b.concat(
        {buffer, b.slice(in.value, in.axis, 0, in.size - positions)}, in.axis);
    setNext(buffer, b.slice(in.value, in.axis, in.size - positions, in.size));
  } else {
    Value rows = b.concat({buffer, in.value}, in.axis);
    out.value = b.slice(rows, in.axis, 0, in.size);
    setNext(buffer, b.slice(rows, in.axis, in.size, in.size + positions));
  }
  return out;
}

LogicalResult Pulser::align(Operation *op, ArrayRef<Value> olds,
                            SmallVectorImpl<std::pair<Value, Value>> &replaced,
                            Stream &result) {
  SmallVector<Value> streams;
  for (Value old : olds)
    if (isStream(old) && !llvm::is_contained(streams, old))
      streams.push_back(old);
  int64_t delay = 0;
  for (Value old : streams)
    delay = std::max(delay, getStream(op, old).delay);
  for (auto [i, old] : llvm::enumerate(streams)) {
    Stream stream = getStream(op, old);
    if (i != 0 &&
        (stream.size != result.size || stream.isRepeated != result.isRepeated))
      return fail(op) << "its operands have " << result.size << " and "
                      << stream.size
                      << " positions per pulse, expected as many";
    FailureOr<Stream> delayed = delayBy(op, old, stream, delay - stream.delay);
    if (failed(delayed))
      return failure();
    replaced.push_back({old, delayed->value});
    if (i == 0)
      result = *delayed;
  }
  return success();
}
