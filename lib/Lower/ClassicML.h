//===- ClassicML.h - What the lowerings of ai.onnx.ml share --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_CLASSICML_H
#define ONNXC_LIB_LOWER_CLASSICML_H

#include "Handles.h"
#include "Lowering.h"

namespace onnxc {

using FloatList = std::optional<llvm::ArrayRef<float>>;
using IntList = std::optional<llvm::ArrayRef<int64_t>>;

/// The elements of a list, none where it is absent.
template <typename T>
llvm::ArrayRef<T> elementsOf(std::optional<llvm::ArrayRef<T>> list) {
  return list.value_or(llvm::ArrayRef<T>());
}

/// The elements of an attribute that may be a resource. Fails, with the reason,
/// for those without data and for sparse ones.
mlir::FailureOr<mlir::DenseElementsAttr> readDense(Lowering &l,
                                                   mlir::ElementsAttr elements);

/// A constant tensor. One of no elements gets one, 0, which is not read:
/// tables of the runtime are never empty.
mlir::Value tableOf(Lowering &l, llvm::ArrayRef<float> numbers);
mlir::Value tableOf(Lowering &l, llvm::ArrayRef<double> numbers);
mlir::Value tableOf(Lowering &l, llvm::ArrayRef<int64_t> numbers);
mlir::Value tableOf(Lowering &l, llvm::ArrayRef<int32_t> numbers);
/// A constant matrix of `rows` rows.
mlir::Value matrixOf(Lowering &l, llvm::ArrayRef<float> numbers, int64_t rows);

/// Class labels, which are texts or integers, as 64-bit elements.
struct Labels {
  mlir::Value table;
  int64_t count = 0;
  /// onnxc_dtype of the elements.
  int32_t dtype = 0;
};
mlir::FailureOr<Labels> getLabels(Lowering &l, IntList integers,
                                  std::optional<mlir::ArrayAttr> texts);

/// An operand [N, C], or a row [C], as [N, C] of element type `element`.
mlir::FailureOr<mlir::Value> getRows(Lowering &l, mlir::Value x,
                                     mlir::Type element);

/// The runtime's number of a post_transform.
mlir::FailureOr<int64_t> getTransform(Lowering &l, llvm::StringRef name);
/// Scores [N, count], transformed.
mlir::Value transformScores(Lowering &l, mlir::Value scores, int64_t transform);

/// x [N, C] times rows [M, C] transposed.
mlir::Value timesTransposed(Lowering &l, mlir::Value x, mlir::Value rows);
/// Adds a vector to each row.
mlir::Value addToRows(Lowering &l, mlir::Value x, mlir::Value vector);

/// A call that gives the label chosen for each of `rows` rows, and floats
/// [rows, columns].
llvm::SmallVector<mlir::Value> callClassifier(Lowering &l, llvm::StringRef name,
                                              mlir::ValueRange inputs,
                                              mlir::OpFoldResult rows,
                                              int64_t columns);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_CLASSICML_H
