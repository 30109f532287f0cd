"""Says which commands have a --help that is no screen, or a --help-all with less in it."""

import re
import subprocess

COMMANDS = [["onnxc"], *[["onnxc", verb] for verb in ("check", "inspect", "run", "bench", "profile", "compare", "optimize", "convert", "doctor", "targets", "quantize")],
            ["onnx-optimize"]]
LINES, COLUMNS = 50, 100


def names(text):
    return set(re.findall(r"^  (-{1,2}[\w-]+)", text, flags=re.MULTILINE))


for command in COMMANDS:
    def ask(option):
        return subprocess.run([*command, option], capture_output=True, text=True, check=True).stdout

    brief = ask("--help")
    lines = brief.splitlines()
    if len(lines) > LINES:
        print(f"{' '.join(command)}: {len(lines)} lines, at most {LINES}")
    for line in lines:
        if len(line) > COLUMNS:
            print(f"{' '.join(command)}: lines of {len(line)} columns: {line}")
    if command[-1] != "targets" and (missing := names(brief) - names(ask("--help-all"))):
        print(f"{' '.join(command)}: lines of --help that --help-all lacks: {missing}")
print(f"{len(COMMANDS)} commands")
