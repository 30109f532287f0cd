# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals."""

import numpy as np

from .source import Use, op


@op("DFT")
def fourier(s):
    length, dtype = s.integer(1, 12), s.dtype("T1", ["float32", "float64"])
    is_complex = s.chance(0.5)
    attributes = s.attributes(inverse=s.maybe(1, 0.3 * is_complex), onesided=s.maybe(1, 0.4 * (not is_complex)))
    return Use([s.array(dtype, [s.integer(1, 2), length, 1 + is_complex]), s.maybe(np.array(s.integer(1, 14)), 0.3), np.array(1)], attributes, shapelike=(2,))


@op("HannWindow", "HammingWindow", "BlackmanWindow")
def signal_window(s):
    return Use([np.array(s.integer(1, 12))], s.attributes(periodic=s.maybe(s.integer(0, 1)), output_datatype=s.maybe(11, 0.3)), shapelike=(0,))


@op("STFT")
def short_time_fourier(s):
    frame, step, batch, frames = s.integer(2, 8), s.integer(1, 4), s.integer(1, 2), s.integer(1, 4)
    dtype, onesided = s.dtype("T1", ["float32", "float64"]), s.integer(0, 1)
    signal = s.array(dtype, [batch, frame + step * (frames - 1) + s.integer(0, step - 1), 1])
    window = s.maybe(s.array(dtype, [frame], 0.1, 1))
    return Use([signal, np.array(step), window, np.array(frame)], {"onesided": onesided}, shapelike=(1, 3))


@op("MelWeightMatrix")
def mel_weights(s):
    values = [np.array(s.integer(2, 6)), np.array(s.pick([8, 16, 32])), np.array(s.pick([8000, 16000])), np.array(s.pick([0.0, 50.0]), np.float32),
              np.array(s.pick([3000.0, 4000.0]), np.float32)]
    return Use(values, shapelike=(0, 1, 2))
