# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models run by others than onnxc: ONNX's reference evaluator, and ONNX Runtime."""

import os

import exact_integers

os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")

import onnx  # noqa: E402

RUNTIME_IR_VERSION = 10  # the newest that ONNX Runtime reads; later ones mean the same by what it knows
RUNTIME_OPSET = 21  # for later ones it lacks kernels


def run_reference(model, feeds):
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(model).run(None, feeds)


def run_onnxruntime(model, feeds):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    readable = onnx.ModelProto()
    readable.CopyFrom(model)
    readable.ir_version = min(model.ir_version, RUNTIME_IR_VERSION)
    session = onnxruntime.InferenceSession(exact_integers.make_exact(readable).SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def restamp_for_runtime(model):
    """The model as one of the opset that ONNX Runtime has kernels for, where its opset
    is later; nothing else changes. An operator whose later form ONNX Runtime does not
    know, or an attribute, is refused there; later forms that are not mean the same."""
    stamped = onnx.ModelProto()
    stamped.CopyFrom(model)
    for entry in (*stamped.opset_import, *(entry for function in stamped.functions for entry in function.opset_import)):
        if entry.domain in ("", "ai.onnx"):
            entry.version = min(entry.version, RUNTIME_OPSET)
    return stamped


def lower_for_runtime(model):
    """The model by onnxc, where ONNX Runtime does not know its opset."""
    import onnxc
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    return onnxc.convert_version(model, RUNTIME_OPSET) if opset > RUNTIME_OPSET else model


def find_fault(model, feeds, compare):
    """Why no implementation gives what `compare`, which says what is wrong with a list of
    outputs, expects; None if one does. onnxc's own way to an older opset counts only
    where no one else can run the model at all: a wrong step up could be what its step
    down reverses."""
    why, has_run = [], False
    for engine, run in (("the reference", run_reference),
                        ("ONNX Runtime", lambda model, feeds: run_onnxruntime(restamp_for_runtime(model), feeds)),
                        ("ONNX Runtime, lowered", lambda model, feeds: run_onnxruntime(lower_for_runtime(model), feeds))):
        if has_run and engine == "ONNX Runtime, lowered":
            break
        try:
            got = run(model, feeds)
        except Exception as error:  # whatever it has against the model
            why.append(f"by {engine}: {type(error).__name__}: {error}"[:200])
            continue
        has_run = True
        wrong = compare(got)
        if not wrong:
            return None
        why.append(f"by {engine}: {wrong}"[:200])
    return "; ".join(why).replace("\n", " ")
