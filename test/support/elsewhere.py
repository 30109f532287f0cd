# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models run by others than onnxc: ONNX's reference evaluator, and ONNX Runtime."""

import os

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")

RUNTIME_IR_VERSION = 10  # the newest that ONNX Runtime reads; later ones mean the same by what it knows


def run_reference(model, feeds):
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(model).run(None, feeds)


def run_onnxruntime(model, feeds):
    import onnx
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    readable = onnx.ModelProto()
    readable.CopyFrom(model)
    readable.ir_version = min(model.ir_version, RUNTIME_IR_VERSION)
    session = onnxruntime.InferenceSession(readable.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def find_fault(model, feeds, compare):
    """Why neither of the two gives what `compare`, which says what is wrong with a list
    of outputs, expects; None if one does."""
    why = []
    for run in (run_reference, run_onnxruntime):
        try:
            wrong = compare(run(model, feeds))
        except Exception as error:  # whatever it has against the model
            wrong = f"{type(error).__name__}: {error}"
        if not wrong:
            return None
        why.append(f"{run.__name__}: {wrong[:160]}")
    return "; ".join(why).replace("\n", " ")
