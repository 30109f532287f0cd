// Of ops that differ in a number alone, and of which there are very many, one function takes it. A
// number that is the same in all of them stays in its code, and few ops have a function each.

// RUN: %python -c "import sys; t = sys.stdin.read().split('// -' + '--'); print(t[0] + ''.join(t[1].replace('INDEX', str(i)) for i in range(20)) + t[2])" < %s > %t.mlir
// RUN: onnx-mlir-opt %t.mlir --onnxc-share-code | FileCheck %s --check-prefix=MANY
// RUN: %python -c "import sys; t = sys.stdin.read().split('// -' + '--'); print(t[0] + ''.join(t[1].replace('INDEX', str(i)) for i in range(2)) + t[2])" < %s > %t.mlir
// RUN: onnx-mlir-opt %t.mlir --onnxc-share-code | FileCheck %s --check-prefix=FEW

// MANY-COUNT-20: call @kernel({{.*}}) : ({{.*}}, f32) -> ()
// MANY:          func.func private @kernel({{.*}}: f32)
// MANY:            %[[ONE:.*]] = arith.constant 1.000000e+00
// MANY:            arith.addf %{{.*}}, %[[ONE]]
// MANY-NOT:      func.func

// FEW:           call @kernel({{.*}}) : (memref<100xf32>, memref<100xf32>)
// FEW:           call @kernel_0({{.*}}) : (memref<100xf32>, memref<100xf32>)
// FEW:           func.func private @kernel(
// FEW:             arith.constant 5.000000e-01
// FEW:           func.func private @kernel_0(
// FEW:             arith.constant 1.500000e+00

#id = affine_map<(i) -> (i)>
func.func @scaled(%x: memref<100xf32>, %y: memref<100xf32>) {
  %one = arith.constant 1.0 : f32
// ---
  %nINDEX = arith.constant INDEX.5 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<100xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %nINDEX : f32
    %r = arith.addf %p, %one : f32
    linalg.yield %r : f32
  }
// ---
  return
}
