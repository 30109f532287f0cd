// A part of the window that shows a graph: moving, zooming, what is clicked, and
// the map of the whole.

/// What all panes have in common: pictures are painted when the browser asks for
/// them, not more often.
class Pane {
  constructor(parent) {
    this.root = element("div", undefined, parent, "pane");
    this.canvas = element("canvas", undefined, this.root, "main");
    this.pen = this.canvas.getContext("2d");
    this.caption = element("div", undefined, this.root, "caption");
    this.queued = false;
    this.view = {x: 0, y: 0, scale: 1};
    this.measure();
    this.listen();
  }
  /// To ask the browser for sizes takes long: once for each picture.
  measure() {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
  }
  draw() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => { this.queued = false; if (this.root.isConnected) this.paint(); });
  }
  begin() {
    this.measure();
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.fillStyle = colours.back;
    this.pen.fillRect(0, 0, this.width, this.height);
  }
  /// Where the pointer is, from the pane's corner.
  at(event) {
    const r = this.canvas.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  }
  listen() {
    const {canvas} = this, touches = new Map();
    let moved = false;
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const [x, y] = this.at(event);
      if (event.shiftKey) this.move(-(event.deltaX || event.deltaY), 0);
      else this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      touches.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
      moved = false;
      canvas.classList.add("drag");
    });
    canvas.addEventListener("pointermove", event => {
      const before = touches.get(event.pointerId);
      if (!before) return this.hover(...this.at(event), event);
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      if (Math.abs(dx) + Math.abs(dy) > 2) moved = true;
      if (touches.size === 1) {
        this.move(dx, dy);
      } else {
        const other = [...touches.values()].find(t => t.pointerId !== event.pointerId);
        const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
        const [x1, y1] = this.at(event), [x2, y2] = this.at(other);
        this.zoom(far(event, other) / far(before, other), (x1 + x2) / 2, (y1 + y2) / 2);
      }
      touches.set(event.pointerId, event);
    });
    const release = event => {
      if (touches.delete(event.pointerId) && !moved && event.type === "pointerup") this.click(...this.at(event));
      canvas.classList.remove("drag");
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => { $("tip").style.display = "none"; });
    canvas.addEventListener("dblclick", event => this.doubleClick(...this.at(event)));
  }
  hover() {}
  doubleClick() {}
}

class GraphPane extends Pane {
  constructor(parent, view) {
    super(parent);
    this.shown = view;
    this.expanded = new Set();
    this.map = element("canvas", undefined, this.root, "map card");
    this.mapPen = this.map.getContext("2d");
    this.listenToMap();
    this.rebuild();
    this.fit();
  }
  rebuild() {
    this.scene = placeGraph(this.shown.graph, String(this.shown.graph), this.expanded);
    this.refresh();
  }
  /// Draws it with other colours or another selection.
  refresh() {
    this.caption.textContent = panes.length > 1 ? this.shown.name : "";
    this.drawMap();
    this.draw();
  }

  paint() {
    this.begin();
    const {pen, view, scene} = this;
    pen.translate(view.x, view.y);
    pen.scale(view.scale, view.scale);
    const area = {left: -view.x / view.scale, top: -view.y / view.scale,
                  right: (this.width - view.x) / view.scale, bottom: (this.height - view.y) / view.scale};
    paintPart({pen, scale: view.scale, selected: selected && keyOf(selected), related}, scene, area);
    this.paintMapFrame(area);
  }

  // The map of the whole.
  drawMap() {
    const {scene, map, mapPen} = this;
    // A long chain is wide enough to be seen.
    this.mapX = Math.min(Math.max(170 / scene.w, 0), Math.max(Math.min(170 / scene.w, 220 / scene.h), 40 / scene.w));
    this.mapY = 220 / scene.h < this.mapX ? 220 / scene.h : this.mapX;
    const width = Math.max(24, Math.ceil(scene.w * this.mapX)), height = Math.max(24, Math.ceil(scene.h * this.mapY));
    map.width = width * 2;
    map.height = height * 2;
    map.style.width = width + "px";
    map.style.height = height + "px";
    mapPen.setTransform(2 * this.mapX, 0, 0, 2 * this.mapY, 0, 0);
    for (const item of scene.items) {
      mapPen.fillStyle = nodeColour(item.node);
      mapPen.fillRect(item.x, item.y, Math.max(item.w, 1 / this.mapX), Math.max(item.h, 1 / this.mapY));
    }
    this.mapImage = document.createElement("canvas");
    this.mapImage.width = map.width;
    this.mapImage.height = map.height;
    this.mapImage.getContext("2d").drawImage(map, 0, 0);
  }
  paintMapFrame(area) {
    const {map, mapPen} = this;
    mapPen.setTransform(1, 0, 0, 1, 0, 0);
    mapPen.clearRect(0, 0, map.width, map.height);
    mapPen.drawImage(this.mapImage, 0, 0);
    mapPen.strokeStyle = colours.mark;
    mapPen.lineWidth = 2;
    const sx = 2 * this.mapX, sy = 2 * this.mapY;
    mapPen.strokeRect(area.left * sx, area.top * sy, (area.right - area.left) * sx, Math.max(4, (area.bottom - area.top) * sy));
  }
  listenToMap() {
    const {map} = this;
    map.addEventListener("pointerdown", event => {
      const go = e => {
        const r = map.getBoundingClientRect();
        this.centre((e.clientX - r.left) / this.mapX, (e.clientY - r.top) / this.mapY);
      };
      go(event);
      map.setPointerCapture(event.pointerId);
      map.onpointermove = go;
      map.onpointerup = () => { map.onpointermove = null; };
    });
  }

  centre(x, y) {
    // Not under the list or what is said of the node.
    const left = isListOpen() && this === panes[0] ? 450 : 0;
    const right = this.width - (isSideOpen() && this === panes[panes.length - 1] ? 380 : 0);
    this.view.x = (left < right ? (left + right) / 2 : this.width / 2) - x * this.view.scale;
    this.view.y = this.height / 2 - y * this.view.scale;
    this.draw();
  }
  fit() {
    this.measure();
    const {view, scene} = this;
    view.scale = Math.min(1.2, (this.width - 60) / scene.w, (this.height - 80) / scene.h);
    // A long model is legible from its beginning on.
    const isLong = view.scale < 0.5;
    if (isLong) view.scale = Math.min(1, Math.max(0.65, (this.width - 120) / scene.w));
    view.x = (this.width - scene.w * view.scale) / 2;
    view.y = isLong ? 30 : 20 + (this.height - 40 - scene.h * view.scale) / 2;
    if (isLong) {
      const first = scene.items[0];
      view.x = this.width / 2 - (first.x + first.w / 2) * view.scale;
    }
    this.draw();
  }
  /// All of it, however small that is.
  showAll() {
    this.measure();
    const {view, scene} = this;
    view.scale = Math.min(1.2, (this.width - 60) / scene.w, (this.height - 80) / scene.h);
    view.x = (this.width - scene.w * view.scale) / 2;
    view.y = 20 + (this.height - 60 - scene.h * view.scale) / 2;
    this.draw();
  }
  move(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.draw();
  }
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const {view} = this;
    const scale = Math.min(4, Math.max(0.002, view.scale * factor));
    view.x = x - (x - view.x) * scale / view.scale;
    view.y = y - (y - view.y) * scale / view.scale;
    view.scale = scale;
    this.draw();
  }
  find(x, y) {
    return findItem(this.scene, (x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale);
  }
  hover(x, y, event) {
    const hit = this.view.scale < LETTERS ? this.find(x, y) : null;
    showTip(hit && [hit.item.node.op, hit.item.node.name], event);
  }
  click(x, y) {
    const hit = this.find(x, y);
    if (!hit) return select(null);
    const {item} = hit;
    if (item.node.graphs && hit.y < TITLE && hit.x > item.w - 26) return this.toggle(item);
    select([item.graph, item.i], this);
  }
  doubleClick(x, y) {
    const hit = this.find(x, y);
    if (hit && hit.item.node.graphs) this.toggle(hit.item);
  }
  toggle(item) {
    if (!this.expanded.delete(item.path)) this.expanded.add(item.path);
    this.rebuild();
  }

  /// Opens what is around a node, and shows it.
  reveal(ref) {
    const steps = (paths[ref[0]] + "/" + ref[1]).split("/").slice(1);
    let at = String(this.shown.graph), isClosed = false;
    for (const step of steps.slice(0, -1)) {
      const [node] = step.split(":");
      if (!this.expanded.has(at + "/" + node)) isClosed = true;
      this.expanded.add(at + "/" + node);
      at += "/" + step;
    }
    if (isClosed) this.rebuild();
    let part = this.scene, x = 0, y = 0, item = null;
    for (const step of steps) {
      const [node, graph] = step.split(":");
      item = part.items[+node];
      if (graph === undefined) break;
      let left = item.x + PAD;
      for (const inner of item.inner) {
        if (inner.index === +graph) { x += left; y += item.y + item.oldH + HEAD; part = inner; break; }
        left += inner.w + PAD;
      }
    }
    if (this.view.scale < 0.6) this.view.scale = 0.9;
    this.centre(x + item.x + item.w / 2, y + item.y + Math.min(item.h, 200) / 2);
  }
}
