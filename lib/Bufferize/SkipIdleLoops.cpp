//===- SkipIdleLoops.cpp - No loops around loops that do not run ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor without elements may have any sizes besides the 0: loops over
// [2^50, 0] would run for weeks.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace onnxc {
#define GEN_PASS_DEF_SKIPIDLELOOPSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Up to so many iterations, where their number is known, are not worth a look
/// at the inner sizes.
constexpr int64_t kFewIterations = 1 << 16;

/// Whether only `loop` uses the memory of a buffer. Where the loop is run
/// again, it may read what it left there; no code does, which writes a scratch
/// buffer before it reads it.
bool isScratch(Value buffer, scf::ForOp loop) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function = loop->getParentOfType<func::FuncOp>();
  bool isOwn =
      argument
          ? argument.getOwner() == &function.front() &&
                function.getArgAttr(argument.getArgNumber(), program::scratch)
          : isa<memref::AllocOp, memref::AllocaOp>(buffer.getDefiningOp());
  SmallVector<Value> views{buffer};
  for (size_t i = 0; isOwn && i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else
        isOwn &= loop->isAncestor(user);
    }
  return isOwn;
}

/// Whether nothing outside of `loop` notices an op in it.
bool isIdle(Operation &op, scf::ForOp loop) {
  if (isMemoryEffectFree(&op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::all_of(all, [&](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read, MemoryEffects::Allocate>(
               effect.getEffect()) ||
           (isa<MemoryEffects::Write>(effect.getEffect()) &&
            effect.getValue() && isa<MemRefType>(effect.getValue().getType()) &&
            isScratch(effect.getValue(), loop));
  });
}

/// Collects the loops of a region; false if it has an effect beside them,
/// behind `outermost`.
bool collectLoops(Region &region, scf::ForOp outermost,
                  SmallVectorImpl<scf::ForOp> &loops) {
  for (Operation &op : region.getOps()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      loops.push_back(loop);
      continue;
    }
    bool isTransparent = isa<scf::IfOp>(op);
    if (isTransparent
            ? !llvm::all_of(op.getRegions(),
                            [&](Region &inner) {
                              return collectLoops(inner, outermost, loops);
                            })
            : !isIdle(op, outermost))
      return false;
  }
  return true;
}

/// Whether a loop yields what it got where none of these loops in it runs.
bool keepsResults(scf::ForOp loop, ArrayRef<scf::ForOp> inner) {
  return llvm::all_of(
      llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs()),
      [&](auto pair) {
        auto [value, argument] = pair;
        while (auto made = value.template getDefiningOp<scf::ForOp>()) {
          if (!llvm::is_contained(inner, made))
            return false;
          value = made.getInitArgs()[cast<OpResult>(value).getResultNumber()];
        }
        return value == argument;
      });
}

/// The loops that are all that a loop does, behind `outermost`.
SmallVector<scf::ForOp> findInner(scf::ForOp loop, scf::ForOp outermost) {
  SmallVector<scf::ForOp> inner;
  if (!collectLoops(loop.getRegion(), outermost, inner) ||
      !keepsResults(loop, inner))
    inner.clear();
  return inner;
}

bool containsLoops(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Bounds of a nest's inner loops, seen from in front of it.
class Front {
public:
  explicit Front(scf::ForOp outermost)
      : outermost(outermost), b(outermost), loc(outermost.getLoc()) {}

  /// Whether it may be that no inner loop runs, and can be computed.
  bool mayIdle(ArrayRef<scf::ForOp> loops) {
    return !loops.empty() && llvm::all_of(loops, [&](scf::ForOp loop) {
      return isKnown(loop) || mayIdle(findInner(loop, outermost));
    });
  }

  /// Whether these bounds tell all, so that no loop inside may idle by itself.
  bool seesAll(ArrayRef<scf::ForOp> loops) {
    return llvm::all_of(loops, [&](scf::ForOp loop) {
      if (!isKnown(loop) && !isStatic(loop))
        return false;
      SmallVector<scf::ForOp> inner = findInner(loop, outermost);
      return inner.empty() ? !containsLoops(loop) : seesAll(inner);
    });
  }

  /// Whether one of `loops`, which may idle, runs and does something.
  Value createRuns(ArrayRef<scf::ForOp> loops) {
    Value any;
    for (scf::ForOp loop : loops) {
      SmallVector<scf::ForOp> inner = findInner(loop, outermost);
      Value runs;
      if (isKnown(loop)) {
        Value lower = copy(loop.getLowerBound());
        runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower,
                                     copy(loop.getUpperBound()));
      }
      if (mayIdle(inner)) {
        Value innerRuns = createRuns(inner);
        runs = runs ? arith::AndIOp::create(b, loc, runs, innerRuns).getResult()
                    : innerRuns;
      }
      any = any ? arith::OrIOp::create(b, loc, any, runs).getResult() : runs;
    }
    return any;
  }

  /// Has the outermost loop run only where `runs`.
  void skipUnless(Value runs) {
    outermost.setUpperBound(arith::SelectOp::create(
        b, loc, runs, outermost.getUpperBound(), outermost.getLowerBound()));
  }

private:
  static bool isStatic(scf::ForOp loop) {
    return getConstantIntValue(loop.getLowerBound()) &&
           getConstantIntValue(loop.getUpperBound());
  }

  /// Whether the code in front of the nest can tell if a loop runs, where that
  /// is open.
  bool isKnown(scf::ForOp loop) {
    return !isStatic(loop) && !loop.getUnsignedCmp() &&
           isAvailable(loop.getLowerBound()) &&
           isAvailable(loop.getUpperBound());
  }

  bool isInside(Value value) {
    return outermost.getRegion().isAncestor(value.getParentRegion());
  }

  bool isAvailable(Value value, unsigned depth = 8) {
    if (!isInside(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && depth > 0 && op->getNumRegions() == 0 && isPure(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isAvailable(operand, depth - 1);
           });
  }

  Value copy(Value value) {
    if (!isInside(value))
      return value;
    if (Value known = copies.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      if (isInside(operand))
        copies.map(operand, copy(operand));
    b.clone(*op, copies);
    return copies.lookup(value);
  }

  scf::ForOp outermost;
  OpBuilder b;
  Location loc;
  IRMapping copies;
};

class SkipIdleLoops : public onnxc::impl::SkipIdleLoopsPassBase<SkipIdleLoops> {
public:
  using SkipIdleLoopsPassBase::SkipIdleLoopsPassBase;

private:
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      return skip(loop) ? WalkResult::skip() : WalkResult::advance();
    });
    for (unsigned i = 0; i < getOperation().getNumArguments(); ++i)
      getOperation().removeArgAttr(i, program::scratch);
  }

  /// Returns whether no loop inside has to be looked at.
  bool skip(scf::ForOp loop);
};

/// The iterations of a loop and of those around it, as far as they are known.
SaturatingInt countKnown(scf::ForOp loop) {
  SaturatingInt count = 1;
  for (; loop; loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
    if (std::optional<APInt> own = loop.getStaticTripCount())
      count *= own->getSExtValue();
  return count;
}

bool SkipIdleLoops::skip(scf::ForOp loop) {
  SmallVector<scf::ForOp> inner = findInner(loop, loop);
  Front front(loop);
  bool isShort =
      loop.getStaticTripCount() && countKnown(loop) <= kFewIterations;
  if (isShort || !front.mayIdle(inner))
    return false;
  front.skipUnless(front.createRuns(inner));
  return front.seesAll(inner);
}

} // namespace
