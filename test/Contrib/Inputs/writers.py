"""Models that ONNX Runtime's own tools write, against the models that they were
written from: a graph of ONNX's operators is fused by onnxruntime.transformers,
quantized by onnxruntime.quantization, or optimized by ONNX Runtime and saved. onnxc
runs the result, ONNX Runtime without optimization the graph of before; so nothing
here depends on how the operators' documentation is read. (What is quantized has no
graph of before that gives the same numbers: ONNX Runtime runs the quantized one.)

usage: writers.py [CASE…]
"""
import logging
import os
import pathlib
import sys
import tempfile
import types
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnxc

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
onnxruntime.set_default_logger_severity(4)
sys.path.append(str(pathlib.Path(onnxruntime.__file__).parent / "transformers"))
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
CASES = {}
rng = np.random.default_rng(16)


def case(*operators, tolerance=2e-5):
    """A function that gives (graph of before, what was written, what it is run
    with); `operators` must be in what was written."""
    def register(function):
        CASES[function.__name__] = (function, operators, tolerance)
        return function
    return register


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


class Graph:
    """The nodes of a model of one opset, and its feeds."""

    def __init__(self, opset=16):
        self.opset, self.nodes, self.inputs, self.initializers, self.outputs, self.feeds = opset, [], [], [], [], {}

    def input(self, array, name=None, shape=None):
        name = name or f"x{len(self.inputs)}"
        self.feeds[name] = array
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape or array.shape))
        return name

    def weight(self, array):
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def ints(self, *values):
        return self.weight(np.array(values, np.int64))

    def number(self, value, dtype=np.float32):
        return self.weight(np.array(value, dtype))

    def add(self, op, *inputs, outputs=1, **attributes):
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def output(self, *names, dtype=FLOAT):
        self.outputs += [helper.make_tensor_value_info(name, dtype, None) for name in names]

    def model(self):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)],
                                  ir_version=8)
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        onnx.checker.check_model(model)
        return model


class KnownShapes:
    """What the fusions ask the symbolic shape inference for, which needs sympy."""

    def __init__(self, model):
        inferred = onnx.shape_inference.infer_shapes(model)
        self.known_vi_ = {v.name: v for v in [*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output]}
        self.known_vi_.update({t.name: helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in inferred.graph.initializer})

    def get_edge_shape(self, name):
        if name not in self.known_vi_:
            return None
        return [d.dim_value if d.HasField("dim_value") else d.dim_param for d in self.known_vi_[name].type.tensor_type.shape.dim]

    def compare_shape(self, a, b):
        return self.get_edge_shape(a) == self.get_edge_shape(b)


def fused(model, *fusions, **arguments):
    """By the classes of onnxruntime.transformers, "module.Class" each."""
    import importlib

    from onnx_model import OnnxModel
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    wrapped = OnnxModel(copy)
    wrapped.infer_runtime_shape = lambda *_, **__: KnownShapes(wrapped.model)
    for fusion in fusions:
        module, name = fusion.split(".")
        getattr(importlib.import_module(module), name)(wrapped, **arguments.get(name, {})).apply()
    wrapped.prune_graph()
    wrapped.topological_sort()
    return wrapped.model


def by_type(model, model_type, heads=0, hidden=0, **switches):
    """By the optimizer of a model's type."""
    import onnx_model
    import optimizer
    from fusion_options import FusionOptions
    onnx_model.OnnxModel.infer_runtime_shape = lambda self, *_, **__: KnownShapes(self.model)
    options = FusionOptions(model_type)
    for name, value in switches.items():
        setattr(options, name, value)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return optimizer.optimize_by_fusion(copy, model_type, heads, hidden, options).model


def saved(model, level="ORT_ENABLE_EXTENDED"):
    """As ONNX Runtime's own optimizer leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        options.optimized_model_filepath = os.path.join(folder, "saved.onnx")
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def quantized(model, feeds, **options):
    """By quantize_static, calibrated by what it is run with."""
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        left = [feeds]

        def get_next(self):
            return self.left.pop() if self.left else None

    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        onnx.save(model, source)
        Reader.left = [feeds]
        quantization.quantize_static(source, target, Reader(), **options)
        return onnx.load(target)


def quantized_dynamically(model, **options):
    from onnxruntime import quantization
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        onnx.save(model, source)
        quantization.quantize_dynamic(source, target, **options)
        return onnx.load(target)


# Images.


def convolutions(groups, bias):
    g = Graph()
    x = g.input(f32(1, 4, 6, 7))
    operands = [x, g.weight(f32(6, 4 // groups, 3, 2))] + ([g.weight(f32(6))] if bias else [])
    g.output(g.add("Conv", *operands, group=groups, pads=[1, 0, 1, 1], strides=[1, 2], kernel_shape=[3, 2]))
    return g


for groups, bias, update in ((1, True, False), (2, False, True), (4 // 2, True, True)):
    def nhwc_conv(groups=groups, bias=bias, update=update):
        g = convolutions(groups, bias)
        model = g.model()
        return model, fused(model, "fusion_nhwc_conv.FusionNhwcConv", FusionNhwcConv={"update_weight": update}), g.feeds
    nhwc_conv.__name__ = f"nhwc_conv_{groups}_{int(bias)}_{int(update)}"
    case("NhwcConv")(nhwc_conv)


@case("NhwcConv")
def nhwc_conv_of_equal_sizes():
    g = Graph()  # Three channels and a kernel of three: no shape says which is which.
    g.output(g.add("Conv", g.input(f32(1, 3, 5, 5)), g.weight(f32(3, 3, 3, 3)), g.weight(f32(3)), pads=[1] * 4))
    model = g.model()
    return model, fused(model, "fusion_nhwc_conv.FusionNhwcConv"), g.feeds


def group_norm(g, x, channels, groups, swish):
    three = g.add("Reshape", x, g.ints(0, groups, -1))
    normal = g.add("InstanceNormalization", three, g.weight(np.ones(groups, np.float32)), g.weight(np.zeros(groups, np.float32)), epsilon=1e-3)
    four = g.add("Reshape", normal, g.add("Shape", x))
    y = g.add("Add", g.add("Mul", four, g.weight(f32(channels, 1, 1))), g.weight(f32(channels, 1, 1)))
    return g.add("Mul", y, g.add("Sigmoid", y)) if swish else y


@case("GroupNorm")
def group_norms():
    g = Graph()
    x = g.input(f32(2, 6, 3, 5))
    g.output(group_norm(g, x, 6, 3, True), group_norm(g, g.add("Neg", x), 6, 2, False))
    model = g.model()
    return model, fused(model, "fusion_group_norm.FusionGroupNorm"), g.feeds


@case("GroupNorm")
def group_norm_channels_first():
    g = Graph()
    g.output(group_norm(g, g.input(f32(2, 6, 3, 5)), 6, 3, True))
    model = g.model()
    return model, fused(model, "fusion_group_norm.FusionGroupNorm", FusionGroupNorm={"channels_last": False}), g.feeds


@case("SkipGroupNorm")
def skip_group_norm():
    g = Graph()
    x, s = g.input(f32(2, 6, 3, 5)), g.input(f32(2, 6, 1, 1))
    total = g.add("Add", x, s)
    g.output(group_norm(g, total, 6, 3, True), total)
    model = g.model()
    return model, fused(model, "fusion_group_norm.FusionGroupNorm", "fusion_skip_group_norm.FusionSkipGroupNorm"), g.feeds


# Activations.


def gelu(g, x):
    erf = g.add("Erf", g.add("Div", x, g.number(2**.5)))
    return g.add("Mul", g.add("Mul", x, g.add("Add", erf, g.number(1))), g.number(.5))


def fast_gelu(g, x):
    cube = g.add("Mul", g.add("Pow", x, g.number(3)), g.number(0.044714998453855515))
    tanh = g.add("Tanh", g.add("Mul", g.add("Add", x, cube), g.number(0.7978845834732056)))
    return g.add("Mul", g.add("Mul", x, g.number(.5)), g.add("Add", tanh, g.number(1)))


@case("Gelu", "BiasGelu")
def gelus():
    g = Graph()
    x = g.input(f32(2, 3, 8) * 3)
    product = g.add("MatMul", x, g.weight(f32(8, 5)))
    g.output(gelu(g, x), gelu(g, g.add("Add", product, g.weight(f32(5)))))
    model = g.model()
    return model, fused(model, "fusion_gelu.FusionGelu", "fusion_biasgelu.FusionBiasGelu", FusionBiasGelu={"is_fastgelu": False}), g.feeds


@case("FastGelu")
def fast_gelus():
    g = Graph()
    x = g.input(f32(2, 3, 8) * 3)
    product = g.add("MatMul", x, g.weight(f32(8, 5)))
    g.output(fast_gelu(g, x), fast_gelu(g, g.add("Add", product, g.weight(f32(5)))))
    model = g.model()
    return model, fused(model, "fusion_fastgelu.FusionFastGelu", "fusion_biasgelu.FusionBiasGelu", FusionBiasGelu={"is_fastgelu": True}), g.feeds


@case("GemmFastGelu")
def gemm_fast_gelu():
    g = Graph()
    x = g.input(f32(2, 3, 8))
    g.output(fast_gelu(g, g.add("MatMul", x, g.weight(f32(8, 5)))))
    model = g.model()
    return model, fused(model, "fusion_fastgelu.FusionFastGelu", "fusion_gemmfastgelu.FusionGemmFastGelu"), g.feeds


@case("QuickGelu")
def quick_gelu():
    g = Graph()
    x = g.input(f32(2, 3, 8) * 3)
    g.output(g.add("Mul", x, g.add("Sigmoid", g.add("Mul", x, g.number(1.702)))))
    model = g.model()
    return model, fused(model, "fusion_quickgelu.FusionQuickGelu"), g.feeds


@case("BiasSplitGelu")
def bias_split_gelu():
    g = Graph()
    x = g.add("Add", g.weight(f32(1280 * 2)), g.add("MatMul", g.input(f32(1, 2, 4)), g.weight(f32(4, 1280 * 2))))
    size = g.add("Gather", g.add("Shape", x), g.ints(2), axis=0)
    half = g.add("Div", g.add("Add", size, g.ints(1)), g.ints(2))
    once, twice = g.add("Mul", half, g.ints(1)), g.add("Mul", half, g.ints(2))
    first = g.add("Slice", x, g.ints(0), once, g.ints(2))
    second = g.add("Slice", x, once, twice, g.ints(3 - 1))
    second_axis = next(node for node in g.nodes if node.output[0] == second)
    second_axis.input[3] = g.ints(-1)
    g.output(g.add("Mul", first, gelu(g, second)))
    model = g.model()
    return model, fused(model, "fusion_gelu.FusionGelu", "fusion_biassplitgelu.FusionBiasSplitGelu"), g.feeds


# Normalizations.


def layer_norm(g, x, size):
    centred = g.add("Sub", x, g.add("ReduceMean", x, axes=[-1], keepdims=1))
    variance = g.add("ReduceMean", g.add("Pow", centred, g.number(2)), axes=[-1], keepdims=1)
    normal = g.add("Div", centred, g.add("Sqrt", g.add("Add", variance, g.number(9e-5))))
    return g.add("Add", g.add("Mul", normal, g.weight(f32(size))), g.weight(f32(size)))


def rms_norm(g, x, size):
    mean = g.add("ReduceMean", g.add("Pow", x, g.number(2)), axes=[-1], keepdims=1)
    root = g.add("Sqrt", g.add("Add", mean, g.number(9e-5)))
    return g.add("Mul", g.add("Mul", x, g.add("Div", g.number(1), root)), g.weight(f32(size)))


@case("SkipLayerNormalization")
def skip_layer_norms():
    g = Graph()
    x, s = g.input(f32(2, 3, 8) / 64), g.input(f32(2, 3, 8) / 64)  # the epsilon counts
    first = layer_norm(g, g.add("Add", x, s), 8)
    biased = g.add("Add", g.add("MatMul", first, g.weight(f32(8, 8))), g.weight(f32(8)))
    total = g.add("Add", biased, first)
    g.output(layer_norm(g, total, 8), total)
    model = g.model()
    return model, fused(model, "fusion_layernorm.FusionLayerNormalization", "fusion_skiplayernorm.FusionSkipLayerNormalization",
                        "fusion_skiplayernorm.FusionBiasSkipLayerNormalization"), g.feeds


@case("SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization")
def skip_simplified_layer_norms():
    g = Graph()
    x, s = g.input(f32(2, 3, 8) / 64), g.input(f32(2, 3, 8) / 64)
    first = g.add("Add", x, s)
    total = g.add("Add", rms_norm(g, g.add("Relu", first), 8), first)
    g.output(rms_norm(g, total, 8), total)
    model = g.model()
    return model, fused(model, "fusion_simplified_layernorm.FusionSimplifiedLayerNormalization",
                        "fusion_simplified_layernorm.FusionSkipSimplifiedLayerNormalization"), g.feeds


@case("BiasAdd", "SkipLayerNormalization", "BiasSplitGelu")
def bias_add():
    g = Graph()
    x, s = g.input(f32(1, 2, 4)), g.input(f32(1, 2, 4))
    total = g.add("Add", x, s)
    normal = layer_norm(g, total, 4)
    wide = g.add("Add", g.weight(f32(2560)), g.add("MatMul", normal, g.weight(f32(4, 2560))))
    size = g.add("Gather", g.add("Shape", wide), g.ints(2), axis=0)
    half = g.add("Div", g.add("Add", size, g.ints(1)), g.ints(2))
    once, twice = g.add("Mul", half, g.ints(1)), g.add("Mul", half, g.ints(2))
    gated = g.add("Mul", g.add("Slice", wide, g.ints(0), once, g.ints(2)), gelu(g, g.add("Slice", wide, once, twice, g.ints(-1))))
    narrow = g.add("Add", g.weight(f32(4)), g.add("MatMul", gated, g.weight(f32(1280, 4) / 40)))
    g.output(g.add("Add", narrow, total))
    model = g.model()
    return model, fused(model, "fusion_gelu.FusionGelu", "fusion_layernorm.FusionLayerNormalization", "fusion_biassplitgelu.FusionBiasSplitGelu",
                        "fusion_skiplayernorm.FusionSkipLayerNormalization", "fusion_bias_add.FusionBiasAdd"), g.feeds


# Attention.

BATCH, STEPS, HEADS, HIDDEN = 2, 5, 2, 8


def attention(g, x, mask):
    def project():
        biased = g.add("Add", g.add("MatMul", x, g.weight(f32(HIDDEN, HIDDEN))), g.weight(f32(HIDDEN)))
        return g.add("Reshape", biased, g.ints(0, 0, HEADS, HIDDEN // HEADS))
    q = g.add("Transpose", project(), perm=[0, 2, 1, 3])
    k = g.add("Transpose", project(), perm=[0, 2, 3, 1])
    v = g.add("Transpose", project(), perm=[0, 2, 1, 3])
    scores = g.add("Add", g.add("Div", g.add("MatMul", q, k), g.number((HIDDEN // HEADS)**.5)), mask)
    joined = g.add("Transpose", g.add("MatMul", g.add("Softmax", scores, axis=3), v), perm=[0, 2, 1, 3])
    flat = g.add("Reshape", joined, g.ints(0, 0, HIDDEN))
    return g.add("Add", g.add("MatMul", flat, g.weight(f32(HIDDEN, HIDDEN))), g.weight(f32(HIDDEN)))


def bert(opset=12):
    g = Graph(opset)
    ids = g.input(rng.integers(0, 11, (BATCH, STEPS)), "input_ids")
    segments = g.input(rng.integers(0, 2, (BATCH, STEPS)), "token_type_ids")
    lengths = np.arange(STEPS) < np.array([[STEPS], [STEPS - 2]])
    wide = g.add("Unsqueeze", g.add("Unsqueeze", g.input(lengths.astype(np.int64), "attention_mask"), axes=[1]), axes=[2])
    mask = g.add("Mul", g.add("Sub", g.number(1), g.add("Cast", wide, to=FLOAT)), g.number(-10000))
    words = g.add("Add", g.add("Gather", g.weight(f32(11, HIDDEN)), ids), g.add("Gather", g.weight(f32(2, HIDDEN)), segments))
    places = g.add("Gather", g.weight(f32(7, HIDDEN)), g.weight(np.arange(STEPS, dtype=np.int64)[None]))
    x = layer_norm(g, g.add("Add", words, places), HIDDEN)
    x = layer_norm(g, g.add("Add", attention(g, x, mask), x), HIDDEN)
    inner = gelu(g, g.add("Add", g.add("MatMul", x, g.weight(f32(HIDDEN, 12))), g.weight(f32(12))))
    outer = g.add("Add", g.add("MatMul", inner, g.weight(f32(12, HIDDEN))), g.weight(f32(HIDDEN)))
    g.output(layer_norm(g, g.add("Add", outer, x), HIDDEN))
    return g


@case("Attention", "SkipLayerNormalization", "BiasGelu", tolerance=2e-4)
def bert_layer():
    g = bert()
    model = g.model()
    return model, by_type(model, "bert", HEADS, HIDDEN, enable_embed_layer_norm=True), g.feeds


@case("MultiHeadAttention", tolerance=2e-4)
def bert_layer_of_multi_head_attention():
    g = bert()
    model = g.model()
    return model, by_type(model, "bert", HEADS, HIDDEN, use_multi_head_attention=True), g.feeds


@case("SkipLayerNormalization", "FusedMatMul", "Gelu", tolerance=2e-4)
def bert_layer_by_the_runtime():
    g = bert()
    model = g.model()
    return model, saved(model), g.feeds


def position_bias(is_bidirectional):
    """T5's: the bias of a distance is that of its bucket."""
    g = Graph(16)
    scores = g.input(f32(1, HEADS, STEPS, STEPS))
    steps = g.add("Gather", g.add("Shape", scores), g.number(2, np.int64), axis=0)
    places = g.add("Range", g.number(0, np.int64), steps, g.number(1, np.int64))
    distance = g.add("Sub", g.add("Unsqueeze", places, g.ints(0)), g.add("Unsqueeze", places, g.ints(1)))
    buckets = 16 if is_bidirectional else 32
    if is_bidirectional:
        distances = g.add("Abs", distance)
    else:
        zeros = g.add("ConstantOfShape", g.add("Shape", distance), value=numpy_helper.from_array(np.array([0])))
        distances = g.add("Neg", g.add("Min", distance, zeros))
    exact = buckets // 2
    logarithm = g.add("Log", g.add("Div", g.add("Cast", distances, to=FLOAT), g.number(exact)))
    large = g.add("Mul", g.add("Div", logarithm, g.number(np.log(128 / exact))), g.number(exact))
    large = g.add("Add", g.add("Cast", large, to=INT64), g.number(exact, np.int64))
    most = g.add("ConstantOfShape", g.add("Shape", large), value=numpy_helper.from_array(np.array([buckets - 1])))
    bucket = g.add("Where", g.add("Less", distances, g.number(exact, np.int64)), distances, g.add("Min", large, most))
    if is_bidirectional:
        ahead = g.add("Cast", g.add("Greater", distance, g.number(0, np.int64)), to=INT64)
        bucket = g.add("Add", g.add("Mul", ahead, g.number(16, np.int64)), bucket)
    bias = g.add("Unsqueeze", g.add("Transpose", g.add("Gather", g.weight(f32(32, HEADS)), bucket), perm=[2, 0, 1]), g.ints(0))
    last = g.add("Slice", bias, g.ints(0), g.ints(1 << 40), g.ints(2), g.ints(1))
    g.output(g.add("Softmax", g.add("Add", scores, g.add("Add", last, g.input(f32(1, 1, 1, STEPS)))), axis=3))
    return g


for is_bidirectional in (False, True):
    def relative_position_bias(is_bidirectional=is_bidirectional):
        global STEPS
        before, STEPS = STEPS, 40  # far enough for buckets of several distances
        g = position_bias(is_bidirectional)
        STEPS = before
        model = g.model()
        return model, fused(model, "onnx_model_t5.FusionRelativePositionBiasBlock"), g.feeds
    relative_position_bias.__name__ += "_of_an_encoder" if is_bidirectional else "_of_a_decoder"
    case("RelativePositionBias")(relative_position_bias)


# What ONNX Runtime's own optimizer writes.


@case("FusedConv")
def fused_conv():
    g = Graph()
    x = g.input(f32(1, 3, 6, 6))
    y = g.add("Relu", g.add("Conv", x, g.weight(f32(4, 3, 3, 3)), g.weight(f32(4)), pads=[1] * 4))
    z = g.add("LeakyRelu", g.add("Conv", y, g.weight(f32(4, 4, 1, 1))), alpha=.3)
    w = g.add("Clip", g.add("Conv", z, g.weight(f32(4, 2, 3, 1)), group=2), g.number(-.5), g.number(2))
    v = g.add("HardSigmoid", g.add("Conv", w, g.weight(f32(2, 4, 1, 1))), alpha=.25)
    g.output(v, g.add("Relu", g.add("Add", g.add("Conv", y, g.weight(f32(4, 4, 1, 1)), g.weight(f32(4))), z)))
    model = g.model()
    return model, saved(model), g.feeds


@case("FusedGemm", "FusedMatMul")
def fused_products():
    g = Graph()
    x = g.input(f32(5, 4))
    dense = g.add("LeakyRelu", g.add("Gemm", x, g.weight(f32(6, 4)), g.weight(f32(6)), transB=1, alpha=.5), alpha=.2)
    a, b = g.input(f32(2, 3, 4, 5)), g.input(f32(2, 3, 4, 6))
    turned = g.add("MatMul", g.add("Transpose", a, perm=[0, 1, 3, 2]), b)
    g.output(dense, g.add("Mul", turned, g.number(.25)))
    model = g.model()
    return model, saved(model), g.feeds


@case("QuickGelu")
def quick_gelu_by_the_runtime():
    g = Graph()
    x = g.input(f32(2, 3, 8) * 3)
    g.output(g.add("Mul", x, g.add("Sigmoid", g.add("Mul", x, g.number(.5)))))
    model = g.model()
    return model, saved(model), g.feeds


# Quantizers.


def small_network(first="Relu"):
    g = Graph(13)
    x = g.input(f32(1, 3, 8, 8), shape=[1, 3, 8, 8])
    y = g.add("Conv", x, g.weight(f32(4, 3, 3, 3) / 3), g.weight(f32(4)), pads=[1] * 4)
    y = g.add(first, y)
    z = g.add("Conv", y, g.weight(f32(4, 4, 1, 1) / 2))
    y = g.add("Add", y, g.add("LeakyRelu", z, alpha=.2))
    y = g.add("Concat", y, g.add("Mul", y, g.add("Sigmoid", z)), axis=1)
    y = g.add("AveragePool", g.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]), kernel_shape=[2, 2])
    y = g.add("Flatten", g.add("GlobalAveragePool", y))
    y = g.add("Gemm", y, g.weight(f32(5, 8) / 2), g.weight(f32(5)), transB=1)
    g.output(g.add("Softmax", y, axis=1))
    return g


# One step of what is quantized to 8 bits, several layers on.
STEP = 0.02


@case("QLinearAdd", "QLinearMul", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool",
      "QGemm", "QLinearSoftmax", tolerance=STEP)
def quantized_operators():
    from onnxruntime.quantization import QuantFormat, QuantType
    g = small_network()
    model = quantized(g.model(), g.feeds, quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8, weight_type=QuantType.QUInt8)
    return model, model, g.feeds


@case("QLinearAdd", "QLinearConcat", "QGemm", tolerance=STEP)
def quantized_pairs_by_the_runtime():
    from onnxruntime.quantization import QuantFormat, QuantType
    g = small_network()
    model = quantized(g.model(), g.feeds, quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QUInt8,
                      reduce_range=True)
    return model, saved(model), g.feeds


@case("QLinearConv", tolerance=STEP)
def quantized_channels_last():
    from onnxruntime.quantization import QuantFormat, QuantType
    g = Graph(13)
    y = g.add("Conv", g.input(f32(1, 4, 8, 8)), g.weight(f32(8, 4, 3, 3) / 3), g.weight(f32(8)), pads=[1] * 4)
    y = g.add("MaxPool", g.add("Relu", y), kernel_shape=[2, 2], strides=[2, 2])
    g.output(g.add("Conv", y, g.weight(f32(3, 8, 1, 1) / 3)))
    model = quantized(g.model(), g.feeds, quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8, weight_type=QuantType.QUInt8)
    return model, saved(model, "ORT_ENABLE_ALL"), g.feeds


@case("QuantizeLinear", "DequantizeLinear", tolerance=1e-3)
def quantized_to_16_bits():
    from onnxruntime.quantization import QuantFormat, QuantType
    g = small_network()
    model = quantized(g.model(), g.feeds, quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt16, weight_type=QuantType.QInt16,
                      extra_options={"UseQDQContribOps": True})
    return model, model, g.feeds


@case("DynamicQuantizeMatMul", tolerance=STEP)
def quantized_while_it_runs():
    from onnxruntime.quantization import QuantType
    g = Graph(13)
    x = g.input(f32(2, 3, 8))
    y = g.add("Add", g.add("MatMul", x, g.weight(f32(8, 6))), g.weight(f32(6)))
    g.output(g.add("MatMul", g.add("Tanh", y), g.weight(f32(6, 4))))
    model = quantized_dynamically(g.model(), weight_type=QuantType.QUInt8)
    return model, saved(model), g.feeds


@case("DynamicQuantizeLSTM", tolerance=STEP)
def quantized_lstm():
    from onnxruntime.quantization import QuantType
    g = Graph(13)
    x = g.input(f32(4, 2, 5))
    operands = [x, g.weight(f32(2, 12, 5)), g.weight(f32(2, 12, 3)), g.weight(f32(2, 24))]
    g.output(g.add("LSTM", *operands, hidden_size=3, direction="bidirectional", outputs=1))
    model = quantized_dynamically(g.model(), weight_type=QuantType.QInt8, reduce_range=True, op_types_to_quantize=["LSTM"])
    return g.model(), model, g.feeds


@case("QAttention", tolerance=.1)
def quantized_attention():
    from onnxruntime.quantization import QuantType
    g = bert()
    model = quantized_dynamically(by_type(g.model(), "bert", HEADS, HIDDEN), weight_type=QuantType.QUInt8)
    return model, model, g.feeds


@case("MatMulBnb4")
def four_bit_floats():
    from onnxruntime.quantization.matmul_bnb4_quantizer import MatMulBnb4Quantizer
    g = Graph()
    first = g.add("MatMul", g.input(f32(2, 64)), g.weight(f32(64, 32)))
    g.output(first)
    quantizer = MatMulBnb4Quantizer(g.model(), quant_type=MatMulBnb4Quantizer.NF4, block_size=16)
    quantizer.process()
    return quantizer.model.model, quantizer.model.model, g.feeds


def four_bit_integers(symmetric, bits):
    if "onnx_ir" not in sys.modules:  # It only carries tensors there.
        ir = types.ModuleType("onnx_ir")
        ir.from_proto = lambda tensor: types.SimpleNamespace(numpy=lambda: numpy_helper.to_array(tensor))
        ir.Tensor = lambda array, name: numpy_helper.from_array(array, name)
        ir.serde = types.SimpleNamespace(serialize_tensor=lambda tensor: tensor)
        sys.modules["onnx_ir"] = ir
    from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
    g = Graph(21)
    g.output(g.add("MatMul", g.input(f32(2, 72)), g.weight(f32(72, 16))))
    config = DefaultWeightOnlyQuantConfig(block_size=32, is_symmetric=symmetric, bits=bits)
    quantizer = MatMulNBitsQuantizer(g.model(), algo_config=config)
    quantizer.process()
    return quantizer.model.model, quantizer.model.model, g.feeds


for symmetric in (False, True):
    for bits in (4, 8):
        def few_bits(symmetric=symmetric, bits=bits):
            return four_bit_integers(symmetric, bits)
        few_bits.__name__ = f"integers_of_{bits}_bits_{'symmetric' if symmetric else 'with_zero_points'}"
        case("MatMulNBits")(few_bits)


def run_unoptimized(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def find_problem(function, operators, tolerance):
    before, written, feeds = function()
    known = ("com.microsoft", "") if "SimplifiedLayerNormalization" in operators else ("com.microsoft", )
    missing = set(operators) - {node.op_type for node in written.graph.node if node.domain in known}
    if missing:
        return f"the writer made no {sorted(missing)}: {sorted({n.op_type for n in written.graph.node})}"
    wanted = run_unoptimized(before, feeds)
    for level in (0, 2):
        got = onnxc.InferenceSession(written.SerializeToString(), opt_level=level).run(None, feeds)
        for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
            if g.shape != w.shape or g.dtype != w.dtype:
                return f"-O{level}: output {i} is {g.dtype}{list(g.shape)} instead of {w.dtype}{list(w.shape)}"
            error = np.max(np.abs(g.astype(np.float64) - w.astype(np.float64)), initial=0) / (1 + np.max(np.abs(w), initial=0))
            if not error <= tolerance:
                return f"-O{level}: output {i} differs by {error:.3g} of the largest value"
    return ""


def main():
    failures = 0
    names = sys.argv[1:] or list(CASES)
    for name in names:
        try:
            problem = find_problem(*CASES[name])
        except Exception as error:  # Of any side; the run goes on.
            problem = f"{type(error).__name__}: {str(error)[:400]}"
        if problem:
            failures += 1
            print(f"{name}: {problem}")
    print(f"{len(names)} cases, {failures} failures")


if __name__ == "__main__":
    main()
