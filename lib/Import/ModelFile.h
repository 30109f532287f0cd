//===- ModelFile.h - An opened and parsed model file ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_MODELFILE_H
#define ONNXC_LIB_IMPORT_MODELFILE_H

#include "onnxc/Import/ExternalData.h"
#include "onnxc/Import/WireScanner.h"

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

/// A model, parsed but for the payloads that stay in its file.
struct ModelFile {
  MappedFile mapping;
  llvm::DenseMap<uint64_t, Payload> payloads;
  onnx::ModelProto proto;
  ExternalFiles externalFiles;
};

llvm::FailureOr<std::unique_ptr<ModelFile>>
openModelFile(llvm::StringRef path, unsigned maxDepth, ErrorSink error);

/// Parses a model that is in memory; `path` is where its external data is.
llvm::FailureOr<std::unique_ptr<ModelFile>>
parseModelFile(MappedFile mapping, llvm::StringRef path,
               llvm::StringRef realPath, unsigned maxDepth, ErrorSink error);

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_MODELFILE_H
