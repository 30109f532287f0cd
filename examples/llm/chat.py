#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A conversation with a language model.

usage: chat.py DECODER FOLDER [options]

DECODER is a .so that was compiled with --state=auto --last-logits=logits, or a .onnx, which is compiled first. FOLDER
is what Hugging Face has beside the weights: tokenizer.json, tokenizer_config.json with the template of a chat (or
chat_template.jinja), generation_config.json. Without a template the text is given to the model as it is, which goes on.

A line is a message. Lines that begin with a slash:
    /edit N TEXT    the user's Nth message is another one; what came behind it is forgotten
    /undo           the last message and its answer are forgotten
    /show           all messages
    /save FILE      the conversation, with what the model remembers
    /load FILE
    /quit           so does the end of the input
"""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time
import zipfile

import numpy as np
import tokenizers
from tokenizers.decoders import DecodeStream

import onnxc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sampling import Sampler  # noqa: E402


class ChatError(Exception):
    """What the user can do something about."""


class Decoder:
    """The model, and the tokens that its cache is of."""

    def __init__(self, path, capacity=None):
        options = {"state": "auto", "last_logits": "logits", "state_capacity": capacity} if path.endswith(".onnx") else {}
        self.session = onnxc.InferenceSession(path, **options)
        if not len(self.session.state):
            raise ChatError(f"{path} has no states: expected a model compiled with --state=auto")
        self.inputs = {value.name for value in self.session.get_inputs()}
        if not {"input_ids"} <= self.inputs <= {"input_ids", "attention_mask", "position_ids"}:
            raise ChatError(f"{path}: expected the input input_ids, and attention_mask and position_ids at most; got {sorted(self.inputs)}")
        self.tokens = []

    def logits(self, tokens):
        """Behind these tokens. What the cache has of them already is not computed again, and what it has
        besides is cut off: so an answer, an edited message and a new conversation are all the same."""
        same = 0
        while same < min(len(tokens) - 1, len(self.tokens)) and tokens[same] == self.tokens[same]:
            same += 1
        if same < len(self.tokens):
            self.session.state.truncate(same)
        new = np.array([tokens[same:]], np.int64)
        feeds = {"input_ids": new, "attention_mask": np.ones((1, len(tokens)), np.int64),
                 "position_ids": np.arange(same, len(tokens))[None]}
        self.tokens = self.tokens[:same]
        logits, = self.session.run(["logits"], {name: feeds[name] for name in self.inputs})
        self.tokens = list(tokens)
        return logits[0, -1], new.size

    def save(self):
        return self.session.state.save()

    def load(self, saved, tokens):
        self.session.state.load(saved)
        if self.session.state.length != len(tokens):
            self.session.state.reset()
            self.tokens = []
            raise ChatError(f"what the model remembers is of {len(tokens)} tokens by the list, of others by the states")
        self.tokens = list(tokens)


class Texts:
    """Messages to tokens, and tokens to text."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        path = self.folder / "tokenizer.json"
        try:
            self.tokenizer = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library has no class of its own
            raise ChatError(f"{path}: {error}") from None
        self.config = self._read("tokenizer_config.json")
        self.template = self._compile(self._find_template())
        self.stops = set()
        for config in (self._read("config.json"), self._read("generation_config.json")):
            stops = config.get("eos_token_id")
            self.stops.update(stops if isinstance(stops, list) else [] if stops is None else [stops])
        end = self._special("eos_token")
        if end and self.tokenizer.token_to_id(end) is not None:
            self.stops.add(self.tokenizer.token_to_id(end))

    def _read(self, name):
        path = self.folder / name
        try:
            return json.loads(path.read_text()) if path.exists() else {}
        except ValueError as error:
            raise ChatError(f"{path}: {error}") from None

    def _special(self, name):
        token = self.config.get(name) or ""
        return token["content"] if isinstance(token, dict) else token

    def _find_template(self):
        path = self.folder / "chat_template.jinja"
        if path.exists():
            return path.read_text()
        found = self.config.get("chat_template")
        if isinstance(found, list):
            found = {entry["name"]: entry["template"] for entry in found}.get("default")
        return found

    def _compile(self, template):
        if not template:
            return None
        import jinja2
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def fail(message):
            raise ChatError(f"the model's template: {message}")

        # The template came with the model: it gets at nothing but what it is given.
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
        environment.globals.update(raise_exception=fail, strftime_now=lambda form: datetime.datetime.now().strftime(form),
                                   bos_token=self._special("bos_token"), eos_token=self._special("eos_token"))
        environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
        try:
            return environment.from_string(template)
        except jinja2.TemplateError as error:
            raise ChatError(f"{self.folder}: the template of a chat: {error}") from None

    def tokens(self, messages):
        if self.template is None:
            ids = self.tokenizer.encode("".join(message["content"] for message in messages)).ids
        else:
            text = self.template.render(messages=messages, add_generation_prompt=True)
            # The template has the special tokens already.
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            raise ChatError("a message without tokens")
        return ids


class Chat:
    def __init__(self, decoder, texts, sampler, system="", most_tokens=256):
        self.decoder, self.texts, self.sampler, self.most_tokens = decoder, texts, sampler, most_tokens
        self.messages = [{"role": "system", "content": system}] if system else []

    def say(self, text):
        """The pieces of the answer, as they come. One that is not taken to its end is not an answer."""
        self.messages.append({"role": "user", "content": text})
        pieces = []
        try:
            for piece in self._answer():
                pieces.append(piece)
                yield piece
            self.messages.append({"role": "assistant", "content": "".join(pieces)})
        except BaseException:
            self.messages.pop()
            raise

    def _answer(self):
        tokens, stream, begin = self.texts.tokens(self.messages), DecodeStream(skip_special_tokens=True), time.perf_counter()
        times = []
        for _ in range(self.most_tokens):
            logits, count = self.decoder.logits(tokens)
            token = self.sampler.next(logits, tokens)
            if not times:
                self.new_tokens = count
            times.append(time.perf_counter())
            if token in self.texts.stops:
                break
            tokens.append(token)
            piece = stream.step(self.texts.tokenizer, token)
            if piece:
                yield piece
        self.first, self.rate = times[0] - begin, (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0

    def _turns(self):
        return [i for i, message in enumerate(self.messages) if message["role"] == "user"]

    def edit(self, number, text):
        turns = self._turns()
        if not 1 <= number <= len(turns):
            raise ChatError(f"there is no message {number} of the user; there are {len(turns)}")
        del self.messages[turns[number - 1]:]
        return self.say(text)

    def undo(self):
        if not self._turns():
            raise ChatError("there is no message")
        del self.messages[self._turns()[-1]:]

    def save(self, path):
        about = {"version": 1, "messages": self.messages, "tokens": self.decoder.tokens}
        unfinished = f"{path}.{os.getpid()}"
        try:
            with zipfile.ZipFile(unfinished, "w") as file:
                file.writestr("conversation.json", json.dumps(about))
                file.writestr("states", self.decoder.save())
            os.replace(unfinished, path)
        finally:
            pathlib.Path(unfinished).unlink(missing_ok=True)

    def load(self, path):
        try:
            with zipfile.ZipFile(path) as file:
                about, states = json.loads(file.read("conversation.json")), file.read("states")
            if about["version"] != 1:
                raise ChatError(f"{path}: expected version 1, got {about['version']}")
            messages = [{"role": str(message["role"]), "content": str(message["content"])} for message in about["messages"]]
            tokens = [int(token) for token in about["tokens"]]
        except (zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
            raise ChatError(f"{path}: not a saved conversation: {error}") from None
        self.decoder.load(states, tokens)
        self.messages = messages


def answer(chat, pieces, timed):
    for piece in pieces:
        print(piece, end="", flush=True)
    print()
    if timed:
        print(f"[{chat.new_tokens} new tokens of {len(chat.decoder.tokens)}; the first after {1e3 * chat.first:.1f} ms, "
              f"then {chat.rate:.1f} per second]", file=sys.stderr)


def obey(chat, line, timed):
    """One line of the user; False if it is the last one."""
    command, _, rest = line.partition(" ")
    if command == "/quit":
        return False
    if command == "/show":
        for message in chat.messages:
            print(f"{message['role']}: {message['content']}")
    elif command == "/undo":
        chat.undo()
    elif command in ("/save", "/load") and rest:
        (chat.save if command == "/save" else chat.load)(rest)
    elif command == "/edit" and rest.partition(" ")[0].isdecimal() and rest.partition(" ")[2]:
        number, _, text = rest.partition(" ")
        answer(chat, chat.edit(int(number), text), timed)
    elif line.startswith("/"):
        raise ChatError(f"'{line}': expected /edit N TEXT, /undo, /show, /save FILE, /load FILE or /quit")
    elif line:
        answer(chat, chat.say(line), timed)
    return True


def talk(chat, timed):
    """Reads lines until the end; True if all of them could be obeyed."""
    good, prompt = True, "> " if sys.stdin.isatty() else ""
    while True:
        try:
            if not obey(chat, input(prompt), timed):
                return good
        except EOFError:
            return good
        except KeyboardInterrupt:
            print()
        except (ChatError, onnxc.Error, OSError) as error:
            good = False
            print(f"chat.py: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decoder")
    parser.add_argument("folder")
    parser.add_argument("--system", default="", help="what the model is to be")
    parser.add_argument("--temperature", type=float, default=0.8, help="0: the most likely token, always")
    parser.add_argument("--top-k", type=int, default=40, help="0: of all")
    parser.add_argument("--top-p", type=float, default=0.95)
    parser.add_argument("--repetition-penalty", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="the same text each time")
    parser.add_argument("--max-tokens", type=int, default=256, help="of an answer")
    parser.add_argument("--capacity", type=int, help="how many tokens there is memory for from the start (for a .onnx)")
    parser.add_argument("--load", metavar="FILE", help="goes on with a conversation")
    parser.add_argument("--save", metavar="FILE", help="keeps it, at the end")
    parser.add_argument("--time", action="store_true", help="prints how fast tokens came")
    options = parser.parse_args()
    if options.repetition_penalty <= 0 or options.max_tokens < 1:
        parser.error("--repetition-penalty and --max-tokens: expected a number above 0")
    try:
        sampler = Sampler(options.temperature, options.top_k, options.top_p, options.repetition_penalty, options.seed)
        texts = Texts(options.folder)
        chat = Chat(Decoder(options.decoder, options.capacity), texts, sampler, options.system, options.max_tokens)
        if options.load:
            chat.load(options.load)
        good = talk(chat, options.time)
        if options.save:
            chat.save(options.save)
    except (ChatError, onnxc.Error, OSError) as error:
        sys.exit(f"chat.py: {error}")
    if not good and not sys.stdin.isatty():
        sys.exit(1)


if __name__ == "__main__":
    main()
