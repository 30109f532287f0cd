"""Sparse initializers and attributes, with the numbers that they stand for.

usage: sparse.py        (prints what is wrong)
"""

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

import onnxc

DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.int64, np.uint16, bool, np.complex64, np.complex128,
          ml_dtypes.float8_e4m3fn, ml_dtypes.int4, object]
SHAPES = [(), (7,), (3, 4), (2, 0, 3), (40, 3, 5)]


def make_dense(dtype, shape, rng):
    """A tensor, and which of its elements are stated."""
    stated = rng.random(shape) < 0.3
    bits = rng.integers(1, 7, shape)
    if dtype is object:
        return np.where(stated, bits.astype(str), "").astype(object), stated
    return np.where(stated, bits, 0).astype(dtype), stated


def make_sparse(dense, stated, is_linear):
    values = numpy_helper.from_array(np.asarray(dense[stated], dense.dtype).reshape(-1), "c")
    places = np.flatnonzero(stated) if is_linear else np.argwhere(stated)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(places.astype(np.int64), "c_indices"), dense.shape)


def run(dense, sparse, is_initializer, level):
    nodes = [helper.make_node("Identity", ["c"], ["y"])]
    if not is_initializer:
        nodes.insert(0, helper.make_node("Constant", [], ["c"], sparse_value=sparse))
    result = helper.make_tensor_value_info("y", sparse.values.data_type, dense.shape)
    graph = helper.make_graph(nodes, "g", [], [result], sparse_initializer=[sparse] if is_initializer else [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    try:
        got, = onnxc.InferenceSession(model, opt_level=level).run(None, {})
    except onnxc.Error as error:
        return str(error)
    same = got.shape == dense.shape and np.array_equal(got.astype(dense.dtype), dense)
    return "" if same else f"{got} instead of {dense}"


def main():
    rng, count = np.random.default_rng(0), 0
    for dtype in DTYPES:
        for shape in SHAPES:
            dense, stated = make_dense(dtype, shape, rng)
            count += 1
            wrong = run(dense, make_sparse(dense, stated, is_linear=count % 2), is_initializer=count % 3, level=count // 3 % 3)
            if wrong:
                print(f"wrong: {dtype.__name__}{list(shape)}: {wrong}")
    print(f"{count} sparse tensors")


if __name__ == "__main__":
    main()
