//===- WriteHtml.cpp - A model and its compile as a page ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Appearance.h"
#include "PageLinks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;

/// lib/Inspect/Page/; a line of it stands for the data.
static constexpr char page[] =
#include "Page.inc"
    ;
static constexpr StringLiteral placeholder = "/*DATA*/";

namespace {

class HtmlWriter {
public:
  HtmlWriter(raw_ostream &os, const PageLinks &links)
      : out(os), links(links), compiled(links.getCompiled()) {}

  void write(StringRef title) {
    out.object([&] {
      out.attribute("title", json::fixUTF8(title));
      out.attribute("target", json::fixUTF8(compiled.target));
      out.attributeArray("families", [&] {
        for (const FamilyStyle &style : getFamilyStyles())
          out.array([&] {
            out.value(style.name);
            out.value(style.color);
          });
      });
      // Where each part begins in the list of graphs.
      out.attributeObject("views", [&] {
        for (const PageLinks::Part &part : links.getParts())
          out.attribute(part.name, part.firstGraph);
      });
      out.attributeArray("graphs", [&] {
        for (const PageLinks::Part &part : links.getParts())
          for (auto [index, graph] : enumerate(part.view->graphs))
            writeGraph(graph, part, static_cast<unsigned>(index));
      });
      writeKernels();
      writeRegions();
      writeMemory();
      if (compiled.times) {
        out.attribute("total_us", compiled.times->total);
        out.attribute("other_us", compiled.times->other);
      }
      if (!compiled.failedStage.empty()) {
        out.attribute("failed_stage", compiled.failedStage);
        out.attribute("fault", json::fixUTF8(compiled.fault));
      }
    });
  }

private:
  void number(double value) { out.value(std::round(value * 10) / 10); }
  void text(StringRef value) { out.value(json::fixUTF8(value)); }

  void writeRefs(StringRef name, ArrayRef<NodeRef> refs) {
    out.attributeArray(name, [&] {
      for (NodeRef ref : refs)
        out.array([&] {
          out.value(ref.graph);
          out.value(ref.node);
        });
    });
  }

  void writeKernels() {
    out.attributeArray("kernels", [&] {
      for (auto [number, kernel] : enumerate(compiled.kernels))
        out.object([&, &kernel = kernel, number = number] {
          NodeRef ref = links.getKernelNode(number);
          out.attributeArray("at", [&] {
            out.value(ref.graph);
            out.value(ref.node);
          });
          writeRefs("nodes", links.getNodesOfKernel(number));
          if (!links.getValueOfKernel(number).empty())
            out.attribute("value",
                          json::fixUTF8(links.getValueOfKernel(number)));
          if (!kernel.layoutChange.empty())
            out.attribute("layout", kernel.layoutChange);
        });
    });
  }

  void writeRegions() {
    out.attributeArray("regions", [&] {
      for (auto [number, region] : enumerate(compiled.regions))
        out.object([&, &region = region, number = number] {
          out.attribute("kind", region.kind);
          if (region.kernel)
            out.attribute("kernel", *region.kernel);
          out.attribute("name", json::fixUTF8(region.name));
          out.attribute("op", json::fixUTF8(region.op));
          writeRefs("nodes", links.resolve(region.keys));
          if (region.place)
            out.attributeArray("place", [&] {
              out.value(region.place->first);
              out.value(region.place->second);
            });
          if (compiled.times && compiled.times->regions[number])
            out.attribute("us", *compiled.times->regions[number]);
        });
    });
  }

  void writeMemory() {
    if (!compiled.memory)
      return;
    out.attributeObject("memory", [&] {
      out.attribute("bytes", compiled.memory->bytes);
      out.attribute("lower_bound", compiled.memory->lowerBound);
      out.attribute("open", compiled.memory->numOpen);
      out.attributeArray("buffers", [&] {
        for (const BufferView &buffer : compiled.memory->buffers)
          writeBuffer(buffer);
      });
    });
  }

  void writeBuffer(const BufferView &buffer) {
    PageLinks::Writer writer = links.getWriter(buffer);
    out.object([&] {
      out.attribute("offset", buffer.offset);
      out.attribute("bytes", buffer.bytes);
      out.attribute("begin", buffer.begin);
      out.attribute("end", buffer.end);
      if (writer.region)
        out.attribute("region", *writer.region);
      if (writer.isResult)
        out.attribute("result", true);
      if (!writer.value.empty())
        out.attribute("value", json::fixUTF8(writer.value));
      writeRefs("nodes", links.resolve(buffer.keys));
    });
  }

  void writeGraph(const GraphView &graph, const PageLinks::Part &part,
                  unsigned index) {
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
        for (auto [number, node] : enumerate(graph.nodes))
          writeNode(node, boxes[number], layout.corners[number], part,
                    {part.firstGraph + index, static_cast<unsigned>(number)});
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

  void writeNode(const GraphView::Node &node, const NodeBox &box, Point corner,
                 const PageLinks::Part &part, NodeRef ref) {
    out.object([&] {
      out.attributeArray("box", [&] {
        for (double value : {corner.x, corner.y, box.width, box.height})
          number(value);
      });
      out.attribute("family", static_cast<int64_t>(links.getFamily(ref, node)));
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
              out.value(part.firstGraph + index);
            });
        });
      // What it became, or was made of.
      if (std::optional<NodeFate> fate = links.getFate(ref))
        out.attribute("fate", getName(*fate));
      if (ArrayRef<NodeRef> refs = links.getLinked(ref); !refs.empty())
        writeRefs("linked", refs);
      if (ArrayRef<unsigned> kernels = links.getKernels(ref); !kernels.empty())
        out.attributeArray("kernels", [&] {
          for (unsigned kernel : kernels)
            out.value(kernel);
        });
    });
  }

  json::OStream out;
  const PageLinks &links;
  const CompiledView &compiled;
};

} // namespace

void onnxc::writeHtml(const ModelView &model, const CompiledView &compiled,
                      raw_ostream &os) {
  std::string data;
  raw_string_ostream stream(data);
  PageLinks links(model, compiled);
  HtmlWriter(stream, links).write(model.title);
  auto [before, after] = StringRef(page).split(placeholder);
  os << before;
  // Nothing in the model ends the script.
  for (StringRef rest = data; !rest.empty();) {
    auto [part, more] = rest.split("<");
    os << part << (part.size() < rest.size() ? "\\u003c" : "");
    rest = more;
  }
  os << after;
}
