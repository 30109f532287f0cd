//===- ModelMessage.h - A model as its file says it ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that run a model with other outputs and need none of its meaning.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_IMPORT_MODELMESSAGE_H
#define ONNXC_IMPORT_MODELMESSAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace onnxc {

class ModelMessage {
public:
  /// A node of the graph; `outputs` are those that have a name.
  struct Node {
    std::string name, opType;
    std::vector<std::string> outputs;
  };

  /// Parses a serialized model of less than 2 GiB; `path` is for the error.
  static llvm::Expected<ModelMessage> parse(llvm::StringRef bytes,
                                            llvm::StringRef path);
  ModelMessage(ModelMessage &&);
  ~ModelMessage();

  llvm::ArrayRef<Node> nodes() const { return graphNodes; }
  /// The model, serialized, with these values as its outputs, whose types
  /// follow; beside those that it has, or alone.
  std::string withOutputs(llvm::ArrayRef<llvm::StringRef> names,
                          bool beside) const;

private:
  explicit ModelMessage(std::unique_ptr<onnx::ModelProto> proto);

  std::unique_ptr<onnx::ModelProto> proto;
  std::vector<Node> graphNodes;
};

} // namespace onnxc

#endif // ONNXC_IMPORT_MODELMESSAGE_H
