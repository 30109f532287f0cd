// A quantized matrix product, and a convolution whose channels no vector
// divides.
module attributes {onnxc.model_name = "quantized"} {
  func.func @main_graph(%x: tensor<14x64xui8> {onnx.name = "x"}, %image: tensor<1x6x8x8xi8> {onnx.name = "image"})
      -> (tensor<14x40xui8> {onnx.name = "y"}, tensor<1x9x6x6xi32> {onnx.name = "z"}) attributes {onnx.entry} {
    %scale = onnx.Constant() {value = dense<0.125> : tensor<f32>} : () -> tensor<f32>
    %zero = onnx.Constant() {value = dense<121> : tensor<ui8>} : () -> tensor<ui8>
    %zeros = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %w = onnx.Constant() {value = dense<3> : tensor<64x40xi8>} : () -> tensor<64x40xi8>
    %filter = onnx.Constant() {value = dense<-5> : tensor<9x6x3x3xi8>} : () -> tensor<9x6x3x3xi8>
    %y = onnx.QLinearMatMul(%x, %scale, %zero, %w, %scale, %zeros, %scale, %zero)
        : (tensor<14x64xui8>, tensor<f32>, tensor<ui8>, tensor<64x40xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<14x40xui8>
    %z = onnx.ConvInteger(%image, %filter) : (tensor<1x6x8x8xi8>, tensor<9x6x3x3xi8>) -> tensor<1x9x6x6xi32>
    return %y, %z : tensor<14x40xui8>, tensor<1x9x6x6xi32>
  }
}
