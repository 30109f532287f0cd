//===- ProgramDialect.cpp - Target and signature of a module --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <functional>

using namespace mlir;
using namespace onnxc;

#include "onnxc/Dialect/Program/ProgramDialect.cpp.inc"
#include "onnxc/Dialect/Program/ProgramEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Program/ProgramAttributes.cpp.inc"

void ProgramDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/Program/ProgramAttributes.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef triple, StringRef cpu,
                                 StringRef features, int64_t vectorBytes,
                                 int64_t registers, int64_t firstLevelCache,
                                 int64_t secondLevelCache,
                                 ArrayAttr instructions, Attribute layout,
                                 bool freestanding) {
  if (vectorBytes < 16 || !llvm::isPowerOf2_64(vectorBytes))
    return emitError() << "vector_bytes is " << vectorBytes
                       << ", expected a power of two from 16 on";
  if (registers < 8)
    return emitError() << "registers is " << registers
                       << ", expected at least 8";
  constexpr int64_t kLeastCache = 8 << 10;
  for (auto [name, bytes] : {std::pair("first_level_cache", firstLevelCache),
                             std::pair("second_level_cache", secondLevelCache)})
    if (bytes < kLeastCache)
      return emitError() << name << " is " << bytes << ", expected at least "
                         << kLeastCache << " bytes";
  if (instructions && !llvm::all_of(instructions, llvm::IsaPred<StringAttr>))
    return emitError() << "instructions is " << instructions
                       << ", expected names";
  if (layout && !isa<TargetAttr>(layout))
    return emitError() << "layout is " << layout << ", expected a target";
  return success();
}

TargetAttr TargetAttr::getLayoutTarget() const {
  return getLayout() ? cast<TargetAttr>(getLayout()) : *this;
}

TargetAttr TargetAttr::withLayout(TargetAttr layout) const {
  return get(getContext(), getTriple(), getCpu(), getFeatures(),
             getVectorBytes(), getRegisters(), getFirstLevelCache(),
             getSecondLevelCache(), getInstructions(), layout,
             getFreestanding());
}

/// The module that `op` is, or is in; or null.
static ModuleOp getModule(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

TargetAttr TargetAttr::of(Operation *op) {
  if (ModuleOp module = getModule(op))
    if (auto target = module->getAttrOfType<TargetAttr>(attrName))
      return target;
  return get(op->getContext(), "", "", "", /*vectorBytes=*/32,
             /*registers=*/16, defaultFirstLevelCache, defaultSecondLevelCache,
             ArrayAttr(), /*layout=*/nullptr,
             /*freestanding=*/false);
}

bool TargetAttr::hasInstruction(StringRef name) const {
  return getInstructions() &&
         llvm::any_of(getInstructions().getAsRange<StringAttr>(),
                      [&](StringAttr known) { return known == name; });
}

LogicalResult PulseAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, int64_t positions, int64_t delay,
                                int64_t inputPositions, int64_t lookahead) {
  if (axis < 0 || positions < 1 || delay < 0 || inputPositions < 1 ||
      lookahead < -1)
    return emitError()
           << "expected an axis, a delay, and at least one position "
              "of the input and of the output";
  return success();
}

LogicalResult ValueInfoAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef name, int32_t dtype,
    StringRef type, DenseI64ArrayAttr dims, ArrayAttr symbols,
    ElementsAttr defaultValue, int64_t defaultOffset, PulseAttr pulse) {
  if (pulse && (!dims || pulse.getAxis() >= dims.size()))
    return emitError() << "the pulse of '" << name << "' has axis "
                       << pulse.getAxis() << ", expected one of its "
                       << (dims ? dims.size() : 0) << " dims";
  if (symbols && (!dims || symbols.size() != static_cast<size_t>(dims.size())))
    return emitError() << "'" << name << "' has " << symbols.size()
                       << " symbols, expected one for each of its "
                       << (dims ? dims.size() : 0) << " dims";
  if (symbols && !llvm::all_of(symbols, llvm::IsaPred<StringAttr>))
    return emitError() << "the symbols of '" << name << "' are " << symbols
                       << ", expected strings";
  if (defaultOffset >= 0 && !defaultValue)
    return emitError() << "'" << name
                       << "' has default_offset without a default_value";
  return success();
}

LogicalResult StateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ValueInfoAttr value, StringRef output,
                                int64_t axis, StateUpdate update) {
  if (!value.getDims() || value.getDefaultValue())
    return emitError() << "state '" << value.getName()
                       << "' has no rank, or a default value";
  if (axis < -1 || axis >= value.getDims().size())
    return emitError() << "state '" << value.getName()
                       << "' grows in dimension " << axis << " of "
                       << value.getDims().size();
  // Rows are put behind what grows, and over what does not.
  bool grows = axis >= 0;
  if (update != StateUpdate::Made &&
      grows == (update == StateUpdate::Overwritten))
    return emitError() << "state '" << value.getName() << "' is "
                       << stringifyStateUpdate(update)
                       << (grows ? ", and grows" : ", and does not grow");
  return success();
}

LogicalResult
SignatureAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef name, StringRef producer, int64_t opset,
                      ArrayAttr inputs, ArrayAttr outputs, ArrayAttr states,
                      int64_t stateCapacity) {
  if (stateCapacity < 0)
    return emitError() << "state_capacity is " << stateCapacity
                       << ", expected 0 or more";
  if (states && !llvm::all_of(states, llvm::IsaPred<StateAttr>))
    return emitError() << "states must be #onnxc.state";
  for (ArrayAttr values : {inputs, outputs})
    if (!llvm::all_of(values, llvm::IsaPred<ValueInfoAttr>))
      return emitError() << "inputs and outputs must be #onnxc.value_info";
  auto hasDefault = [](Attribute value) {
    return static_cast<bool>(cast<ValueInfoAttr>(value).getDefaultValue());
  };
  if (llvm::any_of(outputs, hasDefault))
    return emitError() << "an output has a default value";
  if (!std::is_partitioned(inputs.begin(), inputs.end(),
                           std::not_fn(hasDefault)))
    return emitError()
           << "an input without a default value is behind one that has one";
  return success();
}

SignatureAttr SignatureAttr::of(Operation *op) {
  ModuleOp module = getModule(op);
  return module ? module->getAttrOfType<SignatureAttr>(attrName)
                : SignatureAttr();
}

SignatureAttr SignatureAttr::withInputs(ArrayRef<Attribute> inputs) const {
  return get(getContext(), getName(), getProducer(), getOpset(),
             ArrayAttr::get(getContext(), inputs), getOutputs(), getStates(),
             getStateCapacity());
}

size_t SignatureAttr::getNumRequired() const {
  // They come first, which verify() holds to; this is asked for every argument.
  ArrayRef<Attribute> inputs = getInputs().getValue();
  return llvm::partition_point(
             inputs,
             [](Attribute input) {
               return !cast<ValueInfoAttr>(input).getDefaultValue();
             }) -
         inputs.begin();
}

ValueInfoAttr SignatureAttr::getArgument(size_t number) const {
  size_t required = getNumRequired();
  if (number >= required && number < required + getNumStates())
    return getState(number - required).getValue();
  if (number >= required)
    number -= getNumStates();
  return number < getInputs().size() ? getInput(number) : ValueInfoAttr();
}

StringRef SignatureAttr::getResultName(size_t number) const {
  size_t outputs = getOutputs().size();
  return number < outputs ? getOutput(number).getName()
                          : getState(number - outputs).getOutput();
}

int32_t SignatureAttr::getResultDtype(size_t number) const {
  size_t outputs = getOutputs().size();
  return (number < outputs ? getOutput(number)
                           : getState(number - outputs).getValue())
      .getDtype();
}
