//===- Quantization.td - Rewrites of quantized models ---- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_QUANTIZATION
#define ONNXC_OPTIMIZE_QUANTIZATION

include "onnxc/Optimize/RewriteBase.td"

def QdqPropagate
    : Rewrite<200, "qdq_propagate", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "What moves quantized data moves integers";
  let description = [{
    Dequantize, an op that only moves elements (or takes the greatest), Quantize with
    equal parameters: the op on integers. Where only one of the two is there, it
    changes places with ops that keep the number of elements. The quantization of what
    is joined becomes one of each part.
  }];
}

def QdqFuse
    : Rewrite<201, "qdq_fuse", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Quantization of what was quantized alike, or clipped to the range";
  let description = [{
    `QuantizeLinear(DequantizeLinear(x))` with equal parameters is x, as long as the
    integers times the scale are normal numbers; Relu and Clip before a QuantizeLinear
    that clips as much are dropped; ArgMax looks at the integers.
  }];
}

#endif // ONNXC_OPTIMIZE_QUANTIZATION
