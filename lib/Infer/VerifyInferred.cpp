//===- VerifyInferred.cpp - The contract of the infer stage -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_VERIFYINFERRED
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

namespace {
struct VerifyInferred : onnxc::impl::VerifyInferredBase<VerifyInferred> {
  void runOnOperation() override {
    bool invalid = false;
    getOperation()->walk([&](Operation *op) {
      for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
        if (isa<UnknownType>(type)) {
          op->emitOpError() << "type of output #" << index
                            << " cannot be told, expected it to follow from "
                               "the model";
          invalid = true;
        } else if (isa<UnrankedTensorType>(type)) {
          op->emitOpError() << "rank of output #" << index
                            << " cannot be told, expected it to follow from "
                               "constants or from a declared shape";
          invalid = true;
        }
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isa<UnknownType, UnrankedTensorType>(argument.getType())) {
              emitError(argument.getLoc())
                  << "input #" << argument.getArgNumber()
                  << " of a graph has no known rank, expected a declared shape";
              invalid = true;
            }
    });
    if (invalid)
      signalPassFailure();
  }
};
} // namespace
