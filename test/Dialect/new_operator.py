# ===- new_operator.py - A record is all that an elementwise operator needs -----===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Adds a record to a copy of Activation.td and prints what comes of it: the row
of the table that rewrites, costs, pictures and the verifier go by."""

import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "utils"))
import onnx_records as R

RECORD = """
def ONNX_SoftCapOp : ONNX_Elementwise<"SoftCap", [29],
    (ins ONNX_T<Floats>:$X, FloatOr<"30.0">:$cap, Flag<0>:$hard, OneOf<"tanh", ["tanh", "erf"]>:$form),
    (outs ONNX_T<Floats>:$Y), [{ return b.tanh(x); }], [ONNX_KeepsShape<0>]> {
  let summary = "cap tanh(x / cap)";
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", default=R.TBLGEN)
    tblgen = parser.parse_args().tblgen
    mlir = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(R.TBLGEN))), "include")
    with open(os.path.join(R.FOLDER, "Activation.td")) as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Activation.td")
        with open(path, "w") as f:
            f.write(text.replace("\n#endif", RECORD + "\n#endif"))
        command = [tblgen, "-gen-searchable-tables", "-I", mlir, "-I", R.INCLUDE, path]
        rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print("\n".join(row for row in rows.splitlines() if '"SoftCap"' in row))


if __name__ == "__main__":
    main()
