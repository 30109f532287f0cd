"""Runs the programs of a page, each in a process and a folder of its own.

usage: run_page.py PAGE FOLDER
"""

import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    programs, failed = BLOCK.findall(page.read_text()), 0
    environment = {**os.environ, "ONNXC_ARTIFACT_DIR": str(folder / "artifacts"), "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": sys.executable,
                   "SPARK_LOCAL_IP": "127.0.0.1"}
    for number, program in enumerate(programs):
        own = folder / str(number)
        own.mkdir()
        (own / "program.py").write_text(program)
        done = subprocess.run([sys.executable, "program.py"], cwd=own, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            failed += 1
            print(f"program {number}:", program, done.stdout, sep="\n")
    print(f"programs: {len(programs)}, failed: {failed}")


main()
