from case import *

lines = np.array(["This is the first document.", "", "a b-c  dé 12_3", "mañana"], dtype=object)
empty = np.array(["", "--"], dtype=object)


def tokens(x, mark=0, least=1, **attributes):
    return Case("Tokenizer", [x], {"mark": mark, "mincharnum": least, "pad_value": "#", **attributes}, modes=("static", "open"))


CASES = [
    tokens(lines, tokenexp="[a-zA-Z0-9_]+"),
    tokens(lines, tokenexp=r"\w\w+", mark=1),
    tokens(lines, tokenexp="."),
    tokens(lines, tokenexp="(a|an)a?", least=2),
    tokens(lines, tokenexp="i*"),
    tokens(lines, separators=[" "]),
    tokens(lines, separators=[" ", "-"], mark=1, least=2),
    tokens(lines, separators=["[ .]+", "is"]),
    tokens(lines, separators=[""]),
    tokens(lines.reshape(2, 2), separators=["[^a-z]"], mark=1),
    tokens(empty, tokenexp="[a-z]", mark=1),
]
