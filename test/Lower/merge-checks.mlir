// What is checked on every way to a check is not checked there again.
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-merge-checks)' | FileCheck %s

// CHECK-LABEL: @behind
// CHECK-COUNT-1: cf.assert %arg0, "first"
// CHECK-NOT: cf.assert %arg0
// CHECK: cf.assert %arg1, "other"
// CHECK-NOT: cf.assert
func.func @behind(%a: i1, %b: i1) {
  cf.assert %a, "first"
  cf.assert %a, "second"
  scf.if %b {
    cf.assert %a, "within"
  }
  cf.assert %b, "other"
  return
}

// CHECK-LABEL: @not_on_every_way
// CHECK: scf.if
// CHECK: cf.assert %arg0, "one way"
// CHECK: } else {
// CHECK: cf.assert %arg0, "other way"
// CHECK: }
// CHECK: cf.assert %arg0, "after"
func.func @not_on_every_way(%a: i1, %b: i1) {
  scf.if %b {
    cf.assert %a, "one way"
  } else {
    cf.assert %a, "other way"
  }
  cf.assert %a, "after"
  return
}
