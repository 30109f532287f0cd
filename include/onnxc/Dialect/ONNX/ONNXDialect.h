//===- ONNXDialect.h - The onnx dialect, its types and attributes ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ONNXDIALECT_H
#define ONNXC_DIALECT_ONNX_ONNXDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/ONNX/ONNXTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/ONNX/ONNXAttrs.h.inc"

namespace onnxc {

/// The node that an op came from, found through any nesting of locations; null
/// if it came from none.
SourceAttr getSource(mlir::Location loc);

/// How errors and run-time checks name an op: "node 'conv1' (Conv)".
std::string describeNode(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_ONNXDIALECT_H
