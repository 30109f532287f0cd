# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual pages of onnxc and onnx-optimize, and completions of their command lines
for bash, zsh and fish, from the records of the options."""

import re

import option_records

SUMMARIES = {
    "Compile": "compiles an ONNX model to a library of machine code",
    "Check": "lists every fault of a model, and every operator that cannot be compiled",
    "Inspect": "says what is in a model, or draws it",
    "Run": "runs a model on arrays in numpy's files",
    "Bench": "measures how long a run takes",
    "Profile": "measures how long each node takes",
    "Compare": "says whether a compiled model computes what it should, and from which node on not",
    "Convert": "writes a model at another opset, or in another file, and changes nothing else",
    "Doctor": "says what is installed, what this machine has, and whether a small model compiles and runs",
    "Tune": "measures how a model's kernels run fastest on this machine",
    "Quantize": "writes a model with integers of 4 or 8 bits for weights, or for activations, too",
    "Optimize": "rewrites an ONNX model to a smaller one that computes the same",
}
OPERANDS = {"Compile": "MODEL.onnx", "Check": "MODEL.onnx", "Inspect": "MODEL.onnx", "Run": "MODEL.so | MODEL.onnx",
            "Bench": "MODEL.so | MODEL.onnx", "Profile": "MODEL.onnx | MODEL.so", "Compare": "MODEL.onnx", "Convert": "MODEL.onnx", "Doctor": "",
            "Tune": "MODEL.onnx", "Quantize": "MODEL.onnx", "Optimize": "IN.onnx OUT.onnx"}
# `onnxc targets` has no options of its own.
TARGETS = "the processors and systems that code can be made for"
COMPILE = "is onnxc without a verb"
HELP = "prints the options of onnxc, or of a verb"
VERSION = "prints the version"
NOTE = "Written by utils/generate_docs.py from Options.td; change that instead."


def _roff(text):
    """Text as troff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _listed(command):
    return [option for option in option_records.options() if command in option.commands and not option.hidden]


def _options(command):
    lines = []
    for option in _listed(command):
        lines += [".TP", f"\\fB{_roff(option.spelled)}\\fR", _roff(option.help[command])]
    return lines


def _page(name, command, verbs):
    lines = [f'.\\" {NOTE}', f'.TH {name.upper()} 1 "" "onnxc" "User Commands"', ".SH NAME", f"{_roff(name)} \\- {_roff(SUMMARIES[command])}",
             ".SH SYNOPSIS", f".B {_roff(name)}", f"[\\fIoption\\fR ...] {_roff(OPERANDS[command])}"]
    if verbs:
        lines += [".br", f".B {_roff(name)} compile", f"[\\fIoption\\fR ...] {_roff(OPERANDS[command])}"]
    for verb in verbs:
        lines += [".br", f".B {_roff(option_records.COMMANDS[verb])}", f"[\\fIoption\\fR ...] {_roff(OPERANDS[verb])}"]
    if verbs:
        lines += [".br", ".B onnxc optimize", f"[\\fIoption\\fR ...] {_roff(OPERANDS['Optimize'])}",
                  ".br", ".B onnxc targets", "[\\fItriple\\fR]", ".br", ".B onnxc help", "[\\fIverb\\fR]",
                  ".br", ".B onnxc version"]
    lines += [".SH OPTIONS", *_options(command)]
    for verb in verbs:
        lines += [f'.SH "{_roff(option_records.COMMANDS[verb]).upper()}"', _roff(SUMMARIES[verb][0].upper() + SUMMARIES[verb][1:]) + ".",
                  *_options(verb)]
    if verbs:
        lines += ['.SH "ONNXC OPTIMIZE"', _roff("Is onnx-optimize, which has a page of its own."),
                  '.SH "ONNXC TARGETS"', _roff(TARGETS[0].upper() + TARGETS[1:]) + "."]
    lines += [".SH EXIT STATUS", "0; 1 where the model or a file is wrong, a run fails or results differ; 2 where the command line is wrong; "
              "70 for a fault of the program itself. What is wrong is said on the standard error.", ""]
    return "\n".join(lines)


def _verbs():
    verbs = {name.split()[1]: command for command, name in option_records.COMMANDS.items() if " " in name}
    # A command of its own, too.
    return verbs | {"optimize": "Optimize"}


def _first_words():
    """What may stand first, and what it does, beside a model."""
    return {"compile": COMPILE, **{verb: SUMMARIES[command] for verb, command in _verbs().items()}, "targets": TARGETS, "help": HELP,
            "version": VERSION}


def _words(command):
    """What completes an option: its name, with = where a value follows."""
    words = []
    for option in _listed(command):
        if ", --" in option.spelled:
            longer = option.spelled.split(", ")[1]
            words.append((re.match(r"-+[\w-]+", longer).group() + ("=" if "=<" in longer else ""), option.help[command]))
        stem = re.match(r"-+[\w-]+", option.spelled if len(option.name) > 1 else f"-{option.name}").group()
        takes_value = "=<" in option.spelled.split(", ")[0] and "[=<" not in option.spelled
        words.append((stem + ("=" if takes_value else ""), option.help[command]))
    return words


def _bash():
    cases = "\n".join(f'    *:{verb}) words="{" ".join(word for word, _ in _words(command))}" ;;' for verb, command in _verbs().items())
    return f"""# Completion of onnxc and onnx-optimize for bash.
# {NOTE}

_onnxc() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  # An option with = is one word.
  if [[ "${{COMP_LINE:0:COMP_POINT}}" =~ [[:space:]](-[^[:space:]]*)$ ]]; then
    current="${{BASH_REMATCH[1]}}"
  fi
  case "${{COMP_WORDS[0]##*/}}:${{COMP_WORDS[1]}}" in
    onnx-optimize:*) words="{" ".join(word for word, _ in _words("Optimize"))}" ;;
{cases}
    *) words="{" ".join(word for word, _ in _words("Compile"))}" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ "${{COMPREPLY[0]}}" != *= ]] || compopt -o nospace 2>/dev/null
  else
    COMPREPLY=($(compgen -f -- "$current"))
    if [[ "${{COMP_WORDS[0]##*/}}" == onnxc && ( "$COMP_CWORD" == 1 || "$COMP_CWORD:${{COMP_WORDS[1]}}" == 2:help ) ]]; then
      COMPREPLY+=($(compgen -W "{" ".join(_first_words())}" -- "$current"))
    fi
  fi
}}
complete -o filenames -F _onnxc onnxc onnx-optimize
"""


def _quote(text):
    return text.replace("'", "'\\''")


def _zsh():
    def arguments(command):
        entries = []
        for word, help in _words(command):
            text = re.sub(r"([\[\]:])", r"\\\1", help)
            entries.append(f"      '{word}{'-' if word.endswith('=') else ''}[{_quote(text)}]{':value:' if word.endswith('=') else ''}'")
        return " \\\n".join(entries)

    cases = "\n".join(f"    onnxc:{verb}) _arguments \\\n{arguments(command)} \\\n      '*:file:_files' ;;" for verb, command in _verbs().items())
    return f"""#compdef onnxc onnx-optimize
# {NOTE}

_onnxc() {{
  case "$service:$words[2]" in
    onnx-optimize:*) _arguments \\
{arguments("Optimize")} \\
      '*:file:_files' ;;
{cases}
    *) _arguments \\
{arguments("Compile")} \\
      '1:model or verb:->first' '*:file:_files'
      if [[ $state == first ]]; then
        compadd {" ".join(_first_words())}
        _files
      fi ;;
  esac
}}
_onnxc "$@"
"""


def _fish():
    lines = ["# Completion of onnxc and onnx-optimize for fish.", f"# {NOTE}"]
    verbs = " ".join(verb for verb in _first_words() if verb != "compile")
    for verb, summary in _first_words().items():
        lines.append(f"complete -c onnxc -n __fish_use_subcommand -a {verb} -d '{_quote(summary)}'")
    for command, name in [*option_records.COMMANDS.items(), ("Optimize", "onnxc optimize")]:
        program, _, verb = name.partition(" ")
        condition = f"-n '__fish_seen_subcommand_from {verb}' " if verb else f"-n 'not __fish_seen_subcommand_from {verbs}' " if program == "onnxc" else ""
        for word, help in _words(command):
            stem = word.rstrip("=")
            form = f"-l {stem[2:]}" if stem.startswith("--") else f"-s {stem[1:]}"
            value = " -x" if word.endswith("=") else " -r" if stem in ("-o", "-O") else ""
            lines.append(f"complete -c {program} {condition}{form}{value} -d '{_quote(help)}'")
    return "\n".join(lines) + "\n"


def files():
    """What stands where in the tree, by path."""
    verbs = [command for command in _verbs().values() if command != "Optimize"]
    return {
        "share/man/man1/onnxc.1": _page("onnxc", "Compile", verbs),
        "share/man/man1/onnx-optimize.1": _page("onnx-optimize", "Optimize", []),
        "share/bash-completion/completions/onnxc": _bash(),
        # bash looks for a file of the command's name.
        "share/bash-completion/completions/onnx-optimize": f'# {NOTE}\n. "${{BASH_SOURCE[0]%/*}}/onnxc"\n',
        "share/zsh/site-functions/_onnxc": _zsh(),
        "share/fish/vendor_completions.d/onnxc.fish": _fish(),
    }
