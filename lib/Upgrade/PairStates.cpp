//===- PairStates.cpp - Outputs that are the next values of inputs --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateNames.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Support/OptionFault.h"
#include "onnxc/Upgrade/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_PAIRSTATES
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

static std::optional<unsigned> findInput(func::FuncOp entry, StringRef name) {
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (getInputName(entry, i) == name)
      return i;
  return std::nullopt;
}

/// Whether what the model declares of both lets one be the next value of the
/// other. What the open sizes must be is checked when types are known.
static bool canBePair(func::FuncOp entry, unsigned result, unsigned argument) {
  auto out = dyn_cast<TensorType>(entry.getResultTypes()[result]);
  auto in = dyn_cast<TensorType>(entry.getArgumentTypes()[argument]);
  if (!out || !in || entry.getArgAttr(argument, model::defaultValue) ||
      out.getElementType() != in.getElementType())
    return false;
  if (!out.hasRank() || !in.hasRank())
    return true;
  if (out.getRank() != in.getRank())
    return false;
  return llvm::all_of(
      llvm::zip_equal(out.getShape(), in.getShape()), [](auto sizes) {
        auto [a, b] = sizes;
        return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
      });
}

/// The operator, whether it is in its newest form or not.
static StringRef getOperator(Operation *op) {
  if (auto node = dyn_cast<NodeOp>(op))
    return node.getOpType();
  return op->getName().stripDialect();
}

/// Whether the output is the input itself, which a run does not change.
static bool isPassedOn(func::FuncOp entry, unsigned result, unsigned argument) {
  Value value = entry.front().getTerminator()->getOperand(result);
  while (Operation *op = value.getDefiningOp()) {
    if (getOperator(op) != IdentityOp::getOnnxName())
      return false;
    value = op->getOperand(0);
  }
  return value == entry.getArgument(argument);
}

/// The value that an operator with a cache reads as the one that it returns as
/// `value`; null if it is none.
static Value findPast(Value value) {
  auto result = dyn_cast<OpResult>(value);
  while (result && getOperator(result.getOwner()) == IdentityOp::getOnnxName())
    result = dyn_cast<OpResult>(result.getOwner()->getOperand(0));
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto attention = dyn_cast<AttentionOp>(op))
    return result == attention.getPresentKey()     ? attention.getPastKey()
           : result == attention.getPresentValue() ? attention.getPastValue()
                                                   : Value();
  StringRef name = getOperator(op);
  bool isCache = name == TensorScatterOp::getOnnxName() ||
                 (name == ConcatOp::getOnnxName() && op->getNumOperands() > 1);
  return isCache ? op->getOperand(0) : nullptr;
}

/// In branches of an If that yield something without elements as the next value
/// of a state, the state stays as it is. Decoders that optimum merges from two
/// give back an encoder's part of the cache so where they have only read it.
static void keepWhereEmpty(Value next, Value state) {
  auto result = dyn_cast<OpResult>(next);
  if (!result || getOperator(result.getOwner()) != IfOp::getOnnxName())
    return;
  unsigned number = result.getResultNumber();
  // A model need not declare the type of a Constant.
  auto isEmpty = [](Value value) {
    Operation *op = value.getDefiningOp();
    auto elements = op && getOperator(op) == ConstantOp::getOnnxName()
                        ? op->getAttrOfType<ElementsAttr>("value")
                        : ElementsAttr();
    return elements && elements.getNumElements() == 0;
  };
  SmallVector<OpOperand *> yields;
  for (Region &region : result.getOwner()->getRegions()) {
    Operation *yield = region.empty() ? nullptr : &region.front().back();
    if (!isa_and_present<YieldOp>(yield) || number >= yield->getNumOperands())
      return;
    yields.push_back(&yield->getOpOperand(number));
  }
  if (llvm::all_of(yields, [&](OpOperand *y) { return isEmpty(y->get()); }))
    return;
  for (OpOperand *yield : yields)
    if (isEmpty(yield->get()))
      yield->set(state);
}

namespace {
/// The pairs of a model: inputs by the outputs that are their next values.
class Pairing {
public:
  explicit Pairing(func::FuncOp entry)
      : entry(entry), ret(cast<func::ReturnOp>(entry.front().getTerminator())) {
  }

  /// Adds the pairs that `text` stands for.
  LogicalResult add(StringRef text);
  /// Moves states behind the other arguments and results.
  LogicalResult apply();

private:
  LogicalResult addPair(StringRef text, unsigned result, StringRef input);
  LogicalResult addByNames();
  bool isFree(unsigned result) const { return !pairs.contains(result); }
  bool isTaken(unsigned argument) const {
    return llvm::any_of(
        pairs, [&](const auto &pair) { return pair.second == argument; });
  }
  InFlightDiagnostic fail(StringRef text) {
    return markOptionFault(entry.emitError()) << "state '" << text << "': ";
  }

  func::FuncOp entry;
  func::ReturnOp ret;
  llvm::MapVector<unsigned, unsigned> pairs;
};
} // namespace

LogicalResult Pairing::addPair(StringRef text, unsigned result,
                               StringRef input) {
  std::optional<unsigned> argument = findInput(entry, input);
  if (!argument) {
    return fail(text) << "the model has no input '" << input
                      << "'; its inputs are " << listInputNames(entry);
  }
  if (entry.getArgAttr(*argument, model::defaultValue))
    return fail(text) << "input '" << input
                      << "' has a default value, which a run may override";
  // The same pair once more, which auto may have found.
  if (auto known = pairs.find(result);
      known != pairs.end() && known->second == *argument)
    return success();
  if (!isFree(result))
    return fail(text) << "output '" << getOutputName(entry, result)
                      << "' is in another pair already";
  if (isTaken(*argument))
    return fail(text) << "input '" << input << "' is in another pair already";
  pairs[result] = *argument;
  return success();
}

LogicalResult Pairing::addByNames() {
  auto isFreeInput = [&](unsigned result, StringRef name) {
    std::optional<unsigned> argument = findInput(entry, name);
    // What a run only reads, an encoder's part of a cache, is the caller's.
    return argument && !isTaken(*argument) &&
           canBePair(entry, result, *argument) &&
           !isPassedOn(entry, result, *argument);
  };
  for (unsigned result = 0; result < entry.getNumResults(); ++result) {
    if (!isFree(result))
      continue;
    std::string input =
        findStateInput(getOutputName(entry, result), [&](StringRef name) {
          return isFreeInput(result, name);
        });
    if (!input.empty())
      pairs[result] = *findInput(entry, input);
  }
  // A Concat is one of a cache only where the name says so.
  for (unsigned result = 0; result < entry.getNumResults(); ++result) {
    if (!isFree(result))
      continue;
    Value value = ret.getOperand(result);
    auto argument = dyn_cast_if_present<BlockArgument>(findPast(value));
    if (!argument || argument.getOwner() != &entry.front())
      continue;
    StringRef name = getInputName(entry, argument.getArgNumber());
    bool isConcat =
        value.getDefiningOp() &&
        getOperator(value.getDefiningOp()) == ConcatOp::getOnnxName();
    if (isFreeInput(result, name) && (!isConcat || isStateName(name)))
      pairs[result] = argument.getArgNumber();
  }
  if (pairs.empty())
    return fail("auto") << "no output has a name by which it is the next value "
                           "of an input; --state=output=input says it";
  std::string list;
  for (auto [result, argument] : pairs)
    list += (list.empty() ? "" : ", ") + getOutputName(entry, result).str() +
            "=" + getInputName(entry, argument).str();
  entry.emitRemark() << "states: " << list;
  return success();
}

LogicalResult Pairing::add(StringRef text) {
  if (text == "auto")
    return addByNames();
  auto [output, input] = text.split('=');
  if (output.empty() || input.empty())
    return fail(text) << "expected the name of an output, = and that of an "
                         "input, as in present=past, or auto";
  if (output.count('*') != input.count('*'))
    return fail(text) << "expected as many * on both sides";
  bool isFound = false;
  for (unsigned result = 0; result < entry.getNumResults(); ++result) {
    auto texts = matchStars(output, getOutputName(entry, result));
    if (!texts)
      continue;
    isFound = true;
    if (failed(addPair(text, result, fillStars(input, *texts))))
      return failure();
  }
  if (isFound)
    return success();
  return fail(text) << "the model has no output '" << output
                    << "'; its outputs are " << listOutputNames(entry);
}

LogicalResult Pairing::apply() {
  unsigned numResults = entry.getNumResults();
  unsigned numArguments = entry.getNumArguments();
  SmallVector<Value> results;
  SmallVector<Type> resultTypes;
  SmallVector<Attribute> resultAttrs;
  auto addResult = [&](unsigned i) {
    DictionaryAttr attributes = entry.getResultAttrDict(i);
    results.push_back(ret.getOperand(i));
    resultTypes.push_back(entry.getResultTypes()[i]);
    resultAttrs.push_back(attributes ? attributes
                                     : DictionaryAttr::get(entry.getContext()));
  };
  for (unsigned i = 0; i < numResults; ++i)
    if (isFree(i))
      addResult(i);
  llvm::BitVector moved(numArguments);
  for (auto [result, argument] : pairs) {
    addResult(result);
    unsigned end = entry.getNumArguments();
    BlockArgument old = entry.getArgument(argument);
    if (failed(entry.insertArgument(
            end, old.getType(), entry.getArgAttrDict(argument), old.getLoc())))
      return failure();
    entry.setArgAttr(
        end, model::state,
        StringAttr::get(entry.getContext(), getOutputName(entry, result)));
    old.replaceAllUsesWith(entry.getArgument(end));
    keepWhereEmpty(ret.getOperand(result), entry.getArgument(end));
    // A state may be its own next value.
    for (Value &value : results)
      if (value == old)
        value = entry.getArgument(end);
    moved.set(argument);
  }
  moved.resize(entry.getNumArguments());
  ret->setOperands(results);
  if (failed(entry.eraseArguments(moved)))
    return failure();
  entry.setFunctionType(FunctionType::get(
      entry.getContext(), entry.getArgumentTypes(), resultTypes));
  entry.setResAttrsAttr(ArrayAttr::get(entry.getContext(), resultAttrs));
  return success();
}

namespace {
struct PairStates : onnxc::impl::PairStatesBase<PairStates> {
  using PairStatesBase::PairStatesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto entry : module.getOps<func::FuncOp>()) {
      if (!entry->hasAttr(model::entry) || entry.isExternal())
        continue;
      Pairing pairing(entry);
      for (const std::string &pair : pairs)
        if (failed(pairing.add(pair)))
          return signalPassFailure();
      if (failed(pairing.apply()))
        return signalPassFailure();
    }
    if (capacity)
      module->setAttr(model::stateCapacity,
                      Builder(&getContext()).getI64IntegerAttr(capacity));
  }
};
} // namespace
