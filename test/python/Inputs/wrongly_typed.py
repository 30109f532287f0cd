"""What mypy has to object to."""

import onnxc

onnxc.SessionOptions().intra_op_num_threads = "two"
text: str = onnxc.compile("model.onnx")
onnxc.InferenceSession("model.so").run("y")
onnxc.runtime.InferenceSession("model.so").get_input()
