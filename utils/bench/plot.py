"""The speed-ups of a report as a picture."""

import math
from xml.sax.saxutils import escape

from bench import figures, report


def plot(results):
    """Bars of the speed-ups on a logarithmic scale, as SVG."""
    name = figures.main_name(results)
    counts = figures.thread_counts(results)
    bars = []
    for row in results["rows"]:
        values = [figures.speedup(row, name, threads) for threads in counts]
        if any(values):
            bars.append((row["model"], values))
    bars.sort(key=lambda bar: -(bar[1][0] or 0))
    found = [value for _, values in bars for value in values if value] or [1]
    low, high = min(0.5, *found), max(2.0, *found)
    left, width, step, top = 170, 560, 12 * len(counts) + 8, 46

    def x(value):
        return left + width * (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))

    height = top + step * len(bars) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="16" font-size="13">times as fast as the fastest peer that is right'
           ' (logarithmic)</text>']
    for tick in (0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32):
        if low <= tick <= high:
            colour, size = ("#444", 1.5) if tick == 1 else ("#ddd", 1)
            out.append(f'<line x1="{x(tick):.1f}" y1="{top - 6}" x2="{x(tick):.1f}" y2="{height - 16}" '
                       f'stroke="{colour}" stroke-width="{size}"/>'
                       f'<text x="{x(tick):.1f}" y="{top - 10}" text-anchor="middle" fill="#555">{tick:g}</text>')
    shades = {True: ["#2a7f3f", "#86c294", "#b5dcbe"], False: ["#b3372b", "#dd8f86", "#efc1bb"]}
    for i, (model, values) in enumerate(bars):
        y = top + step * i
        out.append(f'<text x="{left - 8}" y="{y + step / 2 + 1:.1f}" text-anchor="end">{escape(model)}</text>')
        for k, value in enumerate(values):
            if not value:
                continue
            start, end = sorted((x(1), x(value)))
            shade = shades[value >= 1][min(k, 2)]
            out.append(f'<rect x="{start:.1f}" y="{y + 12 * k}" width="{max(end - start, 0.5):.1f}" height="11" fill="{shade}">'
                       f'<title>{escape(model)}, {report.plural(counts[k], "thread")}: {value:.2f}</title></rect>'
                       f'<text x="{end + 4:.1f}" y="{y + 12 * k + 9}" font-size="9" fill="#333">{value:.2f}</text>')
    for k, threads in enumerate(counts):
        out.append(f'<rect x="{left + 440 + 90 * k}" y="{height - 12}" width="10" height="10" fill="{shades[True][min(k, 2)]}"/>'
                   f'<text x="{left + 454 + 90 * k}" y="{height - 3}">{report.plural(threads, "thread")}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"
