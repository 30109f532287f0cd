// RUN: onnx-mlir-opt %s -split-input-file -onnxc-lower-checks -verify-diagnostics | FileCheck %s

// CHECK: llvm.mlir.global private constant @[[TEXT:.*]]("node 'a' (Add): bad\00")
// Only what stands around the check turns into branches.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.if
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[RELAY:bb[0-9]+]]
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL:bb[0-9]+]](
// CHECK: scf.for
// CHECK: ^[[FAIL]](%[[MSG:.*]]: !llvm.ptr):
// CHECK: %[[CODE:.*]] = llvm.call @onnxc_rt_fail(%arg0, %[[MSG]])
// CHECK: return %[[CODE]]
// CHECK: ^[[RELAY]]:
// CHECK: llvm.call @onnxc_rt_status(%arg0)
func.func @nested(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c = llvm.load %in : !llvm.ptr -> i1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.assert %c, ""
  scf.if %c {
    cf.assert %c, "node 'a' (Add): bad"
  }
  scf.for %i = %c0 to %c1 step %c1 {
    llvm.store %c, %out : i1, !llvm.ptr
  }
  return %zero : i32
}

// -----

// A comparison that fails tells its numbers; the constant is what was expected.
// CHECK-LABEL: func.func @comparison
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL:bb[0-9]+]](%{{.*}}, %[[LEAST]], %[[N:.*]], %[[ZERO:.*]] :
// Of sizes that broadcast, the two that should be equal.
// CHECK: %[[EQUAL:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL]](%{{.*}}, %[[EQUAL]],
// CHECK: ^[[FAIL]](%[[TEXT:.*]]: !llvm.ptr, %[[R:.*]]: i32, %[[A:.*]]: i64, %[[B:.*]]: i64):
// CHECK: llvm.call @onnxc_rt_fail_comparison(%arg0, %[[TEXT]], %[[R]], %[[A]], %[[B]])
func.func @comparison(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = llvm.load %in : !llvm.ptr -> i64
  %n = arith.index_cast %a : i64 to index
  %b = llvm.load %out : !llvm.ptr -> i64
  %m = arith.index_cast %b : i64 to index
  %fits = arith.cmpi sle, %c0, %n : index
  cf.assert %fits, "node 'a' (Tile): must not be negative"
  %one = arith.cmpi eq, %n, %c1 : index
  %same = arith.cmpi eq, %n, %m : index
  %either = arith.ori %one, %same : i1
  cf.assert %either, "node 'a' (Add): must be equal"
  return %zero : i32
}

// -----

// The constant is what was expected, on either side: `4 >= n` is
// reported as n ONNXC_RT_AT_MOST 4, `n >= 4` as n ONNXC_RT_AT_LEAST 4.
// CHECK-LABEL: func.func @swapped
// CHECK: %[[MOST:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^{{bb[0-9]+}}(%{{.*}}, %[[MOST]],
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^{{bb[0-9]+}}(%{{.*}}, %[[LEAST]],
func.func @swapped(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c4 = arith.constant 4 : index
  %a = llvm.load %in : !llvm.ptr -> i64
  %n = arith.index_cast %a : i64 to index
  %below = arith.cmpi sge, %c4, %n : index
  cf.assert %below, "node 'a' (Tile): at most"
  %above = arith.cmpi sge, %n, %c4 : index
  cf.assert %above, "node 'a' (Tile): at least"
  return %zero : i32
}

// -----

func.func @no_way_back(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c = llvm.load %in : !llvm.ptr -> i1
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (%c1) {
    // expected-error @below {{a check cannot stand in 'scf.forall'}}
    cf.assert %c, "node 'a' (Add): bad"
  }
  return %zero : i32
}
