// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-pair-states{pairs=present.*.k=past.*.k capacity=64},onnx-separate-defaults)" -split-input-file | FileCheck %s --check-prefix=NAMED
// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-pair-states{pairs=auto})" -split-input-file 2>&1 | FileCheck %s --check-prefix=AUTO

// States are the last arguments but for those with a default, in both entries,
// and the last results, in the order of the outputs.
// NAMED: module attributes {{{.*}}onnx.state_capacity = 64 : i64}
// NAMED: func.func @main_graph(%[[X:.*]]: tensor<2xf32> {onnx.name = "x"},
// NAMED-SAME: %[[A:.*]]: tensor<2xf32> {onnx.name = "past.a.k", onnx.state = "present.a.k"},
// NAMED-SAME: %[[B:.*]]: tensor<2xf32> {onnx.name = "past.b.k", onnx.state = "present.b.k"})
// NAMED-SAME: -> (tensor<2xf32> {onnx.name = "y"}, tensor<2xf32> {onnx.name = "present.a.k"}, tensor<2xf32> {onnx.name = "present.b.k"})
// NAMED: %[[P:.*]] = onnx.Add(%[[A]], %[[X]])
// NAMED: %[[Q:.*]] = onnx.Mul(%[[B]], %
// NAMED: %[[Y:.*]] = onnx.Sub(
// NAMED: return %[[Y]], %[[P]], %[[Q]]
// NAMED: func.func @main_graph_overridden(%{{.*}} {onnx.name = "x"}, %{{.*}}onnx.state = "present.a.k"}, %{{.*}}onnx.state = "present.b.k"}, %{{.*}} {onnx.default = dense<{{.*}}>{{.*}}, onnx.name = "w"})
// AUTO: remark: states: present.a.k=past.a.k, present.b.k=past.b.k
func.func @main_graph(%b: tensor<2xf32> {onnx.name = "past.b.k"}, %w: tensor<2xf32> {onnx.default = dense<1.0> : tensor<2xf32>, onnx.name = "w"}, %a: tensor<2xf32> {onnx.name = "past.a.k"}, %x: tensor<2xf32> {onnx.name = "x"})
    -> (tensor<2xf32> {onnx.name = "present.a.k"}, tensor<2xf32> {onnx.name = "y"}, tensor<2xf32> {onnx.name = "present.b.k"}) attributes {onnx.entry} {
  %0 = onnx.Add(%a, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Mul(%b, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.Sub(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %2, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Where a branch yields nothing the state stays as it is; what a run only passes on is the caller's.
// AUTO: remark: states: present.encoder.k=past.encoder.k, cache.present.0=cache.past.0
// AUTO: func.func @main_graph(%{{.*}} {onnx.name = "c"}, %[[X:.*]]: tensor<?x2xf32> {onnx.name = "x"}, %[[ONLY:.*]]: tensor<?x2xf32> {onnx.name = "past.only.k"}, %[[PAST:.*]]: tensor<?x2xf32> {onnx.name = "past.encoder.k", onnx.state = "present.encoder.k"}, %{{.*}} {onnx.name = "cache.past.0", onnx.state = "cache.present.0"})
// AUTO: onnx.If
// AUTO: onnx.yield %[[PAST]] :
// AUTO: onnx.yield %[[X]] :
// AUTO: onnx.Identity(%[[ONLY]])
func.func @main_graph(%c: tensor<i1> {onnx.name = "c"}, %x: tensor<?x2xf32> {onnx.name = "x"}, %past: tensor<?x2xf32> {onnx.name = "past.encoder.k"}, %only: tensor<?x2xf32> {onnx.name = "past.only.k"}, %m: tensor<2xf32> {onnx.name = "cache.past.0"})
    -> (tensor<?x2xf32> {onnx.name = "present.encoder.k"}, tensor<?x2xf32> {onnx.name = "present.only.k"}, tensor<2xf32> {onnx.name = "cache.present.0"}) attributes {onnx.entry} {
  %0 = onnx.If(%c) then_branch {
    %none = onnx.Constant() {value = dense<> : tensor<0x2xf32>} : () -> !onnx.unknown
    onnx.yield %none : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<?x2xf32>
  } : (tensor<i1>) -> tensor<?x2xf32>
  %1 = onnx.Identity(%only) : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %2 = onnx.Abs(%m) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<2xf32>
}
