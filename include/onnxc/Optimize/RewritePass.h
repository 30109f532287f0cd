//===- RewritePass.h - The base of all rewrites --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_REWRITEPASS_H
#define ONNXC_OPTIMIZE_REWRITEPASS_H

#include "onnxc/Support/OptionNumbers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace onnxc {

/// The options that all rewrites have.
struct RewriteOptions {
  /// +0 and -0 are the same.
  bool noSignedZeros = false;
  bool noNaNs = false;
  bool noInfinities = false;
  /// Different inputs of a monotone function have different results: floats
  /// break this by overflow and rounding.
  bool assumeStrictlyMonotone = false;
  /// Results have the form in which onnx-optimizer leaves them, down to helper
  /// nodes on constants and what it does not do.
  bool upstreamCompatible = false;
  /// No input disappears, used or not.
  bool keepInterface = true;
  /// Make only operators that exist in the opset that the model imports; the
  /// compiler, which exports nothing, need not care.
  bool keepOpset = true;
  /// A folded constant may take this many bytes, or as many as its operands.
  int64_t foldBudget = defaults::fold_budget;
  /// An unrolled loop may become this many operations.
  int64_t unrollBudget = defaults::unroll_budget;
  /// Rewrites that the default pipeline leaves out, by name; for finding the
  /// one that is at fault.
  std::vector<std::string> disabled;
};

/// What the record of a rewrite says of it (RewriteBase.td has the words).
struct RewriteInfo {
  /// Place in onnx-optimizer's registry; above 100: not in it.
  int order;
  /// As onnx-optimizer spells it: "fuse_bn_into_conv".
  const char *name;
  /// As in --pass-pipeline: "onnx-fuse-bn-into-conv".
  const char *argument;
  const char *passClass, *efficiency, *gain, *kind, *exactness;
  /// In the default pipeline; "" for none.
  const char *group;
  /// The option without which it changes nothing; "" for none.
  const char *promise;
  const char *summary;
  std::unique_ptr<mlir::Pass> (*create)();

  bool isUpstream() const { return order <= 100; }
  /// Whether onnx-optimizer runs it when no passes are named.
  bool isUpstreamDefault() const {
    llvm::StringRef type(passClass);
    return isUpstream() && (type == "fuse" || type == "nop");
  }
};

/// A pass that rewrites the onnx dialect: patterns, or a change of the module.
/// Run by itself it looks at each op once, in order, the graphs in an op before
/// the op itself.
class RewritePass : public mlir::OperationPass<mlir::ModuleOp> {
public:
  explicit RewritePass(mlir::TypeID id) : OperationPass(id) {}
  RewritePass(const RewritePass &other) : OperationPass(other) {}

  /// Patterns of a rewrite of kind "predicate". A pattern replaces or changes
  /// the op it is given, and erases no other; what it leaves without uses
  /// stays.
  virtual void populatePatterns(mlir::RewritePatternSet &patterns,
                                const RewriteOptions &options);
  /// One run over the module; the number of changes. Without an override,
  /// the patterns, each op visited once.
  virtual int64_t rewriteModule(mlir::ModuleOp module,
                                const RewriteOptions &options);

  /// Sets the options of the pass, as text would.
  void setOptions(const RewriteOptions &options);

  /// Called while the pass runs, after each run of a rewrite (of a group of
  /// them, by the group's name) with the number of changes.
  void setObserver(std::function<void(llvm::StringRef, int64_t)> called) {
    observer = std::move(called);
  }

  void runOnOperation() final;
  void getDependentDialects(mlir::DialectRegistry &registry) const override;

protected:
  RewriteOptions getOptions() const;

  std::function<void(llvm::StringRef, int64_t)> observer;

  Option<bool> noSignedZeros{
      *this, "nsz", llvm::cl::init(false),
      llvm::cl::desc("The sign of a zero does not matter")};
  Option<bool> noNaNs{*this, "nnan", llvm::cl::init(false),
                      llvm::cl::desc("No value is NaN")};
  Option<bool> noInfinities{*this, "ninf", llvm::cl::init(false),
                            llvm::cl::desc("No value is infinite")};
  Option<bool> assumeStrictlyMonotone{
      *this, "assume-strictly-monotone", llvm::cl::init(false),
      llvm::cl::desc("Monotone functions keep what is different apart")};
  Option<bool> upstreamCompatible{
      *this, "upstream-compatible", llvm::cl::init(false),
      llvm::cl::desc("Write the forms that onnx-optimizer would write")};
  Option<bool> keepInterface{
      *this, "keep-interface", llvm::cl::init(true),
      llvm::cl::desc("No input disappears, used or not")};
  Option<bool> keepOpset{
      *this, "keep-opset", llvm::cl::init(true),
      llvm::cl::desc("Only make operators of the model's own opset")};
  Option<int64_t> foldBudget{
      *this, "fold-budget", llvm::cl::init(defaults::fold_budget),
      llvm::cl::desc("The most bytes that a folded constant may take")};
  Option<int64_t> unrollBudget{
      *this, "unroll-budget", llvm::cl::init(defaults::unroll_budget),
      llvm::cl::desc("The most operations that an unrolled loop may become")};
};

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_REWRITEPASS_H
