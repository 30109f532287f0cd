"""Each option of Options.td is a parameter in Python and an option of the C API,
or its record says why it is not; and the other way round.

usage: options.py LIBRARY       (libonnxc.so)
"""

import ctypes
import inspect
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))

import onnxc
import option_records
from onnxc import _onnxc

# What are no options: operands, where results go, what is ONNX Runtime's, and whether Python
# forks for a compile, as a command is a process of its own.
OPERANDS = {"self", "model", "path_or_bytes", "options", "output", "sess_options", "providers", "provider_options", "cache_dir",
            "in_process"}


def python_names():
    """The parameters by command."""
    names = {command: set(inspect.signature(function).parameters) - OPERANDS
             for command, function in {"Check": onnxc.check, "Inspect": onnxc.inspect}.items()}
    names["Compile"] = set(inspect.signature(onnxc.compile).parameters) - OPERANDS | {"output"}
    # Its **options are those of compile, of which one says which model is meant.
    names["Run"] = set(inspect.signature(onnxc.InferenceSession.__init__).parameters) - OPERANDS | {
        "prefix", "opt_level", "mcpu", "mattr", "shapes"}
    names["Quantize"] = set(inspect.signature(onnxc.quantize_with_report).parameters) - OPERANDS
    names["Optimize"] = {name for name in dir(_onnxc.OptimizeOptions()) if not name.startswith("_")}
    return names


def check_python(options):
    for command, names in python_names().items():
        mine = [option for option in options if command in option.commands]
        for option in mine:
            reason = option.no_python.get(command)
            if not reason and not option.python:
                print(f"{command}: {option.spelled} has no Python name, and no reason for it")
            elif not reason and option.python not in names:
                print(f"{command}: {option.spelled} is not in Python, where it is to be '{option.python}'")
            elif reason and option.python in names:
                print(f"{command}: {option.spelled} is in Python, where its record says it is not")
        for name in sorted(names - {option.python for option in mine}):
            print(f"{command}: '{name}' of Python is no option of the command")


def check_c(options, library):
    c = ctypes.CDLL(library)
    c.onnxc_optimizer_create.restype = ctypes.c_void_p
    c.onnxc_optimizer_text.restype = ctypes.c_char_p
    optimizer = ctypes.c_void_p(c.onnxc_optimizer_create(1))
    for option in options:
        if "Optimize" not in option.commands:
            continue
        c.onnxc_optimizer_set(optimizer, option.name.encode(), b"?")
        text = c.onnxc_optimizer_text(optimizer).decode()
        is_known = not text.startswith("there is no option")
        if is_known == bool(option.no_c):
            print(f"C: {option.spelled} is {'' if is_known else 'not '}an option, where its record says it is {'not' if is_known else 'one'}")
    c.onnxc_optimizer_destroy(optimizer)


def main():
    options = option_records.options()
    check_python(options)
    check_c(options, sys.argv[1])
    # An option that Python lacks is seen.
    print("a new option:")
    check_python([option_records.Option("new", "--new", False, ["Check"], {"Check": ""}, "new", {}, "")] + options)
    print(f"{len(options)} options")


main()
