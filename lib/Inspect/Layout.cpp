//===- Layout.cpp - Where the nodes of a picture stand --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

using namespace llvm;
using namespace onnxc;

static constexpr double rowGap = 44, boxGap = 26, laneGap = 12;
/// A longer edge is one straight piece: lanes for it would be more than all
/// boxes.
static constexpr unsigned maxLanes = 4000;
static constexpr unsigned numSweeps = 16;

namespace {

/// The boxes first; then lanes, where an edge passes through a row.
struct Vertex {
  double width = 0, height = 0;
  unsigned row = 0, place = 0;
  bool isLane = false;
  SmallVector<unsigned, 2> above, below;
};

class Sugiyama {
public:
  explicit Sugiyama(const LayoutInput &input) : input(input) {}

  Layout run() {
    for (const LayoutInput::Box &box : input.boxes) {
      vertices.emplace_back();
      vertices.back().width = box.width;
      vertices.back().height = box.height;
    }
    assignRows();
    addLanes();
    orderRows();
    assignX();
    return draw();
  }

private:
  /// A piece of an edge between vertices.
  struct Piece {
    unsigned from, to, value;
  };

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  void assignRows() {
    size_t count = input.boxes.size();
    std::vector<SmallVector<unsigned, 2>> next(count);
    std::vector<unsigned> missing(count, 0);
    for (const LayoutInput::Edge &edge : input.edges) {
      next[edge.from].push_back(edge.to);
      ++missing[edge.to];
    }
    std::vector<unsigned> order;
    std::vector<bool> isSource(count);
    for (unsigned box = 0; box < count; ++box)
      if ((isSource[box] = missing[box] == 0))
        order.push_back(box);
    for (size_t i = 0; i < order.size(); ++i)
      for (unsigned to : next[order[i]]) {
        vertices[to].row =
            std::max(vertices[to].row, vertices[order[i]].row + 1);
        if (--missing[to] == 0)
          order.push_back(to);
      }
    // What depends on nothing stands right above what first needs it.
    for (unsigned box = 0; box < count; ++box) {
      if (!isSource[box] || next[box].empty())
        continue;
      unsigned first = std::numeric_limits<unsigned>::max();
      for (unsigned to : next[box])
        first = std::min(first, vertices[to].row);
      vertices[box].row = first - 1;
    }
  }

  void connect(unsigned from, unsigned to, unsigned value) {
    pieces.push_back({from, to, value});
    vertices[from].below.push_back(to);
    vertices[to].above.push_back(from);
  }

  /// Cuts edges into pieces from row to row; the lanes of one value are shared.
  void addLanes() {
    DenseMap<std::pair<unsigned, unsigned>, unsigned> lanes;
    DenseSet<std::pair<unsigned, unsigned>> seen;
    for (const LayoutInput::Edge &edge : input.edges) {
      unsigned from = edge.from, last = vertices[edge.to].row;
      if (last - vertices[from].row > maxLanes) {
        straight.push_back({from, edge.to, edge.value});
        continue;
      }
      for (unsigned row = vertices[from].row + 1; row < last; ++row) {
        auto [lane, isNew] =
            lanes.try_emplace({edge.value, row}, vertices.size());
        if (isNew) {
          Vertex vertex;
          vertex.row = row;
          vertex.isLane = true;
          vertices.push_back(vertex);
          connect(from, lane->second, edge.value);
        }
        from = lane->second;
      }
      if (seen.insert({edge.value, edge.to}).second)
        connect(from, edge.to, edge.value);
    }
    for (auto [index, vertex] : enumerate(vertices)) {
      if (vertex.row >= rows.size())
        rows.resize(vertex.row + 1);
      vertex.place = rows[vertex.row].size();
      rows[vertex.row].push_back(index);
    }
  }

  //===--------------------------------------------------------------------===//
  // Few crossings
  //===--------------------------------------------------------------------===//

  void renumber(unsigned row) {
    for (auto [place, vertex] : enumerate(rows[row]))
      vertices[vertex].place = place;
  }

  /// Sorts a row by the medians of the neighbours in the row before it.
  void sortRow(unsigned row, bool downwards) {
    // With the places that they have, which decide between equal medians.
    std::vector<std::tuple<double, unsigned, unsigned>> keys;
    for (unsigned index : rows[row]) {
      const Vertex &vertex = vertices[index];
      SmallVector<unsigned> places;
      for (unsigned neighbour : downwards ? vertex.above : vertex.below)
        places.push_back(vertices[neighbour].place);
      if (places.empty()) {
        keys.emplace_back(vertex.place, vertex.place, index);
        continue;
      }
      sort(places);
      size_t half = places.size() / 2;
      double median = places.size() % 2
                          ? places[half]
                          : (places[half - 1] + places[half]) / 2.0;
      keys.emplace_back(median, vertex.place, index);
    }
    sort(keys);
    for (auto [place, key] : enumerate(keys))
      rows[row][place] = std::get<2>(key);
    renumber(row);
  }

  /// How often edges cross, with a tree of partial sums.
  uint64_t countCrossings() const {
    uint64_t crossings = 0;
    for (size_t row = 0; row + 1 < rows.size(); ++row) {
      std::vector<std::pair<unsigned, unsigned>> places;
      for (unsigned index : rows[row])
        for (unsigned below : vertices[index].below)
          places.emplace_back(vertices[index].place, vertices[below].place);
      sort(places);
      std::vector<unsigned> sums(rows[row + 1].size() + 1, 0);
      uint64_t seen = 0;
      for (auto [from, to] : places) {
        uint64_t before = 0;
        for (size_t i = to + 1; i > 0; i &= i - 1)
          before += sums[i];
        crossings += seen++ - before;
        for (size_t i = to + 1; i < sums.size(); i += i & -i)
          ++sums[i];
      }
    }
    return crossings;
  }

  void orderRows() {
    auto best = rows;
    uint64_t least = countCrossings();
    for (unsigned sweep = 0; sweep < numSweeps && least; ++sweep) {
      if (sweep % 2 == 0)
        for (size_t row = 1; row < rows.size(); ++row)
          sortRow(row, /*downwards=*/true);
      else
        for (size_t row = rows.size() - 1; row-- > 0;)
          sortRow(row, /*downwards=*/false);
      uint64_t crossings = countCrossings();
      if (crossings < least) {
        least = crossings;
        best = rows;
      }
    }
    rows = std::move(best);
    for (size_t row = 0; row < rows.size(); ++row)
      renumber(row);
  }

  //===--------------------------------------------------------------------===//
  // Straight lines
  //===--------------------------------------------------------------------===//

  static uint64_t key(unsigned a, unsigned b) {
    return static_cast<uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }

  /// Marks pieces that cross a piece from lane to lane: those stay straight.
  void markConflicts() {
    for (size_t row = 1; row + 1 < rows.size(); ++row) {
      const auto &lower = rows[row + 1];
      size_t left = 0, next = 0;
      for (size_t i = 0; i < lower.size(); ++i) {
        const Vertex &vertex = vertices[lower[i]];
        int inner = -1;
        for (unsigned above : vertex.above)
          if (vertex.isLane && vertices[above].isLane)
            inner = static_cast<int>(vertices[above].place);
        if (inner < 0 && i + 1 != lower.size())
          continue;
        size_t right =
            inner < 0 ? rows[row].size() - 1 : static_cast<size_t>(inner);
        for (; next <= i; ++next)
          for (unsigned above : vertices[lower[next]].above) {
            size_t place = vertices[above].place;
            if (place < left || place > right)
              conflicts.insert(key(above, lower[next]));
          }
        left = right;
      }
    }
  }

  double separation(unsigned a, unsigned b) const {
    const Vertex &x = vertices[a], &y = vertices[b];
    return (x.width + y.width) / 2 + (x.isLane || y.isLane ? laneGap : boxGap);
  }

  /// Chains of vertices that stand below each other; `root` is the first.
  std::vector<unsigned> align(bool downwards, bool leftwards) const {
    std::vector<unsigned> root(vertices.size()), next(vertices.size());
    std::iota(root.begin(), root.end(), 0);
    std::iota(next.begin(), next.end(), 0);
    size_t count = rows.size();
    for (size_t step = 0; step < count; ++step) {
      const auto &row = rows[downwards ? step : count - 1 - step];
      int64_t limit = leftwards ? -1 : std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < row.size(); ++i) {
        unsigned index = row[leftwards ? i : row.size() - 1 - i];
        const Vertex &vertex = vertices[index];
        SmallVector<unsigned, 2> near = downwards ? vertex.above : vertex.below;
        if (near.empty())
          continue;
        sort(near, [&](unsigned a, unsigned b) {
          return vertices[a].place < vertices[b].place;
        });
        size_t low = (near.size() - 1) / 2, high = near.size() / 2;
        SmallVector<size_t, 2> medians = {low, high};
        if (!leftwards)
          std::swap(medians[0], medians[1]);
        for (size_t m : medians) {
          if (next[index] != index)
            break;
          auto place = static_cast<int64_t>(vertices[near[m]].place);
          bool isFree = leftwards ? limit < place : place < limit;
          if (!isFree || conflicts.contains(key(near[m], index)))
            continue;
          next[near[m]] = index;
          root[index] = root[near[m]];
          next[index] = root[index];
          limit = place;
        }
      }
    }
    return root;
  }

  /// As far to one side as the distances allow; then what can come closer to
  /// its neighbours at the other side does.
  std::vector<double> compact(const std::vector<unsigned> &root,
                              bool leftwards) const {
    size_t count = vertices.size();
    std::vector<SmallVector<std::pair<unsigned, double>, 2>> after(count);
    std::vector<unsigned> missing(count, 0);
    for (const auto &row : rows)
      for (size_t i = 0; i + 1 < row.size(); ++i) {
        unsigned a = root[row[i]], b = root[row[i + 1]];
        double distance = separation(row[i], row[i + 1]);
        if (!leftwards)
          std::swap(a, b);
        if (a == b)
          continue;
        after[a].emplace_back(b, distance);
        ++missing[b];
      }
    std::vector<unsigned> order;
    std::vector<double> x(count, 0);
    for (unsigned index = 0; index < count; ++index)
      if (root[index] == index && missing[index] == 0)
        order.push_back(index);
    for (size_t i = 0; i < order.size(); ++i)
      for (auto [to, distance] : after[order[i]]) {
        x[to] = std::max(x[to], x[order[i]] + distance);
        if (--missing[to] == 0)
          order.push_back(to);
      }
    for (unsigned index : reverse(order)) {
      double room = std::numeric_limits<double>::infinity();
      for (auto [to, distance] : after[index])
        room = std::min(room, x[to] - distance);
      if (room != std::numeric_limits<double>::infinity())
        x[index] = std::max(x[index], room);
    }
    std::vector<double> result(count);
    for (unsigned index = 0; index < count; ++index)
      result[index] = leftwards ? x[root[index]] : -x[root[index]];
    return result;
  }

  void assignX() {
    markConflicts();
    std::array<std::vector<double>, 4> all;
    std::array<double, 4> low, high;
    for (unsigned i = 0; i < 4; ++i) {
      bool downwards = i < 2, leftwards = i % 2 == 0;
      all[i] = compact(align(downwards, leftwards), leftwards);
      low[i] = std::numeric_limits<double>::max();
      high[i] = std::numeric_limits<double>::lowest();
      for (auto [x, vertex] : zip(all[i], vertices)) {
        low[i] = std::min(low[i], x - vertex.width / 2);
        high[i] = std::max(high[i], x + vertex.width / 2);
      }
    }
    unsigned narrowest = 0;
    for (unsigned i = 1; i < 4; ++i)
      if (high[i] - low[i] < high[narrowest] - low[narrowest])
        narrowest = i;
    x.resize(vertices.size());
    for (size_t index = 0; index < vertices.size(); ++index) {
      std::array<double, 4> places;
      for (unsigned i = 0; i < 4; ++i) {
        double shift =
            i % 2 == 0 ? low[narrowest] - low[i] : high[narrowest] - high[i];
        places[i] = all[i][index] + shift;
      }
      sort(places);
      x[index] = (places[1] + places[2]) / 2;
    }
    // Averages keep the order, and rarely come too close by rounding.
    for (const auto &row : rows)
      for (size_t i = 1; i < row.size(); ++i)
        x[row[i]] =
            std::max(x[row[i]], x[row[i - 1]] + separation(row[i - 1], row[i]));
    double least = std::numeric_limits<double>::max();
    for (auto [place, vertex] : zip(x, vertices))
      least = std::min(least, place - vertex.width / 2);
    for (double &place : x)
      place -= least;
  }

  //===--------------------------------------------------------------------===//
  // The picture
  //===--------------------------------------------------------------------===//

  /// Where the pieces of a box begin or end: side by side, in the order of
  /// where they come from.
  void spread(bool atTop, std::vector<double> &places) const {
    std::vector<SmallVector<unsigned, 2>> ends(input.boxes.size());
    for (auto [index, piece] : enumerate(pieces)) {
      unsigned box = atTop ? piece.to : piece.from;
      if (box < ends.size())
        ends[box].push_back(index);
    }
    for (auto [box, own] : enumerate(ends)) {
      // Pieces of one value leave together.
      std::vector<std::pair<double, unsigned>> groups;
      for (unsigned index : own) {
        unsigned other = atTop ? pieces[index].from : pieces[index].to;
        unsigned group = atTop ? index : pieces[index].value;
        auto known =
            find_if(groups, [&](const auto &g) { return g.second == group; });
        if (known == groups.end())
          groups.emplace_back(x[other], group);
      }
      sort(groups);
      double step = std::min(14.0, vertices[box].width /
                                       static_cast<double>(groups.size() + 1));
      for (unsigned index : own) {
        unsigned group = atTop ? index : pieces[index].value;
        auto known =
            find_if(groups, [&](const auto &g) { return g.second == group; });
        double place = static_cast<double>(known - groups.begin()) -
                       static_cast<double>(groups.size() - 1) / 2;
        places[index] = x[box] + place * step;
      }
    }
  }

  Layout draw() {
    Layout layout;
    std::vector<double> top(rows.size()), heights(rows.size(), 0);
    double y = 0;
    for (size_t row = 0; row < rows.size(); ++row) {
      for (unsigned index : rows[row])
        heights[row] = std::max(heights[row], vertices[index].height);
      top[row] = y;
      y += heights[row] + rowGap;
    }
    for (auto [at, height] : zip(top, heights))
      layout.rows.push_back({at, height});
    layout.height = rows.empty() ? 0 : y - rowGap;
    auto upper = [&](unsigned index) {
      const Vertex &vertex = vertices[index];
      double free = vertex.isLane ? 0 : heights[vertex.row] - vertex.height;
      return top[vertex.row] + free / 2;
    };
    auto lower = [&](unsigned index) {
      const Vertex &vertex = vertices[index];
      return vertex.isLane ? top[vertex.row] + heights[vertex.row]
                           : upper(index) + vertex.height;
    };
    for (unsigned index = 0; index < input.boxes.size(); ++index) {
      layout.corners.push_back(
          {x[index] - vertices[index].width / 2, upper(index)});
      layout.width =
          std::max(layout.width, x[index] + vertices[index].width / 2);
    }
    for (const Vertex &vertex : vertices)
      if (vertex.isLane)
        layout.width = std::max(layout.width, x[&vertex - vertices.data()]);
    append_range(pieces, straight);
    std::vector<double> starts(pieces.size()), ends(pieces.size());
    spread(/*atTop=*/false, starts);
    spread(/*atTop=*/true, ends);
    auto isBox = [&](unsigned index) { return index < input.boxes.size(); };
    for (auto [index, piece] : enumerate(pieces)) {
      Layout::Segment segment;
      segment.value = piece.value;
      segment.fromBox = isBox(piece.from) ? static_cast<int>(piece.from) : -1;
      segment.toBox = isBox(piece.to) ? static_cast<int>(piece.to) : -1;
      segment.from = {isBox(piece.from) ? starts[index] : x[piece.from],
                      lower(piece.from)};
      segment.to = {isBox(piece.to) ? ends[index] : x[piece.to],
                    upper(piece.to)};
      layout.segments.push_back(segment);
      // Straight on through the row.
      if (!isBox(piece.to) && heights[vertices[piece.to].row] > 0)
        layout.segments.push_back(
            {segment.to, {segment.to.x, lower(piece.to)}, piece.value, -1, -1});
    }
    return layout;
  }

  const LayoutInput &input;
  std::vector<Vertex> vertices;
  std::vector<Piece> pieces, straight;
  std::vector<std::vector<unsigned>> rows;
  DenseSet<uint64_t> conflicts;
  std::vector<double> x;
};

} // namespace

Layout onnxc::layOut(const LayoutInput &input) { return Sugiyama(input).run(); }
