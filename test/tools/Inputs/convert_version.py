# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model at opset 11. usage: convert_version.py IN OUT"""

import sys

import onnx
import onnxc

onnx.save(onnxc.convert_version(onnx.load(sys.argv[1]), {"ai.onnx": 11}), sys.argv[2])
