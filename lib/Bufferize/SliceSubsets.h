//===- SliceSubsets.h - Which slices of a tensor meet -----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_SLICESUBSETS_H
#define ONNXC_LIB_BUFFERIZE_SLICESUBSETS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace onnxc {

/// Attaches SubsetOpInterface to the ops of slices, in the place of
/// tensor::registerSubsetOpInterfaceExternalModels.
void registerSliceSubsets(mlir::DialectRegistry &registry);

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_SLICESUBSETS_H
