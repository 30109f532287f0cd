//===- Random.cpp - The ops of Random.td -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Random.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Random.cpp.inc"

void ONNXDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Random.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Only training draws numbers; see ONNX_RandomOp for the effect.
void DropoutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (Value training = getTrainingMode();
      training && !matchPattern(training, m_Zero()))
    effects.emplace_back(MemoryEffects::Allocate::get(),
                         getOperation()->getOpResult(0));
}
