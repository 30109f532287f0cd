"""What a benchmark's page says of where it was made."""

import os
import subprocess
import time

from bench import native


def describe():
    """What lscpu and the system say about where this runs."""
    def read(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ""
    fields = dict(line.split(":", 1) for line in read(["lscpu"]).splitlines() if ":" in line)
    flags = fields.get("Flags", "").split()
    known = ["avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd"]
    packages = {}
    for name in ("onnxruntime", "openvino", "MNN", "ncnn", "pnnx", "ai-edge-litert", "lleaves", "tl2cgen", "onnx",
                 "numpy", "onnxruntime-genai", "llama-cpp-python"):
        try:
            from importlib.metadata import version
            packages[name] = version(name)
        except ImportError:
            pass
    return {"cpu": fields.get("Model name", os.uname().machine).strip(),
            "family": [fields.get(key, "?").strip() for key in ("CPU family", "Model", "Stepping")],
            "cores": os.cpu_count(),
            "features": [flag for flag in known if flag in flags],
            "caches": {key.split()[0]: value.strip() for key, value in fields.items()
                       if key.endswith("cache")},
            "memory_gib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30,
            "system": f"{os.uname().sysname} {os.uname().release}",
            "hypervisor": fields.get("Hypervisor vendor", "").strip(),
            "load": os.getloadavg()[0],
            "packages": packages,
            "commit": read(["git", "-C", str(native.ROOT), "rev-parse", "--short", "HEAD"]).strip(),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
