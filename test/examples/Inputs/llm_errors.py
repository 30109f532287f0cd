"""Folders that cannot be loaded: each is one of llm.py's with something wrong.

usage: llm_errors.py FOLDER     with qwen3 and llama in it
"""

import json
import pathlib
import shutil
import sys

import numpy as np
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "examples" / "llm"))
import make_model  # noqa: E402


def main():
    base = pathlib.Path(sys.argv[1])
    count = 0

    def refuse(what, config=None, kind="qwen3", change=None):
        nonlocal count
        work = base / "work" / kind
        shutil.rmtree(work.parent, ignore_errors=True)
        shutil.copytree(base / kind, work)
        if config:
            about = json.loads((work / "config.json").read_text()) | config
            (work / "config.json").write_text(json.dumps(about))
        if change:
            change(work)
        output = work.parent / "output"
        output.mkdir()
        sys.argv = ["make_model.py", str(work), str(output / "decoder.onnx")]
        error = None
        try:
            make_model.report(make_model.main, "make_model.py")
        except SystemExit as end:
            error = end.code
        left = list(output.iterdir())
        if not isinstance(error, str) or "\n" in error or left:
            sys.exit(f"{what}: {error!r}, {left}")
        print(f"{what}: {error}")
        count += 1

    def integers(work):
        weights = safetensors.numpy.load_file(work / "model.safetensors")
        weights["model.norm.weight"] = weights["model.norm.weight"].astype(np.int64)
        safetensors.numpy.save_file(weights, work / "model.safetensors")

    def cut_off(work):
        whole = (work / "model.safetensors").read_bytes()
        (work / "model.safetensors").write_bytes(whole[:-100])

    def outside(work):
        (work / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../qwen3/model.safetensors"}}))

    refuse("no config.json", change=lambda work: (work / "config.json").unlink())
    refuse("family", {"model_type": "gpt2"})
    refuse("activation", {"hidden_act": "gelu"})
    refuse("size", {"num_hidden_layers": "2"})
    refuse("heads", {"num_key_value_heads": 3})
    refuse("rotation", {"rope_scaling": {"rope_type": "yarn"}})
    refuse("quantized", {"quantization_config": {"bits": 4}})
    refuse("other sizes", {"intermediate_size": 81})
    refuse("a tensor missing", {"tie_word_embeddings": False})
    refuse("tensors left", {"num_hidden_layers": 1})
    refuse("not JSON", change=lambda work: (work / "config.json").write_text("{"))
    refuse("cut off", change=cut_off)
    refuse("a part missing", kind="llama", change=lambda work: (work / "model-00002-of-00002.safetensors").unlink())
    refuse("outside", change=outside)
    refuse("integers", change=integers)
    print(f"{count} as expected")


if __name__ == "__main__":
    main()
