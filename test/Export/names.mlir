// RUN: split-file %s %t
// RUN: onnx-mlir-translate --mlir-to-onnx %t/results.mlir -o %t/results.onnx
// RUN: %python %S/Inputs/print_model.py %t/results.onnx | FileCheck %s --check-prefix=RESULTS
// RUN: onnx-mlir-translate --mlir-to-onnx %t/shared.mlir -o %t/shared.onnx
// RUN: %python %S/Inputs/print_model.py %t/shared.onnx | FileCheck %s --check-prefix=SHARED
// RUN: onnx-mlir-translate --mlir-to-onnx %t/graphs.mlir -o %t/graphs.onnx
// RUN: %python %S/Inputs/print_model.py %t/graphs.onnx | FileCheck %s --check-prefix=GRAPHS
// RUN: onnx-mlir-translate --mlir-to-onnx %t/constants.mlir -o %t/constants.onnx
// RUN: %python %S/Inputs/print_model.py %t/constants.onnx | FileCheck %s --check-prefix=CONSTANTS
// RUN: onnx-mlir-translate --mlir-to-onnx %t/old.mlir -o %t/old.onnx
// RUN: %python %S/Inputs/print_model.py %t/old.onnx | FileCheck %s --check-prefix=OLD
// RUN: onnx-mlir-translate --mlir-to-onnx %t/outer.mlir -o %t/outer.onnx
// RUN: %python %S/Inputs/print_model.py %t/outer.onnx | FileCheck %s --check-prefix=OUTER

// RUN: onnx-mlir-translate --mlir-to-onnx %t/ml.mlir -o %t/ml.onnx
// RUN: %python %S/Inputs/print_model.py %t/ml.onnx | FileCheck %s --check-prefix=ML
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/default.mlir -o %t/default.onnx 2>&1 | FileCheck %s --check-prefix=DEFAULT

//--- results.mlir
// Output names win. What is an argument, or an output already, is copied.
// RESULTS: => (float[2] y, float[2] again, float[2] same)
// RESULTS: y = Relu (x)
// RESULTS-NEXT: value = Neg (y)
// RESULTS-NEXT: z = Abs (value)
// RESULTS-NEXT: again = Identity (y)
// RESULTS-NEXT: same = Identity (x)
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}, tensor<2xf32> {onnx.name = "again"}, tensor<2xf32> {onnx.name = "same"}) attributes {onnx.entry} {
  %y = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Relu", outputs = ["z"]>>["f":1:0])
  %v = onnx.Neg(%y) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Neg", outputs = ["value"]>>["f":1:0])
  %z = onnx.Abs(%v) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Abs", outputs = ["z"]>>["f":1:0])
  return %y, %y, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
}

//--- shared.mlir
// The last op that came from a node has its names; the others are numbered, not as any name that there is. Node names
// are unique.
// SHARED: [n_1] y_2 = Relu (x)
// SHARED-NEXT: [n] y_3 = Neg (y_2)
// SHARED-NEXT: [n_2] z = Neg (y_3)
// SHARED-NEXT: [m] y = Abs (z)
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "n", op = "Mish", outputs = ["y"]>>["f":1:0])
  %1 = onnx.Neg(%0) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "n", op = "Mish", outputs = ["y"]>>["f":1:0])
  %2 = onnx.Neg(%1) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "n", op = "Mish", outputs = ["z"]>>["f":1:0])
  %3 = onnx.Abs(%2) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "m", op = "Abs", outputs = ["y_1"]>>["f":1:0])
  return %3 : tensor<2xf32>
}
}

//--- graphs.mlir
// A graph hides no name of the graphs around it; its results are its own.
// GRAPHS: h = Relu (x)
// GRAPHS: then_branch: graph = graph () => (float[2] h_1)
// GRAPHS-NEXT: h_1 = Identity (h)
// GRAPHS: else_branch: graph = graph () => (float[2] h_2)
// GRAPHS-NEXT: h_2 = Neg (h)
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}, %b: tensor<i1> {onnx.name = "b"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %h = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Relu", outputs = ["h"]>>["f":1:0])
  %0 = onnx.If(%b) then_branch {
    onnx.yield %h : tensor<2xf32>
  } else_branch {
    %1 = onnx.Neg(%h) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Neg", outputs = ["h"]>>["f":1:0])
    onnx.yield %1 : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}

//--- outer.mlir
// What a body yields may be a value outside of it, even one of the name that the output has.
// OUTER: o = Neg (x)
// OUTER: (int64 i, bool c) => (bool d, float[2] o_1)
// OUTER: o_1 = Identity (o)
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%n: tensor<i64> {onnx.name = "n"}, %b: tensor<i1> {onnx.name = "b"}, %x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<?x2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %o = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Neg", outputs = ["o"]>>["f":1:0])
  %y = onnx.Loop(%n, %b) body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.yield %c, %o : tensor<i1>, tensor<2xf32> {onnx.graph = {name = "body", inputs = [{name = "i"}, {name = "c"}], outputs = [{name = "d"}, {name = "o"}]}}
  } : (tensor<i64>, tensor<i1>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
}

//--- constants.mlir
// New constants are initializers; constant nodes stay what they are.
// CONSTANTS: float[2] folded = {1,2}
// CONSTANTS-NOT: Constant
// CONSTANTS: node = Constant <value: tensor = float[2] {3,4}> ()
// CONSTANTS-NOT: Constant
// CONSTANTS: y = Add (folded, node)
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph() -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Add", outputs = ["folded"]>>["f":1:0])
  %1 = onnx.Constant() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Constant", outputs = ["node"]>>["f":1:0])
  %2 = onnx.Add(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
}

//--- old.mlir
// Before IR version 4 an initializer must be an input: a new constant is a node; if Constant cannot be of its type, another one is cast.
// OLD: ir_version: 3
// OLD: main_graph (float[2] x) => (float[2] y, int64[2] z)
// OLD: floats = Constant <value: tensor = float[2] {1,2}> ()
// OLD: [[D:[a-z_]+]] = Constant <value: tensor = double[2] {1,2}> ()
// OLD: ints = Cast <to: int = 7> ([[D]])
// OLD: y = Add (x, floats)
module attributes {onnx.ir_version = 3 : i64, onnx.opset_imports = {ai.onnx = 8 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}, tensor<2xi64> {onnx.name = "z"}) attributes {onnx.entry} {
  %0 = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Add", outputs = ["floats"]>>["f":1:0])
  %1 = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64> loc(fused<#onnx.source<name = "", op = "Add", outputs = ["ints"]>>["f":1:0])
  %2 = onnx.Add(%x, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = onnx.Identity(%1) : (tensor<2xi64>) -> tensor<2xi64>
  return %2, %3 : tensor<2xf32>, tensor<2xi64>
}
}

//--- ml.mlir
// Without operators of the standard domain, the oldest IR version will do.
// ML: ir_version: 3
// ML-NOT: ir_version
// ML: Scaler
module attributes {onnx.opset_imports = {ai.onnx.ml = 1 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.ml.Scaler(%x) {offset = [1.0], scale = [2.0]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}

//--- default.mlir
// DEFAULT: the default of input 'x' is not a tensor
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x", onnx.default = 7 : i32}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
