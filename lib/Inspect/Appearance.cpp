//===- Appearance.cpp - What the pictures of a graph have in common -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Appearance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace onnxc;

/// Longer values of constants are only in the details.
static constexpr size_t maxValueLength = 28;
/// Longer lists of constants end in dots.
static constexpr size_t maxLines = 4;

static constexpr FamilyStyle styles[] = {
    {OpFamily::Interface, "input, output", "#334155"},
    {OpFamily::Convolution, "convolution", "#2563eb"},
    {OpFamily::Product, "matrix product, attention", "#4f46e5"},
    {OpFamily::Activation, "activation", "#c2410c"},
    {OpFamily::Arithmetic, "elementwise", "#b45309"},
    {OpFamily::Normalization, "normalization, softmax", "#0f766e"},
    {OpFamily::Pooling, "pooling", "#15803d"},
    {OpFamily::Reduction, "reduction", "#4d7c0f"},
    {OpFamily::Movement, "shape, movement", "#64748b"},
    {OpFamily::Quantization, "quantization", "#7e22ce"},
    {OpFamily::Control, "control flow", "#be185d"},
    {OpFamily::Recurrent, "recurrent", "#0369a1"},
    {OpFamily::Function, "function", "#a21caf"},
    {OpFamily::Other, "other", "#44403c"},
};

ArrayRef<FamilyStyle> onnxc::getFamilyStyles() { return styles; }

const FamilyStyle &onnxc::getStyle(OpFamily family) {
  return styles[static_cast<size_t>(family)];
}

/// Bytes that begin a character.
static size_t countCharacters(StringRef text) {
  return count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

double onnxc::getTextWidth(StringRef text, double size) {
  return static_cast<double>(countCharacters(text)) * size * 0.63;
}

std::string onnxc::shorten(StringRef text, size_t length) {
  if (countCharacters(text) <= length)
    return text.str();
  auto cut = [&](size_t at) {
    while (at < text.size() && (text[at] & 0xc0) == 0x80)
      ++at;
    return at;
  };
  size_t half = length / 2;
  return (text.take_front(cut(half)) + "…" +
          text.drop_front(cut(text.size() - half)))
      .str();
}

std::string onnxc::shortenType(StringRef type) {
  type.consume_front("float ");
  return shorten(type, 34);
}

std::string onnxc::escape(StringRef text) {
  std::string result;
  std::string utf8 = json::fixUTF8(text);
  for (char c : utf8) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      // XML knows no other control characters.
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
        result += c;
    }
  }
  return result;
}

NodeBox onnxc::makeBox(const GraphView::Node &node) {
  NodeBox box;
  box.title = shorten(node.op, 32);
  for (const std::string &note : node.notes)
    box.lines.push_back(shorten(note, 44));
  if (node.family == OpFamily::Interface) {
    box.title = shorten(node.name.empty() ? node.op : node.name, 40);
    for (const auto *arguments : {&node.inputs, &node.outputs})
      for (const GraphView::Argument &argument : *arguments)
        if (!argument.type.empty())
          box.lines.push_back(shorten(argument.type, 40));
  } else {
    size_t constants = 0;
    for (const GraphView::Argument &input : node.inputs) {
      if (!input.isConstant || ++constants > maxLines)
        continue;
      // Values that are short, else the type alone.
      std::string type = input.type;
      if (type.size() > maxValueLength)
        type = StringRef(type).split(':').first.str();
      box.lines.push_back((input.formal.empty() ? "" : input.formal + " ") +
                          shortenType(type));
    }
    if (constants > maxLines)
      box.lines.push_back("… " + std::to_string(constants - maxLines) +
                          " more");
  }
  box.width = getTextWidth(box.title, 12.5) + 24;
  for (const std::string &line : box.lines)
    box.width = std::max(box.width, getTextWidth(line, 10) + 18);
  for (const GraphView::Argument &output : node.outputs)
    if (node.family != OpFamily::Interface)
      box.width =
          std::max(box.width, getTextWidth(shortenType(output.type), 9.5) + 12);
  box.width = std::max(box.width, 56.0);
  box.height = titleHeight;
  if (!box.lines.empty())
    box.height += lineHeight * static_cast<double>(box.lines.size()) + 7;
  return box;
}

std::vector<unsigned> onnxc::getValueNumbers(const GraphView &graph) {
  std::vector<unsigned> numbers = {0};
  for (const GraphView::Node &node : graph.nodes)
    numbers.push_back(numbers.back() +
                      static_cast<unsigned>(node.outputs.size()));
  return numbers;
}

LayoutInput onnxc::makeLayoutInput(const GraphView &graph,
                                   ArrayRef<NodeBox> boxes) {
  LayoutInput input;
  for (const NodeBox &box : boxes)
    input.boxes.push_back({box.width, box.height});
  std::vector<unsigned> numbers = getValueNumbers(graph);
  for (const GraphView::Edge &edge : graph.edges)
    input.edges.push_back(
        {edge.from, edge.to, numbers[edge.from] + edge.output});
  return input;
}
