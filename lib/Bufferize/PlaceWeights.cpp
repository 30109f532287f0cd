//===- PlaceWeights.cpp - Constants to the weight section -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_PLACEWEIGHTSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

constexpr llvm::StringLiteral kWeights = "onnxc_weights";
constexpr uint64_t kAlignment = 64;

/// A constant whose bytes are `bytes` in memory order; empty bytes: a splat or
/// an attribute kind that only its own equality can compare.
struct Weight {
  /// Null for the default value of an input.
  memref::GlobalOp global;
  ElementsAttr value;
  uint64_t size = 0;
  ArrayRef<char> bytes;
  int64_t offset = -1;
};

/// Whether LLVM's constants can be made of it; they cannot of booleans that are
/// a resource.
bool canStay(ElementsAttr value) {
  return !isa<DenseResourceElementsAttr>(value) ||
         !value.getShapedType().getElementType().isInteger(1);
}

/// Packed booleans do not lie in memory as the program reads them: one byte
/// each.
ElementsAttr asBytes(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  if (!type.getElementType().isInteger(1))
    return value;
  auto byteType = RankedTensorType::get(
      type.getShape(), IntegerType::get(value.getContext(), 8));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && int64_t(blob->getData().size()) == type.getNumElements())
      return DenseResourceElementsAttr::get(byteType, resource.getRawHandle());
    return value;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      return DenseElementsAttr::get(byteType,
                                    int8_t(dense.getSplatValue<bool>()));
    SmallVector<int8_t> data;
    data.reserve(type.getNumElements());
    for (bool bit : dense.getValues<bool>())
      data.push_back(bit);
    return DenseElementsAttr::get(byteType, ArrayRef<int8_t>(data));
  }
  return value;
}

ArrayRef<char> rawBytes(ElementsAttr value, uint64_t size) {
  ArrayRef<char> data;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      data = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      data = dense.getRawData();
  }
  return data.size() == size ? data : ArrayRef<char>();
}

/// Looks at the first and the last page only; a full comparison follows where
/// two constants of one size agree there.
llvm::hash_code sampleHash(ArrayRef<char> bytes) {
  size_t n = std::min<size_t>(bytes.size(), 4096);
  ArrayRef<char> head = bytes.take_front(n), tail = bytes.take_back(n);
  return llvm::hash_combine(llvm::hash_combine_range(head.begin(), head.end()),
                            llvm::hash_combine_range(tail.begin(), tail.end()));
}

class PlaceWeights : public onnxc::impl::PlaceWeightsPassBase<PlaceWeights> {
public:
  using PlaceWeightsPassBase::PlaceWeightsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;
  void keepPlaced();
  void addDefaults(std::vector<Weight> &weights);
  void assignOffsets(MutableArrayRef<Weight> weights);
  void describeDefaults(ArrayRef<Weight> weights);

  uint64_t total = 0;
  /// What the module lists already: the weights of its lower levels.
  std::vector<Weight> placed;
};

/// Another level of the model, whose code is in the same file, has placed
/// these.
void PlaceWeights::keepPlaced() {
  auto entries =
      getOperation()->getAttrOfType<ArrayAttr>(onnxc::program::weights);
  if (!entries)
    return;
  DataLayout layout(getOperation());
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    auto value = entry.getAs<ElementsAttr>("value");
    int64_t offset = entry.getAs<IntegerAttr>("offset").getInt();
    uint64_t size = value.getNumElements() *
                    layout.getTypeSize(value.getElementType()).getFixedValue();
    placed.push_back(
        {memref::GlobalOp(), value, size, rawBytes(value, size), offset});
    total = llvm::alignTo(offset + size, kAlignment);
  }
}

void PlaceWeights::assignOffsets(MutableArrayRef<Weight> weights) {
  llvm::DenseMap<uint64_t, unsigned> sizeCount;
  for (const Weight &w : weights)
    ++sizeCount[w.size];
  llvm::DenseMap<Attribute, int64_t> byAttr;
  llvm::DenseMap<std::pair<uint64_t, size_t>, SmallVector<const Weight *, 1>>
      byContent;
  for (const Weight &w : placed) {
    byAttr.try_emplace(w.value, w.offset);
    if (w.bytes.empty() || !sizeCount.contains(w.size))
      continue;
    ++sizeCount[w.size];
    byContent[{w.size, size_t(sampleHash(w.bytes))}].push_back(&w);
  }
  for (Weight &w : weights) {
    auto [known, isNew] = byAttr.try_emplace(w.value, -1);
    if (isNew) {
      SmallVector<const Weight *, 1> *peers = nullptr;
      if (!w.bytes.empty() && sizeCount[w.size] > 1) {
        peers = &byContent[{w.size, size_t(sampleHash(w.bytes))}];
        for (const Weight *peer : *peers)
          if (peer->bytes == w.bytes) {
            known->second = peer->offset;
            break;
          }
      }
      if (known->second < 0) {
        known->second = total;
        total = llvm::alignTo(total + w.size, kAlignment);
        if (peers)
          peers->push_back(&w);
      }
    }
    w.offset = known->second;
  }
}

/// The default values of the interface's inputs that are numbers, in the order
/// of the inputs.
static SmallVector<std::pair<unsigned, ElementsAttr>>
listDefaults(ModuleOp module) {
  SmallVector<std::pair<unsigned, ElementsAttr>> defaults;
  auto signature = onnxc::SignatureAttr::of(module);
  if (!signature)
    return defaults;
  for (auto [i, input] : llvm::enumerate(
           signature.getInputs().getAsRange<onnxc::ValueInfoAttr>())) {
    ElementsAttr value = input.getDefaultValue();
    if (value && value.getNumElements() &&
        (value.getElementType().isIntOrFloat() ||
         isa<ComplexType>(value.getElementType())))
      defaults.emplace_back(i, value);
  }
  return defaults;
}

/// Where something is overridden, the other defaults are read as inputs are.
void PlaceWeights::addDefaults(std::vector<Weight> &weights) {
  DataLayout layout(getOperation());
  for (auto [i, value] : listDefaults(getOperation())) {
    ElementsAttr stored = asBytes(value);
    uint64_t size = value.getNumElements() *
                    layout.getTypeSize(value.getElementType()).getFixedValue();
    weights.push_back(
        {memref::GlobalOp(), stored, size, rawBytes(stored, size), -1});
  }
}

/// Writes down where the default values are; they are the last weights.
void PlaceWeights::describeDefaults(ArrayRef<Weight> weights) {
  auto defaults = listDefaults(getOperation());
  if (defaults.empty())
    return;
  auto signature = onnxc::SignatureAttr::of(getOperation());
  SmallVector<Attribute> inputs(signature.getInputs().getValue());
  for (auto [entry, weight] :
       llvm::zip_equal(defaults, weights.take_back(defaults.size()))) {
    onnxc::ValueInfoAttr input = signature.getInput(entry.first);
    inputs[entry.first] = onnxc::ValueInfoAttr::get(
        &getContext(), input.getName(), input.getDtype(), input.getType(),
        input.getDims(), input.getSymbols(), input.getDefaultValue(),
        weight.offset, input.getPulse());
  }
  getOperation()->setAttr(onnxc::SignatureAttr::attrName,
                          signature.withInputs(inputs));
}

void PlaceWeights::runOnOperation() {
  ModuleOp module = getOperation();
  DataLayout layout(module);
  std::vector<Weight> weights;
  llvm::StringMap<unsigned> byName;
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto value = dyn_cast_or_null<ElementsAttr>(
        global.getInitialValue().value_or(Attribute()));
    MemRefType type = global.getType();
    if (!value || !global.getConstant() || !type.getLayout().isIdentity())
      continue;
    uint64_t size = type.getNumElements() *
                    layout.getTypeSize(type.getElementType()).getFixedValue();
    if (!size) {
      // The translation to LLVM IR divides by the size of a resource.
      if (isa<DenseResourceElementsAttr>(value))
        global.setInitialValueAttr(DenseElementsAttr::get(
            value.getShapedType(), ArrayRef<Attribute>()));
      continue;
    }
    if (size < uint64_t(std::max<int64_t>(minBytes, 0)) && canStay(value))
      continue;
    ElementsAttr stored = asBytes(value);
    byName[global.getSymName()] = weights.size();
    weights.push_back({global, stored, size, rawBytes(stored, size), -1});
  }
  addDefaults(weights);
  placed.clear();
  total = 0;
  keepPlaced();
  if (weights.empty())
    return;
  int64_t last = placed.empty() ? -1 : placed.back().offset;
  assignOffsets(weights);
  describeDefaults(weights);

  OpBuilder b(&getContext());
  b.setInsertionPointToStart(module.getBody());
  auto sectionType = MemRefType::get({int64_t(total)}, b.getI8Type());
  memref::GlobalOp::create(b, module.getLoc(), kWeights,
                           b.getStringAttr("private"), sectionType,
                           /*initial_value=*/Attribute(), /*constant=*/true,
                           b.getI64IntegerAttr(kAlignment));

  module.walk([&](memref::GetGlobalOp get) {
    auto it = byName.find(get.getName());
    if (it == byName.end())
      return;
    b.setInsertionPoint(get);
    Value section =
        memref::GetGlobalOp::create(b, get.getLoc(), sectionType, kWeights);
    Value offset = arith::ConstantIndexOp::create(b, get.getLoc(),
                                                  weights[it->second].offset);
    Value view = memref::ViewOp::create(b, get.getLoc(), get.getType(), section,
                                        offset, ValueRange());
    get.replaceAllUsesWith(view);
    get.erase();
  });

  SmallVector<Attribute> places;
  if (auto entries = module->getAttrOfType<ArrayAttr>(onnxc::program::weights))
    llvm::append_range(places, entries);
  for (Weight &w : weights) {
    if (w.offset > last) {
      places.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("offset", b.getI64IntegerAttr(w.offset)),
           b.getNamedAttr("value", w.value)}));
      last = w.offset;
    }
    if (w.global)
      w.global.erase();
  }
  module->setAttr(onnxc::program::weights, b.getArrayAttr(places));
}

} // namespace
