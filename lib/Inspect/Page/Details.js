// What is said of the selected node, and the lists: times, layout changes.
function showTip(lines, event) {
  const tip = $("tip");
  tip.style.display = lines ? "block" : "none";
  if (!lines) return;
  tip.replaceChildren();
  lines.filter(Boolean).forEach((line, i) => element(i ? "div" : "b", line, tip));
  tip.style.left = Math.max(0, Math.min(innerWidth - 390, event.clientX + 14)) + "px";
  tip.style.top = Math.min(innerHeight - 100, event.clientY + 14) + "px";
}

const isListOpen = () => $("list").style.display === "block";
const isSideOpen = () => document.body.classList.contains("open");

/// A titled list of rows; nothing if it is empty.
function addRows(title, fills) {
  const side = $("side");
  if (!fills || !fills.length) return;
  element("h3", title, side);
  for (const fill of fills) fill(element("div", undefined, side, "row"));
}
function addLink(row, ref) {
  const node = nodeAt(ref);
  element("span", undefined, row, "swatch").style.background = nodeColour(node);
  element("a", node.op + " " + (node.name || ""), row).onclick = () => goTo(ref);
}
const linkRow = ref => row => addLink(row, ref);
const textRow = (name, text) => row => {
  if (name) element("b", name, row);
  row.append(text);
};

function showDetails(ref) {
  const side = $("side");
  document.body.classList.toggle("open", !!ref);
  side.style.display = ref ? "block" : "none";
  if (!ref) return;
  const node = nodeAt(ref), view = viewOf(ref[0]);
  side.replaceChildren();
  element("button", "×", side, "close").onclick = () => select(null);
  element("span", (node.domain ? node.domain + "." : "") + node.op, side, "op").style.background = nodeColour(node);
  element("h2", node.name || "(no name)", side);
  element("div", "in: " + view.name, side).style.color = colours.soft;
  if (node.cost) element("div", node.cost + " in each run", side).style.color = colours.soft;
  if (node.doc) element("p", shorten(node.doc, 600), side);
  if (node.graphs) addOpenButton(ref, node);
  if (view.id === "kernels") addKernelRows(node);
  else addCompileRows(ref, node, view);
  addRows(view.id === "kernels" ? "Schedule" : "Attributes", (node.attributes || []).map(([name, value]) => textRow(name, value)));
  addValueRows(ref, node, view);
}

function addOpenButton(ref, node) {
  const pane = panes.find(other => other.shown.id === viewOf(ref[0]).id);
  if (!pane) return;
  const path = paths[ref[0]] + "/" + ref[1];
  const button = element("button", pane.expanded.has(path) ? "Close " : "Open ", $("side"));
  button.textContent += node.graphs.map(([name]) => name).join(", ");
  button.onclick = () => {
    if (!pane.expanded.delete(path)) pane.expanded.add(path);
    pane.rebuild();
    select(ref, pane);
  };
}

/// What the compiler made of a node, or made a node of.
function addCompileRows(ref, node, view) {
  if (view.id === "model" && node.fate) {
    const rows = [row => row.append(fates[node.fate][0].toUpperCase() + fates[node.fate].slice(1))];
    addRows("After optimization", rows.concat((node.linked || []).map(linkRow)));
  }
  if (view.id === "optimized") addRows("Made of", (node.linked || []).map(linkRow));
  const kernels = node.kernels || [];
  addRows(kernels.length === 1 ? "Kernel" : "Kernels", kernels.map(k => row => {
    addLink(row, data.kernels[k].at);
    const kernel = nodeAt(data.kernels[k].at);
    element("i", (kernel.attributes || []).filter(([name]) => name).map(([name, value]) => name + ": " + value).join("; "), row);
    if (data.kernels[k].us !== undefined) element("i", sayTime(data.kernels[k].us) + ", " + sayShare(data.kernels[k].us), row);
  }));
  if (data.kernels.length && !kernels.length && node.family !== 0 && !isGoneNode(node))
    addRows("Kernel", [row => row.append("none: it is a view of what it reads, too small to be one, or part of a call")]);
}
const isGoneNode = node => node.fate === "folded" || node.fate === "removed";

function addKernelRows(node) {
  for (const k of node.kernels || []) {
    const kernel = data.kernels[k];
    if (kernel.us !== undefined) addRows("Time", [textRow("", sayTime(kernel.us) + ", " + sayShare(kernel.us) + " of a run")]);
    if (kernel.layout) addRows("Layout change", [textRow("", kernel.layout)]);
    const of = id => kernel.nodes.filter(ref => viewOf(ref[0]).id === id);
    addRows("Computes, in the optimized graph", of("optimized").map(linkRow));
    addRows("Computes, of the model", of("model").map(linkRow));
    if (data.memory)
      addRows("Memory", data.memory.buffers.filter(buffer => buffer.region !== undefined && data.regions[buffer.region].kernel === k)
        .map(buffer => row => sayBuffer(buffer).filter((_, i) => i !== 1).forEach((line, i) => element(i ? "i" : "b", line, row))));
  }
}

function addValueRows(ref, node) {
  const graph = data.graphs[ref[0]];
  const ins = graph.edges.filter(edge => edge[2] === ref[1]), outs = graph.edges.filter(edge => edge[0] === ref[1]);
  const producers = new Map();
  for (const [from, output] of ins) {
    const value = graph.nodes[from].outputs[output];
    if (value && value[1]) producers.set(value[1], from);
  }
  const named = new Set(node.inputs.map(input => input[1]));
  addRows("Inputs", node.inputs.map(([formal, name, type, constant]) => row => {
    if (formal) element("b", formal, row);
    if (producers.has(name)) element("a", name || "(no name)", row).onclick = () => goTo([ref[0], producers.get(name)]);
    else row.append(name);
    element("i", type + (constant && formal !== "constant" ? "  · constant" : ""), row);
  }).concat([...new Set(ins.map(edge => edge[0]))]
    .filter(from => !graph.nodes[from].outputs.some(output => output[1] && named.has(output[1])))
    .map(from => row => {
      element("a", "← " + graph.nodes[from].op + " " + (graph.nodes[from].name || ""), row).onclick = () => goTo([ref[0], from]);
      element("i", graph.nodes[from].outputs.map(output => output[2]).join(", "), row);
    })));
  addRows("Outputs", node.outputs.map(([formal, name, type], index) => row => {
    if (formal) element("b", formal, row);
    row.append(name);
    element("i", type, row);
    for (const to of new Set(outs.filter(use => use[1] === index).map(use => use[2]))) {
      const line = element("div", "→ ", row);
      element("a", graph.nodes[to].op + " " + (graph.nodes[to].name || ""), line).onclick = () => goTo([ref[0], to]);
    }
  }));
}

// ---------------------------------------------------------------- lists
const lists = {};
if (hasTimes) lists.times = {name: "Times", show: showTimes};
const changed = data.kernels.filter(kernel => kernel.layout);
if (changed.length) lists.layouts = {name: "Layouts", show: showLayouts};
let shownList = null, order = "time";

function showList(id) {
  shownList = shownList === id ? null : id;
  const list = $("list");
  list.style.display = shownList ? "block" : "none";
  for (const button of $("lists").children) button.classList.toggle("on", button.dataset.list === shownList);
  if (shownList) lists[shownList].show(list);
}
function beginList(list, title) {
  list.replaceChildren();
  element("button", "×", list, "close").onclick = () => showList(shownList);
  element("h2", title, list);
  return element("table", undefined, list);
}

function showTimes(list) {
  const table = beginList(list, `${sayTime(data.total_us)} in a run`);
  const head = element("tr", undefined, table);
  const addHead = (text, by, className) => {
    const cell = element("th", text + (order === by ? " ↓" : ""), head, className);
    cell.onclick = () => { order = by; showTimes(list); };
  };
  addHead("step", "step", "number");
  addHead("time", "time", "number");
  element("th", "share", head, "number");
  element("th", "kernel", head);
  const rows = steps.length ? steps.map(({region}, step) => ({region, step})) : data.regions.map((region, step) => ({region, step}));
  const timed = rows.filter(({region}) => region.us !== undefined);
  if (order === "time") timed.sort((a, b) => b.region.us - a.region.us);
  const most = Math.max(...timed.map(({region}) => region.us));
  for (const {region, step} of timed) {
    const line = element("tr", undefined, table, "row");
    element("td", String(step), line, "number");
    element("td", sayTime(region.us), line, "number");
    element("td", sayShare(region.us), line, "number");
    const cell = element("td", sayNodes(region.nodes, region.name || region.kind), line);
    element("div", undefined, cell, "bar").style.width = 100 * region.us / most + "%";
    const ref = region.kernel !== undefined ? data.kernels[region.kernel].at : region.nodes[0];
    if (ref) line.onclick = () => goTo(ref);
  }
  const rest = element("tr", undefined, table);
  element("td", "", rest);
  element("td", sayTime(data.other_us), rest, "number");
  element("td", sayShare(data.other_us), rest, "number");
  element("td", "between the kernels", rest);
}

function showLayouts(list) {
  const table = beginList(list, changed.length + (changed.length === 1 ? " kernel changes" : " kernels change") + " the layout");
  for (const kernel of changed) {
    const line = element("tr", undefined, table, "row");
    if (kernel.us !== undefined) element("td", sayTime(kernel.us), line, "number");
    const cell = element("td", sayNodes(kernel.nodes), line);
    element("div", undefined, cell).appendChild(element("i", kernel.layout));
    line.onclick = () => goTo(kernel.at);
  }
}
