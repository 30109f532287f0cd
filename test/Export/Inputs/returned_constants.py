"""A shape that is folded, or a constant that equals an initializer, given as a result of
open size, and used: onnx.checker must take what the optimizer makes of it."""
import onnx

from onnxc import optimizer

MODEL = """<ir_version: 10, opset_import: ["" : 21]>
g (float[2,3,5,3] x, int64[1] end) => (int64[?] shape, float[?,?,?,?] y)
    <int64[1] start = {2}, int64[1] end = {3}, int64[1] axis = {-1}, int64[2] first = {2,3}, int64[1] last = {3}> {
  shape = Shape(x)
  part = Slice(shape, start, end, axis)
  sizes = Concat<axis = 0>(first, part, last)
  y = Resize<mode = "nearest">(x, "", "", sizes)
}"""

EQUAL = """<ir_version: 6, opset_import: ["" : 11]>
g (float[2,3,n,2] x, int64[1] size) => (int64[?] three, float[?,?,?,?] y)
    <int64[1] end = {3}, int64[1] start = {2}, int64[2] first = {2,3}, float[0] none = {}> {
  three = Constant<value = int64[1] {3}>()
  shape = Shape(x)
  height = Slice(shape, start, end)
  double = Mul(height, three)
  width = Mul(size, three)
  sizes = Concat<axis = 0>(first, double, width)
  y = Resize<mode = "nearest">(x, none, none, sizes)
}"""

for text in (MODEL, EQUAL):
    optimized = optimizer.optimize(onnx.parser.parse_model(text))
    onnx.checker.check_model(optimized, full_check=True)
    print(*(node.op_type for node in optimized.graph.node))
