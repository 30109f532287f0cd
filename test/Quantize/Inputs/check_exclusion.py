"""Whether a report says that the most sensitive layers were left out.

usage: check_exclusion.py REPORT.json MOST-ERROR
"""

import json
import sys

report = json.load(open(sys.argv[1]))
most = float(sys.argv[2])
print(f"the error is {'at most' if report['output_error'] <= most else 'above'} {most}")
left = [layer["output_error"] for layer in report["layers"] if not layer["quantized"]]
kept = [layer["output_error"] for layer in report["layers"] if layer["quantized"]]
good = left and kept and min(left) >= max(kept)
print(f"the layers that are left out are {'' if good else 'not '}the most sensitive")
