"""A small speech recognizer as Hugging Face has them, and what examples/asr must hear, by numpy and ONNX Runtime.

usage: asr.py folder FOLDER                         config.json, weights, tokenizer.json, generation_config.json
       asr.py wav TO.wav                            three seconds: a tone that rises, then noise
       asr.py reference FOLDER MODELS RECORDING.wav     the graphs against numpy
       asr.py tokens FOLDER MODELS RECORDING.wav LANGUAGE     compares with the standard input
"""

import json
import pathlib
import sys
import wave

import numpy as np
import onnxruntime
import safetensors.numpy

CONFIG = {"model_type": "whisper", "d_model": 48, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
          "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 80, "num_mel_bins": 20, "vocab_size": 361,
          "max_source_positions": 100, "max_target_positions": 40, "activation_function": "gelu"}
SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>",
           "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
TEXT, END, BEGIN, TIMESTAMPS = 300, 300, 301, 310


def tensors():
    c = CONFIG
    width = c["d_model"]
    yield "encoder.conv1.weight", [width, c["num_mel_bins"], 3]
    yield "encoder.conv1.bias", [width]
    yield "encoder.conv2.weight", [width, width, 3]
    yield "encoder.conv2.bias", [width]
    yield "encoder.embed_positions.weight", [c["max_source_positions"], width]
    yield "decoder.embed_positions.weight", [c["max_target_positions"], width]
    yield "decoder.embed_tokens.weight", [c["vocab_size"], width]
    for part in ("encoder", "decoder"):
        norms = [f"{part}.layer_norm"]
        for i in range(c[f"{part}_layers"]):
            layer = f"{part}.layers.{i}"
            kinds = ["self_attn", "encoder_attn"] if part == "decoder" else ["self_attn"]
            norms += [f"{layer}.{name}_layer_norm" for name in (*kinds, "final")]
            for name in kinds:
                for matrix in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    yield f"{layer}.{name}.{matrix}.weight", [width, width]
                    if matrix != "k_proj":
                        yield f"{layer}.{name}.{matrix}.bias", [width]
            inner = c[f"{part}_ffn_dim"]
            for name, outputs, inputs in (("fc1", inner, width), ("fc2", width, inner)):
                yield f"{layer}.{name}.weight", [outputs, inputs]
                yield f"{layer}.{name}.bias", [outputs]
        for norm in norms:
            yield f"{norm}.weight", [width]
            yield f"{norm}.bias", [width]


def make_folder(folder):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(11)
    weights = {}
    for name, shape in tensors():
        values = random.standard_normal(shape)
        weights[f"model.{name}"] = (values / 5 + name.endswith("norm.weight") if len(shape) == 1 else values if "embed" in name
                                    else 1.5 * values / np.prod(shape[1:]) ** 0.5).astype(np.float16)
    safetensors.numpy.save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    generation = {"is_multilingual": True, "suppress_tokens": [], "begin_suppress_tokens": [END]}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=TEXT, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator([pathlib.Path(__file__).read_text()], trainer)
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in
                                  [*SPECIAL, *(f"<|{i / 50:.2f}|>" for i in range(CONFIG["vocab_size"] - TIMESTAMPS))]])
    assert tokenizer.get_vocab_size() == CONFIG["vocab_size"]
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "generation_config.json").write_text(json.dumps(generation))


def write_wav(path):
    time = np.arange(48000) / 16000
    tone = np.sin(2 * np.pi * (200 + 400 * time) * time) * (time < 2)
    noise = np.random.default_rng(0).standard_normal(48000) * (time >= 2)
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((np.clip(tone + noise / 4, -1, 1) * 20000).astype("<i2").tobytes())


def clips(path):
    """Of two seconds, the last one with silence behind it."""
    with wave.open(path) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    return [np.pad(samples[i:i + 32000], (0, max(0, 32000 - len(samples[i:]))))[None].astype(np.float32) for i in range(0, len(samples), 32000)]


class Reference:
    """All tokens at once, in float64, written as the paper and Slaney's toolbox have it."""

    def __init__(self, folder):
        stored = safetensors.numpy.load_file(pathlib.Path(folder, "model.safetensors"))
        self.w = {name.removeprefix("model."): value.astype(np.float64) for name, value in stored.items()}

    def linear(self, name, x):
        return x @ self.w[f"{name}.weight"].T + self.w.get(f"{name}.bias", 0)

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    @staticmethod
    def gelu(x):
        from math import erf
        return x * (1 + np.vectorize(erf)(x / 2 ** 0.5)) / 2

    def attend(self, name, x, source, heads, seen=None):
        q, k, v = (self.linear(f"{name}.{part}_proj", y) for part, y in (("q", x), ("k", source), ("v", source)))
        mixed = []
        for one, two, three in zip(*(np.split(y, heads, 1) for y in (q, k, v))):
            scores = one @ two.T / np.sqrt(one.shape[1])
            scores = np.exp(scores if seen is None else np.where(seen, scores, -np.inf))
            mixed.append(scores / scores.sum(1, keepdims=True) @ three)
        return self.linear(f"{name}.out_proj", np.concatenate(mixed, 1))

    @staticmethod
    def spectrum(samples, count):
        def hertz(mel):
            return mel * 200 / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)

        ends = [hertz(i * (15 + 27 * np.log(8) / np.log(6.4)) / (count + 1)) for i in range(count + 2)]
        padded = np.concatenate([samples[200:0:-1], samples, samples[-2:-202:-1]])
        window = np.sin(np.pi * np.arange(400) / 400) ** 2
        rows = []
        for frame in range(len(samples) // 160):
            power = np.abs(np.fft.rfft(padded[160 * frame:160 * frame + 400] * window)) ** 2
            row = []
            for low, middle, high in zip(ends, ends[1:], ends[2:]):
                shares = [max(0, min((f - low) / (middle - low), (high - f) / (high - middle))) for f in np.arange(201) * 40.0]
                row.append(np.log10(max(power @ shares * 2 / (high - low), 1e-10)))
            rows.append(row)
        rows = np.array(rows)
        return (np.maximum(rows, rows.max() - 8) + 4) / 4

    def conv(self, name, x, stride):
        padded = np.pad(x, [(1, 1), (0, 0)])
        weights, bias = self.w[f"{name}.weight"], self.w[f"{name}.bias"]
        return self.gelu(np.array([np.einsum("tc,oct->o", padded[i:i + 3], weights) + bias for i in range(0, len(x), stride)]))

    def layers(self, part, x, heard=None):
        heads = CONFIG[f"{part}_attention_heads"]
        seen = None if heard is None else np.tri(len(x), dtype=bool)
        for i in range(CONFIG[f"{part}_layers"]):
            layer = f"{part}.layers.{i}"
            y = self.norm(f"{layer}.self_attn_layer_norm", x)
            x = x + self.attend(f"{layer}.self_attn", y, y, heads, seen)
            if heard is not None:
                x = x + self.attend(f"{layer}.encoder_attn", self.norm(f"{layer}.encoder_attn_layer_norm", x), heard, heads)
            y = self.gelu(self.linear(f"{layer}.fc1", self.norm(f"{layer}.final_layer_norm", x)))
            x = x + self.linear(f"{layer}.fc2", y)
        return self.norm(f"{part}.layer_norm", x)

    def logits(self, samples, ids):
        x = self.spectrum(samples.astype(np.float64), CONFIG["num_mel_bins"])
        x = self.conv("encoder.conv2", self.conv("encoder.conv1", x, 1), 2)
        heard = self.layers("encoder", x + self.w["encoder.embed_positions.weight"])
        table = self.w["decoder.embed_tokens.weight"]
        return self.layers("decoder", table[ids] + self.w["decoder.embed_positions.weight"][:len(ids)], heard) @ table.T


class Stateless:
    """All tokens in each run, by ONNX Runtime."""

    def __init__(self, models):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.encoder, self.decoder = (onnxruntime.InferenceSession(f"{models}/{part}.onnx", options, providers=["CPUExecutionProvider"])
                                      for part in ("encoder", "decoder"))

    def listen(self, clip):
        names = [output.name for output in self.encoder.get_outputs()]
        self.heard = dict(zip(names, self.encoder.run(names, {"audio": clip})))

    def logits(self, ids):
        empty = {value.name: np.zeros([size if isinstance(size, int) else 0 for size in value.shape], np.float32)
                 for value in self.decoder.get_inputs() if ".decoder." in value.name}
        return self.decoder.run(["logits"], {"input_ids": np.array([ids]), **self.heard, **empty})[0][0]


def check_reference(folder, models, recording):
    import onnxc
    clip = clips(recording)[0]
    ids = np.random.default_rng(2).integers(0, CONFIG["vocab_size"], 30)
    expected = Reference(folder).logits(clip[0], ids)
    stateless = Stateless(models)
    stateless.listen(clip)
    encoder = onnxc.InferenceSession(f"{models}/encoder.onnx")
    names = [output.name for output in encoder.get_outputs()]
    heard = dict(zip(names, encoder.run(names, {"audio": clip})))
    decoder = onnxc.InferenceSession(f"{models}/decoder.onnx", state="auto")
    steps = [decoder.run(["logits"], {"input_ids": step[None], **heard})[0][0] for step in (ids[:4], *ids[4:].reshape(-1, 1))]
    for name, logits in (("ONNX Runtime", stateless.logits(ids)), ("onnxc", np.concatenate(steps))):
        off = np.abs(logits - expected).max()
        if not off < 5e-4 * np.abs(expected).max():
            sys.exit(f"{name} is off by {off} of {np.abs(expected).max()}")
        print(f"{name}: as numpy has it")


def check_tokens(folder, models, recording, language):
    model = Stateless(models)
    lines, free = [], []
    for number, clip in enumerate(clips(recording)):
        model.listen(clip)
        found = language
        if language == "-":
            logits = model.logits([BEGIN])[0]
            found = "en" if logits[302] > logits[303] else "de"
        ids = [BEGIN, {"en": 302, "de": 303}[found], 305, 309]
        while len(ids) <= CONFIG["max_target_positions"]:
            logits = model.logits(ids)[-1]
            free.append(int(logits.argmax()))
            logits[TIMESTAMPS:] = -np.inf
            if len(ids) == 4:
                logits[END] = -np.inf
            if logits.argmax() == END:
                break
            ids.append(int(logits.argmax()))
        lines.append(f"{2 * number:8.2f} s  {found}  {' '.join(map(str, ids[4:]))}")
    heard = sys.stdin.read().splitlines()
    if heard != lines:
        sys.exit("expected:\n" + "\n".join(lines) + "\ngot:\n" + "\n".join(heard))
    if max(free) < TIMESTAMPS or lines[0].split()[3:] == lines[1].split()[3:]:
        sys.exit("no timestamp had to be suppressed, or both clips are the same: the test tests nothing")
    print(f"{len(lines)} clips as expected")


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    {"folder": make_folder, "wav": write_wav, "reference": check_reference, "tokens": check_tokens}[command](*words)
