//===- RaiseIRVersion.cpp - The IR version of the model -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/ConvertOpset/Passes.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_RAISEIRVERSION
#include "onnxc/ConvertOpset/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {
struct RaiseIRVersion : onnxc::impl::RaiseIRVersionBase<RaiseIRVersion> {
  using RaiseIRVersionBase::RaiseIRVersionBase;

  void runOnOperation() override {
    constexpr StringLiteral name = onnxc::model::irVersion;
    ModuleOp module = getOperation();
    auto version = module->getAttrOfType<IntegerAttr>(name);
    if (version && version.getInt() < least)
      module->setAttr(name, IntegerAttr::get(version.getType(), least));
  }
};
} // namespace
