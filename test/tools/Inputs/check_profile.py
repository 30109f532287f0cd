"""Checks what `onnxc profile --json` and `--trace` wrote."""

import json
import sys

profile = json.load(open(sys.argv[1]))
for node in profile["nodes"]:
    if node["op"] == "MatMul":
        print(f"{node['name']} {node['op']}: {node['flops']:.0f} operations")
whole = sum(node["time_us"] for node in profile["nodes"]) + profile["other_us"]
assert abs(whole - profile["total_us"]) < 1e-6 * whole, (whole, profile)
for node in profile["nodes"]:
    parts = sum(kernel["time_us"] for kernel in node["kernels"])
    assert abs(parts - node["time_us"]) < 1e-6 * whole
    assert abs(node["share"] - node["time_us"] / whole) < 1e-6
print("nodes and the rest are the whole")

run, *events = json.load(open(sys.argv[2]))["traceEvents"]
now = run["ts"]
for event in events:
    assert event["ts"] >= now - 1e-3, event
    now = event["ts"] + event["dur"]
assert events and now <= run["ts"] + run["dur"] + 1e-3
print("events lie in the run and do not overlap")
