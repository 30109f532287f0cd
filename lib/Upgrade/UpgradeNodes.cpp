//===- UpgradeNodes.cpp - Older forms to the newest -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/NodeForms.h"
#include "onnxc/Upgrade/Passes.h"

namespace onnxc {
#define GEN_PASS_DEF_UPGRADENODES
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
struct UpgradeNodes : onnxc::impl::UpgradeNodesBase<UpgradeNodes> {
  using UpgradeNodesBase::UpgradeNodesBase;

  void runOnOperation() override {
    SchemaTable schemas(&getContext());
    OpBuilder builder(&getContext());
    UnsupportedOps unsupported;
    LogicalResult checked = checkForms(getOperation(), schemas);
    LogicalResult visited = visitNodes(getOperation(), [&](NodeOp node) {
      return upgradeToNewest(node, schemas, keepUnknown, unsupported, builder);
    });
    LogicalResult known = unsupported.report(getOperation().getLoc());
    if (failed(checked) || failed(visited) || failed(known))
      signalPassFailure();
  }
};
} // namespace
