// RUN: onnx-mlir-opt %s --onnxc-separate-yielded-slices | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-separate-yielded-slices --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map unknown-type-conversion=identity-layout-map" --onnxc-own-buffers | FileCheck %s --check-prefix=BUFFER

// Slices of the same strides from both branches, one behind a cast, are copies.
// CHECK-LABEL: @slices
// CHECK: scf.if
// CHECK: %[[SLICE:.*]] = tensor.extract_slice
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[SLICE]]
// CHECK: scf.yield %[[COPY]]
// CHECK: } else {
// CHECK: %[[CAST:.*]] = tensor.cast
// CHECK: %[[OTHER:.*]] = linalg.copy ins(%[[CAST]]
// CHECK: scf.yield %[[OTHER]]
// BUFFER-LABEL: @slices
// BUFFER: scf.if {{.*}} -> (memref<?x?xf32>)
func.func @slices(%c: i1, %x: tensor<?x12xf32>, %n: index) -> tensor<?x?xf32> {
  %r = scf.if %c -> (tensor<?x?xf32>) {
    %s = tensor.extract_slice %x[0, 3] [%n, %n] [1, 1] : tensor<?x12xf32> to tensor<?x?xf32>
    scf.yield %s : tensor<?x?xf32>
  } else {
    %s = tensor.extract_slice %x[0, 3] [%n, 6] [1, 1] : tensor<?x12xf32> to tensor<?x6xf32>
    %cast = tensor.cast %s : tensor<?x6xf32> to tensor<?x?xf32>
    scf.yield %cast : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// What has a known size has a place in the plan; what is no slice is handed on.
// CHECK-LABEL: @others
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @others(%c: i1, %x: tensor<4x12xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<4x6xf32>, tensor<?xf32>) {
  %r:2 = scf.if %c -> (tensor<4x6xf32>, tensor<?xf32>) {
    %s = tensor.extract_slice %x[0, 3] [4, 6] [1, 1] : tensor<4x12xf32> to tensor<4x6xf32>
    scf.yield %s, %y : tensor<4x6xf32>, tensor<?xf32>
  } else {
    %s = tensor.extract_slice %x[0, 6] [4, 6] [1, 1] : tensor<4x12xf32> to tensor<4x6xf32>
    scf.yield %s, %z : tensor<4x6xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<4x6xf32>, tensor<?xf32>
}
