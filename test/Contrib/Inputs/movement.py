from case import *

x = f32(3, 8)
spectrum = np.fft.rfft(x)
pairs = np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)
table = f32(6, 4)
ids = i64(0, 6, 2, 3)

CASES = [
    Case("ExpandDims", [f32(3, 4), np.array(1, np.int32)], constants=(1, )),
    Case("ExpandDims", [f32(3, 4), np.array(-1, np.int32)], constants=(1, )),
    Case("GatherND", [f32(3, 4), i64(0, 3, 5, 2)]),
    Case("GatherND", [f32(3, 4, 2), i32(0, 3, 5, 1)], known={1: (1, )}),
    Case("Pad", [f32(3, 4), np.array([0, 1, 2, -1]), np.float32(3)]),
    Case("Pad", [f32(3, 4), np.array([[0, 1, 2, 0]]), np.array([3], np.float32)]),
    Case("Pad", [f32(3, 4), np.array([0, 1, 2, 1])], {"mode": "reflect"}),
    Case("Range", [np.int64(2), np.int64(11), np.int64(3)]),
    Case("Range", [np.array([2], np.float32), np.array([5], np.float32)]),
    Case("Trilu", [f32(2, 4, 5), np.int64(1)]),
    Case("Trilu", [f32(4, 5)], {"upper": 0}),
    Case("Unique", [np.array([2, 1, 1, 3, 4, 3], np.float32)], outputs=(0, 1, 2)),
    Case("UnfoldTensor", [f32(3, 9)], {"size": 3, "step": 2}),
    Case("UnfoldTensor", [f32(7, 3, 2)], {"dim": 0, "size": 4}),
    Case("TorchEmbedding", [table, ids], expected=[table[ids]]),
    Case("Rfft", [x], {"signal_ndim": 1, "onesided": 1, "normalized": 0}, expected=[pairs]),
    Case("Irfft", [pairs], {"signal_ndim": 1, "onesided": 1, "normalized": 0}, expected=[x]),
]
