"""What the machine can do at most, measured in the same run, and the share of it
that a time reaches."""

import json
import subprocess

from bench import native


def measure(threads, mebibytes=None):
    """{number of threads: {level: peak}}, by peak.c: float_gflops, int8_gops (1e9 operations per
    second), l1_gbs, memory_gbs (1e9 bytes read per second), of all threads together, and the
    instructions' float_name and int8_name. Levels are onnxc's, from the lowest on. `mebibytes`: what all threads
    read together, on the highest level alone; without, so little that a large cache may hold some of it."""
    program = native.build("peak.c", "-pthread", includes=["tools/onnxc/Peak.c", "tools/onnxc/Peak.h"])
    size = lambda count: [str(mebibytes // count)] if mebibytes else []  # noqa: E731
    return {str(count): json.loads(subprocess.run([program, str(count), *size(count)], capture_output=True, text=True,
                                                  check=True).stdout) for count in threads}


def of_level(peaks, threads, level=None):
    """(name, peak) of a level of processors with so many threads. Without one: the highest. With one
    that the machine lacks, or that has another name (native): the highest, too."""
    levels = peaks.get(str(threads)) or {}
    name = level if level in levels else next(reversed(levels), None)
    return name, levels.get(name)


def shares(peak, seconds, flops, data, int8):
    """(of the peak of arithmetic, of the bandwidth of memory) that `flops` operations and
    `data` bytes in so many seconds are; None where one is not known. `int8`: dot products of bytes,
    where the level has some."""
    if not peak or not seconds:
        return None, None
    top = int8 and peak["int8_gops"] or peak["float_gflops"]
    return (1e-9 * flops / seconds / top if flops and top else None,
            1e-9 * data / seconds / peak["memory_gbs"] if data and peak["memory_gbs"] else None)
