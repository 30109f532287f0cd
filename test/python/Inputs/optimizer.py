"""The optimizer from Python; see optimizer.test."""

import concurrent.futures
import contextlib
import io
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnxc
from onnx import TensorProto, helper, numpy_helper
from onnxc import optimizer


def make():
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Identity", ["a"], ["b"]), helper.make_node("Relu", ["b"], ["y"])],
        "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def ops(model):
    return [node.op_type for node in model.graph.node]


def refusal(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except (onnxc.Error, TypeError) as error:
        return error
    return "nothing is refused"


def folded():
    model = make()
    model.graph.node[1].CopyFrom(helper.make_node("Add", ["w", "w"], ["b"]))
    model.graph.initializer.append(numpy_helper.from_array(np.ones((2, 3), np.float32), "w"))
    return model


def overridable():
    model = make()
    model.graph.node[1].CopyFrom(helper.make_node("Add", ["a", "w"], ["b"]))
    model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [3]))
    model.graph.initializer.append(numpy_helper.from_array(np.ones(3, np.float32), "w"))
    return [[v.name for v in onnxc.simplify(model, mutable_initializer=keep)[0].graph.input] for keep in (None, False)]


def kept():
    """What stays by default, and what goes when passes are named: x + 0, an
    unused input that has a default, a Not that Where does not need, -inf."""
    nodes = [helper.make_node("Add", ["x", "zero"], ["sum"]), helper.make_node("Not", ["c"], ["n"]),
             helper.make_node("Where", ["n", "sum", "x"], ["y"]), helper.make_node("Softmax", ["x"], ["s"]), helper.make_node("Log", ["s"], ["l"])]
    infos = [helper.make_tensor_value_info(name, TensorProto.BOOL if name == "c" else TensorProto.FLOAT, [2]) for name in ("x", "unused", "c")]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("y", "l")]
    weights = [numpy_helper.from_array(np.zeros(2, np.float32), name) for name in ("zero", "unused")]
    model = helper.make_model(helper.make_graph(nodes, "g", infos, results, weights), opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    feeds = {"x": np.array([-0.0, 1000], np.float32), "c": np.array([False, False])}

    def describe(result):
        names = [v.name for v in result.graph.input]
        y, log = onnxc.InferenceSession(result, opt_level=2).run(None, {name: feeds[name] for name in names if name in feeds})
        return f"{' '.join(sorted(set(ops(result))))}; {names}; {y[0]} {log[0]}"

    yield "as it is", describe(model)
    yield "simplify", describe(onnxc.simplify(model)[0])
    names = ["eliminate_nop_with_unit", "eliminate_unused_initializer", "rewrite_where", "fuse_consecutive_log_softmax"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield "onnxoptimizer's default", describe(optimizer.optimize(model))
        yield "named", describe(optimizer.optimize(model, names + ["eliminate_deadend"]))
        yield "named, not its form", describe(optimizer.optimize(model, names, upstream_compatible=False))
        yield "named, with promises", describe(optimizer.optimize(model, names, nsz=False, keep_interface=True))
    for text in sorted({str(w.message) for w in caught}):
        yield "warned", text


def run_command(*arguments):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert optimizer.main([str(a) for a in arguments]) == 0
    return text.getvalue()


def main():
    folder, model = pathlib.Path(sys.argv[1]), make()
    print("a pass by name:", ops(optimizer.optimize(model, ["eliminate_identity"])))
    print("untouched:", optimizer.optimize(model, []) == model and optimizer.optimize(model, [], fixed_point=True) == model)
    print("no model:", refusal(optimizer.optimize, 3))
    assert isinstance(refusal(optimizer.optimize, b""), ValueError)  # as onnxoptimizer's
    print("no pass:", refusal(optimizer.optimize, model, ["eliminate_identit"]))
    assert isinstance(refusal(optimizer.optimize, model, ["x"]), RuntimeError)
    print("no list:", *(refusal(optimizer.optimize, model, passes) for passes in ("nop", [1])), sep="; ")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: optimizer.optimize(model, ["eliminate_identity"]).SerializeToString(), range(8)))
    print("threads:", results.count(results[0]))
    result, changes, before, after = optimizer.optimize_with_statistics(model, ["eliminate_identity"])
    print("statistics:", changes, before, after)

    result, same = onnxc.simplify(model, check_n=2, overwrite_input_shapes={"x": [2, 3]})
    print(f"simplified: {same}, the output's shape is {[d.dim_value for d in result.graph.input[0].type.tensor_type.shape.dim]}")
    two = make()
    two.graph.output.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, ["n", 3]))
    print("without an output:", [v.name for v in onnxc.simplify(two, unused_output=["a"])[0].graph.output])
    data = {"x": np.full((1, 3), np.nan, np.float32)}
    assert onnxc.simplify(model, input_data=data)[1]
    other = make()
    other.graph.node[0].op_type = "Neg"
    print("wrong:", optimizer._agree(model, other, 1, {}, None, 1e-4, 1e-5))
    print("skip:", refusal(onnxc.simplify, model, skipped_optimizers=["fuse_nothing"]))
    print("skip in folding:", refusal(onnxc.simplify, model, perform_optimization=False, skipped_optimizers=["fuse_nothing"]))
    print("no numbers:", *(refusal(onnxc.simplify, model, **{name: value}) for name, value in
                           (("check_n", -1), ("fold_budget", -1), ("tensor_size_threshold", "1..5GB"))), sep="; ")
    print("skipped folding:", ops(onnxc.simplify(folded(), perform_optimization=False, skipped_optimizers=["constant-fold"])[0]))
    print("overridable:", *overridable())
    for what, text in kept():
        print(f"{what}: {text}")

    onnx.save(model, folder / "in.onnx")
    run_command(folder / "in.onnx", folder / "out.onnx", "-p", "eliminate_identity", "--fixed_point")
    print("command:", ops(onnx.load(folder / "out.onnx")))
    print("passes of the command:", run_command("--print_all_passes").split() == optimizer.get_available_passes()
          and run_command("--print_fuse_elimination_passes").split() == optimizer.get_fuse_and_elimination_passes())


if __name__ == "__main__":
    main()
