"""Opens a page of onnxc inspect in a Chromium without a window, looks at every
view, and measures how long frames take while it is moved and zoomed.

usage: browse_page.py PAGE.html FOLDER-FOR-SCREENSHOTS [dark]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import chromium  # noqa: E402

# Moves and zooms the panes for some frames; milliseconds from frame to frame, and
# those that painting took.
MEASURE = """
(async () => {
  const frames = [], paints = [];
  const pane = panes[panes.length - 1], paint = pane.paint;
  pane.paint = function() { const t = performance.now(); paint.call(this); paints.push(performance.now() - t); };
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const canvas = pane.canvas, r = canvas.getBoundingClientRect();
  const at = {clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, bubbles: true, cancelable: true};
  let last = await frame();
  for (let i = 0; i < COUNT; ++i) {
    STEP
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  delete pane.paint;
  frames.sort((a, b) => a - b);
  paints.sort((a, b) => a - b);
  const middle = list => list.length ? list[list.length >> 1] : 0;
  return [middle(frames), frames[Math.floor(frames.length * 0.95)], middle(paints), paints.length ? paints[paints.length - 1] : 0];
})()
"""
COUNT = 120
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
STEPS = {
    # What a page costs that changes one pixel.
    "idle": "pane.pen.fillRect(0, 0, 1, 1);",
    "zoom": "canvas.dispatchEvent(new WheelEvent('wheel', {...at, deltaY: i % 80 < 40 ? -110 : 110}));",
    "pan": "pane.move(i % 40 < 20 ? -12 : 12, i % 60 < 30 ? -9 : 9); pane.hover(300, 300, at);",
}

page, folder = sys.argv[1], pathlib.Path(sys.argv[2])
name = pathlib.Path(page).stem
folder.mkdir(parents=True, exist_ok=True)
slow = []
with chromium.Browser(dark="dark" in sys.argv) as browser:
    browser.open(page)
    views = browser.evaluate("views.map(view => view.id)")
    for number, view in enumerate(views):
        browser.evaluate(f"openView(views[{number}])")
        for what, step in STEPS.items():
            # From all of it on: nothing is left out because it is elsewhere.
            browser.evaluate("panes.forEach(pane => pane.showAll())")
            browser.evaluate(FRAMES)
            before = browser.cpu_seconds()
            median, most, painting, longest = browser.evaluate(MEASURE.replace("COUNT", str(COUNT)).replace("STEP", step))
            work = (browser.cpu_seconds() - before) / COUNT * 1000
            print(f"{view} {what}: frames {median:.1f} ms (95 %: {most:.1f}), painting {painting:.1f} ms (most {longest:.1f}), "
                  f"{work:.1f} ms of processors", file=sys.stderr)
            # How long frames take depends on what else the machine does; the work
            # does not: that of 30 frames in a second, on one core and without a GPU.
            if work > 33.3:
                slow.append(f"{view} {what}")
        browser.evaluate("panes.forEach(pane => pane.fit())")
        browser.evaluate(FRAMES)
        browser.screenshot(folder / f"{name}-{view}.png")
    if "kernels" in views:
        # What is selected in one view is marked in the other.
        browser.evaluate("openView(views[1]); toggleSplit(); setColour(hasTimes ? 'time' : 'kernel');"
                         "select(data.kernels[data.kernels.length >> 1].nodes[0], panes[0]); goTo(selected)")
        print("related:", browser.evaluate("related.size > 0"))
        browser.evaluate("if (lists.times) showList('times'); else if (lists.layouts) showList('layouts')")
        browser.evaluate(FRAMES)
        browser.screenshot(folder / f"{name}-split.png")
        print("panes:", browser.evaluate("panes.length"))
    # Every node can be found and looked at.
    browser.evaluate("$('search').value = nodeAt([0, 1]).name || nodeAt([0, 1]).op; $('search').dispatchEvent(new Event('input')); showHit(0)")
    print("found:", browser.evaluate("selected !== null && $('side').style.display === 'block'"))
    # Something is drawn: not all pixels have one colour.
    print("drawn:", browser.evaluate("panes.every(pane => new Set(pane.pen.getImageData(0, 0, pane.canvas.width, pane.canvas.height).data).size > 4)"))
    print("views:", *views)
    print("errors:", browser.errors)
print("slow:", slow)
