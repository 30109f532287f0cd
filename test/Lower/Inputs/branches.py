"""Prints a loop whose body is a chain of so many branches, each of which hands
on a tensor, or one that is written into it."""

import sys

body, value = [], "%h"
for i in range(int(sys.argv[1])):
    body.append(f"""
    %b{i} = scf.if %c -> (tensor<?xf32>) {{
      %f{i} = linalg.fill ins(%f : f32) outs({value} : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %f{i} : tensor<?xf32>
    }} else {{
      scf.yield {value} : tensor<?xf32>
    }}""")
    value = f"%b{i}"
print(f"""
func.func @branches(%x: tensor<?xf32>, %n: index, %c: i1, %f: f32) -> index {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<?xf32>) {{{"".join(body)}
    scf.yield {value} : tensor<?xf32>
  }}
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %d : index
}}""")
