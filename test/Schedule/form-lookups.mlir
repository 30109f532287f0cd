// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vbmi},func.func(onnxc-form-lookups))' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-form-lookups))' | FileCheck %s --check-prefix=V3

#id = affine_map<(d0) -> (d0)>

// 0 is 1 / (1 + exp(0)) * 200 = 100, and -1 (the last one) is 53.8.
// CHECK-LABEL: @sigmoid
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: i8
// CHECK-NEXT: %[[Y:[0-9]+]] = kernel.lookup %[[X]] in dense<"0x64
// CHECK-SAME: 36"> : tensor<256xi8> : i8 -> i8
// CHECK-NEXT: linalg.yield %[[Y]]
func.func @sigmoid(%x: tensor<64xi8>, %to: tensor<64xi8>) -> tensor<64xi8> {
  %one = arith.constant 1.0 : f32
  %by = arith.constant 200.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%to : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.negf %1 : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.divf %by, %4 : f32
    %6 = math.roundeven %5 : f32
    %7 = arith.fptosi %6 : f32 to i32
    %8 = arith.trunci %7 : i32 to i8
    linalg.yield %8 : i8
  } -> tensor<64xi8>
  return %y : tensor<64xi8>
}

// A gather would take longer than a product; two bytes are no index.
// CHECK-LABEL: @others
// CHECK-NOT: kernel.lookup
func.func @others(%x: tensor<64xi8>, %w: tensor<64xi8>, %to: tensor<64xf32>) -> tensor<64xf32> {
  %by = arith.constant 0.5 : f32
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<64xi8>, tensor<64xi8>) outs(%to : tensor<64xf32>) {
  ^bb0(%a: i8, %b: i8, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %by : f32
    %2 = arith.sitofp %b : i8 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = math.exp %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// What two bytes are made into is no table, but what is made of each of them is.
// CHECK-LABEL: @both
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8,
// CHECK: %[[F:.*]] = kernel.lookup %[[A]] in {{.*}} : i8 -> f32
// CHECK: %[[G:.*]] = kernel.lookup %[[B]] in {{.*}} : i8 -> f32
// CHECK: arith.mulf %[[F]], %[[G]]
func.func @both(%x: tensor<64xi8>, %w: tensor<64xi8>, %to: tensor<64xf32>) -> tensor<64xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<64xi8>, tensor<64xi8>) outs(%to : tensor<64xf32>) {
  ^bb0(%a: i8, %b: i8, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = math.exp %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.sitofp %b : i8 to f32
    %4 = math.exp %3 : f32
    %5 = math.tanh %4 : f32
    %6 = arith.mulf %2, %5 : f32
    %7 = math.exp %6 : f32
    linalg.yield %7 : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// A table of floats is gathered. Of bytes, 32 at once are shuffled: where an
// epilogue dequantizes them, it does so behind their table.
// V3-LABEL: @dequantized
// V3: kernel.lookup {{.*}} : i8 -> f32
// V3: kernel.integer_dot
// V3: ^bb0(%[[SUM:[a-z0-9]+]]: i32
// V3-NEXT: %[[X:[0-9]+]] = arith.trunci %[[SUM]]
// V3-NEXT: %[[Y:[0-9]+]] = kernel.lookup %[[X]] in {{.*}} : i8 -> i8
// V3-NEXT: %[[WIDE:.*]] = arith.extsi %[[Y]] : i8 to i32
// V3-NEXT: %[[FLOAT:.*]] = arith.sitofp %[[WIDE]]
// V3-NEXT: %[[RESULT:.*]] = arith.mulf %[[FLOAT]]
// V3-NEXT: kernel.yield %[[RESULT]]
func.func @dequantized(%x: tensor<64xi8>, %to: tensor<64xf32>) -> tensor<64xf32> {
  %by = arith.constant 100.0 : f32
  %scale = arith.constant 0.01 : f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%to : tensor<64xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %2, %by : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    %7 = arith.extsi %6 : i8 to i32
    %8 = arith.sitofp %7 : i32 to f32
    %9 = arith.mulf %8, %scale : f32
    linalg.yield %9 : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
func.func @in_epilogue(%x: tensor<14x64xi8>, %w: tensor<4x16x16x4xi8>, %to: tensor<14x64xf32>) -> tensor<14x64xf32> {
  %by = arith.constant 100.0 : f32
  %scale = arith.constant 0.01 : f32
  %y = kernel.integer_dot ins(%x, %w : tensor<14x64xi8>, tensor<4x16x16x4xi8>) outs(%to : tensor<14x64xf32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
  ^bb0(%sum: i32):
    %in = arith.trunci %sum : i32 to i8
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %2, %by : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    %7 = arith.extsi %6 : i8 to i32
    %8 = arith.sitofp %7 : i32 to f32
    %9 = arith.mulf %8, %scale : f32
    kernel.yield %9 : f32
  } -> tensor<14x64xf32>
  return %y : tensor<14x64xf32>
}
