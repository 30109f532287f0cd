"""What onnxc.quantize makes, and what it refuses."""

import numpy as np
import onnx

import onnxc

images = np.load("images.npz")["x"]
model, report = onnxc.quantize_with_report(onnx.load("cnn.onnx"), 8, calibrate={"x": images}, sensitivity=True)
nothing, _ = onnxc.quantize_with_report("cnn.onnx", 8, calibrate="images.npz", output="written.onnx")
print("in memory and in files alike:", nothing is None and model.SerializeToString() == onnx.load("written.onnx").SerializeToString())
print("every layer:", [layer["operator"] for layer in report["layers"]], all(0 < layer["output_error"] < 0.02 for layer in report["layers"]))
few = onnxc.quantize("mlp.onnx", 4, format="matmul-nbits", exclude="Gemm", calibrate=["rows.npz", {"x": np.ones((1, 64), "f4")}])
print("4 bits:", [node.op_type for node in few.graph.node])


def refused(*arguments, **options):
    try:
        onnxc.quantize(*arguments, **options)
        print("not refused")
    except onnxc.Error as error:
        print(f"{error} ({error.code})")


refused("mlp.onnx", 3)
refused("mlp.onnx", 4, format="gguf")
refused("mlp.onnx", 4, block_size=0)
refused("mlp.onnx", 4, exclude=["none"])
refused("cnn.onnx", 8, calibrate={"z": images})
