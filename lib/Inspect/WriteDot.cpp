//===- WriteDot.cpp - Graphs for graphviz ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Appearance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

/// A string of the dot language, where \n stands for a new line.
static std::string quote(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

static void writeGraph(const GraphView &graph, unsigned number,
                       raw_ostream &os) {
  auto id = [&](unsigned node) {
    return "g" + std::to_string(number) + "n" + std::to_string(node);
  };
  for (auto [index, node] : enumerate(graph.nodes)) {
    NodeBox box = makeBox(node);
    std::string label = box.title;
    for (const std::string &line : box.lines)
      label += "\n" + line;
    os << "    " << id(index) << " [label=" << quote(label) << ", fillcolor=\""
       << getStyle(node.family).color
       << "\", tooltip=" << quote(node.name.empty() ? node.op : node.name)
       << "];\n";
  }
  for (const GraphView::Edge &edge : graph.edges) {
    const auto &outputs = graph.nodes[edge.from].outputs;
    std::string label = edge.output < outputs.size()
                            ? shortenType(outputs[edge.output].type)
                            : "";
    os << "    " << id(edge.from) << " -> " << id(edge.to)
       << " [label=" << quote(label) << "];\n";
  }
}

void onnxc::writeDot(const ModelView &view, raw_ostream &os) {
  os << "digraph " << quote(view.title) << " {\n"
     << "  rankdir=TB;\n"
     << "  node [shape=box, style=\"filled,rounded\", fontcolor=white, "
        "fontname=\"Helvetica\", fontsize=11, color=white];\n"
     << "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#94a3b8\", "
        "fontcolor=\"#475569\"];\n";
  for (auto [number, graph] : enumerate(view.graphs)) {
    if (number)
      os << "  subgraph cluster_" << number
         << " {\n    label=" << quote(graph.title) << ";\n";
    writeGraph(graph, static_cast<unsigned>(number), os);
    if (number)
      os << "  }\n";
  }
  os << "}\n";
}
