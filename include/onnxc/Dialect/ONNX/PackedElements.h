//===- PackedElements.h - Elements of less than a byte -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files pack elements of less than a byte (but bool, which takes one): from the
// lowest bit on, and an element may reach into the next byte. A resource holds
// them as the file does, so that import copies no weights, or, where a rewrite
// has made it, with a byte for each; its size says which. Where they are
// computed with, each has a byte, its value in the low bits.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_PACKEDELEMENTS_H
#define ONNXC_DIALECT_ONNX_PACKEDELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <vector>

namespace onnxc {

/// The bits of an element that a file packs, all of less than a byte; 0 for
/// types whose elements take whole bytes.
unsigned getPackedBits(mlir::Type elementType);

std::vector<char> unpackElements(llvm::ArrayRef<char> packed, unsigned bits,
                                 size_t count);

/// The data of a resource, if they are packed elements.
std::optional<llvm::ArrayRef<char>>
getPackedData(mlir::DenseResourceElementsAttr resource);

/// The resource with a byte at least for each element: itself, unless it is
/// packed.
mlir::DenseResourceElementsAttr
unpackResource(mlir::DenseResourceElementsAttr resource);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_PACKEDELEMENTS_H
