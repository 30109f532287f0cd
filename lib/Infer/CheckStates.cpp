//===- CheckStates.cpp - What can live in a context -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "llvm/ADT/StringSet.h"

namespace onnxc {
#define GEN_PASS_DEF_CHECKSTATES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

static StringRef getSymbol(ArrayAttr symbols, int64_t dim) {
  auto name = symbols && dim < static_cast<int64_t>(symbols.size())
                  ? dyn_cast<StringAttr>(symbols[dim])
                  : StringAttr();
  return name ? name.getValue() : "";
}

namespace {
/// The checks of one entry.
class StateChecker {
public:
  explicit StateChecker(func::FuncOp entry) : entry(entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      if (entry.getArgAttr(i, model::state)) {
        arguments.push_back(i);
        continue;
      }
      auto names = entry.getArgAttrOfType<ArrayAttr>(i, model::dimParams);
      if (names && !entry.getArgAttr(i, model::defaultValue))
        for (Attribute name : names)
          symbolsOfInputs.insert(cast<StringAttr>(name).getValue());
    }
  }

  LogicalResult run() {
    unsigned result = entry.getNumResults() - arguments.size();
    for (unsigned argument : arguments)
      if (failed(check(argument, result++)))
        return failure();
    return success();
  }

private:
  LogicalResult check(unsigned argument, unsigned result);
  LogicalResult checkDim(unsigned argument, unsigned result, int64_t dim,
                         int64_t &axis);
  bool nameAsInput(unsigned argument, Value next, int64_t dim);
  InFlightDiagnostic fail(unsigned argument);

  func::FuncOp entry;
  SmallVector<unsigned> arguments;
  llvm::StringSet<> symbolsOfInputs;
  SymbolicShapes shapes;
};
} // namespace

InFlightDiagnostic StateChecker::fail(unsigned argument) {
  auto output = entry.getArgAttrOfType<StringAttr>(argument, model::state);
  return entry.emitError() << "state '" << output.getValue() << "="
                           << getInputName(entry, argument) << "': ";
}

/// Sets the name of a dimension of an argument.
static void setSymbol(func::FuncOp entry, unsigned argument, int64_t dim,
                      StringRef name) {
  auto known = entry.getArgAttrOfType<ArrayAttr>(argument, model::dimParams);
  auto type = cast<RankedTensorType>(entry.getArgumentTypes()[argument]);
  SmallVector<StringRef> names;
  for (int64_t i = 0; i < type.getRank(); ++i)
    names.push_back(i == dim ? name : getSymbol(known, i));
  entry.setArgAttr(argument, model::dimParams,
                   Builder(entry.getContext()).getStrArrayAttr(names));
}

/// Where the next value of a state has the size of an input there, the state
/// has it from the start: both get one name.
bool StateChecker::nameAsInput(unsigned argument, Value next, int64_t dim) {
  for (BlockArgument input : entry.getArguments()) {
    unsigned number = input.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || llvm::is_contained(arguments, number) ||
        entry.getArgAttr(number, model::defaultValue))
      continue;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!type.isDynamicDim(i) || !shapes.isSameDim(next, dim, input, i))
        continue;
      auto names = entry.getArgAttrOfType<ArrayAttr>(number, model::dimParams);
      std::string name = getSymbol(names, i).str();
      if (name.empty()) {
        StringRef of = getInputName(entry, number);
        name = (of.empty() ? "input" : of).str() + "_dim" + std::to_string(i);
        setSymbol(entry, number, i, name);
        symbolsOfInputs.insert(name);
      }
      setSymbol(entry, argument, dim, name);
      return true;
    }
  }
  return false;
}

LogicalResult StateChecker::checkDim(unsigned argument, unsigned result,
                                     int64_t dim, int64_t &axis) {
  Value value = entry.getArgument(argument);
  Value next = entry.front().getTerminator()->getOperand(result);
  auto in = cast<RankedTensorType>(value.getType());
  auto out = cast<RankedTensorType>(next.getType());
  if (!in.isDynamicDim(dim)) {
    if (out.isDynamicDim(dim) || out.getDimSize(dim) == in.getDimSize(dim))
      return success();
    return fail(argument) << "dimension " << dim << " of the input is "
                          << in.getDimSize(dim) << ", that of the output is "
                          << out.getDimSize(dim);
  }
  StringRef symbol = getSymbol(
      entry.getArgAttrOfType<ArrayAttr>(argument, model::dimParams), dim);
  if ((symbolsOfInputs.contains(symbol) && !symbol.empty()) ||
      nameAsInput(argument, next, dim))
    return success();
  StringRef nextSymbol = getSymbol(
      entry.getResultAttrOfType<ArrayAttr>(result, model::dimParams), dim);
  bool staysAsItIs = (!symbol.empty() && symbol == nextSymbol) ||
                     shapes.isSameDim(value, dim, next, dim);
  // By the rules of operators, or by names that the exporter gave.
  bool grows =
      (!symbol.empty() && !nextSymbol.empty()) ||
      shapes.isAtMost(shapes.getDim(value, dim), shapes.getDim(next, dim));
  if (staysAsItIs || !out.isDynamicDim(dim) || !grows) {
    InFlightDiagnostic error = fail(argument);
    error << "nothing says how large dimension " << dim;
    if (!symbol.empty())
      error << " ('" << symbol << "')";
    error << " of the input is at the start: it "
          << (grows ? "does not grow" : "is not known to grow")
          << ", and no input has a dimension of this name; ";
    if (symbol.empty())
      return error << "--input-shape= states it";
    return error << "--dim=" << symbol << "= states it";
  }
  if (axis >= 0)
    return fail(argument) << "more than one dimension of the input is open: "
                          << axis << " and " << dim
                          << "; a state grows in one, --input-shape= or --dim= "
                             "states the others";
  axis = dim;
  return success();
}

/// The Concats that have the value as an operand, or a part of it along their
/// own dimension.
static SmallVector<ConcatOp> listConcats(Value value) {
  SmallVector<ConcatOp> concats;
  for (Operation *user : value.getUsers()) {
    if (auto concat = dyn_cast<ConcatOp>(user))
      concats.push_back(concat);
    if (auto split = dyn_cast<SplitOp>(user))
      for (Operation *ofPart : split->getUsers())
        if (auto concat = dyn_cast<ConcatOp>(ofPart);
            concat && concat.getAxis() == split.getAxis())
          concats.push_back(concat);
  }
  return concats;
}

/// Gives an argument the sizes that a Concat requires of it, or of parts of it
/// along the same dimension: it fails unless all its operands have them. An
/// exporter may leave open how large a head is.
static void narrow(func::FuncOp entry, unsigned argument) {
  Value value = entry.getArgument(argument);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  SmallVector<int64_t> dims(type.getShape());
  for (ConcatOp concat : listConcats(value)) {
    auto made = dyn_cast<RankedTensorType>(concat.getType());
    if (!made || made.getRank() != type.getRank() ||
        concat->getBlock() != &entry.front())
      continue;
    for (auto [dim, required] : llvm::enumerate(made.getShape()))
      if (ShapedType::isDynamic(dims[dim]) &&
          static_cast<int64_t>(dim) != static_cast<int64_t>(concat.getAxis()))
        dims[dim] = required;
  }
  value.setType(type.clone(dims));
  entry.setFunctionType(FunctionType::get(entry.getContext(),
                                          entry.getBody().getArgumentTypes(),
                                          entry.getResultTypes()));
}

LogicalResult StateChecker::check(unsigned argument, unsigned result) {
  narrow(entry, argument);
  auto in = dyn_cast<RankedTensorType>(entry.getArgumentTypes()[argument]);
  auto out = dyn_cast<RankedTensorType>(
      entry.front().getTerminator()->getOperand(result).getType());
  if (!in || !out)
    return fail(argument) << "the " << (in ? "output" : "input")
                          << " is not a tensor of known rank";
  if (in.getElementType() != out.getElementType())
    return fail(argument) << "the input is " << getOnnxTypeName(in)
                          << ", the output " << getOnnxTypeName(out);
  if (isa<StringType>(in.getElementType()))
    return fail(argument) << "texts are not kept in a context";
  if (in.getRank() != out.getRank())
    return fail(argument) << "the input has rank " << in.getRank()
                          << ", the output rank " << out.getRank();
  int64_t axis = -1;
  for (int64_t dim = 0; dim < in.getRank(); ++dim)
    if (failed(checkDim(argument, result, dim, axis)))
      return failure();
  entry.setArgAttr(argument, model::stateAxis,
                   Builder(entry.getContext()).getI64IntegerAttr(axis));
  return success();
}

namespace {
struct CheckStates : onnxc::impl::CheckStatesBase<CheckStates> {
  void runOnOperation() override {
    for (func::FuncOp entry : listEntries(getOperation()))
      if (failed(StateChecker(entry).run()))
        return signalPassFailure();
  }
};
} // namespace
