//===- ContribOps.h - Operators of ONNX Runtime's domains ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------===//

//
// One function for each operator that ContribOps.def names. They write
// down what ONNX Runtime's kernel computes; signatures are in its
// docs/ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONTRIB_CONTRIBOPS_H
#define ONNXC_LIB_CONTRIB_CONTRIBOPS_H

#include "Composer.h"

namespace onnxc::contrib {

/// One for each output, null for what is never made.
using Results = llvm::SmallVectorImpl<mlir::Value>;

#define ONNXC_CONTRIB(name, function, family, inputs, attributes, remark)      \
  void function(Composer &c, Results &results);
#include "ContribOps.def"

//===----------------------------------------------------------------------===//
// What several families are made of
//===----------------------------------------------------------------------===//

/// The real numbers behind inputs `first` (elements), +1 (scale), +2 (zero
/// point, may be absent).
mlir::Value dequantizeInput(Composer &c, unsigned first);

/// The product of integer matrices, less zero points, as real numbers: times
/// `scale`, plus `bias` if there is one.
mlir::Value multiplyScaled(Composer &c, mlir::Value a, mlir::Value b,
                           mlir::Value aZero, mlir::Value bZero,
                           mlir::Value scale, mlir::Value bias);

/// The unsigned numbers of `bits` bits in the bytes of the last axis, the first
/// in the lowest bits of a byte, as bytes: the first `count` of each row.
mlir::Value unpackLast(Composer &c, mlir::Value bytes, int64_t bits,
                       int64_t count);

/// An image with its channels last as one with them first, and back.
mlir::Value channelsToFront(Composer &c, mlir::Value x);
mlir::Value channelsToBack(Composer &c, mlir::Value x);

/// What `compute` makes of an image; with `channelsLast` that is what it is
/// before and after, but not for `compute`.
mlir::Value
withChannelsFirst(Composer &c, mlir::Value x, bool channelsLast,
                  llvm::function_ref<mlir::Value(mlir::Value)> compute);

/// The function that a fused operator names; "" is none. `parameters` are those
/// that the function takes, in ONNX's order.
mlir::Value activate(Composer &c, mlir::Value x, llvm::StringRef function,
                     llvm::ArrayRef<float> parameters);

/// The normalization of the last axis, with the epsilon of the node.
template <typename Op>
mlir::Value normalize(Composer &c, llvm::ArrayRef<mlir::Value> operands,
                      double epsilon) {
  return c.make<Op>(operands,
                    {c.attribute("axis", -1),
                     c.attribute("epsilon", c.getFloat("epsilon", epsilon))});
}

} // namespace onnxc::contrib

#endif // ONNXC_LIB_CONTRIB_CONTRIBOPS_H
