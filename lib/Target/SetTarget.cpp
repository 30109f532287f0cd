//===- SetTarget.cpp - State the processor that code is made for ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Passes.h"
#include "onnxc/Target/Target.h"

namespace onnxc {
#define GEN_PASS_DEF_SETTARGETPASS
#include "onnxc/Target/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

class SetTarget : public onnxc::impl::SetTargetPassBase<SetTarget> {
public:
  using SetTargetPassBase::SetTargetPassBase;

private:
  void runOnOperation() override {
    if (failed(onnxc::setTarget(getOperation(),
                                {triple, cpu, features, layout, freestanding})))
      signalPassFailure();
  }
};

} // namespace
