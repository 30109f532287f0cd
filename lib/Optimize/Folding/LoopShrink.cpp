//===- LoopShrink.cpp - What need not be in a loop ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFacts.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// What the value is, seen through Identity.
static Value skipIdentities(Value value) {
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  return value;
}

bool optimize::hasFittingBody(LoopOp op) {
  Block &body = op.getBody().front();
  size_t carried = op.getVInitial().size();
  return body.getNumArguments() == carried + 2 &&
         body.getTerminator()->getNumOperands() == op->getNumResults() + 1 &&
         carried <= op->getNumResults();
}

bool optimize::hasFittingBody(ScanOp op) {
  Block &body = op.getBody().front();
  size_t inputs = op.getInitialStateAndScanInputs().size();
  return body.getNumArguments() == inputs &&
         body.getTerminator()->getNumOperands() == op->getNumResults() &&
         static_cast<size_t>(op.getNumScanInputs()) <= inputs;
}

std::optional<int64_t> optimize::getTripCount(LoopOp op) {
  if (!hasFittingBody(op))
    return std::nullopt;
  std::optional<int64_t> enters = 1;
  if (op.getCond())
    enters = getInteger(op.getCond());
  if (enters && *enters == 0)
    return 0;
  std::optional<int64_t> count;
  if (op.getM())
    count = getInteger(op.getM());
  if (count && *count <= 0)
    return 0;
  if (!enters || (op.getM() && !count))
    return std::nullopt;
  Block &body = op.getBody().front();
  Value next = skipIdentities(body.getTerminator()->getOperand(0));
  if (!count && getInteger(next) != 0)
    return std::nullopt;
  if (next == body.getArgument(1) || getInteger(next).value_or(0) != 0)
    return count;
  if (getInteger(next) == 0)
    return 1;
  return std::nullopt;
}

std::optional<int64_t> optimize::getScanLength(ScanOp op) {
  ValueRange inputs = op.getInitialStateAndScanInputs();
  int64_t scanned = op.getNumScanInputs();
  auto axes = op.getScanInputAxes();
  if (scanned < 1 || scanned > static_cast<int64_t>(inputs.size()) ||
      (axes && static_cast<int64_t>(axes->size()) != scanned))
    return std::nullopt;
  for (int64_t i = 0; i < scanned; ++i)
    if (std::optional<int64_t> length =
            getDim(inputs[inputs.size() - scanned + i], axes ? (*axes)[i] : 0))
      return length;
  return std::nullopt;
}

bool optimize::runsForCertain(Operation *loop) {
  if (auto scan = dyn_cast<ScanOp>(loop))
    return getScanLength(scan).value_or(0) > 0;
  auto op = dyn_cast<LoopOp>(loop);
  if (!op)
    return false;
  bool enters = !op.getCond() || getInteger(op.getCond()).value_or(0) != 0;
  bool counts = !op.getM() || getInteger(op.getM()).value_or(0) > 0;
  return enters && counts;
}

//===----------------------------------------------------------------------===//
// Invariant ops
//===----------------------------------------------------------------------===//

/// Whether the operands that can be integers alone (indices, axes, sizes),
/// which may not fit the others, are constants.
static bool hasConstantIndices(Operation *op) {
  auto schema = dyn_cast<SchemaOpInterface>(op);
  if (!schema)
    return false;
  constexpr uint32_t indexTypes = 1u << 6 | 1u << 7; // int32 and int64
  ValueRange operands = op->getOperands();
  for (auto [spec, count] :
       llvm::zip_equal(schema.getOperandSpecs(), getOperandSegments(op))) {
    if (!(spec.allowed.tensors & ~indexTypes) &&
        !llvm::all_of(operands.take_front(count), isConstant))
      return false;
    operands = operands.drop_front(count);
  }
  return true;
}

/// Whether the op gives a result for all operands of these types.
static bool isTotal(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return hasFact(op, OpFact::TotalOfAnySize);
  // Some processors trap.
  if (isa<DivOp, ModOp>(op))
    return isa<FloatType>(getElementType(op->getResult(0)));
  return hasFact(op, OpFact::Total) && hasConstantIndices(op);
}

namespace {
/// Ops of a body that read nothing of it go before the loop; what may fail only
/// if the loop runs.
template <typename LoopType> struct HoistInvariants : Rewriting<LoopType> {
  using Rewriting<LoopType>::Rewriting;

  LogicalResult matchAndRewrite(LoopType op,
                                PatternRewriter &rewriter) const override {
    Region &region = op->getRegion(0);
    bool runs = runsForCertain(op);
    SmallVector<Operation *> invariant;
    SmallPtrSet<Operation *, 16> chosen;
    for (Operation &inner : region.front().without_terminator()) {
      if (!isDeterministic(&inner) || !(runs || isTotal(&inner)))
        continue;
      // It would leave an outer value to be yielded, which needs one again.
      if (isa<IdentityOp>(inner) &&
          llvm::is_contained(inner.getUsers(), region.front().getTerminator()))
        continue;
      llvm::SetVector<Value> reads;
      reads.insert_range(inner.getOperands());
      getUsedValuesDefinedAbove(inner.getRegions(), reads);
      if (llvm::all_of(reads, [&](Value value) {
            return !region.isAncestor(value.getParentRegion()) ||
                   chosen.contains(value.getDefiningOp());
          })) {
        chosen.insert(&inner);
        invariant.push_back(&inner);
      }
    }
    // Constants go along with what reads them only.
    for (Operation *inner : llvm::reverse(invariant))
      if (isa<ConstantOp, NoneOp>(inner) &&
          llvm::none_of(inner->getUsers(),
                        [&](Operation *user) { return chosen.contains(user); }))
        chosen.erase(inner);
    llvm::erase_if(invariant,
                   [&](Operation *inner) { return !chosen.contains(inner); });
    if (invariant.empty())
      return rewriter.notifyMatchFailure(op, "all of it depends on the loop");
    for (Operation *inner : invariant)
      rewriter.moveOpBefore(inner, op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Carried values and outputs
//===----------------------------------------------------------------------===//

/// The location without the names of results that no longer exist.
Location dropOutputs(Operation *op, const llvm::BitVector &dropped) {
  SourceAttr source = getSource(op->getLoc());
  if (!source || !source.getOutputs())
    return op->getLoc();
  SmallVector<Attribute> outputs;
  for (auto [i, name] : llvm::enumerate(source.getOutputs()))
    if (i >= dropped.size() || !dropped.test(i))
      outputs.push_back(name);
  MLIRContext *context = op->getContext();
  return FusedLoc::get(
      {op->getLoc()},
      SourceAttr::get(context, source.getName(), source.getOp(),
                      ArrayAttr::get(context, outputs), source.getAttributes(),
                      source.getDoc(), source.getMetadata()),
      context);
}

/// Of a list with an entry per output, those of the outputs that are left.
std::optional<SmallVector<int64_t>>
dropEntries(std::optional<ArrayRef<int64_t>> list, unsigned first,
            const llvm::BitVector &dropped) {
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> left;
  for (auto [i, entry] : llvm::enumerate(*list))
    if (!dropped.test(first + i))
      left.push_back(entry);
  return left;
}

/// Values that a loop hands on unchanged, or that are not read, and outputs
/// without uses.
template <typename LoopType> struct ShrinkLoop : Rewriting<LoopType> {
  using Rewriting<LoopType>::Rewriting;

  static constexpr bool isLoop = std::is_same_v<LoopType, LoopOp>;
  /// The condition is the first that a Loop's body yields; the number of the
  /// iteration and the condition are the first that it takes.
  static constexpr unsigned firstArgument = isLoop ? 2 : 0;
  static constexpr unsigned firstYielded = isLoop ? 1 : 0;

  static OperandRange getInitial(LoopType op) {
    if constexpr (isLoop)
      return op.getVInitial();
    else
      return op.getInitialStateAndScanInputs().drop_back(op.getNumScanInputs());
  }

  LogicalResult matchAndRewrite(LoopType op,
                                PatternRewriter &rewriter) const override {
    if (!hasFittingBody(op))
      return rewriter.notifyMatchFailure(op, "the body does not fit");
    Block &body = op->getRegion(0).front();
    Operation *yield = body.getTerminator();
    OperandRange initial = getInitial(op);
    llvm::BitVector dropped(op->getNumResults());
    SmallVector<unsigned> unchanged;
    for (OpResult result : op->getResults()) {
      unsigned i = result.getResultNumber();
      if (i >= initial.size()) {
        if (result.use_empty())
          dropped.set(i);
        continue;
      }
      BlockArgument argument = body.getArgument(firstArgument + i);
      if (result.use_empty() && isOnlyHandedOn(argument, yield, i)) {
        dropped.set(i);
        continue;
      }
      if (skipIdentities(yield->getOperand(firstYielded + i)) == argument &&
          staysWhole(initial[i], argument, result)) {
        dropped.set(i);
        unchanged.push_back(i);
      }
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "all of it is used and changes");
    // Neither op may be without results.
    if (dropped.all() && unchanged.empty())
      return rewriter.notifyMatchFailure(op, "it is dead");
    for (unsigned i : unchanged)
      rewriter.replaceAllUsesWith(body.getArgument(firstArgument + i),
                                  initial[i]);
    if (dropped.all()) {
      SmallVector<Value> values(op->getNumResults());
      for (unsigned i : unchanged)
        values[i] = initial[i];
      return replaceRoot(rewriter, op, values);
    }
    rebuild(op, dropped, unchanged, rewriter);
    return success();
  }

private:
  /// Whether all that becomes of the argument is that it is yielded again.
  static bool isOnlyHandedOn(BlockArgument argument, Operation *yield,
                             unsigned i) {
    return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      return use.getOwner() == yield &&
             use.getOperandNumber() == firstYielded + i;
    });
  }

  /// Whether the initial value may stand for argument and result.
  static bool staysWhole(Value initial, Value argument, Value result) {
    return joinTypes(initial.getType(), argument.getType()) &&
           joinTypes(initial.getType(), result.getType()) &&
           !isa<OptType>(initial.getType()) &&
           (initial.getType() == result.getType() || !isSeenByCalls(result));
  }

  static void rebuild(LoopType op, const llvm::BitVector &dropped,
                      ArrayRef<unsigned> unchanged, PatternRewriter &rewriter) {
    OperandRange initial = getInitial(op);
    Block &body = op->getRegion(0).front();
    SmallVector<Type> types;
    SmallVector<Value> left;
    for (OpResult result : op->getResults())
      if (!dropped.test(result.getResultNumber()))
        types.push_back(result.getType());
    for (auto [i, value] : llvm::enumerate(initial))
      if (!dropped.test(i))
        left.push_back(value);
    Location loc = dropOutputs(op, dropped);
    LoopType smaller;
    if constexpr (isLoop) {
      smaller =
          LoopOp::create(rewriter, loc, types, op.getM(), op.getCond(), left);
    } else {
      llvm::append_range(left, op.getInitialStateAndScanInputs().take_back(
                                   op.getNumScanInputs()));
      smaller = ScanOp::create(rewriter, loc, types, left,
                               op->getAttrDictionary().getValue());
      unsigned first = initial.size();
      if (auto axes = dropEntries(op.getScanOutputAxes(), first, dropped))
        smaller.setScanOutputAxes(*axes);
      if (auto directions =
              dropEntries(op.getScanOutputDirections(), first, dropped))
        smaller.setScanOutputDirections(*directions);
    }
    llvm::BitVector arguments(body.getNumArguments());
    llvm::BitVector yielded(body.getTerminator()->getNumOperands());
    for (unsigned i : dropped.set_bits()) {
      yielded.set(firstYielded + i);
      if (i < initial.size())
        arguments.set(firstArgument + i);
    }
    rewriter.modifyOpInPlace(body.getTerminator(), [&] {
      body.getTerminator()->eraseOperands(yielded);
    });
    SmallVector<Value> values;
    unsigned next = 0;
    for (OpResult result : op->getResults()) {
      unsigned i = result.getResultNumber();
      if (!dropped.test(i))
        values.push_back(smaller->getResult(next++));
      else
        values.push_back(llvm::is_contained(unchanged, i) ? initial[i]
                                                          : Value());
    }
    body.eraseArguments(arguments);
    smaller->getRegion(0).takeBody(op->getRegion(0));
    (void)replaceRoot(rewriter, op, values);
  }
};
} // namespace

void optimize::populateLoopPatterns(RewritePatternSet &patterns,
                                    const RewriteOptions &options) {
  patterns.add<HoistInvariants<LoopOp>, HoistInvariants<ScanOp>,
               HoistInvariants<SequenceMapOp>, ShrinkLoop<LoopOp>,
               ShrinkLoop<ScanOp>>(patterns.getContext(), options);
}
