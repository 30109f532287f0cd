//===- FunctionMarks.cpp - Which functions of the model are as they came --===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionMarks.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc::optimize;

static constexpr StringLiteral mark = onnxc::model::verbatim;

FunctionMarks::FunctionMarks(ModuleOp module) : module(module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(mark))
      prints.try_emplace(func.getSymNameAttr(), OperationFingerPrint(func));
}

FunctionMarks::~FunctionMarks() {
  for (auto func : module.getOps<func::FuncOp>()) {
    auto before = prints.find(func.getSymNameAttr());
    if (before != prints.end() && before->second != OperationFingerPrint(func))
      func->removeAttr(mark);
  }
}
