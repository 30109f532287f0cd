//===- Layers.h - The nodes whose weights are quantized ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_LAYERS_H
#define ONNXC_QUANTIZE_LAYERS_H

#include "onnxc/Quantize/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace onnxc::quantize {

/// A node with constant weights.
struct Layer {
  mlir::Operation *op = nullptr;
  /// The operand that is the weights.
  unsigned weightOperand = 1;
  mlir::ElementsAttr weights;
  /// What a person calls the node, and its operator.
  std::string name, kind;
  /// The axis of the weights that is summed over, along which blocks are; of a
  /// Gather the last one. -1 for a convolution, which has several.
  int64_t blockAxis = -1;
  /// The axis of the weights that has a scale for each index; -1: one for all.
  int64_t channelAxis = -1;
  /// In a body of If, Loop, Scan or SequenceMap.
  bool isNested = false;

  mlir::Value getWeight() const { return op->getOperand(weightOperand); }
};

/// Which nodes are layers.
struct LayerKinds {
  bool convolutions = false;
  bool embeddings = false;
};

/// The graph of the model.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

/// The layers of the model in its order, those of bodies included.
std::vector<Layer> findLayers(mlir::ModuleOp module, LayerKinds kinds);

/// Whether the layer has the name, or one of its outputs, or its operator, or
/// the pattern (with * ? [ ]) matches one of them. False, too, where the text
/// is not a pattern.
bool isNamedBy(const Layer &layer, llvm::StringRef pattern);

/// The name of a value in the model; empty if it has none.
std::string getValueName(mlir::Value value);

/// Where an op is made that helps to make what takes the place of `root`, with
/// these names of node and output.
mlir::Location makeLocation(mlir::Operation *root, llvm::StringRef node,
                            llvm::StringRef op, llvm::StringRef output);

/// An initializer of this name, before the builder's place.
mlir::Value makeInitializer(mlir::OpBuilder &builder, mlir::Operation *root,
                            mlir::ElementsAttr value, llvm::StringRef name);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_LAYERS_H
