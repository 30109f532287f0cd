"""Peers that run what bench/convert.py wrote. Each keeps its inputs where it wants
them; outputs stay where it leaves them, in its own order of axes."""

import numpy as np

from bench.contenders import Contender


class Mnn(Contender):
    """MNN's CPU backend by its Module interface, in float32 ("high"). Its first choice of Winograd
    transforms loses 1e-3 of the output in deep networks; with weights that are transformed
    when it loads, which then hold for all sizes, it takes smaller tiles."""

    SETTINGS = ({"shape_mutable": False}, {"rearrange": True})

    def load(self, path):
        import MNN
        self.mnn = MNN
        runtime = MNN.nn.create_runtime_manager(
            ({"backend": "CPU", "precision": "high", "memory": "normal", "power": "high", "numThread": self.threads},))
        # Without names, it takes all inputs, in an order of its own, and gives all outputs.
        self.module = MNN.nn.load_module_from_file(path, [], [], runtime_manager=runtime,
                                                     **self.SETTINGS[self.setting])
        self.info = self.module.get_info()

    def first(self, feeds):
        kinds = {"float32": self.mnn.numpy.float32, "int32": self.mnn.numpy.int32, "uint8": self.mnn.numpy.uint8}
        values = []
        for name in self.info["inputNames"]:
            array = np.asarray(feeds[name])
            if array.dtype.kind == "b" or str(array.dtype) == "int64":
                array = array.astype(np.int32)
            array = np.ascontiguousarray(array).reshape(array.shape)
            values.append(self.mnn.expr.const(array, list(array.shape), self.mnn.expr.data_format.NCHW,
                                              kinds[str(array.dtype)]))
        forward = self.module.onForward
        self.call = lambda: forward(values)
        return [np.array(value.read()) for value in self.call()]


class Ncnn(Contender):
    """ncnn on the CPU, float32 in storage and arithmetic, with pools of memory; with Winograd
    transforms, and where that is not right without."""

    SETTINGS = ({}, {"use_winograd_convolution": False})

    def load(self, path):
        import ncnn
        self.ncnn, self.net = ncnn, ncnn.Net()
        option = self.net.opt
        option.num_threads = self.threads
        option.use_vulkan_compute = False
        for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_storage", "bf16_packed"):
            setattr(option, f"use_{name}", False)
        for name, value in self.SETTINGS[self.setting].items():
            setattr(option, name, value)
        self.pools = ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator()
        option.blob_allocator, option.workspace_allocator = self.pools
        if self.net.load_param(path) or self.net.load_model(path + ".bin"):
            raise RuntimeError("it does not load the files")

    def first(self, feeds):
        # A Mat has no batch.
        self.inputs = []
        for name, array in zip(sorted(self.net.input_names(), key=lambda name: int(name[2:])), feeds.values()):
            array = np.asarray(array)
            array = array[0] if array.ndim > 1 and array.shape[0] == 1 else array
            array = array.astype(np.int32) if array.dtype.kind in "bi" else array
            self.inputs.append((name, self.ncnn.Mat(np.ascontiguousarray(array)).clone()))
        self.names = sorted(self.net.output_names(), key=lambda name: int(name[3:]))
        return [np.array(value) for value in self.call()]

    def call(self):
        extractor = self.net.create_extractor()
        for name, value in self.inputs:
            extractor.input(name, value)
        found = []
        for name in self.names:
            status, value = extractor.extract(name)
            if status:
                raise RuntimeError(f"it fails with status {status}")
            found.append(value)
        return found


class LiteRt(Contender):
    """LiteRT with its XNNPACK delegate, which is its default."""

    def load(self, path):
        from ai_edge_litert.interpreter import Interpreter
        self.interpreter = Interpreter(model_path=path, num_threads=self.threads)
        self.interpreter.allocate_tensors()

    def first(self, feeds):
        for detail, (name, array) in zip(self.inputs(feeds), feeds.items()):
            array = np.asarray(array).astype(detail["dtype"])
            shape = tuple(detail["shape"])
            if array.shape != shape and array.ndim > 2:
                array = np.moveaxis(array, 1, -1)
            if array.shape != shape:
                raise RuntimeError(f"'{name}' is {array.shape}, expected {shape}")
            self.interpreter.set_tensor(detail["index"], np.ascontiguousarray(array).reshape(shape))
        self.call = self.interpreter.invoke
        self.call()
        return [self.interpreter.get_tensor(detail["index"]) for detail in self.interpreter.get_output_details()]

    def inputs(self, feeds):
        """The details of the inputs, in the order of `feeds`."""
        details = self.interpreter.get_input_details()
        names = {detail["name"].removeprefix("serving_default_").split(":")[0]: detail for detail in details}
        return [names[name] for name in feeds] if set(names) == set(feeds) else details


class Lleaves(Contender):
    """lleaves, which compiles by LLVM when it loads."""

    def load(self, path):
        import lleaves
        self.model = lleaves.Model(model_file=path)
        self.model.compile()

    def first(self, feeds):
        array = np.ascontiguousarray(next(iter(feeds.values())), np.float64)
        predict, threads = self.model.predict, self.threads
        self.call = lambda: predict(array, n_jobs=threads)
        return [np.asarray(self.call(), np.float32).reshape(-1, 1)]


class Tl2cgen(Contender):
    """A library that TL2cgen wrote."""

    def load(self, path):
        import tl2cgen
        self.tl2cgen = tl2cgen
        self.predictor = tl2cgen.Predictor(path, nthread=self.threads)

    def first(self, feeds):
        matrix = self.tl2cgen.DMatrix(np.ascontiguousarray(next(iter(feeds.values()))))
        predict = self.predictor.predict
        self.call = lambda: predict(matrix)
        return [np.asarray(self.call(), np.float32).reshape(-1, 1)]


CONTENDERS = {"mnn": Mnn, "ncnn": Ncnn, "litert": LiteRt, "lleaves": Lleaves, "tl2cgen": Tl2cgen}
