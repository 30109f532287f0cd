// Rows and columns that threads share: sums, functions, and a product whose
// right side each thread packs for itself.
module attributes {onnx.model_name = "threads"} {
  func.func @main_graph(%x: tensor<300x1000xf32> {onnx.name = "x"})
      -> (tensor<300x1000xf32> {onnx.name = "y"}) attributes {onnx.entry} {
    %t = onnx.Transpose(%x) {perm = [1, 0]} : (tensor<300x1000xf32>) -> tensor<1000x300xf32>
    %p = onnx.MatMul(%x, %t) : (tensor<300x1000xf32>, tensor<1000x300xf32>) -> tensor<300x300xf32>
    %q = onnx.MatMul(%p, %x) : (tensor<300x300xf32>, tensor<300x1000xf32>) -> tensor<300x1000xf32>
    %s = onnx.Softmax(%q) {axis = 1 : i64} : (tensor<300x1000xf32>) -> tensor<300x1000xf32>
    %h = onnx.Tanh(%x) : (tensor<300x1000xf32>) -> tensor<300x1000xf32>
    %y = onnx.Add(%s, %h) : (tensor<300x1000xf32>, tensor<300x1000xf32>) -> tensor<300x1000xf32>
    return %y : tensor<300x1000xf32>
  }
}
