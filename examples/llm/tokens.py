#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text to token ids and back, for programs that know numbers alone.

usage: tokens.py encode TOKENIZER.json TEXT
       tokens.py decode TOKENIZER.json      ids from the standard input, text as soon as it is complete
"""

import sys

import tokenizers
from tokenizers.decoders import DecodeStream


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] != ("encode" if len(sys.argv) == 4 else "decode"):
        sys.exit(__doc__)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(sys.argv[2])
    except Exception as error:  # the library has no class of its own
        sys.exit(f"tokens.py: {sys.argv[2]}: {error}")
    if len(sys.argv) == 4:
        print(*tokenizer.encode(sys.argv[3]).ids)
        return
    stream = DecodeStream(skip_special_tokens=True)
    for line in sys.stdin:
        for word in line.split():
            print(stream.step(tokenizer, int(word)) or "", end="", flush=True)
    print()


if __name__ == "__main__":
    main()
