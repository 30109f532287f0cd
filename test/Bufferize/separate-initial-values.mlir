// RUN: onnx-mlir-opt %s -onnxc-separate-initial-values | FileCheck %s

// One filled tensor for each op that adds to it.
// CHECK-LABEL: func.func @fills_are_not_shared
// CHECK: %[[F0:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F0]]
// CHECK: %[[F1:.*]] = linalg.fill
// CHECK: linalg.dot {{.*}} outs(%[[F1]]
func.func @fills_are_not_shared(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %1 = linalg.dot ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// Of a tensor whose border is filled, each op that writes what lies behind it has
// its own: the slice and all that the tensor is made of.
// CHECK-LABEL: func.func @borders_are_not_shared
// CHECK: %[[F0:.*]] = linalg.fill
// CHECK: %[[P0:.*]] = tensor.insert_slice %[[F0]]
// CHECK: %[[S0:.*]] = tensor.extract_slice %[[P0]][1] [4] [1]
// CHECK: %[[M0:.*]] = linalg.map {{.*}} outs(%[[S0]]
// CHECK: tensor.insert_slice %[[M0]] into %[[P0]][1]
// CHECK: %[[F1:.*]] = linalg.fill
// CHECK: %[[P1:.*]] = tensor.insert_slice %[[F1]]
// CHECK: %[[S1:.*]] = tensor.extract_slice %[[P1]][1] [4] [1]
// CHECK: %[[M1:.*]] = linalg.map {{.*}} outs(%[[S1]]
// CHECK: tensor.insert_slice %[[M1]] into %[[P1]][1]
func.func @borders_are_not_shared(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %b = tensor.extract_slice %e[0] [1] [1] : tensor<5xf32> to tensor<1xf32>
  %f = linalg.fill ins(%v : f32) outs(%b : tensor<1xf32>) -> tensor<1xf32>
  %p = tensor.insert_slice %f into %e[0] [1] [1] : tensor<1xf32> into tensor<5xf32>
  %s = tensor.extract_slice %p[1] [4] [1] : tensor<5xf32> to tensor<4xf32>
  %m0 = linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%s : tensor<4xf32>)
  %0 = tensor.insert_slice %m0 into %p[1] [4] [1] : tensor<4xf32> into tensor<5xf32>
  %m1 = linalg.map { math.exp } ins(%y : tensor<4xf32>) outs(%s : tensor<4xf32>)
  %1 = tensor.insert_slice %m1 into %p[1] [4] [1] : tensor<4xf32> into tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
