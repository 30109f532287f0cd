//===- Export.h - A module as a model --------------------------------*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_EXPORT_H
#define ONNXC_PIPELINES_EXPORT_H

#include "onnxc/Export/Export.h"

namespace onnxc {

/// Brings the module's ops to the form that the model's opset has
/// (onnx-downgrade), and writes it as a model: to a file, or into `bytes`.
/// Errors go to the context's diagnostics, and then nothing is written; the
/// module may have changed.
llvm::LogicalResult exportModel(mlir::ModuleOp module, llvm::StringRef path,
                                const ExportOptions &options = {});
llvm::LogicalResult exportModel(mlir::ModuleOp module, std::string &bytes,
                                const ExportOptions &options = {});

} // namespace onnxc

#endif // ONNXC_PIPELINES_EXPORT_H
