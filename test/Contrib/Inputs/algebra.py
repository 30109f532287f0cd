from case import *

squares = f32(2, 3, 5, 5)
CASES = [
    Case("CDist", [f32(3, 5), f32(4, 5)], {"metric": "euclidean"}, tolerance=1e-3),
    Case("CDist", [f32(3, 5), f32(4, 5)], {"metric": "sqeuclidean"}, tolerance=1e-4),
    Case("Inverse", [f32(4, 4)], tolerance=1e-3),
    Case("Inverse", [squares], tolerance=2e-3),
    Case("Inverse", [np.float32([[[0, 1, 0], [0, 0, 2], [4, 0, 0]]])]),
    Case("Inverse", [squares[0].astype(np.float64)], tolerance=1e-9),
    Case("Inverse", [np.eye(3, dtype=np.float16) * 4], tolerance=1e-3),
]
a, b = f32(3, 2), f32(3, 2)
for name, x in (("ComplexMul", b), ("ComplexMulConj", b * [1, -1])):
    y = (a[:, 0] + 1j * a[:, 1]) * (x[:, 0] + 1j * x[:, 1])
    CASES.append(Case(name, [a, b], expected=[np.stack([y.real, y.imag], 1).astype(np.float32)]))
