"""Whether a quantized model is what it should be: valid for ONNX, with the
interface of the model before; weights that are near those of before, by
DequantizeLinear as ONNX defines it, in numpy; and results of ONNX Runtime near
those of the model before, and near those of onnxc.

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


def is_static(model):
    return any(node.op_type == "QuantizeLinear" for node in model.graph.node)


def run(model, arrays):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Without VNNI its products of u8 by s8 saturate, unless weights are moved to u8, which it cannot do to blocks of them.
    if is_static(model):
        options.add_session_config_entry("session.x64quantprecision", "1")
    # Activations stay float; by default ONNX Runtime quantizes those of a product with dequantized blocks.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, feeds)[0].astype("f8").ravel() for feeds in runs(model, arrays)])


def error(got, want):
    return float(np.linalg.norm(got - want) / np.linalg.norm(want))


def constants(model):
    return {i.name: i for i in model.graph.initializer}


def dequantize(node, tensors):
    """As ONNX's operator does, of constants, and the scale of each element; None for activations."""
    if node.input[0] not in tensors:
        return None
    integers, scale = (numpy_helper.to_array(tensors[name]) for name in node.input[:2])
    zero = numpy_helper.to_array(tensors[node.input[2]]) if len(node.input) > 2 else np.zeros((), "i4")
    attributes = {a.name: a.i for a in node.attribute}
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    integers, zero = integers.astype("f4"), zero.astype("f4")

    def spread(x):
        if block and x.ndim:
            return np.take(np.repeat(x, block, axis=axis), range(integers.shape[axis]), axis=axis)
        return x if x.ndim == 0 else x.reshape([-1 if i == axis else 1 for i in range(integers.ndim)])
    scales = spread(scale.astype("f4"))
    return (integers - spread(zero)) * scales, scales


def weight_errors(before, after):
    """By name, the mean distance from the weights of before, in steps of their scale: a fourth where all are rounded, and a little
    more where the largest are cut off."""
    old, new = constants(before), constants(after)
    errors = {}
    for node in after.graph.node:
        base = node.output[0].removesuffix("_dequantized")
        if node.op_type != "DequantizeLinear" or base not in old or node.input[0] not in new:
            continue
        values, scales = dequantize(node, new)
        errors[base] = float(np.abs((values - numpy_helper.to_array(old[base]).astype("f4")) / scales).mean())
    return errors


def activations(before, after, arrays):
    """By name, the values that are quantized."""
    names = [node.input[0] for node in after.graph.node if node.op_type == "QuantizeLinear"]
    inputs = {i.name for i in before.graph.input}
    exposed = onnx.ModelProto()
    exposed.CopyFrom(before)
    made = {output for node in before.graph.node for output in node.output}
    exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name in made)
    wanted = [name for name in names if name in made]
    values = {name: [] for name in names}
    session = onnxruntime.InferenceSession(exposed.SerializeToString(), providers=["CPUExecutionProvider"]) if wanted else None
    for feeds in runs(before, arrays):
        for name in inputs & set(names):
            values[name].append(feeds[name].ravel())
        for name, value in zip(wanted, session.run(wanted, feeds) if wanted else []):
            values[name].append(value.ravel())
    return {name: np.concatenate(parts).astype("f8") for name, parts in values.items()}


def code_faults(after, values):
    """Activations of which another zero point would have less error, or which are dequantized by another code."""
    tensors = {name: numpy_helper.to_array(tensor) for name, tensor in constants(after).items()}
    codes = {}
    for node in after.graph.node:
        if node.op_type != "QuantizeLinear":
            continue
        scale, zero = float(tensors[node.input[1]]), tensors[node.input[2]]
        codes[node.output[0]] = (scale, int(zero))
        info = np.iinfo(zero.dtype)

        def squares(zero):
            integers = np.clip(np.rint(values[node.input[0]] / scale) + zero, info.min, info.max)
            return (((integers - zero) * scale - values[node.input[0]]) ** 2).sum()
        mine = squares(int(zero))
        for other in (int(zero) - 1, int(zero) + 1):
            if info.min <= other <= info.max and squares(other) < mine * 0.9:
                yield f"{node.input[0]} has less error with zero point {other}"
    for node in after.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in codes:
            if codes[node.input[0]] != (float(tensors[node.input[1]]), int(tensors[node.input[2]])):
                yield f"{node.input[0]} is dequantized by another code"


def faults(before, after, arrays, most, want, values):
    try:
        onnx.checker.check_model(after, full_check=True)
        got = run(after, arrays)
    except Exception as exception:  # a planted mistake may be of any kind
        return [f"not valid: {str(exception).splitlines()[0][:80]}"]
    found = [f"{name} is {steps:.2f} steps away" for name, steps in weight_errors(before, after).items() if not steps < 0.35]
    found += code_faults(after, values)
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


def change(tensor, array):
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
            change(scale, values.T.reshape(values.shape) if values.ndim > 1 else values[::-1])
            yield f"order of scales of {node.name}", copy
        if len(node.input) > 2 and tensors[node.input[2]].data_type in (TensorProto.UINT8, TensorProto.INT8):
            copy = onnx.ModelProto()
            copy.CopyFrom(model)
            zero = constants(copy)[node.input[2]]
            values = numpy_helper.to_array(zero).astype("i4")
            most = 255 if zero.data_type == TensorProto.UINT8 else 127
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
    values = activations(before, after, arrays)
    for fault in faults(before, after, arrays, float(most), want, values):
        print(f"fault: {fault}")
    got = run(after, arrays)
    print(f"relative error {error(got, want):.4f}")
    if len(sys.argv) > 5 and error(got, want) < float(sys.argv[5]):
        print("the error is too small for integers of so few bits: nothing was quantized?")
    apart = error(compiled(after_path, arrays, after), got)
    # A rounding of an activation may be another in either program.
    print("onnxc and ONNX Runtime agree" if apart < (0.35 * error(got, want) if is_static(after) else 1e-5) else f"onnxc and ONNX Runtime differ by {apart:.3g}")
    count = 0
    for what, model in plant(after):
        count += 1
        if not faults(before, model, arrays, float(most), want, values):
            print(f"not found: {what}")
    print(f"{count} mistakes planted")


main()
