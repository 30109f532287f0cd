// Where the nodes of a graph stand, with some of them open, and which of them
// are near a place.
const TITLE = 22, LINE = 13, PAD = 12, HEAD = 20;
/// Things are found by stripes of this height.
const STRIPE = 1500;

/// A graph is laid out with all its nodes closed. To open one pushes what is
/// below it down, and what is right of it in its row to the right. `expanded` has
/// the paths of open nodes: "0/12:3" is graph 3 in node 12 of graph 0.
function placeGraph(index, path, expanded) {
  const graph = data.graphs[index];
  const open = [];
  const items = graph.nodes.map((node, i) => {
    const [x, y, w, h] = node.box;
    const item = {node, i, path: path + "/" + i, graph: index, x, y, w, h, oldX: x, oldY: y, oldW: w, oldH: h, inner: null};
    if (node.graphs && expanded.has(item.path)) {
      item.inner = node.graphs.map(([name, g]) => ({name, ...placeGraph(g, item.path + ":" + g, expanded)}));
      item.w = Math.max(w, item.inner.reduce((sum, s) => sum + s.w + PAD, PAD));
      item.h = h + HEAD + PAD + Math.max(...item.inner.map(s => s.h));
      const middle = y + h / 2;
      const row = graph.rows.find(([top, height]) => middle >= top && middle <= top + height) || [y, h];
      item.rowTop = row[0];
      item.rowEnd = row[0] + row[1];
      item.down = Math.max(0, item.y + item.h - item.rowEnd);
      item.right = item.w - w;
      open.push(item);
    }
    return item;
  });
  // Of several open nodes in one row, the highest decides.
  const rows = new Map();
  for (const item of open)
    rows.set(item.rowEnd, Math.max(rows.get(item.rowEnd) || 0, item.down));
  const moveY = y => {
    let sum = 0;
    for (const [end, down] of rows)
      if (y >= end) sum += down;
    return y + sum;
  };
  const moveX = (x, y) => {
    let sum = 0;
    for (const item of open)
      if (y >= item.rowTop - 0.1 && y <= item.rowEnd + 0.1 && x >= item.oldX + item.oldW) sum += item.right;
    return x + sum;
  };
  let w = graph.width, h = graph.height;
  for (const item of items) {
    if (open.length) {
      item.x = moveX(item.oldX, item.oldY + item.oldH / 2);
      item.y = moveY(item.oldY);
    }
    w = Math.max(w, item.x + item.w);
    h = Math.max(h, item.y + item.h);
  }
  const segments = open.length ? graph.segments.map(segment => {
    let [x1, y1, x2, y2, from, output, above, below] = segment;
    if (above >= 0) {
      x1 = items[above].x + x1 - items[above].oldX;
      y1 = items[above].y + items[above].h;
    } else {
      [x1, y1] = [moveX(x1, y1), moveY(y1)];
    }
    if (below >= 0) {
      x2 = items[below].x + x2 - items[below].oldX;
      y2 = items[below].y;
    } else {
      [x2, y2] = [moveX(x2, y2), moveY(y2)];
    }
    return [x1, y1, x2, y2, from, output, above, below];
  }) : graph.segments;
  const part = {graph, index, items, segments, w, h};
  part.itemStripes = makeStripes(items, item => item.y, item => item.y + item.h);
  part.segmentStripes = makeStripes(segments, s => s[1], s => s[3]);
  return part;
}

function makeStripes(things, top, bottom) {
  const stripes = [];
  for (const thing of things)
    for (let s = Math.max(0, Math.floor(top(thing) / STRIPE)); s <= Math.floor(bottom(thing) / STRIPE); ++s)
      (stripes[s] = stripes[s] || []).push(thing);
  return {stripes, top};
}

/// Calls `take` once with each thing that may be between two heights.
function forEachBetween(index, top, bottom, take) {
  const first = Math.max(0, Math.floor(top / STRIPE));
  const last = Math.min(index.stripes.length - 1, Math.floor(bottom / STRIPE));
  for (let s = first; s <= last; ++s)
    for (const thing of index.stripes[s] || [])
      // It may be in several stripes.
      if (s === first || Math.floor(index.top(thing) / STRIPE) === s) take(thing);
}

function findItem(part, x, y) {
  let found = null;
  forEachBetween(part.itemStripes, y, y, item => {
    if (found || x < item.x || x > item.x + item.w || y < item.y || y > item.y + item.h) return;
    found = {item, x: x - item.x, y: y - item.y};
    if (!item.inner) return;
    let left = item.x + PAD;
    const top = item.y + item.oldH + HEAD;
    for (const inner of item.inner) {
      const hit = findItem(inner, x - left, y - top);
      if (hit) found = hit;
      left += inner.w + PAD;
    }
  });
  return found;
}

// Where each graph is first met, from the outside in.
const paths = [];
for (const view of views) {
  if (view.graph === undefined) continue;
  paths[view.graph] = String(view.graph);
  for (let done = 0, order = [view.graph]; done < order.length; ++done)
    data.graphs[order[done]].nodes.forEach((node, i) => (node.graphs || []).forEach(([, graph]) => {
      if (paths[graph] !== undefined) return;
      paths[graph] = paths[order[done]] + "/" + i + ":" + graph;
      order.push(graph);
    }));
}
