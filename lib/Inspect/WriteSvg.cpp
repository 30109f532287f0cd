//===- WriteSvg.cpp - Graphs as a picture ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Appearance.h"
#include "Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace llvm;
using namespace onnxc;

static constexpr double margin = 24, padding = 12, graphTitle = 18;

namespace {

/// A graph with everything in it, where it stands.
struct Placed {
  const GraphView *graph;
  std::vector<NodeBox> boxes;
  /// Of each node: its subgraphs, side by side.
  std::vector<std::vector<Placed>> inner;
  Layout layout;
};

class SvgWriter {
public:
  SvgWriter(const ModelView &view, raw_ostream &os) : view(view), os(os) {}

  void write() {
    // Subgraphs are drawn in their nodes; functions, which many nodes may call,
    // below.
    std::vector<Placed> pictures;
    pictures.push_back(place(view.graphs.front()));
    std::set<unsigned> functions;
    for (const GraphView &graph : view.graphs)
      for (const GraphView::Node &node : graph.nodes)
        if (node.family == OpFamily::Function)
          for (const auto &[name, index] : node.graphs)
            if (functions.insert(index).second)
              pictures.push_back(place(view.graphs[index]));

    double width = 600, height = margin + 58;
    for (const Placed &picture : pictures) {
      width = std::max(width, picture.layout.width + 2 * margin);
      height += picture.layout.height + margin + graphTitle;
    }
    os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:f0}\" "
                  "height=\"{1:f0}\" viewBox=\"0 0 {0:f0} {1:f0}\" "
                  "font-family=\"system-ui,-apple-system,'Segoe "
                  "UI',Roboto,'DejaVu Sans',sans-serif\">\n",
                  width, height)
       << "<rect width=\"100%\" height=\"100%\" fill=\"#f1f5f9\"/>\n";
    double y = writeLegend(width);
    for (const Placed &picture : pictures) {
      bool isMain = &picture == &pictures.front();
      if (!isMain)
        text(margin, y + 12, picture.graph->title, 13, "#0f172a", "bold");
      y += isMain ? 0 : graphTitle + 4;
      double x = margin + (width - 2 * margin - picture.layout.width) / 2;
      draw(picture, x, y);
      y += picture.layout.height + margin;
    }
    os << "</svg>\n";
  }

private:
  Placed place(const GraphView &graph) {
    Placed placed;
    placed.graph = &graph;
    for (const GraphView::Node &node : graph.nodes) {
      NodeBox box = makeBox(node);
      std::vector<Placed> inner;
      if (node.family != OpFamily::Function)
        for (const auto &[name, index] : node.graphs)
          inner.push_back(place(view.graphs[index]));
      double width = padding, height = 0;
      for (const Placed &one : inner) {
        width += one.layout.width + 2 * padding;
        height = std::max(height, one.layout.height);
      }
      if (!inner.empty()) {
        box.width = std::max(box.width, width);
        box.height += height + graphTitle + 2 * padding;
      }
      placed.boxes.push_back(std::move(box));
      placed.inner.push_back(std::move(inner));
    }
    placed.layout = layOut(makeLayoutInput(graph, placed.boxes));
    // What edges say may stand out at the right.
    std::vector<unsigned> numbers = getValueNumbers(graph);
    for (const Layout::Segment &segment : placed.layout.segments)
      if (segment.fromBox >= 0)
        placed.layout.width =
            std::max(placed.layout.width,
                     segment.from.x + 4 +
                         getTextWidth(getLabel(graph, numbers, segment), 9.5));
    return placed;
  }

  void text(double x, double y, StringRef content, double size, StringRef color,
            StringRef weight = "", StringRef anchor = "") {
    os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" font-size=\"{2:f1}\" "
                  "fill=\"{3}\"",
                  x, y, size, color);
    if (!weight.empty())
      os << " font-weight=\"" << weight << "\"";
    if (!anchor.empty())
      os << " text-anchor=\"" << anchor << "\"";
    os << ">" << escape(content) << "</text>\n";
  }

  /// The title, and what the colours mean. Returns where it ends.
  double writeLegend(double width) {
    text(margin, margin + 10, view.title, 16, "#0f172a", "bold");
    std::set<OpFamily> used;
    for (const GraphView &graph : view.graphs)
      for (const GraphView::Node &node : graph.nodes)
        used.insert(node.family);
    double x = margin, y = margin + 28;
    for (const FamilyStyle &style : getFamilyStyles()) {
      if (!used.count(style.family))
        continue;
      double entry = getTextWidth(style.name, 10) + 30;
      if (x + entry > width - margin && x > margin) {
        x = margin;
        y += 16;
      }
      os << formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"10\" "
                    "height=\"10\" rx=\"2\" fill=\"{2}\"/>\n",
                    x, y - 8, style.color);
      text(x + 14, y + 1, style.name, 10, "#475569");
      x += entry;
    }
    return y + 26;
  }

  void draw(const Placed &placed, double x, double y) {
    drawEdges(placed, x, y);
    for (size_t index = 0; index < placed.boxes.size(); ++index) {
      Point corner = placed.layout.corners[index];
      drawNode(placed.graph->nodes[index], placed.boxes[index], x + corner.x,
               y + corner.y);
      double left = x + corner.x + padding;
      for (const auto &[inner, name] :
           zip(placed.inner[index], placed.graph->nodes[index].graphs)) {
        double top = y + corner.y + placed.boxes[index].height -
                     (getInnerHeight(placed.inner[index]) + padding);
        text(left, top - 5, name.first, 11, "#475569", "bold");
        draw(inner, left, top);
        left += inner.layout.width + 2 * padding;
      }
    }
  }

  static double getInnerHeight(ArrayRef<Placed> inner) {
    double height = 0;
    for (const Placed &one : inner)
      height = std::max(height, one.layout.height);
    return height;
  }

  /// All lines of a graph are one path, and all heads another.
  void drawEdges(const Placed &placed, double x, double y) {
    std::string heads;
    os << "<path fill=\"none\" stroke=\"#94a3b8\" stroke-width=\"1.2\" d=\"";
    for (const Layout::Segment &segment : placed.layout.segments) {
      double x1 = x + segment.from.x, y1 = y + segment.from.y;
      double x2 = x + segment.to.x, y2 = y + segment.to.y;
      if (segment.toBox >= 0) {
        heads += formatv("M{0:f1} {1:f1}l-3.2 -6.4h6.4z", x2, y2).str();
        y2 -= 5;
      }
      os << formatv("M{0:f1} {1:f1}", x1, y1);
      if (std::abs(x1 - x2) < 0.5)
        os << formatv("L{0:f1} {1:f1}", x2, y2);
      else
        os << formatv("C{0:f1} {1:f1} {2:f1} {1:f1} {2:f1} {3:f1}", x1,
                      (y1 + y2) / 2, x2, y2);
    }
    os << "\"/>\n<path fill=\"#94a3b8\" d=\"" << heads << "\"/>\n";
    drawLabels(placed, x, y);
  }

  static std::string getLabel(const GraphView &graph,
                              ArrayRef<unsigned> numbers,
                              const Layout::Segment &segment) {
    const GraphView::Node &node = graph.nodes[segment.fromBox];
    unsigned output = segment.value - numbers[segment.fromBox];
    return node.family == OpFamily::Interface || output >= node.outputs.size()
               ? ""
               : shortenType(node.outputs[output].type);
  }

  /// Values say what they are where they leave their node, once where several
  /// are alike.
  void drawLabels(const Placed &placed, double x, double y) {
    std::vector<unsigned> numbers = getValueNumbers(*placed.graph);
    std::map<int, std::set<std::string>> said;
    for (const Layout::Segment &segment : placed.layout.segments) {
      if (segment.fromBox < 0)
        continue;
      std::string label = getLabel(*placed.graph, numbers, segment);
      std::set<std::string> &own = said[segment.fromBox];
      if (label.empty() || !own.insert(label).second)
        continue;
      double line = 1 + 11 * static_cast<double>(own.size());
      text(x + segment.from.x + 4, y + segment.from.y + line, label, 9.5,
           "#64748b");
    }
  }

  void drawNode(const GraphView::Node &node, const NodeBox &box, double x,
                double y) {
    StringRef color = getStyle(node.family).color;
    os << "<g>";
    std::string tip = node.op;
    if (!node.name.empty())
      tip += " '" + node.name + "'";
    for (const auto &[name, value] : node.attributes)
      tip += "\n" + name + ": " + shorten(value, 80);
    if (!node.cost.empty())
      tip += "\n" + node.cost;
    os << "<title>" << escape(tip) << "</title>";
    os << formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2:f1}\" "
                  "height=\"{3:f1}\" rx=\"5\" fill=\"#ffffff\" stroke=\"{4}\" "
                  "stroke-width=\"1.2\"/>",
                  x, y, box.width, box.height, color);
    bool isWhole = box.height <= titleHeight;
    if (isWhole)
      os << formatv("<rect x=\"{0:f1}\" y=\"{1:f1}\" width=\"{2:f1}\" "
                    "height=\"{3:f1}\" rx=\"5\" fill=\"{4}\"/>\n",
                    x, y, box.width, titleHeight, color);
    else
      os << formatv("<path d=\"M{0:f1} {1:f1}v-{2:f1}q0 -5 5 -5h{3:f1}q5 0 5 "
                    "5v{2:f1}z\" fill=\"{4}\"/>\n",
                    x, y + titleHeight, titleHeight - 5, box.width - 10, color);
    text(x + box.width / 2, y + 15, box.title, 12.5, "#ffffff", "600",
         "middle");
    double lineY = y + titleHeight + 12;
    for (const std::string &line : box.lines) {
      text(x + 9, lineY, line, 10, "#334155");
      lineY += lineHeight;
    }
    os << "</g>\n";
  }

  const ModelView &view;
  raw_ostream &os;
};

} // namespace

void onnxc::writeSvg(const ModelView &view, raw_ostream &os) {
  SvgWriter(view, os).write();
}
