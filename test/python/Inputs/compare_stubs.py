"""Compares the stubs of the modules in C++ with what the modules are: names, parameters, properties.

usage: compare_stubs.py STUB...
"""

import ast
import importlib
import pathlib
import sys

from nanobind.stubgen import StubGen


def names(text):
    """The parameters of each function, by its name with its class; None for what is no function."""
    found = {}

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = None
                visit(node.body, node.name + ".")
            elif isinstance(node, ast.FunctionDef):
                is_property = any("property" in ast.dump(decorator) or "setter" in ast.dump(decorator) for decorator in node.decorator_list)
                arguments = node.args.posonlyargs + node.args.args
                found[prefix + node.name] = None if is_property else [argument.arg for argument in arguments]
            elif isinstance(node, ast.AnnAssign):
                found[prefix + node.target.id] = None

    visit(ast.parse(text).body, "")
    return found


def main(paths):
    for path in paths:
        module = importlib.import_module(f"onnxc.{pathlib.Path(path).stem}")
        generator = StubGen(module)
        generator.put(module)
        made, written = names(generator.get()), names(pathlib.Path(path).read_text())
        # errors.py adds these.
        for added in ("code", "node", "op", "domain", "values"):
            written.pop(f"Error.{added}", None)
        made.pop("Error", None)
        written.pop("Error", None)
        written.setdefault("__version__", None)
        made.setdefault("__version__", None)
        different = {name for name in made.keys() | written.keys() if made.get(name, ()) != written.get(name, ())}
        print(f"{pathlib.Path(path).name}: {len(written)} names, different: {sorted(different)}")


if __name__ == "__main__":
    main(sys.argv[1:])
