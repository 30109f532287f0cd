# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that onnxc compiled to WebAssembly, run by Node.js."""

import base64
import json
import os
import subprocess

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ARRAYS = {"float32": "Float32Array", "float64": "Float64Array", "int64": "BigInt64Array", "uint64": "BigUint64Array",
          "int32": "Int32Array", "uint32": "Uint32Array", "int16": "Int16Array", "uint16": "Uint16Array",
          "int8": "Int8Array", "int4": "Int8Array", "int2": "Int8Array", "complex64": "Float32Array",
          "complex128": "Float64Array", "float16": "Uint16Array", "bfloat16": "Uint16Array"}
DTYPES = {"float": np.float32, "double": np.float64, **{name: getattr(ml_dtypes, name) for name in (
    "bfloat16", "uint4", "int4", "uint2", "int2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")}}
DTYPES |= {name.replace("_", ""): getattr(ml_dtypes, name) for name in (
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")}
DTYPES |= {"float8e8m0": ml_dtypes.float8_e8m0fnu, "float4e2m1": ml_dtypes.float4_e2m1fn,
           "float6e2m3": ml_dtypes.float6_e2m3fn, "float6e3m2": ml_dtypes.float6_e3m2fn}


def encode(value):
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [encode(part) for part in value]
    value = np.asarray(value)
    if value.dtype.kind in "OU":
        return {"texts": value.ravel().tolist(), "dims": list(value.shape)}
    return {"data": base64.b64encode(value.tobytes()).decode(), "dims": list(value.shape),
            "array": ARRAYS.get(value.dtype.name, "Uint8Array")}


def decode(value):
    if value is None:
        return None
    if isinstance(value, list):
        return [decode(part) for part in value]
    if "keys" in value:
        return dict(zip(decode(value["keys"]).tolist(), decode(value["values"]).tolist(), strict=True))
    if "texts" in value:
        texts = np.empty(value["dims"], object)
        texts.ravel()[:] = value["texts"]
        return texts
    dtype = np.dtype(DTYPES.get(value["type"], value["type"]))
    return np.frombuffer(base64.b64decode(value["data"]), dtype).reshape(value["dims"])


def compile_model(build, model, output, *options):
    """What onnxc says against it, "" for nothing."""
    done = subprocess.run([os.path.join(build, "bin", "onnxc"), model, "-o", output, *options],
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def run_all(tasks, folder):
    """The answers to [(loader, [inputs by name])]: the runs' outputs by name, or
    the text of an error."""
    path = os.path.join(folder, "tasks.json")
    with open(path, "w", encoding="utf-8") as file:
        for loader, runs in tasks:
            runs = [{name: encode(value) for name, value in inputs.items()} for inputs in runs]
            file.write(json.dumps({"loader": os.path.abspath(loader), "runs": runs}) + "\n")
    done = subprocess.run(["node", os.path.join(HERE, "run_models.mjs"), path], capture_output=True, text=True)
    answers = []
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        answers.append(answer.get("error") or
                       [{name: decode(value) for name, value in run.items()} for run in answer["runs"]])
    if len(answers) < len(tasks):
        answers.append(f"Node.js ended: {done.stderr[-300:]}")
    return answers
