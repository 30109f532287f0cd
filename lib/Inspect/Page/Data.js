// The data of the page, and what follows from it: which nodes belong together,
// and their colours.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);

/// What can be looked at: graphs, and the plan of the memory.
const views = [];
if ("model" in data.views) views.push({id: "model", name: "Model", graph: data.views.model});
if ("optimized" in data.views) views.push({id: "optimized", name: "Optimized", graph: data.views.optimized});
if ("kernels" in data.views) views.push({id: "kernels", name: "Kernels", graph: data.views.kernels});
if (data.memory && data.memory.buffers.length) views.push({id: "memory", name: "Memory"});
const hasOptimized = "optimized" in data.views;
const hasTimes = data.total_us !== undefined;

const nodeAt = ref => data.graphs[ref[0]].nodes[ref[1]];
const keyOf = ref => ref[0] + "/" + ref[1];

/// The view that a graph belongs to.
function viewOf(graph) {
  let found = views[0];
  for (const view of views)
    if (view.graph !== undefined && view.graph <= graph) found = view;
  return found;
}

// Times of kernels: of the regions that they became.
for (const region of data.regions)
  if (region.us !== undefined && region.kernel !== undefined) {
    const kernel = data.kernels[region.kernel];
    kernel.us = (kernel.us || 0) + region.us;
  }
const mostTime = Math.max(1e-9, ...data.kernels.map(kernel => kernel.us || 0));

/// Of several kernels that of the most nodes: others prepare its operands.
const largestKernel = kernels =>
  kernels.reduce((best, k) => data.kernels[k].nodes.length > data.kernels[best].nodes.length ? k : best);

/// Microseconds of the kernels that compute a node.
function timeOf(node) {
  if (!hasTimes || !node.kernels) return undefined;
  return node.kernels.reduce((sum, k) => sum + (data.kernels[k].us || 0), 0);
}

/// The nodes that a selected one stands for in the other views, by key.
function relatedTo(ref) {
  const keys = new Set();
  if (!ref) return keys;
  const node = nodeAt(ref);
  for (const other of node.linked || []) keys.add(keyOf(other));
  const isKernel = viewOf(ref[0]).id === "kernels";
  for (const k of node.kernels || []) {
    keys.add(keyOf(data.kernels[k].at));
    if (isKernel) for (const other of data.kernels[k].nodes) keys.add(keyOf(other));
  }
  keys.delete(keyOf(ref));
  return keys;
}

// ---------------------------------------------------------------- colours
const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "box", "boxText", "edge", "soft", "inner", "mark", "text", "line", "plain", "panel"])
    colours[name] = style.getPropertyValue("--" + name).trim();
}

/// Neighbouring kernels differ: each is a golden angle from the one before.
const kernelColours = data.kernels.map((_, k) => {
  // As numbers, which a canvas reads faster than hsl().
  const hue = (k * 137.508 + 210) % 360;
  const part = n => {
    const at = (n + hue / 30) % 12;
    return Math.round(255 * (0.42 - 0.218 * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return "#" + [part(0), part(8), part(4)].map(c => c.toString(16).padStart(2, "0")).join("");
});

/// From cold to hot, for a share of the longest time.
const heat = [[0, [100, 116, 139]], [0.35, [180, 120, 40]], [0.7, [217, 90, 6]], [1, [190, 18, 30]]];
function heatColour(us) {
  const t = Math.sqrt(Math.min(1, us / mostTime));
  let i = 0;
  while (i < heat.length - 2 && t > heat[i + 1][0]) ++i;
  const [a, low] = heat[i], [b, high] = heat[i + 1], f = (t - a) / (b - a);
  return "rgb(" + low.map((c, j) => Math.round(c + (high[j] - c) * f)).join(",") + ")";
}

let colourBy = "operator";
function kernelColour(k) {
  if (colourBy === "time") return data.kernels[k].us === undefined ? colours.plain : heatColour(data.kernels[k].us);
  if (colourBy === "kernel") return kernelColours[k];
  return data.families[nodeAt(data.kernels[k].at).family][1];
}
function nodeColour(node) {
  if (colourBy !== "operator" && node.family !== 0)
    return node.kernels ? (colourBy === "time" ? heatOf(node) : kernelColours[largestKernel(node.kernels)]) : colours.plain;
  return data.families[node.family][1];
}
function heatOf(node) {
  const us = timeOf(node);
  return us ? heatColour(us) : colours.plain;
}

// ---------------------------------------------------------------- words
const fates = {
  kept: "is a node of the optimized graph",
  fused: "is fused into another node",
  replaced: "is replaced by another operator",
  folded: "is folded: the compiler computed it",
  removed: "is removed",
};
const shorten = (text, length) =>
  text.length <= length ? text : text.slice(0, length / 2) + "…" + text.slice(text.length - length / 2);
function sayBytes(bytes) {
  if (bytes < 1024) return bytes + " B";
  const units = ["KiB", "MiB", "GiB"];
  let i = -1;
  do { bytes /= 1024; ++i; } while (bytes >= 1024 && i < 2);
  return bytes.toFixed(bytes < 10 ? 2 : 1) + " " + units[i];
}
const sayTime = us => us >= 1000 ? (us / 1000).toFixed(2) + " ms" : us.toFixed(us < 10 ? 2 : 1) + " µs";
const sayShare = us => (100 * us / data.total_us).toFixed(1) + " %";
function element(tag, text, parent, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.appendChild(made);
  return made;
}
/// What a person calls a region or a kernel: "conv1: Conv + Relu".
function sayNodes(refs, name) {
  const own = refs.filter(ref => viewOf(ref[0]).id === "model");
  if (!own.length) return name || "(of no node)";
  // The main one first, the operators in the order of the model.
  const main = nodeAt(own[0]);
  own.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return (main.name || main.op) + ": " + own.map(ref => nodeAt(ref).op).join(" + ");
}
