# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of one suite for utils/mutate.py: on each line of the standard input
a JSON list of tests, for each line one of JSON on the file descriptor given: the
first that fails and why, or null, and the seconds of processor that it took. For
"names" it is the list of tests, each with the seconds of its last run, if known.

usage: mutation_worker.py SUITE BUILD DESCRIPTOR

Each line is run by a process of its own, forked after the modules were loaded:
nothing that the compiler keeps in memory passes from one mutant to the next.
"""

import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import types
import warnings

MEMORY = 8 << 30  # bytes


class Suite:
    """Has names(), the tests, and run(name): what is wrong, or None."""

    def seconds(self, name):
        """Of the last run; 0 if that is not known."""
        return 0


class Lit(Suite):
    """Tests with RUN lines, by path below test/."""

    def __init__(self, build):
        import lit.discovery
        import lit.LitConfig
        config = lit.LitConfig.LitConfig("lit", [], "", False, False, [], False, False, False, "lexical", {})
        self.config = config
        found = lit.discovery.find_tests_for_inputs(config, [str(build / "test")])
        self.tests = {"/".join(test.path_in_suite): test for test in found}
        # Several workers may run one test at a time.
        self.outputs = tempfile.TemporaryDirectory(prefix="onnxc-mutate-lit-")
        for test in found:
            test.suite.exec_root = self.outputs.name

    def names(self):
        # Those of the project's own files judge texts, and not what was compiled.
        return [name for name in self.tests if not name.startswith("project/")]

    def seconds(self, name):
        return self.tests[name].previous_elapsed

    def run(self, name):
        import lit.Test
        import lit.worker
        test = self.tests[name]
        test.config.environment = dict(test.config.environment, ONNXC_MUTANTS=os.environ["ONNXC_MUTANTS"])
        result = lit.worker._execute(test, self.config)
        return result.output[-300:] if result.code.isFailure else None


class Unit(Suite):
    """GoogleTest programs: PROGRAM SUITE.TEST."""

    def __init__(self, build):
        self.folder = build / "test" / "unit"

    def names(self):
        names = []
        for program in sorted(self.folder.glob("*Tests")):
            suite = ""
            for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True).stdout.splitlines():
                if not line.startswith(" "):
                    suite = line.split("#")[0].strip()
                elif suite.endswith("."):
                    names.append(f"{program.name} {suite}{line.split('#')[0].strip()}")
        return names

    def run(self, name):
        program, test = name.split()
        done = subprocess.run([self.folder / program, f"--gtest_filter={test}"], capture_output=True)
        return None if done.returncode == 0 else f"exit status {done.returncode}"


class InPython(Suite):
    """Suites that compile and run models in the process."""

    def __init__(self, build, *folders):
        test = pathlib.Path(__file__).resolve().parent.parent / "test"
        sys.path[:0] = [str(build / "python"), str(test / "support"), *(str(test / folder) for folder in folders)]
        warnings.simplefilter("ignore")


class Nodes(InPython):
    """The onnx package's tests: LEVEL MODE NAME."""

    def __init__(self, build):
        super().__init__(build, "onnx-node")
        import cases
        import onnxc  # noqa: F401
        import worker
        self.cases, self.worker = cases.load_cases(), worker

    def names(self):
        # The bodies of functions are of operators that other tests have.
        return [f"2 {mode} {name}" for mode in ("static", "dynamic") for name, case in self.cases.items()
                if case.kind != "light" and "_expanded" not in name and case.data_sets]

    def run(self, name):
        level, mode, case = name.split(maxsplit=2)
        return self.worker.run(self.cases[case], mode, int(level))


class Values(InPython):
    """Cases of test/python/Inputs/thresholds.py."""

    def __init__(self, build):
        super().__init__(build, "python/Inputs")
        import thresholds
        self.thresholds = thresholds

    def names(self):
        return list(self.thresholds.CASES)

    def run(self, name):
        return next(filter(None, self.thresholds.judge(name)), None)


class Fuzz(InPython):
    """test/fuzz/fuzz_values.py: the first seed of a batch."""

    COUNT = 960

    def __init__(self, build):
        super().__init__(build, "fuzz")
        import onnxc  # noqa: F401
        import random_model
        from uses import source
        self.model, self.batch = random_model, source.BATCH

    def names(self):
        return [str(first) for first in range(self.batch, self.COUNT, self.batch)]

    def run(self, name):
        seeds = range(int(name), int(name) + self.batch)
        cases = [self.model.make(seed, []) for seed in seeds]
        levels = [seed // self.batch % 2 * 2 for seed in seeds]
        for answer in self.model.judge_all(cases, levels):
            if answer["kind"] in ("wrong", "refused"):
                return answer["text"]
        return None


class Optimizer(InPython):
    """test/optimizer/run_differential.py: MODE SEED."""

    COUNT = 30

    def __init__(self, build):
        super().__init__(build, "optimizer", "onnx-node", "models")
        import differential
        import worker
        from onnxc import optimizer
        self.judge, self.sources, self.optimizer = differential.judge, worker.Sources(), optimizer

    def names(self):
        return [f"{mode} {seed}" for seed in range(1, self.COUNT + 1) for mode in ("default", "upstream")]

    def run(self, name):
        mode, seed = name.split()
        model, sets, engines = self.sources.random(seed)
        findings = self.judge(model, sets, mode, [], engines).as_json()["findings"]
        return str(findings[0]) if findings else None


class Graphs(InPython):
    """test/fuzz/fuzz_graphs.py: a seed."""

    COUNT = 40

    def __init__(self, build):
        super().__init__(build, "fuzz", "optimizer")
        import onnxc  # noqa: F401
        from graphs import make
        from graphs.judge import judge
        self.make, self.judge = make.make, judge

    def names(self):
        return [str(seed) for seed in range(1, self.COUNT + 1)]

    def run(self, name):
        case = self.make(int(name), [])
        findings = self.judge(case, [])["findings"] if case else []
        return str(findings[0]) if findings else None


class Kernels(InPython):
    """test/kernels/run_kernels.py: FAMILY LEVEL,LEVEL...: a batch."""

    CASES = 6

    def __init__(self, build):
        super().__init__(build, "kernels")
        import onnxc  # noqa: F401
        import run_kernels
        import worker
        self.worker, self.findings = worker, run_kernels.Findings

    def names(self):
        # Compiled for all processors; what this machine has is run, too.
        options = types.SimpleNamespace(seed=1, batches=1, cases=self.CASES, only=None, family=[], level=[], save=None)
        requests = map(json.loads, self.findings(options).todo)
        return [f"{request['family']} {','.join(request['levels'])}" for request in requests]

    def run(self, name):
        family, levels = name.split()
        findings = self.worker.run_batch({"family": family, "seed": 1, "count": self.CASES, "only": None, "levels": levels.split(",")})
        return str(findings[0]) if findings else None


class Models(Suite):
    """test/models, and those of the shared directory that are small: LEVEL NAME."""

    MOST = 0.2  # gflops

    def __init__(self, build):
        self.build, self.folder = build, pathlib.Path(__file__).resolve().parent.parent / "test" / "models"
        sys.path.insert(0, str(self.folder))
        import run_models
        self.models = run_models.load_models([])[0]

    def names(self):
        return [model.name for model in self.models if model.entry["gflops"] <= self.MOST]

    def run(self, name):
        done = subprocess.run([sys.executable, self.folder / "run_models.py", "--build", self.build, name],
                              capture_output=True, text=True)
        return None if done.returncode == 0 else (done.stdout + done.stderr)[-300:]


SUITES = {"lit": Lit, "unit": Unit, "nodes": Nodes, "values": Values, "fuzz": Fuzz, "graphs": Graphs, "kernels": Kernels, "optimizer": Optimizer,
          "models": Models}


def run_all(suite, names):
    for name in names:
        try:
            wrong = suite.run(name)
        except Exception as error:  # whatever it is, the test did not pass
            wrong = f"{type(error).__name__}: {error}"
        if wrong is not None:
            return [name, re.sub(r"\s+", " ", wrong)[:300]]
    return None


def main():
    # Whatever tests print does not get between the answers.
    answers = os.fdopen(int(sys.argv[3]), "w")
    suite = SUITES[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
    for line in sys.stdin:
        names = json.loads(line)
        if names == "names":
            answers.write(json.dumps([(name, suite.seconds(name)) for name in suite.names()]) + "\n")
            answers.flush()
            continue
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            if isinstance(suite, InPython):
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            result = run_all(suite, names)
            with contextlib.suppress(OSError):
                os.write(write, json.dumps(result).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        _, status, usage = os.wait4(child, 0)
        result = json.loads(text) if text else [names[0] if len(names) == 1 else "one of them", f"crash: the process ended with {status}"]
        answers.write(json.dumps([result, usage.ru_utime + usage.ru_stime]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
