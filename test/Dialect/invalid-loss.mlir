// What the shape rules of loss ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @nllloss_reduction(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{attribute 'reduction' is 'max', expected one of none, mean, sum}}
  %0 = onnx.NegativeLogLikelihoodLoss(%a, %b) {reduction = "max"} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @softmaxcrossentropyloss_target(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{softmaxcrossentropyloss_target: dimensions 2 and 3 must be equal}}
  %0 = onnx.SoftmaxCrossEntropyLoss(%a, %b) : (tensor<2x3xf32>, tensor<3xi64>) -> !onnx.unknown
  return
}

// -----

func.func @nllloss_weights(%x: tensor<3x5xf32>, %t: tensor<3xi64>, %w: tensor<4xf32>) {
  // expected-error @below {{nllloss_weights: one per class: dimensions 4 and 5 must be equal}}
  %0 = onnx.NegativeLogLikelihoodLoss(%x, %t, %w) : (tensor<3x5xf32>, tensor<3xi64>, tensor<4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @softmaxcrossentropyloss_weights(%x: tensor<3x5xf32>, %t: tensor<3xi64>, %w: tensor<4xf32>) {
  // expected-error @below {{softmaxcrossentropyloss_weights: one per class: dimensions 4 and 5 must be equal}}
  %0, %1 = onnx.SoftmaxCrossEntropyLoss(%x, %t, %w) : (tensor<3x5xf32>, tensor<3xi64>, tensor<4xf32>) -> (!onnx.unknown, !onnx.unknown)
  return
}
