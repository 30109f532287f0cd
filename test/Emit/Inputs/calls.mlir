// What calls the C library: draws from a seed of the system's, exponentials of 64
// bits, rounding, numbers as texts and back.
module attributes {onnx.model_name = "calls"} {
  func.func @main_graph(%x: tensor<4xf32> {onnx.name = "x"})
      -> (tensor<4xf64> {onnx.name = "y"}, tensor<4x!onnx.string> {onnx.name = "s"}, tensor<4xf32> {onnx.name = "z"}) attributes {onnx.entry} {
    %r = onnx.RandomNormalLike(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = onnx.Round(%r) : (tensor<4xf32>) -> tensor<4xf32>
    %d = onnx.Cast(%q) {to = 11 : i64} : (tensor<4xf32>) -> tensor<4xf64>
    %e = onnx.Exp(%d) : (tensor<4xf64>) -> tensor<4xf64>
    %l = onnx.Log(%e) : (tensor<4xf64>) -> tensor<4xf64>
    %y = onnx.Pow(%l, %d) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %s = onnx.Cast(%x) {to = 8 : i64} : (tensor<4xf32>) -> tensor<4x!onnx.string>
    %z = onnx.Cast(%s) {to = 1 : i64} : (tensor<4x!onnx.string>) -> tensor<4xf32>
    return %y, %s, %z : tensor<4xf64>, tensor<4x!onnx.string>, tensor<4xf32>
  }
}
