// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-bufferize)' | FileCheck %s
// RUN: onnx-mlir-opt %s --one-shot-bufferize='bufferize-function-boundaries' | FileCheck %s --check-prefix=BUF

// The outs are written where the result lives; what the callee makes has the
// sizes that it tells.
// CHECK-LABEL: func.func @outs_and_made
//       CHECK: %[[OUT:.*]] = llvm.call @onnxc_rt_output
//       CHECK: %[[CODE:.*]] = llvm.call @onnxc_rt_sort(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
//       CHECK: llvm.icmp "eq" %[[CODE]]
//       CHECK: llvm.call @onnxc_rt_status
// BUF-LABEL: func.func @outs_and_made
//       BUF: rt.call "sort"(%{{.*}}, %{{.*}} : memref<4xf32>, i64) outs(%{{.*}} : memref<4xf32>) -> memref<?xi64>
func.func @outs_and_made(%x: tensor<4xf32>, %h: i64) -> (tensor<4xf32>, tensor<?xi64>) attributes {onnxc.entry} {
  %empty = tensor.empty() : tensor<4xf32>
  %y:2 = rt.call "sort"(%x, %h : tensor<4xf32>, i64) outs(%empty : tensor<4xf32>) -> tensor<4xf32>, tensor<?xi64>
  return %y#0, %y#1 : tensor<4xf32>, tensor<?xi64>
}
