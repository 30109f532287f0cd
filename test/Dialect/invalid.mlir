// What the op records refuse: element types, type variables, structure.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @element_type(%x: tensor<4xi32>) {
  // expected-error @below {{'onnx.Sqrt' op input 0 ('X') must be tensor of float/double/float16/bfloat16, but is 'tensor<4xi32>'}}
  %0 = onnx.Sqrt(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @result_element_type(%x: tensor<4xf32>) {
  // expected-error @below {{'onnx.Shape' op output 0 ('shape') must be tensor of int64, but is 'tensor<1xi32>'}}
  %0 = onnx.Shape(%x) : (tensor<4xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @no_onnx_type(%x: tensor<4xf80>) {
  // expected-error @below {{op input 0 ('input') must be tensor of}}
  %0 = onnx.Identity(%x) : (tensor<4xf80>) -> tensor<4xf80>
  return
}

// -----

func.func @no_tensor(%x: f32) {
  // expected-error @below {{op input 0 ('X') must be tensor of}}
  %0 = onnx.Abs(%x) : (f32) -> f32
  return
}

// -----

func.func @memref(%x: memref<4xf32>) {
  // expected-error @below {{op input 0 ('X') must be tensor of}}
  %0 = onnx.Abs(%x) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @sequence_where_tensor(%x: !onnx.seq<tensor<4xf32>>) {
  // expected-error @below {{op input 0 ('X') must be tensor of}}
  %0 = onnx.Relu(%x) : (!onnx.seq<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @tensor_where_sequence(%x: tensor<4xf32>) {
  // expected-error @below {{op input 0 ('input_sequence') must be sequence of tensors of}}
  %0 = onnx.SequenceLength(%x) : (tensor<4xf32>) -> tensor<i64>
  return
}

// -----

func.func @map_of_other_types(%x: !onnx.map<i64, tensor<i64>>) {
  // expected-error @below {{op input 0 ('X') must be map(int64,tensor(float)) or map(int64,tensor(string)), but is}}
  %0 = onnx.ml.CastMap(%x) : (!onnx.map<i64, tensor<i64>>) -> tensor<?x?xf32>
  return
}

// -----

// Inputs are counted as the node lists them, with those that are left out.
func.func @place_of_optional(%x: tensor<4xf32>, %max: tensor<i1>) {
  // expected-error @below {{op input 2 ('max') must be tensor of}}
  %0 = onnx.Clip(%x, _, %max) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @place_in_list(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @below {{op input 1 ('data_0') must be tensor of}}
  %0 = onnx.Sum(%x, %y) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// Parameters of one type variable have one type.
func.func @type_variable(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @below {{'onnx.Add' op input 'B' is tensor(double), but input 'A' is tensor(float): both must have the same type (T)}}
  %0 = onnx.Add(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @type_variable_of_result(%x: tensor<4xf32>) {
  // expected-error @below {{output 'Y' is tensor(double), but input 'X' is tensor(float): both must have the same type (T)}}
  %0 = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @type_variable_in_variadic(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @below {{input 1 of 'inputs' is tensor(int32), but input 0 of 'inputs' is tensor(float): both must have the same type (T)}}
  %0 = onnx.Concat(%x, %y) {axis = 0} : (tensor<4xf32>, tensor<4xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @type_variable_of_optional(%x: tensor<4xf32>, %max: tensor<f16>) {
  // expected-error @below {{input 'max' is tensor(float16), but input 'input' is tensor(float): both must have the same type (T)}}
  %0 = onnx.Clip(%x, _, %max) : (tensor<4xf32>, tensor<f16>) -> tensor<4xf32>
  return
}

// -----

func.func @type_variable_in_sequence(%s: !onnx.seq<tensor<4xf32>>, %p: tensor<i64>, %t: tensor<4xf32>) {
  // expected-error @below {{output 'output_sequence' is seq(tensor(int32)), but input 'input_sequence' is seq(tensor(float)): both must have the same type (S)}}
  %0 = onnx.SequenceInsert(%s, %t, %p)
      : (!onnx.seq<tensor<4xf32>>, tensor<4xf32>, tensor<i64>) -> !onnx.seq<tensor<4xi32>>
  return
}

// -----

func.func @attribute_type(%x: tensor<4xf32>) {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = onnx.Softmax(%x) {axis = 1.0} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @attribute_missing(%x: tensor<4xf32>) {
  // expected-error @below {{requires attribute 'axis'}}
  %0 = onnx.Concat(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operand_missing(%x: tensor<4xf32>) {
  // expected-error @below {{operands do not fit the op's 2 inputs}}
  %0 = onnx.Add(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @required_operand_absent(%x: tensor<4xf32>) {
  // expected-error @below {{operands do not fit the op's 2 inputs}}
  %0 = onnx.Add(_, %x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @too_many_operands(%x: tensor<4xf32>) {
  // expected-error @below {{operands do not fit the op's 1 inputs}}
  %0 = onnx.Relu(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @too_many_results(%x: tensor<4xf32>) {
  // expected-error @below {{result types do not fit the op's 1 outputs}}
  %0:2 = onnx.Relu(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @subgraph_missing(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{region #1 ('else_branch') failed to verify constraint: region with 1 blocks}}
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_without_value() {
  // expected-error @below {{constant_c1: exactly one value attribute must be present}}
  %0 = onnx.Constant() : () -> tensor<f32>
  return
}

// -----

func.func @constant_with_two_values() {
  // expected-error @below {{constant_c1: exactly one value attribute must be present}}
  %0 = onnx.Constant() {value_float = 1.0, value_int = 1} : () -> tensor<f32>
  return
}

// -----

func.func @constant_of_another_type() {
  // expected-error @below {{output 0 is declared 'tensor<f32>', but must be 'tensor<i64>'}}
  %0 = onnx.Constant() {value_int = 1} : () -> tensor<f32>
  return
}

// -----

func.func @cast_to_nothing(%x: tensor<4xf32>) {
  // expected-error @below {{cast_c1: to = 99 is not a data type of ONNX}}
  %0 = onnx.Cast(%x) {to = 99} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cast_round_mode(%x: tensor<4xf32>) {
  // expected-error @below {{cast_c2: round_mode = sideways is none of up, down, nearest}}
  %0 = onnx.Cast(%x) {to = 24, round_mode = "sideways"} : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @cast_to_another_type(%x: tensor<4xf32>) {
  // expected-error @below {{output 0 is declared 'tensor<4xf32>', but must be 'tensor<4xf16>'}}
  %0 = onnx.Cast(%x) {to = 10} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @node_names_of_graphs(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 graphs, but 1 names for them}}
  %0 = "onnx.node"(%x) {op_type = "Old", domain = "", version = 1 : i64, onnx_attributes = {}, region_names = ["body"]}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}
