"""Makes a repository whose docs/benchmarks.md was measured at the first commit, and
whose last change of a folder came so many commits later.

usage: aged_repository.py REPOSITORY FOLDER AGE [--unknown]

With --unknown, the page names a commit that does not exist, and the time of the first.
"""

import os
import pathlib
import subprocess
import sys

root, folder, age = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])


def git(*arguments, minute=0):
    time = f"2026-01-01 {minute // 60:02}:{minute % 60:02} +0000"
    environment = {**os.environ, "GIT_AUTHOR_DATE": time, "GIT_COMMITTER_DATE": time}
    return subprocess.run(["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                          check=True, capture_output=True, text=True, env=environment).stdout.strip()


def commit(text, minute):
    git("add", "-A")
    git("commit", "--quiet", "--allow-empty", "-m", text, minute=minute)


(root / folder).mkdir(parents=True)
(root / "docs").mkdir()
git("init", "--quiet")
(root / folder / "a.cpp").write_text("1")
commit("measured", 0)
name = "abcdef1234" if "--unknown" in sys.argv else git("rev-parse", "--short=8", "HEAD")
(root / "docs" / "benchmarks.md").write_text(f"Peers: all. Measured 2026-01-01 00:00 UTC at commit {name}.\n")
for i in range(1, age):
    commit("other", i)
(root / folder / "a.cpp").write_text("2")
commit("changed", age)
for i in range(age + 1, age + 60):
    (root / "README.md").write_text(str(i))
commit("text", age + 60)
