"""torch.compile finds the backend by the package's entry point, without an import of onnxc.torch.

usage: torch_entry_point.py FOLDER
"""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1]) / "onnxc-0.dist-info"
folder.mkdir()
(folder / "METADATA").write_text("Metadata-Version: 2.1\nName: onnxc\nVersion: 0\n")
(folder / "entry_points.txt").write_text("[torch_dynamo_backends]\nonnxc = onnxc.torch:backend\n")
sys.path.insert(0, sys.argv[1])

import torch  # noqa: E402

assert "onnxc.torch" not in sys.modules
with torch.no_grad():
    found = torch.compile(lambda x: x.sin() + 1, backend="onnxc")(torch.ones(3))
torch.testing.assert_close(found, torch.ones(3).sin() + 1)
print("found:", "onnxc.torch" in sys.modules)
