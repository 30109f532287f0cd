//===- Diagnostics.h - How errors reach the person ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every stage reports through MLIR's diagnostics (op.emitOpError(), or
// emitError(location) where there is no op yet). A DiagnosticPrinter turns them
// into one line each, in the words of the model:
//
//   model.onnx: node 'conv1' (Conv): what is wrong, what was expected
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_DIAGNOSTICS_H
#define ONNXC_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace onnxc {

/// A node as the model names it.
struct NodeName {
  std::string name;
  std::string opType;
  /// An initializer or a Constant: nothing that runs.
  bool isConstant = false;
};

/// Finds the node that a location stands for. Support knows no dialect, so
/// the creator of the printer says how.
using NodeFinder = std::function<std::optional<NodeName>(mlir::Location)>;

/// The text of a diagnostic at a node of that operator (empty: at no node).
using MessageWriter =
    std::function<std::string(mlir::Diagnostic &, llvm::StringRef opType)>;

/// How diagnostics are read in the words of the model.
struct DiagnosticWording {
  NodeFinder findNode;
  /// Null: as MLIR prints them.
  MessageWriter writeMessage;
};

/// "node 'conv1' (Conv)"; initializers and functions have a location as nodes
/// have, but are not nodes.
std::string describeNode(const NodeName &node);

/// A name of the model as a terminal can show it, and not at any length.
std::string getPrintableName(llvm::StringRef name);

/// What a diagnostic says of `node`, without the node.
std::string getMessage(mlir::Diagnostic &diagnostic,
                       const std::optional<NodeName> &node,
                       const DiagnosticWording &wording);

/// Renders one diagnostic, its notes included, each line ended by '\n'.
std::string formatDiagnostic(mlir::Diagnostic &diagnostic,
                             const DiagnosticWording &wording);

/// What a tool says when it crashes: LLVM's own words would send people to
/// LLVM's bug tracker. First thing in main.
void setCrashText();

/// Prints the diagnostics of a context while it lives.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  /// Prints errors and warnings to `os`; remarks too if `remarks` is set.
  /// `beforeText` is called first, so that a progress line can step aside.
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::raw_ostream &os,
                    DiagnosticWording wording, bool remarks = false,
                    std::function<void()> beforeText = {});

  /// Whether an error was printed: the caller need not add words of its own.
  bool hadError() const { return errors; }

private:
  bool errors = false;
};

/// What onnxc cannot do with nodes of one operator, for one reason.
struct UnsupportedUse {
  std::string opType;
  /// Empty: ai.onnx.
  std::string domain;
  /// Of the operator; 0 if it is not known.
  int64_t version = 0;
  int64_t count = 1;
  /// Empty where it is the operator as such.
  std::string reason;
};

/// States with an error (or a note of one) that it says what onnxc cannot do,
/// and not what is wrong with the model; readUnsupported gives it back.
void markUnsupported(mlir::Diagnostic &diagnostic, const UnsupportedUse &use);
std::optional<UnsupportedUse> readUnsupported(mlir::Diagnostic &diagnostic);

/// Collects the operators that a stage cannot handle, so that one error names
/// them all instead of the first.
class UnsupportedOps {
public:
  /// `reason` says why, where it is not the operator as such. Version 0 is
  /// that of a domain that the model does not import.
  void add(llvm::StringRef opType, llvm::StringRef domain, int64_t version,
           mlir::Location location, llvm::StringRef reason = "");
  bool empty() const { return uses.empty(); }

  /// Emits the error, with one note per kind and reason at its first node;
  /// succeeds, silently, if there is nothing to say. `where` is the module's
  /// location.
  llvm::LogicalResult report(mlir::Location where) const;

private:
  struct Use {
    mlir::Location first;
    int64_t count;
  };
  /// Domain, operator, version; and why.
  using Kind = std::tuple<std::string, std::string, int64_t>;
  std::map<std::pair<Kind, std::string>, Use> uses;
};

} // namespace onnxc

#endif // ONNXC_SUPPORT_DIAGNOSTICS_H
