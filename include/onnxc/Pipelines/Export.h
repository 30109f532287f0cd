//===- Export.h - A module as a model ------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_EXPORT_H
#define ONNXC_PIPELINES_EXPORT_H

#include "onnxc/Export/Export.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace onnxc {

/// Brings the module's ops to the form that the model's opset has
/// (onnx-downgrade), and writes it as a model: to a file, or into `bytes`.
/// Errors go to the context's diagnostics, and then nothing is written; the
/// module may have changed.
llvm::LogicalResult exportModel(mlir::ModuleOp module, llvm::StringRef path,
                                const ExportOptions &options = {});
llvm::LogicalResult exportModel(mlir::ModuleOp module, std::string &bytes,
                                const ExportOptions &options = {});

/// Changes the opset of an imported model, "17", or that of another domain,
/// "ai.onnx.ml=3", and brings its nodes to it, by the upgrade rules forwards or
/// backwards. What has no form there is an error that names the node.
llvm::LogicalResult convertOpsets(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> opsets);
/// Adds the passes of it; none without opsets.
void buildConversion(mlir::OpPassManager &pm,
                     llvm::ArrayRef<std::string> opsets);
/// Adds the pass that exportModel runs first.
void buildDowngrade(mlir::OpPassManager &pm, const ExportOptions &options);
/// All that happens between import and export where a model only gets another
/// opset, as onnx-mlir-opt's --pass-pipeline takes it.
std::string getConversionText(llvm::ArrayRef<std::string> opsets);

} // namespace onnxc

#endif // ONNXC_PIPELINES_EXPORT_H
