// The names that exporters write, and what is no state though its name is alike.
// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-pair-states{pairs=auto})" -split-input-file 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS --input-file %t.remarks

// Of optimum's encoders and decoders, GPT-2, Silero, icefall.
// REMARKS: remark: states: present.0.decoder.key=past_key_values.0.decoder.key, present_3=past_3, stateN=state, hn=h, new_cached_len_1=cached_len_1
// CHECK: func.func @names(%{{.*}} {onnx.name = "x"}, %{{.*}} {onnx.name = "past_key_values.0.decoder.key", onnx.state = "present.0.decoder.key"}
func.func @names(%0: tensor<?xf32> {onnx.name = "past_key_values.0.decoder.key"}, %1: tensor<2xf32> {onnx.name = "past_3"}, %2: tensor<2xf32> {onnx.name = "state"}, %3: tensor<2xf32> {onnx.name = "h"}, %4: tensor<2xi64> {onnx.name = "cached_len_1"}, %x: tensor<2xf32> {onnx.name = "x"})
    -> (tensor<2xf32> {onnx.name = "y"}, tensor<?xf32> {onnx.name = "present.0.decoder.key"}, tensor<2xf32> {onnx.name = "present_3"}, tensor<2xf32> {onnx.name = "stateN"}, tensor<2xf32> {onnx.name = "hn"}, tensor<2xi64> {onnx.name = "new_cached_len_1"}) attributes {onnx.entry} {
  %a = onnx.Abs(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %b = onnx.Abs(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %c = onnx.Abs(%2) : (tensor<2xf32>) -> tensor<2xf32>
  %d = onnx.Abs(%3) : (tensor<2xf32>) -> tensor<2xf32>
  %e = onnx.Abs(%4) : (tensor<2xi64>) -> tensor<2xi64>
  return %x, %a, %b, %c, %d, %e : tensor<2xf32>, tensor<?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>
}

// -----

// Sound in and sound out is not a state; nor is what has another type.
// REMARKS: remark: states: cache_out=cache_in
// CHECK: func.func @weak_names(%{{.*}} {onnx.name = "sound_in"}, %{{.*}} {onnx.name = "h"}, %{{.*}} {onnx.name = "cache_in", onnx.state = "cache_out"})
func.func @weak_names(%0: tensor<4xf32> {onnx.name = "sound_in"}, %1: tensor<2xf32> {onnx.name = "cache_in"}, %2: tensor<3xf32> {onnx.name = "h"})
    -> (tensor<4xf32> {onnx.name = "sound_out"}, tensor<2xf32> {onnx.name = "cache_out"}, tensor<4xf32> {onnx.name = "hn"}) attributes {onnx.entry} {
  %a = onnx.Abs(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.Abs(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %a : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}

// -----

// What the operator tells: TensorScatter always, a Concat with a cache.
// REMARKS: remark: states: a=k, b=v_cache
func.func @operators(%0: tensor<1x8x4xf32> {onnx.name = "k"}, %1: tensor<1x?x4xf32> {onnx.name = "v_cache"}, %2: tensor<1x?x4xf32> {onnx.name = "w"}, %x: tensor<1x1x4xf32> {onnx.name = "x"}, %i: tensor<1xi64> {onnx.name = "i"})
    -> (tensor<1x8x4xf32> {onnx.name = "a"}, tensor<1x?x4xf32> {onnx.name = "b"}, tensor<1x?x4xf32> {onnx.name = "c"}) attributes {onnx.entry} {
  %a = onnx.node "TensorScatter" domain "" version 24(%0, %x, %i) {axis = 1 : i64} : (tensor<1x8x4xf32>, tensor<1x1x4xf32>, tensor<1xi64>) -> tensor<1x8x4xf32>
  %b = onnx.node "Concat" domain "" version 13(%1, %x) {axis = 1 : i64} : (tensor<1x?x4xf32>, tensor<1x1x4xf32>) -> tensor<1x?x4xf32>
  %c = onnx.node "Concat" domain "" version 13(%2, %x) {axis = 1 : i64} : (tensor<1x?x4xf32>, tensor<1x1x4xf32>) -> tensor<1x?x4xf32>
  return %a, %b, %c : tensor<1x8x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>
}
