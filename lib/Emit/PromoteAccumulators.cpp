//===- PromoteAccumulators.cpp - Sums in registers ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace onnxc {
#define GEN_PASS_DEF_PROMOTEACCUMULATORS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Where the memory of a buffer comes from.
struct Origin {
  enum Kind { Unknown, Constant, Input, Runtime, Workspace };
  Kind kind = Unknown;
  /// Runtime: the call that gave it.
  Operation *call = nullptr;
  /// Workspace: the bytes of the view.
  int64_t begin = 0, end = 0;
};

struct Access {
  Operation *op;
  Value memref;
};

class PromoteAccumulators final
    : public onnxc::impl::PromoteAccumulatorsBase<PromoteAccumulators> {
public:
  using PromoteAccumulatorsBase::PromoteAccumulatorsBase;

  void runOnOperation() override {
    // Inner loops first: what they carry no more to memory, the next loop may
    // carry on.
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PostOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      promoteAll(loop);
  }

private:
  void promoteAll(scf::ForOp loop);
  memref::LoadOp findLoad(scf::ForOp loop, memref::StoreOp store,
                          ArrayRef<Access> accesses);
  scf::ForOp promote(scf::ForOp loop, memref::LoadOp load,
                     memref::StoreOp store);
  Origin findOrigin(Value memref);
  Origin findPointerOrigin(Value pointer);
  bool areApart(Value a, Value b);
};

} // namespace

/// The value that a descriptor has at field 1, the pointer to the elements.
static Value alignedPointer(Value descriptor) {
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == ArrayRef<int64_t>{1})
      return insert.getValue();
    descriptor = insert.getContainer();
  }
  return nullptr;
}

/// What the pointers of the calling convention point to (Bufferize's BindAbi
/// and PlanMemory write them).
Origin PromoteAccumulators::findPointerOrigin(Value pointer) {
  if (auto call = pointer.getDefiningOp<LLVM::CallOp>()) {
    StringRef callee = call.getCallee().value_or("");
    if (callee == "onnxc_rt_output" || callee == "onnxc_rt_alloc")
      return {Origin::Runtime, call};
    return {};
  }
  // The data pointer of an input: the entry loads from its second argument.
  if (auto load = pointer.getDefiningOp<LLVM::LoadOp>()) {
    Value address = load.getAddr();
    while (auto gep = address.getDefiningOp<LLVM::GEPOp>())
      address = gep.getBase();
    auto argument = dyn_cast<BlockArgument>(address);
    if (getOperation()->hasAttr(onnxc::program::entry) && argument &&
        argument.getOwner() == &getOperation().getBody().front() &&
        argument.getArgNumber() == 1)
      return {Origin::Input};
  }
  return {};
}

static bool isWorkspace(Value memref) {
  auto cast = memref.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getInputs().size() != 1)
    return false;
  Value pointer = alignedPointer(cast.getInputs().front());
  auto call = pointer ? pointer.getDefiningOp<LLVM::CallOp>() : nullptr;
  return call && call.getCallee() == StringRef("onnxc_rt_workspace");
}

Origin PromoteAccumulators::findOrigin(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      auto symbol = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          op, global.getNameAttr());
      return {symbol && symbol.getConstant() ? Origin::Constant
                                             : Origin::Unknown};
    }
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      if (isWorkspace(view.getSource())) {
        std::optional<int64_t> offset =
            getConstantIntValue(view.getByteShift());
        MemRefType type = view.getType();
        if (!offset || !type.hasStaticShape() ||
            !type.getElementType().isIntOrFloat())
          return {};
        int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
        return {Origin::Workspace, nullptr, *offset,
                // no overflow: a part of the workspace
                *offset + type.getNumElements() * bytes};
      }
      memref = view.getSource();
      continue;
    }
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      if (cast.getInputs().size() != 1)
        return {};
      Value pointer = alignedPointer(cast.getInputs().front());
      return pointer ? findPointerOrigin(pointer) : Origin();
    }
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return {};
    memref = view.getViewSource();
  }
  return {};
}

bool PromoteAccumulators::areApart(Value a, Value b) {
  Origin x = findOrigin(a), y = findOrigin(b);
  if (x.kind == Origin::Unknown || y.kind == Origin::Unknown)
    return false;
  if (x.kind != y.kind)
    return true;
  if (x.kind == Origin::Runtime)
    return x.call != y.call;
  return x.kind == Origin::Workspace && (x.end <= y.begin || y.end <= x.begin);
}

/// All accesses to memory in a loop, or nothing if one of them is not to a
/// buffer.
static std::optional<SmallVector<Access>> collectAccesses(scf::ForOp loop) {
  SmallVector<Access> accesses;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effectOp)
      return isMemoryEffectFree(op) ? WalkResult::advance()
                                    : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> effects;
    effectOp.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (!effect.getValue() || !isa<MemRefType>(effect.getValue().getType()))
        return WalkResult::interrupt();
      accesses.push_back({op, effect.getValue()});
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return accesses;
}

/// The load of the element that `store` writes, if both stand in the loop
/// itself, the element is the same in all iterations, and nothing else in the
/// loop touches its buffer.
memref::LoadOp PromoteAccumulators::findLoad(scf::ForOp loop,
                                             memref::StoreOp store,
                                             ArrayRef<Access> accesses) {
  Value memref = store.getMemRef();
  if (!loop.isDefinedOutsideOfLoop(memref) ||
      !llvm::all_of(store.getIndices(), [&](Value index) {
        return loop.isDefinedOutsideOfLoop(index);
      }))
    return nullptr;
  memref::LoadOp found;
  for (const Access &access : accesses) {
    if (access.op == store)
      continue;
    auto load = dyn_cast<memref::LoadOp>(access.op);
    if (!found && load && load->getBlock() == loop.getBody() &&
        load.getMemRef() == memref && load->isBeforeInBlock(store) &&
        llvm::equal(load.getIndices(), store.getIndices())) {
      found = load;
      continue;
    }
    if (!areApart(access.memref, memref))
      return nullptr;
  }
  return found;
}

scf::ForOp PromoteAccumulators::promote(scf::ForOp loop, memref::LoadOp load,
                                        memref::StoreOp store) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value first = memref::LoadOp::create(rewriter, load.getLoc(),
                                       load.getMemRef(), load.getIndices());
  size_t position = loop.getNumResults();
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{store.getValueToStore()};
      });
  if (failed(replaced))
    return nullptr;
  auto carrying = cast<scf::ForOp>(replaced->getOperation());
  rewriter.setInsertionPointAfter(carrying);
  memref::StoreOp::create(rewriter, store.getLoc(),
                          carrying.getResult(position), store.getMemRef(),
                          store.getIndices());
  rewriter.replaceOp(load, carrying.getRegionIterArg(position));
  rewriter.eraseOp(store);
  return carrying;
}

void PromoteAccumulators::promoteAll(scf::ForOp loop) {
  while (loop) {
    std::optional<SmallVector<Access>> accesses = collectAccesses(loop);
    if (!accesses)
      return;
    memref::LoadOp load;
    memref::StoreOp store;
    for (auto candidate : loop.getBody()->getOps<memref::StoreOp>()) {
      if ((load = findLoad(loop, candidate, *accesses))) {
        store = candidate;
        break;
      }
    }
    if (!load)
      return;
    loop = promote(loop, load, store);
  }
}
