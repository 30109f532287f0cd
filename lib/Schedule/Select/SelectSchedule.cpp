//===- SelectSchedule.cpp - The table of schedules ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loop becomes the lanes is a question of memory: the results must be
// written to consecutive addresses, and of the inputs as many as possible are
// read from consecutive addresses or from one. How much is unrolled is a
// question of registers: a contraction keeps as many accumulators as fit, over
// a loop in which the vectors that were loaded are used again.
//
//===----------------------------------------------------------------------===//

#include "Kernels/CacheShares.h"
#include "Kernels/KernelForms.h"
#include "Kernels/KernelLoops.h"
#include "Vectorize/Combiner.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/KernelCodegen.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Schedule/Tuning.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

constexpr int64_t kUnknown = ShapedType::kDynamic;
/// Floats that fit the second level of the cache beside other things.
int64_t nearElements(TargetAttr target) {
  return nearBytes(target) / int64_t(sizeof(float));
}
/// Rows of a matrix whose columns are summed up that are read side by side: so
/// many streams the processor follows, and fewer sums go to memory and back.
constexpr int64_t kBand = 16;
/// Rows so far apart are in pages of their own, or nearly so.
constexpr int64_t kFarElements = 512;
/// Vectors in a tile, at most: each is code of its own.
constexpr int64_t kMostOfTile = 64;
/// Rows of a square that is transposed in registers, at most.
constexpr int64_t kMostOfSquare = 32;

/// Steps through memory of one operand, for each loop; kUnknown where a step is
/// known only at run time.
struct Walk {
  SmallVector<int64_t> step;
  SaturatingInt elements = 1;
};

std::optional<Walk> walkOf(AffineMap map, Type type, unsigned loops) {
  Walk walk;
  walk.step.assign(loops, 0);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return walk; // a scalar operand
  SmallVector<int64_t> strides;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return std::nullopt;
  } else {
    strides.resize(shaped.getRank());
    int64_t stride = 1;
    for (int64_t i = shaped.getRank() - 1; i >= 0; --i) {
      strides[i] = stride;
      if (stride != kUnknown)
        stride =
            shaped.isDynamicDim(i) ? kUnknown : stride * shaped.getDimSize(i);
    }
  }
  for (int64_t extent : shaped.getShape())
    walk.elements *= typical(extent);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    auto c = linearCoefficients(expr, loops);
    if (!c)
      return std::nullopt;
    for (unsigned d = 0; d < loops; ++d) {
      if ((*c)[d] == 0)
        continue;
      if (stride == kUnknown || walk.step[d] == kUnknown)
        walk.step[d] = kUnknown;
      else
        walk.step[d] += (*c)[d] * stride;
    }
  }
  return walk;
}

/// True if the body can be evaluated for several steps of `lane` at once.
bool isBodyVectorizable(linalg::LinalgOp op, unsigned lane,
                        ArrayRef<Walk> walks, std::string &why) {
  llvm::DenseSet<Value> varying;
  Block *body = op.getBlock();
  for (auto [arg, walk] : llvm::zip_equal(body->getArguments(), walks))
    if (walk.step[lane] != 0)
      varying.insert(arg);
  bool laneIsReduction =
      !linalg::isParallelIterator(op.getIteratorTypesArray()[lane]);
  if (laneIsReduction)
    varying.insert(body->getArguments().back());
  auto isVarying = [&](Value v) { return varying.contains(v); };
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() == lane)
        varying.insert(index);
      continue;
    }
    if (isa<tensor::ExtractOp, memref::LoadOp>(inner)) {
      OperandRange indices = inner.getOperands().drop_front();
      if (llvm::none_of(indices, isVarying))
        continue;
      auto last = indices.back().getDefiningOp<linalg::IndexOp>();
      auto type = cast<ShapedType>(inner.getOperand(0).getType());
      auto memref = dyn_cast<MemRefType>(type);
      bool contiguous = !memref || memref.isLastDimUnitStride();
      if (llvm::any_of(indices.drop_back(), isVarying) || !last ||
          last.getDim() != lane || !contiguous ||
          type.getElementTypeBitWidth() % 8 != 0) {
        why = "each lane would read from its own address";
        return false;
      }
      varying.insert(inner.getResult(0));
      continue;
    }
    if (inner.getNumRegions() || inner.getNumResults() != 1 ||
        !inner.getResult(0).getType().isIntOrIndexOrFloat()) {
      why =
          ("'" + inner.getName().getStringRef() + "' has no vector form").str();
      return false;
    }
    if (!llvm::any_of(inner.getOperands(), isVarying))
      continue;
    if (!hasVectorForm(inner, why))
      return false;
    varying.insert(inner.getResult(0));
  }
  return true;
}

/// The bytes of the widest element of which the body needs a vector: not those
/// that are the same for all steps of `lane`, as the indices of a gather are.
int64_t widestBytes(linalg::LinalgOp op, unsigned lane, ArrayRef<Walk> walks) {
  int64_t bits = 8;
  llvm::DenseSet<Value> varying;
  auto vary = [&](Value value) {
    varying.insert(value);
    if (value.getType().isIntOrFloat())
      bits = std::max<int64_t>(bits, value.getType().getIntOrFloatBitWidth());
  };
  for (auto [i, walk] : llvm::enumerate(walks))
    if (walk.step[lane] != 0 || i >= size_t(op.getNumDpsInputs()))
      vary(op.getBlock()->getArgument(i));
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (index ? index.getDim() == lane
              : llvm::any_of(inner.getOperands(),
                             [&](Value v) { return varying.contains(v); }))
      llvm::for_each(inner.getResults(), vary);
  }
  return llvm::divideCeil(bits, 8);
}

/// The largest divisor of `extent` up to `cap`, if it is not much smaller than
/// the cap; else the cap itself, with a remainder.
int64_t tileOf(int64_t extent, int64_t cap) {
  if (ShapedType::isDynamic(extent))
    return llvm::bit_floor(uint64_t(cap));
  if (extent <= cap)
    return std::max<int64_t>(extent, 1);
  for (int64_t t = cap; 2 * t > cap; --t)
    if (extent % t == 0)
      return t;
  return cap;
}

/// The vectors along the lanes that one pass covers.
int64_t vectorsOf(int64_t extent, int64_t lanes, int64_t cap) {
  if (ShapedType::isDynamic(extent))
    return llvm::bit_floor(uint64_t(cap));
  int64_t count = llvm::divideCeil(extent, lanes);
  if (count <= cap)
    return count;
  for (int64_t t = cap; t > 1; --t)
    if (count % t == 0)
      return t;
  return cap;
}

class Selector {
public:
  Selector(linalg::LinalgOp op, TargetAttr target)
      : op(op), target(target), loops(op.getNumLoops()),
        extents(op.getStaticLoopRanges()), kinds(op.getIteratorTypesArray()) {}

  Schedule select();

private:
  /// What a nest reads again from memory: the vectors, if the block of scalars
  /// stays in cache while they stream by, or the scalars, the other way round.
  struct Streams {
    double vectors = 0, scalars = 0;
  };

  bool isParallel(unsigned d) const {
    return linalg::isParallelIterator(kinds[d]);
  }
  Schedule scalar(const Twine &why) const {
    Schedule s;
    s.reason = why.str();
    return s;
  }
  bool chooseLane(std::string &why);
  int findAlong();
  void tileTransposed(Schedule &s, unsigned along, bool isSmall);
  void tileParallelLanes(Schedule &s);
  void tileElementwise(Schedule &s);
  int findReuse();
  bool readsColumns(const Schedule &s);
  void tileWithoutReuse(Schedule &s);
  Streams countStreams(const Schedule &s, unsigned reuse);
  int64_t choosePack(const Schedule &s, unsigned reuse, const Streams &streams);
  void tileReductionLanes(Schedule &s);
  ArrayRef<Walk> inputWalks() {
    return ArrayRef(walks).take_front(op.getNumDpsInputs());
  }

  linalg::LinalgOp op;
  TargetAttr target;
  unsigned loops;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<Walk> walks; // of inputs, then of results
  unsigned lane = 0;
  int64_t lanes = 0;
};

bool Selector::chooseLane(std::string &why) {
  unsigned numInputs = op.getNumDpsInputs();
  double best = 1e30;
  bool found = false;
  std::string reason;
  for (unsigned d = 0; d < loops; ++d) {
    int64_t extent = typical(extents[d]);
    if (extent < 4)
      continue;
    if (!isParallel(d) && !matchCombiner(op)) {
      reason =
          "a reduction that is not a plain sum, product, minimum or maximum";
      continue;
    }
    int64_t maxLanes = target.getVectorBytes() / widestBytes(op, d, walks);
    if (maxLanes < 2) {
      reason = "an element fills a vector register";
      continue;
    }
    int64_t wide = std::min<int64_t>(maxLanes, llvm::PowerOf2Ceil(extent));
    double cost = 1;
    bool possible = true;
    for (auto [i, walk] : llvm::enumerate(walks)) {
      int64_t step = walk.step[d];
      Type element = getElementTypeOrSelf(op->getOperand(i).getType());
      if (step != 0 && element.getIntOrFloatBitWidth() % 8 != 0) {
        reason = "elements narrower than a byte";
        possible = false;
      }
      if (i >= numInputs) {
        if (step != (isParallel(d) ? 1 : 0)) {
          reason = "results are not written to consecutive addresses";
          possible = false;
        }
      } else {
        cost += step == 0 || step == 1 ? 1 : step == 2 ? 2.5 : 8;
      }
    }
    if (!possible || !isBodyVectorizable(op, d, walks, reason))
      continue;
    if (!isParallel(d))
      cost *= 1.2; // the lanes are summed up at the end
    cost *= double(llvm::alignTo(extent, wide)) / extent *
            target.getVectorBytes() / wide;
    if (cost <= best) {
      best = cost;
      lane = d;
      lanes = wide;
      found = true;
    }
  }
  if (!found)
    why = reason.empty() ? "no loop is long enough for lanes" : reason;
  return found;
}

/// The loop along which an input lies that the lanes read apart, as of a
/// transposition; -1 if there is none.
int Selector::findAlong() {
  int along = -1;
  for (const Walk &walk : inputWalks()) {
    if (walk.step[lane] == 0 || walk.step[lane] == 1)
      continue;
    for (unsigned d = 0; d < loops; ++d)
      if (d != lane && walk.step[d] == 1 && extents[d] != 1)
        along = d;
  }
  return along;
}

/// Lanes read apart, along `along` elements are together. Blocks of both loops
/// are whole lines of the cache where they are read and where they are written,
/// and are walked along the results: where rows are a power of two apart, few
/// of them fit the cache, and what is written has to stay until a line is full.
void Selector::tileTransposed(Schedule &s, unsigned along, bool isSmall) {
  for (unsigned d = 0; d < loops; ++d)
    if (d != lane && d != along)
      s.order.push_back(d);
  int64_t extent = extents[along];
  if (!isSmall || (extent != kUnknown && extent < kLeastOfSquare)) {
    // Piece by piece; each piece of memory comes into the cache once.
    s.order.push_back(lane);
    s.order.push_back(along);
    return;
  }
  s.order.push_back(along);
  s.order.push_back(lane);
  s.vector[lane] = lanes = std::min(lanes, kMostOfSquare);
  int64_t side = lanes;
  while (side * widestBytes(op, lane, walks) < kCacheLine &&
         (2 * side) * (2 * side) / lanes <= kMostOfTile)
    side *= 2;
  s.squares = along;
  s.tile[lane] = lanes * vectorsOf(extents[lane], lanes, side / lanes);
  s.tile[along] = extent == kUnknown ? side : std::min(extent, side);
}

/// Without a reduction nothing is accumulated: vectors are read and written.
void Selector::tileElementwise(Schedule &s) {
  int64_t size = std::distance(op.getBlock()->begin(), op.getBlock()->end());
  bool gathers = llvm::any_of(walks, [&](const Walk &w) {
    return w.step[lane] != 0 && w.step[lane] != 1;
  });
  bool isSmall = size <= 12;
  s.tile[lane] =
      lanes * vectorsOf(extents[lane], lanes, gathers || !isSmall ? 1 : 4);
  if (int along = gathers ? findAlong() : -1; along >= 0)
    tileTransposed(s, along, isSmall);
}

/// The parallel loop, other than the lanes, in which most of the loaded vectors
/// are used again; -1 if none is.
int Selector::findReuse() {
  int reuse = -1, bestReuse = 0;
  for (unsigned d = 0; d < loops; ++d) {
    if (d == lane || !isParallel(d) || extents[d] == 1)
      continue;
    int count = 0;
    for (const Walk &walk : inputWalks())
      count += walk.step[lane] != 0 && walk.step[d] == 0;
    if (count > bestReuse || (count == bestReuse && count > 0 &&
                              typical(extents[d]) > typical(extents[reuse]))) {
      bestReuse = count;
      reuse = d;
    }
  }
  return reuse;
}

/// Whether the lanes' rows lie far apart along the outermost reduction, and are
/// long: tile by tile, each would be read in pieces, a page for each.
bool Selector::readsColumns(const Schedule &s) {
  if (!isParallel(lane) || typical(extents[lane]) < 4 * s.tile[lane])
    return false;
  auto outer = llvm::find_if(llvm::seq(loops),
                             [&](unsigned d) { return !isParallel(d); });
  unsigned d = *outer;
  if (typical(extents[d]) < 2 * kBand)
    return false;
  return llvm::any_of(inputWalks(), [&](const Walk &walk) {
    int64_t step = walk.step[d];
    bool isFar = step == kUnknown || step >= kFarElements;
    bool isLarge = walk.elements >= nearElements(target) || step == kUnknown;
    return walk.step[lane] == 1 && isFar && isLarge;
  });
}

/// Nothing is used again; a few independent accumulators hide latency.
void Selector::tileWithoutReuse(Schedule &s) {
  int64_t accumulators = target.getRegisters() >= 32 ? 8 : 4;
  int64_t vectors = vectorsOf(extents[lane], lanes, accumulators);
  s.tile[lane] = lanes * vectors;
  for (int64_t d = loops - 1; d >= 0; --d)
    if (d != lane && isParallel(d) && extents[d] != 1) {
      s.tile[d] =
          tileOf(extents[d], std::max<int64_t>(1, accumulators / vectors));
      break;
    }
  if (!readsColumns(s))
    return;
  for (unsigned d = 0; d < loops; ++d)
    if (isParallel(d) && d != lane)
      s.order.push_back(d);
  s.order.push_back(lane);
  s.band = kBand;
}

/// The tile is chosen.
Selector::Streams Selector::countStreams(const Schedule &s, unsigned reuse) {
  Streams streams;
  for (const Walk &w : inputWalks()) {
    double repeats = 1;
    if (w.step[lane] != 0 && w.step[reuse] == 0)
      streams.vectors +=
          double(w.elements.get()) * typical(extents[reuse]) / s.tile[reuse];
    if (w.step[lane] != 0)
      continue;
    for (unsigned d = 0; d < loops; ++d)
      if (isParallel(d) && d != reuse && w.step[d] == 0)
        repeats *= double(typical(extents[d])) / s.tile[d];
    streams.scalars += double(w.elements.get()) * repeats;
  }
  return streams;
}

/// The input to pack, -1 for none. Packed, the vectors of a tile are next to
/// each other; that pays if they are used often, and if the scalars that stream
/// by come from a near cache.
int64_t Selector::choosePack(const Schedule &s, unsigned reuse,
                             const Streams &streams) {
  int64_t pack = -1, packable = 0, scalars = 0;
  for (auto [i, walk] : llvm::enumerate(inputWalks())) {
    if (walk.step[lane] == 0)
      scalars += walk.elements;
    else if (++packable == 1 && canPack(op, i, reuse))
      pack = i;
  }
  bool packs =
      packable == 1 && pack >= 0 && !op->hasAttr(program::fewRows) &&
      typical(extents[reuse]) >= 4 * s.tile[reuse] &&
      (scalars <= nearElements(target) || streams.vectors > streams.scalars);
  return packs ? pack : -1;
}

/// Accumulators lie along the lanes and along one more loop.
void Selector::tileParallelLanes(Schedule &s) {
  bool wideFile = target.getRegisters() >= 32;
  if (llvm::all_of(llvm::seq(loops), [&](unsigned d) { return isParallel(d); }))
    return tileElementwise(s);
  int reuse = findReuse();
  if (reuse < 0)
    return tileWithoutReuse(s);
  int64_t vectors = vectorsOf(extents[lane], lanes, wideFile ? 4 : 2);
  int64_t cap = wideFile ? std::min<int64_t>(12, 24 / vectors)
                         : std::min<int64_t>(8, 12 / vectors);
  s.tile[lane] = lanes * vectors;
  s.tile[reuse] = tileOf(extents[reuse], cap);

  // The order of the loops: the smaller stream wins. Outermost are those in
  // which every input moves.
  Streams streams = countStreams(s, reuse);
  s.pack = choosePack(s, reuse, streams);
  bool reuseInnermost = s.pack >= 0 || streams.vectors > streams.scalars;
  SmallVector<int64_t> batch, rest;
  for (unsigned d = 0; d < loops; ++d) {
    if (!isParallel(d) || d == unsigned(reuse))
      continue;
    bool everywhere = d != lane;
    for (const Walk &walk : inputWalks())
      everywhere &= walk.step[d] != 0;
    (everywhere ? batch : rest).push_back(d);
  }
  s.order = batch;
  if (!reuseInnermost)
    s.order.push_back(reuse);
  s.order.append(rest);
  if (reuseInnermost)
    s.order.push_back(reuse);
}

/// Partial sums lie in the lanes; a block of results shares what is loaded.
void Selector::tileReductionLanes(Schedule &s) {
  bool wideFile = target.getRegisters() >= 32;
  int64_t budget = wideFile ? 16 : 8;
  SaturatingInt points = 1;
  unsigned vectorInputs = 0;
  for (int i = 0, e = op.getNumDpsInputs(); i < e; ++i)
    vectorInputs += walks[i].step[lane] != 0;
  if (vectorInputs > 1) {
    unsigned blocked = 0;
    for (int64_t d = loops - 1; d >= 0 && blocked < 2; --d) {
      bool shared = false;
      for (int i = 0, e = op.getNumDpsInputs(); i < e; ++i)
        shared |= walks[i].step[lane] != 0 && walks[i].step[d] == 0;
      if (!isParallel(d) || extents[d] == 1 || !shared)
        continue;
      s.tile[d] = tileOf(extents[d], std::min<int64_t>(4, budget / points));
      points *= s.tile[d];
      ++blocked;
    }
  }
  s.tile[lane] =
      lanes * vectorsOf(extents[lane], lanes, std::max<int64_t>(1, 4 / points));
}

Schedule Selector::select() {
  if (op->getNumRegions() != 1 || loops == 0)
    return scalar("a single element");
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return scalar("tensors and buffers are mixed");
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!element.isIntOrFloat())
      return scalar("elements are neither integers nor floats");
    auto walk = walkOf(op.getMatchingIndexingMap(&operand),
                       operand.get().getType(), loops);
    if (!walk)
      return scalar("an index is not a linear function of the loops");
    walks.push_back(*walk);
  }
  std::string why;
  if (!chooseLane(why))
    return scalar(why);
  Schedule s;
  s.tile.assign(loops, 1);
  s.vector.assign(loops, 0);
  s.vector[lane] = lanes;
  if (isParallel(lane))
    tileParallelLanes(s);
  else
    tileReductionLanes(s);
  if (s.order.empty())
    for (unsigned d = 0; d < loops; ++d)
      if (isParallel(d))
        s.order.push_back(d);
  return s;
}

/// Kernels without vector code become plain loops and have no schedule.
bool needsSchedule(kernel::KernelOpInterface op, TargetAttr target) {
  std::string why;
  return isEmittable(op, target, why);
}

class SelectSchedule
    : public onnxc::impl::SelectSchedulePassBase<SelectSchedule> {
public:
  using SelectSchedulePassBase::SelectSchedulePassBase;
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    getOperation().walk([&](linalg::LinalgOp op) {
      op->setAttr(program::schedule,
                  selectSchedule(op, target).toAttr(&getContext()));
    });
    getOperation().walk([&](kernel::KernelOpInterface op) {
      if (needsSchedule(op, target) && !getSchedule(op) &&
          failed(setSchedule(cast<KernelCodegenInterface>(*op), target)))
        signalPassFailure();
    });
  }

private:
  LogicalResult setSchedule(KernelCodegenInterface op, TargetAttr target) {
    kernel::ScheduleInterface tuned = findTuned(op, target);
    if (!tuned) {
      op->setAttr(program::schedule, op.selectSchedule(target));
      return success();
    }
    std::string why;
    if (!isChoice(op, target, tuned, why))
      return op->emitError() << "--tuning=: entry '" << op.getTuningKey(target)
                             << "': " << tuned << " " << why;
    op->setAttr(program::schedule, tuned);
    op->setAttr(program::tuned, UnitAttr::get(&getContext()));
    return success();
  }
};

class VerifySchedule
    : public onnxc::impl::VerifySchedulePassBase<VerifySchedule> {
public:
  using VerifySchedulePassBase::VerifySchedulePassBase;
  void runOnOperation() override {
    bool ok = true;
    int64_t vectorBytes = TargetAttr::of(getOperation()).getVectorBytes();
    getOperation().walk([&](linalg::LinalgOp op) {
      auto complain = [&](const Twine &what) {
        op->emitOpError(what);
        ok = false;
      };
      std::optional<Schedule> s = Schedule::fromOp(op);
      if (!s)
        return complain("carries no well-formed 'onnxc.schedule'");
      if (!s->isVectorized())
        return;
      SmallVector<Walk> walks;
      for (OpOperand &operand : op->getOpOperands()) {
        auto walk = walkOf(op.getMatchingIndexingMap(&operand),
                           operand.get().getType(), op.getNumLoops());
        if (!walk)
          return complain("has an index that is not linear");
        walks.push_back(*walk);
      }
      int64_t bytes = s->lanes() * widestBytes(op, s->laneLoop(), walks);
      SaturatingInt vectors = 1;
      if (bytes > 4 * vectorBytes)
        return complain("has vectors that are too wide for the target");
      for (auto [tile, lanes] : llvm::zip_equal(s->tile, s->vector))
        vectors *= lanes ? tile / lanes : tile;
      if (vectors > kMostOfTile)
        complain("has a register tile of more than " + Twine(kMostOfTile) +
                 " vectors");
    });
    TargetAttr target = TargetAttr::of(getOperation());
    getOperation().walk([&](kernel::KernelOpInterface op) {
      if (!needsSchedule(op, target))
        return;
      if (kernel::ScheduleInterface schedule = getSchedule(op)) {
        ok &= succeeded(
            schedule.verifyFor(op, [&] { return op->emitOpError(); }));
        return;
      }
      op->emitOpError("carries no 'onnxc.schedule'");
      ok = false;
    });
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

Schedule onnxc::selectSchedule(linalg::LinalgOp op, TargetAttr target) {
  return Selector(op, target).select();
}
