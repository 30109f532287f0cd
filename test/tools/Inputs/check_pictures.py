"""Checks the svg and the html picture of a model."""
import json
import re
import sys
import xml.etree.ElementTree

svg, html = sys.argv[1:3]
root = xml.etree.ElementTree.parse(svg).getroot()
space = "{http://www.w3.org/2000/svg}"
titles = {text.text for text in root.iter(space + "text") if text.get("text-anchor") == "middle"}
page = open(html, encoding="utf-8").read()
model = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
# Those of the model itself: what a compile makes of it comes after them.
own = model["graphs"][:min([first for first in model["views"].values() if first], default=None)]
ops = {node["op"] for graph in own for node in graph["nodes"] if node["family"]}
print("svg:", *sorted(titles & ops))
print("html:", *sorted(ops))


def are_apart(boxes):
    return not any(a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]
                   for i, a in enumerate(boxes) for b in boxes[:i])


apart = all(are_apart([node["box"] for node in graph["nodes"]]) for graph in model["graphs"])
down = all(segment[1] <= segment[3] for graph in model["graphs"] for segment in graph["segments"])
links = re.findall(r"""(?:src|href)=|url\(|@import|fetch\(|XMLHttpRequest""", page)
print(f"boxes apart: {apart}, edges go down: {down}, links: {len(links)}")
