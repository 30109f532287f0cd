"""Models compiled by onnxc.keras give what Keras predicts.

usage: keras_models.py FOLDER          with $KERAS_BACKEND
"""

import collections
import functools
import pathlib
import pickle
import sys

import keras
import numpy as np
from keras import layers

import onnxc
import onnxc.keras  # after TensorFlow, which makes its LLVM visible to all

random = np.random.default_rng(7)
IS_TF = keras.backend.backend() == "tensorflow"


def dense():
    return keras.Sequential([keras.Input((10,)), layers.Dense(32, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.5),
                             layers.Dense(3, activation="softmax")])


def convolutional():
    return keras.Sequential([keras.Input((17, 18, 3)), layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
                             layers.MaxPooling2D(2, padding="same"), layers.Conv2D(16, 3, use_bias=False), layers.BatchNormalization(),
                             layers.ReLU(6.0), layers.GlobalAveragePooling2D(), layers.Dense(4)])


def separable():
    """Of any image size."""
    return keras.Sequential([keras.Input((None, None, 4)), layers.SeparableConv2D(8, 3, padding="same", activation="swish"),
                             layers.DepthwiseConv2D(3, strides=2, padding="same"), layers.BatchNormalization(), layers.ReLU(),
                             layers.Conv2DTranspose(4, 3, strides=2, padding="same"), layers.GlobalMaxPooling2D(), layers.Dense(4)])


def lstm():
    return keras.Sequential([keras.Input((None, 6)), layers.LSTM(8, return_sequences=True), layers.LSTM(5), layers.Dense(2)])


def gru():
    return keras.Sequential([keras.Input((None, 6)), layers.GRU(8, return_sequences=True), layers.GRU(5, reset_after=False), layers.Dense(2)])


def bidirectional():
    return keras.Sequential([keras.Input((9, 6)), layers.Bidirectional(layers.LSTM(8, return_sequences=True)),
                             layers.Bidirectional(layers.GRU(4), merge_mode="sum"), layers.Dense(2)])


def transformer():
    x = inputs = keras.Input((None, 16), name="sequence")
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 4)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(16)(layers.Dense(32, activation="gelu")(x)))
    return keras.Model(inputs, x)


def text():
    """Numbers of tokens, with zeros after the end."""
    tokens = keras.Input((None,), dtype="int32", name="tokens")
    x = layers.LSTM(9)(layers.Embedding(50, 12, mask_zero=True)(tokens))
    return keras.Model(tokens, layers.Dense(1, activation="sigmoid")(x))


def two_inputs():
    left, right = keras.Input((5,), name="left"), keras.Input((7,), name="right")
    x = layers.Concatenate()([layers.Dense(4, activation="tanh")(left), layers.Dense(4)(right)])
    return keras.Model([left, right], [layers.Dense(1, name="score")(x), layers.Dense(3, activation="softmax", name="kind")(x)])


def dicts():
    model = two_inputs()
    return keras.Model(dict(zip(("left", "right"), model.inputs)), dict(zip(("score", "kind"), model.outputs)))


def states():
    """A layer with several outputs."""
    x = keras.Input((5, 6), name="x")
    return keras.Model(x, layers.LSTM(3, return_state=True, name="lstm")(x))


def nested():
    block = keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(4, 3), layers.LeakyReLU()], name="block")
    x = keras.Input((8, 8, 3))
    return keras.Model(x, layers.Dense(2)(layers.Flatten()(block(x))))


def normalized():
    return keras.Sequential([keras.Input((4,)), layers.Normalization(mean=[1.0, 2, 3, 4], variance=[1.0, 2, 3, 4]), layers.Rescaling(2.0),
                             layers.GaussianNoise(1.0), layers.UnitNormalization()])


def causal():
    return keras.Sequential([keras.Input((None, 3)), layers.Conv1D(4, 3, padding="causal", dilation_rate=2), layers.ELU(),
                             layers.GlobalAveragePooling1D()])


MODELS = [dense, convolutional, separable, lstm, gru, bidirectional, transformer, text, two_inputs, dicts, states, nested, normalized, causal]


def with_weights(model):
    """Weights that are not those of a new model: no layer is the identity, no bias zero."""
    for weight in model.weights:
        value = keras.ops.convert_to_numpy(weight)
        if value.dtype.kind == "f":
            least = 0.5 if "variance" in weight.path else -0.2
            weight.assign(value + random.uniform(least, least + 0.4, value.shape))
    return model


def data(model, rows, size):
    """Arrays as the model takes them, with `size` for open sizes."""
    def made(tensor):
        shape = [rows, *(known or size for known in tensor.shape[1:])]
        if "int" in str(tensor.dtype):
            array = random.integers(1, 50, shape)
            array[:, size - 2:] = 0
            return array.astype(tensor.dtype)
        return random.standard_normal(shape).astype(tensor.dtype)
    found = keras.tree.map_structure(made, model.inputs if isinstance(model, keras.Sequential) else model.input)
    return found[0] if isinstance(model, keras.Sequential) else found


def compare(model, fast, rows, size, tolerance=1e-5, predict=None):
    x = data(model, rows, size)
    wanted, found = (predict or functools.partial(model.predict, verbose=0))(x), fast.predict(x)
    assert type(found) is type(wanted), (type(found), type(wanted))
    for one, other in zip(keras.tree.flatten(wanted), keras.tree.flatten(found), strict=True):
        assert one.dtype == other.dtype, (one.dtype, other.dtype)
        np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance * max(1, np.abs(one).max()), err_msg=model.name)


def described(args):
    return [(arg.name, arg.shape) for arg in args]


def models():
    count = 0
    for make in MODELS:
        keras.utils.set_random_seed(7)
        model = with_weights(make())
        try:
            # Keras exports from torch with fixed sizes only, and what it cannot export is an error.
            sizes = None if IS_TF or len(model.inputs) > 1 else [None, *(size or 7 for size in model.inputs[0].shape[1:])]
            fast = onnxc.keras.compile(model, sizes=sizes)
            for rows, size in ((1, 7), (5, 12 if IS_TF else 7), (3, 4 if IS_TF else 7)):
                compare(model, fast, rows, size)
        except Exception as error:
            print(f"{make.__name__}: {type(error).__name__}: {error}"[:1500], file=sys.stderr)
            continue
        count += 1
    print("models:", count)
    if not IS_TF:
        return
    made = onnxc.keras.to_onnx(lstm())
    known = collections.Counter(node.op_type for node in made.graph.node)
    print("operators:", ", ".join(f"{name} {known[name]}" for name in ("LSTM", "Loop", "Scan")))


def small():
    return with_weights(keras.Sequential([keras.Input((4,)), layers.Dense(3, activation="tanh"), layers.Dense(2)], name="small"))


def forms(folder):
    """Names, libraries, pickles, sizes, precision."""
    fast = onnxc.keras.compile(two_inputs())
    print("inputs:", described(fast.get_inputs()), "outputs:", described(fast.get_outputs()))
    model = small()
    fast = onnxc.keras.compile(model)
    print("names:", described(fast.get_inputs()), described(fast.get_outputs()))
    x = data(model, 3, 4)
    session = onnxc.InferenceSession(onnxc.keras.compile(model, output=folder / "model.so"))
    np.testing.assert_allclose(session.run(["y"], {"x": x})[0], model.predict(x, verbose=0), atol=1e-5)
    print("a library:", described(session.get_inputs()))
    np.testing.assert_allclose(fast({"x": x.tolist()}), fast(x.astype(np.float64)), atol=1e-6)
    print("pickled:", bool((pickle.loads(pickle.dumps(fast)).predict(x) == fast.predict(x)).all()))
    made = onnxc.keras.to_onnx(model, opset=18)
    print("opset:", next(used.version for used in made.opset_import if used.domain in ("", "ai.onnx")))
    fixed = onnxc.keras.compile(model, batch=4)
    compare(model, fixed, 4, 4)
    print("batch:", fixed.get_inputs()[0].shape)
    if not IS_TF:
        return
    model = with_weights(lstm())
    fixed = onnxc.keras.compile(model, batch=2, sizes={"x": [None, 5, None]})
    compare(model, fixed, 2, 5)
    print("sizes:", onnxc.keras.compile(model, sizes=["rows", "length", None]).get_inputs()[0].shape, fixed.get_inputs()[0].shape)
    model = with_weights(keras.Sequential([keras.Input((4,), dtype="float64"), layers.Dense(3, dtype="float64", activation="tanh")]))
    fast = onnxc.keras.compile(model)
    compare(model, fast, 5, 4, 1e-12, lambda x: keras.ops.convert_to_numpy(model(x)))  # predict makes x float32
    print("double precision:", fast.get_inputs()[0].type, fast.predict(data(model, 2, 4)).dtype)
    model = with_weights(keras.Sequential([keras.Input((4,)), layers.Dense(3, dtype="mixed_float16", activation="gelu")]))
    fast = onnxc.keras.compile(model)
    compare(model, fast, 5, 4, 2e-3)
    print("half precision:", fast.get_outputs()[0].type)

    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = layers.Dense(3), layers.Dense(2)

        def call(self, x):
            h = self.first(x["a"])
            return {"p": h, "q": [self.second(h), h * 2]}

    model, sample = Own(), {"a": np.zeros((1, 4), np.float32)}
    fast = onnxc.keras.compile(model, sample=sample)
    x = {"a": random.standard_normal((3, 4)).astype(np.float32)}
    found = fast(x)
    for one, other in zip(keras.tree.flatten(model.predict(x, verbose=0)), keras.tree.flatten(found), strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)
    print("a class:", [arg.name for arg in fast.get_outputs()], keras.tree.map_structure(np.shape, found))


class Failing(layers.Layer):
    def call(self, x):
        raise ValueError("not today")

    def compute_output_shape(self, shape):
        return shape


def errors():
    fast, two = onnxc.keras.compile(small()), onnxc.keras.compile(two_inputs())
    wrong = [lambda: onnxc.keras.compile(7),
             lambda: onnxc.keras.compile(keras.Sequential([layers.Dense(3)], name="open")),
             lambda: onnxc.keras.compile(small(), sizes={"z": [None, 4]}),
             lambda: onnxc.keras.compile(small(), sizes=[None, 5]),
             lambda: onnxc.keras.compile(two_inputs(), sizes=[None, 5]),
             lambda: onnxc.keras.compile(keras.Sequential([keras.Input((4,)), layers.Dense(3, dtype="mixed_bfloat16", name="rounded")])),
             lambda: two(np.ones((2, 5))),
             lambda: two({"left": np.ones((2, 5))}),
             lambda: fast(np.ones((2, 3)))]
    if not IS_TF:
        wrong += [lambda: onnxc.keras.compile(lstm())]
    else:
        words = keras.Input((), dtype="string", name="words")
        wrong += [lambda: onnxc.keras.compile(keras.Sequential([keras.Input((3, 3)), layers.Lambda(lambda x: keras.ops.svd(x)[1], name="singular")])),
                  lambda: onnxc.keras.compile(keras.Model(words, layers.StringLookup(vocabulary=["a", "b"], name="lookup")(words))),
                  lambda: onnxc.keras.compile(keras.Sequential([keras.Input((3,)), Failing()], name="fails")),
                  without_tf2onnx]
    for one in wrong:
        try:
            one()
            print("no error")
        except onnxc.Error as error:
            print("error:", error)


def without_tf2onnx():
    kept = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "tf2onnx"}
    for name in kept:
        sys.modules[name] = None
    try:
        onnxc.keras.compile(small())
    finally:
        sys.modules.update(kept)


def main():
    models()
    forms(pathlib.Path(sys.argv[1]))
    errors()
    print("done")


main()
