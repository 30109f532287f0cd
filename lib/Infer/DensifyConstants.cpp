//===- DensifyConstants.cpp - Sparse constants as dense ones --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_DENSIFYCONSTANTS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// What a dense tensor may take: a sparse one can state any size.
static constexpr int64_t maxBytes = int64_t(1) << 32;

static int64_t getElementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * getElementBytes(complex.getElementType());
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The elements, each of whole bytes; nullopt where there are no data.
static std::optional<std::vector<char>> getBytes(ElementsAttr elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = unpackResource(resource).getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return std::vector<char>(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return std::nullopt;
  if (dense.getElementType().isInteger(1)) {
    auto bits = dense.getValues<bool>();
    return std::vector<char>(bits.begin(), bits.end());
  }
  ArrayRef<char> raw = dense.getRawData();
  std::vector<char> bytes;
  for (int64_t i = 0, e = dense.isSplat() ? dense.size() : 1; i < e; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

static ElementsAttr fromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        type, llvm::to_vector(llvm::map_range(
                  bytes, [](char byte) -> bool { return byte; })));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// The shape is the model's: a product of any numbers.
static SaturatingInt countElements(RankedTensorType type) {
  SaturatingInt count = 1;
  for (int64_t dim : type.getShape())
    count *= dim;
  return llvm::is_contained(type.getShape(), 0) ? SaturatingInt(0) : count;
}

/// Where in the dense tensor each value is; nullopt if an index is out of
/// range, or they are not of the form [NNZ] or [NNZ, rank].
static std::optional<SmallVector<int64_t>>
getPlaces(ElementsAttr indices, RankedTensorType type, int64_t count) {
  auto form = dyn_cast<RankedTensorType>(indices.getType());
  std::optional<std::vector<char>> bytes = getBytes(indices);
  if (!form || !form.getElementType().isInteger(64) || !bytes)
    return std::nullopt;
  bool isLinear = form.getRank() == 1;
  SmallVector<int64_t> wanted = {count}, dims = {countElements(type)};
  if (!isLinear) {
    wanted.push_back(type.getRank());
    dims.assign(type.getShape().begin(), type.getShape().end());
  }
  if (form.getShape() != ArrayRef(wanted) ||
      bytes->size() != form.getNumElements() * sizeof(int64_t))
    return std::nullopt;
  SmallVector<int64_t> places;
  const char *next = bytes->data();
  for (int64_t i = 0; i < count; ++i) {
    SaturatingInt place = 0;
    for (int64_t dim : dims) {
      int64_t index;
      std::memcpy(&index, next, sizeof(index));
      next += sizeof(index);
      if (index < 0 || index >= dim)
        return std::nullopt;
      place = place * dim + index;
    }
    places.push_back(place);
  }
  return places;
}

static LogicalResult densify(ConstantOp op) {
  onnxc::SparseElementsAttr sparse = *op.getSparseValue();
  auto type = dyn_cast<RankedTensorType>(sparse.getType());
  ElementsAttr values = sparse.getValues();
  if (!type || !type.hasStaticShape() ||
      values.getElementType() != type.getElementType())
    return op.emitOpError("has a sparse value that is not of its values' type "
                          "or of no known shape");
  int64_t count = values.getNumElements(), size = countElements(type);
  std::optional<SmallVector<int64_t>> places =
      getPlaces(sparse.getIndices(), type, count);
  if (!places)
    return op.emitOpError("has a sparse value whose indices are not of shape "
                          "[NNZ] or [NNZ, rank], or out of range");
  bool isText = isa<StringType>(type.getElementType());
  int64_t width =
      isText ? sizeof(StringRef) : getElementBytes(type.getElementType());
  if (size > maxBytes / width)
    return op.emitOpError("has a sparse value that is too large to be made "
                          "dense");
  ElementsAttr dense;
  if (auto texts = dyn_cast<DenseStringElementsAttr>(values)) {
    SmallVector<StringRef> all(size);
    for (auto [place, text] :
         llvm::zip_equal(*places, texts.getValues<StringRef>()))
      all[place] = text;
    dense = DenseStringElementsAttr::get(type, all);
  } else {
    std::optional<std::vector<char>> bytes = getBytes(values);
    // no overflow: the values are in memory
    if (isText || !bytes || int64_t(bytes->size()) != count * width)
      return op.emitOpError("has a sparse value without data");
    // no overflow: at most maxBytes
    std::vector<char> all(size * width);
    for (auto [i, place] : llvm::enumerate(*places))
      std::memcpy(&all[place * width], &(*bytes)[i * width], width);
    dense = fromBytes(type, all);
  }
  op.removeSparseValueAttr();
  op.setValueAttr(dense);
  return success();
}

namespace {
struct DensifyConstants : onnxc::impl::DensifyConstantsBase<DensifyConstants> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](ConstantOp op) {
      return WalkResult(op.getSparseValue() ? densify(op) : success());
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
