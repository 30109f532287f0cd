# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the headings of docs/faq.md with what programs print: each has a case here.

usage: faq.py --onnxc BIN --include DIR --folder DIR --cc NAME [--page FILE]
"""

import argparse
import pathlib
import re
import subprocess
import sys

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[3]

MODELS = {
    "good": "<ir_version: 10, opset_import: ['' : 21]> g (float[N,3] x) => (float[N,3] y) { y = Neg(x) }",
    "fixed": "<ir_version: 10, opset_import: ['' : 21]> g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }",
    "mod": "<ir_version: 10, opset_import: ['' : 21]> g (float[2] x, float[2] z) => (float[2] y) { y = Mod<fmod = 1>(x, z) }",
    "domain": "<ir_version: 10, opset_import: ['' : 21, 'my' : 1]> g (float[N] x) => (float[N] y) { y = my.Thing(x) }",
    "operator": "<ir_version: 10, opset_import: ['' : 21]> g (float[N] x) => (float[N] y) { y = Neg2(x) }",
    "expand": "<ir_version: 10, opset_import: ['' : 21]> g (float[1] x, int64[1] s) => (float z) "
              "{ e = Expand(x, s) n = Neg(e) z = ReduceMax<keepdims = 0>(n) }",
}

# Calls one model in the ways that programs do wrong.
PROGRAM = r"""
#include "good.h"
#include "expand.h"
#include <stdio.h>

int main(void) {
  static double wrong[6];
  static float x[6], y[6];
  int64_t dims[] = {2, 3}, one = 1, huge = (int64_t)1 << 58;
  char message[200] = "";
  onnxc_options options = {0};
  onnxc_context *context;
  onnxc_tensor in, ins[2], out;
  options.message = message;
  options.message_size = sizeof message;
  if (good_create(NULL, &context) != ONNXC_OK)
    return 1;
  in = onnxc_tensor_over(wrong, ONNXC_DOUBLE, 2, dims);
  out = onnxc_output_buffer(y, sizeof y);
  onnxc_run(context, &in, 1, &out, 1);
  puts(onnxc_error(context));
  in = onnxc_tensor_over(x, ONNXC_FLOAT, 2, dims);
  out = onnxc_output_buffer(y, 4);
  onnxc_run(context, &in, 1, &out, 1);
  puts(onnxc_error(context));
  out = onnxc_output_buffer(x, sizeof x);
  onnxc_run(context, &in, 1, &out, 1);
  puts(onnxc_error(context));
  onnxc_destroy(context);
  if (expand_create(NULL, &context) != ONNXC_OK)
    return 1;
  ins[0] = onnxc_tensor_over(x, ONNXC_FLOAT, 1, &one);
  ins[1] = onnxc_tensor_over(&huge, ONNXC_INT64, 1, &one);
  out = onnxc_output_buffer(NULL, 0);
  onnxc_run(context, ins, 2, &out, 1);
  puts(onnxc_error(context));
  onnxc_destroy(context);
  puts(onnxc_status_text(ONNXC_ABI_MISMATCH));
  return 0;
}
"""

# The text of this message is in the runtime alone: no machine of ours lacks what another has.
OF_SOURCES = {"this processor lacks '…', which the model was compiled for": "lib/Runtime/Context.c"}
# Printed by the system's shell.
OF_OTHERS = {"Illegal instruction"}


class Attempts:
    """What all commands printed, one text each."""

    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.texts = []

    def run(self, *command):
        done = subprocess.run([str(part) for part in command], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.texts.append(done.stdout)

    def onnxc(self, *arguments):
        self.run(self.options.onnxc, *arguments)

    def make_models(self):
        for name, text in MODELS.items():
            onnx.save(onnx.parser.parse_model(text.replace("'", '"')), self.folder / f"{name}.onnx")
        model = onnx.parser.parse_model(MODELS["good"].replace("'", '"'))
        for value in [model.graph.input[0], model.graph.output[0]]:
            value.type.tensor_type.ClearField("shape")
        onnx.save(model, self.folder / "rankless.onnx")
        model = onnx.parser.parse_model(MODELS["good"].replace("'", '"'))
        weights = onnx.TensorProto(name="w", data_type=1, dims=[3], data_location=1)
        weights.external_data.add(key="location", value="/etc/passwd")
        model.graph.initializer.append(weights)
        onnx.save(model, self.folder / "absolute.onnx")

    def compile_models(self):
        self.onnxc("domain.onnx", "-o", "domain.so")
        for name in ["domain", "operator"]:
            self.onnxc("check", f"{name}.onnx")
        self.onnxc("none.onnx", "-o", "none.so")
        self.onnxc("absolute.onnx", "-o", "absolute.so")
        self.onnxc("rankless.onnx", "-o", "rankless.so")
        self.onnxc("good.onnx", "-o", "good.o", "--freestanding")
        self.onnxc("good.onnx", "-o", "good.exe")
        self.onnxc("good.onnx", "-o", "good.so", "--mtriple=sparc-linux-gnu")
        for name in ["good", "expand"]:
            self.onnxc(f"{name}.onnx", "-o", f"{name}.so")
        self.onnxc("mod.onnx", "-o", "mod.a", "-O0")
        self.onnxc("fixed.onnx", "-o", "fixed.a")

    def build_programs(self):
        (self.folder / "program.c").write_text(PROGRAM)
        (self.folder / "call.c").write_text('#include "mod.h"\nint main(void) { return !mod_query(ONNXC_ABI_VERSION); }\n')
        cc, include = self.options.cc, ["-I", self.options.include]
        # gcc's words, which most people see.
        self.run("gcc", "program.c", "-c")
        self.run(cc, *include, "call.c", "mod.a", "-nodefaultlibs", "-lc", "-o", "call")
        self.run(cc, *include, "program.c", "good.so", "expand.so", "-o", "program")
        self.run("env", "-u", "LD_LIBRARY_PATH", "./program")
        self.run("env", f"LD_LIBRARY_PATH={self.folder}", "./program")


def pattern(heading):
    return re.compile(".*?".join(re.escape(part) for part in heading.split("…")))


def main():
    parser = argparse.ArgumentParser()
    for name in ["--onnxc", "--include", "--folder", "--cc"]:
        parser.add_argument(name, required=True)
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "faq.md")
    options = parser.parse_args()
    attempts = Attempts(options)
    attempts.make_models()
    attempts.compile_models()
    attempts.build_programs()
    headings = re.findall(r"^### `(.*)`$", options.page.read_text(), re.MULTILINE)
    faults = []
    printed = "\n".join(attempts.texts)
    for heading in headings:
        if heading in OF_OTHERS:
            continue
        text = printed
        if heading in OF_SOURCES:
            text = (ROOT / OF_SOURCES[heading]).read_text().replace("%s", "sse3")
        if not pattern(heading).search(text):
            faults.append(f"'{heading}': no case prints it")
    page = (ROOT / "docs" / "faq.md").read_text()
    for heading in re.findall(r"^### `(.*)`$", page, re.MULTILINE):
        if heading not in headings:
            faults.append(f"'{heading}' is no heading")
    for fault in faults:
        print("fault:", fault)
    print(f"{len(headings)} headings, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
