//===- StoredTensor.cpp - A tensor in a file of its own -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/StoredTensor.h"

#include "TensorReader.h"
#include "TypeReader.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

static LogicalResult readElements(const TensorProto &proto,
                                  StoredTensor &tensor, ErrorSink error) {
  FailureOr<int64_t> count = countElements(tensor.shape, error);
  if (failed(count))
    return failure();
  if (proto.data_location() == TensorProto::EXTERNAL) {
    error("has external data, which is not read from such files");
    return failure();
  }
  if (proto.data_type() == TensorProto::STRING) {
    tensor.strings.assign(proto.string_data().begin(),
                          proto.string_data().end());
    if (static_cast<int64_t>(tensor.strings.size()) == *count)
      return success();
    error("has " + llvm::Twine(tensor.strings.size()) + " texts, expected " +
          llvm::Twine(*count));
    return failure();
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<ONNXDialect>();
  FailureOr<Type> element = readElementType(&context, proto.data_type(), error);
  if (failed(element))
    return failure();
  ModelFile none{
      nullptr, llvm::DenseMap<uint64_t, Payload>(), {}, ExternalFiles("", "")};
  FailureOr<std::vector<char>> bytes =
      TensorReader(&context, none, /*keepMissing=*/false)
          .readPlain(proto, RankedTensorType::get(tensor.shape, *element),
                     error);
  if (failed(bytes))
    return failure();
  tensor.bytes = std::move(*bytes);
  return success();
}

llvm::Expected<StoredTensor> onnxc::readStoredTensor(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(path + ": " + file.getError().message());
  TensorProto proto;
  llvm::StringRef bytes = (*file)->getBuffer();
  if (bytes.size() > INT32_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !proto.has_data_type())
    return llvm::createStringError(path +
                                   ": not a TensorProto of less than 2 GiB; "
                                   "sequences and optional values are given "
                                   "by --inputs");
  StoredTensor tensor;
  tensor.name = proto.name();
  tensor.dataType = proto.data_type();
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  std::string reason;
  auto note = [&](const llvm::Twine &text) { reason = text.str(); };
  if (failed(readElements(proto, tensor, note)))
    return llvm::createStringError(path + ": the tensor " + reason);
  return tensor;
}
