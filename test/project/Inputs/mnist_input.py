"""Writes the input of the first case of a model of test/models."""

import sys

import numpy as np

data = np.load(sys.argv[1] + "/data.npz")
np.savez(sys.argv[2], **{key[len("n1/in/"):]: data[key] for key in data.files
                         if key.startswith("n1/in/")})
