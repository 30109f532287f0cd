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

namespace onnxc::optimize {

/// A number, or a tensor of one int64.
struct BodyDim {
  BodyDim(int64_t known) : known(known) {}
  BodyDim(mlir::Value value) : value(value) {}

  int64_t known = 0;
  mlir::Value value;
};

class FunctionBody {
public:
  FunctionBody(mlir::PatternRewriter &rewriter, mlir::Operation *root,
               const RewriteOptions &options)
      : rewriter(rewriter), root(root), options(options) {}

  mlir::PatternRewriter &rewriter;
  mlir::Operation *root;
  const RewriteOptions &options;

  /// An op of one result, whose type its shape rule says.
  template <typename Op>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return note(Op::create(rewriter, getLocation(Op::getOnnxName()), operands,
                           attributes));
  }
  mlir::Value note(mlir::Operation *op) {
    made.push_back(op);
    return op->getResult(0);
  }
  mlir::Location getLocation(llvm::StringRef name) const;

  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value) const;
  mlir::NamedAttribute attribute(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> values) const;

  /// A scalar of the element type, which has to hold the number.
  mlir::Value number(double value, mlir::Type elementType);
  /// The same, of the elements of `like`.
  mlir::Value number(double value, mlir::Value like) {
    return number(value, optimize::getElementType(like));
  }
  /// A tensor of rank 1 of int64.
  mlir::Value integers(llvm::ArrayRef<int64_t> values);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// Nothing is made where the type is the same.
  mlir::Value cast(mlir::Value x, mlir::Type elementType);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  /// A reduction; of all axes where there are none.
  template <typename Op>
  mlir::Value reduce(mlir::Value x, mlir::Value axes, bool keepDims = true) {
    llvm::SmallVector<mlir::Value> operands{x};
    if (axes)
      operands.push_back(axes);
    return make<Op>(operands, attribute("keepdims", int64_t(keepDims)));
  }

  /// Dims of a value of known rank, and arithmetic with them.
  BodyDim dim(mlir::Value x, int64_t axis);
  BodyDim times(BodyDim dim, int64_t factor);
  BodyDim over(BodyDim dim, int64_t divisor);
  /// The tensor of rank 1 that these make.
  mlir::Value shape(llvm::ArrayRef<BodyDim> dims);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<BodyDim> dims);
  /// Whether reshape could say each of these dims: 0 needs an attribute that
  /// Reshape did not always have.
  bool canReshape(llvm::ArrayRef<int64_t> dims) const;

  /// Puts the values in the place of the root's results.
  llvm::LogicalResult finish(mlir::ValueRange values);

private:
  mlir::Location getResultLocation(unsigned number) const;
  void giveUp();

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
