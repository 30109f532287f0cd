# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals."""

import numpy as np

from .source import Use, op


@op("DFT")
def fourier(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.integer(0, len(shape) - 1)
    is_complex, inverse, onesided = s.chance(0.5), s.chance(0.4), s.chance(0.4)
    # Half a spectrum is of real numbers: in one direction in, in the other out.
    is_complex |= inverse
    onesided &= inverse or not is_complex
    if inverse and onesided and shape[axis] == 1:
        onesided = False
    length = s.maybe(np.array(s.integer(1, 12)), 0.4)
    if inverse and onesided and length is not None and int(length) == 1:
        length = None
    array = s.array(s.pick(["float32", "float64"]), [*shape, 2 if is_complex else 1])
    return Use([array, length, s.maybe(np.array(axis - (len(shape) + 1) * s.chance(0.3)), 0.8) if axis != len(shape) - 1 else None],
               s.attributes(inverse=1 if inverse else s.maybe(0), onesided=1 if onesided else s.maybe(0)), shapelike=(1, 2))


@op("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(s):
    return Use([np.array(s.integer(1, 12))], s.attributes(periodic=s.maybe(s.integer(0, 1)), output_datatype=s.maybe(s.pick([1, 11, 10]))),
               shapelike=(0,))


@op("STFT")
def short_time_fourier(s):
    batch, frame = s.integer(1, 2), s.integer(1, 8)
    length, step, dtype = frame + s.integer(0, 12), s.integer(1, 4), s.pick(["float32", "float64"])
    window = s.maybe(s.array(dtype, [frame], 0, 1), 0.6)
    given = np.array(frame) if window is None or s.chance(0.5) else None
    is_complex = s.chance(0.2)
    attributes = {"onesided": 0} if is_complex else s.attributes(onesided=s.maybe(s.integer(0, 1)))
    return Use([s.array(dtype, [batch, length, 1 + is_complex]), np.array(step), window, given], attributes, shapelike=(1, 3))


@op("MelWeightMatrix")
def mel_weights(s):
    rate = s.pick([8000, 16000, 44100])
    low = s.integer(0, 300)
    return Use([np.array(s.integer(1, 16)), np.array(s.integer(8, 128)), np.array(rate), np.array(float(low), np.float32),
                np.array(float(s.integer(low + 500, rate // 2)), np.float32)], s.attributes(output_datatype=s.maybe(s.pick([1, 11]))),
               shapelike=(0, 1, 2, 3, 4))
