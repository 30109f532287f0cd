"""Whether outputs are right."""

import numpy as np


def relative_error(ours, theirs):
    """The largest difference as a part of the largest element."""
    if ours.shape != theirs.shape:
        return float("inf")
    if not ours.size:
        return 0.0
    if ours.dtype.kind != "f" or theirs.dtype.kind != "f":
        return float(np.mean(ours != theirs))
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(ours - theirs))
        error = np.max(difference) / (np.max(np.abs(theirs)) + 1e-12)
    return float(error) if np.isfinite(error) else float("inf")


def relative_norm(ours, theirs):
    """The norm of the difference as a part of the reference's norm."""
    if ours.shape != theirs.shape or ours.dtype.kind != "f":
        return 0.0 if ours.shape == theirs.shape else float("inf")
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        error = np.linalg.norm(np.where(same, 0, ours - theirs)) / (np.linalg.norm(theirs) + 1e-12)
    return float(error) if np.isfinite(error) else float("inf")


def arrangements(value, shape):
    """The ways to read `value` as an array of `shape`: as it is, without axes of size 1, and with
    the second axis last, as in NHWC."""
    if value.size != int(np.prod(shape)):
        return
    yield value.reshape(shape)
    if len(shape) > 2:
        last = (shape[0], *shape[2:], shape[1])
        yield np.moveaxis(value.reshape(last), -1, 1)


def fit(outputs, expected):
    """The outputs of a peer whose files have another order of outputs and axes, as
    those of the model: for each the one that is nearest, each once."""
    left, found = list(outputs), []
    for theirs in expected:
        choices = [(relative_error(array, theirs), i, array) for i, value in enumerate(left)
                   for array in arrangements(np.asarray(value), theirs.shape)]
        if not choices:
            return outputs
        _, i, array = min(choices, key=lambda choice: choice[:2])
        del left[i]
        found.append(array)
    return found


def verdict(model, outputs, expected, converted=False):
    """{"error_size", "correct"}: how far the outputs are from the expected ones, and whether
    that is within the model's tolerances. Without expected ones, nothing is correct."""
    if expected is None:
        return {"correct": None}
    if converted:
        outputs = fit(outputs, expected)
    if len(outputs) != len(expected):
        return {"correct": False, "error_size": float("inf")}
    pairs = list(zip(outputs, expected))
    error = max([relative_error(a, b) for a, b in pairs] or [0.0])
    norm = max([relative_norm(a, b) for a, b in pairs] or [0.0])
    return {"error_size": error,
            "correct": error <= model.tolerance and (model.rel_l2 is None or norm <= model.rel_l2)}
