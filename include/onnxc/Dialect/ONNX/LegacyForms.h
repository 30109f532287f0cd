//===- LegacyForms.h - Nodes in another version's form -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_LEGACYFORMS_H
#define ONNXC_DIALECT_ONNX_LEGACYFORMS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace onnxc {

/// The opset from which on nodes have the form of the version that it means.
constexpr int64_t firstStableOpset = 7;

/// Whether a node may have the form of another version than the opset means.
/// ONNX's first exporters, and its own tests, did not keep the two apart (Cast
/// with the name of a type, Reshape with the shape as an attribute, Pad-1 with
/// `pads`). From opset 7 on, checker and runtimes refuse what a version lacks.
inline bool mayHaveOtherForm(llvm::StringRef domain, int64_t opset) {
  return domain.empty() && opset < firstStableOpset;
}

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_LEGACYFORMS_H
