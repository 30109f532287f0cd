//===- Layout.h - Where the nodes of a picture stand ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INSPECT_LAYOUT_H
#define ONNXC_LIB_INSPECT_LAYOUT_H

#include <vector>

namespace onnxc {

struct Point {
  double x = 0, y = 0;
};

/// What is to be drawn: boxes, and edges that go from box to box without a
/// cycle. Edges of one value leave their box at one place and run together as
/// long as they can.
struct LayoutInput {
  struct Box {
    double width, height;
  };
  struct Edge {
    unsigned from, to, value;
  };
  std::vector<Box> boxes;
  std::vector<Edge> edges;
};

/// The picture, from (0, 0) to (width, height).
struct Layout {
  /// A piece of an edge: from the bottom of a box (or where the edge passes
  /// through a row) to the top of a box (or such a place) further down.
  struct Segment {
    Point from, to;
    unsigned value;
    /// The box above, if it starts there, and the box below, if it ends there;
    /// else -1.
    int fromBox, toBox;
  };
  struct Row {
    double top, height;
  };
  double width = 0, height = 0;
  std::vector<Row> rows;
  /// The boxes' upper left corners.
  std::vector<Point> corners;
  std::vector<Segment> segments;
};

/// Rows of boxes, each below those that it depends on (Sugiyama's method): rows
/// by longest paths, few crossings by medians, and straight lines by the
/// method of Brandes and Köpf.
Layout layOut(const LayoutInput &input);

} // namespace onnxc

#endif // ONNXC_LIB_INSPECT_LAYOUT_H
