"""Small programs that use ONNX Runtime's interface, run with both modules.

usage: ort_programs.py FOLDER
"""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper

import onnxc
import onnxruntime

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def save(path, nodes, inputs, outputs, initializers=(), opset=17, **model):
    graph = helper.make_graph(nodes, path.stem, inputs, outputs, list(initializers))
    proto = helper.make_model(graph, ir_version=8, producer_name="tests", opset_imports=[helper.make_opsetid("", opset)], **model)
    onnx.save(proto, path)
    return str(path)


def make_models(folder):
    double = save(folder / "double.onnx", [helper.make_node("Add", ["x", "x"], ["y"])], [value("x", ["n"])], [value("y", ["n"])])
    two = save(folder / "two.onnx", [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Sub", ["a", "b"], ["difference"])],
               [value("a", ["n", 3]), value("b", ["n", 3])], [value("sum", ["n", 3]), value("difference", ["n", 3])])
    default = save(folder / "default.onnx", [helper.make_node("Mul", ["x", "w"], ["y"])], [value("x", [2]), value("w", [2])], [value("y", [2])],
                   [helper.make_tensor("w", FLOAT, [2], [3, 4])])
    sequence = save(folder / "sequence.onnx", [helper.make_node("SplitToSequence", ["x"], ["s"], axis=0)], [value("x", [4])],
                    [helper.make_tensor_sequence_value_info("s", FLOAT, None)])
    gather = save(folder / "gather.onnx", [helper.make_node("Gather", ["x", "i"], ["y"], name="n")], [value("x", [3]), value("i", ["k"], INT64)],
                  [value("y", ["k"])])
    text = save(folder / "text.onnx", [helper.make_node("Identity", ["x"], ["y"])], [value("x", ["n"], TensorProto.STRING)],
                [value("y", ["n"], TensorProto.STRING)])
    return {"double": double, "two": two, "default": default, "sequence": sequence, "gather": gather, "text": text}


X = np.array([1, 2, 3], np.float32)
A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)

# Each is a program: from the module and the models to what it computes.
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@program
def one_line(ort, m): return ort.InferenceSession(m["double"]).run(None, {"x": X})
@program
def with_providers(ort, m): return ort.InferenceSession(m["double"], providers=["CPUExecutionProvider"]).run(["y"], {"x": X})
@program
def providers_by_position(ort, m): return ort.InferenceSession(m["double"], None, ["CPUExecutionProvider"]).run(None, {"x": X})
@program
def provider_with_options(ort, m): return ort.InferenceSession(m["double"], providers=[("CPUExecutionProvider", {})]).run(None, {"x": X})
@program
def options_of_providers(ort, m): return ort.InferenceSession(m["double"], providers=["CPUExecutionProvider"], provider_options=[{}]).run(None, {"x": X})
@program
def from_bytes(ort, m): return ort.InferenceSession(pathlib.Path(m["double"]).read_bytes()).run(None, {"x": X})
@program
def from_path_object(ort, m): return ort.InferenceSession(pathlib.Path(m["double"])).run(None, {"x": X})
@program
def names_of_inputs(ort, m): return [(i.name, i.type, i.shape) for i in ort.InferenceSession(m["two"]).get_inputs()]
@program
def names_of_outputs(ort, m): return [(o.name, o.type, o.shape) for o in ort.InferenceSession(m["two"]).get_outputs()]
@program
def chosen_outputs(ort, m): return ort.InferenceSession(m["two"]).run(["difference"], {"a": A, "b": B})
@program
def outputs_in_another_order(ort, m): return ort.InferenceSession(m["two"]).run(["difference", "sum"], {"a": A, "b": B})
@program
def outputs_by_name(ort, m):
    session = ort.InferenceSession(m["two"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, {"a": A, "b": B})))
@program
def overridable(ort, m):
    session = ort.InferenceSession(m["default"])
    return [[(i.name, i.type, i.shape) for i in session.get_overridable_initializers()], session.run(None, {"x": X[:2]}),
            session.run(None, {"x": X[:2], "w": X[1:]})]
@program
def run_options(ort, m):
    options = ort.RunOptions()
    options.log_severity_level = 3
    options.logid = "a run"
    return ort.InferenceSession(m["double"]).run(None, {"x": X}, options)
@program
def run_options_by_name(ort, m): return ort.InferenceSession(m["double"]).run(["y"], {"x": X}, run_options=ort.RunOptions())
@program
def terminated(ort, m):
    options = ort.RunOptions()
    options.terminate = True
    try:
        return ort.InferenceSession(m["double"]).run(None, {"x": X}, options)
    except Exception as error:
        return "terminat" in str(error).lower()
@program
def session_options(ort, m):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return ort.InferenceSession(m["double"], options).run(None, {"x": X})
@program
def session_options_by_name(ort, m):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(m["double"], sess_options=options, providers=["CPUExecutionProvider"]).run(None, {"x": X})
@program
def configuration_entries(ort, m):
    options = ort.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return [options.get_session_config_entry("session.intra_op.allow_spinning"), ort.InferenceSession(m["double"], options).run(None, {"x": X})]
@program
def free_dimensions(ort, m):
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_name("n", 3)
    session = ort.InferenceSession(m["double"], options)
    return [session.get_inputs()[0].shape, session.run(None, {"x": X})]
@program
def options_of_session(ort, m):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    return ort.InferenceSession(m["double"], options).get_session_options().intra_op_num_threads
@program
def values_of_options(ort, m):
    options = ort.SessionOptions()
    return [options.enable_profiling, options.intra_op_num_threads, options.optimized_model_filepath, int(options.graph_optimization_level),
            options.enable_mem_pattern, options.use_deterministic_compute, options.logid]
@program
def optimized_model(ort, m):
    options = ort.SessionOptions()
    options.optimized_model_filepath = m["two"].replace("two.onnx", f"optimized-{ort.__name__}.onnx")
    ort.InferenceSession(m["two"], options)
    return onnxruntime.InferenceSession(options.optimized_model_filepath).run(None, {"a": A, "b": B})
@program
def profiling(ort, m):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = m["double"].replace("double.onnx", ort.__name__)
    session = ort.InferenceSession(m["double"], options)
    session.run(None, {"x": X})
    path = session.end_profiling()
    names = {event["name"] for event in json.loads(pathlib.Path(path).read_text())}
    return [session.get_profiling_start_time_ns() >= 0, "model_run" in names, "session_initialization" in names]
@program
def metadata(ort, m):
    meta = ort.InferenceSession(m["double"]).get_modelmeta()
    return [meta.graph_name, meta.producer_name, meta.custom_metadata_map]
@program
def providers(ort, m):
    session = ort.InferenceSession(m["double"], providers=["CPUExecutionProvider"])
    return [session.get_providers(), session.get_provider_options(), "CPUExecutionProvider" in ort.get_available_providers(), ort.get_device()]
@program
def changed_providers(ort, m):
    session = ort.InferenceSession(m["double"])
    session.set_providers(["CPUExecutionProvider"])
    session.disable_fallback()
    session.enable_fallback()
    return session.run(None, {"x": X})
@program
def binding(ort, m):
    session = ort.InferenceSession(m["two"])
    bound = session.io_binding()
    bound.bind_cpu_input("a", A)
    bound.bind_cpu_input("b", B)
    bound.bind_output("sum")
    bound.bind_output("difference", "cpu")
    session.run_with_iobinding(bound)
    return bound.copy_outputs_to_cpu()
@program
def binding_to_memory(ort, m):
    session = ort.InferenceSession(m["two"])
    result = np.zeros((2, 3), np.float32)
    bound = session.io_binding()
    bound.bind_input("a", "cpu", 0, np.float32, A.shape, A.ctypes.data)
    bound.bind_input(name="b", device_type="cpu", device_id=0, element_type=np.float32, shape=B.shape, buffer_ptr=B.ctypes.data)
    bound.bind_output("sum", "cpu", 0, np.float32, result.shape, result.ctypes.data)
    session.run_with_iobinding(bound)
    return [result, [output.shape() for output in bound.get_outputs()]]
@program
def binding_of_values(ort, m):
    session = ort.InferenceSession(m["two"])
    result = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    bound = session.io_binding()
    bound.bind_ortvalue_input("a", ort.OrtValue.ortvalue_from_numpy(A))
    bound.bind_ortvalue_input("b", ort.OrtValue.ortvalue_from_numpy(B))
    bound.bind_ortvalue_output("sum", result)
    session.run_with_iobinding(bound, ort.RunOptions())
    bound.clear_binding_inputs()
    bound.clear_binding_outputs()
    return result.numpy()
@program
def values(ort, m):
    v = ort.OrtValue.ortvalue_from_numpy(A)
    other = ort.OrtValue.ortvalue_from_shape_and_type((2, 3), np.float32, "cpu", 0)
    other.update_inplace(B)
    return [v.shape(), v.data_type(), v.element_type(), v.device_name(), v.is_tensor(), v.has_value(), v.is_sparse_tensor(),
            v.tensor_size_in_bytes(), v.numpy(), other.numpy(), v.is_tensor_sequence()]
@program
def runs_on_values(ort, m):
    feeds = {"a": ort.OrtValue.ortvalue_from_numpy(A), "b": ort.OrtValue.ortvalue_from_numpy(B)}
    return [v.numpy() for v in ort.InferenceSession(m["two"]).run_with_ort_values(["sum"], feeds)]
@program
def fed_with_values(ort, m): return ort.InferenceSession(m["double"]).run(None, {"x": ort.OrtValue.ortvalue_from_numpy(X)})
@program
def asynchronous(ort, m):
    done, seen = threading.Event(), []
    def callback(results, user_data, error):
        seen.extend([results, user_data, error])
        done.set()
    ort.InferenceSession(m["double"]).run_async(None, {"x": X}, callback, "mine")
    assert done.wait(20)
    return seen
@program
def sequences(ort, m): return ort.InferenceSession(m["sequence"]).run(None, {"x": np.arange(4, dtype=np.float32)})
@program
def texts(ort, m): return ort.InferenceSession(m["text"]).run(None, {"x": np.array(["a", "ä"], dtype=object)})
@program
def empty_input(ort, m): return ort.InferenceSession(m["double"]).run(None, {"x": np.zeros(0, np.float32)})
@program
def many_threads(ort, m):
    session, results = ort.InferenceSession(m["double"]), [None] * 8
    def work(i): results[i] = session.run(None, {"x": X * i})[0]
    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [w.start() for w in workers], [w.join() for w in workers]
    return results
@program
def lengths_of_providers(ort, m):
    try:
        ort.InferenceSession(m["double"], providers=["CPUExecutionProvider"], provider_options=[{}, {}])
    except ValueError as error:
        return str(error)


def same(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def compare(models):
    different = 0
    for name, run in PROGRAMS.items():
        theirs = run(onnxruntime, models)
        try:
            ours = run(onnxc, models)
        except Exception as error:
            ours = f"{type(error).__name__}: {error}"
        if not same(ours, theirs):
            print(f"{name}: {ours}, expected {theirs}")
            different += 1
    print(f"programs: {len(PROGRAMS)}, different: {different}")


def only_ours(models, folder):
    """What ONNX Runtime has not, or has otherwise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            onnxc.InferenceSession(models["double"], providers=["CUDAExecutionProvider", "CPUExecutionProvider"], disabled_optimizers=["x"])
    texts = sorted(str(warning.message).removeprefix("onnxc: ").split()[0] for warning in caught)
    print("warned:", texts)

    program = "import pickle, sys, numpy; s = pickle.load(open(sys.argv[1], 'rb')); print(s.run(None, {'x': numpy.array([1, 2], numpy.float32)})[0].tolist())"
    for source in (models["double"], pathlib.Path(models["double"]).read_bytes()):
        (folder / "session.pickle").write_bytes(pickle.dumps(onnxc.InferenceSession(source, threads=1)))
        done = subprocess.run([sys.executable, "-c", program, folder / "session.pickle"], stdout=subprocess.PIPE, text=True, check=True)
    print("restored in another process:", done.stdout.strip())

    cache = folder / "cache"
    def files():
        count = len(list(cache.iterdir()))
        return f"{count} file" + "s" * (count > 1)
    external = folder / "external.onnx"
    weights = helper.make_tensor("w", FLOAT, [3], np.array([1, 2, 3], np.float32).tobytes(), raw=True)
    proto = onnx.load(save(external, [helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [3])], [value("y", [3])], [weights]))
    onnx.save(proto, external, save_as_external_data=True, location="external.bin", size_threshold=0)
    def run(**options):
        return onnxc.InferenceSession(external, cache_dir=cache, **options).run(None, {"x": X})[0].tolist()
    assert run() == [2, 4, 6]
    counts = [files()]
    assert run() == [2, 4, 6]
    counts.append(files())
    assert run(opt_level=0) == [2, 4, 6]
    counts.append(files())
    (folder / "external.bin").write_bytes(np.array([5, 5, 5], np.float32).tobytes())
    assert run() == [6, 7, 8]
    counts.append(files())
    for library in cache.iterdir():
        library.write_bytes(library.read_bytes()[:100])
    assert run() == [6, 7, 8]
    (folder / "file").write_text("")
    try:
        onnxc.InferenceSession(external, cache_dir=folder / "file")
    except onnxc.Error as error:
        print("no folder:", str(error).rpartition(": ")[2])
    print("cached: {}, again: {}, other options: {}, other weights: {}".format(*counts))

    # A file that was loaded is written again, with another model.
    library, sessions = str(folder / "again.so"), []
    for number in (1, 2):
        save(folder / "again.onnx", [helper.make_node("Add", ["x", "c"], ["y"])], [value("x", [1])], [value("y", [1])],
             [helper.make_tensor("c", FLOAT, [1], [number])])
        onnxc.compile(folder / "again.onnx", output=library)
        sessions += [onnxc.InferenceSession(library), onnxc.InferenceSession(library)]
    print("written again:", [session.run(None, {"x": X[:1] * 0})[0].item() for session in sessions])

    class Lent:
        """An array of another library."""
        def __init__(self, array): self.array = array
        def __dlpack__(self, **options): return self.array.__dlpack__(**options)
        def __dlpack_device__(self): return self.array.__dlpack_device__()
    lent = onnxc.OrtValue.from_dlpack(Lent(X))
    result = onnxc.InferenceSession(models["double"]).run(None, {"x": Lent(X)})[0]
    print("lent:", result.tolist(), "copied:", lent.data_ptr() != X.ctypes.data, "back:", np.from_dlpack(lent).tolist())

    session = onnxc.InferenceSession(models["double"])
    session.run(None, {"x": X})
    child = os.fork()
    if not child:
        os._exit(0 if session.run(None, {"x": X})[0].tolist() == [2, 4, 6] else 1)
    print("forked:", os.waitpid(child, 0)[1], session.run(None, {"x": X})[0].tolist())

    try:
        onnxc.InferenceSession(models["gather"]).run(None, {"x": X, "i": np.array([7])})
    except onnxc.Error as error:
        print(f"node: {error.node}, op: {error.op}, domain: {error.domain}, values: {error.values}")
    try:
        onnxc.SessionOptions().nothing = 1
    except AttributeError as error:
        print("unsupported:", str(error).replace("'SessionOptions' object", "SessionOptions"))


def main():
    folder = pathlib.Path(sys.argv[1])
    os.environ.pop("ONNXC_CACHE_DIR", None)
    models = make_models(folder)
    compare(models)
    only_ours(models, folder)


if __name__ == "__main__":
    main()
