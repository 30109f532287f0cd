# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strings."""

import numpy as np

from .source import Use, op


WORDS = ["", "a", "b c", "Ümlaut", "a-b-c", "--", "word"]


def words(s, shape):
    array = np.empty(shape, dtype=object)
    for at in np.ndindex(*shape):
        array[at] = s.pick(WORDS)
    return array


@op("StringConcat")
def string_concat(s):
    shape = s.shape(most=2)
    return Use([words(s, shape), words(s, s.broadcast(shape))])


@op("StringSplit")
def string_split(s):
    return Use([words(s, s.shape(most=2, low=1))], s.attributes(delimiter=s.maybe("-"), maxsplit=s.maybe(s.integer(0, 2), 0.3)), outputs=2)


@op("RegexFullMatch")
def regex_full_match(s):
    return Use([words(s, s.shape(most=2))], {"pattern": s.pick(["a.*", "[a-z]+", "", "(a|b) c", ".*-.*"])})


@op("StringNormalizer")
def string_normalizer(s):
    array = words(s, s.pick([[s.integer(1, 5)], [1, s.integer(1, 5)]]))
    array[array == "Ümlaut"] = "Word"  # the oracles know no other letters
    return Use([array], {"locale": "C"} | s.attributes(case_change_action=s.maybe(s.pick(["LOWER", "UPPER", "NONE"])), is_case_sensitive=s.maybe(s.integer(0, 1)),
                                     stopwords=s.maybe(["a", "WORD"])))


@op("TfIdfVectorizer")
def tf_idf(s):
    pool, counts, width = [1, 2, 3, 1, 2, 2, 3, 3, 1], [0, 3], 6
    attributes = {"mode": s.pick(["TF", "IDF", "TFIDF"]), "min_gram_length": s.integer(1, 2), "max_gram_length": 2, "max_skip_count": s.integer(0, 3),
                  "ngram_counts": counts, "ngram_indexes": [int(i) for i in s.random.permutation(width)], "pool_int64s": pool,
                  **s.attributes(weights=s.maybe([0.5, 1.0, 2.0, 0.25, 3.0, 1.5]))}
    return Use([s.array(s.pick(["int64", "int32"]), s.shape(rank=s.integer(1, 2), low=1), 0, 4)], attributes)
