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

/// Writes down what a node computes, in ONNX's operators. After the first
/// error, which is reported at the node, everything that is asked for is null
/// and nothing more is made or reported: expansions are written without looking
/// at errors, and a null operand is one that is absent.
class Composer {
public:
  /// `inputs`: the names of the node's inputs, for messages.
  Composer(NodeUpgrade &node, llvm::ArrayRef<llvm::StringRef> inputs = {})
      : node(node), inputNames(inputs) {}

  NodeUpgrade &getNode() { return node; }
  mlir::OpBuilder &getBuilder() { return node.builder; }
  bool hasFailed() const { return failed; }

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

  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attribute(llvm::StringRef name, int value) {
    return attribute(name, static_cast<int64_t>(value));
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute attribute(llvm::StringRef name, double value);
  mlir::NamedAttribute attribute(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> value);

  //===--------------------------------------------------------------------===//
  // Operators
  //===--------------------------------------------------------------------===//

  template <typename Op>
  mlir::Value make(llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return makeAll<Op>(operands, attributes, /*count=*/1).front();
  }
  template <typename Op>
  llvm::SmallVector<mlir::Value>
  makeAll(llvm::ArrayRef<mlir::Value> operands,
          llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned count) {
    llvm::SmallVector<mlir::Value> results;
    if (!failed)
      results = node.createAll<Op>(operands, attributes, count);
    if (results.empty()) {
      failed = true;
      results.resize(count);
    }
    return results;
  }

  mlir::Value ints(llvm::ArrayRef<int64_t> values);
  mlir::Value integer(int64_t value);
  mlir::Value floats(llvm::ArrayRef<float> values);
  /// A scalar of the element type of `like`.
  mlir::Value number(mlir::Value like, double value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  /// `a` where there is no `b`.
  mlir::Value addIfAny(mlir::Value a, mlir::Value b) {
    return b ? add(a, b) : a;
  }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, double b) { return add(a, number(a, b)); }
  mlir::Value sub(mlir::Value a, double b) { return sub(a, number(a, b)); }
  mlir::Value mul(mlir::Value a, double b) { return mul(a, number(a, b)); }
  mlir::Value cast(mlir::Value x, mlir::Type element);
  mlir::Value castLike(mlir::Value x, mlir::Value like);
  mlir::Value castToInt64(mlir::Value x);

  /// A size as a tensor of one element: a constant if it is known.
  mlir::Value dim(mlir::Value x, int64_t axis);
  /// The same as a scalar.
  mlir::Value scalarDim(mlir::Value x, int64_t axis) {
    return scalar(dim(x, axis));
  }
  mlir::Value scalar(mlir::Value x) { return reshape(x, {}); }
  /// 0 copies the size at the place, -1 is what is left.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value swapLastTwo(mlir::Value x);
  mlir::Value unsqueeze(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t axis);
  mlir::Value slice(mlir::Value x, int64_t axis, mlir::Value start,
                    mlir::Value end);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t start, int64_t end);
  /// Of the sizes given along the axis.
  llvm::SmallVector<mlir::Value> split(mlir::Value x, int64_t axis,
                                       llvm::ArrayRef<int64_t> sizes);
  /// Element `index` along the axis, which is gone.
  mlir::Value take(mlir::Value x, int64_t axis, int64_t index);
  mlir::Value gather(mlir::Value x, mlir::Value indices, int64_t axis);
  /// 0, 1, … as many as the scalar says.
  mlir::Value range(mlir::Value count);

  /// What `body` makes of states, `count` times over: it gets the number of the
  /// step and the states before it, and gives those after it and `numCollected`
  /// values of which the loop collects what each step gives, along a new first
  /// axis. The last states, and those collections.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value step, mlir::ValueRange states)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value count,
                                      llvm::ArrayRef<mlir::Value> initial,
                                      unsigned numCollected, LoopBody body);

  /// The rank; without one, an error that says for what it is needed.
  int64_t getRank(mlir::Value x, llvm::StringRef what);

private:
  NodeUpgrade &node;
  llvm::ArrayRef<llvm::StringRef> inputNames;
  bool failed = false;
};

/// The size along the axis (from the back where negative), if it is known.
std::optional<int64_t> getKnownDim(mlir::Value x, int64_t axis);

} // namespace onnxc

#endif // ONNXC_LIB_CONTRIB_COMPOSER_H
