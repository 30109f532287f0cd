// A .mlir file in, a .mlir file out, stage by stage; the pipeline that the
// driver prints does the same in onnx-mlir-opt.

// RUN: onnxc %s --start-from=bufferize --stop-after=bufferize -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: module attributes {{.*}}onnxc.stage = "bufferize"
// CHECK: func.func @main_graph(%{{.*}}: !llvm.ptr

// RUN: onnxc %s --start-from=bufferize --stop-after=bufferize --print-pipeline > %t.pipeline
// RUN: onnx-mlir-opt %s --pass-pipeline="%{readfile:%t.pipeline}" -o %t.opt.mlir
// RUN: onnx-mlir-opt %t.mlir -o %t.onnxc.mlir
// RUN: sed -i 's/onnxc.stage = "bufferize", //' %t.onnxc.mlir
// RUN: diff %t.opt.mlir %t.onnxc.mlir

// Dumps are named in the order of the stages.
// RUN: rm -rf %t.dumps
// RUN: onnxc %s --start-from=bufferize --stop-after=bufferize --dump-stages=%t.dumps -o %t.mlir
// RUN: ls %t.dumps | FileCheck %s --check-prefix=DUMPS
// DUMPS: 07-bufferize.mlir
// DUMPS-NOT: {{.}}

// A failure leaves no file, and keeps the one that was there.
// RUN: rm -f %t.none.mlir && echo "func.func @f(" > %t.bad.mlir && echo old > %t.old.mlir
// RUN: not onnxc %t.bad.mlir -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not ls %t.none.mlir
// RUN: not onnxc %t.bad.mlir -o %t.old.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: grep old %t.old.mlir
// BAD: bad.mlir:1:14: expected

func.func @main_graph(%x: tensor<4xf32>) -> tensor<4xf32> attributes {onnxc.entry} {
  %init = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
