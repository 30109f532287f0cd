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

    def __init__(self, bits, block, blocks, columns, zero=False, tail=0, dtype=np.float32, signed=False, scattered=False, bias=False):
        self.bits, self.block, self.steps, self.columns, self.dtype = bits, block, block * blocks - tail, columns, dtype
        shape = (columns, blocks, block)
        low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
        self.weights, self.signed = random.integers(low, high, shape), signed
        self.weights.reshape(columns, -1)[:, self.steps:] = 0
        self.scales = (random.random(shape[:2]) / 8).astype(dtype)
        middle = 0 if signed else 1 << bits - 1
        self.zeros = random.integers(low, high, shape[:2]) if zero else np.full(shape[:2], middle)
        self.has_zeros = zero
        order = np.arange(self.steps) // block
        self.order = random.permutation(order).astype(np.int32) if scattered else None
        self.bias = random.standard_normal(columns).astype(dtype) if bias else None

    def expected(self, x):
        weights = self.weights.copy()
        if self.steps < weights[0].size:  # what fills up the last block is multiplied by zeros
            weights.reshape(self.columns, -1)[:, self.steps:] = 0
        if self.order is not None:  # the steps of each block together
            steps = np.argsort(self.order, kind="stable")
            x, flat = x[:, steps], weights.reshape(self.columns, -1)
            flat[:, :self.steps] = flat[:, steps]
        product = multiply(x, weights, self.scales.astype(np.float32), self.zeros, self.block)
        return product if self.bias is None else product + self.bias.astype(np.float64)

    def pack(self, numbers):
        """Rows of numbers as whole bytes."""
        numbers = numbers.reshape(self.columns, -1).astype(np.uint8)
        if self.bits == 8:
            return numbers
        count = 8 // self.bits
        numbers = np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % count)))
        return sum(numbers[:, i::count] << i * self.bits for i in range(count)).astype(np.uint8)

    def constants(self, prefix, kind=None):
        """(initializers of weights, scales and zero points, if there are any); packed bytes, or of an element type of ONNX."""
        names = [prefix + letter for letter in "wsz"]
        if kind is None:
            arrays = [self.pack(self.weights).reshape(self.columns, -1, self.block * self.bits // 8), self.scales]
            return [numpy_helper.from_array(a, n) for a, n in zip(arrays + [self.pack(self.zeros)] * self.has_zeros, names)]
        weights = self.weights.reshape(self.columns, -1)[:, :self.steps]
        return [helper.make_tensor(names[0], kind, weights.shape, weights.ravel().tolist()), numpy_helper.from_array(self.scales, names[1]),
                helper.make_tensor(names[2], kind, self.zeros.shape, self.zeros.ravel().tolist())]

    def add_nbits(self, model, prefix, **attributes):
        constants = self.constants(prefix)
        names = [prefix + "x", *(c.name for c in constants)] + [""] * (3 - len(constants))
        for array, letter in (self.order, "o"), (self.bias, "b"):
            names.append("" if array is None else prefix + letter)
            if array is not None:
                constants.append(numpy_helper.from_array(array, prefix + letter))
        while not names[-1]:
            names.pop()
        model.initializers += constants
        model.nodes.append(helper.make_node("MatMulNBits", names, [prefix + "y"], domain="com.microsoft", K=self.steps, N=self.columns,
                                            bits=self.bits, block_size=self.block, **attributes))

    def add_qdq(self, model, prefix):
        # This opset has none of 2 bits.
        constants = self.constants(prefix, {(4, True): TensorProto.INT4, (4, False): TensorProto.UINT4, (8, True): TensorProto.INT8,
                                            (8, False): TensorProto.UINT8}[max(self.bits, 4), self.signed])
        model.initializers += constants
        model.nodes += [helper.make_node("DequantizeLinear", [c.name for c in constants], [prefix + "d"], axis=1, block_size=self.block),
                        helper.make_node("Transpose", [prefix + "d"], [prefix + "t"], perm=[1, 0]),
                        helper.make_node("MatMul", [prefix + "x", prefix + "t"], [prefix + "y"])]


class Model:
    """Several products, each with rows of its own."""

    def __init__(self, products, rows, add):
        self.nodes, self.initializers, inputs, outputs = [], [], [], []
        for i, product in enumerate(products):
            add(product, self, f"p{i}")
            kind = helper.np_dtype_to_tensor_dtype(np.dtype(product.dtype))
            inputs.append(helper.make_tensor_value_info(f"p{i}x", kind, [rows, product.steps]))
            outputs.append(helper.make_tensor_value_info(f"p{i}y", kind, [rows, product.columns]))
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.initializers)
        self.proto = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])

    def run(self, inputs, folder, **options):
        path = folder / "model.so"
        onnxc.compile(self.proto, path, in_process=True, **options)
        return onnxc.InferenceSession(path).run(None, {f"p{i}x": x for i, x in enumerate(inputs)})


def error(got, expected):
    return float(np.abs(got.astype(np.float64) - expected).max() / np.abs(expected).max())


def rows_of(count, steps, dtype):
    """Rows with a block of zeros, and one of large numbers."""
    x = np.random.default_rng([0, count, steps]).standard_normal((count, steps)).astype(np.float32)
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
            dict(bits=8, block=16, blocks=5, columns=130, zero=True), dict(bits=8, block=256, blocks=2, columns=40, zero=True),
            dict(bits=2, block=32, blocks=4, columns=70), dict(bits=2, block=16, blocks=3, columns=33, zero=True),
            dict(bits=2, block=128, blocks=2, columns=65, zero=True)]
ODD = [dict(bits=4, block=32, blocks=3, columns=40, tail=7), dict(bits=8, block=32, blocks=2, columns=40, zero=True, tail=12),
       dict(bits=4, block=32, blocks=2, columns=40, dtype=np.float16), dict(bits=4, block=512, blocks=1, columns=40, zero=True),
       dict(bits=4, block=1024, blocks=1, columns=40), dict(bits=2, block=16, blocks=4, columns=41, zero=True, tail=5, bias=True),
       dict(bits=4, block=32, blocks=4, columns=40, zero=True, scattered=True, bias=True), dict(bits=8, block=64, blocks=1, columns=33, tail=35),
       dict(bits=4, block=16, blocks=5, columns=40, tail=3, scattered=True)]


class Findings:
    def __init__(self):
        self.count = self.wrong = 0

    def check(self, good, *what):
        self.count += 1
        if not good:
            self.wrong += 1
            print("wrong:", *what)


def check_near(products, names, folder, levels, findings):
    """The integers of numpy, in float32 but for the order of sums; nothing of it where it is not asked for."""
    for count, rows in ((1, 1), (1, "m"), (7, "m"), (19, 19)):
        inputs = [rows_of(count, product.steps, product.dtype) for product in products]
        expected = [product.expected(x) for product, x in zip(products, inputs)]
        asked = Model(products, rows, lambda product, *place: product.add_nbits(*place, accuracy_level=4))
        unset = Model(products, rows, lambda product, *place: product.add_nbits(*place))
        runs = {level: asked.run(inputs, folder, mcpu=level) for level in levels}
        runs["-O0"] = asked.run(inputs, folder, opt_level=0)
        runs["never"] = asked.run(inputs, folder, activation_int8="never")
        for how, results in runs.items():
            for product, name, got, wanted in zip(products, names, results, expected):
                far = error(got, wanted)
                most = 2e-3 if product.dtype == np.float16 else 2e-6
                findings.check(1e-3 < far < 5e-2 if how == "never" else far < most, name, count, rows, how, far)
        if count == 7:
            plain, always = unset.run(inputs, folder), unset.run(inputs, folder, activation_int8="always")
            for product, name, *results in zip(products, names, plain, runs["never"], always, asked.run(inputs, folder)):
                findings.check(np.array_equal(results[0], results[1]), name, "unset")
                # Longer ones only where the model says so.
                findings.check(np.array_equal(results[2], results[3]) == (product.block <= 512), name, "always")


def check_exact(all_values, names, folder, levels, findings):
    """What is not rounded: the same bits at each level, with any number of threads, and in numpy."""
    for signed in (False, True):
        products = [Product(**values, signed=signed) for values in all_values]
        for product in products:
            product.scales = np.exp2(random.integers(-3, 1, product.scales.shape)).astype(np.float32)
        for rows in (1, 5):
            inputs = [exact_rows(rows, product) for product in products]
            model = Model(products, rows, Product.add_qdq)
            for level in levels:
                results = model.run(inputs, folder, mcpu=level, activation_int8="always")
                for product, name, got, x in zip(products, names, results, inputs):
                    expected = product.expected(x)
                    assert np.abs(expected).max() * 8 < 1 << 24
                    findings.check(np.array_equal(got, expected), name, "exact", signed, rows, level, error(got, expected))


def check_onnxruntime(products, names, folder, findings):
    import onnxruntime
    # Sums of 16 bits that saturate are ONNX Runtime's where there is no VNNI.
    known = [(product, name) for product, name in zip(products, names) if product.block <= 256 and product.bits == 4 and product.order is None]
    products, names = zip(*known)
    inputs = [rows_of(3, product.steps, product.dtype) for product in products]
    model = Model(products, 3, lambda product, *place: product.add_nbits(*place, accuracy_level=4))
    session = onnxruntime.InferenceSession(model.proto.SerializeToString(), providers=["CPUExecutionProvider"])
    theirs = session.run(None, {f"p{i}x": x for i, x in enumerate(inputs)})
    for product, name, own, other in zip(products, names, model.run(inputs, folder), theirs):
        far = error(own, other.astype(np.float64))
        findings.check(far < (2e-3 if product.dtype == np.float16 else 2e-6), name, "ONNX Runtime", far)


def main():
    folder, levels = pathlib.Path(sys.argv[1]), sys.argv[2:] or ["native"]
    findings = Findings()
    named = [" ".join(f"{key}={getattr(value, '__name__', value)}" for key, value in values.items()) for values in PRODUCTS + ODD]
    products = [Product(**values) for values in PRODUCTS + ODD]
    check_near(products, named, folder, levels, findings)
    check_exact(PRODUCTS, named, folder, levels, findings)
    check_onnxruntime(products, named, folder, findings)
    print(f"{findings.count} comparisons, {findings.wrong} wrong")


if __name__ == "__main__":
    main()
