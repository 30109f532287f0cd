"""Small language models as Hugging Face has them, and what examples/llm must say of them, by numpy and ONNX Runtime.

usage: llm.py folder FOLDER [KIND]                   config.json, weights, tokenizer.json and what belongs to them
       llm.py reference FOLDER DECODER.onnx          the graph against numpy
       llm.py greedy DECODER.onnx COUNT TOKEN...     tokens, by ONNX Runtime without a cache
       llm.py chat FOLDER DECODER.onnx DECODER.so [OTHER.so]    conversations, by chat.py
       llm.py sampling SAMPLE                        sampling.py, and the program with sampler.h
"""

import json
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnxruntime
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "examples" / "llm"))

BASE = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 80,
        "vocab_size": 300, "rms_norm_eps": 1e-5, "hidden_act": "silu", "eos_token_id": 1}
KINDS = {
    "llama": BASE | {"model_type": "llama", "rope_theta": 500000.0, "attention_bias": True, "mlp_bias": True,
                     "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                      "original_max_position_embeddings": 32}},
    "mistral": BASE | {"model_type": "mistral", "sliding_window": 5, "head_dim": 16},
    "qwen2": BASE | {"model_type": "qwen2", "rope_scaling": {"type": "linear", "factor": 4.0}},
    "qwen3": BASE | {"model_type": "qwen3", "head_dim": 8, "tie_word_embeddings": True},
}
TEMPLATE = ("{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}{{ eos_token }}{% endfor %}"
            "{% if add_generation_prompt %}<|assistant|>{% endif %}")


def tensors(config):
    """(name, shape) of all weights."""
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    hidden, inner, vocabulary = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    q, kv = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    family = config["model_type"]
    yield "model.embed_tokens.weight", [vocabulary, hidden]
    yield "model.norm.weight", [hidden]
    if not config.get("tie_word_embeddings"):
        yield "lm_head.weight", [vocabulary, hidden]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        for part, outputs, inputs in (("q", q, hidden), ("k", kv, hidden), ("v", kv, hidden), ("o", hidden, q)):
            yield f"{layer}.self_attn.{part}_proj.weight", [outputs, inputs]
            if config.get("attention_bias") or family == "qwen2" and part != "o":
                yield f"{layer}.self_attn.{part}_proj.bias", [outputs]
        for part, outputs, inputs in (("gate", inner, hidden), ("up", inner, hidden), ("down", hidden, inner)):
            yield f"{layer}.mlp.{part}_proj.weight", [outputs, inputs]
            if config.get("mlp_bias"):
                yield f"{layer}.mlp.{part}_proj.bias", [outputs]
        for name in ("input_layernorm", "post_attention_layernorm"):
            yield f"{layer}.{name}.weight", [hidden]
        if family == "qwen3":
            for part in ("q", "k"):
                yield f"{layer}.self_attn.{part}_norm.weight", [head]


def make_tokenizer(folder, vocabulary):
    """Bytes, and pairs of them from a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
                                  special_tokens=["<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>"])
    tokenizer.train_from_iterator([(ROOT / "README.md").read_text()], trainer)
    tokenizer.save(f"{folder}/tokenizer.json")
    about = {"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": TEMPLATE}
    pathlib.Path(folder, "tokenizer_config.json").write_text(json.dumps(about))


def make_folder(folder, kind="llama"):
    """`llama`: bfloat16, in two files; the others: float16 or float32, in one."""
    config = KINDS[kind]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    random = np.random.default_rng(3)
    dtype = {"llama": ml_dtypes.bfloat16, "mistral": np.float16}.get(kind, np.float32)
    weights = {}
    for name, shape in tensors(config):
        values = random.standard_normal(shape)
        weights[name] = (1 + values / 5 if "norm" in name else values / 5 if len(shape) == 1 else values / shape[-1] ** 0.5
                         if "embed" not in name else values).astype(dtype)
    if kind == "llama":
        parts = {f"model-0000{i + 1}-of-00002.safetensors": dict(list(weights.items())[i::2]) for i in range(2)}
        for file, part in parts.items():
            safetensors.numpy.save_file(part, folder / file)
        places = {name: file for file, part in parts.items() for name in part}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
        make_tokenizer(folder, config["vocab_size"])
    else:
        safetensors.numpy.save_file(weights, folder / "model.safetensors")
    return config, {name: value.astype(np.float64) for name, value in weights.items()}


def reference(config, weights, ids):
    """Logits [length, vocabulary] of all tokens at once, written as the papers have it, one head after the other."""
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    heads, key_heads, length = config["num_attention_heads"], config["num_key_value_heads"], len(ids)

    def linear(name, x):
        return x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)

    def norm(name, x):
        return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + config["rms_norm_eps"]) * weights[f"{name}.weight"]

    scaling = config.get("rope_scaling") or {}
    frequencies = []
    for i in range(head // 2):
        frequency = config.get("rope_theta", 10000.0) ** (-2 * i / head)
        if scaling.get("type") == "linear":
            frequency /= scaling["factor"]
        elif scaling:
            wave = 2 * np.pi / frequency
            low, high = (scaling["original_max_position_embeddings"] / scaling[f"{end}_freq_factor"] for end in ("low", "high"))
            if wave > low:
                frequency /= scaling["factor"]
            elif wave > high:
                part = (low / wave - 1) * scaling["low_freq_factor"] / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
                frequency = (1 - part) * frequency / scaling["factor"] + part * frequency
        frequencies.append(frequency)
    turns = np.exp(1j * np.outer(np.arange(length), frequencies))

    def rotate(x):
        turned = (x[:, :head // 2] + 1j * x[:, head // 2:]) * turns
        return np.concatenate([turned.real, turned.imag], 1)

    distance = np.arange(length)[:, None] - np.arange(length)
    seen = (distance >= 0) & (distance < (config.get("sliding_window") or length))
    x = weights["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        y = norm(f"{layer}.input_layernorm", x)
        q, k, v = (linear(f"{layer}.self_attn.{part}_proj", y).reshape(length, -1, head) for part in "qkv")
        if config["model_type"] == "qwen3":
            q, k = norm(f"{layer}.self_attn.q_norm", q), norm(f"{layer}.self_attn.k_norm", k)
        mixed = []
        for h in range(heads):
            group = h // (heads // key_heads)
            scores = np.where(seen, rotate(q[:, h]) @ rotate(k[:, group]).T / np.sqrt(head), -np.inf)
            scores = np.exp(scores - scores.max(1, keepdims=True))
            mixed.append(scores / scores.sum(1, keepdims=True) @ v[:, group])
        x = x + linear(f"{layer}.self_attn.o_proj", np.concatenate(mixed, 1))
        y = norm(f"{layer}.post_attention_layernorm", x)
        gate = linear(f"{layer}.mlp.gate_proj", y)
        x = x + linear(f"{layer}.mlp.down_proj", gate / (1 + np.exp(-gate)) * linear(f"{layer}.mlp.up_proj", y))
    table = weights["model.embed_tokens.weight" if config.get("tie_word_embeddings") else "lm_head.weight"]
    return norm("model.norm", x) @ table.T


class Stateless:
    """All tokens in each run, by ONNX Runtime."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def logits(self, ids):
        feeds = {"input_ids": np.array([ids], np.int64), "attention_mask": np.ones((1, len(ids)), np.int64),
                 "position_ids": np.arange(len(ids))[None]}
        inputs = {value.name: feeds[value.name] if value.name in feeds
                  else np.zeros([1 if size == "batch" else size if isinstance(size, int) else 0 for size in value.shape], np.float32)
                  for value in self.session.get_inputs()}
        return self.session.run(["logits"], inputs)[0][0]

    def greedy(self, ids, count, stop=None):
        ids, first = list(ids), len(ids)
        while len(ids) < first + count and (not ids[first:] or ids[-1] != stop):
            ids.append(int(self.logits(ids)[-1].argmax()))
        return ids[first:]


def check_reference(folder, path):
    config = json.loads(pathlib.Path(folder, "config.json").read_text())
    _, weights = make_folder(folder, config["model_type"])
    ids = np.random.default_rng(1).integers(0, config["vocab_size"], 40)
    expected = reference(config, weights, ids)
    import onnxc
    session = onnxc.InferenceSession(path, state="auto", opt_level=1)
    steps = [ids[:12], *ids[12:].reshape(-1, 1)]
    ours = np.concatenate([session.run(["logits"], {"input_ids": step[None]})[0][0] for step in steps])
    for name, logits in (("ONNX Runtime", Stateless(path).logits(ids)), ("onnxc", ours)):
        off = np.abs(logits - expected).max()
        if not off < 2e-5 * np.abs(expected).max():
            sys.exit(f"{config['model_type']}: {name} is off by {off} of {np.abs(expected).max()}")
    print(f"{config['model_type']}: as numpy has it")


def check_chat(folder, path, compiled, other=None):
    import chat
    import onnxc
    stateless, texts = Stateless(path), chat.Texts(folder)

    def start(count=24, **options):
        return chat.Chat(chat.Decoder(compiled), texts, chat.Sampler(**{"temperature": 0} | options), "Be short.", count)

    def expect(what, actual, expected):
        if actual != expected:
            sys.exit(f"{what}: expected {expected!r}, got {actual!r}")
        print(f"{what}: as expected")

    def expected_answer(messages, count=24):
        prompt = texts.tokens(messages)
        ids = stateless.greedy(prompt, count, 1)
        return prompt, ids, texts.tokenizer.decode(ids)

    # An answer, and another one, for which only the new message is run.
    one = start()
    system, first = {"role": "system", "content": "Be short."}, {"role": "user", "content": "What is a compiler?"}
    prompt, ids, text = expected_answer([system, first])
    expect("the prompt", texts.tokenizer.decode(prompt, skip_special_tokens=False),
           "<|system|>Be short.</s><|user|>What is a compiler?</s><|assistant|>")
    answer = "".join(one.say(first["content"]))
    # What is not the whole of a letter yet is not printed.
    expect("the answer", answer.rstrip("\ufffd"), text.rstrip("\ufffd"))
    expect("tokens of the prompt", one.new_tokens, len(prompt))
    messages = list(one.messages)
    second = {"role": "user", "content": "And ONNX, \u00fcber alles?"}
    prompt, _, text = expected_answer([*messages, second])
    cached = list(one.decoder.tokens)
    answer = "".join(one.say(second["content"]))
    expect("the second answer", answer.rstrip("\ufffd"), text.rstrip("\ufffd"))
    same = next((i for i, (a, b) in enumerate(zip(cached, prompt)) if a != b), min(len(cached), len(prompt)))
    expect("only what is new is run", one.new_tokens, len(prompt) - same)
    expect("and the cache is of that", one.decoder.session.state.length, len(one.decoder.tokens))

    # Saved, and loaded in another session: the same goes on.
    saved = pathlib.Path(folder, "saved.chat")
    one.save(saved)
    two = start()
    two.load(saved)
    expect("a loaded conversation", two.messages, one.messages)
    expect("goes on", list(two.say("More.")), list(one.say("More.")))
    expect("with the same tokens new", two.new_tokens, one.new_tokens)

    # Another first message: as a conversation that began with it, but the system's message is not run again.
    edited = "".join(one.edit(1, "What is a linker?"))
    fresh = start()
    expect("an edited message", edited, "".join(fresh.say("What is a linker?")))
    expect("and its messages", one.messages, fresh.messages)
    expect("and what is not run again", one.new_tokens < fresh.new_tokens, True)

    # An answer that is broken off, and one for which the model fails.
    pieces = one.say("Break off.")
    next(pieces)
    pieces.close()
    expect("broken off", one.messages, fresh.messages)
    expect("and goes on", list(one.say("On.")), list(fresh.say("On.")))
    one.undo()
    expect("undone", one.messages, fresh.messages[:-2])

    # A seed.
    random = [list(start(temperature=1.0, seed=seed).say("Hi")) for seed in (7, 7, 8)]
    expect("a seed", (random[0] == random[1], random[0] == random[2]), (True, False))

    # Others' files.
    pathlib.Path(folder, "text.chat").write_text("text")
    for name, chats, file in [("text", two, "text.chat")] + ([("another model", None, "saved.chat")] if other else []):
        if chats is None:
            chats = chat.Chat(chat.Decoder(other), texts, chat.Sampler(0))
        try:
            chats.load(pathlib.Path(folder, file))
            sys.exit(f"a file of {name} was loaded")
        except (chat.ChatError, onnxc.Error) as error:
            print(f"refused: {error}")


def check_sampling(program):
    from sampling import Sampler
    random = np.random.default_rng(5)
    cases, history = 60, [3, 5, 5, 9]
    for case in range(cases):
        logits = (random.standard_normal(50) * 3).astype(np.float32)
        logits[7] = logits[8]  # equal ones
        settings = [0 if case % 7 == 0 else random.uniform(0.3, 2), int(random.integers(0, 12)), random.uniform(0.1, 1.0),
                    random.uniform(0.7, 1.5)]
        if case % 3 == 0:  # all tokens, unlikely ones as well
            settings[1:3] = 0, 1.0
        ours = Sampler(*settings).probabilities(logits, history)
        words = [repr(float(value)) for value in (*settings, *logits)]
        theirs = np.array(subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout.split(), float)
        if not np.allclose(ours, theirs, rtol=0, atol=1e-9) or abs(ours.sum() - 1) > 1e-9:
            sys.exit(f"{settings}: {ours} by sampling.py, {theirs} by sampler.h")
        # What the numbers mean, one by one.
        penalized = [value / settings[3] if value > 0 else value * settings[3] for value in map(float, logits)]
        chances = np.array([penalized[i] if i in history else float(logits[i]) for i in range(50)])
        if settings[0] == 0:
            expected = [int(chances.argmax())]
        else:
            chances = np.exp(chances / settings[0])
            ranked = sorted(range(50), key=lambda i: (-chances[i], i))[:settings[1] or None]
            chances /= chances[ranked].sum()
            expected, enough = [], 0.0
            for i in ranked:
                if enough < settings[2]:
                    expected.append(i)
                    enough += chances[i]
        if sorted(expected) != np.flatnonzero(ours).tolist():
            sys.exit(f"{settings}: expected {sorted(expected)}, got {np.flatnonzero(ours).tolist()}")
    print(f"{cases} settings: both the same")
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    sampler = Sampler(1.0, 0, 1.0, seed=1)
    ours = np.bincount([sampler.next(logits, []) for _ in range(4000)], minlength=4) / 4000
    words = [repr(float(value)) for value in (1.0, 0, 1.0, 1.0, *logits)]
    drawn = subprocess.run([program, "draw", *words], check=True, capture_output=True, text=True).stdout.split()
    theirs = np.bincount(np.array(drawn, int), minlength=4) / len(drawn)
    for name, shares in (("sampling.py", ours), ("sampler.h", theirs)):
        if np.abs(shares - np.exp(logits)).max() > 0.03:
            sys.exit(f"{name}: draws {shares}, expected {np.exp(logits)}")
        print(f"{name}: draws as often as expected")


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "greedy":
        print(*Stateless(words[0]).greedy([int(word) for word in words[2:]], int(words[1])), sep="\n")
    else:
        {"folder": make_folder, "reference": check_reference, "chat": check_chat, "sampling": check_sampling}[command](*words)
