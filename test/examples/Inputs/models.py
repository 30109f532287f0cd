"""Small models and inputs for the examples, and what they must print, by ONNX
Runtime or from what a person wrote down.

usage: models.py make FOLDER                 encoder.onnx, trees.onnx, vad.onnx
       models.py png FROM.pgm TO.png         a gray image as PNG
       models.py embed FOLDER SENTENCE...    compares with the standard input
       models.py vad MODEL.onnx RECORDING.wav        the same
       models.py wav TO.wav
       models.py frames MODEL.onnx RECORDING.wav     compares, for a model of examples/embedded-vad
"""

import re
import struct
import sys
import wave
import zlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "sit", "##s", "on", "the", "mat", "rug", "rate",
              "rise", "again", ".", ",", "##ing", "run", "##n"]
WIDTH = 16


def save(path, nodes, inputs, outputs, weights, domains=()):
    opsets = [helper.make_opsetid("", 21)] + [helper.make_opsetid(*domain) for domain in domains]
    graph = helper.make_graph(nodes, "graph", inputs, outputs,
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def make_encoder(path):
    random = numpy.random.default_rng(7)

    def weights(*shape):
        return random.standard_normal(shape).astype(numpy.float32)

    constants = {"pieces": weights(len(VOCABULARY), WIDTH), "types": weights(2, WIDTH), "wq": weights(WIDTH, WIDTH) / 4,
                 "wk": weights(WIDTH, WIDTH) / 4, "wv": weights(WIDTH, WIDTH) / 4, "scale": weights(WIDTH),
                 "quarter": numpy.float32(0.25), "one": numpy.float32(1), "low": numpy.float32(-1e4),
                 "axis": numpy.array([1], numpy.int64)}
    nodes = [helper.make_node("Gather", ["pieces", "input_ids"], ["p"]),
             helper.make_node("Gather", ["types", "token_type_ids"], ["t"]), helper.make_node("Add", ["p", "t"], ["e"]),
             helper.make_node("MatMul", ["e", "wq"], ["q"]), helper.make_node("MatMul", ["e", "wk"], ["k"]),
             helper.make_node("MatMul", ["e", "wv"], ["v"]), helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
             helper.make_node("MatMul", ["q", "kt"], ["qk"]), helper.make_node("Mul", ["qk", "quarter"], ["scores"]),
             helper.make_node("Cast", ["attention_mask"], ["m"], to=TensorProto.FLOAT),
             helper.make_node("Sub", ["one", "m"], ["absent"]), helper.make_node("Mul", ["absent", "low"], ["bias"]),
             helper.make_node("Unsqueeze", ["bias", "axis"], ["b"]), helper.make_node("Add", ["scores", "b"], ["masked"]),
             helper.make_node("Softmax", ["masked"], ["parts"]), helper.make_node("MatMul", ["parts", "v"], ["mixed"]),
             helper.make_node("Add", ["e", "mixed"], ["sum"]),
             helper.make_node("LayerNormalization", ["sum", "scale"], ["last_hidden_state"])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
              for name in ["input_ids", "attention_mask", "token_type_ids"]]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", WIDTH])]
    save(path, nodes, inputs, outputs, constants)


# if width <= 2.5: 'small'; else by the weight, where what is missing counts as light.
def make_trees(path):
    node = helper.make_node(
        "TreeEnsembleClassifier", ["features"], ["label", "scores"], domain="ai.onnx.ml", name="trees",
        nodes_treeids=[0] * 5, nodes_nodeids=list(range(5)), nodes_featureids=[0, 0, 1, 0, 0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"], nodes_values=[2.5, 0.0, 10.0, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 3, 0, 0], nodes_falsenodeids=[2, 0, 4, 0, 0],
        nodes_missing_value_tracks_true=[0, 0, 1, 0, 0], class_treeids=[0] * 3, class_nodeids=[1, 3, 4],
        class_ids=[0, 1, 2], class_weights=[1.0, 1.0, 1.0], classlabels_strings=["small", "light", "heavy"],
        post_transform="NONE")
    inputs = [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", 2])]
    outputs = [helper.make_tensor_value_info("label", TensorProto.STRING, ["rows"]),
               helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", 3])]
    save(path, [node], inputs, outputs, {}, [("ai.onnx.ml", 3)])


# Loudness, with a memory.
def make_vad(path):
    constants = {"from": numpy.array([64], numpy.int64), "to": numpy.array([576], numpy.int64),
                 "axis": numpy.array([1], numpy.int64), "rate": numpy.float32(16000), "half": numpy.float32(0.5),
                 "quiet": numpy.float32(0.01), "steep": numpy.float32(300), "zero": numpy.array([0], numpy.int64),
                 "first": numpy.array([1], numpy.int64), "square": numpy.array([1, 1], numpy.int64)}
    nodes = [helper.make_node("Slice", ["input", "from", "to", "axis"], ["block"]),
             helper.make_node("Mul", ["block", "block"], ["squares"]),
             helper.make_node("ReduceMean", ["squares", "axis"], ["loudness"], keepdims=1),
             helper.make_node("Cast", ["sr"], ["sampling"], to=TensorProto.FLOAT),
             helper.make_node("Div", ["sampling", "rate"], ["scale"]), helper.make_node("Mul", ["loudness", "scale"], ["l"]),
             helper.make_node("Add", ["state", "l"], ["twice"]), helper.make_node("Mul", ["twice", "half"], ["stateN"]),
             helper.make_node("Slice", ["stateN", "zero", "first", "zero"], ["layer"]),
             helper.make_node("ReduceMean", ["layer"], ["mean"], keepdims=0),
             helper.make_node("Sub", ["mean", "quiet"], ["over"]), helper.make_node("Mul", ["over", "steep"], ["logit"]),
             helper.make_node("Sigmoid", ["logit"], ["probability"]),
             helper.make_node("Reshape", ["probability", "square"], ["output"])]
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", "T"]),
              helper.make_tensor_value_info("state", TensorProto.FLOAT, [2, "N", 128]),
              helper.make_tensor_value_info("sr", TensorProto.INT64, [])]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1]),
               helper.make_tensor_value_info("stateN", TensorProto.FLOAT, [2, "N", 128])]
    save(path, nodes, inputs, outputs, constants)


def make(folder):
    make_encoder(f"{folder}/encoder.onnx")
    make_trees(f"{folder}/trees.onnx")
    make_vad(f"{folder}/vad.onnx")
    with open(f"{folder}/vocab.txt", "w") as file:
        file.write("\n".join(VOCABULARY) + "\n")


def write_png(source, target):
    header, pixels = re.match(rb"(P5\s+\d+\s+\d+\s+255\s)(.*)", open(source, "rb").read(), re.DOTALL).groups()
    width, height = (int(number) for number in header.split()[1:3])

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[row * width:(row + 1) * width] for row in range(height))
    with open(target, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


# A second of silence, one of a voice of 120 Hz with its harmonics, one of silence.
def write_wav(path):
    time = numpy.arange(16000) / 16000
    voice = sum(numpy.sin(2 * numpy.pi * 120 * n * time) / n for n in range(1, 20)) * (1 + numpy.sin(2 * numpy.pi * 4 * time))
    samples = numpy.concatenate([numpy.zeros(16000), voice / numpy.abs(voice).max() * 0.8, numpy.zeros(16000)])
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


# Words and punctuation into pieces, by a regular expression of all that begin a word.
def encode(sentence):
    def pieces(word):
        found = []
        while word:
            known = [piece for piece in VOCABULARY if (piece.startswith("##") if found else not piece.startswith("#"))
                     and word.startswith(piece.removeprefix("##"))]
            if not known:
                return ["[UNK]"]
            found.append(max(known, key=len))
            word = word[len(found[-1].removeprefix("##")):]
        return found

    words = re.findall(r"[a-z]+|[^a-z ]", sentence.lower())
    return [VOCABULARY.index(piece) for piece in ["[CLS]", *sum(map(pieces, words), []), "[SEP]"]]


def compare(actual, expected, tolerance):
    worst = numpy.abs(numpy.array(actual) - numpy.array(expected)).max()
    if numpy.shape(actual) != numpy.shape(expected) or not worst <= tolerance:
        sys.exit(f"expected {expected}, got {actual}: off by {worst}")
    print(f"{len(actual)} as expected")


def check_embed(folder, *sentences):
    encoder = session(f"{folder}/encoder.onnx")
    means = []
    for sentence in sentences:
        # One by one: no padding, which must have no influence.
        ids = numpy.array([encode(sentence)])
        states, = encoder.run(None, {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0})
        mean = states[0].mean(axis=0)
        means.append(mean / numpy.linalg.norm(mean))
    rows = [[float(number) for number in re.findall(r"-?\d\.\d{4}", line)] for line in sys.stdin.read().splitlines()]
    compare(rows, numpy.array(means) @ numpy.array(means).T, 2e-4)


def check_vad(model, recording):
    detector = session(model)
    with wave.open(recording) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768
    state, before = numpy.zeros([2, 1, 128], numpy.float32), numpy.zeros(64, numpy.float32)
    expected = []
    for begin in range(0, len(samples) - 511, 512):
        block = numpy.concatenate([before, samples[begin:begin + 512]])
        output, state = detector.run(["output", "stateN"], {"input": block[None], "state": state,
                                                            "sr": numpy.array(16000, numpy.int64)})
        before = block[-64:]
        expected.append(output.item())
    compare([float(line) for line in sys.stdin.read().splitlines() if " s " not in line], expected, 1e-4)
    if numpy.ptp(expected) < 1e-3:
        sys.exit("the model says the same of all blocks")


def check_frames(model, recording):
    detector = session(model)
    with wave.open(recording) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768
    kept = {"state": numpy.zeros([2, 1, 128], numpy.float32), "context": numpy.zeros([1, 64], numpy.float32)}
    expected = []
    for begin in range(0, len(samples) - 511, 512):
        output, kept["state"], kept["context"] = detector.run(None, {"samples": samples[None, begin:begin + 512], **kept})
        expected.append(output.item())
    compare([float(line) for line in sys.stdin.read().splitlines() if " s " not in line], expected, 1e-4)
    if numpy.ptp(expected) < 0.5:
        sys.exit("the model says the same of all frames")


if __name__ == "__main__":
    {"make": make, "png": write_png, "wav": write_wav, "embed": check_embed, "vad": check_vad,
     "frames": check_frames}[sys.argv[1]](*sys.argv[2:])
