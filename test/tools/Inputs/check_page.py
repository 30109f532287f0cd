"""Compares the data of a page of onnxc inspect with the model, and its parts with
each other.

usage: check_page.py PAGE.html MODEL.onnx [PROFILE.json [MODULE.mlir behind bufferize, without a profile]]
"""
import json
import re
import sys

import onnx

page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
model = onnx.load(sys.argv[2], load_external_data=False)
graphs, views, kernels, regions = data["graphs"], data["views"], data["kernels"], data["regions"]


def check(what, holds):
    if not holds:
        sys.exit(f"{sys.argv[1]}: {what}")


def part(name):
    """The graphs of a view, with their places."""
    if name not in views:
        return []
    ends = [first for first in views.values() if first > views[name]]
    return list(enumerate(graphs))[views[name]:min(ends, default=len(graphs))]


def nodes_of(name):
    return {(g, n): node for g, graph in part(name) for n, node in enumerate(graph["nodes"]) if node["family"]}


def names_in(graph):
    for node in graph.node:
        if node.op_type != "Constant":
            yield node.op_type, node.name
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from names_in(attribute.g)


own, optimized, drawn = nodes_of("model"), nodes_of("optimized"), nodes_of("kernels")
# A function is there once for each set of attributes that it is called with.
in_functions = [pair for f in model.functions for pair in names_in(f)]
found = sorted((n["op"], n["name"]) for n in own.values())
check("not every node of the model is there", set(found) == {*names_in(model.graph), *in_functions} if in_functions
      else found == sorted(names_in(model.graph)))

# Links go both ways, and say what the fates say.
fates = {}
for at, node in own.items():
    fates[node.get("fate")] = fates.get(node.get("fate"), 0) + 1
    others = [optimized[tuple(ref)] for ref in node.get("linked", [])]
    check(f"{node['name']} is not linked back", all(list(at) in other["linked"] for other in others))
    check(f"{node['name']} is {node.get('fate')}", "fate" not in node or bool(others) == (node["fate"] in ("kept", "fused", "replaced")))
    if node.get("fate") == "fused":
        check(f"{node['name']} is fused with nothing", all(len(other["linked"]) > 1 for other in others))
for at, node in optimized.items():
    check(f"{node['name']} is made of nothing", all(list(at) in own[tuple(ref)]["linked"] for ref in node.get("linked", [])))

# Each kernel is drawn once, and its nodes know it.
check("kernels are not those that are drawn", sorted(map(tuple, (k["at"] for k in kernels)))
      == sorted(at for at, node in drawn.items() if "kernels" in node))
for number, kernel in enumerate(kernels):
    check("a kernel is another one", drawn[tuple(kernel["at"])]["kernels"] == [number])
    for ref in kernel["nodes"]:
        check("a node does not know its kernel", number in graphs[ref[0]]["nodes"][ref[1]]["kernels"])
for at, node in [*own.items(), *optimized.items()]:
    check("a kernel does not know its node", all(list(at) in kernels[k]["nodes"] for k in node.get("kernels", [])))
scheduled = [node for node in drawn.values() if any(name in ("tile", "vector") for name, _ in node.get("attributes", []))]
layouts = [kernel["layout"] for kernel in kernels if "layout" in kernel]

# What is alive at one time is apart in memory, and all of it in the arena.
memory = data.get("memory")
if memory:
    buffers = memory["buffers"]
    for i, a in enumerate(buffers):
        check("a buffer has no extent", a["bytes"] > 0 and a["begin"] <= a["end"])
        for b in buffers[:i]:
            check("two buffers overlap", a["end"] < b["begin"] or b["end"] < a["begin"] or a["offset"] + a["bytes"] <= b["offset"]
                  or b["offset"] + b["bytes"] <= a["offset"])
    check("the arena has another size", memory["bytes"] == max((b["offset"] + b["bytes"] for b in buffers), default=0))
    if len(sys.argv) > 4:
        module = open(sys.argv[4], encoding="utf-8").read()
        check("a compile has another arena", int(re.search(r"onnxc\.workspace = (\d+)", module).group(1)) == memory["bytes"])
    times = {b["begin"] for b in buffers}
    alive = max((sum(b["bytes"] for b in buffers if b["begin"] <= t <= b["end"]) for t in times), default=0)
    check("another amount is alive", memory["lower_bound"] == alive)
    places = sorted(region["place"] for region in regions if "place" in region)
    check("steps overlap", all(a[0] < a[1] < b[0] for a, b in zip(places, places[1:])))
    values = {output[1] for node in own.values() for output in node["outputs"]}
    named = [b for b in buffers if "value" in b]
    check("a buffer is of an unknown value", all(b["value"] in values for b in named))

# Times are those of the profile, and add up.
if len(sys.argv) > 3:
    profile = json.load(open(sys.argv[3]))
    timed = [region["us"] for region in regions if "us" in region]
    check("times are missing", len(timed) == sum(len(node["kernels"]) for node in profile["nodes"]))
    check("times do not add up", abs(sum(timed) + data["other_us"] - data["total_us"]) < 1e-3 * data["total_us"])
    for node in profile["nodes"]:
        us = sum(r.get("us", 0) for r in regions if (r["name"], r["op"]) == (node["name"], node["op"]))
        check(f"{node['name']} has another time", abs(us - node["time_us"]) < 1e-3 * data["total_us"])

links = re.findall(r"""(?:src|href)=|url\(|@import|fetch\(|XMLHttpRequest""", page)
print("nodes:", len(own), "optimized:", len(optimized), "kernels:", len(kernels), "regions:", len(regions))
print("fates:", *(f"{fate}={count}" for fate, count in sorted(fates.items(), key=str)))
print("scheduled:", bool(scheduled), "layouts:", len(layouts), "links:", len(links))
print("memory:", (f"{len(buffers)} buffers, {len(named)} named, {memory['bytes']} bytes, {memory['open']} open" if memory else "none"))
print("fault:", data.get("failed_stage"), data.get("fault"))
