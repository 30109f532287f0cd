# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that the compiler was not written for, with random weights (utils/held_out.py).

catalog.py lists them; each family of models has a module (images, detection, pixels,
audio, text, tables) whose functions give a Plan; weights.py makes the values that pass
through a model sane, export.py writes it, integers.py quantizes it."""
