# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products."""

from .source import LONG, Use, op


def product_sizes(s):
    """Rows, terms, columns."""
    return [s.pick(LONG) if s.chance(0.2) else s.size(0) for _ in range(3)]


@op("MatMul")
def matmul(s):
    dtype = s.dtype()
    (m, k, n), batch = product_sizes(s), s.shape(most=2)
    left, right = s.broadcast(batch) + [m, k], s.broadcast(batch) + [k, n]
    if s.chance(0.15):
        left = [k]
    elif s.chance(0.15):
        right = [k]
    return Use([s.array(dtype, left), s.array(dtype, right)])


@op("Gemm")
def gemm(s):
    dtype = s.dtype()
    m, k, n = product_sizes(s)
    a, b = s.integer(0, 1), s.integer(0, 1)
    return Use([s.array(dtype, [k, m] if a else [m, k]), s.array(dtype, [n, k] if b else [k, n]),
                s.maybe(s.array(dtype, s.broadcast([m, n])), 0.7)],
               s.attributes(transA=a, transB=b, alpha=s.maybe(s.pick([1.5, 0.5, 2.0]), 0.3), beta=s.maybe(s.pick([0.5, 0.0, 3.0]), 0.3)))


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij->i", "ii->i", "i,j->ij", "ij,ij->", "...ij,...jk->...ik",
             "bhid,bhjd->bhij", "ij,kj->ik", "ijk->jk", "i,i", "ii", "ij , jk -> ki", "ba", "i,ij,j->", "...i->...", "...i,i->i...",
             "i...,j->j...i", "iij->j", "bij,bkj->bik", "abc,cd,de->abe", "ij->", ",ij->ji", "ii,i->i"]


@op("Einsum")
def einsum(s):
    equation = s.pick(EQUATIONS)
    sizes, dtype = {}, s.dtype(among=["float32", "float64", "int32", "int64", "float16"])
    batch = s.shape(rank=s.integer(0, 2), low=1)
    arrays = []
    for term in equation.split("->")[0].split(","):
        letters = term.replace("...", "").strip()
        shape = [sizes.setdefault(letter, s.size()) for letter in letters]
        at = term.find("...")
        if at >= 0:
            shape[at:at] = batch
        arrays.append(s.array(dtype, shape))
    return Use(arrays, {"equation": equation})


@op("Det")
def determinant(s):
    size = s.integer(1, 4)
    return Use([s.array(s.dtype(among=["float32", "float64"]), s.shape(most=2, low=1) + [size, size])])


# Of quantized numbers

def byte_matrices(s, a, b):
    """Factors of random ranks."""
    (m, k, n), batch = product_sizes(s), s.shape(most=2, low=1) if s.chance(0.3) else []
    return s.edges(a, s.broadcast(batch) + [m, k]), s.edges(b, s.broadcast(batch) + [k, n])


@op("MatMulInteger")
def matmul_integer(s):
    a, b = s.dtype("T1"), s.dtype("T2")
    left, right = byte_matrices(s, a, b)
    rows = [left.shape[-2]] if left.ndim == 2 and s.chance(0.3) else s.pick([[], [1]])
    columns = [right.shape[-1]] if right.ndim == 2 and s.chance(0.3) else s.pick([[], [1]])
    return Use([left, right, s.maybe(s.edges(a, rows)), s.maybe(s.edges(b, columns))])


@op("QLinearMatMul")
def qlinear_matmul(s):
    a, b, y = (s.dtype(parameter, ["uint8", "int8"]) for parameter in ("T1", "T2", "T3"))
    left, right = byte_matrices(s, a, b)
    columns = [right.shape[-1]] if right.ndim == 2 and s.chance(0.3) else s.pick([[], [1]])

    def scale(shape):
        return s.array("float32", shape, 0.05, 0.2)

    return Use([left, scale([]), s.array(a, []), right, scale(columns), s.array(b, columns), scale([]), s.array(y, [])])
