#!/usr/bin/env python3
"""Makes digits/*.pgm, the images that the quickstart reads.

They are the first ten images of scikit-learn's digits data set (8x8 pixels,
from the UCI "Optical Recognition of Handwritten Digits", E. Alpaydin and
C. Kaynak, CC BY 4.0), scaled to 18x18, and centred by mass on 28x28 pixels as
the images of MNIST are.

Needs scikit-learn; the files are kept in the project, so it need not be run.
"""

import pathlib

import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits

SIZE = 18
FOLDER = pathlib.Path(__file__).resolve().parent / "digits"


def scale(image):
    ink = zoom(image, SIZE / 8, order=3, mode="nearest", grid_mode=True)
    # The strokes of the 8x8 images are grey; MNIST's are white.
    ink = np.clip((ink - 4) / 12 * 1.3, 0, 1)
    whole = np.zeros((28, 28))
    margin = (28 - SIZE) // 2
    whole[margin:margin + SIZE, margin:margin + SIZE] = ink
    rows, columns = np.mgrid[:28, :28]
    down = round(13.5 - (whole * rows).sum() / whole.sum())
    right = round(13.5 - (whole * columns).sum() / whole.sum())
    whole = np.roll(whole, (down, right), (0, 1))
    return np.round(whole * 255).astype(np.uint8)


def main():
    digits = load_digits()
    for image, label in zip(digits.images[:10], digits.target[:10]):
        path = FOLDER / f"{label}.pgm"
        path.write_bytes(b"P5\n28 28\n255\n" + scale(image).tobytes())


if __name__ == "__main__":
    main()
