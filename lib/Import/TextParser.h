//===- TextParser.h - Models in ONNX's textual syntax --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_TEXTPARSER_H
#define ONNXC_LIB_IMPORT_TEXTPARSER_H

#include "onnxc/Import/ExternalData.h"

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

/// Whether a file is a model as text: it is named so, or begins with "<key:",
/// which no serialized model can.
bool isModelText(llvm::StringRef path, llvm::StringRef bytes);

/// Parses a model in the syntax that ONNX defines in docs/Syntax.md. Errors say
/// where; graphs and types may be nested `maxDepth` deep.
llvm::LogicalResult parseModelText(llvm::StringRef text, unsigned maxDepth,
                                   onnx::ModelProto &model, ErrorSink error);

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_TEXTPARSER_H
