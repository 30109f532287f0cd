"""Makes a repository whose docs/benchmarks.md was measured at the first commit, and
whose last change of a folder came so many commits later.

usage: aged_repository.py REPOSITORY FOLDER AGE [--unknown]

With --unknown, the page names a commit that does not exist, and the time of the first.
"""

import datetime
import pathlib
import subprocess
import sys

root, folder, age = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
START = int(datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc).timestamp())
stream = []


def git(*arguments, given=None):
    return subprocess.run(["git", "-C", str(root), *arguments], input=given, check=True, capture_output=True,
                          text=True).stdout.strip()


def commit(minute, path, text):
    """One in which a file has this text."""
    stream.append(f"commit refs/heads/main\ncommitter a <a@b> {START + 60 * minute} +0000\ndata 1\nc\n"
                  f"M 644 inline {path}\ndata {len(text)}\n{text}\n")


def flush():
    git("fast-import", "--quiet", "--force", given="".join(stream))
    stream.clear()


root.mkdir(parents=True)
git("init", "--quiet", "--initial-branch=main")
commit(0, f"{folder}/a.cpp", "1")
flush()
name = "abcdef1234" if "--unknown" in sys.argv else git("rev-parse", "--short=8", "main")
first = git("rev-parse", "main")
commit(1, "docs/benchmarks.md", f"Peers: all. Measured 2026-01-01 00:00 UTC at commit {name}.\n")
stream[-1] = stream[-1].replace("data 1\nc\n", f"data 1\nc\nfrom {first}\n")
for i in range(2, age):
    commit(i, "README.md", str(i))
commit(age, f"{folder}/a.cpp", "2")
for i in range(age + 1, age + 60):
    commit(i, "README.md", str(i))
flush()
git("checkout", "--quiet", "--force", "main")
