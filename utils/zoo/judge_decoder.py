# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decoder of a language model, compiled with --state=auto, against the same graph
without states in ONNX Runtime: a prompt, tokens, and all that can be done with states."""

import collections
import pathlib
import re
import subprocess
import sys

import numpy as np

import decoding
import judge

STEPS, CONTEXT = 20, 300


class Reference:
    """The graph as it is, whose caller keeps the states."""

    def __init__(self, decoder, path, optimized=False):
        self.decoder = decoder
        self.session = judge.runtime_session(path, optimized)
        self.outputs = [value.name for value in self.session.get_outputs()]

    def start(self, batch):
        return self.decoder.start(batch)

    def run(self, feeds, states):
        """The other outputs, and the next states."""
        try:
            made = dict(zip(self.outputs, self.session.run(None, feeds | states)))
        except Exception as error:
            raise judge.Loading(judge.first_line(error)) from None
        # optimum's merged decoders give something empty where the part of the encoder stays as it is.
        kept = {name: made.pop(output) for output, name in self.decoder.pairs.items()}
        return made, {name: value if value.size or not states[name].size else states[name] for name, value in kept.items()}


def last_row(name, value):
    return value[..., -1:, :] if name == "logits" else value


class Comparison:
    """Runs of a session with states beside the reference's."""

    def __init__(self, decoder, reference, session, last, batch=1, padding=0):
        self.decoder, self.reference, self.session, self.last = decoder, reference, session, last
        self.names = [value.name for value in session.get_outputs()]
        self.states, self.batch, self.padding, self.length = reference.start(batch), batch, padding, 0
        self.random = np.random.default_rng(batch)
        self.errors = []

    def copy(self, session):
        other = Comparison(self.decoder, self.reference, session, self.last, self.batch, self.padding)
        other.states, other.length, other.errors = dict(self.states), self.length, self.errors
        return other

    def run(self, new):
        most = self.decoder.most or new
        for begin in range(0, new, most):
            count = min(most, new - begin)
            tokens = self.random.integers(3, self.decoder.vocabulary, (self.batch, count))
            feeds = self.decoder.feeds(tokens, self.length, self.padding)
            want, self.states = self.reference.run(feeds, self.states)
            given = {value.name for value in self.session.get_inputs()}
            made = dict(zip(self.names, self.session.run(None, {name: value for name, value in feeds.items() if name in given})))
            self.length += count
            for name, value in made.items():
                self.errors.append(judge.difference([value], [last_row(name, want[name]) if self.last else want[name]]))

    def compare_states(self):
        for name, want in self.states.items():
            if name in self.session.state:
                got, axis = self.session.state[name], self.session.state.axes[name]
                if self.padding and axis is not None:
                    # What is computed for padding, which may see nothing, is not read.
                    got, want = (np.take(value, range(self.padding, value.shape[axis]), axis) for value in (got, want))
                self.errors.append(judge.difference([got], [want]) if got.shape == want.shape else float("inf"))

    def truncate(self, length):
        self.session.state.truncate(length)
        for name, axis in self.session.state.axes.items():
            self.states[name] = np.take(self.states[name], range(length), axis)
        self.length = length


def words_of(text, result):
    """What the compiler says of the states."""
    found = re.search(r"states: (.*)", text)
    pairs = dict(pair.split("=", 1) for pair in found[1].split(", ")) if found else {}
    reasons = collections.Counter(match[1] for match in re.finditer(r"each run writes all of it: (.*)", text))
    result |= {"found": pairs, "appended": len(re.findall("new rows are appended in place", text)), "copied": dict(reasons)}


def compile_states(binary, folder, last, result):
    library = folder / "states.so"
    library.unlink(missing_ok=True)
    command = [str(binary), str(folder / "model.onnx"), "--state=auto", "-v", "--opt-report", "-o", str(library)]
    done = subprocess.run([*command, *(["--last-logits=logits"] if last else [])], capture_output=True, text=True, errors="replace")
    words_of(done.stderr + done.stdout, result)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if ": error" in line]
        result |= {"outcome": "refused", "detail": (errors or done.stderr.strip().splitlines() or [f"status {done.returncode}"])[0].replace(f"{folder}/", "")[:400]}
        return None
    stopped = subprocess.run([*command[:3], "--stop-after=optimize", "-o", str(folder / "optimized.mlir")], capture_output=True, text=True)
    if stopped.returncode == 0:
        text = (folder / "optimized.mlir").read_text()
        result |= {"attentions": text.count("= onnx.Attention("), "softmaxes": len(re.findall(r"= onnx\.Softmax\(", text))}
        (folder / "optimized.mlir").unlink()
    return library


def steps_of(session, decoder, reference, result):
    """The time of a token behind many, beside ONNX Runtime's, whose caller gives the cache back."""
    ids = np.full((1, 1), 5)
    for begin in range(0, CONTEXT, decoder.most or CONTEXT):
        count = min(decoder.most or CONTEXT, CONTEXT - begin)
        tokens = np.full((1, count), 5)
        feeds = decoder.feeds(tokens, begin)
        session.run(None, {value.name: feeds[value.name] for value in session.get_inputs()})
    length = [CONTEXT]

    def step():
        feeds = decoder.feeds(ids, length[0])
        session.run(None, {value.name: feeds[value.name] for value in session.get_inputs()})
        length[0] += 1
    result["step_ms"] = judge.thread_milliseconds(step)
    states = decoder.start(1, CONTEXT, np.random.default_rng(0))
    feeds = decoder.feeds(ids, CONTEXT)
    result["runtime_step_ms"] = judge.thread_milliseconds(lambda: reference.run(feeds, states))


def judge_decoder(folder, build):
    """The result of the stateless model, and what the states did."""
    folder = pathlib.Path(folder)
    result = judge.judge(folder, build)
    if result["outcome"] not in ("right", "ONNX Runtime's own spread"):
        return result
    sys.path.insert(0, str(build / "python"))
    import onnxc
    decoder = decoding.Decoder.load(folder)
    path = str(folder / "model.onnx")
    last = "logits" in [value.name for value in decoder.model.graph.output]
    result["expected"] = decoder.pairs
    library = compile_states(build / "bin" / "onnxc", folder, last, result)
    if not library:
        return result
    if result["found"] != decoder.pairs:
        missing = sorted(set(decoder.pairs.items()) - set(result["found"].items()))
        others = sorted(set(result["found"].items()) - set(decoder.pairs.items()))
        return result | {"outcome": "wrong pairs", "detail": f"not found: {missing[:3]}, others: {others[:3]}"[:400]}

    reference = Reference(decoder, path)
    session = onnxc.InferenceSession(str(library), threads=1)
    one = Comparison(decoder, reference, session, last)
    stage = "prompt"
    try:
        one.run(7)
        stage = "steps"
        for _ in range(STEPS):
            one.run(1)
        one.compare_states()
        stage = "more tokens"
        if not decoder.most:
            one.run(3)
        one.run(1)
        stage = "fork"
        fork = one.copy(session.state.fork())
        fork.run(2)
        one.run(1)
        fork.compare_states()
        stage = "load"
        other = one.copy(onnxc.InferenceSession(str(library), threads=2))
        other.session.state.load(session.state.save())
        other.run(2)
        other.compare_states()
        if all(axis is not None for axis in session.state.axes.values()):
            stage = "truncate"
            one.truncate(9)
            one.run(2)
            one.compare_states()
            result["truncated"] = True
        stage = "batch"
        session.state.reset()
        # GroupQueryAttention takes samples that end with padding, and they have no last position in common.
        padding = 0 if "GroupQueryAttention" in result["ops"] else 2
        two = Comparison(decoder, reference, session, last, batch=2, padding=padding)
        two.errors = one.errors
        two.run(5)
        for _ in range(5):
            two.run(1)
        two.compare_states()
        session.state.reset()
        stage = "time"
        steps_of(session, decoder, Reference(decoder, path, optimized=True), result)
    except judge.Loading as error:
        return result | {"outcome": "ONNX Runtime refuses", "runtime": f"{stage}: {error}"}
    except onnxc.Error as error:
        return result | {"outcome": "run fails", "detail": f"{stage}: {judge.first_line(error)}"}
    result["state_error"] = max(one.errors)
    if not result["state_error"] <= max(result["tolerance"], 2 * result.get("spread", 0)):
        result |= {"outcome": "wrong", "detail": f"with states: error {result['state_error']:.3g}"}
    return result
