// Which views are open, what is selected, search and keys.
let panes = [], current = views[0], isSplit = false;
let selected = null, related = new Set();

const makePane = view => view.id === "memory" ? new MemoryPane($("panes"), view) : new GraphPane($("panes"), view);
// Views that were open stay as they were left.
const known = new Map();
function openViews() {
  const shown = isSplit && current !== views[0] ? [views[0], current] : [current];
  for (const pane of panes) pane.root.remove();
  panes = shown.map(view => {
    const pane = known.get(view.id);
    if (!pane) return view;
    $("panes").appendChild(pane.root);
    return pane;
  });
  // The width of a pane depends on how many there are.
  panes = panes.map(pane => pane instanceof Pane ? pane : makePane(pane));
  for (const pane of panes) {
    pane.measure();
    if (known.get(pane.shown.id) && pane.shownWidth !== pane.width) pane.fit();
    pane.shownWidth = pane.width;
    known.set(pane.shown.id, pane);
    pane.refresh();
  }
  for (const button of $("tabs").children) button.classList.toggle("on", button.dataset.view === current.id);
  $("split").classList.toggle("on", isSplit);
  $("split").disabled = views.length === 1;
  showLegend();
}
function openView(view) {
  current = view;
  openViews();
  if (selected) for (const pane of panes) revealIn(pane);
}

/// Shows what stands for the selected node in a pane.
function revealIn(pane) {
  if (pane.shown.id === "memory") return pane.reveal(selected);
  const there = viewOf(selected[0]).id === pane.shown.id ? selected
    : [...related].map(key => key.split("/").map(Number)).find(ref => viewOf(ref[0]).id === pane.shown.id);
  if (there) pane.reveal(there);
}

/// `pane` is where it was clicked, which does not move.
function select(ref, pane) {
  selected = ref;
  related = relatedTo(ref);
  showDetails(ref);
  for (const other of panes) {
    if (ref && pane && other !== pane) revealIn(other);
    other.draw();
  }
}
/// Opens the view of a node if it is not open, and shows it there.
function goTo(ref) {
  select(ref);
  const view = viewOf(ref[0]);
  if (!panes.some(pane => pane.shown === view)) {
    if (view === views[0]) isSplit = false;
    current = view;
    openViews();
  }
  for (const pane of panes) revealIn(pane);
}

function showLegend() {
  const legend = $("legend");
  legend.replaceChildren();
  const add = (text, colour, className) => {
    const entry = element("span", undefined, legend);
    const box = element("i", undefined, entry, className);
    if (colour) box.style.background = colour;
    entry.append(text);
  };
  const graphs = panes.filter(pane => pane.shown.graph !== undefined);
  if (colourBy === "operator") {
    const used = new Set(words.map(word => word.node.family));
    data.families.forEach(([name, colour], i) => { if (used.has(i)) add(name, colour); });
  } else if (colourBy === "kernel") {
    add("a colour for each kernel", kernelColours[0]);
    add("no kernel", colours.plain);
  } else {
    for (const share of [0, 0.1, 0.5, 1]) add(sayTime(mostTime * share), share ? heatColour(mostTime * share) : colours.plain);
  }
  if (graphs.some(pane => pane.shown.id === "model") && hasOptimized) {
    add("fused into another node", "", "dashed");
    add("folded or removed", "", "faded");
  }
}

// ---------------------------------------------------------------- search
const words = [];
data.graphs.forEach((graph, g) => graph.nodes.forEach((node, i) => {
  if (paths[g] === undefined) return;
  words.push({g, i, node, view: viewOf(g).name, text: [node.op, node.name, ...node.outputs.map(o => o[1])].join(" ").toLowerCase()});
}));
let hits = [], hitAt = -1;
$("search").addEventListener("input", () => {
  const asked = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = asked.length ? words.filter(word => asked.every(part => word.text.includes(part))) : [];
  // Those of the view that is open first.
  hits.sort((a, b) => (b.view === current.name) - (a.view === current.name));
  hitAt = -1;
  const list = $("hits");
  list.replaceChildren();
  list.style.display = asked.length ? "block" : "none";
  hits.slice(0, 100).forEach((hit, n) => {
    const line = element("div", undefined, list);
    element("b", hit.node.op, line).style.color = nodeColour(hit.node);
    line.append(hit.node.name || (hit.node.outputs[0] || ["", ""])[1]);
    element("i", hit.view, line);
    line.onclick = () => showHit(n);
  });
  if (asked.length) element("div", hits.length + " found" + (hits.length > 100 ? ", the first 100 are listed" : ""), list);
});
function showHit(n) {
  hitAt = (n + hits.length) % hits.length;
  [...$("hits").children].forEach((line, i) => line.classList.toggle("on", i === hitAt));
  goTo([hits[hitAt].g, hits[hitAt].i]);
}
$("search").addEventListener("keydown", event => {
  if (event.key === "Enter" && hits.length) showHit(hitAt + (event.shiftKey ? -1 : 1));
  if (event.key === "Escape") { $("search").value = ""; $("search").dispatchEvent(new Event("input")); $("search").blur(); }
});

// ---------------------------------------------------------------- keys and buttons
function toggleSplit() {
  isSplit = !isSplit;
  if (isSplit && current === views[0] && views.length > 1) current = views[1];
  openViews();
}
function setColour(by) {
  colourBy = by;
  $("colour").value = by;
  for (const pane of panes) pane.refresh();
  showLegend();
  showDetails(selected);
}
const onPanes = work => () => panes.forEach(work);
const fit = onPanes(pane => pane.fit()), showAll = onPanes(pane => pane.showAll());
addEventListener("keydown", event => {
  if (event.target === $("search") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  if (event.key === "f") fit();
  if (event.key === "a") showAll();
  if (event.key === "s") toggleSplit();
  if (event.key === "Escape") select(null);
  if (event.key === "+" || event.key === "=") panes.forEach(pane => pane.zoom(1.3));
  if (event.key === "-") panes.forEach(pane => pane.zoom(1 / 1.3));
  const view = views[+event.key - 1];
  if (view) openView(view);
});
$("fit").onclick = fit;
$("all").onclick = showAll;
$("plus").onclick = onPanes(pane => pane.zoom(1.3));
$("minus").onclick = onPanes(pane => pane.zoom(1 / 1.3));
$("split").onclick = toggleSplit;
addEventListener("resize", onPanes(pane => pane.draw()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); panes.forEach(pane => pane.refresh()); showLegend(); });

// ---------------------------------------------------------------- begin
document.title = data.title;
const countNodes = id => {
  const first = data.views[id];
  return data.graphs.filter((_, g) => g >= first && viewOf(g).id === id)
    .reduce((sum, graph) => sum + graph.nodes.filter(node => node.family).length, 0);
};
$("title").textContent = data.title;
const facts = [countNodes("model") + " nodes"];
if (hasOptimized) facts.push(countNodes("optimized") + " optimized");
if (data.kernels.length) facts.push(data.kernels.length + " kernels for " + data.target);
if (data.memory && !data.memory.buffers.length && data.memory.open)
  facts.push(data.memory.open + " temporaries of open size (--dim, --shape)");
element("span", facts.join(", "), $("title"));
$("title").title = data.title + ": " + facts.join(", ");
views.forEach((view, i) => {
  const button = element("button", view.name, $("tabs"));
  button.dataset.view = view.id;
  button.title = String(i + 1);
  button.onclick = () => openView(view);
});
for (const [by, name] of [["operator", "operator"]].concat(data.kernels.length ? [["kernel", "kernel"]] : [], hasTimes ? [["time", "time"]] : []))
  element("option", "by " + name, $("colour")).value = by;
$("colour").onchange = () => setColour($("colour").value);
if ($("colour").length === 1) $("colourLabel").style.display = "none";
for (const [id, list] of Object.entries(lists)) {
  const button = element("button", list.name, $("lists"));
  button.dataset.list = id;
  button.onclick = () => showList(id);
}
if (data.fault) {
  $("fault").textContent = `This model does not get through the stage '${data.failed_stage}' of a compile; what comes after it is missing here.\n${data.fault}`;
  $("fault").style.display = "block";
}
readColours();
openViews();
