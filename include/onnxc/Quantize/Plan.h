//===- Plan.h - What becomes of each layer's weights ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_QUANTIZE_PLAN_H
#define ONNXC_QUANTIZE_PLAN_H

#include "onnxc/Quantize/CodeSearch.h"
#include "onnxc/Quantize/Layers.h"

#include "mlir/IR/IRMapping.h"

#include <optional>
#include <vector>

namespace onnxc::quantize {

/// How a model says what is quantized.
enum class Format {
  /// DequantizeLinear of the weights, before the node.
  QDQ,
  /// com.microsoft.MatMulNBits in the place of MatMul and Gemm.
  MatMulNBits,
};

/// How weights by block are stored.
struct BlockOptions {
  unsigned bits = 4;
  int64_t blockSize = 32;
  /// Unsigned integers with a zero point for each block, else signed ones.
  bool zeroPoints = false;
  Format format = Format::QDQ;
};

/// Weights as integers: by blocks along an axis, or (blockSize 0) with a scale
/// for each index of the axis, or (axis -1) with one scale.
struct WeightCode {
  mlir::ElementsAttr integers, scales;
  /// Null if they are all 0.
  mlir::ElementsAttr zeroPoints;
  int64_t axis = -1, blockSize = 0;
  /// sqrt(sum of squared errors / sum of squares).
  double relativeError = 0;

  int64_t countBytes() const;
};

/// The code of an activation, of 8 bits.
struct ActivationCode {
  Code code;
  bool isUnsigned = true;
};

/// Weights by block. `importance`, if it is not empty, is the mean square of
/// the activation that each index of the block axis is multiplied with.
WeightCode quantizeBlocks(const Layer &layer, const BlockOptions &options,
                          llvm::ArrayRef<float> importance);

/// Signed weights of 8 bits by channel. `leastScales`: for each channel, or
/// empty.
WeightCode quantizeChannels(const Layer &layer,
                            llvm::ArrayRef<float> leastScales);

/// Whether a layer can be quantized by block in this form; else why not.
bool canUseBlocks(const Layer &layer, const BlockOptions &options,
                  std::string &reason);

/// How a layer's weights are stored: of a Gather with 8 bits, as ONNX's Gather
/// takes no narrower integers.
BlockOptions getOptionsOf(const Layer &layer, BlockOptions options);

/// What was made of weights that several layers may read.
struct MadeConstants {
  /// Integers, scales, and zero points if there are any.
  llvm::SmallVector<mlir::Value> constants;
  mlir::Value dequantized;
};

/// Puts the integers of `code` in the place of the layer's weights: where `op`,
/// the layer's node or a copy of it, reads them. `made` is empty for the first
/// op that reads the weights. Returns what takes the place of the op's result;
/// that itself where the op stays.
mlir::Value applyBlocks(mlir::Operation *op, const Layer &layer,
                        const WeightCode &code, const BlockOptions &options,
                        MadeConstants &made);

/// Says in the module that it has operators of ONNX Runtime's domain.
void importMicrosoftDomain(mlir::ModuleOp module);

} // namespace onnxc::quantize

#endif // ONNXC_QUANTIZE_PLAN_H
