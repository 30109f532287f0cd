//===- ModelInfo.cpp - What a module says about its model -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelInfo.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/runtime.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace onnxc {

bool ValueInfo::isStatic() const {
  return ranked && llvm::all_of(dims, [](int64_t d) { return d >= 0; });
}

uint64_t elementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (type.isIndex())
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static FailureOr<ValueInfo> readValue(ModuleOp module, ValueInfoAttr value) {
  ValueInfo info;
  info.name = value.getName().str();
  info.dtype = value.getDtype();
  info.type = value.getType().str();
  if (info.type.empty())
    info.type = std::string("tensor(") + onnxc_dtype_name(info.dtype) + ")";
  bool isComposite = info.dtype == ONNXC_SEQUENCE || info.dtype == ONNXC_MAP ||
                     info.dtype == ONNXC_OPTIONAL;
  if (!isComposite && onnxc_dtype_size(info.dtype) == 0)
    return module.emitError() << SignatureAttr::attrName << ": '" << info.name
                              << "' has the unknown dtype " << info.dtype;
  info.defaultValue = value.getDefaultValue();
  if (value.getDefaultOffset() >= 0)
    info.defaultOffset = static_cast<uint64_t>(value.getDefaultOffset());
  info.pulse = value.getPulse();
  DenseI64ArrayAttr dims = value.getDims();
  info.ranked = static_cast<bool>(dims);
  if (!dims)
    return info;
  if (dims.size() > ONNXC_MAX_RANK)
    return module.emitError()
           << "'" << info.name << "' has rank " << dims.size()
           << ", the largest rank of an input or output is " << ONNXC_MAX_RANK;
  for (int64_t d : dims.asArrayRef())
    info.dims.push_back(d < 0 ? -1 : d);
  info.symbols.resize(info.dims.size());
  if (ArrayAttr symbols = value.getSymbols())
    for (auto [symbol, text] : llvm::zip_equal(info.symbols, symbols))
      symbol = cast<StringAttr>(text).str();
  return info;
}

static LogicalResult readValues(ModuleOp module, ArrayAttr values,
                                std::vector<ValueInfo> &infos) {
  for (auto value : values.getAsRange<ValueInfoAttr>()) {
    FailureOr<ValueInfo> info = readValue(module, value);
    if (failed(info))
      return failure();
    infos.push_back(std::move(*info));
  }
  return success();
}

static LogicalResult readStates(ModuleOp module, SignatureAttr signature,
                                ModelInfo &info) {
  for (size_t i = 0; i < signature.getNumStates(); ++i) {
    StateAttr state = signature.getState(i);
    FailureOr<ValueInfo> value = readValue(module, state.getValue());
    if (failed(value))
      return failure();
    info.states.push_back({std::move(*value), state.getOutput().str(),
                           state.getAxis(), state.isAppendedTo()});
  }
  info.stateCapacity = signature.getStateCapacity();
  return success();
}

static LogicalResult readWeights(ModuleOp module, ModelInfo &info) {
  auto entries = module->getAttrOfType<ArrayAttr>(program::weights);
  if (!entries)
    return success();
  for (Attribute entry : entries) {
    auto dict = dyn_cast<DictionaryAttr>(entry);
    auto offset = dict ? dict.getAs<IntegerAttr>("offset") : nullptr;
    auto value = dict ? dict.getAs<ElementsAttr>("value") : nullptr;
    if (!offset || !value || offset.getInt() < 0)
      return module.emitError()
             << program::weights << ": an entry is not {offset, value}";
    if (!value.getElementType().isIntOrIndexOrFloat() &&
        !isa<ComplexType>(value.getElementType()))
      return module.emitError()
             << program::weights << ": cannot store elements of "
             << value.getElementType();
    info.weights.push_back({static_cast<uint64_t>(offset.getInt()), value});
  }
  llvm::sort(info.weights, [](const Weight &a, const Weight &b) {
    return a.offset < b.offset;
  });
  for (const Weight &weight : info.weights) {
    if (weight.offset < info.weightBytes)
      return module.emitError() << program::weights << ": the entry at offset "
                                << weight.offset << " overlaps the one before";
    info.weightBytes =
        weight.offset + static_cast<uint64_t>(weight.value.getNumElements()) *
                            elementBytes(weight.value.getElementType());
  }
  return success();
}

static LogicalResult readRegions(ModuleOp module, ModelInfo &info) {
  auto entries = module->getAttrOfType<ArrayAttr>(program::regions);
  if (!entries)
    return success();
  info.regions.emplace();
  for (Attribute entry : entries) {
    auto dict = dyn_cast<DictionaryAttr>(entry);
    auto kind = dict ? dict.getAs<StringAttr>("kind") : nullptr;
    auto locations = dict ? dict.getAs<ArrayAttr>("locations") : nullptr;
    if (!kind || !locations ||
        !llvm::all_of(locations, llvm::IsaPred<LocationAttr>))
      return module.emitError()
             << program::regions << ": an entry is not {kind, locations}";
    ProfileRegion &region = info.regions->emplace_back();
    region.kind = kind.str();
    for (auto location : locations.getAsRange<LocationAttr>())
      region.locations.push_back(location);
  }
  return success();
}

size_t ModelInfo::numRequired() const {
  return llvm::count_if(
      inputs, [](const ValueInfo &input) { return !input.defaultValue; });
}

FailureOr<ModelInfo> ModelInfo::read(ModuleOp module) {
  SignatureAttr signature = SignatureAttr::of(module);
  if (!signature)
    return module.emitError()
           << "the module has no attribute " << SignatureAttr::attrName
           << "; run the stage onnxc-lower first";
  ModelInfo info;
  if (failed(readValues(module, signature.getInputs(), info.inputs)) ||
      failed(readValues(module, signature.getOutputs(), info.outputs)) ||
      failed(readStates(module, signature, info)) ||
      failed(readWeights(module, info)) || failed(readRegions(module, info)))
    return failure();
  info.name = signature.getName().str();
  info.producer = signature.getProducer().str();
  info.opset = signature.getOpset();
  if (auto bytes = module->getAttrOfType<IntegerAttr>(program::workspace))
    info.workspaceBytes = static_cast<uint64_t>(bytes.getInt());
  if (auto bytes = module->getAttrOfType<IntegerAttr>(program::scratch))
    info.scratchBytes = static_cast<uint64_t>(bytes.getInt());
  info.has32BitAddresses =
      llvm::Triple(TargetAttr::of(module).getTriple()).isArch32Bit();
  return info;
}

} // namespace onnxc
