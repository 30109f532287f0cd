// y = x * w by a kernel, and the element of exp(x) that the input i names: the
// index is not checked, as if the stage lower had forgotten to.
#map = affine_map<(i, j) -> (i, j)>
module attributes {onnxc.stage = "lower", onnxc.signature = #onnxc.signature<
    inputs = [#onnxc.value_info<name = "x", dtype = 1, dims = [-1, 16], symbols = ["N", ""]>,
              #onnxc.value_info<name = "w", dtype = 1, dims = [16, 24]>,
              #onnxc.value_info<name = "i", dtype = 7, dims = []>],
    outputs = [#onnxc.value_info<name = "y", dtype = 1, dims = [-1, 24], symbols = ["N", ""]>,
               #onnxc.value_info<name = "z", dtype = 1, dims = []>]>} {
  func.func @main_graph(%x: tensor<?x16xf32>, %w: tensor<16x24xf32>, %i: tensor<i64>)
      -> (tensor<?x24xf32>, tensor<f32>) attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x16xf32>
    %rows = tensor.empty(%n) : tensor<?x24xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x24xf32>) -> tensor<?x24xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x24xf32>) outs(%zeros : tensor<?x24xf32>) -> tensor<?x24xf32>

    %like_x = tensor.empty(%n) : tensor<?x16xf32>
    %exp = linalg.exp ins(%x : tensor<?x16xf32>) outs(%like_x : tensor<?x16xf32>) -> tensor<?x16xf32>
    %index = tensor.extract %i[] : tensor<i64>
    %row = arith.index_cast %index : i64 to index
    %element = tensor.extract %exp[%row, %c0] : tensor<?x16xf32>
    %z = tensor.from_elements %element : tensor<f32>
    return %y, %z : tensor<?x24xf32>, tensor<f32>
  }
}
