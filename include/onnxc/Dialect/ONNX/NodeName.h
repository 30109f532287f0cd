//===- NodeName.h - What a person calls a node ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_NODENAME_H
#define ONNXC_DIALECT_ONNX_NODENAME_H

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

namespace onnxc {

/// The name that a person knows a node by: its own, or that of its first output
/// if it has none.
llvm::StringRef getNodeName(SourceAttr source);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_NODENAME_H
