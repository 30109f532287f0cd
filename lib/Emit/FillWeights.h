//===- FillWeights.h - Weights into a linked file ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_FILLWEIGHTS_H
#define ONNXC_LIB_EMIT_FILLWEIGHTS_H

#include "ModelInfo.h"

#include "llvm/Support/raw_ostream.h"

namespace onnxc {

/// Writes the shared object `linked` to `os`, with the weights as the contents
/// of the section that it keeps free for them.
llvm::LogicalResult fillWeights(mlir::ModuleOp module, const ModelInfo &info,
                                llvm::StringRef linked, llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_FILLWEIGHTS_H
