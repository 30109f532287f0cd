#!/usr/bin/env python3
"""Checks a model fully and prints it as text.

usage: print_model.py MODEL
"""

import sys

import onnx

model = onnx.load(sys.argv[1], load_external_data=False)
onnx.checker.check_model(sys.argv[1], full_check=True)
print(onnx.printer.to_text(model))
