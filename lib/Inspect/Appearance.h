//===- Appearance.h - What the pictures of a graph have in common ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INSPECT_APPEARANCE_H
#define ONNXC_LIB_INSPECT_APPEARANCE_H

#include "Layout.h"

#include "onnxc/Inspect/GraphView.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace onnxc {

struct FamilyStyle {
  OpFamily family;
  llvm::StringLiteral name;
  /// Of the node's title, with white letters on it.
  llvm::StringLiteral color;
};

/// In the order of OpFamily, which is that of the legend.
llvm::ArrayRef<FamilyStyle> getFamilyStyles();
const FamilyStyle &getStyle(OpFamily family);

/// A node as a box: a title, and lines under it.
struct NodeBox {
  std::string title;
  std::vector<std::string> lines;
  double width = 0, height = 0;
};

constexpr double titleHeight = 22, lineHeight = 13;

NodeBox makeBox(const GraphView::Node &node);

/// Boxes and edges of a graph; `boxes` may be greater than makeBox makes them.
/// The value of an edge is numbered as `getValueNumbers` says.
LayoutInput makeLayoutInput(const GraphView &graph,
                            llvm::ArrayRef<NodeBox> boxes);

/// Of each node the number of its first output; those of all outputs follow
/// each other.
std::vector<unsigned> getValueNumbers(const GraphView &graph);

/// What an edge says: the shape alone for float, the most frequent type.
std::string shortenType(llvm::StringRef type);

/// About as wide as the text is with letters of this size.
double getTextWidth(llvm::StringRef text, double size);

/// At most `length` characters, the middle left out.
std::string shorten(llvm::StringRef text, size_t length);

/// For XML and HTML.
std::string escape(llvm::StringRef text);

} // namespace onnxc

#endif // ONNXC_LIB_INSPECT_APPEARANCE_H
