# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what `onnxc check --json` wrote. usage: print_check.py FILE"""

import json
import sys

report = json.load(open(sys.argv[1]))
fault = report["faults"][1]
print(report["schema"], report["valid"], report["supported"], report["nodes"], len(report["faults"]),
      fault["node"], fault["stage"])
print([(use["op"], use["domain"], use["count"], use["first_node"]) for use in report["unsupported"]])
