// The plan of the memory: each temporary is a rectangle, from the step of the run
// that first uses it to the last one, at its place in the arena.

/// Positions in the program as steps: each region of a profile is one wide, and
/// what lies between two has no width. Order is kept, so that rectangles do not
/// overlap where the plan's do not.
const steps = data.regions.map((region, index) => ({region, index})).filter(step => step.region.place)
  .sort((a, b) => a.region.place[0] - b.region.place[0]);
function stepOf(position) {
  let low = 0, high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle].region.place[1] < position) low = middle + 1; else high = middle;
  }
  if (low === steps.length) return low;
  const [begin, end] = steps[low].region.place;
  return low + Math.max(0, Math.min(1, (position - begin) / (end - begin + 1)));
}

/// Of the stripes by which boxes are found.
const STEP = STRIPE / 32;

/// As much of a text as there is room for, with letters of that width: to clip it
/// takes longer than to draw it.
function fillShort(pen, text, x, y, room, letter) {
  const most = Math.floor(room / letter);
  if (most > 1) pen.fillText(text.length > most ? text.slice(0, most - 1) + "…" : text, x, y);
}

class MemoryPane extends Pane {
  constructor(parent, view) {
    super(parent);
    this.shown = view;
    const {buffers} = data.memory;
    this.end = Math.max(steps.length, 1);
    this.boxes = buffers.map(buffer => {
      const x1 = stepOf(buffer.begin), x2 = stepOf(buffer.end + 1);
      return {buffer, x1, x2: Math.max(x2, x1 + 0.02), y: buffer.offset, h: buffer.bytes};
    }).sort((a, b) => a.x1 - b.x1);
    this.stripes = makeStripes(this.boxes, box => box.x1 * STEP, box => box.x2 * STEP);
    // How much is alive in each step.
    this.alive = new Float64Array(this.end);
    for (const {buffer, x1, x2} of this.boxes)
      for (let s = Math.floor(x1); s < Math.min(this.end, Math.ceil(x2)); ++s) this.alive[s] += buffer.bytes;
    this.fit();
  }
  rebuild() { this.refresh(); }
  refresh() {
    const {memory} = data;
    // Those of one colour at one place in the arena are drawn at once where they
    // are too narrow to be told apart.
    const kinds = new Map();
    for (const box of this.boxes) {
      box.colour = this.colourOf(box.buffer);
      box.alpha = isScratch(box.buffer) ? 0.45 : 0.9;
      const kind = [box.colour, box.alpha, box.y, box.h].join(" ");
      if (!kinds.has(kind)) kinds.set(kind, kinds.size);
      box.kind = kinds.get(kind);
    }
    this.caption.textContent = `${memory.buffers.length} temporaries in an arena of ${sayBytes(memory.bytes)}; ` +
      `alive at once at most ${sayBytes(memory.lower_bound)}` +
      (memory.open ? `; ${memory.open} more have sizes that are known only when the model runs` : "") +
      ". From left to right: the steps of a run; downwards: offsets.";
    this.draw();
  }
  fit() {
    this.measure();
    this.view = {x: 64, scale: (this.width - 90) / this.end};
    this.refresh();
  }
  showAll() { this.fit(); }
  move(dx) {
    this.view.x += dx;
    this.draw();
  }
  zoom(factor, x = this.width / 2) {
    const scale = Math.min(600, Math.max((this.width - 90) / this.end * 0.5, this.view.scale * factor));
    this.view.x = x - (x - this.view.x) * scale / this.view.scale;
    this.view.scale = scale;
    this.draw();
  }
  get top() { return 110; }
  get room() { return this.height - this.top - 84; }
  xOf(step) { return this.view.x + step * this.view.scale; }
  yOf(offset) { return this.top + offset / data.memory.bytes * this.room; }

  colourOf(buffer) {
    const kernel = kernelOf(buffer);
    return kernel === undefined ? colours.plain : kernelColour(kernel);
  }
  isMarked(buffer) {
    return selected && (nodeAt(selected).kernels || []).includes(kernelOf(buffer));
  }

  paint() {
    this.begin();
    this.paintAxes();
    const {scale} = this.view;
    const isMoved = this.paintedScale === scale;
    this.paintedScale = scale;
    if (!isMoved || this.boxes.length < 1500 || scale > 8) return this.paintBoxes(this.pen, this.view, this.width);
    // To move a picture of many boxes is faster than to paint it: one that is three
    // times as wide as the pane is kept.
    const x = Math.round(this.view.x), wide = Math.min(3 * this.width, Math.ceil(this.end * scale) + 2);
    const key = [scale, this.height, wide, colourBy, colours.back, selected && keyOf(selected)].join(" ");
    const first = Math.max(0, -x), last = Math.min(this.end * scale, this.width - x);
    if (!this.sheet || this.sheet.key !== key || first < this.sheet.start || last > this.sheet.start + wide) {
      const ratio = window.devicePixelRatio || 1, canvas = document.createElement("canvas");
      const start = Math.max(0, Math.min(-x - this.width, Math.floor(this.end * scale) + 2 - wide));
      canvas.width = wide * ratio;
      canvas.height = this.height * ratio;
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      this.paintBoxes(pen, {x: -start, scale}, wide);
      this.sheet = {key, start, canvas};
    }
    this.pen.drawImage(this.sheet.canvas, x + this.sheet.start, 0, wide, this.height);
  }

  /// Those that can be seen, as they are seen with this view.
  paintBoxes(pen, view, width) {
    const xOf = step => view.x + step * view.scale;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "left";
    // Whole pixels are several times as fast.
    const runs = [], marked = [];
    let last = "";
    const fill = ({colour, alpha, y, h}, x, w) => {
      if (colour !== last) pen.fillStyle = last = colour;
      if (pen.globalAlpha !== alpha) pen.globalAlpha = alpha;
      const top = Math.round(this.yOf(y));
      pen.fillRect(x, top, w, Math.max(1, Math.round(this.yOf(y + h)) - top - 1));
    };
    const least = 0.75 * data.memory.bytes / this.room;
    const left = -view.x / view.scale, right = (width - view.x) / view.scale;
    forEachBetween(this.stripes, left * STEP, right * STEP, box => {
      const x = Math.round(xOf(box.x1)), w = Math.max(1, Math.round(xOf(box.x2)) - x - 1);
      if (x > width || x + w < 0) return;
      if (w < 4 && !selected) {
        // A point that is less than a pixel.
        if (box.h < least) return;
        const run = runs[box.kind];
        if (run && x <= run.end + 2) {
          run.end = Math.max(run.end, x + w);
          return;
        }
        if (run) fill(run.box, run.x, run.end - run.x);
        runs[box.kind] = {box, x, end: x + w};
        return;
      }
      fill(box, x, w);
      const y = Math.round(this.yOf(box.y)), h = Math.max(1, Math.round(this.yOf(box.y + box.h)) - y - 1);
      if (selected && this.isMarked(box.buffer)) marked.push([x, y, w, h]);
      if (w < 50 || h < 13) return;
      pen.globalAlpha = 1;
      pen.fillStyle = isScratch(box.buffer) ? colours.text : "#fff";
      last = "";
      const at = Math.max(x, 0) + 5, room = Math.min(x + w, width) - at;
      fillShort(pen, nameOf(box.buffer), at, y + Math.min(h / 2 + 4, 16), room, 7);
      if (h > 32) fillShort(pen, sayBytes(box.buffer.bytes), at, y + 30, room, 7);
    });
    for (const run of runs)
      if (run) fill(run.box, run.x, run.end - run.x);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.mark;
    pen.lineWidth = 3;
    for (const box of marked) pen.strokeRect(...box);
  }

  paintAxes() {
    const {pen} = this;
    const bottom = this.top + this.room;
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = colours.soft;
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    for (let i = 0; i <= 4; ++i) {
      const y = this.top + this.room * i / 4;
      pen.beginPath();
      pen.moveTo(this.xOf(0), y);
      pen.lineTo(this.xOf(this.end), y);
      pen.stroke();
      pen.fillText(sayBytes(Math.round(data.memory.bytes * i / 4)), Math.max(58, this.xOf(0) - 6), y + 3);
    }
    // What is alive, above.
    pen.fillText("alive", Math.max(58, this.xOf(0) - 6), 60);
    pen.fillStyle = colours.edge;
    const first = Math.max(0, Math.floor(-this.view.x / this.view.scale));
    const last = Math.min(this.end, Math.ceil((this.width - this.view.x) / this.view.scale));
    pen.beginPath();
    pen.moveTo(this.xOf(first), 95);
    for (let s = first; s < last; ++s) {
      const y = 95 - Math.round(50 * Math.min(1, this.alive[s] / data.memory.bytes));
      pen.lineTo(this.xOf(s), y);
      pen.lineTo(this.xOf(s + 1), y);
    }
    pen.lineTo(this.xOf(last), 95);
    pen.fill();
    pen.textAlign = "left";
    pen.fillStyle = colours.soft;
    if (this.view.scale < 26) {
      const every = Math.ceil(60 / this.view.scale);
      for (let s = Math.ceil(first / every) * every; s < last; s += every) pen.fillText(String(s), this.xOf(s), bottom + 14);
      return;
    }
    for (let s = first; s < last; ++s) {
      const {region} = steps[s] || {region: {nodes: [], kind: ""}};
      pen.fillText(String(s), this.xOf(s), bottom + 14);
      fillShort(pen, region.op || region.kind, this.xOf(s), bottom + 28, this.view.scale - 4, 6.5);
    }
  }

  find(x, y) {
    // The smallest, if several share a pixel.
    let found = null;
    for (const box of this.boxes) {
      const left = this.xOf(box.x1), right = Math.max(left + 1.5, this.xOf(box.x2));
      if (x < left || x > right || y < this.yOf(box.y) || y > Math.max(this.yOf(box.y) + 1, this.yOf(box.y + box.h))) continue;
      if (!found || box.h < found.h) found = box;
    }
    return found;
  }
  hover(x, y, event) {
    const box = this.find(x, y);
    showTip(box && sayBuffer(box.buffer), event);
  }
  click(x, y) {
    const box = this.find(x, y);
    if (!box) return select(null);
    const kernel = kernelOf(box.buffer);
    if (kernel !== undefined) select(data.kernels[kernel].at, this);
    else if (box.buffer.nodes.length) select(box.buffer.nodes[0], this);
  }
  reveal(ref) {
    const box = this.boxes.find(other => !isScratch(other.buffer) && this.isMarked(other.buffer));
    if (!box) return;
    this.view.x = this.width / 2 - (box.x1 + box.x2) / 2 * this.view.scale;
    this.draw();
  }
}

const kernelOf = buffer => buffer.region === undefined ? undefined : data.regions[buffer.region].kernel;
const isScratch = buffer => !buffer.result;
/// The model's value; of a result that the model does not have, what makes it.
const nameOf = buffer =>
  buffer.value || (isScratch(buffer) ? "scratch" : "result of " + nodeAt(data.kernels[kernelOf(buffer)].at).op);

/// What a temporary is: the value, its size and place, when it is alive.
function sayBuffer(buffer) {
  const region = buffer.region === undefined ? undefined : data.regions[buffer.region];
  const first = Math.floor(stepOf(buffer.begin)), last = Math.max(first, Math.ceil(stepOf(buffer.end + 1)) - 1);
  return [nameOf(buffer),
          region ? "written by " + sayNodes(region.nodes, region.kind) : "",
          `${sayBytes(buffer.bytes)} at offset ${buffer.offset}`,
          `alive from step ${first} to step ${last}`];
}
