//===- ControlFlow.cpp - If, Loop, Scan, SequenceMap ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subgraph is lowered where it stands; then its ops move into the region of
// an scf op. A value that flows in or out changes its form there: tensors of
// known rank become handles (docs/decisions/006) where either may arrive.
//
//===----------------------------------------------------------------------===//

#include "Fault.h"
#include "Handles.h"
#include "Lowering.h"
#include "SettledSizes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Messages.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Values that flow into and out of subgraphs
//===----------------------------------------------------------------------===//

static Type withoutOptional(Type type) {
  auto optional = dyn_cast<OptType>(type);
  return optional ? optional.getElementType() : type;
}

/// Whether a value of type `from` can stand where one of type `to` is expected,
/// if need be after a check when run. That check may fail always: a branch may
/// be there for other ranks than the model declares.
static bool canPass(Lowering &l, Type from, Type to) {
  if (!l.convert(from) || !l.convert(to))
    return false;
  if (isa<OptType>(from) != isa<OptType>(to))
    return canPass(l, withoutOptional(from), withoutOptional(to));
  auto x = dyn_cast<TensorType>(from), y = dyn_cast<TensorType>(to);
  if (!x || !y)
    return !x && !y;
  return x.getElementType() == y.getElementType();
}

/// A converted value of ONNX type `from` as what stands for one of type `to`.
static Value pass(Lowering &l, Value value, Type from, Type to,
                  const Twine &what) {
  auto dtype = [](Type type) {
    return getDataType(cast<TensorType>(type).getElementType());
  };
  // An optional input of a loop may become the value itself.
  if (isa<OptType>(from) && !isa<OptType>(to))
    return pass(l, callOnHandles(l, "optional_get", value),
                withoutOptional(from), to, what);
  if (isa<OptType>(to) && !isa<OptType>(from))
    return callOnHandles(l, "optional_some",
                         isHandle(value) ? value : l.box(value, dtype(from)));
  auto type = dyn_cast<RankedTensorType>(l.convert(to));
  if (!isa<RankedTensorType>(value.getType()))
    return type ? l.unbox(value, type, dtype(to)) : value;
  if (!type)
    return l.box(value, dtype(from));
  if (succeeded(verifyCompatibleShape(value.getType(), type)))
    return l.asDeclared(value, type, what);
  l.check(l.constant(l.b.getBoolAttr(false)),
          what + " is of type " + spellType(from) + ", expected " +
              spellType(to));
  Sizes sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(l.attr(ShapedType::isDynamic(size) ? 0 : size));
  return l.castTo(l.empty(sizes, type.getElementType()), type);
}

namespace {

/// The subgraph of an op on its way into the region of an scf op.
class Body {
public:
  /// What the subgraph takes and yields, as ONNX types them.
  Body(Lowering &l, Region &region)
      : l(l), region(region), argumentTypes(region.getArgumentTypes()) {
    if (!region.empty() && !region.front().empty())
      if (auto yield = dyn_cast<YieldOp>(region.front().back()))
        llvm::append_range(yieldedTypes, yield->getOperandTypes());
  }

  /// Whether it takes and yields so many values, all of which can be lowered.
  LogicalResult check(size_t numArguments, size_t numYielded) {
    if (argumentTypes.size() != numArguments ||
        yieldedTypes.size() != numYielded)
      return l.invalid("its subgraph must have " + Twine(numArguments) +
                       " inputs and " + Twine(numYielded) + " outputs");
    for (Type type : llvm::concat<const Type>(argumentTypes, yieldedTypes))
      if (!l.convert(type))
        return l.fail("a value of type " + spellType(type) +
                      " in its subgraph");
    return success();
  }

  LogicalResult checkTake(size_t index, Type from) {
    return checkPass(from, argumentTypes[index],
                     "input " + Twine(index) + " of its subgraph");
  }
  LogicalResult checkYield(size_t index, Type to) {
    return checkPass(yieldedTypes[index], to,
                     "output " + Twine(index) + " of its subgraph");
  }

  /// Lowers the ops of the op's subgraphs. Nothing may fail from here on.
  static void lower(Lowering &l, MutableArrayRef<Body> bodies);

  /// A value as what the subgraph takes.
  Value take(size_t index, Value value, Type from) {
    return pass(l, value, from, argumentTypes[index],
                "input " + Twine(index) + " of the subgraph");
  }
  /// The one number that the subgraph takes.
  Value takeScalar(size_t index, Value scalar) {
    return l.fromScalars(
        cast<RankedTensorType>(l.convert(argumentTypes[index])), scalar);
  }
  bool takesScalar(size_t index) { return isScalar(argumentTypes[index]); }
  /// Whether it yields one number, or what may be one when the model runs.
  bool yieldsScalar(size_t index) {
    return isScalar(yieldedTypes[index]) ||
           isa<UnrankedTensorType>(yieldedTypes[index]);
  }

  /// Moves the ops to the end of the block that is written to.
  void inlineHere(ValueRange arguments) {
    l.b.eraseOp(block->getTerminator());
    Block *target = l.b.getInsertionBlock();
    for (Value &value : yielded)
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && argument.getOwner() == block)
        value = arguments[argument.getArgNumber()];
    l.b.inlineBlockBefore(block, target, target->end(), arguments);
    l.b.setInsertionPointToEnd(target);
  }

  /// What the subgraph yields, as what stands for a value of type `to`.
  Value yieldAs(size_t index, Type to) {
    return pass(l, yielded[index], yieldedTypes[index], to,
                "output " + Twine(index) + " of the subgraph");
  }

  /// Sizes of a yielded tensor, as far as they are settled before the subgraph
  /// runs. `settle` may tell the size of an argument's dimension.
  std::optional<Sizes>
  sizesBefore(size_t index,
              llvm::function_ref<OpFoldResult(unsigned, int64_t)> settle);

  /// Whether the yielded condition is that of the last iteration, or true.
  bool keepsCondition(size_t yieldedIndex, size_t argumentIndex) {
    Value next = yielded[yieldedIndex];
    if (next == block->getArgument(argumentIndex))
      return true;
    if (isHandle(next))
      return false;
    std::optional<SmallVector<int64_t>> known = l.constants(next);
    return known && known->front() != 0;
  }

  Lowering &l;
  Region &region;
  Block *block = nullptr;
  SmallVector<Type> argumentTypes, yieldedTypes;
  /// Converted.
  SmallVector<Value> yielded;

private:
  LogicalResult checkPass(Type from, Type to, const Twine &what) {
    if (canPass(l, from, to))
      return success();
    return l.fail(what + " of type " + spellType(from) + ", where " +
                  spellType(to) + " is expected");
  }
  bool isScalar(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
  }
};

} // namespace

void Body::lower(Lowering &l, MutableArrayRef<Body> bodies) {
  for (Body &body : bodies) {
    OpBuilder::InsertionGuard guard(l.b);
    // What has no lowering stays, and is reported in the end.
    (void)l.b.legalize(&body.region);
  }
  // Only from here on do remapped values last.
  l.refreshOperands();
  for (Body &body : bodies) {
    body.block = &body.region.front();
    auto yield = cast<YieldOp>(body.block->getTerminator());
    // Every value of a type that check() has seen can be remapped.
    (void)l.b.getRemappedValues(yield->getOperands(), body.yielded);
  }
}

std::optional<Sizes>
Body::sizesBefore(size_t index,
                  llvm::function_ref<OpFoldResult(unsigned, int64_t)> settle) {
  Sizes sizes;
  {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPoint(block->getTerminator());
    sizes = l.sizes(yielded[index]);
  }
  SettledSizes settled(l, region, settle);
  for (OpFoldResult &size : sizes) {
    size = settled.of(size);
    if (!size)
      return std::nullopt;
  }
  return sizes;
}

/// The one element of a condition or a count. Of a tensor whose rank is not
/// known it is checked when the model runs that it has just that.
static Value onlyElement(Lowering &l, Value tensor) {
  if (!isHandle(tensor))
    return l.scalar(tensor);
  return callOnHandles(l, "integer_of", tensor);
}

static Value onlyCondition(Lowering &l, Value tensor) {
  Value element = onlyElement(l, tensor);
  if (!isHandle(tensor))
    return element;
  return arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::ne, element,
                               integer(l, 0));
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

static LogicalResult lowerIf(IfOp op, IfOp::Adaptor operands, Lowering &l) {
  Body branches[] = {{l, op.getThenBranch()}, {l, op.getElseBranch()}};
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(l.convert(type));
  for (Body &branch : branches) {
    if (failed(branch.check(0, op->getNumResults())))
      return failure();
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      if (failed(branch.checkYield(i, type)))
        return failure();
  }
  Body::lower(l, branches);

  auto choice =
      scf::IfOp::create(l.b, l.loc, types, onlyCondition(l, operands.getCond()),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [branch, region] : llvm::zip(branches, choice->getRegions())) {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToEnd(&region.front());
    branch.inlineHere({});
    SmallVector<Value> values;
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      values.push_back(branch.yieldAs(i, type));
    scf::YieldOp::create(l.b, l.loc, values);
  }
  return l.replace(choice.getResults());
}

//===----------------------------------------------------------------------===//
// Outputs that gather a tensor from each iteration
//===----------------------------------------------------------------------===//

namespace {

/// Where both the number of iterations and the sizes are known before the first
/// one, the tensors are put into their place in the whole one, which the loop
/// carries. Else a stack of the runtime (Stack.h) grows with them.
class Gatherer {
public:
  Gatherer(Lowering &l, Body &body, size_t index, int64_t axis, bool isBackward)
      : l(l), body(body), index(index), isBackward(isBackward),
        each(cast<RankedTensorType>(l.convert(body.yieldedTypes[index]))),
        axis(axis < 0 ? axis + each.getRank() + 1 : axis) {}

  /// Before the loop: adds what it is to carry to `inits`.
  void begin(OpFoldResult count, std::optional<Sizes> eachSizes,
             SmallVectorImpl<Value> &inits);
  /// In the loop, which carries `carried`: adds what is carried on to `next`.
  void add(OpFoldResult iteration, OpFoldResult count, ValueRange carried,
           SmallVectorImpl<Value> &next);
  /// Behind the loop, which carried `carried`. Returns the whole tensor.
  Value end(OpFoldResult count, ValueRange carried);

private:
  Lowering &l;
  Body &body;
  size_t index;
  bool isBackward;
  RankedTensorType each;
  int64_t axis;
  /// Null where the loop carries the whole tensor, as its value `place`.
  Value stack;
  size_t place = 0;
};

} // namespace

void Gatherer::begin(OpFoldResult count, std::optional<Sizes> eachSizes,
                     SmallVectorImpl<Value> &inits) {
  if (!count || !eachSizes) {
    stack = l.call("stack_new", {}, {}, l.b.getI64Type(), {}, /*stateful=*/true)
                .front();
    return;
  }
  // Where no iteration runs, no check of the body tells that there are none.
  for (OpFoldResult &size : *eachSizes)
    if (auto value = dyn_cast<Value>(size);
        value && !value.getDefiningOp<tensor::DimOp>())
      size = l.max(size, l.attr(0));
  eachSizes->insert(eachSizes->begin() + axis, count);
  place = inits.size();
  inits.push_back(l.empty(*eachSizes, each.getElementType()));
}

void Gatherer::add(OpFoldResult iteration, OpFoldResult count,
                   ValueRange carried, SmallVectorImpl<Value> &next) {
  Value tensor = body.yielded[index];
  if (stack) {
    l.call("stack_push", {stack, tensor}, {}, {}, {}, /*stateful=*/true);
    return;
  }
  Sizes at(each.getRank() + 1, l.attr(0)), one(at.size(), l.attr(1));
  at[axis] = isBackward ? l.sub(l.sub(count, l.attr(1)), iteration) : iteration;
  Sizes sizes = l.sizes(tensor);
  sizes.insert(sizes.begin() + axis, l.attr(1));
  next.push_back(tensor::InsertSliceOp::create(l.b, l.loc, tensor,
                                               carried[place], at, sizes, one));
}

Value Gatherer::end(OpFoldResult count, ValueRange carried) {
  if (!stack)
    return carried[place];
  Sizes sizes;
  for (int64_t i = 0; i < each.getRank(); ++i) {
    if (!each.isDynamicDim(i)) {
      sizes.push_back(l.attr(each.getDimSize(i)));
      continue;
    }
    sizes.push_back(l.call("stack_dim", {stack, l.index(i)}, {},
                           l.b.getIndexType(), {}, /*stateful=*/true)
                        .front());
  }
  sizes.insert(sizes.begin() + axis, count);
  SmallVector<Value> inputs = {stack, l.index(axis), l.index(isBackward)};
  return l
      .call("stack_take", inputs, l.empty(sizes, each.getElementType()), {}, {},
            /*stateful=*/true)
      .front();
}

/// scf.for from 0 to `count`, with an empty body to write to.
static scf::ForOp createFor(Lowering &l, OpFoldResult count, ValueRange inits) {
  Value zero = l.index(0);
  Value end = l.asValue(count);
  return scf::ForOp::create(l.b, l.loc, zero, end, l.index(1), inits,
                            [](OpBuilder &, Location, Value, ValueRange) {});
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {

class LoopLowering {
public:
  LoopLowering(LoopOp op, LoopOp::Adaptor operands, Lowering &l)
      : op(op), operands(operands), l(l), body(l, op.getBody()),
        numCarried(op.getVInitial().size()) {}

  LogicalResult run();

private:
  LogicalResult check();
  void writeFor(OpFoldResult count);
  void writeWhile(Value condition);
  /// The body at the insertion point; what is carried on.
  SmallVector<Value> writeBody(Value iteration, Value condition,
                               OpFoldResult count, ValueRange carried);
  void finish(OpFoldResult count, ValueRange carried);

  LoopOp op;
  LoopOp::Adaptor operands;
  Lowering &l;
  Body body;
  size_t numCarried;
  SmallVector<Value> inits;
  SmallVector<Gatherer> gatherers;
  SmallVector<Value> results;
};

} // namespace

LogicalResult LoopLowering::check() {
  size_t numResults = op->getNumResults();
  if (numResults < numCarried)
    return l.invalid("it must have an output for each value that it carries");
  if (failed(body.check(numCarried + 2, numResults + 1)))
    return failure();
  if (!body.takesScalar(0) || !body.takesScalar(1) || !body.yieldsScalar(0))
    return l.invalid("the count and the condition must be scalars");
  for (auto [i, initial] : llvm::enumerate(op.getVInitial()))
    if (failed(body.checkTake(i + 2, initial.getType())) ||
        failed(body.checkYield(i + 1, body.argumentTypes[i + 2])) ||
        !canPass(l, body.argumentTypes[i + 2], op->getResult(i).getType()))
      return l.fail("carried value " + Twine(i) + " of several types");
  for (size_t i = numCarried; i < numResults; ++i)
    if (!isa<RankedTensorType>(body.yieldedTypes[i + 1]) ||
        !isa<RankedTensorType>(op->getResult(i).getType()))
      return l.fail("output " + Twine(i) + " has no known rank");
  return success();
}

LogicalResult LoopLowering::run() {
  if (failed(check()))
    return failure();
  Body::lower(l, body);
  for (auto [i, initial, value] :
       llvm::enumerate(op.getVInitial(), operands.getVInitial()))
    inits.push_back(body.take(i + 2, value, initial.getType()));
  Value condition = operands.getCond() ? onlyCondition(l, operands.getCond())
                                       : l.constant(l.b.getBoolAttr(true));
  // A value that starts with a size which it does not keep would lose the new
  // one in an scf.for: its canonicalization moves the cast of the first value
  // behind the loop, as if nothing could grow.
  bool keepsTypes =
      llvm::equal(ValueRange(operands.getVInitial()).getTypes(),
                  ValueRange(inits).take_front(numCarried).getTypes());
  if (operands.getM() && keepsTypes && body.keepsCondition(0, 1)) {
    // It runs to the end, or not at all.
    OpFoldResult count =
        l.max(l.asIndex(onlyElement(l, operands.getM())), l.attr(0));
    if (operands.getCond()) {
      Value steps = l.asValue(count);
      count = getAsOpFoldResult(l.b.createOrFold<arith::SelectOp>(
          l.loc, condition, steps, l.index(0)));
    }
    writeFor(count);
  } else {
    writeWhile(condition);
  }
  return l.replace(results);
}

SmallVector<Value> LoopLowering::writeBody(Value iteration, Value condition,
                                           OpFoldResult count,
                                           ValueRange carried) {
  SmallVector<Value> arguments = {
      body.takeScalar(0, l.asElement(iteration, l.b.getI64Type())),
      body.takeScalar(1, condition)};
  llvm::append_range(arguments, carried.take_front(numCarried));
  body.inlineHere(arguments);
  SmallVector<Value> next;
  for (size_t i = 0; i < numCarried; ++i)
    next.push_back(body.yieldAs(i + 1, body.argumentTypes[i + 2]));
  for (Gatherer &gatherer : gatherers)
    gatherer.add(iteration, count, carried, next);
  return next;
}

void LoopLowering::writeFor(OpFoldResult count) {
  for (size_t i = numCarried; i < op->getNumResults(); ++i) {
    gatherers.emplace_back(l, body, i + 1, /*axis=*/0, /*isBackward=*/false);
    // Sizes of carried values may change.
    auto settle = [](unsigned, int64_t) { return OpFoldResult(); };
    gatherers.back().begin(count, body.sizesBefore(i + 1, settle), inits);
  }
  scf::ForOp loop = createFor(l, count, inits);
  {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(l.b, l.loc,
                         writeBody(loop.getInductionVar(),
                                   l.constant(l.b.getBoolAttr(true)), count,
                                   loop.getRegionIterArgs()));
  }
  finish(count, loop.getResults());
}

void LoopLowering::writeWhile(Value condition) {
  for (size_t i = numCarried; i < op->getNumResults(); ++i) {
    gatherers.emplace_back(l, body, i + 1, /*axis=*/0, /*isBackward=*/false);
    gatherers.back().begin(OpFoldResult(), std::nullopt, inits);
  }
  Value limit = operands.getM()
                    ? l.asValue(l.asIndex(onlyElement(l, operands.getM())))
                    : Value();
  SmallVector<Value> starts = {l.index(0), condition};
  llvm::append_range(starts, inits);
  SmallVector<Type> types(ValueRange(starts).getTypes());
  SmallVector<Location> locs(types.size(), l.loc);
  auto loop = scf::WhileOp::create(l.b, l.loc, types, starts);
  {
    OpBuilder::InsertionGuard guard(l.b);
    Block *before = l.b.createBlock(&loop.getBefore(), {}, types, locs);
    Value goes = before->getArgument(1);
    if (limit) {
      Value isBelow = arith::CmpIOp::create(
          l.b, l.loc, arith::CmpIPredicate::slt, before->getArgument(0), limit);
      goes = arith::AndIOp::create(l.b, l.loc, goes, isBelow);
    }
    scf::ConditionOp::create(l.b, l.loc, goes, before->getArguments());

    Block *after = l.b.createBlock(&loop.getAfter(), {}, types, locs);
    Value iteration = after->getArgument(0);
    SmallVector<Value> carried =
        writeBody(iteration, after->getArgument(1), OpFoldResult(),
                  after->getArguments().drop_front(2));
    SmallVector<Value> next = {l.asValue(l.add(iteration, l.attr(1))),
                               onlyCondition(l, body.yielded[0])};
    llvm::append_range(next, carried);
    scf::YieldOp::create(l.b, l.loc, next);
  }
  finish(loop.getResult(0), loop.getResults().drop_front(2));
}

void LoopLowering::finish(OpFoldResult count, ValueRange carried) {
  for (size_t i = 0; i < numCarried; ++i)
    results.push_back(pass(l, carried[i], body.argumentTypes[i + 2],
                           op->getResult(i).getType(), "an output"));
  for (Gatherer &gatherer : gatherers)
    results.push_back(gatherer.end(count, carried));
}

static LogicalResult lowerLoop(LoopOp op, LoopOp::Adaptor operands,
                               Lowering &l) {
  return LoopLowering(op, operands, l).run();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

namespace {

class ScanLowering {
public:
  ScanLowering(ScanOp op, ScanOp::Adaptor operands, Lowering &l)
      : op(op), inputs(operands.getInitialStateAndScanInputs()), l(l),
        body(l, op.getBody()),
        numStates(inputs.size() -
                  std::min<size_t>(inputs.size(), op.getNumScanInputs())) {}

  LogicalResult run();

private:
  LogicalResult check();
  /// Entry `index` of an attribute that may be absent, which means zeros.
  static int64_t entry(std::optional<ArrayRef<int64_t>> list, size_t index) {
    return list && index < list->size() ? (*list)[index] : 0;
  }
  int64_t inputAxis(size_t index) {
    int64_t axis = entry(op.getScanInputAxes(), index - numStates);
    return axis < 0 ? axis + Lowering::rank(inputs[index]) : axis;
  }
  /// The type of a slice of an input, whose own type is given.
  RankedTensorType sliceType(size_t index, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape.erase(shape.begin() + inputAxis(index));
    return RankedTensorType::get(shape, tensor.getElementType());
  }
  Value slice(size_t index, Value iteration, OpFoldResult count);
  SmallVector<Value> writeBody(Value iteration, OpFoldResult count,
                               ValueRange carried);

  ScanOp op;
  ValueRange inputs;
  Lowering &l;
  Body body;
  size_t numStates;
  SmallVector<Value> inits;
  SmallVector<Gatherer> gatherers;
};

} // namespace

LogicalResult ScanLowering::check() {
  if (op.getNumScanInputs() < 1 || numStates > op->getNumResults() ||
      numStates + op.getNumScanInputs() != inputs.size())
    return l.invalid("num_scan_inputs does not fit its inputs and outputs");
  if (failed(body.check(inputs.size(), op->getNumResults())))
    return failure();
  for (auto [i, input] : llvm::enumerate(op.getInitialStateAndScanInputs())) {
    if (!isa<RankedTensorType>(input.getType()))
      return l.fail("input " + Twine(i) + " has no known rank");
    if (i >= numStates &&
        (inputAxis(i) < 0 || inputAxis(i) >= Lowering::rank(inputs[i])))
      return l.invalid("an axis is out of range");
    if (failed(body.checkTake(i, i < numStates
                                     ? input.getType()
                                     : sliceType(i, input.getType()))))
      return failure();
  }
  for (size_t i = 0; i < op->getNumResults(); ++i) {
    auto each = dyn_cast<RankedTensorType>(body.yieldedTypes[i]);
    if (!each || !isa<RankedTensorType>(op->getResult(i).getType()))
      return l.fail("output " + Twine(i) + " has no known rank");
    if (i < numStates) {
      if (failed(body.checkYield(i, body.argumentTypes[i])))
        return failure();
      continue;
    }
    int64_t axis = entry(op.getScanOutputAxes(), i - numStates);
    if (axis < -each.getRank() - 1 || axis > each.getRank())
      return l.invalid("an axis is out of range");
  }
  return success();
}

Value ScanLowering::slice(size_t index, Value iteration, OpFoldResult count) {
  Value input = inputs[index];
  Sizes sizes = l.sizes(input), at(sizes.size(), l.attr(0)),
        one(sizes.size(), l.attr(1));
  int64_t axis = inputAxis(index);
  sizes[axis] = l.attr(1);
  at[axis] = entry(op.getScanInputDirections(), index - numStates) != 0
                 ? l.sub(l.sub(count, l.attr(1)), iteration)
                 : OpFoldResult(iteration);
  return tensor::ExtractSliceOp::create(
      l.b, l.loc, sliceType(index, input.getType()), input, at, sizes, one);
}

SmallVector<Value> ScanLowering::writeBody(Value iteration, OpFoldResult count,
                                           ValueRange carried) {
  SmallVector<Value> arguments(carried.take_front(numStates));
  for (size_t i = numStates; i < inputs.size(); ++i)
    arguments.push_back(body.take(
        i, slice(i, iteration, count),
        sliceType(i, op.getInitialStateAndScanInputs()[i].getType())));
  body.inlineHere(arguments);
  SmallVector<Value> next;
  for (size_t i = 0; i < numStates; ++i) {
    // The sizes of outputs may rest on those of the first states.
    for (int64_t d = 0, e = Lowering::rank(inits[i]); d < e; ++d) {
      OpFoldResult now = l.dim(body.yielded[i], d);
      l.checkEqual(now, l.dim(inits[i], d),
                   "dimension " + Twine(d) + " of state " + Twine(i) +
                       " must not change");
    }
    next.push_back(body.yieldAs(i, body.argumentTypes[i]));
  }
  for (Gatherer &gatherer : gatherers)
    gatherer.add(iteration, count, carried, next);
  return next;
}

LogicalResult ScanLowering::run() {
  if (failed(check()))
    return failure();
  Body::lower(l, body);
  OpFoldResult count = l.dim(inputs[numStates], inputAxis(numStates));
  for (size_t i = numStates + 1; i < inputs.size(); ++i)
    l.checkEqual(l.dim(inputs[i], inputAxis(i)), count,
                 "the scanned inputs must have the same length");
  for (size_t i = 0; i < numStates; ++i)
    inits.push_back(body.take(i, inputs[i],
                              op.getInitialStateAndScanInputs()[i].getType()));
  auto settle = [&](unsigned argument, int64_t dim) {
    bool skips = argument >= numStates && dim >= inputAxis(argument);
    return l.dim(inputs[argument], skips ? dim + 1 : dim);
  };
  for (size_t i = numStates; i < op->getNumResults(); ++i) {
    gatherers.emplace_back(
        l, body, i, entry(op.getScanOutputAxes(), i - numStates),
        entry(op.getScanOutputDirections(), i - numStates) != 0);
    gatherers.back().begin(count, body.sizesBefore(i, settle), inits);
  }
  scf::ForOp loop = createFor(l, count, inits);
  {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(
        l.b, l.loc,
        writeBody(loop.getInductionVar(), count, loop.getRegionIterArgs()));
  }
  SmallVector<Value> results(loop.getResults().take_front(numStates));
  for (Gatherer &gatherer : gatherers)
    results.push_back(gatherer.end(count, loop.getResults()));
  return l.replace(results);
}

static LogicalResult lowerScan(ScanOp op, ScanOp::Adaptor operands,
                               Lowering &l) {
  return ScanLowering(op, operands, l).run();
}

//===----------------------------------------------------------------------===//
// SequenceMap
//===----------------------------------------------------------------------===//

static LogicalResult lowerSequenceMap(SequenceMapOp op, SequenceMapOp::Adaptor,
                                      Lowering &l) {
  Body body(l, op.getBody());
  if (failed(body.check(op->getNumOperands(), op->getNumResults())))
    return failure();
  // What the subgraph sees of an input: of a sequence, an element.
  auto seenType = [&](size_t i) -> Type {
    Type type = op->getOperand(i).getType();
    auto sequence = dyn_cast<SeqType>(type);
    if (!sequence)
      return type;
    // An empty sequence may not tell what it has none of.
    return isa<UnknownType>(sequence.getElementType())
               ? body.argumentTypes[i]
               : sequence.getElementType();
  };
  for (size_t i = 0; i < op->getNumOperands(); ++i)
    if (failed(body.checkTake(i, seenType(i))))
      return failure();
  for (Type type : body.yieldedTypes)
    if (!isa<TensorType>(type))
      return l.invalid("its subgraph must yield tensors");
  Body::lower(l, body);

  Type handle = getHandleType(l.b.getContext());
  Value length;
  for (auto [i, input] : llvm::enumerate(op->getOperands())) {
    if (!isa<SeqType>(input.getType()))
      continue;
    Value own = l.call("sequence_length", l.operands[i], {}, handle).front();
    if (length)
      l.check(l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::eq,
                                              own, length),
              "the sequences must have the same length");
    else
      length = own;
  }
  SmallVector<Value> starts;
  for (size_t i = 0; i < op->getNumResults(); ++i)
    starts.push_back(l.call("sequence_new", {}, {}, handle).front());
  scf::ForOp loop = createFor(l, l.asIndex(length), starts);
  {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToEnd(loop.getBody());
    Value iteration = l.asElement(loop.getInductionVar(), l.b.getI64Type());
    SmallVector<Value> arguments;
    for (auto [i, input] : llvm::enumerate(op->getOperands())) {
      Value seen = l.operands[i];
      Type type = seenType(i);
      if (isa<SeqType>(input.getType())) {
        seen = l.call("sequence_at", {seen, iteration}, {}, handle).front();
        if (auto tensor = dyn_cast<TensorType>(type))
          type = UnrankedTensorType::get(tensor.getElementType());
      }
      arguments.push_back(body.take(i, seen, type));
    }
    body.inlineHere(arguments);
    SmallVector<Value> next;
    for (auto [i, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
      Type element = cast<TensorType>(body.yieldedTypes[i]).getElementType();
      Value boxed = body.yieldAs(i, UnrankedTensorType::get(element));
      next.push_back(
          l.call("sequence_append", {carried, boxed}, {}, handle).front());
    }
    scf::YieldOp::create(l.b, l.loc, next);
  }
  return l.replace(loop.getResults());
}

void onnxc::populateControlFlow(Lowerings &lowerings) {
  populateFault(lowerings);
  lowerings.addWithHandles<IfOp>(lowerIf);
  lowerings.addWithHandles<LoopOp>(lowerLoop);
  lowerings.addWithHandles<ScanOp>(lowerScan);
  lowerings.addWithHandles<SequenceMapOp>(lowerSequenceMap);
}
