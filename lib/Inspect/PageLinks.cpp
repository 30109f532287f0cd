//===- PageLinks.cpp - What belongs together on the page ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PageLinks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace onnxc;

StringRef onnxc::getName(NodeFate fate) {
  switch (fate) {
  case NodeFate::Kept:
    return "kept";
  case NodeFate::Fused:
    return "fused";
  case NodeFate::Replaced:
    return "replaced";
  case NodeFate::Folded:
    return "folded";
  case NodeFate::Removed:
    return "removed";
  }
  return "";
}

PageLinks::PageLinks(const ModelView &model, const CompiledView &compiled)
    : compiled(compiled) {
  addPart("model", model);
  for (auto [g, graph] : enumerate(model.graphs))
    for (auto [n, node] : enumerate(graph.nodes))
      for (const NodeKey &key : node.keys)
        nodesOfKey[key].push_back(
            {static_cast<unsigned>(g), static_cast<unsigned>(n)});
  if (compiled.optimized) {
    addPart("optimized", *compiled.optimized);
    linkOptimized();
    setFates();
  }
  if (compiled.kernelGraphs) {
    addPart("kernels", *compiled.kernelGraphs);
    linkKernels();
    nameKernels();
  }
}

void PageLinks::addPart(StringLiteral name, const ModelView &view) {
  parts.push_back({name, &view, static_cast<unsigned>(linked.size())});
  for (const GraphView &graph : view.graphs)
    linked.emplace_back(graph.nodes.size());
}

const PageLinks::Part *PageLinks::getPart(StringRef name) const {
  const Part *found =
      find_if(parts, [&](const Part &part) { return part.name == name; });
  return found == parts.end() ? nullptr : found;
}

const GraphView::Node &PageLinks::getNode(NodeRef ref) const {
  const Part *part = &parts.front();
  for (const Part &other : parts)
    if (other.firstGraph <= ref.graph)
      part = &other;
  return part->view->graphs[ref.graph - part->firstGraph].nodes[ref.node];
}

SmallVector<NodeRef, 2> PageLinks::resolve(ArrayRef<NodeKey> keys) const {
  SmallVector<NodeRef, 2> refs;
  for (const NodeKey &key : keys) {
    auto found = nodesOfKey.find(key);
    if (found == nodesOfKey.end())
      continue;
    for (NodeRef ref : found->second)
      if (!is_contained(refs, ref))
        refs.push_back(ref);
  }
  return refs;
}

void PageLinks::linkOptimized() {
  const Part &part = *getPart("optimized");
  for (auto [g, graph] : enumerate(part.view->graphs))
    for (auto [n, node] : enumerate(graph.nodes)) {
      NodeRef own{part.firstGraph + static_cast<unsigned>(g),
                  static_cast<unsigned>(n)};
      for (NodeRef ref : resolve(node.keys)) {
        at(own).others.push_back(ref);
        at(ref).others.push_back(own);
      }
    }
}

void PageLinks::setFates() {
  for (auto [g, graph] : enumerate(parts.front().view->graphs))
    for (auto [n, node] : enumerate(graph.nodes)) {
      if (node.keys.empty())
        continue;
      NodeRef ref{static_cast<unsigned>(g), static_cast<unsigned>(n)};
      at(ref).fate = NodeFate::Removed;
      for (NodeRef other : at(ref).others) {
        // The first of its operator is the one that stayed.
        ArrayRef<NodeRef> parts = at(other).others;
        const NodeRef *first = find_if(parts, [&](NodeRef part) {
          return getNode(part).op == getNode(other).op;
        });
        at(ref).fate = first != parts.end() && *first == ref ? NodeFate::Kept
                       : parts.size() > 1 ? NodeFate::Fused
                                          : NodeFate::Replaced;
        if (at(ref).fate == NodeFate::Kept)
          break;
      }
    }
  for (NodeRef ref : resolve(compiled.folded))
    if (at(ref).fate == NodeFate::Removed)
      at(ref).fate = NodeFate::Folded;
}

void PageLinks::linkKernels() {
  for (auto [number, kernel] : enumerate(compiled.kernels)) {
    NodeRef own = getKernelNode(number);
    KernelLinks &links = kernels.emplace_back();
    at(own).kernels.push_back(static_cast<unsigned>(number));
    links.nodes = resolve(getNode(own).keys);
    for (NodeRef ref : SmallVector<NodeRef, 2>(links.nodes))
      for (NodeRef other : at(ref).others)
        if (!is_contained(links.nodes, other))
          links.nodes.push_back(other);
    for (NodeRef ref : links.nodes)
      at(ref).kernels.push_back(static_cast<unsigned>(number));
  }
}

/// The result of a kernel is the value that leaves the group of its nodes. Of
/// several kernels that work on one node, the last makes it.
void PageLinks::nameKernels() {
  const ModelView &model = *parts.front().view;
  for (auto [g, graph] : enumerate(model.graphs)) {
    // Edges are in the order of the nodes that take them: a later name replaces
    // the one of a node in the middle.
    for (const GraphView::Edge &edge : graph.edges) {
      NodeRef from{static_cast<unsigned>(g), edge.from};
      NodeRef to{static_cast<unsigned>(g), edge.to};
      if (at(from).kernels.empty())
        continue;
      unsigned kernel = at(from).kernels.back();
      if (is_contained(at(to).kernels, kernel) ||
          edge.output >= graph.nodes[edge.from].outputs.size())
        continue;
      kernels[kernel].value = graph.nodes[edge.from].outputs[edge.output].name;
    }
  }
}

std::optional<NodeFate> PageLinks::getFate(NodeRef ref) const {
  return at(ref).fate;
}

ArrayRef<NodeRef> PageLinks::getLinked(NodeRef ref) const {
  return at(ref).others;
}

ArrayRef<unsigned> PageLinks::getKernels(NodeRef ref) const {
  return at(ref).kernels;
}

OpFamily PageLinks::getFamily(NodeRef ref, const GraphView::Node &node) const {
  const Part *part = getPart("kernels");
  if (!part || ref.graph < part->firstGraph || at(ref).kernels.empty())
    return node.family;
  ArrayRef<NodeRef> nodes = getNodesOfKernel(at(ref).kernels.front());
  return nodes.empty() ? node.family : getNode(nodes.front()).family;
}

NodeRef PageLinks::getKernelNode(size_t kernel) const {
  const KernelView &view = compiled.kernels[kernel];
  return {getPart("kernels")->firstGraph + view.graph, view.node};
}

PageLinks::Writer PageLinks::getWriter(const BufferView &buffer) const {
  Writer writer;
  for (auto [number, region] : enumerate(compiled.regions)) {
    if (!region.place || region.place->second < buffer.begin ||
        region.place->first > buffer.end)
      continue;
    writer.region = static_cast<unsigned>(number);
    // Scratch memory does not outlive the region.
    if (!region.kernel || buffer.end <= region.place->second)
      break;
    // The destination of a concatenation, of which the
    // kernel writes a part, has another size.
    auto alignment = static_cast<uint64_t>(compiled.memory->alignment);
    for (uint64_t bytes : compiled.kernels[*region.kernel].resultBytes)
      writer.isResult |= bytes && alignTo(bytes, alignment) ==
                                      static_cast<uint64_t>(buffer.bytes);
    if (writer.isResult)
      writer.value = kernels[*region.kernel].value;
    break;
  }
  return writer;
}
