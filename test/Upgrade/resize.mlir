// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

!x = tensor<1x1x4x4xf32>

// CHECK-LABEL: @upsample
// CHECK: %[[SCALES:.*]] = onnx.Constant() {value = dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]>
// CHECK: onnx.Resize(%arg0, _, %[[SCALES]]) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
func.func @upsample(%x: !x) -> tensor<*xf32> {
  %0 = onnx.node "Upsample" domain "" version 7(%x) {mode = "nearest", scales = array<f32: 1.0, 1.0, 2.0, 2.0>} : (!x) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @upsample_by_height_and_width
// CHECK: %[[SCALES:.*]] = onnx.Constant() {value = dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK: onnx.Resize(%arg0, _, %[[SCALES]]) {coordinate_transformation_mode = "asymmetric", mode = "linear"}
func.func @upsample_by_height_and_width(%x: !x) -> tensor<*xf32> {
  %0 = onnx.node "Upsample" domain "" version 1(%x) {height_scale = 2.0 : f32, mode = "bilinear", width_scale = 3.0 : f32} : (!x) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// Shrinks first, then grows.
// CHECK-LABEL: @scales_at_run_time
// CHECK: %[[DOWN:.*]] = onnx.Min(%arg1, %{{.*}})
// CHECK: %[[SMALL:.*]] = onnx.Resize(%arg0, _, %[[DOWN]]) {{{.*}}nearest_mode = "ceil"}
// CHECK: %[[UP:.*]] = onnx.Max(%arg1, %{{.*}})
// CHECK: onnx.Resize(%[[SMALL]], _, %[[UP]]) {{{.*}}nearest_mode = "floor"}
func.func @scales_at_run_time(%x: !x, %s: tensor<4xf32>) -> tensor<*xf32> {
  %0 = onnx.node "Resize" domain "" version 10(%x, %s) {mode = "nearest"} : (!x, tensor<4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @empty_inputs_are_absent
// CHECK: onnx.Resize(%arg0, _, _, %arg2) :
func.func @empty_inputs_are_absent(%x: !x, %empty: tensor<0xf32>, %sizes: tensor<4xi64>) -> tensor<*xf32> {
  %0 = onnx.node "Resize" domain "" version 11(%x, %empty, %empty, %sizes) {} : (!x, tensor<0xf32>, tensor<0xf32>, tensor<4xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @mode_that_went
// CHECK: onnx.Resize({{.*}}) {coordinate_transformation_mode = "half_pixel", mode = "nearest", nearest_mode = "round_prefer_ceil"}
func.func @mode_that_went(%x: !x, %empty: tensor<0xf32>, %scales: tensor<4xf32>) -> tensor<*xf32> {
  %0 = onnx.node "Resize" domain "" version 11(%x, %empty, %scales) {coordinate_transformation_mode = "tf_half_pixel_for_nn", mode = "nearest", nearest_mode = "floor"} : (!x, tensor<0xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @grid_sample_mode
// CHECK: onnx.GridSample(%arg0, %arg1) {mode = "cubic"}
func.func @grid_sample_mode(%x: !x, %g: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %0 = onnx.node "GridSample" domain "" version 16(%x, %g) {mode = "bicubic"} : (!x, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// CHECK-LABEL: @pool_over_the_image
// CHECK: onnx.LpPool(%arg0) {kernel_shape = [4, 4], p = 2}
func.func @pool_over_the_image(%x: !x) -> tensor<1x1x1x1xf32> {
  %0 = onnx.node "LpPool" domain "" version 1(%x) {p = 2.0 : f32} : (!x) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// CHECK-LABEL: @empty_sizes_are_absent
// CHECK: onnx.Resize(%arg0, _, %arg2) :
// CHECK: onnx.Resize(%arg0, %arg2, %arg2) {coordinate_transformation_mode = "tf_crop_and_resize"}
// CHECK: onnx.Resize(%arg0, _, %arg2) :
func.func @empty_sizes_are_absent(%x: !x, %empty: tensor<0xf32>, %scales: tensor<4xf32>, %sizes: tensor<0xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %0 = onnx.node "Resize" domain "" version 11(%x, %empty, %scales, %sizes) {} : (!x, tensor<0xf32>, tensor<4xf32>, tensor<0xi64>) -> tensor<*xf32>
  %1 = onnx.node "Resize" domain "" version 11(%x, %scales, %scales, %sizes) {coordinate_transformation_mode = "tf_crop_and_resize"} : (!x, tensor<4xf32>, tensor<4xf32>, tensor<0xi64>) -> tensor<*xf32>
  %2 = onnx.node "Resize" domain "" version 11(%x, %empty, %scales) {} : (!x, tensor<0xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}
