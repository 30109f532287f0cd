//===- GraphView.h - A model as graphs to be drawn ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INSPECT_GRAPHVIEW_H
#define ONNXC_INSPECT_GRAPHVIEW_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace onnxc {

/// What kind of work an operator is, which is its colour.
enum class OpFamily {
  Interface,
  Convolution,
  Product,
  Activation,
  Arithmetic,
  Normalization,
  Pooling,
  Reduction,
  Movement,
  Quantization,
  Control,
  Recurrent,
  Function,
  Other,
};

/// What tells a node of the model from all others, at every stage: what its
/// location says of it (SourceAttr), and the name of the function that it is
/// in, or null.
using NodeKey = std::pair<mlir::Attribute, mlir::Attribute>;

/// The nodes of the model that a location names, each once: those that became
/// one op, and the calls that it was inlined from.
std::vector<NodeKey> collectNodeKeys(mlir::Location location);

/// A graph of a model: nodes, and the values between them.
struct GraphView {
  struct Argument {
    /// What the operator calls it; empty for an unknown one.
    std::string formal;
    /// What the model calls it.
    std::string name;
    /// "float 1x3x224x224".
    std::string type;
    bool isConstant = false;
  };
  struct Node {
    std::string op, domain, name, doc;
    OpFamily family = OpFamily::Other;
    std::vector<Argument> inputs, outputs;
    std::vector<std::pair<std::string, std::string>> attributes;
    /// "1.2 M MACs"; empty if there are none.
    std::string cost;
    /// Lines of the box that say more than the operands do.
    std::vector<std::string> notes;
    /// Graphs within: their title and place in the list.
    std::vector<std::pair<std::string, unsigned>> graphs;
    /// The nodes of the model that it is, or was made of.
    std::vector<NodeKey> keys;
  };
  /// An output of a node that another takes.
  struct Edge {
    unsigned from, output, to;
  };

  std::string title;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

/// The main graph first, then subgraphs and functions, which nodes refer to.
/// Weights are not nodes: the nodes that use them list them.
struct ModelView {
  std::string title;
  std::vector<GraphView> graphs;

  size_t countNodes() const;
};

/// Makes the graphs of `imported`. Types and costs come from `inferred`, the
/// same model in its newest form, unless it is null.
ModelView viewModel(mlir::ModuleOp imported, mlir::ModuleOp inferred,
                    llvm::StringRef title);

/// Makes the graphs of a module behind the optimize stage, whose nodes may be
/// made of several of the model's.
ModelView viewOptimized(mlir::ModuleOp optimized, llvm::StringRef title);

/// "float 1x3x224x224", for tensors; what the type says of sizes alone.
std::string describeValueType(mlir::Type type);

/// For graphviz.
void writeDot(const ModelView &view, llvm::raw_ostream &os);
/// A picture of all graphs, subgraphs within their nodes.
void writeSvg(const ModelView &view, llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_INSPECT_GRAPHVIEW_H
