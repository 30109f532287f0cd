"""Compiles networks with --freestanding, links them without a C library, runs
them on a board or processor that QEMU emulates, and compares what they give with
ONNX Runtime's numbers.

usage: run_nets.py --build DIR --out DIR --target NAME [NET ...]
"""

import argparse
import os
import shutil
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

import nets

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = os.path.join(nets.ROOT, "share", "onnxc")
BOARD = os.path.join(SHARE, "cortex-m")


class Target:
    def __init__(self, triple, options=(), flags=(), start=None, link=(), runner=(), per_tick=0):
        self.triple, self.options, self.flags = triple, list(options), list(flags)
        self.start = start or os.path.join(HERE, "Inputs", "start.c")
        # Instructions of the emulated processor.
        self.per_tick = per_tick
        self.link, self.runner = list(link), list(runner)


TARGETS = {
    "cortex-m4": Target(
        "thumbv7em-none-eabihf", ["--mcpu=cortex-m4"], ["-mcpu=cortex-m4"], os.path.join(BOARD, "startup.c"),
        ["-T", os.path.join(BOARD, "mps2-an386.ld")],
        ["qemu-system-arm", "-M", "mps2-an386", "-cpu", "cortex-m4", "-nographic", "-monitor", "none",
         "-serial", "none", "-semihosting-config", "enable=on,target=native", "-icount", "shift=0", "-kernel"],
        # Of 1 ns each, at 25 MHz.
        per_tick=40),
    "x86_64": Target("x86_64-none-elf", ["--mcpu=x86-64-v2"]),
    "aarch64": Target("aarch64-none-elf", ["--mcpu=generic"], runner=["qemu-aarch64"]),
    "riscv64": Target("riscv64-unknown-elf", ["--mcpu=generic"], ["-march=rv64gc", "-mabi=lp64d"],
                      runner=["qemu-riscv64"]),
    "riscv32": Target("riscv32-unknown-elf", ["--mcpu=generic", "--mattr=+f,+d"], ["-march=rv32imafdc", "-mabi=ilp32d"],
                      runner=["qemu-riscv32"]),
}


def find(*names):
    for name in names:
        if shutil.which(name):
            return name
    sys.exit("none of these programs is installed: " + ", ".join(names))


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    # QEMU prints what comes by semihosting as its own messages.
    return done.stdout + done.stderr


def c_array(value):
    """The elements of an array of 4-byte numbers, as C reads them."""
    return ", ".join(float(x).hex() + "f" if value.dtype == np.float32 else str(x) for x in value.ravel())


def write_main(path, name, inputs, count):
    arrays = "".join(f"static const float input{i}[] = {{{c_array(x)}}};\n" for i, x in enumerate(inputs))
    arguments = "".join(f", input{i}" for i in range(len(inputs)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""#include "board.h"
#include "{name}.h"
static _Alignas({name.upper()}_ARENA_ALIGNMENT) unsigned char arena[{name.upper()}_ARENA_BYTES];
{arrays}static union {{ float numbers[{count}]; uint32_t bits[{count}]; }} output;
int main(void) {{
  /* The second run must not depend on what the first one left. */
  uint32_t ticks = 0;
  for (int i = 0; i < 2; ++i) {{
    ticks = board_ticks();
    const char *error = {name}_run(arena{arguments}, output.numbers);
    if (error) {{
      board_write(error);
      return 1;
    }}
    ticks = (board_ticks() - ticks) & 0xFFFFFF;
  }}
  board_write("output ");
  for (int i = 0; i < {count}; ++i)
    board_write_hex(output.bits[i]);
  board_write("\\nstack ");
  board_write_hex(board_stack_bytes());
  board_write("\\nticks ");
  board_write_hex(ticks);
  board_write("\\n");
  return 0;
}}
""")


def section_bytes(size_tool, path):
    """Bytes of code and constants, which stay in flash; of the model alone."""
    code = 0
    for line in run([size_tool, "-A", path]).splitlines():
        words = line.split()
        if len(words) == 3 and words[0].startswith((".text", ".rodata")):
            code += int(words[1])
    return code


def check_net(name, target, build, out, level):
    model, inputs = nets.NETS[name]()
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    expected = session.run(None, inputs)[0]
    clang, linker = find("clang-22", "clang"), find("ld.lld-22", "ld.lld")
    archive = os.path.join(folder, name + ".a")
    run([os.path.join(build, "bin", "onnxc"), os.path.join(folder, "model.onnx"), "-o", archive, "--freestanding",
         "--mtriple=" + target.triple, "-O" + level, *target.options])
    main = os.path.join(folder, "main.c")
    write_main(main, name, inputs.values(), expected.size)
    objects = []
    for source in [main, target.start, os.path.join(SHARE, "freestanding.c")]:
        objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
        run([clang, "--target=" + target.triple, *target.flags, "-std=c11", "-O2", "-ffreestanding", "-ffunction-sections", "-nostdlibinc",
             "-Wall", "-Wextra", "-Werror", "-I", BOARD, "-I", folder, "-c", source, "-o", objects[-1]])
    program = os.path.join(folder, "program")
    run([linker, *target.link, "--gc-sections", "-o", program, *objects, archive])
    answer = dict(line.split(" ", 1) for line in run([*target.runner, program], timeout=300).splitlines() if " " in line)
    result = np.array([int(word, 16) for word in answer["output"].split()], np.uint32).view(np.float32)
    error = np.abs(result - expected.ravel()).max()
    code = section_bytes(find("llvm-size-22", "llvm-size"), archive)
    header = open(os.path.join(folder, name + ".h"), encoding="utf-8").read()
    sizes = {key: int(header.split(f"_{key}_BYTES ")[1].split()[0]) for key in ("ARENA", "WEIGHT")}
    print(f"{name}: greatest difference {error:.2g}; code {code - sizes['WEIGHT']}, weights {sizes['WEIGHT']}, "
          f"arena {sizes['ARENA']}, stack {int(answer['stack'], 16)} bytes; "
          f"{int(answer['ticks'], 16) * target.per_tick / 1e6:.2f} million instructions")
    # Of quantized networks the last step may be another one.
    tolerance = 0.05 * np.abs(expected).max() if name == "mobilenet" else 1e-4
    if not error <= tolerance:
        sys.exit(f"{name}: expected {expected.ravel()}, got {result}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", choices=TARGETS, required=True)
    parser.add_argument("--level", default="2")
    parser.add_argument("nets", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.nets or nets.NETS:
        check_net(name, TARGETS[arguments.target], arguments.build, arguments.out, arguments.level)


if __name__ == "__main__":
    main()
