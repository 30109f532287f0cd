"""What the raw numbers of a run say: the time that counts, its spread, the mark, and
what is slower than it.

A result is what one contender has in a row: `wall_s` and `cpu_s` (seconds of the rounds,
sorted), `correct` (True, False, or None where nothing could be compared), `error`.
"""

import math
import statistics

from bench import limits

PEERS = {"ort": "ONNX Runtime", "ov": "OpenVINO", "mnn": "MNN", "ncnn": "ncnn", "litert": "LiteRT",
         "lleaves": "lleaves", "tl2cgen": "TL2cgen"}
# Those that run sums of trees and nothing else.
TREE_PEERS = ("lleaves", "tl2cgen")
# Models that take the fastest peer less are averaged with the others and apart:
# their time is mostly the cost of a call.
LEAST_SECONDS = 1e-3


def times(result, threads, python=False):
    """The seconds of the rounds, sorted: of one thread the processor's, of more the clock's."""
    kind = "cpu_s" if threads == 1 else "wall_s"
    return (result or {}).get(f"{'python_' if python else ''}{kind}") or []


def counts(result):
    """Whether a result's time is one: it ran, and its outputs were compared and are right."""
    return bool(result) and "error" not in result and result.get("correct") is True


def figure(result, threads, python=False):
    """The number that stands for the rounds, right or not: of one thread the median, of more
    the least. None if there are none."""
    found = times(result, threads, python)
    if not found or "error" in result:
        return None
    return statistics.median(found) if threads == 1 else min(found)


def seconds(result, threads):
    """The number that is compared, or None."""
    return figure(result, threads) if counts(result) else None


def spread(result, threads):
    """(p10, p90) of the rounds, by linear interpolation; None if there are none."""
    found = times(result, threads)
    if len(found) < 2:
        return (found[0], found[0]) if found else None
    tenths = statistics.quantiles(found, n=10, method="inclusive")
    return tenths[0], tenths[-1]


def best_peer(row, threads):
    """(seconds, name) of the fastest peer whose outputs are right, or None."""
    found = [(seconds(row["contenders"].get(f"{peer}/{threads}"), threads), peer) for peer in PEERS]
    found = [entry for entry in found if entry[0] is not None]
    return min(found) if found else None


def speedup(row, name, threads):
    """How many times as fast as the mark; None where one is missing."""
    mine = seconds(row["contenders"].get(f"{name}/{threads}"), threads)
    peer = best_peer(row, threads)
    return peer[0] / mine if mine and peer else None


def verdict(row, name, threads):
    """"slower" where p10 is above the mark's p90, "faster" where p90 is below its p10, else
    "even"; None where one is missing."""
    if speedup(row, name, threads) is None:
        return None
    mine = spread(row["contenders"][f"{name}/{threads}"], threads)
    mark = spread(row["contenders"][f"{best_peer(row, threads)[1]}/{threads}"], threads)
    return "slower" if mine[0] > mark[1] else "faster" if mine[1] < mark[0] else "even"


def thread_counts(results):
    return sorted({int(name.split("/")[1]) for row in results["rows"] for name in row["contenders"]})


def ours(results):
    """The names of onnxc's variants, in the order in which they were measured."""
    return list(dict.fromkeys(name.split("/")[0] for row in results["rows"] for name in row["contenders"]
                              if name.startswith("onnxc")))


def main_name(results):
    """The variant that counts: the highest -O of the first level of processors."""
    names = ours(results)
    first = names[0].partition(" ")[2]
    return max(name for name in names if name.partition(" ")[2] == first)


def peers(results):
    """The peers that take part, and of those for trees, the ones that ran."""
    found = {name.split("/")[0]: False for row in results["rows"] for name in row["contenders"]}
    for row in results["rows"]:
        for name, result in row["contenders"].items():
            found[name.split("/")[0]] |= "error" not in result
    return [peer for peer in PEERS if peer in found and (found[peer] or peer not in TREE_PEERS)]


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def groups(results, name, threads):
    """(words, {model: speed-up}) of the groups of models that have a mean of their own."""
    rows = {row["model"]: row for row in results["rows"] if speedup(row, name, threads) is not None}
    long = {model: row for model, row in rows.items() if best_peer(row, threads)[0] >= LEAST_SECONDS}
    int8 = {model: row for model, row in rows.items() if row.get("int8")}
    found = [("all models", rows), ("of at least 1 ms", long)] + ([("of 8-bit integers", int8)] if int8 else [])
    return [(words, {model: speedup(row, name, threads) for model, row in group.items()}) for words, group in found]


def limit_shares(results, row, name, threads):
    """(share of the peak of arithmetic, share of the bandwidth of memory) of a variant of onnxc."""
    result = row["contenders"].get(f"{name}/{threads}") or {}
    _, peak = limits.of_level(results.get("peaks") or {}, threads, result.get("level"))
    return limits.shares(peak, seconds(result, threads), 1e9 * (row.get("gflops") or 0), row.get("bytes") or 0,
                         row.get("int8"))
