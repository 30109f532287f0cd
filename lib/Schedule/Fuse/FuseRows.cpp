//===- FuseRows.cpp - One loop over rows for ops that share them ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction, and what is computed around it, walks the same rows: softmax
// finds the greatest element of a row, then the powers, their sum, the
// quotients. The ops of such a group become the body of one loop over the rows,
// in which a row stays in the nearest cache from its first use to its last.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// A group has at most so many ops.
constexpr size_t kMaxMembers = 48;
/// Shorter rows are better walked by lanes across them.
constexpr int64_t kMinRow = 16;
/// What a row whose length only the run knows is taken for.
constexpr int64_t kTypicalRow = 128;
/// Rows that no result can hold until they are final get this much memory for
/// each thread.
constexpr int64_t kMaxScratchBytes = 64 << 10;

/// For each row dimension: which loop of an op, or which dimension of a value,
/// it is.
using RowDims = SmallVector<int64_t>;

/// Whether an op can be done row by row at all.
bool isCandidate(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic && !isa<linalg::FillOp>(op))
    return false;
  auto structured = cast<linalg::LinalgOp>(op);
  if (!structured.hasPureTensorSemantics() || op->getNumResults() == 0)
    return false;
  for (AffineMap map : structured.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
  for (OpOperand &init : structured.getDpsInitsMutable())
    if (!structured.getMatchingIndexingMap(&init).isProjectedPermutation() ||
        !getElementTypeOrSelf(init.get().getType()).isIntOrFloat())
      return false;
  // What a body looks up itself may be no row.
  WalkResult lookups = op->getRegion(0).walk([](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), llvm::IsaPred<ShapedType>)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (lookups.wasInterrupted())
    return false;
  return true;
}

bool reduces(linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; }

/// Whether every loop that an input does not walk is one over which it stays
/// the same anyway: no element of it is read again and again as in a product of
/// matrices.
bool isContraction(linalg::LinalgOp op) {
  auto kinds = op.getIteratorTypesArray();
  int64_t full = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool walksReduction = false;
    for (unsigned d = 0; d < map.getNumDims(); ++d)
      walksReduction |=
          !linalg::isParallelIterator(kinds[d]) && map.isFunctionOfDim(d);
    full += walksReduction && map.getNumResults() == map.getNumDims();
    if (walksReduction && map.getNumResults() != map.getNumDims())
      return true;
  }
  return full == 0;
}

/// The dimensions of a value that loops of its user are; failure if one is not
/// among them.
FailureOr<RowDims> dimsOf(AffineMap map, ArrayRef<int64_t> loops) {
  RowDims dims;
  for (int64_t loop : loops) {
    auto position =
        map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    if (!position)
      return failure();
    dims.push_back(*position);
  }
  return dims;
}

/// The loops of an op that dimensions of a value are, all parallel.
FailureOr<RowDims> loopsOf(linalg::LinalgOp op, AffineMap map,
                           ArrayRef<int64_t> dims) {
  RowDims loops;
  auto kinds = op.getIteratorTypesArray();
  for (int64_t dim : dims) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!loop || !linalg::isParallelIterator(kinds[loop.getPosition()]))
      return failure();
    loops.push_back(loop.getPosition());
  }
  return loops;
}

/// Ops that are done row by row together.
class Group {
public:
  explicit Group(const DenseSet<Operation *> &taken) : taken(taken) {}

  /// The group around a reduction. Fails if it is not worth a loop.
  LogicalResult grow(linalg::LinalgOp seed);
  /// Puts the loop in the place of the ops.
  void replace(OpBuilder &b, int64_t vectorBytes);

  ArrayRef<Operation *> members() const { return order; }

private:
  bool add(Operation *op, ArrayRef<int64_t> loops);
  bool addUser(Operation *op, Value value, ArrayRef<int64_t> dims);
  void addProducer(linalg::LinalgOp user, OpOperand &operand);
  void sortAndTrim();
  bool isWorthIt();
  bool isMember(Operation *op) const { return op && rows.contains(op); }
  RowDims dimsOfResult(OpResult result);
  bool escapes(Value value) const;

  SmallVector<OpFoldResult> boundsOf(OpBuilder &b);
  int64_t countCycles(int64_t vectorBytes);
  RankedTensorType rowTypeOf(Value value, AffineMap map, Operation *op);
  Value sliceOf(OpBuilder &b, Value value, AffineMap map, Operation *op);
  AffineMap onRow(linalg::LinalgOp op, AffineMap map);
  bool copiesRow(linalg::LinalgOp op);
  bool readsThrough(linalg::LinalgOp op);
  bool takesPlaceOf(linalg::LinalgOp op, Value input);
  Value placeTakenBy(linalg::LinalgOp op);
  Value finalOf(Value value);
  bool needsLittleScratch();
  Value makeInit(OpBuilder &b, linalg::LinalgOp op, unsigned index);
  void cloneOnRow(OpBuilder &b, linalg::LinalgOp op);
  Value rootOf(OpResult result) const;

  const DenseSet<Operation *> &taken;
  Block *block = nullptr;
  unsigned numSeedLoops = 0;
  llvm::MapVector<Operation *, RowDims> rows;
  SmallVector<Operation *> order;

  // Of replace().
  ValueRange positions;
  /// Rows of the members' results, and where those that leave the loop go.
  DenseMap<Value, Value> row, target;
};

RowDims Group::dimsOfResult(OpResult result) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  AffineMap map =
      op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
  return *dimsOf(map, rows.lookup(op));
}

bool Group::escapes(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !isMember(user); });
}

bool Group::add(Operation *op, ArrayRef<int64_t> loops) {
  auto structured = cast<linalg::LinalgOp>(op);
  if (taken.contains(op) || op->getBlock() != block || !isCandidate(op) ||
      rows.size() >= kMaxMembers || structured.getNumLoops() > numSeedLoops ||
      (reduces(structured) && isContraction(structured)))
    return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (failed(dimsOf(
            structured.getMatchingIndexingMap(structured.getDpsInitOperand(i)),
            loops)))
      return false;
  rows[op] = RowDims(loops);
  return true;
}

/// An op that uses a row of the group. It must walk the rows alike in every
/// operand that comes from the group.
bool Group::addUser(Operation *op, Value value, ArrayRef<int64_t> dims) {
  auto user = dyn_cast<linalg::LinalgOp>(op);
  if (!user || rows.contains(op) || !isCandidate(op))
    return false;
  std::optional<RowDims> loops;
  for (OpOperand &operand : op->getOpOperands()) {
    auto result = dyn_cast<OpResult>(operand.get());
    if (!result || (result != value && !isMember(result.getOwner())))
      continue;
    FailureOr<RowDims> mine =
        loopsOf(user, user.getMatchingIndexingMap(&operand),
                result == value ? RowDims(dims) : dimsOfResult(result));
    if (failed(mine) || (loops && *loops != *mine))
      return false;
    loops = *mine;
  }
  return loops && add(op, *loops);
}

void Group::addProducer(linalg::LinalgOp user, OpOperand &operand) {
  auto result = dyn_cast<OpResult>(operand.get());
  auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
  if (!producer || rows.contains(producer) || !isCandidate(producer))
    return;
  FailureOr<RowDims> dims =
      dimsOf(user.getMatchingIndexingMap(&operand), rows.lookup(user));
  if (failed(dims))
    return;
  FailureOr<RowDims> loops =
      loopsOf(producer,
              producer.getMatchingIndexingMap(
                  producer.getDpsInitOperand(result.getResultNumber())),
              *dims);
  if (failed(loops))
    return;
  // Others of its users that are members must agree.
  for (OpOperand &use : result.getUses()) {
    auto other = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!other || !isMember(other))
      continue;
    FailureOr<RowDims> same =
        dimsOf(other.getMatchingIndexingMap(&use), rows.lookup(other));
    if (failed(same) || *same != *dims)
      return;
  }
  add(producer, *loops);
}

LogicalResult Group::grow(linalg::LinalgOp seed) {
  block = seed->getBlock();
  numSeedLoops = seed.getNumLoops();
  // The last dimension of what is read stays whole: lanes walk it.
  AffineMap read = seed.getMatchingIndexingMap(seed.getDpsInputOperand(0));
  if (read.getNumResults() == 0)
    return failure();
  RowDims loops;
  for (auto [d, kind] : llvm::enumerate(seed.getIteratorTypesArray()))
    if (linalg::isParallelIterator(kind) &&
        read.getResults().back() != getAffineDimExpr(d, read.getContext()))
      loops.push_back(d);
  if (loops.empty() || !add(seed, loops))
    return failure();
  for (size_t i = 0; i < rows.size(); ++i) {
    auto op = cast<linalg::LinalgOp>(rows.begin()[i].first);
    for (OpOperand &operand : op->getOpOperands())
      addProducer(op, operand);
    for (OpResult result : op->getResults())
      for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
        addUser(user, result, dimsOfResult(result));
  }
  sortAndTrim();
  return success(isWorthIt() && needsLittleScratch());
}

/// The loop stands where its last op stood; what others need before that is not
/// of the group, nor is what depends on it.
void Group::sortAndTrim() {
  order.assign(llvm::make_first_range(rows).begin(),
               llvm::make_first_range(rows).end());
  llvm::sort(order,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (bool changed = true; changed;) {
    changed = false;
    Operation *first = nullptr;
    for (Operation *op : order)
      for (Operation *user : op->getUsers()) {
        Operation *here = block->findAncestorOpInBlock(*user);
        if (!isMember(user) && here && here->isBeforeInBlock(order.back()) &&
            (!first || here->isBeforeInBlock(first)))
          first = here;
      }
    while (first && !order.empty() && first->isBeforeInBlock(order.back())) {
      rows.erase(order.pop_back_val());
      changed = true;
    }
  }
  // Of what is left of the group none may need what others start from.
  llvm::erase_if(order, [&](Operation *op) {
    bool isForOthers = isa<linalg::FillOp>(op) &&
                       llvm::none_of(op->getUsers(), [&](Operation *user) {
                         return isMember(user);
                       });
    if (isForOthers)
      rows.erase(op);
    return isForOthers;
  });
}

bool Group::isWorthIt() {
  unsigned walks = 0;
  bool anyReduces = false;
  int64_t count = 1;
  for (Operation *op : order) {
    auto structured = cast<linalg::LinalgOp>(op);
    SmallVector<int64_t> extents = structured.getStaticLoopRanges();
    int64_t length = 1;
    count = 1;
    for (auto [d, extent] : llvm::enumerate(extents)) {
      if (extent == 0)
        return false;
      bool isRow = llvm::is_contained(rows.lookup(op), int64_t(d));
      (isRow ? count : length) *=
          ShapedType::isDynamic(extent) ? kTypicalRow : extent;
    }
    walks += length >= kMinRow;
    anyReduces |= reduces(structured);
  }
  return anyReduces && walks >= 2 && count >= 2;
}

/// What the first init of a member is, before other members write to it.
Value Group::rootOf(OpResult result) const {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  Value init = op.getDpsInits()[result.getResultNumber()];
  auto before = dyn_cast<OpResult>(init);
  return before && isMember(before.getOwner()) ? rootOf(before) : init;
}

SmallVector<OpFoldResult> Group::boundsOf(OpBuilder &b) {
  SmallVector<OpFoldResult> bounds;
  OpResult result = order.front()->getResult(0);
  for (int64_t dim : dimsOfResult(result))
    bounds.push_back(
        tensor::getMixedSize(b, result.getLoc(), rootOf(result), dim));
  return bounds;
}

/// An estimate for one row.
int64_t Group::countCycles(int64_t vectorBytes) {
  double cycles = 0;
  for (Operation *op : order) {
    auto structured = cast<linalg::LinalgOp>(op);
    double length = 1;
    for (auto [d, extent] : llvm::enumerate(structured.getStaticLoopRanges()))
      if (!llvm::is_contained(rows.lookup(op), int64_t(d)))
        length *= ShapedType::isDynamic(extent) ? kTypicalRow : extent;
    double each = 1;
    for (Operation &inner : structured.getBlock()->without_terminator())
      each += isa<math::MathDialect>(inner.getDialect()) ? 12
              : isa<arith::DivFOp>(inner)                ? 8
                                                         : 0.5;
    cycles += 4 + each * length * 4 / vectorBytes;
  }
  return int64_t(cycles);
}

/// The type of what one row reads or writes of a value: without the rows'
/// dimensions, and without those that the op does not walk.
RankedTensorType Group::rowTypeOf(Value value, AffineMap map, Operation *op) {
  auto type = cast<RankedTensorType>(value.getType());
  const RowDims &loops = rows.find(op)->second;
  SmallVector<int64_t> shape;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && !llvm::is_contained(loops, int64_t(dim.getPosition())))
      shape.push_back(size);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Where in a value the row is that the loop stands at.
struct Place {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

Place placeOf(OpBuilder &b, Location loc, Value value, AffineMap map,
              ArrayRef<int64_t> loops, ValueRange positions) {
  Place place;
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    place.strides.push_back(one);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    const auto *loop =
        dim ? llvm::find(loops, int64_t(dim.getPosition())) : loops.end();
    bool isRow = loop != loops.end();
    place.offsets.push_back(
        isRow ? OpFoldResult(positions[loop - loops.begin()]) : zero);
    place.sizes.push_back(
        isRow || !dim ? one : tensor::getMixedSize(b, loc, value, i));
  }
  return place;
}

Value Group::sliceOf(OpBuilder &b, Value value, AffineMap map, Operation *op) {
  RankedTensorType type = rowTypeOf(value, map, op);
  if (type == value.getType())
    return value;
  Place place =
      placeOf(b, op->getLoc(), value, map, rows.lookup(op), positions);
  return tensor::ExtractSliceOp::create(
      b, op->getLoc(), type, value, place.offsets, place.sizes, place.strides);
}

/// The map of an operand in the loops that are left of an op on one row.
AffineMap Group::onRow(linalg::LinalgOp op, AffineMap map) {
  const RowDims &loops = rows.find(op)->second;
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> left(op.getNumLoops(), -1);
  int64_t count = 0;
  for (auto [d, number] : llvm::enumerate(left))
    if (!llvm::is_contained(loops, int64_t(d)))
      number = count++;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && left[dim.getPosition()] >= 0)
      results.push_back(getAffineDimExpr(left[dim.getPosition()], context));
  return AffineMap::get(count, 0, results, context);
}

/// Whether a row of the op's result has the elements of a row of its input in
/// their order, as in a transpose of what is not the row. Such a copy is folded
/// into its source later: nothing may be written in its place.
bool Group::copiesRow(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op.getOperation()) || reduces(op) ||
      op.getNumDpsInputs() != 1 || op->getNumResults() != 1)
    return false;
  Block *body = op.getBlock();
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap read = op.getMatchingIndexingMap(input);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return body->getTerminator()->getOperand(0) == body->getArgument(0) &&
         isa<RankedTensorType>(input->get().getType()) &&
         onRow(op, read) == onRow(op, written) &&
         rowTypeOf(input->get(), read, op) ==
             rowTypeOf(op->getResult(0), written, op);
}

/// Whether the members that read the op's result read the row of its input
/// instead: a copy of what is made around the loop.
bool Group::readsThrough(linalg::LinalgOp op) {
  return copiesRow(op) && !escapes(op->getResult(0)) &&
         !isMember(op.getDpsInputs()[0].getDefiningOp()) &&
         llvm::none_of(op->getUsers(), [&](Operation *user) {
           return llvm::is_contained(cast<linalg::LinalgOp>(user).getDpsInits(),
                                     op->getResult(0));
         });
}

/// Whether the op can write its result over the row of an input, which is used
/// no more behind it.
bool Group::takesPlaceOf(linalg::LinalgOp op, Value input) {
  if (reduces(op) || op->getNumResults() != 1 || escapes(input) ||
      !isMember(input.getDefiningOp()) ||
      copiesRow(cast<linalg::LinalgOp>(input.getDefiningOp())) ||
      input.getType() != op->getResult(0).getType() ||
      !isa_and_nonnull<tensor::EmptyOp>(op.getDpsInits()[0].getDefiningOp()))
    return false;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == input &&
        op.getMatchingIndexingMap(&operand) != written)
      return false;
  // A copy of the row, folded into this one later, is read where the copy is.
  return llvm::all_of(input.getUsers(), [&](Operation *user) {
    return user == op || (user->isBeforeInBlock(op) &&
                          !copiesRow(cast<linalg::LinalgOp>(user)));
  });
}

/// The value that is final in the place of this one, or the last that is
/// computed there.
Value Group::finalOf(Value value) {
  for (bool changed = true; changed && !escapes(value);) {
    changed = false;
    for (Operation *user : value.getUsers()) {
      auto next = dyn_cast<linalg::LinalgOp>(user);
      if (!next || !isMember(user) ||
          !(llvm::is_contained(next.getDpsInits(), value) ||
            placeTakenBy(next) == value))
        continue;
      value = next->getResult(0);
      changed = true;
      break;
    }
  }
  return value;
}

/// Whether what only the loop needs has a known and small size.
bool Group::needsLittleScratch() {
  for (Operation *op : order)
    for (OpResult result : op->getResults()) {
      if (escapes(finalOf(result)) || readsThrough(cast<linalg::LinalgOp>(op)))
        continue;
      auto structured = cast<linalg::LinalgOp>(op);
      RankedTensorType type =
          rowTypeOf(result,
                    structured.getMatchingIndexingMap(
                        structured.getDpsInitOperand(result.getResultNumber())),
                    op);
      if (!type.hasStaticShape() ||
          type.getNumElements() * type.getElementTypeBitWidth() / 8 >
              kMaxScratchBytes)
        return false;
    }
  return true;
}

/// The input whose place the op's result takes, if any: no other value may be
/// there at the same time.
Value Group::placeTakenBy(linalg::LinalgOp op) {
  for (Value input : op.getDpsInputs())
    if (takesPlaceOf(op, input))
      return input;
  return Value();
}

/// What a member writes its row to.
Value Group::makeInit(OpBuilder &b, linalg::LinalgOp op, unsigned index) {
  OpResult result = op->getResult(index);
  Value init = op.getDpsInits()[index];
  if (Value before = row.lookup(init))
    return before;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(index));
  bool isEmpty = isa_and_nonnull<tensor::EmptyOp>(init.getDefiningOp());
  Value own;
  if (Value final = finalOf(result), whole = target.lookup(final); whole) {
    own = sliceOf(b, whole, map, op);
    // The whole is what the chain of results in its place starts from.
    if (rootOf(cast<OpResult>(final)) == init)
      return own;
  } else {
    SmallVector<OpFoldResult> sizes;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (!llvm::is_contained(rows.lookup(op),
                              int64_t(cast<AffineDimExpr>(expr).getPosition())))
        sizes.push_back(tensor::getMixedSize(b, op.getLoc(), init, i));
    own = tensor::EmptyOp::create(b, op.getLoc(), sizes,
                                  rowTypeOf(init, map, op).getElementType());
  }
  if (isEmpty)
    return own;
  // What the sums start from is not the loop's to write to.
  Value source = init;
  while (Operation *view = source.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
      break;
    source = view->getOperand(0);
  }
  if (auto fill = source.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(b, op.getLoc(), fill.value(), own)
        .getResult(0);
  return linalg::CopyOp::create(b, op.getLoc(), sliceOf(b, init, map, op), own)
      .getResult(0);
}

/// A row of the group as the reader of `map` takes it: without the dimensions
/// of size 1 that it does not walk.
static Value dropUnwalked(OpBuilder &b, Location loc, Value mine, AffineMap map,
                          ArrayRef<int64_t> loops) {
  auto type = cast<RankedTensorType>(mine.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && llvm::is_contained(loops, int64_t(dim.getPosition())))
      continue;
    int64_t i = sizes.size();
    sizes.push_back(tensor::getMixedSize(b, loc, mine, i));
    if (dim)
      shape.push_back(type.getDimSize(i));
  }
  if (shape.size() == sizes.size())
    return mine;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), mine,
      offsets, sizes, strides);
}

/// Clones the op for the row at which the loop stands.
void Group::cloneOnRow(OpBuilder &b, linalg::LinalgOp op) {
  const RowDims &loops = rows.find(op)->second;
  SmallVector<int64_t> renumber;
  SmallVector<utils::IteratorType> kinds;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    renumber.push_back(kinds.size());
    if (!llvm::is_contained(loops, int64_t(d)))
      kinds.push_back(kind);
  }
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    maps.push_back(onRow(op, map));
    Value value = input->get();
    if (Value mine = row.lookup(value))
      inputs.push_back(dropUnwalked(b, op.getLoc(), mine, map, loops));
    else if (isa<RankedTensorType>(value.getType()))
      inputs.push_back(sliceOf(b, value, map, op));
    else
      inputs.push_back(value);
  }
  if (readsThrough(op)) {
    row[op->getResult(0)] = inputs.front();
    return;
  }
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    maps.push_back(
        onRow(op, op.getMatchingIndexingMap(op.getDpsInitOperand(i))));
    Value taken = placeTakenBy(op);
    Value init = taken ? row.lookup(taken) : makeInit(b, op, i);
    inits.push_back(init);
    types.push_back(init.getType());
  }
  auto clone = linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits,
                                         maps, kinds);
  IRMapping map;
  op->getRegion(0).cloneInto(&clone.getRegion(), map);
  SmallVector<linalg::IndexOp> indices;
  clone.getRegion().walk([&](linalg::IndexOp i) { indices.push_back(i); });
  for (linalg::IndexOp i : indices) {
    const auto *loop = llvm::find(loops, int64_t(i.getDim()));
    if (loop == loops.end()) {
      i.setDim(renumber[i.getDim()]);
      continue;
    }
    i.getResult().replaceAllUsesWith(positions[loop - loops.begin()]);
    i.erase();
  }
  for (auto [old, fresh] :
       llvm::zip_equal(op->getResults(), clone.getResults()))
    row[old] = fresh;
}

void Group::replace(OpBuilder &b, int64_t vectorBytes) {
  Location loc = order.back()->getLoc();
  b.setInsertionPointAfter(order.back());
  SmallVector<OpFoldResult> bounds = boundsOf(b);
  SmallVector<OpResult> leaving;
  SmallVector<Value> outs;
  for (Operation *op : order)
    for (OpResult result : op->getResults()) {
      if (!escapes(result))
        continue;
      Value root = rootOf(result);
      if (root.getDefiningOp<tensor::EmptyOp>())
        root = tensor::EmptyOp::create(
            b, loc, tensor::getMixedSizes(b, loc, root),
            cast<RankedTensorType>(root.getType()).getElementType());
      leaving.push_back(result);
      outs.push_back(root);
    }
  auto loop = scf::ForallOp::create(b, loc, bounds, outs, std::nullopt);
  loop->setAttr(onnxc::program::work,
                b.getI64IntegerAttr(countCycles(vectorBytes)));
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ivs = loop.getInductionVars();
  positions = ivs;
  for (auto [result, arg] : llvm::zip_equal(leaving, loop.getRegionIterArgs()))
    target[result] = arg;
  for (Operation *op : order)
    cloneOnRow(b, cast<linalg::LinalgOp>(op));
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [result, arg] :
       llvm::zip_equal(leaving, loop.getRegionIterArgs())) {
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    AffineMap map = op.getMatchingIndexingMap(
        op.getDpsInitOperand(result.getResultNumber()));
    b.setInsertionPoint(loop.getTerminator());
    Place place = placeOf(b, loc, arg, map, rows.lookup(op), positions);
    b.setInsertionPointToEnd(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, row.lookup(result), arg,
                                          place.offsets, place.sizes,
                                          place.strides);
  }
  for (auto [result, whole] : llvm::zip_equal(leaving, loop.getResults()))
    result.replaceAllUsesWith(whole);
  for (Operation *op : llvm::reverse(order))
    op->erase();
}

class FuseRows : public onnxc::impl::FuseRowsPassBase<FuseRows> {
public:
  using FuseRowsPassBase::FuseRowsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, linalg::LinalgDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }
  /// A fill for each of its users: none has to copy what another one writes to.
  void separateFills(OpBuilder &b) {
    SmallVector<linalg::FillOp> fills;
    getOperation().walk([&](linalg::FillOp op) {
      if (op.hasPureTensorSemantics())
        fills.push_back(op);
    });
    for (linalg::FillOp fill : fills)
      for (OpOperand &use : llvm::make_early_inc_range(fill->getUses())) {
        if (fill->hasOneUse())
          break;
        b.setInsertionPoint(fill);
        use.set(b.clone(*fill)->getResult(0));
      }
  }

  void runOnOperation() override {
    OpBuilder b(&getContext());
    separateFills(b);
    SmallVector<linalg::LinalgOp> seeds;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isa<linalg::GenericOp>(op) && reduces(op) && op.getNumDpsInputs() > 0)
        seeds.push_back(op);
    });
    DenseSet<Operation *> taken;
    SmallVector<Group> groups;
    for (linalg::LinalgOp seed : seeds) {
      if (taken.contains(seed))
        continue;
      Group group(taken);
      if (failed(group.grow(seed)))
        continue;
      taken.insert(group.members().begin(), group.members().end());
      groups.push_back(std::move(group));
    }
    for (Group &group : groups)
      group.replace(b, onnxc::TargetAttr::of(getOperation()).getVectorBytes());
  }
};

} // namespace
