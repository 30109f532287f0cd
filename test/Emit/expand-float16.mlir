// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=wasm32-unknown-unknown cpu=generic},func.func(onnxc-expand-float16))' | FileCheck %s --check-prefix=EXPANDED
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=wasm32-unknown-unknown cpu=generic},func.func(onnxc-expand-float16),canonicalize)' | FileCheck %s

// WebAssembly has no float16: integers make of it what other processors do. That
// is computed here, of constants.
// EXPANDED-NOT: arith.extf {{.*}}f16
// EXPANDED-NOT: arith.truncf {{.*}} to vector<{{.}}xf16>

// Normal numbers, the least and the largest subnormal one, the largest number,
// infinity, -0 and NaN.
// CHECK-LABEL: func.func @widen
// CHECK-NEXT: arith.constant dense<[1.000000e+00, -2.500000e+00, 5.96046448E-8, -6.09755516E-5, 6.550400e+04, 0xFF800000, -0.000000e+00, 0x7FC02000]> : vector<8xf32>
// CHECK-NEXT: return
func.func @widen() -> vector<8xf32> {
  %x = arith.constant dense<[1.0, -2.5, 0x0001, 0x83FF, 0x7BFF, 0xFC00, 0x8000, 0x7E01]> : vector<8xf16>
  %y = arith.extf %x : vector<8xf16> to vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @widen_to_double
// CHECK-NEXT: arith.constant dense<[-2.500000e+00, 5.9604644775390625E-8]> : vector<2xf64>
// CHECK-NEXT: return
func.func @widen_to_double() -> vector<2xf64> {
  %x = arith.constant dense<[-2.5, 0x0001]> : vector<2xf16>
  %y = arith.extf %x : vector<2xf16> to vector<2xf64>
  return %y : vector<2xf64>
}

// What rounds to the largest number and to infinity; just above the half of the
// least one; 1 + 2^-11 and 1 + 3 * 2^-11, to even; NaN.
// CHECK-LABEL: func.func @narrow
// CHECK-NEXT: arith.constant dense<[1.000000e+00, -2.500000e+00, 6.550400e+04, 0x7C00, 5.960460e-08, 1.000000e+00, 1.001950e+00, 0xFE00]> : vector<8xf16>
// CHECK-NEXT: return
func.func @narrow() -> vector<8xf16> {
  %x = arith.constant dense<[1.0, -2.5, 65519.0, 65520.0, 0x33000001, 0x3F801000, 0x3F803000, 0xFFC00001]> : vector<8xf32>
  %y = arith.truncf %x : vector<8xf32> to vector<8xf16>
  return %y : vector<8xf16>
}
