// RUN: onnx-mlir-opt %s --onnx-rename-input-output | FileCheck %s
// RUN: env OPTIMIZER_RENAME_INPUT_PATTERN=IN__%%d OPTIMIZER_RENAME_OUTPUT_PATTERN=OUT onnx-mlir-opt %s --onnx-rename-input-output | FileCheck %s --check-prefix=ENV
// ENV: "IN__0"
// ENV-SAME: "IN__2"
// ENV-SAME: "output_0"

// CHECK-LABEL: func @main
// CHECK-SAME: (%arg0: tensor<2xf32> {onnx.name = "input_0"}, %arg1: tensor<2xf32> {onnx.default = dense<1.000000e+00> : tensor<2xf32>, onnx.name = "w"}, %arg2: tensor<2xf32> {onnx.name = "input_2"})
// CHECK-SAME: -> (tensor<2xf32> {onnx.name = "output_0"})
func.func @main(%x: tensor<2xf32> {onnx.name = "x"}, %w: tensor<2xf32> {onnx.name = "w", onnx.default = dense<1.0> : tensor<2xf32>},
    %y: tensor<2xf32> {onnx.name = "y"}) -> (tensor<2xf32> {onnx.name = "z"}) attributes {onnx.entry} {
  return %x : tensor<2xf32>
}

// CHECK-LABEL: func @no_graph
// CHECK-SAME: "x"
func.func @no_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
