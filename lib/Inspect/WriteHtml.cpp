//===- WriteHtml.cpp - Graphs as a page -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Appearance.h"
#include "Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;

/// lib/Inspect/Viewer.html; a line of it stands for the model.
static constexpr char page[] =
#include "Viewer.inc"
    ;
static constexpr StringLiteral placeholder = "/*MODEL*/null";

namespace {

class HtmlWriter {
public:
  explicit HtmlWriter(raw_ostream &os) : out(os) {}

  void write(const ModelView &view) {
    out.object([&] {
      out.attribute("title", json::fixUTF8(view.title));
      out.attributeArray("families", [&] {
        for (const FamilyStyle &style : getFamilyStyles())
          out.array([&] {
            out.value(style.name);
            out.value(style.color);
          });
      });
      out.attributeArray("graphs", [&] {
        for (const GraphView &graph : view.graphs)
          writeGraph(graph);
      });
    });
  }

private:
  void number(double value) { out.value(std::round(value * 10) / 10); }
  void text(StringRef value) { out.value(json::fixUTF8(value)); }

  void writeGraph(const GraphView &graph) {
    std::vector<NodeBox> boxes;
    for (const GraphView::Node &node : graph.nodes) {
      boxes.push_back(makeBox(node));
      // Room for the sign that opens it.
      if (!node.graphs.empty())
        boxes.back().width += 18;
    }
    Layout layout = layOut(makeLayoutInput(graph, boxes));
    out.object([&] {
      out.attribute("title", json::fixUTF8(graph.title));
      out.attribute("width", layout.width);
      out.attribute("height", layout.height);
      out.attributeArray("rows", [&] {
        for (const Layout::Row &row : layout.rows)
          out.array([&] {
            number(row.top);
            number(row.height);
          });
      });
      out.attributeArray("nodes", [&] {
        for (auto [node, box, corner] : zip(graph.nodes, boxes, layout.corners))
          writeNode(node, box, corner);
      });
      out.attributeArray("edges", [&] {
        for (const GraphView::Edge &edge : graph.edges)
          out.array([&] {
            out.value(edge.from);
            out.value(edge.output);
            out.value(edge.to);
          });
      });
      writeSegments(graph, layout);
    });
  }

  void writeSegments(const GraphView &graph, const Layout &layout) {
    std::vector<unsigned> numbers = getValueNumbers(graph);
    out.attributeArray("segments", [&] {
      for (const Layout::Segment &segment : layout.segments)
        out.array([&] {
          number(segment.from.x);
          number(segment.from.y);
          number(segment.to.x);
          number(segment.to.y);
          // Whose output it is.
          auto next = llvm::upper_bound(numbers, segment.value);
          auto from = static_cast<int64_t>(next - numbers.begin()) - 1;
          out.value(from);
          out.value(static_cast<int64_t>(segment.value) - numbers[from]);
          out.value(segment.fromBox);
          out.value(segment.toBox);
        });
    });
  }

  void writeArguments(StringRef name, ArrayRef<GraphView::Argument> arguments) {
    out.attributeArray(name, [&] {
      for (const GraphView::Argument &argument : arguments)
        out.array([&] {
          text(argument.formal);
          text(argument.name);
          text(argument.type);
          out.value(argument.isConstant);
        });
    });
  }

  void writeNode(const GraphView::Node &node, const NodeBox &box,
                 Point corner) {
    out.object([&] {
      out.attributeArray("box", [&] {
        for (double value : {corner.x, corner.y, box.width, box.height})
          number(value);
      });
      out.attribute("family", static_cast<int64_t>(node.family));
      out.attribute("title", json::fixUTF8(box.title));
      out.attributeArray("lines", [&] {
        for (const std::string &line : box.lines)
          text(line);
      });
      out.attribute("op", json::fixUTF8(node.op));
      out.attribute("name", json::fixUTF8(node.name));
      if (!node.domain.empty())
        out.attribute("domain", json::fixUTF8(node.domain));
      if (!node.doc.empty())
        out.attribute("doc", json::fixUTF8(node.doc));
      if (!node.cost.empty())
        out.attribute("cost", json::fixUTF8(node.cost));
      writeArguments("inputs", node.inputs);
      writeArguments("outputs", node.outputs);
      if (!node.attributes.empty())
        out.attributeArray("attributes", [&] {
          for (const auto &[name, value] : node.attributes)
            out.array([&, &name = name, &value = value] {
              text(name);
              text(value);
            });
        });
      if (!node.graphs.empty())
        out.attributeArray("graphs", [&] {
          for (const auto &[name, index] : node.graphs)
            out.array([&, &name = name, &index = index] {
              text(name);
              out.value(index);
            });
        });
    });
  }

  json::OStream out;
};

} // namespace

void onnxc::writeHtml(const ModelView &view, raw_ostream &os) {
  std::string model;
  raw_string_ostream stream(model);
  HtmlWriter(stream).write(view);
  auto [before, after] = StringRef(page).split(placeholder);
  os << before;
  // Nothing in the model ends the script.
  for (StringRef rest = model; !rest.empty();) {
    auto [part, more] = rest.split("<");
    os << part << (part.size() < rest.size() ? "\\u003c" : "");
    rest = more;
  }
  os << after;
}
