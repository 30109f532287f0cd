//===- PageLinks.h - What belongs together on the page -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INSPECT_PAGELINKS_H
#define ONNXC_LIB_INSPECT_PAGELINKS_H

#include "onnxc/Inspect/CompiledView.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

/// A node by the place of its graph in the list of all graphs of the page.
struct NodeRef {
  unsigned graph, node;
  bool operator==(NodeRef other) const {
    return graph == other.graph && node == other.node;
  }
};

/// What the optimize stage made of a node of the model.
enum class NodeFate {
  /// There is a node of its operator; others may have become part of it.
  Kept,
  /// It is part of another node.
  Fused,
  /// There is a node of another operator in its place.
  Replaced,
  /// It was computed by the compiler.
  Folded,
  /// Nothing is left of it.
  Removed,
};
llvm::StringRef getName(NodeFate fate);

class PageLinks {
public:
  PageLinks(const ModelView &model, const CompiledView &compiled);

  const CompiledView &getCompiled() const { return compiled; }

  /// Graphs that the page shows together: "model", "optimized", "kernels".
  struct Part {
    llvm::StringLiteral name;
    const ModelView *view;
    unsigned firstGraph;
  };
  llvm::ArrayRef<Part> getParts() const { return parts; }

  /// The model's own nodes of these keys.
  llvm::SmallVector<NodeRef, 2> resolve(llvm::ArrayRef<NodeKey> keys) const;

  /// Of a node of the model, where there is an optimized graph.
  std::optional<NodeFate> getFate(NodeRef ref) const;
  /// Of a node of the model those of the optimized graph, and the other way
  /// round.
  llvm::ArrayRef<NodeRef> getLinked(NodeRef ref) const;
  /// The numbers of the kernels that compute a node, or that it is.
  llvm::ArrayRef<unsigned> getKernels(NodeRef ref) const;
  /// Of a kernel that of its main node.
  OpFamily getFamily(NodeRef ref, const GraphView::Node &node) const;

  NodeRef getKernelNode(size_t kernel) const;
  /// The model's nodes, then those of the optimized graph.
  llvm::ArrayRef<NodeRef> getNodesOfKernel(size_t kernel) const {
    return kernels[kernel].nodes;
  }
  /// What the model calls the result; empty where it has no name there.
  llvm::StringRef getValueOfKernel(size_t kernel) const {
    return kernels[kernel].value;
  }

  struct Writer {
    /// The first region that uses the buffer.
    std::optional<unsigned> region;
    /// Whether it is its result, and not scratch memory; which value of the
    /// model, if it is one.
    bool isResult = false;
    llvm::StringRef value;
  };
  Writer getWriter(const BufferView &buffer) const;

private:
  struct Linked {
    llvm::SmallVector<NodeRef, 1> others;
    llvm::SmallVector<unsigned, 1> kernels;
    std::optional<NodeFate> fate;
  };
  struct KernelLinks {
    llvm::SmallVector<NodeRef, 2> nodes;
    llvm::StringRef value;
  };

  const Part *getPart(llvm::StringRef name) const;
  const GraphView::Node &getNode(NodeRef ref) const;
  Linked &at(NodeRef ref) { return linked[ref.graph][ref.node]; }
  const Linked &at(NodeRef ref) const { return linked[ref.graph][ref.node]; }
  void addPart(llvm::StringLiteral name, const ModelView &view);
  void linkOptimized();
  void setFates();
  void linkKernels();
  void nameKernels();

  const CompiledView &compiled;
  llvm::SmallVector<Part, 3> parts;
  llvm::DenseMap<NodeKey, llvm::SmallVector<NodeRef, 1>> nodesOfKey;
  std::vector<std::vector<Linked>> linked;
  std::vector<KernelLinks> kernels;
};

} // namespace onnxc

#endif // ONNXC_LIB_INSPECT_PAGELINKS_H
