# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs the model of a seed in several configurations, and compares
them with each other and with ONNX Runtime."""

import dataclasses
import re
import sys

import numpy as np
import onnx
import onnx.reference
import onnxruntime

import differential  # test/optimizer
import exact_integers  # test/support
import open_sizes  # test/support

from . import sensitivity, undefined

NEWEST_IR = 11  # that ONNX Runtime reads
IN_ORACLE = "in ONNX Runtime"
NO_ORACLE = "no-oracle"  # in the list of configurations: without ONNX Runtime
BY_ORACLE = "optimized-onnxruntime"  # the optimizer's result, run by ONNX Runtime
# Relative to the largest element of the result: sums in another order. What is
# further apart is judged by what roundings do in this graph.
TOLERANCES = {"float64": 1e-7, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
UNSUPPORTED = "not supported by this version of onnxc"
# Errors that say nothing of the model: faults, whatever ONNX Runtime does with it.
INTERNAL = re.compile(r"failed to legalize|LLVM|Assertion|no vector code|error of onnxc|out-of-bounds|"
                      r"'(llvm|scf|arith|memref|linalg|tensor|cf|kernel|rt)\.\w+' op")
BAD = ("wrong", "refused", "fails", "invalid", "interface", "version", "optimizer")


@dataclasses.dataclass
class Configuration:
    name: str
    model: onnx.ModelProto
    sets: list  # numbers of sets of inputs
    options: dict
    threads: int = 1


def configurations(case):
    """By name: the model as it is, and in forms that know more or less of sizes."""
    every = list(range(len(case.sets)))

    def named(name, options, threads=1, model=case.model, sets=every):
        return Configuration(name, model, sets, options, threads)
    fixed = {"model": case.fixed(), "sets": [i for i in every if case.has_first_sizes(i)]}
    opened = onnx.ModelProto()
    opened.CopyFrom(case.model)
    open_sizes.forget_sizes(opened)
    listed = [named("O0", {"opt_level": 0}), named("O1", {"opt_level": 1}), named("O2", {"opt_level": 2}),
              named("O2-threads", {"opt_level": 2}, 2), named("O2-v2", {"opt_level": 2, "mcpu": "x86-64-v2"}),
              named("O0-fixed", {"opt_level": 0}, **fixed), named("O2-fixed", {"opt_level": 2}, **fixed),
              named("O2-fixed-threads", {"opt_level": 2}, 2, **fixed), named("O2-v3", {"opt_level": 2, "mcpu": "x86-64-v3"}, **fixed),
              named("O3", {"opt_level": 3}, **fixed), named("O2-open", {"opt_level": 2}, model=opened)]
    return {configuration.name: configuration for configuration in listed}


def choose(case, rng):
    """Names of the configurations of a case. What ONNX Runtime runs is compared
    with that, and with -O0 in a third of the cases and wherever they differ: a
    compile takes a hundred times as long as a run of ONNX Runtime does."""
    sizes = "-fixed" if case.is_open() and rng.random() < 0.4 else ""
    chosen = ["O0"] if rng.random() < 0.35 else []
    chosen.append(f"O2{sizes}-threads" if rng.random() < 0.3 else f"O2{sizes}")
    more = rng.random()
    for share, name in ((0.05, "O1"), (0.08, "O0-fixed"), (0.12, "O2-v3"), (0.15, "O2-v2"), (0.17, "O3"), (0.21, "O2-open")):
        if more < share:
            chosen.append(name)
            break
    engine = rng.random()
    return chosen + ["optimized" if engine < 0.12 else "optimized-O2" if engine < 0.24 else BY_ORACLE]


class OnnxRuntime:
    """Sessions without optimizations, by model."""

    def __init__(self, model):
        print(IN_ORACLE, file=sys.stderr, flush=True)
        exact = exact_integers.make_exact(model)
        readable = onnx.ModelProto()
        readable.CopyFrom(exact)
        readable.ir_version = min(readable.ir_version, NEWEST_IR)
        _forget_names(readable.graph)
        _separate_results(readable.graph)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(readable.SerializeToString(), options, providers=["CPUExecutionProvider"])
        print("onnxc", file=sys.stderr, flush=True)

    def __call__(self, feeds):
        # Should it crash, these are the last words of the process.
        print(IN_ORACLE, file=sys.stderr, flush=True)
        results = self.session.run(None, feeds)
        print("onnxc", file=sys.stderr, flush=True)
        return results


def _separate_results(graph):
    """A branch that gives one value twice gets a copy: ONNX Runtime loses one of
    the two results, or leaves it unwritten."""
    for node in graph.node:
        for attribute in node.attribute:
            if not attribute.HasField("g"):
                continue
            seen = set()
            for number, output in enumerate(attribute.g.output):
                if output.name in seen:
                    copy = f"{output.name}__copy{number}"
                    attribute.g.node.append(onnx.helper.make_node("Identity", [output.name], [copy]))
                    output.name = copy
                seen.add(output.name)
            _separate_results(attribute.g)


def compile_o0(model):
    """What runs the model, compiled at -O0."""
    import onnxc
    session = onnxc.InferenceSession(model, threads=1, opt_level=0)
    return lambda feeds: session.run(None, feeds)


def _forget_names(graph):
    """ONNX Runtime refuses names of nodes that occur twice; ONNX does not."""
    for node in graph.node:
        node.ClearField("name")
        for a in node.attribute:
            _forget_names(a.g)


def as_arrays(values):
    return [v if v is None or isinstance(v, (list, dict)) else np.asarray(v) for v in values]


def differences(got, want, noise, signed=()):
    """[(number of the output, what differs)]; `noise` has results of runs with
    noise. `signed`: numbers of outputs whose zeros have a sign."""
    found = []
    for i, (g, w) in enumerate(zip(got, want)):
        text = _difference(g, w, None if noise is None else [n[i] for n in noise])
        if not text and i in signed:
            text = _difference_of_signs(g, w)
        if text:
            found.append((i, text))
    return found


def _difference(got, want, noise):
    if isinstance(want, (list, dict)) or want is None:
        if isinstance(want, list) and isinstance(got, list) and len(got) == len(want):
            parts = (_difference(np.asarray(g), np.asarray(w), None) for g, w in zip(got, want))
            return next((text for text in parts if text), None)
        return None if repr(got) == repr(want) else f"{got!r:.80}, expected {want!r:.80}"
    if got.dtype != want.dtype or got.shape != want.shape:
        if got.dtype == want.dtype and noise is not None and len({n.shape for n in noise}) > 1:
            return None  # sizes that depend on roundings
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if want.dtype.kind in "OSU":
        return None if got.tolist() == want.tolist() else f"{got!r:.80}, expected {want!r:.80}"
    if not want.size:
        return None
    if noise is not None and any(n.shape != want.shape for n in noise):
        return None
    wide = np.float64 if want.dtype.name in TOLERANCES or want.dtype.kind in "fV" else object
    g, w = got.astype(wide), want.astype(wide)
    if wide is object:
        allowed = 0
        if noise is not None:
            runs = [np.asarray(n).astype(object) for n in noise]
            allowed = 2 * np.max([abs(n.astype(object) - w) if w.dtype == object and want.dtype.kind != "b" else (n != w).astype(int)
                                  for n in runs], axis=0)
        away = abs(g - w) if want.dtype.kind != "b" else (g != w).astype(int)
        good = np.asarray(away <= allowed, bool)
    else:
        with np.errstate(all="ignore"):
            largest = np.abs(w[np.isfinite(w)]).max(initial=0)
            allowed = TOLERANCES.get(want.dtype.name, 0.1) * largest + 1e-30
            free = np.zeros(w.shape, bool)
            if noise is not None:
                runs = np.array([np.asarray(n).astype(np.float64) for n in noise])
                spread = np.abs(runs - w)
                away = np.isnan(spread) & ~(np.isnan(runs) & np.isnan(w)) & ~(runs == w)
                free = away.any(axis=0)  # NaN or infinite in some runs
                spread[np.isnan(spread)] = 0
                spread[~np.isfinite(spread)] = 0
                allowed = allowed + 4 * spread.max(axis=0)
                largest_run = np.abs(np.where(np.isfinite(runs), runs, 0)).max(initial=0)
                free |= largest_run > 1e37 if want.dtype == np.float32 else False
                # Where sums overflow, their order decides which infinities meet.
                free |= np.isnan(g) & np.isinf(w) | np.isinf(g) & np.isnan(w)
            good = (g == w) | (np.isnan(g) & np.isnan(w)) | free | (np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= allowed))
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{np.count_nonzero(~good)} of {good.size} differ, the first at {list(at)}: {got[at]}, expected {want[at]}"


def _difference_of_signs(got, want):
    other = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
    if not other.any():
        return None
    at = tuple(int(i) for i in np.argwhere(other)[0])
    return f"{np.count_nonzero(other)} zeros of {other.size} have another sign, the first at {list(at)}: {got[at]}, expected {want[at]}"


# Of these alone the sign of a zero follows from the signs of what they read.
SIGNED = {"Add", "Sub", "Mul", "Div", "Neg", "Abs", "Ceil", "Floor", "Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Concat", "Split",
          "Slice", "Pad", "Gather", "Expand", "Where", "Flatten", "ConstantOfShape", "Constant", "Shape", "Tile"}


def find_signed(model):
    """Numbers of float results that are computed by such operators alone."""
    known = {v.name for v in model.graph.input} | {t.name for t in model.graph.initializer}
    for node in model.graph.node:
        if node.domain == "" and node.op_type in SIGNED and all(name in known for name in node.input if name):
            known.update(node.output)
    return {i for i, v in enumerate(model.graph.output)
            if v.name in known and v.type.tensor_type.elem_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE)}


def is_empty_stack(got, want):
    """Whether both are what a Loop of no iteration keeps: the sizes behind the
    first one are those that are known, which depends on the form of the model and
    on who runs it."""
    return isinstance(got, np.ndarray) and isinstance(want, np.ndarray) and got.ndim == want.ndim > 1 and got.shape[0] == want.shape[0] == 0


class Judge:
    """Finds what is wrong with a case. `only`: names of configurations."""

    def __init__(self, case, only=()):
        self.case = case
        self.has_oracle = NO_ORACLE not in only
        self.only = [name for name in only if name != NO_ORACLE]
        self.findings, self.notes, self.compared = [], [], 0
        self.noise, self.signed = {}, find_signed(case.model)
        self.oracle, self.answers = None, {}
        # What is expected, by set of inputs, and whether it is what -O0 computes.
        self.expected, self.is_from_o0 = None, False

    def add(self, kind, where, text):
        self.findings.append([kind, where, str(text).strip().replace("\n", " ")[:500]])

    def noise_of(self, number):
        """Results of runs with noise by ONNX Runtime, or by -O0 where that cannot
        run the graph; None if there are none."""
        if number not in self.noise:
            runners = ([OnnxRuntime] if self.has_oracle else []) + [compile_o0]
            measured = (sensitivity.measure(self.case.model, self.case.sets[number], runner) for runner in runners)
            self.noise[number] = next(filter(None, measured), None)
        return self.noise[number]

    def compare(self, number, got, want):
        """[(number of the output, what differs)], beyond what roundings do."""
        self.compared += 1
        got, want = as_arrays(got), as_arrays(want)
        wrong = differences(got, want, None, self.signed)
        if wrong:
            noise = self.noise_of(number)
            wrong = differences(got, want, noise, self.signed) if noise is not None else wrong
        return [(i, text) for i, text in wrong if not is_empty_stack(got[i], want[i])]

    def name(self, i):
        return self.case.model.graph.output[i].name

    def run(self):
        every = configurations(self.case)
        names = self.only or choose(self.case, np.random.default_rng([self.case.seed, 77]))
        answers = [self.ask_oracle(number)[0] for number in every["O0"].sets] if not self.only else [None]
        if "O0" in names or any(answer is None for answer in answers):
            self.run_reference(every["O0"])
        else:
            self.expected = dict(enumerate(answers))
        for name in names:
            if self.expected is None:
                return
            if name.startswith("optimized"):
                self.run_optimized(name)
            elif name in every and name != "O0":
                self.run_configuration(every[name])

    def ask_oracle(self, number):
        """(results, None), or (None, why there are none)."""
        if not self.has_oracle:
            return None, "it crashes"
        if number not in self.answers:
            try:
                if self.oracle is None:
                    self.oracle = OnnxRuntime(self.case.model)
                results = self.oracle(self.case.sets[number])
                # It loses one of two results of a branch that are the same value.
                lost = any(r is None and v.type.HasField("tensor_type") for r, v in zip(results, self.case.model.graph.output))
                self.answers[number] = (None, "it gives no value for a result") if lost else (results, None)
            except Exception as error:  # it may lack anything
                self.answers[number] = None, str(error)
        return self.answers[number]

    def run_reference(self, configuration):
        """Sets what is expected to the results of -O0, which are compared with ONNX
        Runtime's; to None where it refuses the model."""
        import onnxc
        self.expected, self.is_from_o0 = None, True
        try:
            session = onnxc.InferenceSession(configuration.model, threads=1, **configuration.options)
        except onnxc.Error as error:
            want, why = self.ask_oracle(0)
            if UNSUPPORTED in str(error):
                self.notes.append(["unsupported", str(error)])
            elif want is None and not INTERNAL.search(str(error)):
                self.notes.append(["both refuse", f"{error}; ONNX Runtime: {why}"])
            else:
                self.add("refused", "O0", error)
            return
        self.expected = {}
        for number in configuration.sets:
            feeds = self.case.sets[number]
            want, why = self.ask_oracle(number) if not self.only or "onnxruntime" in self.only or "O0" in self.only else (None, "not asked")
            try:
                got = session.run(None, feeds)
            except onnxc.Error as error:
                if want is None:
                    self.notes.append(["both fail", f"{error}; ONNX Runtime: {why}"])
                else:
                    self.add("fails", "O0", f"set {number}: {error}")
                continue
            self.expected[number] = got
            if want is None:
                self.notes.append(["no oracle", why])
                continue
            wrong = self.compare(number, got, want)
            if wrong:
                wrong = self.second_opinion(number, got, wrong)
            if wrong and self.is_undefined(number):
                self.notes.append(["not defined", f"set {number}: {wrong[0][1]}"])
                continue
            for i, text in wrong[:2]:
                self.add("wrong", "onnxruntime", f"set {number}: output '{self.name(i)}': {text}")

    def is_undefined(self, number):
        return undefined.find(self.case.model, self.case.sets[number], OnnxRuntime)

    def second_opinion(self, number, got, wrong):
        """What the reference evaluator says otherwise, too."""
        try:
            want = as_arrays(onnx.reference.ReferenceEvaluator(self.case.model).run(None, self.case.sets[number]))
        except Exception:  # it may lack anything
            return wrong
        noise = self.noise_of(number)
        disputed = dict(differences(as_arrays(got), want, noise, self.signed))
        return [(i, text) for i, text in wrong if i in disputed]

    def run_configuration(self, configuration):
        import onnxc
        try:
            session = onnxc.InferenceSession(configuration.model, threads=configuration.threads, **configuration.options)
        except onnxc.Error as error:
            if UNSUPPORTED not in str(error):
                self.report(configuration, [("refused", str(error))], {})
            return
        failures, results = [], {}
        for number in configuration.sets:
            try:
                results[number] = session.run(None, self.case.sets[number])
            except onnxc.Error as error:
                if number in self.expected:
                    failures.append(("fails", f"set {number}: {error}"))
        self.report(configuration, failures, results)

    def report(self, configuration, failures, results):
        """Compares results, and records them and failures. Where something is
        wrong, -O0 has the last word on what is expected."""
        found = failures + self.find_wrong(configuration, results)
        if found and not self.is_from_o0:
            self.run_reference(configurations(self.case)["O0"])
            if self.expected is None or self.findings:
                return  # -O0 has the same fault, which is recorded
            found = failures + self.find_wrong(configuration, results)
        if found and not failures and self.is_of_form(configuration, results):
            self.notes.append(["not defined", f"{configuration.name}: {found[0][1]}"])
            return
        for kind, text in found:
            self.add(kind, configuration.name, text)

    def is_of_form(self, configuration, results):
        """Whether what differs is not defined by ONNX and depends on which sizes are
        known: a Resize passes over dimensions that stay as they are if it knows them,
        and multiplies their neighbors by 0 if not, which matters for NaN. Then -O0
        computes the same of the same form."""
        if configuration.model is self.case.model or configuration.name.startswith("optimized") or not all(self.is_undefined(number) for number in results):
            return False
        run = compile_o0(configuration.model)
        return not any(self.compare(number, got, run(self.case.sets[number])) for number, got in results.items())

    def find_wrong(self, configuration, results):
        found = []
        for number, got in results.items():
            if number not in self.expected:
                continue
            wrong = self.compare(number, got, self.expected[number])
            found += [("wrong", f"set {number}: output '{self.name(i)}': {text}") for i, text in wrong[:2]]
        return found

    def run_optimized(self, name):
        """The form of the optimizer's result, and what it computes."""
        from onnxc import optimizer
        import onnxc
        try:
            result = optimizer.optimize_with_statistics(self.case.model)[0]
        except onnxc.Error as error:
            self.add("optimizer", name, error)
            return
        verdict = differential.Verdict()
        differential.check_form(self.case.model, result, verdict, "optimized")
        for kind, text in verdict.findings:
            self.add(kind, name, text)
        if verdict.findings:
            return
        level = 2 if name.endswith("O2") else 0
        configuration = Configuration(name, result, list(range(len(self.case.sets))), {"opt_level": level})
        if name != BY_ORACLE or not self.run_by_oracle(configuration):
            self.run_configuration(configuration)

    def run_by_oracle(self, configuration):
        """Compares what ONNX Runtime computes of the optimizer's result with what it
        computes of the model. Returns whether it runs both."""
        try:
            run = OnnxRuntime(configuration.model)
            results = {number: run(self.case.sets[number]) for number in configuration.sets}
        except Exception:  # it may lack anything
            return False
        wanted = {number: self.ask_oracle(number)[0] for number in results}
        if any(want is None for want in wanted.values()):
            return False
        for number, got in results.items():
            wrong = self.compare(number, got, wanted[number])
            if not wrong:
                continue
            if self.is_undefined(number) or undefined.find(configuration.model, self.case.sets[number], OnnxRuntime):
                return False
            for i, text in wrong[:2]:
                self.add("wrong", configuration.name, f"set {number}: output '{self.name(i)}': {text}")
        return True


def with_overrides(case):
    """The case with one more set: the first one, and other values of initializers."""
    inputs = {v.name for v in case.model.graph.input} & {t.name for t in case.model.graph.initializer}
    overrides = {name: value for name, value in case.overrides.items() if name in inputs}
    if not overrides:
        return case
    return dataclasses.replace(case, sets=[*case.sets, {**case.sets[0], **overrides}])


def judge(case, only=()):
    """{"findings": [[kind, where, text]], "notes": [...], "compared": n}"""
    it = Judge(with_overrides(case), only)
    it.run()
    return {"findings": it.findings, "notes": it.notes, "compared": it.compared}
