"""The search of utils/compare_model.py on ten nodes of which some are wrong
together."""

import sys

sys.path.insert(0, sys.argv[1])
import compare_model


class Pretended:
    """Stands for the segments and for the checker."""

    def __init__(self, first, last):
        self.first, self.last = first, last

    def make(self, first, last):
        return first, last

    def wrong(self, first, last):
        return 1.0, "wrong" if first <= self.first and last >= self.last else ""


for pair in [(2, 6), (0, 9), (4, 5)]:
    pretended = Pretended(*pair)
    print(compare_model.find_segment(pretended, pretended, 10))
