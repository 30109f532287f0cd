"""What programs give wrongly to ONNX Runtime's interface is an onnxc.Error with the name of it."""

import warnings

import numpy as np
import onnx.parser

import onnxc

warnings.simplefilter("ignore")


def message(call, *arguments):
    try:
        call(*arguments)
    except onnxc.Error as error:
        return str(error)
    raise AssertionError("no error")


def check_options():
    options, run = onnxc.SessionOptions(), onnxc.RunOptions()
    for name, value in [("intra_op_num_threads", "x"), ("intra_op_num_threads", -1), ("intra_op_num_threads", 2**31),
                        ("intra_op_num_threads", 1.5), ("inter_op_num_threads", None), ("graph_optimization_level", 7),
                        ("execution_mode", "fast"), ("enable_profiling", "yes"), ("enable_mem_pattern", np.array([1, 0])),
                        ("optimized_model_filepath", 3), ("optimized_model_filepath", b"x.onnx"), ("log_severity_level", [])]:
        print(message(setattr, options, name, value))
    print(message(setattr, run, "terminate", "no"))
    print(message(options.add_free_dimension_override_by_name, "n", "three"))
    # What is right stays so.
    options.intra_op_num_threads = np.int64(3)
    options.graph_optimization_level = 1
    options.enable_profiling = np.True_
    assert (options.intra_op_num_threads, options.graph_optimization_level, options.enable_profiling) == (
        3, onnxc.GraphOptimizationLevel.ORT_ENABLE_BASIC, True)
    print(options.graph_optimization_level.name)


def check_binding():
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g (float[n] x) => (float[n] y) { y = Neg(x) }')
    session = onnxc.InferenceSession(model, opt_level=0)
    x = np.float32([1, 2])
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    fixed = np.zeros(2, np.float32)
    fixed.flags.writeable = False
    print(message(binding.bind_ortvalue_output, "y", onnxc.OrtValue.ortvalue_from_numpy(fixed)))
    late = np.zeros(2, np.float32)
    binding.bind_ortvalue_output("y", onnxc.OrtValue.ortvalue_from_numpy(late))
    late.flags.writeable = False
    print(message(session.run_with_iobinding, binding))
    print(message(onnxc.OrtValue.ortvalue_from_numpy(fixed).update_inplace, x))
    print(message(binding.bind_ortvalue_output, "y", late))
    print(message(binding.bind_output, "y", "cpu", 0, np.float32, [2], 0))
    print(message(binding.bind_output, "y", "cpu", 0, None, None, x.ctypes.data))
    print(message(binding.bind_input, "x", "cpu", 0, np.float32, [2], 0))
    print(message(binding.bind_input, "x", "cpu", 0, 99, [2], x.ctypes.data))
    print(message(session.run, 5, {"x": x}))
    empty = session.io_binding()
    empty.bind_input("x", "cpu", 0, np.float32, [0], 0)
    empty.bind_output("y")
    session.run_with_iobinding(empty)
    assert empty.copy_outputs_to_cpu()[0].shape == (0,)
    print("bound")


check_options()
check_binding()
