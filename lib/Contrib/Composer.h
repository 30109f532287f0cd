//===- Composer.h - A node as a composition of operators ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONTRIB_COMPOSER_H
#define ONNXC_LIB_CONTRIB_COMPOSER_H

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"

namespace onnxc {

/// Writes down what a node computes, in ONNX's operators. Expansions are
/// written without looking at errors, which are reported at the node.
class Composer : public ONNXBuilder {
public:
  /// `inputs`: the names of the node's inputs, for messages.
  Composer(NodeUpgrade &node, llvm::ArrayRef<llvm::StringRef> inputs = {})
      : ONNXBuilder(node.builder, node.getLoc()), node(node),
        inputNames(inputs) {}

  NodeUpgrade &getNode() { return node; }

  /// Reports what is wrong with the node, if nothing was before.
  void fail(const llvm::Twine &message);
  /// The same for an input or an attribute that is not supported, or not so.
  void failInput(unsigned index, const llvm::Twine &message);
  void failAttribute(llvm::StringRef name, const llvm::Twine &message);
  /// Fails unless the attribute is absent or has the value.
  void expectInt(llvm::StringRef name, int64_t value);
  void expectNoInput(unsigned index);
  void expectNoOutput(unsigned index, llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // The node
  //===--------------------------------------------------------------------===//

  /// Null if it is absent.
  mlir::Value input(unsigned index) const { return node.getInput(index); }
  size_t getNumInputs() const { return node.inputs.size(); }
  bool hasOutput(unsigned index) const { return node.hasOutput(index); }

  /// Attributes; of another type than asked for is an error.
  int64_t getInt(llvm::StringRef name, int64_t otherwise);
  /// One that must be there, positive, and no more than a 32-bit integer.
  int64_t getCount(llvm::StringRef name);
  float getFloat(llvm::StringRef name, float otherwise);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef otherwise);
  std::optional<llvm::ArrayRef<int64_t>> getInts(llvm::StringRef name);
  std::optional<llvm::ArrayRef<float>> getFloats(llvm::StringRef name);
  /// Those of the attributes that the node has, as they are.
  llvm::SmallVector<mlir::NamedAttribute>
  pick(llvm::ArrayRef<llvm::StringRef> names);

  //===--------------------------------------------------------------------===//
  // Ranks
  //===--------------------------------------------------------------------===//

  /// The rank; without one, an error that says for what it is needed.
  int64_t getRank(mlir::Value x, llvm::StringRef what);
  mlir::Value swapLastTwo(mlir::Value x);

private:
  NodeUpgrade &node;
  llvm::ArrayRef<llvm::StringRef> inputNames;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONTRIB_COMPOSER_H
