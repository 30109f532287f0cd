# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images and weights of bytes, at the bounds of what instructions add up in 16 bits."""

import numpy as np

BYTES = {"u8": np.uint8, "s8": np.int8}


def pixels(case, shape):
    """All values, or the least and the greatest ones, or the greatest alone, whose sums are the largest."""
    if case.pixels == "all":
        return case.numbers(shape, BYTES[case.x])
    info = np.iinfo(BYTES[case.x])
    least = info.min if case.pixels == "ends" else info.max
    return np.where(case.random.random(shape) < 0.5, least, info.max).astype(BYTES[case.x])


def byte_weights(case, shape, columns):
    """All values, or none that two of need more than 16 bits times 255, or few; or small ones of which several have
    together what 16 bits just hold, or a little more, in columns of one sign, too; or the greatest or least one in all of
    a column. Dimension `columns` is that of the columns."""
    if case.weights == "all":
        return case.numbers(shape, BYTES[case.w])
    if case.weights == "greatest":
        info = np.iinfo(BYTES[case.w])
        ends = case.random.choice([info.min, info.max], [n if d == columns else 1 for d, n in enumerate(shape)])
        return np.broadcast_to(ends, shape).astype(BYTES[case.w])
    value = case.random.integers(-64, 65, shape)
    if case.weights == "few_large":
        value = np.where(case.random.random(shape) < 0.01, np.sign(value) * 100, value)
    if case.weights == "bounds":
        value = case.random.integers(-2, 3, shape)
        large = case.random.choice([-127, -65, -64, -43, 1, 42, 43, 64, 65, 86, 127], shape)
        placed = case.random.random(shape) < 0.04
        # Neighbours of channels as well.
        placed |= np.roll(placed & (case.random.random(shape) < 0.5), 1, axis=1 - columns)
        value = np.where(placed, large, value)
        one_sign = np.abs(value) * case.random.choice([-1, 1], [n if d == columns else 1 for d, n in enumerate(shape)])
        value = np.where(case.random.random([n if d == columns else 1 for d, n in enumerate(shape)]) < 0.7, one_sign, value)
        value = np.where(value == -127, -128, value)
    return (value + (128 if case.w == "u8" else 0)).astype(BYTES[case.w])
