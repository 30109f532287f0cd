"""Prints the first block of code of a language on a page.

usage: snippet.py PAGE LANGUAGE
"""

import re
import sys

found = re.search(rf"^```{re.escape(sys.argv[2])}\n(.*?)^```", open(sys.argv[1]).read(), re.MULTILINE | re.DOTALL)
if not found:
    sys.exit(f"{sys.argv[1]}: no block of {sys.argv[2]}")
print(found[1], end="")
