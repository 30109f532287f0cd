from case import *

CASES = [
    Case("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3), f32(1, 3, 5, 5)], {"activation": "Relu", "pads": [1, 1, 1, 1]}),
    Case("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3)],
         {"activation": "LeakyRelu", "activation_params": [.3], "kernel_shape": [3, 3]}),
    Case("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3)], {"activation": "Clip", "activation_params": [-.5, .5]}),
    Case("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3)], {"activation": "HardSigmoid", "activation_params": [.3, .4]}),
    Case("FusedConv", [f32(1, 4, 5, 5), f32(4, 1, 3, 3), f32(4)], {"activation": "Tanh", "group": 4, "auto_pad": "SAME_UPPER"}),
    Case("NhwcMaxPool", [u8(1, 7, 6, 3)], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}, is_rounded=False),
    Case("NhwcMaxPool", [i8(1, 7, 6, 3)], {"kernel_shape": [2, 2], "dilations": [2, 1]}, is_rounded=False),
    Case("ConvTransposeWithDynamicPads", [f32(1, 2, 4, 5), f32(2, 3, 3, 3), np.array([1, 0, 0, 1]), f32(3)], {"strides": [2, 2]},
         constants=(2, )),
    Case("GridSample", [f32(1, 2, 4, 5), f32(1, 3, 2, 2)], {"align_corners": 1}),
    # Within the image: beyond it ONNX Runtime is not what ONNX's reference is.
    Case("GridSample", [f32(1, 2, 4, 5), np.tanh(f32(1, 3, 2, 2)) * np.float32(.7)], {"mode": "bicubic", "padding_mode": "border"}, tolerance=1e-4),
    Case("GridSample", [f32(1, 2, 4, 5), f32(1, 3, 2, 2)], {"mode": "nearest", "padding_mode": "reflection"}),
]
rois = np.array([[0, 0, 1, 1], [.13, .21, .88, .72], [.61, .83, .27, .1], [-.3, .2, 1.2, .9]], np.float32)
for mode in ("bilinear", "nearest"):
    for size in ([3, 4], [1, 2]):
        CASES.append(Case("CropAndResize", [f32(2, 3, 6, 5), rois, np.array([0, 1, 1, 0], np.int32), np.array(size, np.int32)],
                          {"mode": mode, "extrapolation_value": 7.}, constants=(3, )))

# The same as ONNX's convolution, with the channels moved; of the weights only NhwcConv moves them (see writers.py).
x, w, b, z = f32(1, 5, 6, 2), f32(3, 2, 3, 3), f32(3), f32(1, 3, 4, 3)
windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
y = np.einsum("nhwcij,mcij->nhwm", windows, w) + b
CASES += [
    Case("NhwcConv", [x, np.ascontiguousarray(w.transpose(0, 2, 3, 1)), b], expected=[y.astype(np.float32)]),
    Case("NhwcFusedConv", [x, w, b, z], {"activation": "Relu"}, expected=[np.maximum(y + z, 0).astype(np.float32)]),
]
