//===- WeightFolding.h - Arithmetic that goes into weights ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product with constant weights takes a scale and a shift of each channel of
// what it reads or of what it makes into its weights and bias. All is computed
// in double precision and rounded once; where a number would overflow, vanish
// or is not finite to begin with, nothing is done.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_WEIGHTFOLDING_H
#define ONNXC_LIB_OPTIMIZE_WEIGHTFOLDING_H

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Normalization.h"

namespace onnxc::optimize {

/// scale * x + shift, of each channel; one entry stands for all channels.
struct Affine {
  std::vector<double> scale, shift;

  double scaleOf(int64_t channel) const {
    return scale.size() == 1 ? scale[0] : scale[channel];
  }
  double shiftOf(int64_t channel) const {
    return shift.size() == 1 ? shift[0] : shift[channel];
  }
  bool isFinite() const;
  bool hasShift() const;
  bool hasScale() const;
  bool isUniform() const { return scale.size() == 1 && shift.size() == 1; }
};

/// The elements times `scale`, in their type; nullopt if one overflows or
/// vanishes.
std::optional<mlir::ElementsAttr> scaleElements(const Elements &elements,
                                                double scale);

/// What a BatchNormalization that does not train computes of dimension 1;
/// nullopt if its parameters are not constants, of which it has one a channel.
std::optional<Affine> getAffine(BatchNormalizationOp op,
                                const RewriteOptions &options);

/// Where the channels of a value are: at `fromEnd` dims from its end (0: the
/// last one), in the number `count` (1 if none are distinguished).
struct Channels {
  int64_t fromEnd, count;
};

/// If `op` is Mul, Div, Add or Sub of `value` and a constant that is the same
/// all over a channel, what it computes of `value`: the result has its shape.
std::optional<Affine> getAffine(mlir::Operation *op, mlir::Value value,
                                Channels channels);

/// The operand of Mul, Div, Add or Sub that is not a constant, beside one that
/// is.
mlir::Value getVariable(mlir::Operation *op);

/// A Conv, ConvTranspose, Gemm or MatMul of a value and constant weights of
/// floats. MatMul's weights may be the left operand: then channels are not
/// distinguished.
class Linear {
public:
  /// Nullopt if `op` is not linear, or its weights or bias (but for one of
  /// Gemm) are not constant.
  static std::optional<Linear> get(mlir::Operation *op);

  mlir::Operation *getOperation() const { return op; }
  mlir::Value getInput() const;
  Channels getOutputChannels() const { return outputs; }
  Channels getInputChannels() const { return inputs; }
  /// Whether elements of value zero are added to what it reads.
  bool padsInput() const;

  /// Replaces `root`, which computes `affine` of the result, the only use, by a
  /// copy with other weights and bias. Fails, and changes nothing, if there are
  /// none.
  llvm::LogicalResult foldAfter(mlir::PatternRewriter &rewriter,
                                mlir::Operation *root, const Affine &affine,
                                const RewriteOptions &options) const;
  /// Scales the result in place, which must have no use that is not about to
  /// know.
  llvm::LogicalResult scaleInPlace(mlir::PatternRewriter &rewriter,
                                   const Affine &affine) const;
  /// Reads `input` instead of `affine` of it. This is the root.
  llvm::LogicalResult foldBefore(mlir::PatternRewriter &rewriter,
                                 mlir::Value input, const Affine &affine,
                                 const RewriteOptions &options) const;

private:
  Linear(mlir::Operation *op, Elements weights) : op(op), weights(weights) {}

  /// What is to change for `affine` of the result.
  struct Change {
    std::optional<mlir::ElementsAttr> weights, bias;
    /// Of a Gemm whose C cannot be changed.
    std::optional<float> beta;
  };
  std::optional<Change> computeAfter(const Affine &affine) const;
  static void setBeta(mlir::Operation *changed, const Change &change);

  /// Channels of what weight `index` adds to and is multiplied with.
  int64_t outputOf(int64_t index) const;
  int64_t inputOf(int64_t index) const;
  mlir::Value getBiasOperand() const;
  /// What the bias adds to each channel (with Gemm's beta), in as many entries
  /// as there are channels; nullopt if it is not a constant, or has more.
  std::optional<std::vector<double>> getBias() const;
  /// after * weights * before, rounded.
  std::optional<mlir::ElementsAttr> scaleWeights(const Affine *before,
                                                 const Affine *after) const;
  std::optional<mlir::ElementsAttr>
  roundBias(llvm::ArrayRef<double> numbers) const;
  /// Whether it can have a constant bias, as it is or as a Gemm.
  bool canHaveBias(const RewriteOptions &options) const;
  bool isMatMul() const { return mlir::isa<MatMulOp>(op); }
  /// A copy at the insertion point that reads other operands; with a bias, a
  /// MatMul becomes a Gemm.
  mlir::Operation *rebuild(mlir::PatternRewriter &rewriter, mlir::Location loc,
                           mlir::Value input, mlir::Value newWeights,
                           mlir::Value bias) const;

  mlir::Operation *op;
  Elements weights;
  unsigned weightOperand = 1;
  Channels outputs{0, 1}, inputs{0, 1};
  /// Weights are [..., rows, columns, inner]. Rows are the channels of one
  /// side, columns those of the other one, of the row's group.
  int64_t rows = 1, columns = 1, inner = 1, groups = 1;
  bool rowsAreOutputs = false;
};

/// What Op (Add or Sub) shifts each channel of a product by goes into the
/// product's bias, if that is one of Products and nothing else uses it.
template <typename Op, typename... Products> struct FoldShift : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  llvm::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    mlir::Value value = getVariable(op);
    mlir::Operation *product = value ? value.getDefiningOp() : nullptr;
    if (!mlir::isa_and_present<Products...>(product) || !product->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "adds no constant to a product without other uses");
    std::optional<Linear> linear = Linear::get(product);
    if (!linear)
      return rewriter.notifyMatchFailure(op, "the weights are not a constant");
    std::optional<Affine> affine =
        getAffine(op, value, linear->getOutputChannels());
    if (!affine || affine->hasScale())
      return rewriter.notifyMatchFailure(op, "no shift of channels");
    return linear->foldAfter(rewriter, op, *affine, this->options);
  }
};

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_WEIGHTFOLDING_H
