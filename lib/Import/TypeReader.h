//===- TypeReader.h - TypeProto to Type ----------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_TYPEREADER_H
#define ONNXC_LIB_IMPORT_TYPEREADER_H

#include "onnxc/Import/ExternalData.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

/// The type that a TypeProto says; !onnx.unknown where it says none.
llvm::FailureOr<mlir::Type> readType(mlir::MLIRContext *context,
                                     const onnx::TypeProto &proto,
                                     ErrorSink error);

/// The element type of a TensorProto.DataType number.
llvm::FailureOr<mlir::Type> readElementType(mlir::MLIRContext *context,
                                            int32_t dataType, ErrorSink error);

/// The number of elements of a tensor of these dimensions.
llvm::FailureOr<int64_t> countElements(llvm::ArrayRef<int64_t> dims,
                                       ErrorSink error);

/// The symbols of a tensor's dimensions ("" for none); empty if none has one.
llvm::SmallVector<llvm::StringRef> getDimParams(const onnx::TypeProto &proto);

/// A string of the proto; protobuf's strings are std::string already.
inline llvm::StringRef toStringRef(const std::string &text) { return text; }

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_TYPEREADER_H
