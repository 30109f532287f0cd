// Maps at the interface: one comes in, a sequence of them goes out.
module attributes {onnx.model_name = "maps"} {
  func.func @main_graph(%m: !onnx.map<!onnx.string, tensor<f32>> {onnx.name = "m"},
                        %x: tensor<?x2xf32> {onnx.name = "x"})
      -> (tensor<1x3xf32> {onnx.name = "row"},
          !onnx.seq<!onnx.map<i64, tensor<f32>>> {onnx.name = "scores"}) attributes {onnx.entry} {
    %row = onnx.ml.DictVectorizer(%m) {string_vocabulary = ["a", "b", "c"]} : (!onnx.map<!onnx.string, tensor<f32>>) -> tensor<1x3xf32>
    %scores = onnx.ml.ZipMap(%x) {classlabels_int64s = [7, 9]} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
    return %row, %scores : tensor<1x3xf32>, !onnx.seq<!onnx.map<i64, tensor<f32>>>
  }
}
