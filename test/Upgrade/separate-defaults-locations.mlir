// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-separate-defaults)" --mlir-print-debuginfo | FileCheck %s

// An error about the constant names the initializer.
// CHECK: #[[WHERE:.*]] = loc("m.onnx":7:0)
// CHECK: @where_it_comes_from()
// CHECK: onnx.Constant() {{.*}} loc(#[[WHERE]])
func.func @where_it_comes_from(%w: tensor<2xf32> {onnx.default = dense<1.0> : tensor<2xf32>, onnx.name = "w"} loc("w"("m.onnx":7:0))) -> tensor<2xf32> attributes {onnx.entry} {
  %0 = onnx.Neg(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
