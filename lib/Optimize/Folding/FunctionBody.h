//===- FunctionBody.h - What function bodies are written with - -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function body is a C++ function that makes the ops; what it makes is known
// here, so that the last ones get the names of the root's results, and nothing
// is left behind if they cannot take its place.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_FUNCTIONBODY_H
#define ONNXC_LIB_OPTIMIZE_FUNCTIONBODY_H

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Builder.h"

namespace onnxc::optimize {

class FunctionBody : public ONNXBuilder {
public:
  FunctionBody(mlir::PatternRewriter &rewriter, mlir::Operation *root,
               const RewriteOptions &options)
      : ONNXBuilder(rewriter, root->getLoc()), rewriter(rewriter), root(root),
        options(options) {}

  /// An initializer where the model can have one.
  mlir::Value constant(mlir::ElementsAttr value) override;
  /// Whether reshapeTo could say each of these dims: 0 needs an attribute that
  /// Reshape did not always have.
  bool canReshape(llvm::ArrayRef<int64_t> dims) const;

  /// Puts the values in the place of the root's results.
  llvm::LogicalResult finish(mlir::ValueRange values);

protected:
  mlir::Location getLocation(llvm::StringRef op) const override {
    return makeHelperLocation(root, op);
  }
  /// What it is made of was verified; only that it is made is noted.
  llvm::LogicalResult check(mlir::Operation *op) override;
  /// Shape gives all dims before version 15.
  mlir::Value computeDim(mlir::Value x, int64_t axis) override;

private:
  mlir::Location getResultLocation(unsigned number) const;
  void giveUp();

  mlir::PatternRewriter &rewriter;
  mlir::Operation *root;
  const RewriteOptions &options;
  llvm::SmallVector<mlir::Operation *> made;
};

/// What stands for the root's results, null for one that is not used. Nothing
/// if it has to stay as it is; then the body has made nothing either.
struct BodyResults : llvm::SmallVector<mlir::Value> {
  BodyResults() = default;
  BodyResults(mlir::Value value) { push_back(value); }
  BodyResults(std::initializer_list<mlir::Value> values)
      : SmallVector(values) {}
};

/// Replaces an operator by the ops that its function body makes.
template <typename Op> struct InlineBody : Rewriting<Op> {
  using Body = BodyResults (*)(FunctionBody &, Op);

  InlineBody(mlir::MLIRContext *context, const RewriteOptions &options,
             Body body, int64_t since)
      : Rewriting<Op>(context, options), body(body), since(since) {}

  llvm::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    // Where, Equal, ... take bfloat16 from 16 on.
    bool hasBFloat16 = llvm::any_of(op->getOperands(), [](mlir::Value value) {
      return llvm::isa_and_present<mlir::BFloat16Type>(
          optimize::getElementType(value));
    });
    if (!isAvailable(hasBFloat16 ? std::max<int64_t>(since, 16) : since, op,
                     this->options))
      return rewriter.notifyMatchFailure(
          op, "the model's opset does not have all of the body");
    FunctionBody made(rewriter, op, this->options);
    BodyResults results = body(made, op);
    if (results.empty())
      return rewriter.notifyMatchFailure(
          op, "a type or shape is not known, or no body says this");
    return made.finish(results);
  }

  Body body;
  int64_t since;
};

/// `since`: the opset from which on there is all of the body.
template <typename Op>
void addBody(mlir::RewritePatternSet &patterns, const RewriteOptions &options,
             BodyResults (*body)(FunctionBody &, Op), int64_t since) {
  patterns.add<InlineBody<Op>>(patterns.getContext(), options, body, since);
}

/// exp(x - max) over its sum, along an axis.
mlir::Value makeSoftmax(FunctionBody &b, mlir::Value x, int64_t axis);

/// The operators that do more than one thing to each element.
void populateTensorFunctions(mlir::RewritePatternSet &patterns,
                             const RewriteOptions &options);

void populateAttentionFunctions(mlir::RewritePatternSet &patterns,
                                const RewriteOptions &options);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_FUNCTIONBODY_H
