//===- ShapeRules.h - Shape rules that families share --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SHAPERULES_H
#define ONNXC_DIALECT_ONNX_SHAPERULES_H

#include "onnxc/Dialect/ONNX/Window.h"

namespace onnxc {

/// No memory holds a tensor with a dimension beyond this. Rules bound by it
/// what comes from outside, so that no arithmetic on it wraps around when run.
constexpr int64_t maxSize = int64_t(1) << 56;

/// The dims of a value that must have `rank` dims: unknown ones if its own rank
/// is not known.
Dims dimsOfRank(ShapeBuilder &s, mlir::Value value, int64_t rank,
                const llvm::Twine &tag);

/// States that a value, where it is there, is one number: a scalar or a tensor
/// of one element. `message` as for `require`.
bool requireScalar(ShapeBuilder &s, mlir::Value value,
                   const llvm::Twine &message);

/// States that `whole` can be cut into `parts` (at least 1) of the same size.
/// `message` as for `require`.
bool requireMultiple(ShapeBuilder &s, Dim whole, int64_t parts,
                     const llvm::Twine &message);

/// Result 0 has the shape of `input` and this element type.
llvm::LogicalResult withElementType(ShapeBuilder &s, mlir::Value input,
                                    mlir::Type elementType);

/// `axis`, where it is known, is one of `x`, counted from either end.
void requireAxis(ShapeBuilder &s, mlir::Value x, mlir::Value axis,
                 const llvm::Twine &name);

/// Rows and columns of an [N, C] input of ai.onnx.ml; a [C] input is one row.
std::pair<Dim, Dim> featureDims(ShapeBuilder &s, mlir::Value x,
                                llvm::StringRef op);

/// Whether the value is known to be a sequence without elements. Its element
/// type does not count beside that of what is added to it.
bool isEmptySequence(mlir::Value value);

/// Convolutions, transposed ones apart. `bias` may be null.
llvm::LogicalResult convolutionShape(ShapeBuilder &s, mlir::Value x,
                                     mlir::Value w, mlir::Value bias,
                                     const WindowAttrs &attrs, int64_t group,
                                     mlir::Type elementType,
                                     llvm::StringRef op);

/// numpy.matmul: batch dims broadcast; a vector counts as a row on the left, as
/// a column on the right, and its dimension does not appear in the result.
llvm::LogicalResult matmulShape(ShapeBuilder &s, mlir::Value a, mlir::Value b,
                                mlir::Type elementType, llvm::StringRef op);

/// Reductions over the axes in a tensor; `axes` may be null.
llvm::LogicalResult reductionShape(ShapeBuilder &s, mlir::Value data,
                                   mlir::Value axes, bool keepDims,
                                   bool noopWithEmptyAxes, llvm::StringRef op);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SHAPERULES_H
