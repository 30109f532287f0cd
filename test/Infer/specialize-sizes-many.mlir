// RUN: onnx-mlir-opt %s -verify-diagnostics --pass-pipeline='builtin.module(onnx-specialize-sizes{ranges=N=1..4,M=1..4,K=1..4,L=1..4})'

// Two sizes of each: as many versions of the model would be too much.
// expected-error @+1 {{ranges of 4 dimensions make 16 combinations of sizes, at most 8 are possible}}
func.func @entry(%x: tensor<?x?x?x?xf32> {onnx.name = "x", onnx.dim_params = ["N", "M", "K", "L"]}) attributes {onnx.entry} {
  return
}
