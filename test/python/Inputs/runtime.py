"""onnxc.runtime: running without the compiler, as the whole package runs.

usage: runtime.py FOLDER       (an existing folder for what is made)
"""

import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import onnx.parser

# What a worker does: nothing here may load the compiler. Results go to FOLDER.
WORKER = """
import pickle, sys
import numpy as np
import onnxc.runtime as ort

def mapped():
    return sorted({line.split()[-1].rpartition("/")[2] for line in open("/proc/self/maps") if "/" in line})

def message(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (ort.Error, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("no error")

library = sys.argv[1] + "/model.so"
feeds = pickle.load(open(sys.argv[1] + "/feeds", "rb"))
session = ort.InferenceSession(library, threads=1)
results = session.run(None, feeds)
for other in (ort.InferenceSession(open(library, "rb").read()), pickle.loads(pickle.dumps(session))):
    assert all(np.array_equal(a, b) for a, b in zip(results[:2], other.run(None, feeds)[:2]))
binding = session.io_binding()
for name, value in feeds.items():
    binding.bind_cpu_input(name, value)
target = ort.OrtValue.ortvalue_from_shape_and_type(results[0].shape)
binding.bind_ortvalue_output("y", target)
session.run_with_iobinding(binding)
assert np.array_equal(target.numpy(), results[0])
print("meta:", session.get_modelmeta(), session.get_inputs()[0], session.get_overridable_initializers())
print(message(ort.InferenceSession, sys.argv[1] + "/model.onnx"))
print(message(ort.InferenceSession, object()))
print(message(ort.InferenceSession, library, opt_level=2))
print(message(ort.InferenceSession, sys.argv[1] + "/none.so"))
print(message(ort.InferenceSession, sys.argv[1]))
print(message(session.run, None, {}))
pickle.dump(results, open(sys.argv[1] + "/results", "wb"))
names = [name for name in mapped() if any(part in name.lower() for part in ("llvm", "mlir", "protobuf", "onnxc", "_runtime"))]
print("loaded:", [name.split(".")[0] for name in names])
print("compiler:", sorted(name for name in sys.modules if name.startswith("onnxc") and "compil" in name or name.endswith("_onnxc")))
import onnxc
onnxc.compile
print("then:", any("onnxc.so" in name or "libonnxc" in name for name in mapped()))
"""


def check_elf(onnxc, folder):
    """What is no library of a model is refused before it is loaded; nor does a damaged one end the process."""
    from onnxc.runtime import InferenceSession

    whole = (folder / "model.so").read_bytes()
    refused = 0
    for size in [0, 3, 16, 63, 64, 100, len(whole) // 2, len(whole) - 100]:
        (folder / "cut.so").write_bytes(whole[:size])
        try:
            InferenceSession(folder / "cut.so")
        except onnxc.Error as error:
            assert "cut.so: " in str(error)
            refused += 1
    # Each field that leads to the names, with other values.
    table = int.from_bytes(whole[40:48], "little")
    for place, width in [(40, 8), (58, 2), (60, 2), *[(table + 64 * i + at, 8) for i in range(4) for at in (24, 32, 40)]]:
        for value in (0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), (len(whole) - 1) % 2 ** (8 * width)):
            (folder / "bad.so").write_bytes(whole[:place] + value.to_bytes(width, "little") + whole[place + width:])
            try:
                onnxc.runtime._runtime.Session(str(folder / "bad.so"), "", 1)
            except onnxc.Error:
                refused += 1
    print("refused:", refused > 20)
    (folder / "empty.c").write_text("int f(void) { return 1; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "empty.so", folder / "empty.c"], check=True)
    try:
        InferenceSession(folder / "empty.so")
    except onnxc.Error as error:
        print(error)


def main(folder):
    worker = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.readline(); exec(sys.argv[2])", str(folder), WORKER],
                              stdin=subprocess.PIPE, text=True)
    import onnxc

    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
      main (float[n,4] x, string[k] t) => (float[n,4] y, string[k] u, seq(float[m,4]) s)
      { y = Softmax(x)  u = Identity(t)  s = SplitToSequence<axis=0>(x) }""")
    onnx.save(model, folder / "model.onnx")
    onnxc.compile(folder / "model.onnx", folder / "model.so")
    feeds = {"x": np.random.default_rng(0).random((5, 4), np.float32), "t": np.array(["a", "ö"], dtype=object)}
    (folder / "feeds").write_bytes(pickle.dumps(feeds))
    want = onnxc.InferenceSession(folder / "model.so", threads=1).run(None, feeds)
    sys.stdout.flush()
    worker.communicate("go\n")
    assert worker.returncode == 0
    got = pickle.loads((folder / "results").read_bytes())
    same = [np.array_equal(a, b) for a, b in zip(want[:2], got[:2])] + [np.array_equal(a, b) for a, b in zip(want[2], got[2])]
    print("equal:", same)
    print("one class:", issubclass(onnxc.InferenceSession, onnxc.runtime.InferenceSession), onnxc.Error is onnxc.runtime.Error)
    module = pathlib.Path(onnxc.runtime._runtime.__file__)
    stripped = folder / "stripped.so"
    subprocess.run(["strip", "-o", stripped, module], check=True)
    needed = subprocess.run(["readelf", "-d", module], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(f"size: {os.stat(stripped).st_size} bytes, of 1 MiB:", os.stat(stripped).st_size <= 1 << 20)
    print("needs:", sorted(line.split("[")[1].split(".so")[0] for line in needed.splitlines() if "(NEEDED)" in line))
    check_elf(onnxc, folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
