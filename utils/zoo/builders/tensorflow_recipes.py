#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of Keras, written by tf2onnx. Runs in an environment of its own.

usage: tensorflow_recipes.py RECIPE OPSET open|fixed FOLDER"""

import os
import pathlib
import sys

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_NUM_INTRAOP_THREADS": "1"}

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras import layers  # noqa: E402


def image(size, step=32):
    return [None, None, None, 3], [[1, size, size, 3], [2, size + step, size, 3]]


def series(width, *, batch=None):
    return [batch, None, width], [[batch or 1, 9, width], [batch or 2, 14, width]]


def application(name, size=64, **options):
    return lambda: (getattr(keras.applications, name)(weights=None, include_top=False, input_shape=(None, None, 3), pooling="avg", **options), *image(size))


def stacked(shapes, *parts):
    return lambda: (keras.Sequential(list(parts)), *shapes)


def attention():
    x = keras.Input([None, 16])
    y = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    return keras.Model(x, y + layers.Dense(16)(layers.Dense(32, activation="silu")(y))), *series(16)


def unet():
    x = keras.Input([None, None, 3])
    down = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    low = layers.Conv2D(16, 3, strides=2, padding="same", activation="swish")(down)
    up = layers.Conv2DTranspose(8, 2, strides=2)(low)
    return keras.Model(x, layers.Conv2D(4, 1, activation="softmax")(layers.Concatenate()([up, down]))), *image(32)


def tokens():
    x = keras.Input([None], dtype="int32")
    y = layers.GlobalMaxPooling1D()(layers.Bidirectional(layers.GRU(8, return_sequences=True))(layers.Embedding(50, 12)(x)))
    return keras.Model(x, layers.Dense(3, activation="sigmoid")(y)), [None, None], [[1, 7], [3, 11]]


def operations():
    """What models write by hand: sizes at run time, gathers, segments, masks, loops."""
    class Operations(keras.Model):
        def call(self, x):
            n, t = tf.shape(x)[0], tf.shape(x)[1]
            mask = tf.sequence_mask(tf.range(n) + 2, t, dtype=tf.float32)[..., None]
            best = tf.math.top_k(tf.reduce_sum(x * mask, 2), 3)
            chosen = tf.gather(x, best.indices, batch_dims=1)
            rows = tf.reshape(tf.transpose(chosen, [1, 0, 2]), [3 * n, -1])
            total = tf.while_loop(lambda i, s: i < t, lambda i, s: (i + 1, s * 0.9 + x[:, i]), [0, tf.zeros_like(x[:, 0])])[1]
            padded = tf.pad(x, [[0, 0], [1, 1], [0, 0]], "REFLECT")
            return rows, total, tf.cumsum(padded, 1), tf.einsum("btd,bsd->bts", x, x), tf.one_hot(best.indices, t)
    return Operations(), *series(6)


RECIPES = {
    "mobilenet_v2": application("MobileNetV2", alpha=0.35),
    "mobilenet_v3": application("MobileNetV3Small", alpha=1.0, include_preprocessing=False),
    "efficientnet_v2": application("EfficientNetV2B0", include_preprocessing=False),
    "nasnet": lambda: (keras.applications.NASNetMobile(weights=None, include_top=False, input_shape=(224, 224, 3), pooling="avg"),
                       [None, 224, 224, 3], [[1, 224, 224, 3], [2, 224, 224, 3]]),
    "densenet": application("DenseNet121"),
    "xception": application("Xception", 96),
    "resnet_v2": application("ResNet50V2"),
    "convnext": application("ConvNeXtTiny", include_preprocessing=False),
    "vgg": application("VGG16", 48),
    "lstm": stacked(series(8), layers.LSTM(12, return_sequences=True), layers.LSTM(6), layers.Dense(2)),
    "gru": stacked(series(8), layers.GRU(12, reset_after=False), layers.Dense(2, activation="tanh")),
    "conv_lstm": stacked(([None, 5, 12, 12, 3], [[1, 5, 12, 12, 3], [2, 5, 12, 12, 3]]), layers.ConvLSTM2D(6, 3, padding="same")),
    "conv_1d": stacked(series(8), layers.Conv1D(16, 3, padding="causal", dilation_rate=2, activation="elu"), layers.BatchNormalization(),
                       layers.MaxPooling1D(2), layers.SeparableConv1D(8, 3), layers.GlobalAveragePooling1D()),
    "conv_3d": stacked(([None, 8, None, 8, 2], [[1, 8, 8, 8, 2], [2, 8, 12, 8, 2]]), layers.Conv3D(8, 3, padding="same", activation="relu"),
                       layers.AveragePooling3D(2), layers.Conv3DTranspose(4, 2, strides=2)),
    "images": stacked(image(32), layers.ZeroPadding2D((1, 2)), layers.DepthwiseConv2D(3, strides=2, depth_multiplier=2), layers.LeakyReLU(),
                      layers.UpSampling2D(2, interpolation="bilinear"), layers.Cropping2D(2), layers.PReLU(shared_axes=[1, 2]),
                      layers.GroupNormalization(3), layers.SeparableConv2D(8, 3, padding="same", dilation_rate=2), layers.Softmax(-1)),
    "attention": attention,
    "unet": unet,
    "tokens": tokens,
    "operations": operations,
}


def main():
    recipe, opset, sizes, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
    import tf2onnx
    keras.utils.set_random_seed(20)
    model, shape, inputs = RECIPES[recipe]()
    random = np.random.default_rng(20)
    kind = np.int32 if recipe == "tokens" else np.float32
    feeds = [random.integers(1, 50, size).astype(kind) if kind == np.int32 else random.standard_normal(size).astype(kind)
             for size in (inputs if sizes == "open" else [inputs[0]] * 2)]
    model(feeds[0])
    for weight in model.weights:  # what starts as zeros and ones would hide whole branches
        value = np.asarray(weight)
        if value.size > 1 and value.min() == value.max():
            weight.assign(value + np.abs(0.1 * random.standard_normal(value.shape)).astype(value.dtype))
    signature = [tf.TensorSpec(shape if sizes == "open" else inputs[0], kind, name="x")]
    tf2onnx.convert.from_function(tf.function(lambda x: model(x, training=False), input_signature=signature), input_signature=signature,
                                  opset=opset, output_path=str(folder / "model.onnx"))
    for number, feed in enumerate(feeds):
        np.savez(folder / f"in_{number}.npz", x=feed)


main()
