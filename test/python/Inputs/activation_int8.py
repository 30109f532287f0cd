"""Products whose rows become 8-bit integers (--activation-int8), against numpy's integers, -O0 and ONNX Runtime.

usage: activation_int8.py FOLDER [LEVEL...]     (levels of processors; default: this machine's)
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import onnxc

random = np.random.default_rng(5)


def quantize_rows(x, block):
    """(integers, scales) of rows, by blocks: what docs/quantizing.md says."""
    blocks = np.pad(x, ((0, 0), (0, -x.shape[1] % block))).reshape(len(x), -1, block)
    largest = np.abs(blocks).max(-1, keepdims=True)
    inverse = np.divide(np.float32(127), largest, out=np.zeros_like(largest), where=largest > 0)
    return np.rint(blocks * inverse).astype(np.int64), largest[..., 0] / np.float32(127)


def multiply(x, weights, scales, zeros, block):
    """The product in integers, then in float64: weights [columns, blocks, block], the others [columns, blocks]."""
    rows, row_scales = quantize_rows(x.astype(np.float32), block)
    dots = np.einsum("mbk,nbk->mnb", rows, weights.astype(np.int64) - zeros.astype(np.int64)[..., None])
    return (dots * row_scales.astype(np.float64)[:, None] * scales.astype(np.float64)).sum(-1)


class Product:
    """One product, as MatMulNBits or, of DequantizeLinear, as MatMul."""

    def __init__(self, bits, block, blocks, columns, zero=False, tail=0, dtype=np.float32, signed=False):
        self.bits, self.block, self.steps, self.columns, self.dtype = bits, block, block * blocks - tail, columns, dtype
        shape = (columns, blocks, block)
        low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
        self.weights, self.signed = random.integers(low, high, shape), signed
        self.weights.reshape(columns, -1)[:, self.steps:] = 0
        self.scales = (random.random(shape[:2]) / 8).astype(dtype)
        middle = 0 if signed else 1 << bits - 1
        self.zeros = random.integers(low, high, shape[:2]) if zero else np.full(shape[:2], middle)
        self.has_zeros = zero

    def expected(self, x):
        weights = self.weights.copy()
        if self.steps < weights[0].size:  # what fills up the last block is multiplied by zeros
            weights.reshape(self.columns, -1)[:, self.steps:] = 0
        return multiply(x, weights, self.scales.astype(np.float32), self.zeros, self.block)

    def pack(self, numbers):
        """Rows of numbers as whole bytes."""
        numbers = numbers.reshape(self.columns, -1).astype(np.uint8)
        if self.bits == 8:
            return numbers
        numbers = np.pad(numbers, ((0, 0), (0, numbers.shape[1] % 2)))
        return numbers[:, 0::2] | numbers[:, 1::2] << 4

    def nbits(self, rows, **attributes):
        weights = self.pack(self.weights).reshape(self.columns, -1, self.block * self.bits // 8)
        constants = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(self.scales, "s")]
        if self.has_zeros:
            constants.append(numpy_helper.from_array(self.pack(self.zeros), "z"))
        node = helper.make_node("MatMulNBits", ["x", *(c.name for c in constants)], ["y"], domain="com.microsoft", K=self.steps,
                                N=self.columns, bits=self.bits, block_size=self.block, **attributes)
        return self.model([node], constants, rows)

    def qdq(self, rows):
        kind = {(4, True): TensorProto.INT4, (4, False): TensorProto.UINT4, (8, True): TensorProto.INT8, (8, False): TensorProto.UINT8}[
            self.bits, self.signed]
        weights = self.weights.reshape(self.columns, -1)[:, :self.steps]
        constants = [helper.make_tensor("w", kind, weights.shape, weights.ravel().tolist()), numpy_helper.from_array(self.scales, "s"),
                     helper.make_tensor("z", kind, self.zeros.shape, self.zeros.ravel().tolist())]
        nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=1, block_size=self.block),
                 helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0]), helper.make_node("MatMul", ["x", "t"], ["y"])]
        return self.model(nodes, constants, rows)

    def model(self, nodes, constants, rows):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        infos = [helper.make_tensor_value_info(name, kind, [rows, size]) for name, size in (("x", self.steps), ("y", self.columns))]
        graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])


def run(model, x, folder, **options):
    path = folder / "model.so"
    onnxc.compile(model, path, **options)
    return onnxc.InferenceSession(path).run(None, {"x": x})[0]


def error(got, expected):
    return float(np.abs(got.astype(np.float64) - expected).max() / np.abs(expected).max())


def rows_of(count, steps, dtype):
    """Rows with a block of zeros, and one of large numbers."""
    x = random.standard_normal((count, steps)).astype(np.float32)
    x[0, :16] = 0
    x[-1, -16:] *= 100
    return x.astype(dtype)


def exact_rows(count, product):
    """Integers whose scales are 1: with scales of weights that are powers of two nothing is rounded."""
    x = random.integers(-127, 128, (count, product.steps)).astype(np.float32)
    x[:, ::product.block] = 127
    return x


PRODUCTS = [dict(bits=4, block=32, blocks=4, columns=70), dict(bits=4, block=16, blocks=3, columns=16), dict(bits=4, block=32, blocks=3, columns=33, zero=True),
            dict(bits=4, block=128, blocks=2, columns=100, zero=True), dict(bits=4, block=256, blocks=1, columns=64), dict(bits=8, block=32, blocks=4, columns=70),
            dict(bits=8, block=16, blocks=5, columns=130, zero=True), dict(bits=8, block=256, blocks=2, columns=40, zero=True)]
ODD = [dict(bits=4, block=32, blocks=3, columns=40, tail=7), dict(bits=8, block=32, blocks=2, columns=40, zero=True, tail=12),
       dict(bits=4, block=32, blocks=2, columns=40, dtype=np.float16), dict(bits=4, block=512, blocks=1, columns=40, zero=True),
       dict(bits=4, block=1024, blocks=1, columns=40)]


class Findings:
    def __init__(self):
        self.count = self.wrong = 0

    def check(self, good, *what):
        self.count += 1
        if not good:
            self.wrong += 1
            print("wrong:", *what)


def check_product(product, name, folder, levels, findings):
    tolerance = 2e-3 if product.dtype == np.float16 else 2e-6
    for count, rows in ((1, 1), (1, "m"), (7, "m"), (19, 19)):
        x = rows_of(count, product.steps, product.dtype)
        expected = product.expected(x)
        model = product.nbits(rows, accuracy_level=4)
        for level in levels:
            got = run(model, x, folder, mcpu=level)
            findings.check(error(got, expected) < tolerance, name, rows, level, error(got, expected))
        got = run(model, x, folder, opt_level=0)
        findings.check(error(got, expected) < tolerance, name, rows, "-O0", error(got, expected))
        plain = run(model, x, folder, activation_int8="never")
        findings.check(1e-3 < error(plain, expected) < 5e-2, name, rows, "never", error(plain, expected))
        unset = product.nbits(rows)
        findings.check(np.array_equal(plain, run(unset, x, folder)), name, rows, "unset")
        findings.check(np.array_equal(got, run(unset, x, folder, opt_level=0, activation_int8="always")), name, rows, "always")


def check_exact(values, name, folder, levels, findings):
    """What no level may round: the same bits everywhere."""
    for signed in (False, True):
        product = Product(**values, signed=signed)
        product.scales = np.exp2(random.integers(-3, 1, product.scales.shape)).astype(np.float32)
        for rows in (1, 5):
            x = exact_rows(rows, product)
            expected = product.expected(x)
            if np.abs(expected).max() * 8 < 1 << 24:
                for level in levels:
                    got = run(product.qdq(rows), x, folder, mcpu=level, activation_int8="always")
                    findings.check(np.array_equal(got, expected), name, "exact", signed, rows, level, error(got, expected))


def check_onnxruntime(product, name, folder, findings):
    import onnxruntime
    x = rows_of(3, product.steps, product.dtype)
    model = product.nbits(3, accuracy_level=4)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    theirs, own = session.run(None, {"x": x})[0], run(model, x, folder)
    print(f"{name}: ONNX Runtime's differs by {error(own, theirs.astype(np.float64)):.1e}")


def main():
    folder, levels = pathlib.Path(sys.argv[1]), sys.argv[2:] or ["native"]
    findings = Findings()
    for values in PRODUCTS + ODD:
        name = " ".join(f"{key}={getattr(value, '__name__', value)}" for key, value in values.items())
        product = Product(**values)
        check_product(product, name, folder, levels, findings)
        check_onnxruntime(product, name, folder, findings)
        if values in PRODUCTS:
            check_exact(values, name, folder, levels, findings)
    print(f"{findings.count} comparisons, {findings.wrong} wrong")


if __name__ == "__main__":
    main()
