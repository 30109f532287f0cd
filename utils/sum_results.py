#!/usr/bin/env python3
"""Adds up JUnit result files and prints `N passed, N failed, N skipped`, after
the names of the tests that failed. Exit status 1 if one failed, if none passed of
a file, or if a file is not there.

usage: utils/sum_results.py FILE.xml...
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def main():
    passed, failed, skipped = 0, [], 0
    for path in sys.argv[1:]:
        before = passed
        if not pathlib.Path(path).exists():
            failed.append(f"{path}: no results; the suite ended early")
            continue
        for case in xml.parse(path).getroot().iter("testcase"):
            name = f"{case.get('classname', '')} {case.get('name')}".strip()
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(name)
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
        if passed == before:
            failed.append(f"{path}: none of its tests passed")
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
