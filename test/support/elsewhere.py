# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models run by others than onnxc: ONNX's reference evaluator, and ONNX Runtime."""

import os

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")

RUNTIME_IR_VERSION = 10  # the newest that ONNX Runtime reads; later ones mean the same by what it knows
RUNTIME_OPSET = 21  # for later ones it lacks kernels


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


def lower_for_runtime(model):
    """The model by onnxc, where ONNX Runtime does not know its opset."""
    import onnxc
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    return onnxc.convert_version(model, RUNTIME_OPSET) if opset > RUNTIME_OPSET else model


def find_fault(model, feeds, compare):
    """Why neither of the two gives what `compare`, which says what is wrong with a list
    of outputs, expects; None if one does."""
    why = []
    for run in (run_reference, lambda model, feeds: run_onnxruntime(lower_for_runtime(model), feeds)):
        try:
            wrong = compare(run(model, feeds))
        except Exception as error:  # whatever it has against the model
            wrong = f"{type(error).__name__}: {error}"
        if not wrong:
            return None
        why.append(wrong[:160])
    return "by the reference: {}; by ONNX Runtime: {}".format(*why).replace("\n", " ")
