//===- PlanMemory.cpp - Memory of temporaries -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include "BufferScopes.h"
#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

constexpr uint64_t kAlignment = 64;

/// Positions in a walk over the function: an op takes the time from its own
/// number to that of the last op inside it.
class Timeline {
public:
  explicit Timeline(func::FuncOp fn) { visit(fn); }
  unsigned begin(Operation *op) const { return times.lookup(op).first; }
  unsigned end(Operation *op) const { return times.lookup(op).second; }

private:
  void visit(Operation *op) {
    unsigned start = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        visit(&inner);
    times[op] = {start, next - 1};
  }
  unsigned next = 0;
  DenseMap<Operation *, std::pair<unsigned, unsigned>> times;
};

class PlanMemory : public onnxc::impl::PlanMemoryPassBase<PlanMemory> {
public:
  using PlanMemoryPassBase::PlanMemoryPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;
  LogicalResult plan(func::FuncOp entry);
  void recordPlan(func::FuncOp entry, const Timeline &timeline,
                  ArrayRef<std::pair<memref::AllocOp, BufferScope>> allocs,
                  ArrayRef<Lifetime> lifetimes, size_t numOpen);
  void placeStatic(func::FuncOp entry,
                   ArrayRef<std::pair<memref::AllocOp, BufferScope>> allocs,
                   MutableArrayRef<Lifetime> lifetimes);
  void placeDynamic(func::FuncOp entry, memref::AllocOp alloc,
                    BufferScope scope);
  void giveBack(func::FuncOp entry, memref::DeallocOp dealloc);
  Value byteSize(OpBuilder &b, memref::AllocOp alloc);

  ArenaSize largest;
};

void PlanMemory::runOnOperation() {
  auto entries = findEntries(getOperation());
  if (failed(entries))
    return signalPassFailure();
  if (entries->empty())
    return;
  // One entry runs at a time.
  largest = {};
  for (func::FuncOp entry : *entries)
    if (failed(plan(entry)))
      return signalPassFailure();
  Builder b(&getContext());
  getOperation()->setAttr(program::workspace,
                          b.getI64IntegerAttr(largest.bytes));
  getOperation()->setAttr(program::workspaceLowerBound,
                          b.getI64IntegerAttr(largest.lowerBound));
}

LogicalResult PlanMemory::plan(func::FuncOp entry) {
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  if (entry.getNumArguments() != 3 || entry.getArgument(0).getType() != ptr)
    return entry.emitError("memory is planned after 'onnxc-bind-abi', which "
                           "gives the entry its context");
  if (!entry.getBody().hasOneBlock())
    return entry.emitError(
        "memory is planned while control flow is structured");

  DataLayout layout(getOperation());
  SmallVector<memref::AllocOp> allocs;
  entry.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  SmallVector<memref::DeallocOp> deallocs;
  entry.walk([&](memref::DeallocOp dealloc) { deallocs.push_back(dealloc); });

  ScopeAnalysis scopes(entry);
  Timeline timeline(entry);
  SmallVector<std::pair<memref::AllocOp, BufferScope>> fixed, dynamic;
  SmallVector<Lifetime> lifetimes;
  for (memref::AllocOp alloc : allocs) {
    // What is given back elsewhere has no place in the arena.
    BufferScope scope =
        alloc->hasAttr(program::owned) ? BufferScope() : scopes.scopeOf(alloc);
    MemRefType type = alloc.getType();
    if (alloc->getParentOfType<scf::ForallOp>())
      return alloc.emitOpError("in a parallel loop is supported in kernels "
                               "only");
    if (!type.getLayout().isIdentity())
      return alloc.emitOpError("a temporary with a strided layout is not "
                               "supported");
    if (separate || !type.hasStaticShape() || !scope.block) {
      dynamic.push_back({alloc, scope});
      continue;
    }
    uint64_t bytes = layout.getTypeSize(type.getElementType()).getFixedValue();
    for (int64_t dim : type.getShape()) {
      bool overflow = false;
      bytes = llvm::SaturatingMultiply(bytes, uint64_t(dim), &overflow);
      if (overflow || bytes > (uint64_t(1) << 46))
        return emitError(alloc.getLoc(),
                         "an intermediate result is larger than any memory");
    }
    Lifetime life;
    life.bytes = bytes;
    life.begin = timeline.begin(scope.first ? scope.first : alloc);
    life.end = timeline.end(scope.last ? scope.last : alloc);
    lifetimes.push_back(life);
    fixed.push_back({alloc, scope});
  }

  ArenaSize arena = assignOffsets(lifetimes, kAlignment);
  largest.bytes = std::max(largest.bytes, arena.bytes);
  largest.lowerBound = std::max(largest.lowerBound, arena.lowerBound);
  if (record && !getOperation()->hasAttr(program::memoryPlan))
    recordPlan(entry, timeline, fixed, lifetimes, dynamic.size());
  for (auto &[alloc, scope] : dynamic)
    placeDynamic(entry, alloc, scope);
  if (!fixed.empty())
    placeStatic(entry, fixed, lifetimes);
  for (memref::DeallocOp dealloc : deallocs)
    giveBack(entry, dealloc);
  return success();
}

/// The number of the region that begins at an op, if one does.
std::optional<int64_t> getBegunRegion(Operation &op, StringRef begins) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  IntegerAttr region;
  if (!call || call.getCallee() != begins ||
      !matchPattern(call.getOperand(1), m_Constant(&region)))
    return std::nullopt;
  return region.getInt();
}

void PlanMemory::recordPlan(
    func::FuncOp entry, const Timeline &timeline,
    ArrayRef<std::pair<memref::AllocOp, BufferScope>> allocs,
    ArrayRef<Lifetime> lifetimes, size_t numOpen) {
  Builder b(&getContext());
  SmallVector<int64_t> buffers, regions;
  SmallVector<Attribute> locations;
  for (auto [placed, life] : llvm::zip_equal(allocs, lifetimes)) {
    memref::AllocOp alloc = placed.first;
    buffers.append({static_cast<int64_t>(life.offset),
                    static_cast<int64_t>(life.bytes), life.begin, life.end});
    locations.push_back(alloc.getLoc());
  }
  StringRef begins = getSymbolName(&getContext(), RuntimeFn::ProfileBegin);
  StringRef ends = getSymbolName(&getContext(), RuntimeFn::ProfileEnd);
  // Regions do not nest, and begin and end in one block.
  entry.walk([&](Block *block) {
    std::optional<int64_t> region;
    unsigned begin = 0;
    for (Operation &op : *block) {
      if (std::optional<int64_t> begun = getBegunRegion(op, begins)) {
        region = begun;
        begin = timeline.begin(&op);
      } else if (auto call = dyn_cast<LLVM::CallOp>(op);
                 region && call && call.getCallee() == ends) {
        regions.append({*region, begin, timeline.end(&op)});
        region.reset();
      }
    }
  });
  NamedAttrList plan;
  plan.append("buffers", b.getDenseI64ArrayAttr(buffers));
  plan.append("locations", b.getArrayAttr(locations));
  plan.append("regions", b.getDenseI64ArrayAttr(regions));
  plan.append("alignment", b.getI64IntegerAttr(kAlignment));
  plan.append("open", b.getI64IntegerAttr(static_cast<int64_t>(numOpen)));
  getOperation()->setAttr(program::memoryPlan,
                          plan.getDictionary(&getContext()));
}

void PlanMemory::placeStatic(
    func::FuncOp entry,
    ArrayRef<std::pair<memref::AllocOp, BufferScope>> allocs,
    MutableArrayRef<Lifetime> lifetimes) {
  OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
  int64_t total = 0;
  for (const Lifetime &life : lifetimes)
    total = std::max<int64_t>(total, life.offset + life.bytes);
  Value base = callRuntime(b, entry.getLoc(), getOperation(),
                           RuntimeFn::Workspace, entry.getArgument(0));
  assertNotNull(b, entry.getLoc(), base);
  Value arena = memrefFromPointer(
      b, entry.getLoc(), MemRefType::get({total}, b.getI8Type()), base);
  for (auto [entry, life] : llvm::zip_equal(allocs, lifetimes)) {
    memref::AllocOp alloc = entry.first;
    b.setInsertionPoint(alloc);
    Value offset =
        arith::ConstantIndexOp::create(b, alloc.getLoc(), life.offset);
    Value view = memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(),
                                        arena, offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}

/// The bytes of a dynamic temporary as i64; -1, which the runtime refuses, if
/// a size is negative or the product overflows.
Value PlanMemory::byteSize(OpBuilder &b, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI64Type(), v);
  };
  DataLayout layout(getOperation());
  uint64_t fixed = layout.getTypeSize(type.getElementType()).getFixedValue();
  for (int64_t dim : type.getShape())
    if (!ShapedType::isDynamic(dim))
      fixed = llvm::SaturatingMultiply<uint64_t>(fixed, dim);
  fixed = std::min<uint64_t>(fixed, INT64_MAX);
  Value bytes = constant(fixed), zero = constant(0), bad;
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               {b.getI64Type(), b.getI1Type()});
  for (Value size : alloc.getDynamicSizes()) {
    Value dim = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    Value negative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, dim, zero);
    Value product = LLVM::SMulWithOverflowOp::create(b, loc, pair, bytes, dim);
    bytes = LLVM::ExtractValueOp::create(b, loc, product, 0);
    Value overflow = LLVM::ExtractValueOp::create(b, loc, product, 1);
    overflow = arith::OrIOp::create(b, loc, overflow, negative);
    bad = bad ? arith::OrIOp::create(b, loc, bad, overflow).getResult()
              : overflow;
  }
  return bad ? arith::SelectOp::create(b, loc, bad, constant(-1), bytes)
                   .getResult()
             : bytes;
}

void PlanMemory::placeDynamic(func::FuncOp entry, memref::AllocOp alloc,
                              BufferScope scope) {
  Location loc = alloc.getLoc();
  Value ctx = entry.getArgument(0);
  OpBuilder b(alloc);
  Value pointer = callRuntime(b, loc, getOperation(), RuntimeFn::Alloc,
                              {ctx, byteSize(b, alloc)});
  assertNotNull(b, loc, pointer, kNodeMarker);
  Value buffer = memrefFromPointer(b, loc, alloc.getType(), pointer,
                                   alloc.getDynamicSizes());
  // A buffer that leaves its block lives until it is given back, or until
  // the end of the run, when the context takes everything.
  if (scope.block == alloc->getBlock()) {
    Operation *last = scope.last ? scope.last : buffer.getDefiningOp();
    if (last->hasTrait<OpTrait::IsTerminator>())
      b.setInsertionPoint(last);
    else
      b.setInsertionPointAfter(last);
    callRuntime(b, loc, getOperation(), RuntimeFn::Free, {ctx, pointer});
  }
  alloc.replaceAllUsesWith(buffer);
  alloc.erase();
}

/// The buffer starts where the memory does: it was allocated, or is a cast.
void PlanMemory::giveBack(func::FuncOp entry, memref::DeallocOp dealloc) {
  OpBuilder b(dealloc);
  Location loc = dealloc.getLoc();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, dealloc.getMemref());
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  Value ctx = entry.getArgument(0);
  Value pointer = LLVM::IntToPtrOp::create(b, loc, ctx.getType(), address);
  callRuntime(b, loc, getOperation(), RuntimeFn::Free, {ctx, pointer});
  dealloc.erase();
}

} // namespace
