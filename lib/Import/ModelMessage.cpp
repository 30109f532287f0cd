//===- ModelMessage.cpp - A model as its file says it ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/ModelMessage.h"

#include "llvm/ADT/StringSet.h"

#include <onnx/onnx-ml.pb.h>

using namespace onnxc;

llvm::Expected<ModelMessage> ModelMessage::parse(llvm::StringRef bytes,
                                                 llvm::StringRef path) {
  auto proto = std::make_unique<onnx::ModelProto>();
  if (bytes.size() > INT32_MAX ||
      !proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !proto->has_graph())
    return llvm::createStringError(path +
                                   ": not a serialized ONNX model, expected a "
                                   ".onnx file of less than 2 GiB");
  return ModelMessage(std::move(proto));
}

ModelMessage::ModelMessage(std::unique_ptr<onnx::ModelProto> given)
    : proto(std::move(given)) {
  for (const onnx::NodeProto &node : proto->graph().node()) {
    Node &known =
        graphNodes.emplace_back(Node{node.name(), node.op_type(), {}});
    for (const std::string &output : node.output())
      if (!output.empty())
        known.outputs.push_back(output);
  }
}

ModelMessage::ModelMessage(ModelMessage &&) = default;
ModelMessage::~ModelMessage() = default;

std::string ModelMessage::withOutputs(llvm::ArrayRef<llvm::StringRef> names,
                                      bool beside) const {
  onnx::ModelProto model = *proto;
  llvm::StringSet<> known;
  if (beside)
    for (const onnx::ValueInfoProto &output : model.graph().output())
      known.insert(output.name());
  else
    model.mutable_graph()->clear_output();
  for (llvm::StringRef name : names)
    if (known.insert(name).second)
      model.mutable_graph()->add_output()->set_name(name.str());
  return model.SerializeAsString();
}
