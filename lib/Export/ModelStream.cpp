//===- ModelStream.cpp - A model and its weights, as bytes ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelStream.h"

#include "onnxc/Proto/ProtoWriter.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Where weights go
//===----------------------------------------------------------------------===//

/// Readers map files: what is large begins at a page.
static uint64_t getAlignment(uint64_t bytes) {
  return bytes >= (64 << 10) ? 4096 : 64;
}

static void setExternal(TensorProto &tensor, StringRef location,
                        uint64_t offset, uint64_t length) {
  auto add = [&](const char *key, std::string value) {
    onnx::StringStringEntryProto &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(std::move(value));
  };
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::EXTERNAL);
  add("location", location.str());
  add("offset", std::to_string(offset));
  add("length", std::to_string(length));
}

static StringRef getLocation(const TensorProto &tensor) {
  for (const onnx::StringStringEntryProto &entry : tensor.external_data())
    if (entry.key() == "location")
      return entry.value();
  return "";
}

/// Smaller ones are not worth a place of their own in the stream.
static constexpr size_t minStreamed = 256;

FailureOr<WeightPlan>
onnxc::planWeights(onnx::GraphProto &graph, ArrayRef<ElementsAttr> weights,
                   const ExportOptions &options, StringRef externalName,
                   llvm::function_ref<bool(StringRef)> keepReference,
                   Location loc) {
  WeightPlan plan;
  plan.inModel.resize(weights.size());
  uint64_t end = 0;
  for (auto [i, value] : llvm::enumerate(weights)) {
    TensorProto &tensor = *graph.mutable_initializer(static_cast<int>(i));
    if (tensor.data_location() == TensorProto::EXTERNAL) {
      auto resource = dyn_cast<DenseResourceElementsAttr>(value);
      bool isMissing = resource && !resource.getRawHandle().getBlob();
      if (isMissing ||
          (externalName.empty() && keepReference(getLocation(tensor))))
        continue;
      tensor.clear_data_location();
      tensor.clear_external_data();
      tensor.set_raw_data("");
    }
    auto fail = [&] {
      return emitError(loc) << "the elements of initializer '" << tensor.name()
                            << "' cannot be read";
    };
    WeightBytes weight;
    std::optional<ArrayRef<char>> bytes = getRawBytes(value, weight.storage);
    if (!bytes) {
      // Strings have no bytes, and fields of their own.
      if (failed(fillTensor(value, tensor)))
        return fail();
      continue;
    }
    weight.bytes = *bytes;
    // A short string keeps its bytes in itself: moving it would move them.
    bool isStored = bytes->data() == weight.storage.data();
    if (!externalName.empty() && bytes->size() >= options.externalThreshold) {
      uint64_t offset = llvm::alignTo(end, getAlignment(bytes->size()));
      end = offset + bytes->size();
      setExternal(tensor, externalName, offset, bytes->size());
      plan.offsets.push_back(offset);
      plan.outside.push_back(std::move(weight));
      if (isStored)
        plan.outside.back().bytes = plan.outside.back().storage;
      continue;
    }
    if (!tensor.has_raw_data() || bytes->size() < minStreamed) {
      if (failed(fillTensor(value, tensor)))
        return fail();
      continue;
    }
    tensor.clear_raw_data();
    plan.inModel[i] = std::move(weight);
    if (isStored)
      plan.inModel[i].bytes = plan.inModel[i].storage;
  }
  // Growing the list may have moved short strings.
  for (WeightBytes &weight : plan.outside)
    if (!weight.storage.empty())
      weight.bytes = weight.storage;
  return plan;
}

//===----------------------------------------------------------------------===//
// The bytes
//===----------------------------------------------------------------------===//

// Tags of the wire format: field number and type "length-delimited".
static constexpr char graphTag = 7 << 3 | 2;
static constexpr char initializerTag = 5 << 3 | 2;
static constexpr char rawDataTag = 9 << 3 | 2;

static std::string makeField(char tag, uint64_t length) {
  std::string bytes(1, tag);
  for (; length >= 0x80; length >>= 7)
    bytes.push_back(static_cast<char>(length | 0x80));
  bytes.push_back(static_cast<char>(length));
  return bytes;
}

namespace {
/// A model in the pieces that are written after each other. Fields may come in
/// any order; those that repeat keep theirs.
struct Pieces {
  std::string model, graph;
  struct Initializer {
    std::string head, dataField;
    ArrayRef<char> data;
  };
  std::vector<Initializer> initializers;
  uint64_t graphSize = 0;

  Pieces(const onnx::ModelProto &proto, const WeightPlan &plan);
};
} // namespace

Pieces::Pieces(const onnx::ModelProto &proto, const WeightPlan &plan) {
  // Taken apart without a copy, and put together again.
  auto &whole = const_cast<onnx::ModelProto &>(proto);
  std::unique_ptr<onnx::GraphProto> inner(whole.release_graph());
  model = whole.SerializeAsString();
  Repeated<TensorProto> tensors;
  tensors.Swap(inner->mutable_initializer());
  graph = inner->SerializeAsString();
  graphSize = graph.size();
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    std::string head = tensor.SerializeAsString();
    Initializer piece;
    if (i < plan.inModel.size() && !plan.inModel[i].bytes.empty()) {
      piece.data = plan.inModel[i].bytes;
      piece.dataField = makeField(rawDataTag, piece.data.size());
    }
    uint64_t size = head.size() + piece.dataField.size() + piece.data.size();
    piece.head = makeField(initializerTag, size) + head;
    graphSize += piece.head.size() + piece.dataField.size() + piece.data.size();
    initializers.push_back(std::move(piece));
  }
  tensors.Swap(inner->mutable_initializer());
  whole.set_allocated_graph(inner.release());
}

uint64_t onnxc::getModelSize(const onnx::ModelProto &model,
                             const WeightPlan &plan) {
  uint64_t size = model.ByteSizeLong();
  for (const WeightBytes &weight : plan.inModel)
    size += weight.bytes.size();
  return size;
}

void onnxc::writeModel(const onnx::ModelProto &model, const WeightPlan &plan,
                       llvm::raw_ostream &os) {
  Pieces pieces(model, plan);
  os << pieces.model << makeField(graphTag, pieces.graphSize) << pieces.graph;
  for (const Pieces::Initializer &piece : pieces.initializers) {
    os << piece.head << piece.dataField;
    os.write(piece.data.data(), piece.data.size());
  }
}

void onnxc::writeExternal(const WeightPlan &plan, llvm::raw_ostream &os) {
  uint64_t position = 0;
  for (auto [weight, offset] : llvm::zip_equal(plan.outside, plan.offsets)) {
    os.write_zeros(static_cast<unsigned>(offset - position));
    os.write(weight.bytes.data(), weight.bytes.size());
    position = offset + weight.bytes.size();
  }
}
