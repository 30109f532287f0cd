"""What the numbers of utils/benchmark.py say: tables, and a plot."""

import math
import statistics
from xml.sax.saxutils import escape

PEERS = {"ort": "ONNX Runtime", "ov": "OpenVINO"}
KERNELS = "## Kernels"  # the last section of a report
# Models that take the faster peer less are averaged with the others and apart:
# their time is mostly the cost of a call.
LEAST_SECONDS = 1e-3


def seconds(result, threads, peer=False):
    """The number that is compared, or None: of one thread the processor's
    median, of more the clock's least. A peer whose integer products saturate
    (`inexact`) counts all the same: it is what its users get."""
    if not result or "error" in result or not result.get("wall_s"):
        return None
    if result.get("correct") is False and not (peer and result.get("inexact")):
        return None
    if threads == 1:
        return statistics.median(result["cpu_s"])
    return min(result["wall_s"])


def thread_counts(results):
    return sorted({int(name.split("/")[1]) for row in results["rows"] for name in row["contenders"]})


def ours(results):
    """The names of onnxc's levels, the one that counts last."""
    return sorted({name.split("/")[0] for row in results["rows"] for name in row["contenders"]
                   if name.startswith("onnxc")})


def best_peer(row, threads):
    """(seconds, name) of the faster peer whose outputs are right, or None."""
    times = [(seconds(row["contenders"].get(f"{peer}/{threads}"), threads, True), peer) for peer in PEERS]
    times = [entry for entry in times if entry[0] is not None]
    return min(times) if times else None


def speedup(row, name, threads):
    """How many times as fast as the faster peer; None where one is missing."""
    mine = seconds(row["contenders"].get(f"{name}/{threads}"), threads)
    peer = best_peer(row, threads)
    return peer[0] / mine if mine and peer else None


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def speedups(results, name, threads):
    pairs = [(row["model"], speedup(row, name, threads)) for row in results["rows"]]
    return [(model, value) for model, value in pairs if value is not None]


def groups(results, name, threads):
    """(words, speed-ups) of the groups of models that have a mean of their own."""
    found = speedups(results, name, threads)
    long = {row["model"] for row in results["rows"]
            if (peer := best_peer(row, threads)) and peer[0] >= LEAST_SECONDS}
    return [("all models", found),
            ("of at least 1 ms", [pair for pair in found if pair[0] in long])]


def line(row):
    """One line for the person who waits."""
    parts = []
    for name, result in row["contenders"].items():
        threads = int(name.split("/")[1])
        value = seconds(result, threads)
        if value is not None:
            parts.append(f"{name} {1e3 * value:.3f}")
        elif result.get("correct") is False:
            parts.append(f"{name} WRONG ({result['error_size']:.1g})")
        else:
            parts.append(f"{name} failed")
    for threads in sorted({int(name.split("/")[1]) for name in row["contenders"]}):
        for name in sorted({n.split("/")[0] for n in row["contenders"] if n.startswith("onnxc")}):
            value = speedup(row, name, threads)
            if value is not None:
                parts.append(f"{name}/{threads}: {value:.2f}x")
    return f"{row['model']:24s} " + "  ".join(parts)


def summary(results):
    lines = []
    for name in ours(results):
        for threads in thread_counts(results):
            for words, found in groups(results, name, threads):
                if not found:
                    continue
                least = min(found, key=lambda pair: pair[1])
                lines.append(f"{name}, {plural(threads, 'thread')}, {words}: "
                             f"{geomean(v for _, v in found):.2f}x the faster peer "
                             f"({len(found)} models, {sum(v < 1 for _, v in found)} slower, "
                             f"least {least[1]:.2f}x: {least[0]})")
    return "\n".join(lines)


def plural(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def read_reasons(path):
    """{model: why}, from lines 'model: why'; others are remarks."""
    reasons = {}
    for text in path.read_text().splitlines():
        model, colon, why = text.partition(":")
        if colon and why.strip() and not text.startswith("#"):
            reasons[model.strip()] = why.strip()
    return reasons


def table(header, rows):
    """Markdown; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |",
             "| " + " | ".join(["---"] + ["---:"] * (len(header) - 1)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def cell(result, threads):
    if result is None:
        return ""
    value = seconds(result, threads, True)
    if value is not None:
        error = f" (off by {result['error_size']:.0e})" if result.get("correct") is False else ""
        return (f"{1e3 * value:.3g}" if value < 1 else f"{1e3 * value:.0f}") + error
    return f"wrong ({result['error_size']:.0e})" if result.get("correct") is False else "fails"


def speed_table(results, threads):
    names = ours(results)
    rows = []
    for row in results["rows"]:
        contenders = row["contenders"]
        cells = [row["model"], f"{row['gflops']:.3g}" if row["gflops"] else ""]
        cells += [cell(contenders.get(f"{peer}/{threads}"), threads) for peer in PEERS]
        for name in names:
            value = speedup(row, name, threads)
            cells.append(cell(contenders.get(f"{name}/{threads}"), threads))
            text = "" if value is None else f"{value:.2f}"
            cells.append(f"**{text}**" if value is not None and value < 1 else text)
        rows.append(cells)
    means = []
    for i, words in enumerate(("geometric mean", "geometric mean of those of at least 1 ms")):
        means.append([words, "", "", ""])
        for name in names:
            found = [value for _, value in groups(results, name, threads)[i][1]]
            means[-1] += ["", f"{geomean(found):.2f}" if found else ""]
    header = ["model", "GFLOP"] + list(PEERS.values())
    for name in names:
        header += [name.replace("-O", " -O"), "times as fast"]
    return table(header, rows + means)


def open_table(results):
    """What it costs that sizes are open: models compiled as they are, and for
    the sizes of the inputs that are measured."""
    name = ours(results)[-1]
    counts = thread_counts(results)
    rows, found = [], {threads: [] for threads in counts}
    for row in results["rows"]:
        if not any(contender.startswith("fixed") for contender in row["contenders"]):
            continue
        cells = [row["model"]]
        for threads in counts:
            mine, fixed = (row["contenders"].get(f"{which}/{threads}")
                           for which in (name, name.replace("onnxc", "fixed")))
            cells += [cell(mine, threads), cell(fixed, threads)]
            times = seconds(mine, threads), seconds(fixed, threads)
            cells.append(f"{times[0] / times[1]:.2f}" if all(times) else "")
            if all(times):
                found[threads].append(times[0] / times[1])
        rows.append(cells)
    if not rows:
        return ""
    mean = ["geometric mean"]
    for threads in counts:
        mean += ["", "", f"{geomean(found[threads]):.2f}" if found[threads] else ""]
    header = ["model"]
    for threads in counts:
        header += [f"open, {plural(threads, 'thread')}", "fixed", "times as long"]
    return table(header, rows + [mean])


def cost_table(results):
    """What it costs to have a compiled model, against a session of ONNX Runtime."""
    name = ours(results)[-1]
    rows = []
    for row in results["rows"]:
        mine = row["contenders"].get(f"{name}/1") or {}
        peer = row["contenders"].get("ort/1") or {}
        if "compile_s" not in mine:
            continue
        ready = mine.get("load_s", 0) + mine.get("first_s", 0)
        theirs = peer.get("load_s", 0) + peer.get("first_s", 0)
        rows.append([
            row["model"], f"{mine['compile_s']:.1f}", f"{mine['compile_rss_mib']:.0f}",
            f"{row['weight_bytes'] / 2**20:.2f}",
            f"{(mine['artifact_bytes'] - row['weight_bytes']) / 2**20:+.2f}",
            f"{1e3 * ready:.2f}" if ready else "", f"{1e3 * theirs:.0f}" if theirs else "",
            f"{theirs / ready:.0f}" if ready and theirs else "",
            "" if mine.get("allocations") is None else str(mine["allocations"]),
            f"{mine.get('rss_mib') or 0:.0f}", f"{peer.get('rss_mib') or 0:.0f}",
            f"{mine['error_size']:.0e}" if "error_size" in mine else ""])
    return table(["model", "compile s", "its MiB", "weights MiB", "file beyond them", "first result ms",
                  "ONNX Runtime's", "times sooner", "allocations", "RSS MiB", "ONNX Runtime's", "error"], rows)


def losses(results, reasons):
    """Every model that is slower than the faster peer, wrong or missing, and why."""
    lines = []
    name = ours(results)[-1]
    for row in results["rows"]:
        texts = []
        for threads in thread_counts(results):
            result = row["contenders"].get(f"{name}/{threads}") or {"error": "not run"}
            value = speedup(row, name, threads)
            if "error" in result or result.get("correct") is False:
                texts.append(f"{plural(threads, 'thread')}: "
                             + (result.get("error") or f"wrong by {result['error_size']:.1g}"))
            elif value is not None and value < 1:
                seconds_peer, peer = best_peer(row, threads)
                texts.append(f"{value:.2f} of {PEERS[peer]}'s speed with {plural(threads, 'thread')}")
        if texts:
            why = reasons.get(row["model"], "not explained yet; `onnxc profile` shows where the time goes.")
            lines.append(f"- **{row['model']}** ({'; '.join(texts)}): {why}")
    return "\n".join(lines) if lines else "None."


def peers_without(results):
    lines = []
    for row in results["rows"]:
        for peer, title in PEERS.items():
            for threads in thread_counts(results)[:1]:
                result = row["contenders"].get(f"{peer}/{threads}") or {}
                if "error" in result:
                    lines.append(f"- {row['model']}: {title} cannot run it.")
                elif result.get("correct") is False:
                    lines.append(f"- {row['model']}: {title} is wrong by {result['error_size']:.1g} "
                                 "of the largest output.")
    return "\n".join(lines)


def kernel_table(kernels):
    peak = kernels["peak"]
    rows = []
    for row in kernels["rows"]:
        cells = [row["name"]]
        times = row["us"]
        for name in ("onnxc", *PEERS):
            cells.append(f"{times[name]:.1f}" if times.get(name) else "fails")
        mine = times.get("onnxc")
        cells.append(f"{row['flops'] / mine / 1e3:.1f}" if mine and row["flops"] else "")
        top = peak["int8_gops"] if row.get("int8") else peak["float_gflops"]
        cells.append(f"{row['flops'] / mine / 1e3 / top:.0%}" if mine and row["flops"] else "")
        cells.append(f"{row['bytes'] / mine / 1e3:.1f}" if mine else "")
        peers = [times[peer] for peer in PEERS if times.get(peer)]
        value = min(peers) / mine if mine and peers else None
        text = f"{value:.2f}" if value else ""
        cells.append(f"**{text}**" if value and value < 1 else text)
        rows.append(cells)
    return table(["kernel", "onnxc us", *[f"{title} us" for title in PEERS.values()], "GFLOP/s",
                  "of peak", "GB/s", "times as fast"], rows)


def kernel_section(kernels):
    """The end of the report, which may be measured apart from the rest."""
    peak = kernels["peak"]
    return f"""{KERNELS}

Models of one operator, by `utils/kernel_benchmarks.py`, one thread; measured {kernels['date']} at commit {kernels['commit']}. Peak of one core, by
`onnxc bench --peak`: {peak['float_gflops']:.0f} GFLOP/s ({peak['float_name']}), {peak['int8_gops']:.0f} int8 GOP/s ({peak['int8_name']}), reads of {peak['l1_gbs']:.0f} GB/s from L1,
{peak['l2_gbs']:.0f} from L2, {peak['memory_gbs']:.0f} from memory. GB/s counts each buffer once. A function counts as so many operations:
4 in Sigmoid, 5 in Softmax, 7 in LayerNormalization, 8 in Gelu.

{kernel_table(kernels)}"""


def replace_kernels(text, section):
    """The report `text` with another end; with none, if `section` is empty."""
    head, _, _ = text.partition(KERNELS)
    return head.rstrip() + "\n" + (f"\n{section}" if section else "")


def kernels_of(text):
    """The end of a report on kernels, if it has one."""
    _, found, tail = text.partition(KERNELS)
    return found + tail


def markdown(results, reasons, plot_name):
    host = results["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in host["packages"].items())
    name = ours(results)[-1]
    text = f"""# Benchmarks

Written by `utils/benchmark.py`; nothing here is typed by hand but the reasons of losses
([benchmark-notes.txt](benchmark-notes.txt)). To measure again, on any machine:

    utils/benchmark.py --kernels --md docs/benchmarks.md --explain docs/benchmark-notes.txt

Machine: {host['cpu']} (family {'/'.join(host['family'])}; {', '.join(host['features'])}), {plural(host['cores'], 'core')},
{', '.join(f'{k} {v}' for k, v in host['caches'].items())}, {host['memory_gib']:.0f} GiB, {host['system']}{', a virtual machine (' + host['hypervisor'] + ')' if host['hypervisor'] else ''}.
Peers: {packages}. Measured {host['date']} at commit {host['commit']}.

"Times as fast" is against the *faster* of the two peers on each model, in the same run: processes take turns, call by call.
With one thread the median of the processor's time counts, with more the least of the clock's. Models are compiled as they are, with open
batch and sequence lengths left open. Outputs are within the model's tolerance of ONNX Runtime without optimizations, or a time does
not count; integer products of that reference are computed exactly, which ONNX Runtime's own are not on processors without VNNI.
Two means stand apart: of all models, and of those on which the faster peer takes at least 1 ms; the time of smaller ones is mostly the cost of
a call.

{summary_table(results)}
![How many times as fast as the faster peer, by model]({plot_name})

"""
    for threads in thread_counts(results):
        text += f"## {plural(threads, 'thread').capitalize()}: milliseconds\n\n{speed_table(results, threads)}\n"
    text += f"## Where {name.replace('-O', ' -O')} loses, and why\n\n{losses(results, reasons)}\n\n"
    missing = peers_without(results)
    if missing:
        text += f"Where a peer is missing above:\n\n{missing}\n\n"
    if opened := open_table(results):
        text += f"""## Open sizes: milliseconds

Models whose inputs have open sizes, compiled as they are, and compiled for the sizes of the inputs that are measured (`--input-shape`).

{opened}
"""
    text += f"""## What a compiled model costs

Compile time and memory of `onnxc`, the size of its file beyond the weights, and the time from opening the file (ONNX Runtime: from
creating the session) to the end of the first run, in a fresh process. Allocations are those of three runs in the steady state. RSS is the most that the process of each had, Python's included.

{cost_table(results)}"""
    if "kernels" in results:
        text += "\n" + kernel_section(results["kernels"])
    return text


def summary_table(results):
    rows = []
    for name in ours(results):
        for threads in thread_counts(results):
            for words, found in groups(results, name, threads):
                if not found:
                    continue
                least = min(found, key=lambda pair: pair[1])
                most = max(found, key=lambda pair: pair[1])
                rows.append([f"{name.replace('-O', ' -O')}, {plural(threads, 'thread')}, {words}",
                             f"{geomean(v for _, v in found):.2f}", str(len(found)),
                             str(sum(v < 1 for _, v in found)), f"{least[1]:.2f} ({least[0]})",
                             f"{most[1]:.2f} ({most[0]})"])
    return table(["", "geometric mean", "models", "slower", "least", "most"], rows)


def plot(results):
    """Bars of the speed-ups on a logarithmic scale, as SVG."""
    name = ours(results)[-1]
    counts = thread_counts(results)
    bars = []
    for row in results["rows"]:
        values = [speedup(row, name, threads) for threads in counts]
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
           f'<text x="{left}" y="16" font-size="13">times as fast as the faster of ONNX Runtime and OpenVINO'
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
                       f'<title>{escape(model)}, {plural(counts[k], "thread")}: {value:.2f}</title></rect>'
                       f'<text x="{end + 4:.1f}" y="{y + 12 * k + 9}" font-size="9" fill="#333">{value:.2f}</text>')
    for k, threads in enumerate(counts):
        out.append(f'<rect x="{left + 440 + 90 * k}" y="{height - 12}" width="10" height="10" fill="{shades[True][min(k, 2)]}"/>'
                   f'<text x="{left + 454 + 90 * k}" y="{height - 3}">{plural(threads, "thread")}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"
