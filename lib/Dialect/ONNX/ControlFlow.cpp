//===- ControlFlow.cpp - The ops of ControlFlow.td ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"

void ONNXDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/ControlFlow.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// What ends the subgraph; null where it is not there yet.
static YieldOp getYield(Region &region) {
  return region.empty() || region.front().empty()
             ? YieldOp()
             : dyn_cast<YieldOp>(region.front().back());
}

/// The element of a condition, if it is known.
static std::optional<bool> getKnownCondition(Value condition) {
  InferShapeBuilder builder(condition.getContext(), {}, 0, nullptr);
  auto elements = builder.constants(condition);
  if (!elements || elements->size() != 1)
    return std::nullopt;
  return elements->front() != 0;
}

/// Whether the op, which is run itself, is sure to run its region.
static bool runsRegion(Operation *op, Region *region) {
  auto is = [](Value value, auto holds) {
    InferShapeBuilder builder(value.getContext(), {}, 0, nullptr);
    auto elements = builder.constants(value);
    return elements && elements->size() == 1 && holds(elements->front());
  };
  auto isTrue = [&](Value value) {
    return !value || is(value, [](int64_t element) { return element != 0; });
  };
  if (auto branches = dyn_cast<IfOp>(op))
    // What is wrong for any sizes is wrong for the likely ones, too.
    return branches.getKnownBranch() == region ||
           (op->hasAttr(model::likelySizes) &&
            region == &branches.getElseBranch());
  if (auto loop = dyn_cast<LoopOp>(op))
    return isTrue(loop.getCond()) &&
           (!loop.getM() ||
            is(loop.getM(), [](int64_t count) { return count > 0; }));
  if (auto scan = dyn_cast<ScanOp>(op))
    // Of a tensor without an open dimension none is 0, or none is scanned.
    return llvm::any_of(
        scan.getInitialStateAndScanInputs().take_back(scan.getNumScanInputs()),
        [](Value input) {
          auto type = dyn_cast<RankedTensorType>(input.getType());
          return type && type.hasStaticShape() && type.getNumElements() > 0;
        });
  // Functions of the model are called from anywhere.
  return !isa<SequenceMapOp, NodeOp>(op) && !op->hasAttr(model::function);
}

bool onnxc::isConditional(Operation *op) {
  while (Region *region = op->getParentRegion()) {
    // The importer fills subgraphs before it makes their op.
    op = region->getParentOp();
    if (!op || !runsRegion(op, region))
      return true;
  }
  return false;
}

IfOp onnxc::getAssumedSizes(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto branches = dyn_cast<IfOp>(region->getParentOp()))
      if (auto named = branches->getAttrOfType<BoolAttr>(model::likelySizes);
          named && !named.getValue() && region == &branches.getThenBranch())
        return branches;
  return {};
}

FaultOp onnxc::getFault(Region &region) {
  if (!getYield(region))
    return {};
  Operation *last = region.front().back().getPrevNode();
  return dyn_cast_or_null<FaultOp>(last);
}

/// The type of a value that enters a loop. Of an empty sequence, which has the
/// elements of whatever joins it, the element type stays open.
static Type getInitialType(Value value) {
  if (isa<SeqType>(value.getType()) && isEmptySequence(value))
    return SeqType::get(value.getContext(),
                        UnknownType::get(value.getContext()));
  return value.getType();
}

/// The type of what is `initial` at first and `later` after each iteration;
/// null if nothing is known, or if the two have nothing in common. An optional
/// that later is what it may hold ends as that.
static Type getCarriedType(Value initial, Type later) {
  Type first = getInitialType(initial);
  if (isa<UnknownType>(later) || isa<UnknownType>(first))
    return {};
  if (auto optional = dyn_cast<OptType>(first);
      optional && !isa<OptType>(later))
    first = optional.getElementType();
  Type both = generalizeTypes(first, later);
  auto sequence = dyn_cast_or_null<SeqType>(both);
  return sequence && isa<UnknownType>(sequence.getElementType())
             ? initial.getType()
             : both;
}

/// What a body sees of a value that is carried as `carried`.
static Type getBodyType(Value initial, Type carried) {
  return carried && isa<OptType>(initial.getType()) && !isa<OptType>(carried)
             ? OptType::get(carried.getContext(), carried)
             : carried;
}

/// Whether an argument of a body can be of a type, as far as shapes do not
/// matter.
static bool admits(Type argument, Type type) {
  return !type || isa<UnknownType>(argument) || isa<UnknownType>(type) ||
         generalizeTypes(argument, type);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

Region *IfOp::getKnownBranch() {
  std::optional<bool> condition = getKnownCondition(getCond());
  if (!condition)
    return nullptr;
  Region &taken = *condition ? getThenBranch() : getElseBranch();
  // One that does not have the node's outputs cannot stand for it; the shape
  // rule reports it.
  YieldOp yield = getYield(taken);
  return yield && yield->getNumOperands() == getNumResults() ? &taken : nullptr;
}

LogicalResult IfOp::shape(ShapeBuilder &s, Adaptor op) {
  if (!requireScalar(s, op.getCond(), "if_cond: must be one boolean"))
    return failure();
  YieldOp yes = getYield(op.getThenBranch());
  YieldOp no = getYield(op.getElseBranch());
  if (!yes || !no)
    return s.asDeclared();
  if (!s.require(op.getThenBranch().getNumArguments() == 0 &&
                     op.getElseBranch().getNumArguments() == 0,
                 "if_inputs: a branch must have no inputs"))
    return failure();
  // Models made for Caffe2 do not say what their branches return. They can be
  // rewritten; inference refuses them.
  if (yes->getNumOperands() == 0 && no->getNumOperands() == 0)
    return s.asDeclared();
  if (!s.require(yes->getNumOperands() == no->getNumOperands(),
                 "if_c1: the branches must have the same number of outputs") ||
      !s.require(yes->getNumOperands() == s.getNumResults(),
                 "if_c2: the branches must have as many outputs as the node"))
    return failure();
  // Each output is what both branches can yield, or the one that is taken.
  std::optional<bool> condition = getKnownCondition(op.getCond());
  for (auto [i, a, b] :
       llvm::enumerate(yes->getOperandTypes(), no->getOperandTypes())) {
    Type type;
    if (condition)
      type = *condition ? a : b;
    else if (!isa<UnknownType>(a) && !isa<UnknownType>(b))
      type = generalizeTypes(a, b);
    if (!s.require(type || isa<UnknownType>(a) || isa<UnknownType>(b),
                   "if_types: output " + llvm::Twine(i) +
                       " of the branches must be of one type") ||
        failed(s.resultType(i, isa_and_present<UnknownType>(type) ? Type()
                                                                  : type)))
      return failure();
  }
  return s.asDeclared();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// How often the body runs, where that is settled before it does: a count, and
/// a condition that stays true.
static Dim getTripCount(ShapeBuilder &s, LoopOp::Adaptor op, Block &body,
                        YieldOp yield) {
  std::optional<bool> enters = true;
  if (op.getCond())
    enters = getKnownCondition(op.getCond());
  if (enters == false)
    return s.constant(0);
  if (!op.getM())
    return s.unknown();
  Value next = yield.getValues()[0];
  while (auto identity = next.getDefiningOp<IdentityOp>())
    next = identity.getInput();
  bool passedOn = next == body.getArgument(1);
  bool staysTrue =
      enters == true && (passedOn || getKnownCondition(next) == true);
  if (!staysTrue)
    return s.unknown();
  return s.max(s.value(op.getM(), 0), s.constant(0));
}

LogicalResult LoopOp::shape(ShapeBuilder &s, Adaptor op) {
  if (op.getM() &&
      !requireScalar(s, op.getM(), "loop_m: the trip count must be one number"))
    return failure();
  if (op.getCond() &&
      !requireScalar(s, op.getCond(), "loop_cond: must be one boolean"))
    return failure();
  YieldOp yield = getYield(op.getBody());
  if (!yield)
    return s.asDeclared();
  Block &body = op.getBody().front();
  size_t carried = op.getVInitial().size();
  if (!s.require(body.getNumArguments() == carried + 2,
                 "loop_c1: the body must have an input for the iteration, one "
                 "for the condition and one per carried value, has " +
                     llvm::Twine(body.getNumArguments()) + " for " +
                     llvm::Twine(carried) + " values") ||
      !s.require(yield->getNumOperands() == s.getNumResults() + 1 &&
                     s.getNumResults() >= carried,
                 "loop_c2: the body must have an output for the condition and "
                 "one per output of the node, has " +
                     llvm::Twine(yield->getNumOperands())))
    return failure();
  for (auto [i, initial] : llvm::enumerate(op.getVInitial())) {
    Type later = yield.getValues()[i + 1].getType();
    Type type = getCarriedType(initial, later);
    if (!s.require(type || isa<UnknownType>(later) ||
                       isa<UnknownType>(initial.getType()),
                   "loop_carried: value " + llvm::Twine(i) +
                       " must be of one type before and after an iteration") ||
        !s.require(admits(body.getArgument(i + 2).getType(),
                          getBodyType(initial, type)),
                   "loop_inputs: input " + llvm::Twine(i + 2) +
                       " of the body must have the type of what it carries") ||
        failed(s.resultType(i, type)))
      return failure();
  }
  Dim count = getTripCount(s, op, body, yield);
  for (size_t i = carried, e = s.getNumResults(); i < e; ++i) {
    Type each = yield.getValues()[i + 1].getType();
    if (isa<UnknownType>(each))
      continue;
    auto tensor = dyn_cast<TensorType>(each);
    if (!s.require(!!tensor, "loop_scan: output " + llvm::Twine(i + 1) +
                                 " of the body must be a tensor"))
      return failure();
    Dims dims = {count};
    if (tensor.hasRank())
      for (int64_t size : tensor.getShape())
        dims.push_back(ShapedType::isDynamic(size) ? s.unknown()
                                                   : s.constant(size));
    if (failed(tensor.hasRank() ? s.result(i, tensor.getElementType(), dims)
                                : s.unranked(i, tensor.getElementType())))
      return failure();
  }
  return s.asDeclared();
}

llvm::SmallVector<Type> LoopOp::getBodyArgumentTypes(bool later) {
  YieldOp yield = getYield(getBody());
  llvm::SmallVector<Type> types = {
      RankedTensorType::get({}, IntegerType::get(getContext(), 64)),
      RankedTensorType::get({}, IntegerType::get(getContext(), 1))};
  for (auto [i, initial] : llvm::enumerate(getVInitial())) {
    types.push_back(
        later ? getBodyType(
                    initial,
                    getCarriedType(initial, yield.getValues()[i + 1].getType()))
              : getInitialType(initial));
  }
  return types;
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// Entry `i` of an attribute that may be absent, which means zeros.
static int64_t getEntry(std::optional<llvm::ArrayRef<int64_t>> list, size_t i) {
  return list ? (*list)[i] : 0;
}

/// All states have one shape in every iteration, so all that is known holds.
static Type getStateType(Type initial, Type later) {
  return joinTypes(initial, later);
}

/// That the attributes fit `states` states, `scanned` scan inputs and `outputs`
/// scan outputs.
static LogicalResult checkAttributes(ShapeBuilder &s, ScanOp::Adaptor op,
                                     int64_t states, int64_t scanned,
                                     int64_t outputs) {
  auto fits = [&](std::optional<llvm::ArrayRef<int64_t>> list, int64_t size) {
    return !list || static_cast<int64_t>(list->size()) == size;
  };
  auto areDirections = [](std::optional<llvm::ArrayRef<int64_t>> list) {
    return !list || llvm::all_of(*list, [](int64_t direction) {
      return direction == 0 || direction == 1;
    });
  };
  return success(
      s.require(scanned >= 1 && states >= 0 && outputs >= 0,
                "scan_num_scan_inputs: must leave an input per state, is " +
                    llvm::Twine(scanned) + " of " +
                    llvm::Twine(states + scanned)) &&
      s.require(fits(op.getScanInputAxes(), scanned) &&
                    fits(op.getScanInputDirections(), scanned) &&
                    fits(op.getScanOutputAxes(), outputs) &&
                    fits(op.getScanOutputDirections(), outputs),
                "scan_c1: axes and directions must have an element per scan "
                "input or output") &&
      s.require(areDirections(op.getScanInputDirections()) &&
                    areDirections(op.getScanOutputDirections()),
                "scan_directions: must be 0 (forward) or 1 (backward)"));
}

/// The number of iterations, which all scan inputs have along their axes.
static FailureOr<Dim> getScanLength(ShapeBuilder &s, ScanOp::Adaptor op,
                                    ValueRange scanInputs) {
  Dim length = s.unknown();
  for (auto [i, input] : llvm::enumerate(scanInputs)) {
    if (!s.ranked(input))
      continue;
    int64_t axis = s.axis(getEntry(op.getScanInputAxes(), i), s.rank(input),
                          "scan_input_axes");
    if (s.hasFailed())
      return failure();
    Dim size = s.dim(input, axis);
    length = i == 0 ? size : s.same(size, length, "scan_length");
  }
  return length;
}

/// Result `index`, whose elements of type `each` lie along `axis`.
static LogicalResult stackScanOutput(ShapeBuilder &s, unsigned index,
                                     TensorType each, int64_t axis,
                                     Dim length) {
  if (!each.hasRank())
    return s.unranked(index, each.getElementType());
  axis = s.axis(axis, each.getRank() + 1, "scan_output_axes");
  if (s.hasFailed())
    return failure();
  Dims dims;
  for (int64_t size : each.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? s.unknown()
                                               : s.constant(size));
  dims.insert(dims.begin() + axis, length);
  return s.result(index, each.getElementType(), dims);
}

LogicalResult ScanOp::shape(ShapeBuilder &s, Adaptor op) {
  ValueRange inputs = op.getInitialStateAndScanInputs();
  int64_t scanned = op.getNumScanInputs();
  int64_t states = static_cast<int64_t>(inputs.size()) - scanned;
  int64_t outputs = static_cast<int64_t>(s.getNumResults()) - states;
  if (failed(checkAttributes(s, op, states, scanned, outputs)))
    return failure();
  FailureOr<Dim> length = getScanLength(s, op, inputs.drop_front(states));
  if (failed(length))
    return failure();

  YieldOp yield = getYield(op.getBody());
  if (!yield)
    return s.asDeclared();
  Block &body = op.getBody().front();
  if (!s.require(body.getNumArguments() == inputs.size() &&
                     yield->getNumOperands() == s.getNumResults(),
                 "scan_c2: the body must have as many inputs and outputs as "
                 "the node"))
    return failure();
  for (int64_t i = 0; i < states; ++i) {
    Type type =
        getStateType(inputs[i].getType(), yield.getValues()[i].getType());
    if (!s.require(!!type, "scan_state: state " + llvm::Twine(i) +
                               " must have one type and shape in all "
                               "iterations") ||
        failed(s.resultType(i, isa<UnknownType>(type) ? Type() : type)))
      return failure();
  }
  for (int64_t i = 0; i < outputs; ++i) {
    auto each = dyn_cast<TensorType>(yield.getValues()[states + i].getType());
    if (each &&
        failed(stackScanOutput(s, states + i, each,
                               getEntry(op.getScanOutputAxes(), i), *length)))
      return failure();
  }
  return s.asDeclared();
}

llvm::SmallVector<Type> ScanOp::getBodyArgumentTypes(bool later) {
  ValueRange inputs = getInitialStateAndScanInputs();
  size_t states = inputs.size() - getNumScanInputs();
  YieldOp yield = getYield(getBody());
  llvm::SmallVector<Type> types;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Type type = input.getType();
    if (i < states) {
      Type both =
          later ? getStateType(type, yield.getValues()[i].getType()) : type;
      types.push_back(both ? both : type);
      continue;
    }
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked) {
      types.push_back(type);
      continue;
    }
    int64_t axis = getEntry(getScanInputAxes(), i - states);
    llvm::SmallVector<int64_t> shape(ranked.getShape());
    shape.erase(shape.begin() + (axis < 0 ? axis + ranked.getRank() : axis));
    types.push_back(RankedTensorType::get(shape, ranked.getElementType()));
  }
  return types;
}

//===----------------------------------------------------------------------===//
// SequenceMap
//===----------------------------------------------------------------------===//

/// What the body sees of an input: an element of a sequence, or all of a
/// tensor.
static Type getMappedType(Value input) {
  if (auto sequence = dyn_cast<SeqType>(input.getType()))
    return sequence.getElementType();
  return input.getType();
}

LogicalResult SequenceMapOp::shape(ShapeBuilder &s, Adaptor op) {
  YieldOp yield = getYield(op.getBody());
  if (!yield)
    return s.asDeclared();
  Block &body = op.getBody().front();
  size_t inputs = op.getAdditionalInputs().size() + 1;
  if (!s.require(body.getNumArguments() == inputs &&
                     yield->getNumOperands() == s.getNumResults(),
                 "sequencemap_c1: the body must have as many inputs and "
                 "outputs as the node"))
    return failure();
  auto checkInput = [&](size_t i, Value input) {
    return s.require(
        admits(body.getArgument(i).getType(), getMappedType(input)),
        "sequencemap_inputs: input " + llvm::Twine(i) +
            " of the body must have the type of the elements");
  };
  if (!checkInput(0, op.getInputSequence()))
    return failure();
  for (auto [i, input] : llvm::enumerate(op.getAdditionalInputs()))
    if (!checkInput(i + 1, input))
      return failure();
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    if (isa<UnknownType>(value.getType()))
      continue;
    if (!s.require(isa<TensorType>(value.getType()),
                   "sequencemap_outputs: output " + llvm::Twine(i) +
                       " of the body must be a tensor") ||
        failed(s.resultType(i, SeqType::get(s.getContext(), value.getType()))))
      return failure();
  }
  return s.asDeclared();
}

llvm::SmallVector<Type> SequenceMapOp::getBodyArgumentTypes(bool) {
  llvm::SmallVector<Type> types = {getMappedType(getInputSequence())};
  for (Value input : getAdditionalInputs())
    types.push_back(getMappedType(input));
  return types;
}
