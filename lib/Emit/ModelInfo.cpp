//===- ModelInfo.cpp - What a module says about its model -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelInfo.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/runtime.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

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

static FailureOr<ValueInfo> readValue(ModuleOp module, Attribute attribute,
                                      StringRef what) {
  auto dict = dyn_cast<DictionaryAttr>(attribute);
  auto name = dict ? dict.getAs<StringAttr>("name") : nullptr;
  auto dtype = dict ? dict.getAs<IntegerAttr>("dtype") : nullptr;
  if (!name || !dtype)
    return module.emitError() << program::model << ": an entry of " << what
                              << " is not a dictionary with name and dtype";
  ValueInfo info;
  info.name = name.str();
  info.dtype = static_cast<int32_t>(dtype.getInt());
  auto type = dict.getAs<StringAttr>("type");
  info.type = type
                  ? type.str()
                  : std::string("tensor(") + onnxc_dtype_name(info.dtype) + ")";
  bool isComposite = info.dtype == ONNXC_SEQUENCE || info.dtype == ONNXC_MAP ||
                     info.dtype == ONNXC_OPTIONAL;
  if (!isComposite && onnxc_dtype_size(info.dtype) == 0)
    return module.emitError() << program::model << ": '" << info.name
                              << "' has the unknown dtype " << info.dtype;
  info.defaultValue = dict.getAs<ElementsAttr>("default");
  if (auto offset = dict.getAs<IntegerAttr>("default_offset"))
    info.defaultOffset = static_cast<uint64_t>(offset.getInt());
  auto dims = dict.getAs<DenseI64ArrayAttr>("dims");
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
  if (auto symbols = dict.getAs<ArrayAttr>("symbols"))
    for (auto [symbol, text] : llvm::zip(info.symbols, symbols))
      if (auto string = dyn_cast<StringAttr>(text))
        symbol = string.str();
  return info;
}

static LogicalResult readValues(ModuleOp module, DictionaryAttr model,
                                StringRef what, std::vector<ValueInfo> &infos) {
  auto entries = model.getAs<ArrayAttr>(what);
  if (!entries)
    return module.emitError()
           << program::model << " has no array '" << what << "'";
  for (Attribute entry : entries) {
    FailureOr<ValueInfo> info = readValue(module, entry, what);
    if (failed(info))
      return failure();
    infos.push_back(std::move(*info));
  }
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
  auto model = module->getAttrOfType<DictionaryAttr>(program::model);
  if (!model)
    return module.emitError()
           << "the module has no attribute onnxc.model; run the stage "
              "onnxc-bufferize first";
  ModelInfo info;
  if (failed(readValues(module, model, "inputs", info.inputs)) ||
      failed(readValues(module, model, "outputs", info.outputs)) ||
      failed(readWeights(module, info)) || failed(readRegions(module, info)))
    return failure();
  auto lacksDefault = [](const ValueInfo &input) {
    return !input.defaultValue;
  };
  if (!std::is_partitioned(info.inputs.begin(), info.inputs.end(),
                           lacksDefault))
    return module.emitError() << program::model
                              << ": an input without a default "
                                 "value is behind one that has one";
  if (auto name = module->getAttrOfType<StringAttr>(program::modelName))
    info.name = name.str();
  if (auto name = module->getAttrOfType<StringAttr>(program::producer))
    info.producer = name.str();
  if (auto version = module->getAttrOfType<IntegerAttr>(program::opset))
    info.opset = version.getInt();
  if (auto bytes = module->getAttrOfType<IntegerAttr>(program::workspace))
    info.workspaceBytes = static_cast<uint64_t>(bytes.getInt());
  if (auto bytes = module->getAttrOfType<IntegerAttr>(program::scratch))
    info.scratchBytes = static_cast<uint64_t>(bytes.getInt());
  return info;
}

} // namespace onnxc
