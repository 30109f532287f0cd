// The driver: names in either spelling, what does not exist, what is left out.
// RUN: onnx-mlir-opt %s --onnx-optimize | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: onnx-mlir-opt %s --onnx-optimize=passes=onnx-eliminate-identity | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: onnx-mlir-opt %s --onnx-optimize=disable=eliminate-identity | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: not onnx-mlir-opt %s --onnx-optimize=passes=eliminate_identty 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: there is no pass 'eliminate_identty'; did you mean 'eliminate_identity'?

// The longer the name, the more of it may be wrong.
// RUN: not onnx-mlir-opt %s --onnx-optimize=passes=elimnate_idntty 2>&1 | FileCheck %s --check-prefix=UNKNOWN-LONG
// UNKNOWN-LONG: there is no pass 'elimnate_idntty'; did you mean 'eliminate_identity'?
// RUN: not onnx-mlir-opt %s --onnx-optimize=passes=elimidntty 2>&1 | FileCheck %s --check-prefix=UNLIKE
// UNLIKE: there is no pass 'elimidntty'{{$}}
// RUN: not onnx-mlir-opt %s --onnx-optimize=passes=xxq_fusx 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: there is no pass 'xxq_fusx'{{$}}

// CHECK-LABEL: func @identity
func.func @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  // KEPT: onnx.Identity
  // ALL-NOT: onnx.Identity
  %y = onnx.Identity(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return
  return %y : tensor<2xf32>
}

// A function of the model that changes is no more written as it came.
// CHECK-LABEL: func private @changes
// KEPT-SAME: onnx.verbatim
// ALL-NOT: onnx.verbatim
func.func private @changes(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.verbatim} {
  %y = onnx.Identity(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func private @stays
// CHECK-SAME: onnx.verbatim
func.func private @stays(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.verbatim} {
  return %x : tensor<2xf32>
}
