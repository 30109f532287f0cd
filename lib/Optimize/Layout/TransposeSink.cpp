//===- TransposeSink.cpp - Transposes move until they cancel --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a Transpose on, through ops that can as well compute on transposed
// tensors (TransposeRules.h), a region is found. Flipping an op makes some
// Transposes at its operands and results needless and others needed; which ops
// are best flipped is a minimum cut: a Transpose that two ops disagree on costs
// its elements. Nothing is done that does not make the sum less.
//
//===----------------------------------------------------------------------===//

#include "MinCut.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"
#include "TransposeRules.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <deque>
#include <map>
#include <set>

namespace onnxc {
#define GEN_PASS_DEF_TRANSPOSESINK
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Regions end here.
constexpr size_t maxRegionSize = 4096;
/// What an op costs beside its elements.
constexpr int64_t opCost = 4096;
/// What is taken for a dim that is not known.
constexpr int64_t likelyDim = 16;
constexpr int64_t maxElements = int64_t(1) << 40;
/// How many uses of values may be looked at in a block, for each use in it.
/// Regions overlap, and each success makes others worth another look: without
/// an end this takes time quadratic in the ops. Models of 100,000 ops are still
/// a matter of seconds, and real ones (ViT) look at 19 for each op.
constexpr int64_t maxVisitsOfUse = 64;
/// What small blocks may look at in any case.
constexpr int64_t minVisits = 100000;

/// A value that no Transpose makes, and the order in which its dims are wanted.
struct Layout {
  Value base;
  Permutation perm;
};

/// An operand somewhere that wants a base in an order: in one if its op stays,
/// in another if it is flipped.
struct Use {
  Operation *user;
  Permutation asIs, flipped;
};

struct PatternRewriterOf : PatternRewriter {
  explicit PatternRewriterOf(MLIRContext *context) : PatternRewriter(context) {}
};

/// Ops of one block that can be flipped together.
class FlipRegion {
public:
  explicit FlipRegion(Block *block) : block(block) {}

  /// Takes in what stands behind the Transpose, or before it.
  void startDown(TransposeOp transpose);
  void startUp(TransposeOp transpose);
  void grow();

  /// Chooses the ops to flip; false if nothing is gained.
  bool choose();
  /// Flips them.
  void apply();

  const llvm::MapVector<Operation *, Flip> &getFlips() const { return flips; }
  /// How many uses were looked at.
  int64_t getVisits() const { return visits; }
  /// What apply() erased and which Transposes it made.
  ArrayRef<Operation *> getErased() const { return dead.getArrayRef(); }
  ArrayRef<Operation *> getTransposes() const { return made; }

private:
  Layout resolve(Value value) const;
  void addByOperand(Operation *op, unsigned operand, const Permutation &perm);
  void addByResult(Value result, const Permutation &perm);
  bool mayAdd(Operation *op) const;
  void growFromOperands(Operation *op, const Flip &flip);
  void growFromUses(Value value, const Permutation &path,
                    const Permutation &wanted);
  void keep(Operation *op);

  const Permutation *getFlippedOrder(Value value) const;
  void collectUses(Value value, const Permutation &path,
                   SmallVectorImpl<Use> &uses) const;
  SmallVector<Value> collectBases() const;
  void addCosts(MinCut &cut, Value base,
                const llvm::DenseMap<Operation *, int> &choices) const;
  struct Cost {
    int64_t sum = 0, ops = 0;
  };
  Cost getCost(ArrayRef<Value> bases,
               const llvm::DenseSet<Operation *> &flipped) const;

  Value get(Value base, const Permutation &perm, Operation *before);
  void flipOp(Operation *op, const Flip &flip);
  void replaceResults(Operation *op);
  void replaceUses(Value value, Value base, const Permutation &path);

  Block *block;
  llvm::MapVector<Operation *, Flip> flips;
  llvm::DenseSet<Operation *> kept, chosen;
  std::deque<Operation *> queue;
  mutable int64_t visits = 0;
  /// Bases whose uses were looked at, and the order that was wanted.
  std::set<std::pair<void *, SmallVector<int64_t>>> visited;

  /// While it is applied: the flipped values, and what was transposed.
  std::optional<PatternRewriterOf> rewriter;
  llvm::DenseMap<Value, std::pair<Permutation, Value>> flippedValues;
  std::map<std::pair<void *, SmallVector<int64_t>>, Value> transposed;
  llvm::SetVector<Operation *> dead;
  SmallVector<Operation *> made;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values and orders
//===----------------------------------------------------------------------===//

static Permutation getIdentity(int64_t rank) {
  return llvm::to_vector_of<int64_t, 6>(llvm::seq<int64_t>(0, rank));
}

/// perm of a Transpose that the region may look through.
static std::optional<Permutation> getOrder(Operation *op, Block *block) {
  if (!op || op->getBlock() != block)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> perm = getPermutation(op);
  if (!perm || !isa<RankedTensorType>(op->getOperand(0).getType()) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  return Permutation(*perm);
}

Layout FlipRegion::resolve(Value value) const {
  std::optional<int64_t> rank = getRank(value);
  Layout layout{value, getIdentity(rank.value_or(0))};
  while (std::optional<Permutation> order =
             getOrder(layout.base.getDefiningOp(), block)) {
    layout.perm = compose(*order, layout.perm);
    layout.base = layout.base.getDefiningOp()->getOperand(0);
  }
  return layout;
}

/// What a Transpose to this order costs; 0 if none is needed.
static int64_t getTransposeCost(Value base, const Permutation &perm) {
  if (isIdentity(perm))
    return 0;
  auto type = cast<RankedTensorType>(base.getType());
  int64_t elements = 1, last = -1;
  bool moves = false, isOne = true;
  for (int64_t axis : perm) {
    int64_t dim = type.getDimSize(axis);
    if (dim == 1)
      continue;
    isOne = false;
    moves |= axis < last;
    last = axis;
    elements = std::min(
        maxElements, elements * (ShapedType::isDynamic(dim) ? likelyDim : dim));
  }
  // A constant is transposed at once.
  if (isOne || Elements::get(getConstant(base)))
    return 0;
  return opCost + (moves ? elements : 0);
}

//===----------------------------------------------------------------------===//
// Finding the region
//===----------------------------------------------------------------------===//

void FlipRegion::keep(Operation *op) {
  if (!op)
    return;
  kept.insert(op);
  flips.erase(op);
}

bool FlipRegion::mayAdd(Operation *op) const {
  return op && op->getBlock() == block && !kept.contains(op) &&
         !flips.contains(op) && flips.size() < maxRegionSize &&
         !isa<TransposeOp, ConstantOp>(op);
}

void FlipRegion::addByOperand(Operation *op, unsigned operand,
                              const Permutation &perm) {
  if (!mayAdd(op) || isIdentity(perm))
    return;
  if (std::optional<Flip> flip = getFlipByOperand(op, operand, perm)) {
    flips.insert({op, std::move(*flip)});
    queue.push_back(op);
  }
}

void FlipRegion::addByResult(Value result, const Permutation &perm) {
  Operation *op = result.getDefiningOp();
  if (!mayAdd(op) || isIdentity(perm))
    return;
  if (std::optional<Flip> flip =
          getFlipByResult(op, cast<OpResult>(result).getResultNumber(), perm)) {
    flips.insert({op, std::move(*flip)});
    queue.push_back(op);
  }
}

/// `value` is a base in the order `path`; the base is to be had in the order
/// `wanted`.
void FlipRegion::growFromUses(Value value, const Permutation &path,
                              const Permutation &wanted) {
  for (OpOperand &use : value.getUses()) {
    ++visits;
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      continue;
    if (std::optional<Permutation> order = getOrder(user, block)) {
      growFromUses(user->getResult(0), compose(path, *order), wanted);
      continue;
    }
    Permutation own = compose(invert(path), wanted);
    // It already has what it wants.
    if (isIdentity(own)) {
      if (!isIdentity(path))
        keep(user);
      continue;
    }
    addByOperand(user, use.getOperandNumber(), own);
  }
}

void FlipRegion::growFromOperands(Operation *op, const Flip &flip) {
  for (auto [operand, perm] :
       llvm::zip_equal(op->getOperands(), flip.operands)) {
    if (!perm)
      continue;
    Layout layout = resolve(operand);
    Permutation wanted = compose(layout.perm, *perm);
    if (isConstant(layout.base))
      continue;
    if (isIdentity(wanted))
      keep(layout.base.getDefiningOp());
    else
      addByResult(layout.base, wanted);
    // What else is computed from the same.
    if (visited
            .insert({layout.base.getAsOpaquePointer(),
                     SmallVector<int64_t>(wanted)})
            .second)
      growFromUses(layout.base, getIdentity(wanted.size()), wanted);
  }
}

void FlipRegion::grow() {
  while (!queue.empty()) {
    Operation *op = queue.front();
    queue.pop_front();
    auto found = flips.find(op);
    if (found == flips.end())
      continue;
    Flip flip = found->second;
    growFromOperands(op, flip);
    for (auto [result, perm] : llvm::zip_equal(op->getResults(), flip.results))
      if (perm && visited
                      .insert({result.getAsOpaquePointer(),
                               SmallVector<int64_t>(*perm)})
                      .second)
        growFromUses(result, getIdentity(perm->size()), *perm);
  }
}

void FlipRegion::startDown(TransposeOp transpose) {
  Layout layout = resolve(transpose.getTransposed());
  keep(layout.base.getDefiningOp());
  growFromUses(transpose.getTransposed(), layout.perm,
               getIdentity(layout.perm.size()));
}

void FlipRegion::startUp(TransposeOp transpose) {
  Layout layout = resolve(transpose.getTransposed());
  addByResult(layout.base, layout.perm);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The order of a value if its op is flipped; null if that is the one it has.
const Permutation *FlipRegion::getFlippedOrder(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  auto flip = result ? flips.find(result.getOwner()) : flips.end();
  if (flip == flips.end())
    return nullptr;
  const std::optional<Permutation> &perm =
      flip->second.results[result.getResultNumber()];
  return perm ? &*perm : nullptr;
}

void FlipRegion::collectUses(Value value, const Permutation &path,
                             SmallVectorImpl<Use> &uses) const {
  for (OpOperand &use : value.getUses()) {
    ++visits;
    Operation *user = use.getOwner();
    if (std::optional<Permutation> order = getOrder(user, block)) {
      collectUses(user->getResult(0), compose(path, *order), uses);
      continue;
    }
    uses.push_back({user, path, path});
    auto flip = flips.find(user);
    if (flip == flips.end())
      continue;
    if (const auto &perm = flip->second.operands[use.getOperandNumber()])
      uses.back().flipped = compose(path, *perm);
  }
}

SmallVector<Value> FlipRegion::collectBases() const {
  llvm::SetVector<Value> bases;
  for (const auto &[op, flip] : flips) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        bases.insert(resolve(operand).base);
    for (auto [result, perm] : llvm::zip_equal(op->getResults(), flip.results))
      if (perm)
        bases.insert(result);
  }
  return bases.takeVector();
}

void FlipRegion::addCosts(
    MinCut &cut, Value base,
    const llvm::DenseMap<Operation *, int> &choices) const {
  SmallVector<Use> uses;
  collectUses(base, getIdentity(*getRank(base)), uses);
  const Permutation *own = getFlippedOrder(base);
  int maker = own ? choices.at(base.getDefiningOp()) : -1;
  // By the order that they want: uses by ops that are flipped, that are not,
  // and that cannot be.
  struct Wanting {
    SmallVector<int> flipped, asIs;
    bool always = false;
  };
  std::map<SmallVector<int64_t>, Wanting> wanting;
  for (const Use &use : uses) {
    if (use.asIs == use.flipped) {
      wanting[SmallVector<int64_t>(use.asIs)].always = true;
      continue;
    }
    int choice = choices.at(use.user);
    wanting[SmallVector<int64_t>(use.asIs)].asIs.push_back(choice);
    wanting[SmallVector<int64_t>(use.flipped)].flipped.push_back(choice);
  }
  for (const auto &[order, by] : wanting) {
    Permutation perm(order);
    bool isPlain = isIdentity(perm);
    bool isOwn = own && ArrayRef(*own) == ArrayRef(perm);
    int64_t cost = getTransposeCost(base, isPlain && own ? *own : perm);
    if (cost == 0 || (isPlain && !own))
      continue;
    if (by.always) {
      if (isPlain)
        cut.addCostOfYes(maker, cost);
      if (isOwn)
        cut.addCostOfNo(maker, cost);
      continue;
    }
    // A Transpose that any of several wants is made once.
    if (!by.flipped.empty() && !isPlain) {
      int any = cut.add();
      for (int choice : by.flipped)
        cut.addCost(choice, any, MinCut::never);
      if (isOwn)
        cut.addCost(any, maker, cost);
      else
        cut.addCostOfYes(any, cost);
    }
    if (!by.asIs.empty() && !isOwn) {
      int all = cut.add();
      for (int choice : by.asIs)
        cut.addCost(all, choice, MinCut::never);
      if (isPlain)
        cut.addCost(maker, all, cost);
      else
        cut.addCostOfNo(all, cost);
    }
  }
}

FlipRegion::Cost
FlipRegion::getCost(ArrayRef<Value> bases,
                    const llvm::DenseSet<Operation *> &flipped) const {
  Cost cost;
  for (Value base : bases) {
    SmallVector<Use> uses;
    collectUses(base, getIdentity(getRank(base).value_or(0)), uses);
    const Permutation *own = getFlippedOrder(base);
    bool isFlipped = own && flipped.contains(base.getDefiningOp());
    std::set<SmallVector<int64_t>> wanted;
    for (const Use &use : uses)
      wanted.insert(SmallVector<int64_t>(
          flipped.contains(use.user) ? use.flipped : use.asIs));
    for (const SmallVector<int64_t> &order : wanted) {
      Permutation perm(order);
      int64_t each = getTransposeCost(
          base, isFlipped ? compose(invert(*own), perm) : perm);
      // The dims of the flipped value are the base's, in another order.
      if (isFlipped && ArrayRef(*own) != ArrayRef(perm) && each != 0)
        each = getTransposeCost(base, isIdentity(perm) ? *own : perm);
      cost.sum += each;
      cost.ops += each != 0;
    }
  }
  for (Operation *op : flipped) {
    int64_t helpers = flips.find(op)->second.numHelpers;
    cost.sum += helpers * opCost;
    cost.ops += helpers;
  }
  return cost;
}

bool FlipRegion::choose() {
  if (flips.empty())
    return false;
  SmallVector<Value> bases = collectBases();
  MinCut cut;
  llvm::DenseMap<Operation *, int> choices;
  for (const auto &[op, flip] : flips) {
    choices[op] = cut.add();
    if (flip.numHelpers)
      cut.addCostOfYes(choices[op], flip.numHelpers * opCost);
  }
  for (Value base : bases)
    if (getRank(base))
      addCosts(cut, base, choices);
  std::vector<bool> isYes = cut.solve();
  for (const auto &[op, choice] : choices)
    if (isYes[choice])
      chosen.insert(op);
  Cost before = getCost(bases, {}), after = getCost(bases, chosen);
  return !chosen.empty() && after.sum < before.sum && after.ops <= before.ops;
}

//===----------------------------------------------------------------------===//
// Flipping
//===----------------------------------------------------------------------===//

/// The base in an order, for an op that stands at `before`.
Value FlipRegion::get(Value base, const Permutation &perm, Operation *before) {
  Value from = base;
  Permutation order = perm;
  if (auto flipped = flippedValues.find(base); flipped != flippedValues.end()) {
    from = flipped->second.second;
    order = compose(invert(flipped->second.first), perm);
  }
  if (isIdentity(order))
    return from;
  Value &known =
      transposed[{base.getAsOpaquePointer(), SmallVector<int64_t>(perm)}];
  if (known)
    return known;
  // One that is there already.
  for (Operation *user : from.getUsers())
    if (std::optional<Permutation> its = getOrder(user, block))
      if (*its == order && !dead.contains(user) &&
          user->isBeforeInBlock(before))
        return user->getResult(0);
  OpBuilder::InsertionGuard guard(*rewriter);
  Operation *maker = from.getDefiningOp();
  if (maker && maker->getBlock() == block)
    rewriter->setInsertionPointAfter(maker);
  else
    rewriter->setInsertionPointToStart(block);
  Operation *named = maker ? maker : before;
  if (ElementsAttr constant = getConstant(from))
    if (ElementsAttr moved = transposeElements(constant, order))
      return known = makeConstant(*rewriter, named, moved, "transposed");
  known = makeTranspose(*rewriter, makeHelperLocation(named, "transposed"),
                        from, order);
  made.push_back(known.getDefiningOp());
  return known;
}

/// Names of other values for the results that are not in the old order: what
/// the model says of the old ones is not true of them.
static Location nameFlipped(Operation *op, const Flip &flip) {
  SourceAttr source = getSource(op->getLoc());
  ArrayAttr outputs = source ? source.getOutputs() : ArrayAttr();
  if (!outputs || outputs.size() != flip.results.size())
    return op->getLoc();
  Builder b(op->getContext());
  SmallVector<Attribute> names;
  for (auto [name, perm] :
       llvm::zip_equal(outputs.getAsRange<StringAttr>(), flip.results))
    names.push_back(perm && !name.empty()
                        ? b.getStringAttr(name.getValue() + "_transposed")
                        : name);
  auto renamed = SourceAttr::get(
      op->getContext(), source.getName(), source.getOp(), b.getArrayAttr(names),
      source.getAttributes(), source.getDoc(), source.getMetadata());
  return FusedLoc::get({op->getLoc()}, renamed, op->getContext());
}

void FlipRegion::flipOp(Operation *op, const Flip &flip) {
  rewriter->setInsertionPoint(op);
  SmallVector<Value> operands;
  for (auto [operand, perm] :
       llvm::zip_equal(op->getOperands(), flip.operands)) {
    Layout layout = resolve(operand);
    bool isMoved = layout.base != operand || flippedValues.contains(operand);
    if (perm)
      operands.push_back(get(layout.base, compose(layout.perm, *perm), op));
    else
      operands.push_back(isMoved && flippedValues.contains(layout.base)
                             ? get(layout.base, layout.perm, op)
                             : operand);
  }
  Operation *copy = rewriter->clone(*op);
  copy->setOperands(operands);
  copy->setLoc(nameFlipped(op, flip));
  for (auto [result, perm] : llvm::zip_equal(copy->getResults(), flip.results))
    if (perm)
      result.setType(
          permuteType(cast<RankedTensorType>(result.getType()), *perm));
  rewriter->setInsertionPoint(copy);
  if (flip.adapt)
    flip.adapt(*rewriter, copy);
  rewriter->setInsertionPointAfter(copy);
  Value finished = flip.finish ? flip.finish(*rewriter, copy) : Value();
  dead.insert(op);
  for (auto [old, now, perm] :
       llvm::zip_equal(op->getResults(), copy->getResults(), flip.results)) {
    if (perm)
      flippedValues[old] = {*perm, now};
    else
      rewriter->replaceAllUsesWith(old, finished ? finished : now);
  }
}

/// `value` is `base` in the order `path`: who still uses it gets the same of
/// the flipped base.
void FlipRegion::replaceUses(Value value, Value base, const Permutation &path) {
  SmallVector<OpOperand *> uses;
  Operation *first = nullptr;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (dead.contains(user))
      continue;
    if (std::optional<Permutation> order = getOrder(user, block)) {
      replaceUses(user->getResult(0), base, compose(path, *order));
      dead.insert(user);
      continue;
    }
    uses.push_back(&use);
    Operation *here = block->findAncestorOpInBlock(*user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  if (uses.empty())
    return;
  Value now = get(base, path, first);
  // The Transpose that it replaces may have known more.
  Type joined = joinTypes(now.getType(), value.getType());
  if (joined && joined != now.getType() && !isSeenByCalls(now) &&
      !isConstant(now))
    now.setType(joined);
  for (OpOperand *use : uses)
    rewriter->modifyOpInPlace(use->getOwner(), [&] { use->set(now); });
}

void FlipRegion::apply() {
  rewriter.emplace(block->getParentOp()->getContext());
  SmallVector<Operation *> ops(chosen.begin(), chosen.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    flipOp(op, flips.find(op)->second);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (flippedValues.contains(result))
        replaceUses(result, result, getIdentity(*getRank(result)));
  // Users go before what they use.
  SmallVector<Operation *> erased(dead.begin(), dead.end());
  llvm::sort(erased,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : erased)
    rewriter->eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct TransposeSink : onnxc::impl::TransposeSinkBase<TransposeSink> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    SmallVector<Block *> blocks;
    module.walk([&](TransposeOp op) {
      if (!llvm::is_contained(blocks, op->getBlock()))
        blocks.push_back(op->getBlock());
    });
    int64_t changes = 0;
    for (Block *block : blocks)
      changes += runOnBlock(block);
    if (changes)
      updateResultTypes(module);
    return changes;
  }

private:
  using Key = std::pair<Operation *, SmallVector<int64_t>>;

  static int64_t runOnBlock(Block *block) {
    int64_t changes = joinPairs(block);
    // Regions that were looked at in vain, by their ops' orders.
    std::set<Key> settled;
    int64_t visits = minVisits;
    for (Operation &op : *block)
      visits += maxVisitsOfUse * op.getNumOperands();
    for (bool isUp : {false, true}) {
      changes += eraseUnused(block);
      SmallVector<Operation *> transposes;
      for (TransposeOp op : block->getOps<TransposeOp>())
        transposes.push_back(op);
      llvm::DenseSet<Operation *> erased;
      for (size_t i = 0; i < transposes.size() && visits > 0; ++i) {
        if (erased.contains(transposes[i]) || !getOrder(transposes[i], block))
          continue;
        FlipRegion region(block);
        bool isBetter =
            tryFrom(cast<TransposeOp>(transposes[i]), isUp, region, settled);
        visits -= region.getVisits();
        if (!isBetter)
          continue;
        ++changes;
        settled.clear();
        erased.insert_range(region.getErased());
        for (Operation *made : region.getTransposes()) {
          erased.erase(made);
          transposes.push_back(made);
        }
      }
    }
    eraseUnused(block);
    return changes + joinPairs(block);
  }

  /// Transposes in a row: one, or none.
  static int64_t joinPairs(Block *block) {
    int64_t changes = 0;
    PatternRewriterOf rewriter(block->getParentOp()->getContext());
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      std::optional<Permutation> outer = getOrder(&op, block);
      Operation *inner = outer ? op.getOperand(0).getDefiningOp() : nullptr;
      std::optional<Permutation> order = getOrder(inner, block);
      if (!order)
        continue;
      Permutation both = compose(*order, *outer);
      Value data = inner->getOperand(0);
      if (isIdentity(both)) {
        changes += succeeded(replaceRoot(rewriter, &op, data));
        continue;
      }
      auto transpose = cast<TransposeOp>(op);
      transpose.getDataMutable().assign(data);
      transpose.setPerm(SmallVector<int64_t>(both));
      ++changes;
    }
    if (changes)
      eraseUnused(block);
    return changes;
  }

  static bool tryFrom(TransposeOp transpose, bool isUp, FlipRegion &region,
                      std::set<Key> &settled) {
    if (isUp)
      region.startUp(transpose);
    else
      region.startDown(transpose);
    auto hasNew = [&] {
      return llvm::any_of(region.getFlips(), [&](const auto &entry) {
        return settled.count(getKey(entry.first, entry.second)) == 0;
      });
    };
    // What begins in a region that was looked at hardly leaves it.
    if (!hasNew())
      return false;
    region.grow();
    if (!hasNew())
      return false;
    if (region.choose()) {
      region.apply();
      return true;
    }
    for (const auto &[op, flip] : region.getFlips())
      settled.insert(getKey(op, flip));
    return false;
  }

  static Key getKey(Operation *op, const Flip &flip) {
    SmallVector<int64_t> order;
    for (const auto &perms : {flip.operands, flip.results})
      for (const std::optional<Permutation> &perm : perms)
        if (perm)
          llvm::append_range(order, *perm);
    return {op, order};
  }

  /// Transposes without uses; how many there were.
  static int64_t eraseUnused(Block *block) {
    int64_t number = 0;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isa<TransposeOp>(op) && op.use_empty()) {
        op.erase();
        ++number;
      }
    return number;
  }
};
} // namespace
