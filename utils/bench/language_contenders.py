"""What utils/bench/language.py measures, each in a process of its own: it loads a decoder, takes a prompt,
and makes tokens one by one behind it. Every step is a run with one token; which one does not matter to
its time.

A contender has `prompt(tokens)`, which starts anew and returns the logits of the last token and the
seconds, and `step(token)`, the same of one token more.
"""

import json
import os
import sys
import time

import numpy as np

from bench import language_models as models



def memory_mib():
    """What this process has in memory now, weights of a mapped file among it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


class Onnxc:
    """A library of onnxc, called from C. With states its cache lies in the context."""

    def __init__(self, path, architecture, kind, threads, **_):
        from bench import compiled
        self.compiled, self.call = compiled, compiled.CallFromC(str(path), threads)
        self.architecture, self.kind = architecture, kind
        info = self.call.info
        self.names = [info.inputs[i].name.decode() for i in range(info.num_inputs)]
        self.outputs = [info.outputs[i].name.decode() for i in range(info.num_outputs)]
        self.has_states = not any(name.startswith("past") for name in self.names)

    def run(self, tokens, past):
        feeds = models.token_feeds(np.asarray(tokens).reshape(1, -1), past)
        if not self.has_states:
            feeds |= self.cache
        # The arrays live as long as the tensors that point to them.
        self.arrays = [np.ascontiguousarray(feeds[name]) for name in self.names]
        self.call.inputs = (self.compiled.Tensor * len(self.names))(*map(self.compiled.tensor_over, self.arrays))
        seconds = self.call.repeat(1)[0]
        logits = self.array(0)
        if not self.has_states:
            start = time.perf_counter()
            # The context owns the outputs of a run until the next but one.
            self.cache = {name.replace("present", "past_key_values"): self.array(i)
                          for i, name in enumerate(self.outputs) if i}
            seconds += time.perf_counter() - start
        return logits[0, -1], seconds

    def array(self, i):
        import ctypes
        tensor = self.call.outputs[i]
        shape, dtype = tuple(tensor.dims[:tensor.rank]), np.dtype(self.compiled.DTYPES[tensor.dtype])
        size = dtype.itemsize * int(np.prod(shape))
        if not size:
            return np.empty(shape, dtype)
        memory = (ctypes.c_char * size).from_address(tensor.data)
        return np.frombuffer(memory, dtype).reshape(shape)

    def prompt(self, tokens):
        if self.has_states:
            self.call.reset()
        else:
            self.cache = models.empty_cache(self.architecture, self.kind)
        self.past = len(tokens)
        return self.run(tokens, 0)

    def step(self, token):
        self.past += 1
        return self.run([token], self.past - 1)


class OnnxRuntime:
    """onnxruntime's CPU provider. The outputs of a run are bound as the inputs of the next, in its memory."""

    def __init__(self, path, architecture, kind, threads, **_):
        import onnxruntime
        self.runtime = onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.outputs = [value.name for value in self.session.get_outputs()]
        self.architecture, self.kind = architecture, kind

    def run(self, tokens, past):
        binding = self.session.io_binding()
        for name, value in models.token_feeds(np.asarray(tokens).reshape(1, -1), past).items():
            binding.bind_cpu_input(name, value)
        for name, value in self.cache.items():
            binding.bind_ortvalue_input(name, value)
        for name in self.outputs:
            binding.bind_output(name, "cpu")
        start = time.perf_counter()
        self.session.run_with_iobinding(binding)
        seconds = time.perf_counter() - start
        values = binding.get_outputs()
        self.cache = {name.replace("present", "past_key_values"): value
                      for name, value in zip(self.outputs[1:], values[1:])}
        return values[0].numpy()[0, -1], seconds

    def prompt(self, tokens):
        self.cache = {name: self.runtime.OrtValue.ortvalue_from_numpy(value)
                      for name, value in models.empty_cache(self.architecture, self.kind).items()}
        self.past = len(tokens)
        return self.run(tokens, 0)

    def step(self, token):
        self.past += 1
        return self.run([token], self.past - 1)


class GenAi:
    """onnxruntime-genai: ONNX Runtime in its own loop, which keeps the cache. A step is generate_next_token, which
    runs the model for the token that the step before chose, and takes the most likely one of its logits."""

    def __init__(self, path, architecture, kind, threads, length, **_):
        import onnxruntime_genai
        self.library = onnxruntime_genai
        folder = models.write_genai_config(architecture, path, threads)
        self.model = onnxruntime_genai.Model(str(folder))
        self.length = length

    def prompt(self, tokens):
        self.generator = None  # the cache of the one before is free then
        parameters = self.library.GeneratorParams(self.model)
        # No token ends it before its length.
        parameters.set_search_options(max_length=self.length, min_length=self.length, do_sample=False)
        self.generator = self.library.Generator(self.model, parameters)
        start = time.perf_counter()
        self.generator.append_tokens(np.asarray([tokens], np.int32))
        logits = self.generator.get_logits()
        seconds = time.perf_counter() - start
        # Chooses only: the prompt's logits are there.
        self.generator.generate_next_token()
        return np.array(logits[0, -1]), seconds

    def step(self, _token):
        start = time.perf_counter()
        self.generator.generate_next_token()
        return np.empty(0), time.perf_counter() - start


class OpenVino:
    """OpenVINO's CPU plugin with the cache as its state (apply_make_stateful_transformation), as its
    library for language models has it; arithmetic as the model says."""

    def __init__(self, path, architecture, kind, threads, **_):
        import openvino
        from openvino._offline_transformations import apply_make_stateful_transformation
        self.openvino = openvino
        core = openvino.Core()
        model = core.read_model(str(path))
        shapes = {}
        for value in model.inputs:
            shape = value.get_partial_shape()
            shape[0] = 1
            shapes[value.get_any_name()] = shape
        model.reshape(shapes)
        names = [f"{i}.{part}" for i in range(models.ARCHITECTURES[architecture].layers) for part in ("key", "value")]
        apply_make_stateful_transformation(model, {f"past_key_values.{n}": f"present.{n}" for n in names})
        self.request = core.compile_model(model, "CPU", {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": False,
            "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}).create_infer_request()

    def run(self, tokens, past):
        feeds = models.token_feeds(np.asarray(tokens).reshape(1, -1), past)
        start = time.perf_counter()
        outputs = self.request.infer(feeds, share_inputs=True, share_outputs=True)
        seconds = time.perf_counter() - start
        return np.array(outputs["logits"][0, -1]), seconds

    def prompt(self, tokens):
        self.request.reset_state()
        self.past = len(tokens)
        return self.run(tokens, 0)

    def step(self, token):
        self.past += 1
        return self.run([token], self.past - 1)


class LlamaCpp:
    """llama.cpp, by the Python package that builds it for this machine, on a GGUF file of the same weights; its
    cache in float32."""

    def __init__(self, path, architecture, kind, threads, length, **_):
        import llama_cpp
        self.library = llama_cpp
        f32 = llama_cpp.GGML_TYPE_F32
        self.llama = llama_cpp.Llama(str(path), n_ctx=length, n_batch=min(length, 2048), n_ubatch=512, n_threads=threads,
                                     n_threads_batch=threads, type_k=f32, type_v=f32, verbose=False, flash_attn=False)
        self.vocabulary = models.ARCHITECTURES[architecture].vocabulary

    def run(self, tokens):
        start = time.perf_counter()
        self.llama.eval([int(token) for token in tokens])
        seconds = time.perf_counter() - start
        pointer = self.library.llama_get_logits_ith(self.llama._ctx.ctx, -1)
        return np.ctypeslib.as_array(pointer, (self.vocabulary,)).copy(), seconds

    def prompt(self, tokens):
        self.llama.reset()
        self.llama._ctx.kv_cache_clear()
        return self.run(tokens)

    def step(self, token):
        return self.run([token])


CONTENDERS = {"onnxc": Onnxc, "onnxc_states": Onnxc, "ort": OnnxRuntime, "genai": GenAi, "ov": OpenVino, "llama": LlamaCpp}


def serve():
    """Answers lines of JSON: {"prompt": [tokens]} and {"step": token} with seconds and logits, until the
    input ends. The first one says what to load."""
    order = json.loads(sys.stdin.readline())
    name = order.pop("contender")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    try:
        contender = CONTENDERS[name](**order)
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            question = json.loads(line)
            if "prompt" in question:
                logits, seconds = contender.prompt(question["prompt"])
            else:
                logits, seconds = contender.step(question["step"])
            answer = {"seconds": seconds, "memory": memory_mib()}
            if question.get("logits"):
                answer["logits"] = np.asarray(logits, np.float32).tolist()
            print(json.dumps(answer), file=answers, flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}), file=answers, flush=True)


if __name__ == "__main__":
    serve()
