//===- TensorReader.h - TensorProto to ElementsAttr ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_TENSORREADER_H
#define ONNXC_LIB_IMPORT_TENSORREADER_H

#include "ModelFile.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include <vector>

namespace onnxc {

/// Reads tensors of one model.
class TensorReader {
public:
  /// `keepMissing`: external data that is not there makes a resource without
  /// a blob.
  TensorReader(mlir::MLIRContext *context, ModelFile &file, bool keepMissing)
      : context(context), file(file), keepMissing(keepMissing) {}

  /// The value of `proto`: `dense` if it is small, else a resource, which is
  /// named after `name` and, where the file has the very bytes, points to them.
  llvm::FailureOr<mlir::ElementsAttr>
  read(const onnx::TensorProto &proto, llvm::StringRef name, ErrorSink error);

  /// The elements of `proto`, a tensor of `type`, in the form of raw_data.
  llvm::FailureOr<std::vector<char>> readPlain(const onnx::TensorProto &proto,
                                               mlir::RankedTensorType type,
                                               ErrorSink error);

  llvm::FailureOr<SparseElementsAttr>
  readSparse(const onnx::SparseTensorProto &proto, llvm::StringRef name,
             ErrorSink error);

private:
  /// Bytes, and who keeps them alive: a mapped file, or themselves.
  struct Bytes {
    llvm::ArrayRef<char> data;
    MappedFile mapping;
    std::vector<char> storage;

    void own() { data = storage; }
  };

  llvm::FailureOr<Bytes> readBytes(const onnx::TensorProto &proto,
                                   mlir::RankedTensorType type,
                                   ErrorSink error);
  llvm::FailureOr<Bytes> readExternal(const onnx::TensorProto &proto,
                                      int64_t expected, ErrorSink error);
  mlir::ElementsAttr makeAttribute(mlir::RankedTensorType type, Bytes bytes,
                                   llvm::StringRef name);

  bool isMissing(const onnx::TensorProto &proto);

  mlir::MLIRContext *context;
  ModelFile &file;
  bool keepMissing;
};

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_TENSORREADER_H
