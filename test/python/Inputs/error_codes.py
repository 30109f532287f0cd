"""The codes of errors, wherever the compiler works, and a compile after fork().

usage: error_codes.py FOLDER       (an existing folder for what is made)
"""

import os
import pathlib
import signal
import sys

import numpy as np
import onnx.parser

import onnxc

folder = pathlib.Path(sys.argv[1])
HEAD = '<ir_version: 8, opset_import: ["" : 17, "com.unknown" : 1]> g '


def model(text):
    return onnx.parser.parse_model(HEAD + text)


good = model("(float[n] x, int64[k] i) => (float[k] y) { y = Gather(x, i) }")
unknown = model("(float[4] x) => (float[4] y) { y = com.unknown.Nothing(x) }")
wrong = model('(float[4] x) => (float[5] y) { y = Transpose<perm = [0, 0]>(x) }')


def code_of(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except onnxc.Error as error:
        return error.code
    return "no error"


for in_process in (False, True):
    def compile(model, output=None, **options):
        return code_of(onnxc.compile, model, output, in_process=in_process, **options)

    print("compile:", compile(unknown), compile(wrong), compile(b"no model"), compile(str(folder / "none.onnx")), compile(good, opt_level=7),
          compile(good, dims={"m": 2}), compile(good, max_nodes=-1), compile(good, str(folder / "none" / "m.so")), compile(good))

session = onnxc.InferenceSession(good)
x, i = np.ones(3, np.float32), np.array([0])
print("run:", *(code_of(session.run, None, feeds) for feeds in ({"x": x, "i": np.array([7])}, {"x": x, "i": x}, {"x": x}, {"x": x, "i": i})))
text = folder / "text.so"
text.write_bytes(b"\x7fELF and nothing else")
print("library:", code_of(onnxc.InferenceSession, str(text)))
print("convert:", code_of(onnxc.convert_version, wrong, 3))

# The compiler's threads are not in a forked process: it must not wait for them.
onnxc.compile(good, in_process=True)
child = os.fork()
if not child:
    signal.alarm(60)
    made = [onnxc.compile(good, in_process=in_process) for in_process in (True, False)]
    os._exit(0 if made[0] == made[1] else 1)
print("forked:", os.waitpid(child, 0)[1])
