//===- Rewriting.h - What patterns make ----------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_REWRITING_H
#define ONNXC_LIB_OPTIMIZE_REWRITING_H

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc::optimize {

/// A pattern that knows the options of its pass.
template <typename Op> struct Rewriting : mlir::OpRewritePattern<Op> {
  Rewriting(mlir::MLIRContext *context, const RewriteOptions &options,
            mlir::PatternBenefit benefit = 1)
      : mlir::OpRewritePattern<Op>(context, benefit), options(options) {}

  RewriteOptions options;
};

/// A rewrite that is these patterns. `Base` is what TableGen makes of its
/// record.
template <typename Base, typename... Patterns> struct PatternsPass : Base {
  void populatePatterns(mlir::RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<Patterns...>(patterns.getContext(), options);
  }
};

/// Where an op stands that takes the place of `root` and does the work of
/// `first` (and of others) as well: node name, doc string and metadata are
/// `first`'s, names of outputs `root`'s. They may be the same op.
mlir::Location fuseLocations(mlir::Operation *first, mlir::Operation *root);

/// The location of an op that helps to make what takes the place of `root`: its
/// names derive from root's and `suffix`.
mlir::Location makeHelperLocation(mlir::Operation *root,
                                  llvm::StringRef suffix);

/// A constant that helps to make what takes the place of `root`. It is an
/// initializer where the model's IR version has these, else a node.
mlir::Value makeConstant(mlir::PatternRewriter &rewriter, mlir::Operation *root,
                         mlir::ElementsAttr value, llvm::StringRef suffix);

/// Whether a constant at `at` may be an initializer: functions have none, and
/// models of the first IR versions only such as are inputs, too.
bool canBeInitializer(mlir::Operation *at);

/// Whether a constant at `at` whose elements are of this type has a form that
/// other programs run. Of integers, before opset 6, only an initializer has: no
/// Constant holds them, and ONNX Runtime has no Cast that old.
bool canHoldConstant(mlir::Type elementType, mlir::Operation *at,
                     const RewriteOptions &options);

/// The same of the shape of a Reshape at `at`, which once was an attribute.
bool canHoldShape(mlir::Operation *at, const RewriteOptions &options);

/// The same as a node in any case, as onnx-optimizer makes some.
mlir::Value makeConstantNode(mlir::PatternRewriter &rewriter,
                             mlir::Operation *root, mlir::ElementsAttr value,
                             llvm::StringRef suffix);

/// Whether replaceRoot would succeed.
llvm::LogicalResult canReplaceRoot(mlir::PatternRewriter &rewriter,
                                   mlir::Operation *root, mlir::ValueRange by);

/// Replaces `root`, which has one result, by a constant of its name. Fails, and
/// changes nothing, if the types contradict each other, or the model has no
/// form for the constant.
llvm::LogicalResult replaceByConstant(mlir::PatternRewriter &rewriter,
                                      mlir::Operation *root,
                                      mlir::ElementsAttr value,
                                      const RewriteOptions &options);

/// Replaces `root`, which has one result that is used (or several, of which
/// `by` has as many; null for one that must not be used). What both types tell
/// becomes the type of the new value, if an op makes that; arguments keep
/// theirs. Fails, and changes nothing, if the types contradict each other.
llvm::LogicalResult replaceRoot(mlir::PatternRewriter &rewriter,
                                mlir::Operation *root, mlir::ValueRange by);

/// A constant in the place of one of an op's results, whose name it has; before
/// the op.
mlir::Value makeConstant(mlir::OpResult result, mlir::ElementsAttr value);

/// Whether a call states the type of the value, which it must then keep.
bool isSeenByCalls(mlir::Value value);

/// Gives the entry's results the types of what it returns.
void updateResultTypes(mlir::ModuleOp module);

/// Erases an op that stood before the root and has lost its last use, in the
/// form of onnx-optimizer, which does so in some rewrites. Elsewhere this is
/// eliminate_deadend's.
void eraseIfUnused(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                   const RewriteOptions &options);

/// The version of the default operator set that the graph around `op` imports.
int64_t getOpset(mlir::Operation *op);

/// Whether an operator whose first version is of opset `since` may be made at
/// `at`.
bool isAvailable(int64_t since, mlir::Operation *at,
                 const RewriteOptions &options);

/// The same of an op.
template <typename Op>
bool isAvailable(mlir::Operation *at, const RewriteOptions &options) {
  int64_t since = Op::getSchemaVersions().front();
  for (const UpgradeRule &rule : Op::getUpgradeRules())
    if (rule.op == Op::getOnnxName())
      since = std::min<int64_t>(since, rule.version);
  return isAvailable(since, at, options);
}

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_REWRITING_H
