#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said in recordings, by a model of Whisper's architecture.

usage: transcribe.py ENCODER DECODER FOLDER RECORDING.wav... [options]

ENCODER and DECODER are compiled models of make_model.py (the decoder with --state=auto --last-logits=logits), or the
.onnx files, which are compiled first. FOLDER is what Hugging Face has beside the weights: tokenizer.json, config.json,
generation_config.json. A recording has 16 bits and 16000 Hz, one channel.
"""

import argparse
import json
import pathlib
import re
import sys
import time
import wave

import numpy as np
import tokenizers

import onnxc


class WrongInput(Exception):
    """What the user can do something about."""


def read_wav(path):
    try:
        with wave.open(str(path)) as file:
            if (file.getsampwidth(), file.getframerate(), file.getnchannels()) != (2, 16000, 1):
                raise WrongInput(f"{path}: expected 16 bits, 16000 Hz, one channel")
            return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
    except (wave.Error, EOFError) as error:
        raise WrongInput(f"{path}: not a WAV file: {error}") from None


class Tokens:
    """The tokenizer, and the tokens that are not text."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        try:
            self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the library has no class of its own
            raise WrongInput(f"{folder / 'tokenizer.json'}: {error}") from None
        config = {}
        for name in ("config.json", "generation_config.json"):
            if (folder / name).exists():
                config |= json.loads((folder / name).read_text())
        self.begin, self.end = self.number("<|startoftranscript|>"), self.number("<|endoftext|>")
        self.no_timestamps = self.number("<|notimestamps|>")
        names = self.tokenizer.get_vocab()
        self.languages = {match[1]: number for name, number in names.items() if (match := re.fullmatch(r"<\|([a-z]{2,3})\|>", name))}
        # Models for English alone have the tokens of languages in their tokenizer, too.
        self.multilingual = bool(config.get("is_multilingual", self.languages))
        self.most = int(config["max_target_positions"])
        # Never, and not as the first token.
        self.suppressed = list(config.get("suppress_tokens") or [])
        self.suppressed_first = list(config.get("begin_suppress_tokens") or [])

    def number(self, token):
        found = self.tokenizer.token_to_id(token)
        if found is None:
            raise WrongInput(f"the tokenizer has no token {token}")
        return found

    def language(self, name):
        if name not in self.languages:
            raise WrongInput(f"there is no language '{name}'; there are {', '.join(sorted(self.languages))}")
        return self.languages[name]


class Recognizer:
    def __init__(self, encoder, decoder, tokens):
        def load(path, **options):
            return onnxc.InferenceSession(path, **(options if path.endswith(".onnx") else {}))

        self.encoder, self.decoder, self.tokens = load(encoder), load(decoder, state="auto", last_logits="logits"), tokens
        if not len(self.decoder.state):
            raise WrongInput(f"{decoder} has no states: expected a model compiled with --state=auto")
        self.samples = self.encoder.get_inputs()[0].shape[1]

    def _run(self, ids, suppressed=()):
        """The logits behind these tokens, which come behind those of before."""
        logits, = self.decoder.run(["logits"], {"input_ids": np.array([ids], np.int64), **self.heard})
        logits = logits[0, -1].copy()
        logits[list(suppressed)] = -np.inf
        return logits

    def transcribe(self, samples, language=None, task="transcribe"):
        """Token ids of one clip, and its language."""
        tokens = self.tokens
        clip = np.zeros((1, self.samples), np.float32)
        clip[0, :len(samples)] = samples
        # Once for the clip. The decoder gets it in each run, as it is and where it is: an input is not copied.
        names = [output.name for output in self.encoder.get_outputs()]
        self.heard = dict(zip(names, self.encoder.run(names, {"audio": clip})))
        self.decoder.state.reset()
        ids = [tokens.begin]
        if tokens.multilingual:
            if language is None:
                # What the model says behind the first token, of the languages alone. The token is in its states then.
                logits = self._run(ids)
                language = max(tokens.languages, key=lambda name: logits[tokens.languages[name]])
                ids = []
            ids += [tokens.language(language), tokens.number(f"<|{task}|>")]
        ids.append(tokens.no_timestamps)
        # Timestamps are all numbers behind that one.
        forbidden = np.union1d(tokens.suppressed, np.arange(tokens.no_timestamps + 1, self._vocabulary())).astype(np.int64)
        found, first = [], tokens.suppressed_first
        while self.decoder.state.length + len(ids) <= tokens.most:
            token = int(self._run(ids, [*forbidden, *first]).argmax())
            if token == tokens.end:
                break
            found.append(token)
            ids, first = [token], []
        return found, language

    def _vocabulary(self):
        return self.decoder.get_outputs()[0].shape[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("encoder", "decoder", "folder"):
        parser.add_argument(name)
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--language", help="en, de, ...; without it the model says")
    parser.add_argument("--task", default="transcribe", choices=["transcribe", "translate"])
    parser.add_argument("--tokens", action="store_true", help="prints the numbers of the tokens, not the text")
    parser.add_argument("--time", action="store_true", help="prints how long it took")
    options = parser.parse_args()
    try:
        tokens = Tokens(options.folder)
        if options.language and tokens.multilingual:
            tokens.language(options.language)
        recognizer = Recognizer(options.encoder, options.decoder, tokens)
        for path in options.recordings:
            samples = read_wav(path)
            for begin in range(0, len(samples), recognizer.samples):
                started = time.perf_counter()
                found, language = recognizer.transcribe(samples[begin:begin + recognizer.samples], options.language, options.task)
                text = " ".join(map(str, found)) if options.tokens else tokens.tokenizer.decode(found)
                print(f"{begin / 16000:8.2f} s  {language or 'en'}  {text.strip()}", flush=True)
                if options.time:
                    print(f"[{len(found)} tokens in {time.perf_counter() - started:.2f} s]", file=sys.stderr)
    except (WrongInput, onnxc.Error, OSError, ValueError) as error:
        sys.exit(f"transcribe.py: {error}")


if __name__ == "__main__":
    main()
