"""What the numbers of utils/benchmark.py say: tables."""

from bench import early, figures
from bench.figures import (PEERS, best_peer, figure, geomean, groups, limit_shares, main_name, ours, seconds,
                           speedup, spread, thread_counts, verdict)

KERNELS = "## Kernels"  # the last section of a report


def line(row):
    """One line for the person who waits."""
    parts = []
    if "reference_error" in row:
        parts.append(f"NOT CHECKED, the reference fails: {row['reference_error']} ")
    for name, result in row["contenders"].items():
        threads = int(name.split("/")[1])
        value = figure(result, threads)
        if value is None:
            error = result.get("error", "")
            parts.append(f"{name} cannot" if error.startswith("no conversion")
                         else f"{name} failed" + (f" ({error[:100]})" if name.startswith("onnxc") else ""))
        elif result.get("correct") is False:
            parts.append(f"{name} WRONG ({how_wrong(result)})")
        else:
            parts.append(f"{name} {1e3 * value:.3f}")
    for threads in sorted({int(name.split("/")[1]) for name in row["contenders"]}):
        for name in sorted({n.split("/")[0] for n in row["contenders"] if n.startswith("onnxc")}):
            value = speedup(row, name, threads)
            if value is not None:
                parts.append(f"{name}/{threads}: {value:.2f}x {best_peer(row, threads)[1]}")
    return f"{row['model']:24s} " + "  ".join(parts)


def summary_of(row_by_model, found, name, threads):
    """What a group of models has: mean, counts by verdict, extremes as (value, model)."""
    verdicts = [verdict(row_by_model[model], name, threads) for model in found]
    return {"mean": geomean(found.values()), "count": len(found), "slower": verdicts.count("slower"),
            "even": verdicts.count("even"), "least": min((value, model) for model, value in found.items()),
            "most": max((value, model) for model, value in found.items())}


def summaries(results):
    """(variant, threads, words, summary) of all groups that have a model."""
    rows = {row["model"]: row for row in results["rows"]}
    for name in ours(results):
        for threads in thread_counts(results):
            for words, found in groups(results, name, threads):
                if found:
                    yield name, threads, words, summary_of(rows, found, name, threads)


def summary(results):
    return "\n".join(
        f"{name}, {plural(threads, 'thread')}, {words}: {group['mean']:.2f}x the fastest peer "
        f"({plural(group['count'], 'model')}, {group['slower']} slower, {group['even']} even, "
        f"least {group['least'][0]:.2f}x: {group['least'][1]})"
        for name, threads, words, group in summaries(results))


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


def number(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def how_wrong(result, of_what=""):
    """The error, as a part of the largest output, and `of_what`; of 8-bit integers whose first layers are not
    exact, the part of these that is not."""
    if result.get("early_off", 0) > early.MOST:
        return f"{result['early_off']:.0e} of the first integers"
    return f"{result['error_size']:.0e}{of_what}"


def cell(result, threads, unit=1e3):
    """A time and its spread, in milliseconds unless `unit` says otherwise."""
    if not result:
        return ""
    value = figure(result, threads)
    if value is None:
        return "cannot" if result.get("error", "").startswith("no conversion") else "fails"
    low, high = spread(result, threads)
    text = f"{number(unit * value)} ({number(unit * low)}–{number(unit * high)})"
    if result.get("correct") is True:
        return text
    if result.get("correct") is None:
        return f"unchecked {text}"
    # Of one whose integer products saturate, the time is what its users get.
    return f"wrong ({how_wrong(result)})" + (f" {number(unit * value)}" if result.get("inexact") else "")


def peer_cell(contenders, peer, threads):
    """A peer's time; nothing where one that is for trees has none."""
    text = cell(contenders.get(f"{peer}/{threads}"), threads)
    return "" if peer in figures.TREE_PEERS and text == "cannot" else text


def factor(row, name, threads):
    """How many times as fast; bold where it is slower beyond the spread."""
    value = speedup(row, name, threads)
    if value is None:
        return ""
    return f"**{value:.2f}**" if verdict(row, name, threads) == "slower" else f"{value:.2f}"


def percent(value):
    return "" if value is None else f"{value:.0%}"


def mean_rows(results, names, threads, before, between):
    """The last rows of a table: means of the groups, in the columns of factors."""
    rows = []
    for i, (words, _) in enumerate(groups(results, names[0], threads)):
        row = [f"geometric mean, {words}", *[""] * before]
        for name in names:
            found = groups(results, name, threads)[i][1]
            row += [f"{geomean(found.values()):.2f}" if found else "", *[""] * between]
        rows.append(row)
    return rows


def speed_table(results, threads):
    """Peers beside the variant of onnxc that counts."""
    name, peers = main_name(results), figures.peers(results)
    rows = []
    for row in results["rows"]:
        contenders = row["contenders"]
        mine = contenders.get(f"{name}/{threads}") or {}
        python = figure(mine, threads, python=True)
        peak, memory = limit_shares(results, row, name, threads)
        rows.append([row["model"], f"{row['gflops']:.3g}" if row["gflops"] else "",
                     *[peer_cell(contenders, peer, threads) for peer in peers],
                     cell(mine, threads), number(1e3 * python) if python else "", factor(row, name, threads),
                     percent(peak), percent(memory)])
    header = ["model", "GFLOP", *[PEERS[peer] for peer in peers], name.replace("-O", " -O"), "from Python",
              "times as fast", "of peak", "of memory"]
    return table(header, rows + mean_rows(results, [name], threads, len(peers) + 3, 2))


def variant_table(results, threads):
    """The other variants: other levels of processors, each with its own peak, and other -O."""
    names = [name for name in ours(results) if name != main_name(results)]
    if not names:
        return ""
    header, rows = ["model"], []
    for name in names:
        header += [name.replace("-O", " -O"), "times as fast", "of peak", "of memory"]
    for row in results["rows"]:
        cells = [row["model"]]
        for name in names:
            cells += [cell(row["contenders"].get(f"{name}/{threads}"), threads), factor(row, name, threads),
                      *map(percent, limit_shares(results, row, name, threads))]
        rows.append(cells)
    # A factor's column is the second of each four.
    means = [[cells[0], *cells[2:], ""] for cells in mean_rows(results, names, threads, 2, 3)]
    return table(header, rows + [cells[:len(header)] for cells in means])


def open_table(results):
    """What it costs that sizes are open: models compiled as they are, and for
    the sizes of the inputs that are measured."""
    name = main_name(results)
    fixed_name = name.replace("onnxc", "fixed")
    counts = thread_counts(results)
    rows, found = [], {threads: [] for threads in counts}
    for row in results["rows"]:
        if not any(contender.startswith("fixed") for contender in row["contenders"]):
            continue
        cells = [row["model"]]
        for threads in counts:
            mine, fixed = (row["contenders"].get(f"{which}/{threads}") for which in (name, fixed_name))
            cells += [cell(mine, threads), cell(fixed, threads)]
            pair = seconds(mine, threads), seconds(fixed, threads)
            cells.append(f"{pair[0] / pair[1]:.2f}" if all(pair) else "")
            if all(pair):
                found[threads].append(pair[0] / pair[1])
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
    name = main_name(results)
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
    """Every model that is slower than the mark, wrong or missing, and why."""
    lines = []
    name = main_name(results)
    for row in results["rows"]:
        texts = []
        for threads in thread_counts(results):
            result = row["contenders"].get(f"{name}/{threads}") or {"error": "not run"}
            value = speedup(row, name, threads)
            if "error" in result or result.get("correct") is False:
                texts.append(f"{plural(threads, 'thread')}: "
                             + (result.get("error") or f"wrong by {result['error_size']:.1g}"))
            elif value is not None and verdict(row, name, threads) == "slower":
                texts.append(f"{value:.2f} of {PEERS[best_peer(row, threads)[1]]}'s speed with "
                             f"{plural(threads, 'thread')}")
        if texts:
            why = reasons.get(row["model"], "not explained yet; `onnxc profile` shows where the time goes.")
            lines.append(f"- **{row['model']}** ({'; '.join(texts)}): {why}")
    return "\n".join(lines) if lines else "None."


def absences(results):
    """Which peers take no part with which models, and why: [(peer, models that it
    cannot run, models on which it is wrong), ...]; and what could not be checked."""
    threads = thread_counts(results)[0]
    lines = []
    for peer in figures.peers(results):
        pairs = [(row["model"], row["contenders"].get(f"{peer}/{threads}") or {}) for row in results["rows"]]
        cannot = [model for model, result in pairs if "error" in result and peer not in figures.TREE_PEERS]
        wrong = [f"{model} ({how_wrong(result, ' of the largest output')}" + (", of exact products" if result.get("inexact") else "") + ")"
                 for model, result in pairs if "error" not in result and result.get("correct") is False]
        if cannot:
            lines.append(f"- {PEERS[peer]} cannot run {', '.join(cannot)}.")
        if wrong:
            lines.append(f"- {PEERS[peer]} is wrong on {', '.join(wrong)}.")
        moved = [model for model, result in pairs if peer == "ort" and result.get("setting") and result.get("correct")]
        if moved:
            lines.append(f"- {PEERS[peer]} has `session.x64quantprecision` on {', '.join(moved)}: without it, it is wrong.")
    for row in results["rows"]:
        if "reference_error" in row:
            lines.append(f"- {row['model']}: nothing counts, for the reference fails: {row['reference_error']}")
        elif best_peer(row, threads) is None:
            lines.append(f"- {row['model']}: no peer is right, so that it has no part in the means.")
    return "\n".join(lines)


def kernel_table(kernels):
    """All kernels, one thread, in microseconds."""
    names, peers = ours(kernels), figures.peers(kernels)
    main = main_name(kernels)
    rows = []
    for row in kernels["rows"]:
        contenders = row["contenders"]
        cells = [row["model"], cell(contenders.get(f"{main}/1"), 1, 1e6),
                 *[cell(contenders.get(f"{peer}/1"), 1, 1e6) for peer in peers], factor(row, main, 1)]
        mine = seconds(contenders.get(f"{main}/1"), 1)
        cells.append(f"{row['gflops'] / mine:.1f}" if mine and row["gflops"] else "")
        cells.append(f"{1e-9 * row['bytes'] / mine:.1f}" if mine else "")
        for name in [main, *[name for name in names if name != main]]:
            cells += [] if name == main else [cell(contenders.get(f"{name}/1"), 1, 1e6)]
            cells += map(percent, limit_shares(kernels, row, name, 1))
        rows.append(cells)
    header = ["kernel", "onnxc", *[PEERS[peer] for peer in peers], "times as fast", "GFLOP/s", "GB/s", "of peak",
              "of memory"]
    for name in names:
        header += [] if name == main else [name, "of peak", "of memory"]
    return table(header, rows)


def peak_text(peaks):
    """The limits of each level of processors, by number of threads."""
    rows = []
    for threads, levels in peaks.items():
        for level, peak in levels.items():
            int8 = f"{peak['int8_gops']:.0f} ({peak['int8_name']})" if peak["int8_gops"] else "none"
            rows.append([f"{level}, {plural(int(threads), 'thread')}",
                         f"{peak['float_gflops']:.0f} ({peak['float_name']})", int8, f"{peak['l1_gbs']:.0f}",
                         f"{peak['memory_gbs']:.1f}"])
    return table(["level", "float GFLOP/s", "8-bit GOP/s", "L1 GB/s", "memory GB/s"], rows)


def kernel_section(kernels):
    """The end of the report, which may be measured apart from the rest."""
    return f"""{KERNELS}

Models of one operator, by `utils/kernel_benchmarks.py`, one thread; microseconds of the processor, median and p10–p90; measured {kernels['date']} at commit
{kernels['commit']}: {plural(len(kernels['rows']), 'kernel')}. "Times as fast" is against the fastest peer that is right. GB/s counts each buffer once; the
shares are of the table of limits, of dot products of bytes for integers. What lies in caches can be read faster than memory. A function counts as so
many operations: 4 in Sigmoid, 5 in Softmax, 7 in LayerNormalization, 8 in Gelu.

{peak_text({'1': kernels['peaks'].get('1', {})})}
{kernel_table(kernels)}"""


def replace_kernels(text, section):
    """The report `text` with another end; with none, if `section` is empty."""
    head, _, _ = text.partition(KERNELS)
    return head.rstrip() + "\n" + (f"\n{section}" if section else "")


def kernels_of(text):
    """The end of a report on kernels, if it has one."""
    _, found, tail = text.partition(KERNELS)
    return found + tail


def head(results, raw):
    """What was measured, where, and what the words mean."""
    host = results["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in host["packages"].items())
    caches = ", ".join(f"{name} {size}" for name, size in host["caches"].items())
    level = results.get("peer_level")
    seen = "" if not level else f"""
**Peers see a processor of the level {level}**: their processes' CPUID is answered for (utils/bench/processor_level.c), so that they
choose the kernels that they have for it, and onnxc compiles for the same. Caches, clock and memory are those of the machine.
"""
    flags = f" --mcpu {level} --peer-level {level}" if level else ""
    page = "benchmarks-x86-64-v" + level[-1] if level else "benchmarks"
    virtual = f", a virtual machine ({host['hypervisor']})" if host["hypervisor"] else ""
    return f"""# Benchmarks

Written by `utils/benchmark.py`; nothing here is typed by hand but the reasons of losses
([benchmark-notes.txt](benchmark-notes.txt)). The raw numbers are in [{raw}]({raw}). To measure again, on any machine:

    utils/peers/install.sh
    utils/benchmark.py --kernels{flags} --md docs/{page}.md --explain docs/benchmark-notes.txt

Machine: {host['cpu']} (family {'/'.join(host['family'])}; {', '.join(host['features'])}), {plural(host['cores'], 'core')},
{caches}, {host['memory_gib']:.0f} GiB, {host['system']}{virtual}.
Peers: {packages}. Measured {host['date']} at commit {host['commit']}.
{seen}
"Times as fast" is against the *fastest* of the peers that are right on each model, in the same run: processes take turns, and stand still in
between. With one thread the median of the processor's time counts, with more the least of the clock's; p10–p90 of the rounds stand behind it.
**Slower** is where the whole of that range lies above the peer's, *even* where they overlap. onnxc is called from C, its time from Python stands
beside it; peers are called with inputs and outputs bound beforehand, from Python. Models are compiled as they are, with open batch and sequence
lengths left open; MNN, ncnn and LiteRT get files with the sizes fixed, in float32. "Cannot" is a model that a peer's converter does not take.
Outputs are within the model's tolerance of ONNX Runtime without optimizations, or a time does not count; integer products of that reference are
computed exactly, which ONNX Runtime's own are not on processors without VNNI.
Two means stand apart: of all models, and of those on which the fastest peer takes at least 1 ms; the time of smaller ones is mostly the cost of a call.
"Of peak" is the share of multiply-adds (of dot products of bytes, for integer models) that the threads can do at the level of processors whose code
runs; operations are those of the model's definition, so that a transform such as Winograd's can pass 100%. "Of memory" is the share of the bandwidth that
reading all weights and inputs and writing all outputs once takes.
"""


def markdown(results, reasons, plot_name, raw):
    """The whole report. `raw` is where the raw numbers are, as the page links to them."""
    name = main_name(results)
    text = f"""{head(results, raw)}
{summary_table(results)}
![How many times as fast as the fastest peer, by model]({plot_name})

"""
    if results.get("peaks"):
        text += f"The limits of this machine, measured in the same run:\n\n{peak_text(results['peaks'])}\n"
    for threads in thread_counts(results):
        text += f"## {plural(threads, 'thread').capitalize()}: milliseconds\n\n{speed_table(results, threads)}\n"
        if other := variant_table(results, threads):
            text += f"Other levels of processors and optimization:\n\n{other}\n"
    text += f"## Where {name.replace('-O', ' -O')} loses, and why\n\n{losses(results, reasons)}\n\n"
    if missing := absences(results):
        text += f"Where a peer takes no part:\n\n{missing}\n\n"
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
    rows = [[f"{name.replace('-O', ' -O')}, {plural(threads, 'thread')}, {words}", f"{group['mean']:.2f}",
             str(group["count"]), str(group["slower"]), str(group["even"]),
             f"{group['least'][0]:.2f} ({group['least'][1]})", f"{group['most'][0]:.2f} ({group['most'][1]})"]
            for name, threads, words, group in summaries(results)]
    return table(["", "geometric mean", "models", "slower", "even", "least", "most"], rows)
