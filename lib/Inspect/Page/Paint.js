// How graphs are drawn. What is smaller than a few pixels is drawn without what
// cannot be seen of it.
/// Below these scales: no letters in boxes, no corners and curves, no lines of
/// boxes.
const LETTERS = 0.22, BOXES = 0.16, LINES = 0.4;

/// `p` is what all parts of one picture have in common: pen, scale, selected,
/// related. `area` is what can be seen, in the coordinates of `part`.
function paintPart(p, part, area) {
  paintBands(p, part, area);
  paintEdges(p, part, area);
  if (p.scale > 0.55) paintTypes(p, part, area);
  const isSmall = p.scale * TITLE < 1.5;
  const painted = isSmall ? new Set() : null;
  forEachBetween(part.itemStripes, area.top, area.bottom, item => {
    if (item.y + item.h < area.top || item.y > area.bottom || item.x + item.w < area.left || item.x > area.right) return;
    if (isSmall) {
      // One box for those that share a pixel, unless it is marked.
      const place = Math.round(item.x * p.scale / 2) * 100000 + Math.round(item.y * p.scale);
      if (painted.has(place) && !isMarked(p, item)) return;
      painted.add(place);
    }
    if (p.scale < BOXES && !item.inner) paintSmallNode(p, item);
    else paintNode(p, item, area);
  });
}

const keyOfItem = item => item.graph + "/" + item.i;
const isMarked = (p, item) => p.selected === keyOfItem(item) || p.related.has(keyOfItem(item));

function isVisible(segment, area) {
  const [x1, y1, x2, y2] = segment;
  return y2 >= area.top && y1 <= area.bottom && Math.max(x1, x2) >= area.left && Math.min(x1, x2) <= area.right;
}

function addCurve(p, path, x1, y1, x2, y2) {
  path.moveTo(x1, y1);
  if (p.scale < BOXES || Math.abs(x1 - x2) < 0.5) path.lineTo(x2, y2);
  else path.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
}

/// Edges within one kernel are on a band of its colour: the group that was fused.
function paintBands(p, part, area) {
  if (!data.kernels.length || viewOf(part.index).id === "kernels" || p.scale < BOXES) return;
  const bands = new Map();
  forEachBetween(part.segmentStripes, area.top, area.bottom, segment => {
    if (!isVisible(segment, area)) return;
    const from = part.graph.nodes[segment[4]].kernels;
    // Where it leads is known of its last piece alone; others are long.
    const to = segment[7] >= 0 && segment[6] >= 0 ? part.graph.nodes[segment[7]].kernels : null;
    if (!from || !to) return;
    const shared = from.filter(k => to.includes(k));
    if (!shared.length) return;
    const kernel = largestKernel(shared);
    if (!bands.has(kernel)) bands.set(kernel, new Path2D());
    addCurve(p, bands.get(kernel), ...segment);
  });
  p.pen.save();
  p.pen.globalAlpha = 0.35;
  p.pen.lineWidth = 16;
  p.pen.lineCap = "round";
  for (const [kernel, path] of bands) {
    p.pen.strokeStyle = kernelColours[kernel];
    p.pen.stroke(path);
  }
  p.pen.restore();
}

function paintEdges(p, part, area) {
  const own = p.selected && p.selected.startsWith(part.index + "/") ? +p.selected.split("/")[1] : -1;
  const lines = new Path2D(), heads = new Path2D(), markedLines = new Path2D(), markedHeads = new Path2D();
  forEachBetween(part.segmentStripes, area.top, area.bottom, segment => {
    if (!isVisible(segment, area)) return;
    let [x1, y1, x2, y2, from, , , below] = segment;
    const marked = own >= 0 && (from === own || below === own);
    // Nothing of it can be seen.
    if (!marked && (Math.abs(x2 - x1) + y2 - y1) * p.scale < 1.5) return;
    if (below >= 0 && p.scale > 0.25) {
      const path = marked ? markedHeads : heads;
      path.moveTo(x2, y2);
      path.lineTo(x2 - 3.4, y2 - 7);
      path.lineTo(x2 + 3.4, y2 - 7);
      path.closePath();
      y2 -= 5;
    }
    addCurve(p, marked ? markedLines : lines, x1, y1, x2, y2);
  });
  p.pen.lineWidth = Math.max(1.2, 0.7 / p.scale);
  p.pen.strokeStyle = p.pen.fillStyle = colours.edge;
  p.pen.stroke(lines);
  p.pen.fill(heads);
  if (own < 0) return;
  p.pen.lineWidth *= 1.8;
  p.pen.strokeStyle = p.pen.fillStyle = colours.mark;
  p.pen.stroke(markedLines);
  p.pen.fill(markedHeads);
}

/// Under each box, what leaves it.
function paintTypes(p, part, area) {
  const {pen} = p;
  pen.font = "9.5px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillStyle = colours.soft;
  const said = new Map();
  forEachBetween(part.segmentStripes, area.top - 20, area.bottom, ([x1, y1, , , from, output, above]) => {
    if (above < 0 || y1 < area.top - 20 || y1 > area.bottom || x1 < area.left - 200 || x1 > area.right) return;
    const node = part.graph.nodes[from];
    if (node.family === 0 || !node.outputs[output]) return;
    // Once where several outputs are alike.
    const label = shorten(node.outputs[output][2].replace(/^float /, ""), 34);
    if (!said.has(from)) said.set(from, new Set());
    const own = said.get(from);
    if (own.has(label)) return;
    own.add(label);
    pen.fillText(label, x1 + 4, y1 + 1 + 11 * own.size);
  });
}

function paintSmallNode(p, item) {
  const {pen} = p;
  const {x, y, w, h} = item;
  if (isMarked(p, item)) {
    // Seen from far away, too.
    const most = 5 / p.scale;
    pen.fillStyle = colours.mark;
    pen.fillRect(x + w / 2 - Math.max(w / 2 + 4, most), y - 4, Math.max(w + 8, 2 * most), Math.max(h + 8, 1.5 * most));
    return;
  }
  pen.globalAlpha = isGone(item.node) ? 0.35 : 1;
  pen.fillStyle = nodeColour(item.node);
  pen.fillRect(x, y, w, Math.max(h, 1 / p.scale));
  pen.globalAlpha = 1;
}

const isGone = node => node.fate === "folded" || node.fate === "removed";

/// What stands over a box: what became of the node, or what it was made of.
function tagOf(item) {
  const {node} = item, tags = [];
  if (node.fate && node.fate !== "kept") tags.push(node.fate === "replaced" ? "→ " + nodeAt(node.linked[0]).op : node.fate);
  if (viewOf(item.graph).id === "optimized" && node.linked && node.linked.length > 1) tags.push("of " + node.linked.length + " nodes");
  if (node.kernels && node.kernels.some(k => data.kernels[k].layout)) tags.push("⇄ layout");
  return tags.join(", ");
}

function paintNode(p, item, area) {
  const {pen} = p;
  const {node, x, y, w, h} = item;
  const colour = nodeColour(node);
  const box = (bx, by, bw, bh, corners) => { pen.beginPath(); pen.roundRect(bx, by, bw, bh, corners); };
  const key = keyOfItem(item);
  if (isMarked(p, item)) {
    box(x - 4, y - 4, w + 8, h + 8, 8);
    if (p.selected === key) {
      pen.fillStyle = colours.mark;
      pen.fill();
    } else {
      pen.strokeStyle = colours.mark;
      pen.lineWidth = 3;
      pen.stroke();
    }
  }
  const isFused = node.fate === "fused";
  pen.globalAlpha = isGone(node) ? 0.4 : 1;
  box(x, y, w, h, 5);
  pen.fillStyle = item.inner ? colours.inner : colours.box;
  pen.fill();
  box(x, y, w, TITLE, h > TITLE ? [5, 5, 0, 0] : 5);
  pen.fillStyle = colour;
  pen.globalAlpha = isGone(node) ? 0.4 : isFused ? 0.75 : 1;
  pen.fill();
  pen.globalAlpha = 1;
  box(x, y, w, h, 5);
  pen.strokeStyle = isFused || isGone(node) ? colours.text : colour;
  pen.lineWidth = 1.2;
  if (isFused || isGone(node)) pen.setLineDash([4, 3]);
  pen.stroke();
  pen.setLineDash([]);
  if (p.scale > LETTERS) {
    pen.textAlign = "center";
    pen.font = "600 12.5px system-ui, sans-serif";
    pen.fillStyle = "#fff";
    const middle = x + (w - (node.graphs ? 18 : 0)) / 2;
    pen.fillText(node.title, middle, y + 15.5);
    if (isGone(node)) {
      const half = Math.min(w / 2 - 6, node.title.length * 3.6);
      pen.fillRect(middle - half, y + 10.5, 2 * half, 1.4);
    }
    if (node.graphs) {
      pen.fillStyle = "#ffffff40";
      box(x + w - 20, y + 4, 14, 14, 3);
      pen.fill();
      pen.fillStyle = "#fff";
      pen.fillText(item.inner ? "−" : "+", x + w - 13, y + 15.5);
    }
  }
  pen.textAlign = "left";
  if (p.scale > LINES) {
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = colours.boxText;
    node.lines.forEach((line, i) => pen.fillText(line, x + 9, y + TITLE + 12.5 + i * LINE));
    paintTags(p, item);
  }
  if (item.inner) paintInner(p, item, area);
}

function paintTags(p, item) {
  const {pen} = p;
  const {node, x, y, w} = item;
  const tag = tagOf(item);
  pen.font = "600 9.5px system-ui, sans-serif";
  if (tag) {
    pen.fillStyle = tag.includes("⇄") ? colours.mark : colours.soft;
    // Left of what comes in.
    pen.textAlign = "right";
    pen.fillText(tag, x + w / 2 - 8, y - 5);
    pen.textAlign = "left";
  }
  const us = colourBy === "time" ? timeOf(node) : undefined;
  if (us) {
    pen.fillStyle = colours.text;
    pen.fillText(sayTime(us), x + w + 5, y + 14);
  }
}

function paintInner(p, item, area) {
  const {pen} = p;
  let left = item.x + PAD;
  const top = item.y + item.oldH + HEAD;
  for (const part of item.inner) {
    pen.font = "600 11px system-ui, sans-serif";
    pen.fillStyle = colours.soft;
    pen.fillText(part.name, left, top - 6);
    pen.save();
    pen.translate(left, top);
    paintPart(p, part, {left: area.left - left, right: area.right - left, top: area.top - top, bottom: area.bottom - top});
    pen.restore();
    left += part.w + PAD;
  }
}
