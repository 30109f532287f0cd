//===- ModelStream.cpp - A model and its weights, as bytes ----------------===//
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
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

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
    if (hasElements(tensor)) {
      if (externalName.empty() || bytes->size() < options.externalThreshold)
        continue;
      clearElements(tensor);
    }
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

/// The head of a length-delimited field.
static std::string makeField(unsigned number, uint64_t length) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (; length >= 0x80; length >>= 7)
    bytes.push_back(static_cast<char>(length | 0x80));
  bytes.push_back(static_cast<char>(length));
  return bytes;
}

namespace {
/// A serialized message, cut where a field that is written by itself belongs:
/// protobuf writes fields by their numbers.
struct CutMessage {
  std::string bytes;
  size_t at = 0;

  CutMessage() = default;
  CutMessage(const google::protobuf::MessageLite &message, int number);
  StringRef before() const { return StringRef(bytes).take_front(at); }
  StringRef after() const { return StringRef(bytes).drop_front(at); }
};

/// A model in the pieces that are written after each other.
struct Pieces {
  CutMessage model, graph;
  struct Initializer {
    CutMessage header;
    std::string field, dataField;
    ArrayRef<char> data;
  };
  std::vector<Initializer> initializers;
  uint64_t graphSize = 0;

  Pieces(const onnx::ModelProto &proto, const WeightPlan &plan);
};
} // namespace

CutMessage::CutMessage(const google::protobuf::MessageLite &message, int number)
    : bytes(message.SerializeAsString()) {
  using Wire = google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()),
      static_cast<int>(bytes.size()));
  while (uint32_t tag = stream.ReadTag()) {
    if (Wire::GetTagFieldNumber(tag) > number)
      return;
    Wire::SkipField(&stream, tag);
    at = static_cast<size_t>(stream.CurrentPosition());
  }
}

Pieces::Pieces(const onnx::ModelProto &proto, const WeightPlan &plan) {
  // Taken apart without a copy, and put together again.
  auto &whole = const_cast<onnx::ModelProto &>(proto);
  std::unique_ptr<onnx::GraphProto> inner(whole.release_graph());
  model = CutMessage(whole, onnx::ModelProto::kGraphFieldNumber);
  Repeated<TensorProto> tensors;
  tensors.Swap(inner->mutable_initializer());
  graph = CutMessage(*inner, onnx::GraphProto::kInitializerFieldNumber);
  graphSize = graph.bytes.size();
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    Initializer piece;
    piece.header = CutMessage(tensor, TensorProto::kRawDataFieldNumber);
    if (i < plan.inModel.size() && !plan.inModel[i].bytes.empty()) {
      piece.data = plan.inModel[i].bytes;
      piece.dataField =
          makeField(TensorProto::kRawDataFieldNumber, piece.data.size());
    }
    uint64_t size =
        piece.header.bytes.size() + piece.dataField.size() + piece.data.size();
    piece.field = makeField(onnx::GraphProto::kInitializerFieldNumber, size);
    graphSize += piece.field.size() + size;
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
  os << pieces.model.before()
     << makeField(onnx::ModelProto::kGraphFieldNumber, pieces.graphSize)
     << pieces.graph.before();
  for (const Pieces::Initializer &piece : pieces.initializers) {
    os << piece.field << piece.header.before() << piece.dataField;
    os.write(piece.data.data(), piece.data.size());
    os << piece.header.after();
  }
  os << pieces.graph.after() << pieces.model.after();
}

void onnxc::writeExternal(const WeightPlan &plan, llvm::raw_ostream &os) {
  uint64_t position = 0;
  for (auto [weight, offset] : llvm::zip_equal(plan.outside, plan.offsets)) {
    os.write_zeros(static_cast<unsigned>(offset - position));
    os.write(weight.bytes.data(), weight.bytes.size());
    position = offset + weight.bytes.size();
  }
}
