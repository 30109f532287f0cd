//===- TypeReader.cpp - TypeProto to Type ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeReader.h"

#include "onnxc/Dialect/ONNX/Limits.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace onnxc;

/// Types within types.
static constexpr int maxTypeDepth = 32;

FailureOr<Type> onnxc::readElementType(MLIRContext *context, int32_t dataType,
                                       ErrorSink error) {
  Type type = getElementType(context, dataType);
  if (!type) {
    error("element type " + llvm::Twine(dataType) +
          " is not one of TensorProto.DataType");
    return failure();
  }
  return type;
}

/// Loops are as many as dimensions: of thousands of them, the compiler's own
/// data structures would be as deep.
static LogicalResult checkRank(size_t rank, ErrorSink error) {
  if (rank <= maxTensorRank)
    return success();
  error("has " + llvm::Twine(rank) + " dimensions, at most " +
        llvm::Twine(maxTensorRank) + " are possible");
  return failure();
}

FailureOr<int64_t> onnxc::countElements(ArrayRef<int64_t> dims,
                                        ErrorSink error) {
  // A dimension of 0 makes the tensor empty, whatever the others are, but the
  // others are still multiplied where strides are computed.
  if (failed(checkRank(dims.size(), error)))
    return failure();
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0) {
      error("has the negative dimension " + llvm::Twine(dim));
      return failure();
    }
    isEmpty |= dim == 0;
    std::optional<int64_t> product =
        llvm::checkedMul(count, std::max<int64_t>(dim, 1));
    // Sizes in bits must be computable, too.
    if (!product || *product > INT64_MAX / 128) {
      error("has more elements than can be counted");
      return failure();
    }
    count = *product;
  }
  return isEmpty ? 0 : count;
}

/// The tensor type of an element type and maybe a shape.
static FailureOr<Type> readTensorType(Type elementType, bool hasShape,
                                      const onnx::TensorShapeProto &shape,
                                      ErrorSink error) {
  if (!hasShape)
    return Type(UnrankedTensorType::get(elementType));
  SmallVector<int64_t> dims, known;
  for (const onnx::TensorShapeProto::Dimension &dim : shape.dim()) {
    // Exporters write -1 for what they do not know.
    bool isStatic = dim.has_dim_value() && dim.dim_value() != -1;
    dims.push_back(isStatic ? dim.dim_value() : ShapedType::kDynamic);
    if (isStatic)
      known.push_back(dim.dim_value());
  }
  if (failed(checkRank(dims.size(), error)) ||
      failed(countElements(known, error)))
    return failure();
  return Type(RankedTensorType::get(dims, elementType));
}

static FailureOr<Type> readTypeAt(MLIRContext *context,
                                  const onnx::TypeProto &proto, int depth,
                                  ErrorSink error) {
  if (depth > maxTypeDepth) {
    error("its type is nested more than " + llvm::Twine(maxTypeDepth) +
          " deep");
    return failure();
  }
  switch (proto.value_case()) {
  case onnx::TypeProto::kTensorType: {
    const auto &tensor = proto.tensor_type();
    FailureOr<Type> element =
        readElementType(context, tensor.elem_type(), error);
    if (failed(element))
      return failure();
    return readTensorType(*element, tensor.has_shape(), tensor.shape(), error);
  }
  case onnx::TypeProto::kSparseTensorType: {
    const auto &tensor = proto.sparse_tensor_type();
    FailureOr<Type> element =
        readElementType(context, tensor.elem_type(), error);
    if (failed(element))
      return failure();
    FailureOr<Type> dense =
        readTensorType(*element, tensor.has_shape(), tensor.shape(), error);
    if (failed(dense))
      return failure();
    return Type(SparseType::get(context, *dense));
  }
  case onnx::TypeProto::kSequenceType: {
    FailureOr<Type> element = readTypeAt(
        context, proto.sequence_type().elem_type(), depth + 1, error);
    if (failed(element))
      return failure();
    return Type(SeqType::get(context, *element));
  }
  case onnx::TypeProto::kOptionalType: {
    FailureOr<Type> element = readTypeAt(
        context, proto.optional_type().elem_type(), depth + 1, error);
    if (failed(element))
      return failure();
    return Type(OptType::get(context, *element));
  }
  case onnx::TypeProto::kMapType: {
    FailureOr<Type> key =
        readElementType(context, proto.map_type().key_type(), error);
    if (failed(key))
      return failure();
    FailureOr<Type> value =
        readTypeAt(context, proto.map_type().value_type(), depth + 1, error);
    if (failed(value))
      return failure();
    return Type(MapType::get(context, *key, *value));
  }
  case onnx::TypeProto::kOpaqueType:
    error("its type is the opaque type '" +
          llvm::Twine(toStringRef(proto.opaque_type().name())) +
          "', which is not supported");
    return failure();
  case onnx::TypeProto::VALUE_NOT_SET:
    if (depth > 0) {
      error("its type holds elements of no type");
      return failure();
    }
    return Type(UnknownType::get(context));
  }
  return Type(UnknownType::get(context));
}

FailureOr<Type> onnxc::readType(MLIRContext *context,
                                const onnx::TypeProto &proto, ErrorSink error) {
  return readTypeAt(context, proto, 0, error);
}

/// What exporters write where a size is open and has no name. As names they
/// would say that all such sizes are equal.
static bool isPlaceholder(StringRef name) {
  return name == "?" || name == "None" || name == "-1";
}

SmallVector<StringRef> onnxc::getDimParams(const onnx::TypeProto &proto) {
  SmallVector<StringRef> names;
  bool any = false;
  for (const auto &dim : proto.tensor_type().shape().dim()) {
    StringRef name = dim.dim_param();
    names.push_back(isPlaceholder(name) ? StringRef() : name);
    any |= !names.back().empty();
  }
  if (!any)
    names.clear();
  return names;
}
