//===- Activation.cpp - The ops of Activation.td --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Activation.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

/// log(1 + exp(x)), without overflow.
static Value buildSoftplus(ScalarBuilder &b, Value x) {
  Value small = b.log1p(b.exp(b.neg(b.abs(x))));
  return b.add(b.max(x, b.zero(x)), small);
}

static Value buildGelu(ScalarBuilder &b, Value x, bool approximate) {
  Value phi;
  if (approximate) {
    Value cube = b.mul(b.mul(x, x), x);
    Value inner = b.add(x, b.mul(b.constant(x, 0.044715), cube));
    phi = b.tanh(b.mul(b.constant(x, 0.7978845608028654), inner)); // sqrt(2/pi)
  } else {
    phi = b.erf(b.mul(b.constant(x, 0.7071067811865476), x)); // 1/sqrt(2)
  }
  Value half = b.mul(b.constant(x, 0.5), x);
  return b.mul(half, b.add(b.one(x), phi));
}

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Activation.cpp.inc"

void ONNXDialect::registerActivationOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Activation.cpp.inc"
      >();
}
