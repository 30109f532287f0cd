# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits how much memory a process takes: what asks for a size that is wrong should not take the machine along."""

import ctypes
import resource

# AddressSanitizer takes terabytes of addresses and keeps what is freed: limits say nothing then.
SANITIZED = hasattr(ctypes.CDLL(None), "__asan_init")


def limit_memory(size):
    """To `size` bytes, unless the process runs under AddressSanitizer."""
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
