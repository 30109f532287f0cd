// A matrix product and a bias; rows and columns are no multiples of a register
// tile.
module attributes {onnxc.model_name = "matmul"} {
  func.func @main_graph(%x: tensor<50x96xf32> {onnx.name = "x"}, %w: tensor<96x41xf32> {onnx.name = "w"}, %b: tensor<41xf32> {onnx.name = "b"})
      -> (tensor<50x41xf32> {onnx.name = "y"}) attributes {onnx.entry} {
    %p = onnx.MatMul(%x, %w) : (tensor<50x96xf32>, tensor<96x41xf32>) -> tensor<50x41xf32>
    %y = onnx.Add(%p, %b) : (tensor<50x41xf32>, tensor<41xf32>) -> tensor<50x41xf32>
    return %y : tensor<50x41xf32>
  }
}
