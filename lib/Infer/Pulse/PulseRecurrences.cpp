//===- PulseRecurrences.cpp - Pulses of what carries values ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operator carries from position to position goes on from pulse to
// pulse. Positions before the sequence's first one must not change it: where
// the sequence starts inside of a pulse, that pulse is computed in two parts,
// and the second one begins with the initial value.
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Recurrent.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;

/// Whether the value is computed from a state of the model, which then
/// carries it.
bool Pulser::comesFromState(Value old) {
  SmallVector<Value> work{old};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!value || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &entry.front() &&
          entry.getArgAttr(argument.getArgNumber(), model::state))
        return true;
      continue;
    }
    llvm::append_range(work, value.getDefiningOp()->getOperands());
  }
  return false;
}

SmallVector<Value> Pulser::carry(Operation *op, const Stream &in,
                                 ArrayRef<Carried> carried,
                                 ArrayRef<int64_t> axes, RunPart run) {
  ONNXBuilder b(builder, op->getLoc());
  int64_t startPulse = in.delay / in.size, rest = in.delay % in.size;
  auto isPulse = [&](int64_t number) {
    return b.make<EqualOp>({getCount(), b.ints({number})});
  };
  SmallVector<Value> values, initials;
  for (const Carried &value : carried) {
    Value initial = value.initialOld ? getNew(op, value.initialOld) : Value();
    // States begin as zeros by themselves.
    Value one = findOneValue(b, initial);
    bool isZero = !initial || (one && !isNonZero(one));
    if (isZero)
      initial =
          b.number(0.0, getElementType(value.state ? value.state : initial));
    initials.push_back(initial);
    values.push_back(value.state ? value.state : initial);
    if (rest == 0 && value.state && (in.delay > 0 || !isZero))
      values.back() = b.where(isPulse(startPulse), initial, value.state);
  }
  SmallVector<Value> results;
  if (rest > 0) {
    results = run(0, rest, values);
    for (auto [i, value] : llvm::enumerate(carried))
      values[i] = b.where(value.state ? isPulse(startPulse)
                                      : b.make<LessOrEqualOp>(
                                            {getCount(), b.ints({startPulse})}),
                          initials[i], results[i]);
  }
  SmallVector<Value> second = run(rest, in.size, values);
  if (rest > 0)
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Value &part = second[carried.size() + i];
      if (part)
        part = b.concat({results[carried.size() + i], part}, axis);
    }
  for (auto [i, value] : llvm::enumerate(carried)) {
    if (value.state)
      setNext(value.state, second[i]);
    // Before the sequence begins, the last value is the first.
    if (in.delay > 0 && second[i]) {
      Value isBefore = b.less(getCount(), b.ints({startPulse}));
      second[i] = b.where(isBefore, initials[i], second[i]);
    }
  }
  return second;
}

LogicalResult Pulser::checkRecurrent(Operation *op) {
  for (Value operand : op->getOperands().drop_front())
    if (isStream(operand))
      return fail(op) << "its weights or initial values depend on the sequence";
  if (op->getAttrOfType<StringAttr>("direction") &&
      op->getAttrOfType<StringAttr>("direction").getValue() != "forward")
    return fail(op) << "it reads the sequence from its end, too "
                       "(direction "
                    << op->getAttrOfType<StringAttr>("direction").getValue()
                    << ")";
  if (getFormal(op, "sequence_lens"))
    return fail(op) << "sequence_lens end each sequence by itself";
  return success();
}

LogicalResult Pulser::visitRecurrent(Operation *op) {
  if (failed(checkRecurrent(op)))
    return failure();
  Value old = op->getOperand(0);
  Stream in = getStream(op, old);
  auto layoutAttr = op->getAttrOfType<IntegerAttr>("layout");
  int64_t layout = layoutAttr ? layoutAttr.getInt() : 0;
  if (in.axis != layout || in.isRepeated)
    return fail(op) << "the sequence is not in its dimension of positions";
  auto type = cast<RankedTensorType>(old.getType());
  std::optional<int64_t> hidden = getDim(getFormal(op, "R"), 2);
  if (!hidden)
    return fail(op) << "its hidden size is not known";
  SmallVector<BufferDim> sizes(3, BufferDim{1, {}, 0});
  sizes[1 - layout] = {type.getDimSize(1 - layout), old, 1 - layout};
  sizes[2].known = *hidden;
  SmallVector<Carried> carried;
  SmallVector<StringRef> names{"initial_h"};
  if (isa<LSTMOp>(op))
    names.push_back("initial_c");
  for (StringRef name : names) {
    Carried &value = carried.emplace_back();
    value.initialOld = getFormal(op, name);
    if (value.initialOld && comesFromState(value.initialOld))
      continue;
    value.state =
        makeBuffer(op, type.getElementType(), sizes, name.take_back(1));
    if (!value.state)
      return failure();
  }
  ONNXBuilder b(builder, op->getLoc());
  RegisteredOperationName record = *op->getRegisteredInfo();
  auto run = [&](int64_t from, int64_t to, ArrayRef<Value> before) {
    NodeParts parts;
    for (const ValueSpec &spec : cast<SchemaOpInterface>(op).getOperandSpecs())
      parts.inputs.push_back(getNew(op, getFormal(op, spec.name)));
    if (from != 0 || to != in.size)
      parts.inputs[0] = b.slice(in.value, in.axis, from, to);
    for (auto [i, value] : llvm::enumerate(before))
      parts.inputs[5 + i] = value;
    for (NamedAttribute attribute : op->getAttrs())
      if (!attribute.getName().getValue().ends_with("SegmentSizes"))
        parts.attributes.push_back(attribute);
    parts.outputs.assign(1 + before.size(),
                         UnknownType::get(builder.getContext()));
    SmallVector<Value> results = b.make(record, std::move(parts));
    // The positions last.
    std::rotate(results.begin(), results.begin() + 1, results.end());
    return results;
  };
  // Of Y: [positions, directions, batch, hidden], or batch first.
  SmallVector<Value> results = carry(op, in, carried, {layout}, run);
  if (b.hasFailed())
    return failure();
  auto getResult = [&](StringRef name) -> Value {
    unsigned formal = 0, at = 0;
    SmallVector<int> segments = getResultSegments(op);
    for (const ValueSpec &spec : cast<SchemaOpInterface>(op).getResultSpecs()) {
      if (spec.name == name)
        return segments[formal] ? op->getResult(at) : Value();
      at += segments[formal++];
    }
    return {};
  };
  Stream out = in;
  out.value = results.back();
  set(getResult("Y"), out);
  setPlain(getResult("Y_h"), Kind::Running, results[0]);
  if (carried.size() > 1)
    setPlain(getResult("Y_c"), Kind::Running, results[1]);
  return success();
}

FailureOr<SmallVector<Pulser::Carried>>
Pulser::readCarried(Operation *op, ValueRange initials) {
  SmallVector<Carried> carried;
  for (Value initial : initials) {
    Carried &value = carried.emplace_back();
    value.initialOld = initial;
    if (isStream(initial))
      return fail(op) << "its initial values depend on the sequence";
    if (comesFromState(initial))
      continue;
    auto type = cast<RankedTensorType>(initial.getType());
    SmallVector<BufferDim> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back({type.getDimSize(dim), initial, dim});
    value.state = makeBuffer(op, type.getElementType(), sizes, "carried");
    if (!value.state)
      return failure();
  }
  return carried;
}

LogicalResult Pulser::visitScan(Operation *op) {
  auto scan = cast<ScanOp>(op);
  unsigned numInputs = scan.getNumScanInputs();
  unsigned numCarried = op->getNumOperands() - numInputs;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isStream(value) || get(value).kind == Kind::Sizes)
      return fail(op) << "its body reads the whole sequence";
  auto getItem = [](std::optional<ArrayRef<int64_t>> list, unsigned i) {
    return list && i < list->size() ? (*list)[i] : 0;
  };
  SmallVector<Value> inputs(op->getOperands().drop_front(numCarried));
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (getItem(scan.getScanInputDirections(), i) != 0)
      return fail(op) << "it reads the sequence from its end";
    int64_t axis = getItem(scan.getScanInputAxes(), i);
    axis = axis < 0 ? axis + *getRank(input) : axis;
    if (!isStream(input) || get(input).stream.axis != axis)
      return fail(op) << "not all that it scans are positions of the sequence";
  }
  SmallVector<std::pair<Value, Value>> aligned;
  Stream in;
  if (failed(align(op, inputs, aligned, in)))
    return failure();
  FailureOr<SmallVector<Carried>> carried =
      readCarried(op, op->getOperands().take_front(numCarried));
  if (failed(carried))
    return failure();
  SmallVector<int64_t> axes;
  for (auto [i, result] :
       llvm::enumerate(op->getResults().drop_front(numCarried))) {
    if (getItem(scan.getScanOutputDirections(), i) != 0)
      return fail(op) << "it writes the sequence from its end";
    int64_t axis = getItem(scan.getScanOutputAxes(), i);
    axes.push_back(axis < 0 ? axis + *getRank(result) : axis);
  }
  ONNXBuilder b(builder, op->getLoc());
  auto run = [&](int64_t from, int64_t to, ArrayRef<Value> before) {
    Operation *made = clone(op);
    for (auto [i, value] : llvm::enumerate(before))
      made->setOperand(i, value);
    for (unsigned i = 0; i < inputs.size(); ++i) {
      Value input = inputs[i];
      Value value = llvm::find_if(aligned, [&](auto &pair) {
                      return pair.first == input;
                    })->second;
      if (from != 0 || to != in.size)
        value = b.slice(value, get(input).stream.axis, from, to);
      made->setOperand(numCarried + i, value);
    }
    made->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    refineResults(made);
    return SmallVector<Value>(made->getResults());
  };
  SmallVector<Value> results = carry(op, in, *carried, axes, run);
  if (b.hasFailed())
    return failure();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (i < numCarried) {
      setPlain(result, Kind::Running, results[i]);
      continue;
    }
    Stream out = in;
    out.axis = axes[i - numCarried];
    out.value = results[i];
    set(result, out);
  }
  return success();
}

LogicalResult Pulser::visitCumSum(Operation *op) {
  auto sum = cast<CumSumOp>(op);
  Value old = sum.getX();
  std::optional<int64_t> axis = getConstantInteger(sum.getAxis(), 0);
  if (!isStream(old) || !axis)
    return fail(op) << "its axis is not a constant";
  Stream in = getStream(op, old);
  int64_t rank = *getRank(old);
  if ((*axis < 0 ? *axis + rank : *axis) != in.axis)
    return keep(op, in, in.axis);
  if (sum.getReverse())
    return fail(op) << "it sums from the end of the sequence";
  if (in.isRepeated)
    return fail(op) << "the sequence is in one dimension with others";
  ONNXBuilder b(builder, op->getLoc());
  Value x = mask(in, in.value, 0, in.delay > 0, false, {});
  Value state = makeBuffer(op, old, in.axis, 1, "sum");
  if (!state)
    return failure();
  Value own = clone(op, {{old, x}})->getResult(0);
  setNext(state, b.add(state, b.reduce<ReduceSumOp>(x, b.ints({in.axis}))));
  Stream out = in;
  out.value = b.add(own, state);
  set(op->getResult(0), out);
  return success(!b.hasFailed());
}
