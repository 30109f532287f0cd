// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-read-tuning="file=file.json" | FileCheck %s
// CHECK: onnxc.tuning = {"conv a" = #kernel.conv_schedule<rows = 1, columns = 6>, "matmul b" = #kernel.matmul_schedule<rows = 4, columns = 16>}

// One of several levels may have none; a module for one processor is not for another.
// RUN: onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2 layout=x86-64-v3" -onnxc-read-tuning="file=file.json" | FileCheck %s --check-prefix=LEVEL
// LEVEL-NOT: onnxc.tuning
// RUN: not onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2" -onnxc-read-tuning="file=file.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: --tuning=file.json: is for x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps, and this compile is for x86-64-v2: 16 registers of 16 bytes

// RUN: not onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-read-tuning="file=number.json" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: --tuning=number.json: entry 'conv a': expected the text of a schedule
// RUN: not onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-read-tuning="file=attribute.json" 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: --tuning=attribute.json: entry 'conv a': expected the text of a schedule
// RUN: not onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-read-tuning="file=zero.json" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: --tuning=zero.json: entry 'conv a': {{.*}}columns is 0, expected at least 1
// RUN: not onnx-mlir-opt a.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-read-tuning="file=list.json" 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: --tuning=list.json: has no object 'targets'

//--- a.mlir
module {}
//--- file.json
{"onnxc_tuning": 1, "targets": {"x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps": {
  "matmul b": "#kernel.matmul_schedule<rows = 4, columns = 16>", "conv a": "#kernel.conv_schedule<rows = 1, columns = 6>"}}}
//--- number.json
{"onnxc_tuning": 1, "targets": {"x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps": {"conv a": 4}}}
//--- attribute.json
{"onnxc_tuning": 1, "targets": {"x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps": {"conv a": "[[[]]]"}}}
//--- zero.json
{"onnxc_tuning": 1, "targets": {"x86-64-v3: 16 registers of 32 bytes fma pmaddubsw pmaddwd pshufb psignb roundps vpermps": {"conv a": "#kernel.conv_schedule<rows = 1, columns = 0>"}}}
//--- list.json
{"onnxc_tuning": 1, "targets": []}
