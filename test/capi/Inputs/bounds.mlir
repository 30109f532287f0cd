// Results of bytes and halves that end one element behind a whole vector.
module attributes {onnx.model_name = "bounds"} {
  func.func @main_graph(%x: tensor<33xf32> {onnx.name = "x"}, %m: tensor<5x49xf32> {onnx.name = "m"})
      -> (tensor<33xui8> {onnx.name = "bytes"}, tensor<5x49xi8> {onnx.name = "rows"},
          tensor<33xf16> {onnx.name = "halves"}, tensor<33xi16> {onnx.name = "shorts"}) attributes {onnx.entry} {
    %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %u = onnx.Constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
    %i = onnx.Constant() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
    %h = onnx.Constant() {value = dense<7> : tensor<i16>} : () -> tensor<i16>
    %bytes = onnx.QuantizeLinear(%x, %s, %u) : (tensor<33xf32>, tensor<f32>, tensor<ui8>) -> tensor<33xui8>
    %rows = onnx.QuantizeLinear(%m, %s, %i) : (tensor<5x49xf32>, tensor<f32>, tensor<i8>) -> tensor<5x49xi8>
    %halves = onnx.Cast(%x) {to = 10 : i64} : (tensor<33xf32>) -> tensor<33xf16>
    %shorts = onnx.QuantizeLinear(%x, %s, %h) : (tensor<33xf32>, tensor<f32>, tensor<i16>) -> tensor<33xi16>
    return %bytes, %rows, %halves, %shorts : tensor<33xui8>, tensor<5x49xi8>, tensor<33xf16>, tensor<33xi16>
  }
}
