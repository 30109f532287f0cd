//===- Texts.h - Strings in lowerings ------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_TEXTS_H
#define ONNXC_LIB_LOWER_TEXTS_H

#include "Lowering.h"

namespace onnxc {

/// Constant strings as a tensor of their addresses, which is computed when the
/// model runs. Fails where one holds a NUL.
mlir::FailureOr<mlir::Value> texts(Lowering &l,
                                   llvm::ArrayRef<llvm::StringRef> strings,
                                   llvm::ArrayRef<int64_t> shape);
/// As a tensor of rank 1.
mlir::FailureOr<mlir::Value> texts(Lowering &l,
                                   llvm::ArrayRef<llvm::StringRef> strings);
/// The address of a constant string.
mlir::FailureOr<mlir::Value> text(Lowering &l, llvm::StringRef string);

/// The strings of a list attribute; none where it is absent.
llvm::SmallVector<llvm::StringRef>
getStrings(std::optional<mlir::ArrayAttr> list);

/// Whether an elementwise op computes with strings, and not only moves them;
/// and its lowering.
bool computesTexts(mlir::Operation *op);
mlir::LogicalResult lowerTextElementwise(Lowering &l);
mlir::LogicalResult lowerTextConstant(Lowering &l, mlir::ElementsAttr value);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_TEXTS_H
