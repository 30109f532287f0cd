//===- Overridable.h - Initializers that callers may override - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From IR version 4 on, an initializer that is an input of the graph, too, is
// the default of an optional input (docs/decisions/015).
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_OVERRIDABLE_H
#define ONNXC_DIALECT_ONNX_OVERRIDABLE_H

#include "llvm/ADT/StringRef.h"

namespace onnxc {

/// On an argument of the entry: the elements that it has by default.
constexpr llvm::StringLiteral kDefaultAttr = "onnx.default";

/// On the entry function that runs where the caller overrides a default
/// (onnx-separate-defaults).
constexpr llvm::StringLiteral kOverriddenAttr = "onnx.overridden";

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_OVERRIDABLE_H
