"""Whether a quantized model is what it should be: valid for ONNX, with the
interface of the model before; weights that are near those of before, by
DequantizeLinear as ONNX defines it, in numpy; and results of ONNX Runtime near
those of the model before, and equal to those of onnxc.

usage: check.py BEFORE AFTER INPUTS.npz MOST-ERROR [LEAST-ERROR]

Prints the relative error of the outputs. Then plants mistakes in the quantized
model, and says which are not found.
"""

import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper


def runs(model, arrays):
    """The arrays of one run each."""
    first = {i.name: i.type.tensor_type.shape.dim[0].dim_value for i in model.graph.input}
    parts = max(len(array) // first[name] if first[name] else 1 for name, array in arrays.items())
    return [{name: np.array_split(array, parts)[i] for name, array in arrays.items()} for i in range(parts)]


def run(model, arrays):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, feeds)[0].astype("f8").ravel() for feeds in runs(model, arrays)])


def error(got, want):
    return float(np.linalg.norm(got - want) / np.linalg.norm(want))


def constants(model):
    return {i.name: i for i in model.graph.initializer}


def dequantize(node, tensors):
    """As ONNX's operator does, of constants; None for activations."""
    if node.input[0] not in tensors:
        return None
    integers, scale = (numpy_helper.to_array(tensors[name]) for name in node.input[:2])
    zero = numpy_helper.to_array(tensors[node.input[2]]) if len(node.input) > 2 else np.zeros((), "i4")
    attributes = {a.name: a.i for a in node.attribute}
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    integers, zero = integers.astype("f4"), zero.astype("f4")

    def spread(x):
        if block:
            return np.take(np.repeat(x, block, axis=axis), range(integers.shape[axis]), axis=axis)
        return x if x.ndim == 0 else x.reshape([-1 if i == axis else 1 for i in range(integers.ndim)])
    return (integers - spread(zero)) * spread(scale.astype("f4"))


def weight_errors(before, after):
    """By name, the greatest distance from the weights of before, in steps of the greatest scale."""
    old, new = constants(before), constants(after)
    errors = {}
    for node in after.graph.node:
        base = node.output[0].removesuffix("_dequantized")
        if node.op_type != "DequantizeLinear" or base not in old:
            continue
        values = dequantize(node, new)
        if values is None:
            continue
        scale = np.abs(numpy_helper.to_array(new[node.input[1]]).astype("f4")).max()
        errors[base] = float(np.abs(values - numpy_helper.to_array(old[base]).astype("f4")).max() / scale)
    return errors


def faults(before, after, arrays, most, want):
    try:
        onnx.checker.check_model(after, full_check=True)
        got = run(after, arrays)
    except Exception as exception:  # a planted mistake may be of any kind
        return [f"not valid: {str(exception).splitlines()[0][:80]}"]
    found = []
    for name, steps in weight_errors(before, after).items():
        # A search for the least error cuts off what is largest, by a third of the range at most.
        if steps > 3.5:
            found.append(f"{name} is {steps:.1f} steps away")
    if error(got, want) > most:
        found.append(f"the results differ by {error(got, want):.3g}")
    return found


def interface(model):
    return [(v.name, v.type.SerializeToString()) for values in (model.graph.input, model.graph.output) for v in values]


def compiled(path, arrays, model):
    """What onnxc computes of it."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["onnxc", path, "-o", f"{folder}/model.so", "--mcpu=native"], check=True)
        for feeds in runs(model, arrays):
            np.savez(f"{folder}/in.npz", **feeds)
            subprocess.run(["onnxc", "run", f"{folder}/model.so", "--inputs", f"{folder}/in.npz", "--save", f"{folder}/out.npz"],
                           check=True, stdout=subprocess.DEVNULL)
            results.append(next(iter(np.load(f"{folder}/out.npz").values())).astype("f8").ravel())
    return np.concatenate(results)


def changed(tensor, array, data_type=None):
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def plant(model):
    """(what, a copy of the model with this mistake) for each."""
    for index, node in enumerate(model.graph.node):
        if node.op_type != "DequantizeLinear":
            continue
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        tensors = constants(copy)
        scale = tensors[node.input[1]]
        values = numpy_helper.to_array(scale)
        if values.size > 1:
            # Scales of the wrong axis: those of the other order, in the same shape.
            changed(scale, values.T.reshape(values.shape) if values.ndim > 1 else values[::-1])
            yield f"order of scales of {node.name}", copy
        if len(node.input) > 2 and tensors[node.input[2]].data_type in (TensorProto.UINT8, TensorProto.INT8):
            copy = onnx.ModelProto()
            copy.CopyFrom(model)
            zero = constants(copy)[node.input[2]]
            values = numpy_helper.to_array(zero).astype("i4")
            most = 255 if zero.data_type == TensorProto.UINT8 else 127
            # Of activations quantize and dequantize read the same one, and agree: only one of them is wrong.
            moved = np.where(values < most, values + 1, values - 1).astype(numpy_helper.to_array(zero).dtype)
            other = numpy_helper.from_array(moved, zero.name + "_moved")
            copy.graph.initializer.append(other)
            copy.graph.node[index].input[2] = other.name
            yield f"zero point of {node.name}", copy


def main():
    before_path, after_path, inputs, most = sys.argv[1:5]
    before, after, arrays = onnx.load(before_path), onnx.load(after_path), dict(np.load(inputs))
    arrays = {name: array for name, array in arrays.items() if name in {i.name for i in before.graph.input}}
    if interface(before) != interface(after):
        print("the interface has changed")
    want = run(before, arrays)
    for fault in faults(before, after, arrays, float(most), want):
        print(f"fault: {fault}")
    got = run(after, arrays)
    print(f"relative error {error(got, want):.4f}")
    if len(sys.argv) > 5 and error(got, want) < float(sys.argv[5]):
        print("the error is too small for integers of so few bits: nothing was quantized?")
    apart = error(compiled(after_path, arrays, after), got)
    # One rounding of an activation may be another in either program.
    print("onnxc and ONNX Runtime agree" if apart < max(1e-5, 0.35 * error(got, want)) else f"onnxc and ONNX Runtime differ by {apart:.3g}")
    count = 0
    for what, model in plant(after):
        count += 1
        if not faults(before, model, arrays, float(most), want):
            print(f"not found: {what}")
    print(f"{count} mistakes planted")


main()
