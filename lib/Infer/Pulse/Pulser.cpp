//===- Pulser.cpp - The function that becomes a step over pulses ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pulser.h"
#include "Dimensions.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Support/OptionFault.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace onnxc;

Pulser::Pulser(func::FuncOp entry, ArrayRef<PulsedDim> dims)
    : entry(entry), dims(dims.begin(), dims.end()),
      shapes(
          [this](Value value, int64_t index) { return nameDim(value, index); }),
      builder(entry.front().getTerminator()) {
  for (auto [number, dim] : llvm::enumerate(dims)) {
    LengthRef &length = roots.emplace_back(std::make_shared<SequenceLength>());
    length->root = number;
  }
  lengthStates.resize(dims.size());
  addForms();
}

/// A symbol that no name of the model is: names of C do not start like this.
Size Pulser::nameDim(Value value, int64_t) {
  symbols.push_back({"?" + std::to_string(symbols.size()), value});
  return Size::symbol(symbols.back().first);
}

/// Symbols of quotients and the like are texts with the names in them.
static bool mentions(StringRef text, StringRef name) {
  auto isPartOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isPartOfName(text[at - 1])) &&
        (end == text.size() || !isPartOfName(text[end])))
      return true;
  }
  return false;
}

bool Pulser::dependsOnSequence(const Size &size) {
  // What is not known may. Of what no rule computes it counts what it is of: an
  // input has no other dimension of the sequence.
  auto isFixed = [&](Value value) {
    auto known = values.find(value);
    return isa<BlockArgument>(value) ||
           (known != values.end() && known->second.kind == Kind::Fixed);
  };
  return size.isUnknown() || size.hasSymbol([&](StringRef symbol) {
    return llvm::any_of(dims,
                        [&](const PulsedDim &dim) {
                          return mentions(symbol, dim.name);
                        }) ||
           llvm::any_of(symbols, [&](const auto &known) {
             return mentions(symbol, known.first) && !isFixed(known.second);
           });
  });
}

bool Pulser::hasFixedElements(Value old) {
  std::optional<SmallVector<SymbolicDim>> elements = shapes.getElements(old);
  return elements && llvm::all_of(*elements, [&](const SymbolicDim &dim) {
           return !dependsOnSequence(shapes.getSize(dim));
         });
}

InFlightDiagnostic Pulser::fail(Operation *op) {
  hasFailed = true;
  InFlightDiagnostic error = op->emitError();
  error << "cannot be computed by pulses of '" << dims.front().name << "': ";
  return error;
}

LogicalResult Pulser::failSize(Operation *op, const Stream &stream,
                               int64_t divisor) {
  if (wantedFactor == 1)
    wantedFactor = divisor / std::gcd(stream.size, divisor);
  return fail(op) << "it has " << stream.size
                  << " positions per pulse, expected a multiple of " << divisor;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Pulser::set(Value old, Stream stream) {
  if (!old)
    return;
  for (int64_t size :
       {stream.size, stream.delay, stream.numerator, stream.denominator,
        stream.length->numerator, stream.length->denominator})
    if (size > mostPositions) {
      fail(old.getDefiningOp()) << "its result has too many positions, or too "
                                   "long a delay";
      stream.size = stream.numerator = stream.denominator = 1;
      stream.delay = 0;
      break;
    }
  if (stream.length->root == 0) {
    int64_t common = std::gcd(stream.numerator, stream.denominator);
    unit = std::lcm(unit, stream.denominator / common);
  }
  PulsedValue &value = values[old];
  value.kind = Kind::Stream;
  value.value = stream.value;
  value.stream = std::move(stream);
}

void Pulser::setPlain(Value old, Kind kind, Value value) {
  if (!old)
    return;
  values[old].kind = kind;
  values[old].value = value;
}

Stream &Pulser::getStream(Operation *op, Value old) {
  Stream stream = get(old).stream;
  if (stream.padding) {
    WindowForm form;
    form.padding = *stream.padding;
    stream.padding.reset();
    FailureOr<Stream> made = readWindows(op, old, stream, form);
    if (succeeded(made))
      stream = *made;
    set(old, stream);
  }
  return get(old).stream;
}

Value Pulser::getNew(Operation *op, Value old) {
  if (!old)
    return {};
  switch (get(old).kind) {
  case Kind::Stream:
    return getStream(op, old).value;
  case Kind::Sizes:
    return getSizesOfPulse(old);
  default:
    return get(old).value;
  }
}

Value Pulser::getSizesOfPulse(Value old) {
  if (Value known = get(old).value)
    return known;
  auto result = cast<OpResult>(old);
  Operation *made = clone(result.getOwner());
  for (auto [from, to] :
       llvm::zip_equal(result.getOwner()->getResults(), made->getResults()))
    get(from).value = to;
  return get(old).value;
}

Operation *Pulser::clone(Operation *op,
                         ArrayRef<std::pair<Value, Value>> replaced) {
  IRMapping mapping;
  for (auto [old, value] : replaced)
    mapping.map(old, value);
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value old : used)
    if (!mapping.contains(old))
      mapping.map(old, getNew(op, old));
  Operation *made = builder.clone(*op, mapping);
  refineResults(made);
  return made;
}

LogicalResult Pulser::keep(Operation *op, const Stream &like, int64_t axis) {
  Operation *made = clone(op);
  for (auto [old, value] :
       llvm::zip_equal(op->getResults(), made->getResults())) {
    Stream result = like;
    result.value = value;
    result.axis = axis;
    set(old, result);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult Pulser::readInputs() {
  Block &body = entry.front();
  OpBuilder start(&body, body.begin());
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    usedNames.insert(getInputName(entry, i));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    usedNames.insert(getOutputName(entry, i));
  SmallVector<SmallVector<std::pair<unsigned, unsigned>>> found(
      entry.getNumArguments());
  for (auto [number, dim] : llvm::enumerate(dims))
    for (InputDim at : findDimension(entry, dim.name))
      found[at.argument].push_back({unsigned(number), at.dim});
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    Type type = argument.getType();
    PulsedValue value;
    if (found[number].size() > 1)
      return entry.emitError()
             << "input '" << getInputName(entry, number)
             << "' has more than one dimension of pulses, expected one";
    if (!found[number].empty()) {
      auto [root, axis] = found[number].front();
      if (entry.getArgAttr(number, model::state) ||
          entry.getArgAttr(number, model::defaultValue))
        return entry.emitError()
               << "input '" << getInputName(entry, number)
               << "' has the dimension '" << dims[root].name
               << "' of pulses; expected an input of each run";
      auto tensor = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape(tensor.getShape());
      shape[axis] = dims[root].size;
      type = tensor.clone(shape);
      value.kind = Kind::Stream;
      value.stream.axis = axis;
      value.stream.size = dims[root].size;
      value.stream.length = roots[root];
    }
    placeholders.push_back(UnrealizedConversionCastOp::create(
        start, entry.getLoc(), type, ValueRange()));
    value.value = value.stream.value = placeholders.back()->getResult(0);
    values[argument] = value;
  }
  return success();
}

LogicalResult Pulser::visit(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  bool hasStreams = false, hasSizes = false, isRunning = false;
  for (Value old : used) {
    Kind kind = get(old).kind;
    if (kind == Kind::Failed) {
      for (Value result : op->getResults())
        setPlain(result, Kind::Failed, {});
      return success();
    }
    hasStreams |= kind == Kind::Stream;
    hasSizes |= kind == Kind::Sizes;
    isRunning |= kind == Kind::Running;
  }
  if (hasStreams && isRunning)
    return fail(op) << "it uses what is only known behind the last position "
                       "at every position";
  if (hasStreams)
    return visitStreams(op);
  if (hasSizes)
    return visitSizes(op);
  Operation *made = clone(op);
  for (auto [old, value] :
       llvm::zip_equal(op->getResults(), made->getResults()))
    setPlain(old, isRunning ? Kind::Running : Kind::Fixed, value);
  return success();
}

void Pulser::report(unsigned result, const Stream &stream) {
  StringRef name = getOutputName(entry, result);
  const SequenceLength *root = stream.length.get();
  while (root->of)
    root = root->of.get();
  const PulsedDim &of = dims[root->root];
  bool hasEnd = bool(lengthStates[root->root]);
  InFlightDiagnostic remark = emitRemark(entry.getLoc());
  remark << "pulse: output '" << name << "': " << stream.size << " samples per "
         << of.size << " of '" << of.name << "', delay " << stream.delay;
  if (hasEnd)
    remark << "; state '" << of.name << ".length' is to be set";
  if (hasEnd && lead > 0)
    remark << " " << lead << " positions before the end";
  entry.setResultAttr(result, model::pulse,
                      PulseAttr::get(builder.getContext(), stream.axis,
                                     stream.size, stream.delay, of.size,
                                     hasEnd ? lead : -1));
}

LogicalResult Pulser::takeResults(SmallVectorImpl<Value> &results) {
  Operation *ret = entry.front().getTerminator();
  for (auto [number, old] : llvm::enumerate(ret->getOperands())) {
    switch (get(old).kind) {
    case Kind::Stream: {
      Stream &stream = getStream(ret, old);
      if (stream.isRepeated)
        fail(ret) << "output '" << getOutputName(entry, number)
                  << "' has the sequence in one dimension with others";
      break;
    }
    case Kind::Sizes:
      fail(ret) << "output '" << getOutputName(entry, number)
                << "' is computed from the length of the sequence";
      break;
    case Kind::Running:
      emitRemark(entry.getLoc())
          << "pulse: output '" << getOutputName(entry, number)
          << "': of all positions up to the end of the pulse";
      break;
    default:
      break;
    }
    results.push_back(getNew(ret, old));
  }
  if (hasFailed)
    return failure();
  for (auto [number, old] : llvm::enumerate(ret->getOperands()))
    if (isStream(old))
      report(number, get(old).stream);
  return success();
}

void Pulser::eraseOldBody(MutableArrayRef<Value> results) {
  Operation *ret = entry.front().getTerminator();
  for (auto [argument, placeholder] :
       llvm::zip_equal(entry.getArguments(), placeholders)) {
    Value inner = placeholder->getResult(0);
    // A value that is returned as it came is none of an operation.
    for (Value &value : results)
      if (value == inner)
        value = argument;
    for (auto &[state, next] : nexts)
      if (next == inner)
        next = argument;
  }
  SmallVector<Operation *> dead;
  for (Operation &op : entry.front())
    if (llvm::any_of(op.getResults(),
                     [&](Value old) { return values.contains(old); }) ||
        (op.getNumResults() == 0 && &op != ret))
      dead.push_back(&op);
  ret->setOperands({});
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses();
    op->erase();
  }
  for (auto [argument, placeholder] :
       llvm::zip_equal(entry.getArguments(), placeholders)) {
    argument.setType(placeholder->getResult(0).getType());
    placeholder->getResult(0).replaceAllUsesWith(argument);
    placeholder->erase();
  }
}

/// Arguments and results of states, behind those that there are, before
/// arguments with defaults.
LogicalResult Pulser::finish() {
  SmallVector<Value> results;
  if (failed(takeResults(results)))
    return failure();
  eraseOldBody(results);
  Operation *ret = entry.front().getTerminator();
  Builder b(entry.getContext());
  // States stand before inputs that have a default.
  unsigned position = 0;
  while (position < entry.getNumArguments() &&
         !entry.getArgAttr(position, model::defaultValue))
    ++position;
  SmallVector<Attribute> resultAttrs;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    DictionaryAttr attributes = entry.getResultAttrDict(i);
    resultAttrs.push_back(attributes ? attributes : b.getDictionaryAttr({}));
  }
  for (auto [state, name] : llvm::zip_equal(states, stateNames)) {
    StringAttr next = b.getStringAttr(name + ".next");
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr(model::name, b.getStringAttr(name)),
        b.getNamedAttr(model::state, next)};
    SmallVector<StringRef> symbols(stateDims[state].begin(),
                                   stateDims[state].end());
    attributes.push_back(
        b.getNamedAttr(model::dimParams, b.getStrArrayAttr(symbols)));
    if (failed(entry.insertArgument(position, state.getType(),
                                    b.getDictionaryAttr(attributes),
                                    entry.getLoc())))
      return failure();
    BlockArgument argument = entry.getArgument(position++);
    Value nextValue = nexts.lookup(state);
    results.push_back(nextValue == state ? Value(argument) : nextValue);
    Operation *placeholder = state.getDefiningOp();
    for (Value &value : results)
      if (value == state)
        value = argument;
    state.replaceAllUsesWith(argument);
    for (auto &[other, value] : nexts)
      if (value == state)
        value = argument;
    placeholder->erase();
    resultAttrs.push_back(
        b.getDictionaryAttr(b.getNamedAttr(model::name, next)));
  }
  ret->setOperands(results);
  entry.setFunctionType(FunctionType::get(entry.getContext(),
                                          entry.front().getArgumentTypes(),
                                          ret->getOperandTypes()));
  entry.setResAttrsAttr(b.getArrayAttr(resultAttrs));
  return success();
}

LogicalResult Pulser::run() {
  if (failed(readInputs()))
    return failure();
  SmallVector<Operation *> body;
  for (Operation &op : entry.front().without_terminator())
    if (!llvm::is_contained(placeholders, &op))
      body.push_back(&op);
  for (Operation *op : body) {
    if (failed(visit(op))) {
      hasFailed = true;
      for (Value result : op->getResults())
        setPlain(result, Kind::Failed, {});
    }
  }
  Operation *ret = entry.front().getTerminator();
  if (hasFailed || llvm::any_of(ret->getOperands(), [&](Value old) {
        return get(old).kind == Kind::Failed;
      }))
    return failure();
  return finish();
}
