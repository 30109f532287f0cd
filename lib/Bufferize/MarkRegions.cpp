//===- MarkRegions.cpp - Note when the work for each node runs ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before kernels are shared: afterwards, what an op does and for which nodes is
// known only to the first of its kind.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "WorkEstimate.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace onnxc {
#define GEN_PASS_DEF_MARKREGIONSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What runs for a shorter time than it takes to look at the clock.
constexpr int64_t kMinSteps = 64;

/// Whether the op does the work of one node, and a good piece of it.
bool isWork(Operation *op) {
  if (isa<rt::CallOp, func::CallOp>(op))
    return true;
  auto written = dyn_cast<DestinationStyleOpInterface>(op);
  if (!written || !written.hasPureBufferSemantics())
    return false;
  std::optional<int64_t> steps = countStaticSteps(op);
  return !steps || *steps >= kMinSteps;
}

bool containsWork(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isWork(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

StringRef describeKind(Operation *op) {
  if (auto call = dyn_cast<rt::CallOp>(op))
    return call.getCallee();
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  if (isa<memref::CopyOp>(op))
    return "copy";
  return isa<LoopLikeOpInterface>(op) ? "loop" : "kernel";
}

/// The locations of what became the op: its own first, then those of scalar
/// ops that fusion brought into its body.
ArrayAttr collectLocations(Operation *op) {
  SetVector<Attribute> locations;
  auto add = [&](Location location) {
    SmallVector<Location> rest = {location};
    while (!rest.empty()) {
      Location next = rest.pop_back_val();
      auto fused = dyn_cast<FusedLoc>(next);
      if (fused && !fused.getMetadata())
        rest.append(fused.getLocations().rbegin(), fused.getLocations().rend());
      else if (!isa<UnknownLoc>(next))
        locations.insert(LocationAttr(next));
    }
  };
  add(op->getLoc());
  if (!isa<LoopLikeOpInterface>(op))
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (!inner->hasTrait<OpTrait::ConstantLike>())
        add(inner->getLoc());
    });
  return ArrayAttr::get(op->getContext(), locations.getArrayRef());
}

class MarkRegions : public onnxc::impl::MarkRegionsPassBase<MarkRegions> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect>();
  }
  void runOnOperation() override;
  void markBlock(Block &block, bool isOutermost);
  void mark(Operation *op);

  Value context;
  SmallVector<Attribute> regions;
};

void MarkRegions::mark(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  NamedAttrList region;
  region.append("kind", b.getStringAttr(describeKind(op)));
  region.append("locations", collectLocations(op));
  if (Attribute kernel = op->getAttr(program::kernel))
    region.append("kernel", kernel);
  regions.push_back(region.getDictionary(b.getContext()));
  WorkEstimate work = estimateWork(b, op);
  Value id =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(regions.size() - 1));
  callRuntime(b, loc, getOperation(), RuntimeFn::ProfileBegin, {context, id});
  b.setInsertionPointAfter(op);
  callRuntime(b, loc, getOperation(), RuntimeFn::ProfileEnd,
              {context, work.flops, work.bytes});
}

void MarkRegions::markBlock(Block &block, bool isOutermost) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isWork(&op) || (isOutermost && isa<memref::CopyOp>(op))) {
      mark(&op);
    } else if (containsWork(&op)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          markBlock(inner, /*isOutermost=*/false);
    } else if (isa<LoopLikeOpInterface>(op)) {
      mark(&op);
    }
  }
}

void MarkRegions::runOnOperation() {
  auto entries = findEntries(getOperation());
  if (failed(entries))
    return signalPassFailure();
  if (entries->empty())
    return;
  regions.clear();
  // Regions of other levels, whose code is in the same file, are before these.
  if (auto known = getOperation()->getAttrOfType<ArrayAttr>(program::regions))
    llvm::append_range(regions, known);
  OpBuilder b(&getContext());
  for (func::FuncOp entry : *entries) {
    context = entry.getArgument(0);
    for (Block &block : entry.getBody())
      markBlock(block, /*isOutermost=*/true);
    b.setInsertionPointToStart(&entry.getBody().front());
    callRuntime(b, entry.getLoc(), getOperation(), RuntimeFn::ProfileStart,
                {context});
  }
  getOperation()->setAttr(program::regions, b.getArrayAttr(regions));
  // Code is shared by kernels that are equal but for their numbers.
  getOperation().walk([](Operation *op) { op->removeAttr(program::kernel); });
}

} // namespace
