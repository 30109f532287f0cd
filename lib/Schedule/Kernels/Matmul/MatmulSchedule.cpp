//===- MatmulSchedule.cpp - The decision on one matrix product ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulSchedule.h"
#include "Kernels/CacheShares.h"
#include "Kernels/Halves.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Tuning.h"
#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// A sum over more steps than this is cut: the block of rows that reads it
/// would not stay in the first-level cache.
constexpr int64_t kMaxDepth = 1024, kMaxCopiedDepth = 512;

/// The first-level cache keeps a panel of three vectors of 64 bytes that has no
/// more steps, so that those can share it that read a part of each step.
constexpr int64_t kNearSteps = 256;

/// What of a panel stays in the first level of the cache beside rows of lhs.
int64_t firstLevelPanel(TargetAttr target) {
  return target.getFirstLevelCache() * 3 / 4;
}

constexpr int64_t kLineBytes = 64;

/// So many columns lie so far apart, from one step to the next, that a panel of
/// them is copied for so many steps and rows.
constexpr int64_t kSparseColumns = 128, kSparseSteps = 256, kSparseRows = 64;

/// Columns that are a part of longer rows are copied if so many steps and rows
/// read them.
constexpr int64_t kSpreadSteps = 256, kSpreadRows = 32;

/// So many vectors of sums hide how long a multiply-add takes.
constexpr int64_t kSumsOfFewRows = 8;

/// The rows of lhs that all panels meet before the next ones wait in the cache;
/// they are so many that weights are not read too often.
constexpr int64_t kMinNearRows = 64, kMaxNearRows = 256;

/// A register tile: rows of so many vectors.
struct RegisterTile {
  int64_t rows, vectors;
};

/// The tiles that leave registers for a row of rhs and for one element of lhs,
/// or for a vector of each row; those at the front win where two cost the same.
ArrayRef<RegisterTile> tilesOf(int64_t registers, bool byElement) {
  static constexpr RegisterTile ofVectors[] = {{7, 3}, {5, 4}, {9, 2}, {14, 1}};
  static constexpr RegisterTile wide[] = {{8, 3}, {12, 2}, {6, 4}, {14, 1}};
  static constexpr RegisterTile narrow[] = {{4, 3}, {6, 2}, {12, 1}};
  static constexpr RegisterTile few[] = {{2, 2}, {4, 1}};
  return byElement         ? ArrayRef<RegisterTile>(ofVectors)
         : registers >= 32 ? ArrayRef<RegisterTile>(wide)
         : registers >= 16 ? ArrayRef<RegisterTile>(narrow)
                           : ArrayRef<RegisterTile>(few);
}

/// What an element takes, and a byte at least.
int64_t bytesOf(Value operand) {
  Type type = getElementTypeOrSelf(operand.getType());
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

/// Whether rows of an unknown number meet constant columns that stay in the
/// first level of the cache: of few rows a tile takes as long as its sums wait.
bool staysNear(kernel::MatmulOp op, TargetAttr target) {
  unsigned m = op.getNumBatchLoops();
  int64_t columns = op.getLoopExtent(m + 1), steps = op.getLoopExtent(m + 2);
  return (op.getPanelWidth() > 0 || matchPattern(op.getRhs(), m_Constant())) &&
         ShapedType::isDynamic(op.getLoopExtent(m)) &&
         !ShapedType::isDynamic(columns) && !ShapedType::isDynamic(steps) &&
         (SaturatingInt(columns) * steps * bytesOf(op.getRhs())).get() <=
             firstLevelPanel(target);
}

/// Vectors have so many sums.
int64_t lanesOf(kernel::MatmulOp op, TargetAttr target) {
  return std::max<int64_t>(1,
                           target.getVectorBytes() * 8 /
                               op.getAccumulatorType().getIntOrFloatBitWidth());
}

/// Whether so many rows are known to be few. (kDynamic is below zero.)
bool hasFewRows(int64_t rows) { return rows > 0 && rows <= kFewRows; }

/// Rows are shared out evenly.
int64_t balance(int64_t extent, int64_t most) {
  return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
}

/// Cycles of one step of the sum in one tile: two multiply-adds or two loads
/// per cycle, and no less than a multiply-add takes.
double stepCost(int64_t rows, int64_t vectors) {
  return std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0}) + 0.3;
}

double costOf(RegisterTile tile, int64_t rows, int64_t vectors) {
  auto panel = [&](int64_t width) {
    int64_t most = balance(rows, tile.rows), rest = rows % most;
    return double(rows / most) * stepCost(most, width) +
           (rest ? stepCost(rest, width) : 0);
  };
  int64_t rest = vectors % tile.vectors;
  return double(vectors / tile.vectors) * panel(tile.vectors) +
         (rest ? panel(rest) : 0);
}

class Selector {
public:
  Selector(kernel::MatmulOp op, TargetAttr target)
      : op(op), target(target), m(op.getNumBatchLoops()), k(m + 2),
        rows(op.getLoopExtent(m)), columns(op.getLoopExtent(m + 1)),
        steps(op.getLoopExtent(k)), byElement(isByElement()) {}

  kernel::MatmulScheduleAttr select();

private:
  RegisterTile chooseTile(int64_t lanes);
  RegisterTile chooseStreamingTile(int64_t lanes);
  RegisterTile chooseForFewRows(int64_t lanes);
  RegisterTile chooseOfPanels(int64_t panel, int64_t lanes);
  RegisterTile chooseFinalTile(int64_t lanes);
  int64_t mostStreamingVectors();
  int64_t chooseStreamingVectors(int64_t panel);
  bool isRowStrideUnknown();
  bool isByElement();
  int64_t mostRows(int64_t vectors);
  int64_t chooseNearRows(int64_t tileColumns, int64_t weightBytes, bool isCut);
  bool isSpreadRhs();
  bool isConstantRhs() {
    return op.getPanelWidth() > 0 || matchPattern(op.getRhs(), m_Constant());
  }

  kernel::MatmulOp op;
  TargetAttr target;
  unsigned m, k;
  int64_t rows, columns, steps;
  bool byElement;
};

/// Whether consecutive steps of the sum lie side by side in rows of lhs, and
/// the target multiplies by elements of a vector.
bool Selector::isByElement() {
  AffineMap map = op.getMap(0);
  return supports(target, Capability::ByElement) &&
         target.getRegisters() >= 32 && op.getAccumulatorType().isF32() &&
         getElementTypeOrSelf(op.getLhs().getType()).isF32() &&
         map.getNumResults() > 0 &&
         map.getResults().back() == getAffineDimExpr(k, op.getContext());
}

/// Whether the columns are a part of rows that have more than them: those of
/// one head among the values of all. A panel then takes a few sets of the
/// nearest cache, and has no room there.
bool Selector::isSpreadRhs() {
  auto slice = op.getRhs().getDefiningOp<tensor::ExtractSliceOp>();
  AffineMap map = op.getMap(1);
  if (!slice || map.getNumResults() < 2 ||
      map.getResults().back() != getAffineDimExpr(m + 1, op.getContext()))
    return false;
  auto whole = slice.getSourceType(), part = slice.getType();
  int64_t inRow = 1, ofColumns = part.getShape().back();
  // Of all dimensions below that of the steps.
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  auto step = map.getResultPosition(getAffineDimExpr(k, op.getContext()));
  if (!step)
    return false;
  int64_t kept = 0;
  for (int64_t i = 0; i < whole.getRank(); ++i) {
    if (kept > int64_t(*step))
      inRow = typical(whole.getDimSize(i)) * inRow;
    kept += !dropped.test(i);
  }
  return !ShapedType::isDynamic(ofColumns) && inRow > ofColumns;
}

/// How many rows of so many vectors the registers hold sums of.
int64_t Selector::mostRows(int64_t vectors) {
  int64_t left = target.getRegisters() - vectors - 1;
  return std::max<int64_t>(1, left / (byElement ? vectors + 1 : vectors));
}

/// Whether rows of lhs are so far apart as is known only when it runs. Each row
/// of a tile then takes an address register.
bool Selector::isRowStrideUnknown() {
  AffineMap map = op.getMap(0);
  auto type = cast<ShapedType>(op.getLhs().getType());
  bool below = false, unknown = false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (below)
      unknown |= type.isDynamicDim(i);
    below |= expr == getAffineDimExpr(m, op.getContext());
  }
  return unknown;
}

/// How many vectors of rhs the sums of few rows leave registers for.
int64_t Selector::mostStreamingVectors() {
  int64_t left = target.getRegisters() - 1 - (byElement ? rows : 0);
  int64_t most = rows == 1 ? 8 : left / (rows + 1);
  return std::clamp<int64_t>(most, 1, 8);
}

/// Few rows read whole panels side by side, as many as there are registers for
/// the sums of: a core gets more from memory by several streams than by one,
/// which stops at the end of each page.
int64_t Selector::chooseStreamingVectors(int64_t panel) {
  int64_t panels = std::max<int64_t>(1, mostStreamingVectors() / panel);
  if (!ShapedType::isDynamic(columns))
    panels = std::clamp<int64_t>(llvm::divideCeil(columns, op.getPanelWidth()),
                                 1, panels);
  return panels * panel;
}

/// Few rows: what counts is that rhs streams by; its panels are as wide as they
/// can be without much padding.
RegisterTile Selector::chooseStreamingTile(int64_t lanes) {
  int64_t vectors = llvm::divideCeil(columns, lanes);
  int64_t most = std::min(mostStreamingVectors(), vectors);
  int64_t best = most;
  for (int64_t width = most; width >= std::max<int64_t>(1, most / 2); --width)
    if (llvm::alignTo(vectors, width) < llvm::alignTo(vectors, best))
      best = width;
  return {rows, best};
}

/// Rows whose number is not known, but will be small: panels without padding,
/// and of these the widest, since a row alone has one sum for each vector.
RegisterTile Selector::chooseForFewRows(int64_t lanes) {
  int64_t vectors = llvm::divideCeil(columns, lanes);
  std::optional<RegisterTile> best;
  auto padded = [&](const RegisterTile &tile) {
    return std::make_pair(llvm::alignTo(vectors, tile.vectors), -tile.vectors);
  };
  for (RegisterTile tile : tilesOf(target.getRegisters(), byElement))
    if (!best || padded(tile) < padded(*best))
      best = tile;
  return *best;
}

RegisterTile Selector::chooseTile(int64_t lanes) {
  if (ShapedType::isDynamic(rows) && !ShapedType::isDynamic(columns) &&
      (op->hasAttr(program::fewRows) || staysNear(op, target)))
    return chooseForFewRows(lanes);
  if (hasFewRows(rows) && !ShapedType::isDynamic(columns))
    return chooseStreamingTile(lanes);
  int64_t vectors =
      std::max<int64_t>(1, llvm::divideCeil(typical(columns), lanes));
  int64_t count = std::max<int64_t>(1, typical(rows));
  bool fewAddresses = isRowStrideUnknown();
  std::optional<RegisterTile> best;
  double bestCost = 0;
  for (RegisterTile tile : tilesOf(target.getRegisters(), byElement)) {
    tile.vectors = std::min(tile.vectors, vectors);
    double cost = costOf(tile, count, vectors);
    // A row whose address does not follow from the one before costs a register
    // that there is not.
    if (fewAddresses && tile.rows > 6)
      cost *= 1.2;
    // Many rows read a power of two apart meet in the same cache sets.
    if (count >= 512 && tile.rows > 6)
      cost *= 1.02;
    if (!best || cost < 0.98 * bestCost) {
      best = tile;
      bestCost = cost;
    }
  }
  if (!ShapedType::isDynamic(rows))
    best->rows = balance(count, best->rows);
  return *best;
}

/// A tile of whole panels, which are `panel` vectors wide, or of a part of one:
/// they are packed for several processors.
RegisterTile Selector::chooseOfPanels(int64_t panel, int64_t lanes) {
  RegisterTile tile = chooseTile(lanes);
  auto fits = [&](int64_t width) {
    return width % panel == 0 || panel % width == 0;
  };
  if (ShapedType::isDynamic(rows) && op->hasAttr(program::fewRows) &&
      panel > 1) {
    // A row alone has one sum for each vector.
    int64_t width = panel, most = target.getRegisters() / 2 - 2;
    while (width > most)
      width /= 2;
    return {byElement
                ? mostRows(width)
                : std::max<int64_t>(1, (target.getRegisters() - 2) / width),
            width};
  }
  if (fits(tile.vectors))
    return tile;
  if (hasFewRows(rows)) {
    tile.vectors = mostStreamingVectors() > panel
                       ? chooseStreamingVectors(std::max<int64_t>(1, panel))
                       : mostStreamingVectors();
    while (!fits(tile.vectors))
      --tile.vectors;
    return tile;
  }
  int64_t count = std::max<int64_t>(1, typical(rows)),
          vectors =
              std::max<int64_t>(1, llvm::divideCeil(typical(columns), lanes));
  RegisterTile best{1, 1};
  double bestCost = 0;
  for (int64_t width = 1; width <= 4; ++width) {
    if (!fits(width) || target.getRegisters() <= 2 * width)
      continue;
    RegisterTile some{std::min<int64_t>(mostRows(width), 14), width};
    double cost = costOf(some, count, vectors);
    if (bestCost == 0 || cost < 0.98 * bestCost) {
      best = some;
      bestCost = cost;
    }
  }
  if (!ShapedType::isDynamic(rows))
    best.rows = balance(count, best.rows);
  return best;
}

/// The tile; of packed columns, one that suits the panels.
RegisterTile Selector::chooseFinalTile(int64_t lanes) {
  if (op.getPanelWidth() == 0)
    return chooseTile(lanes);
  int64_t panel = op.getPanelWidth() / lanes;
  if (target.getLayout())
    return chooseOfPanels(panel, lanes);
  int64_t vectors = std::max<int64_t>(1, panel);
  if (hasFewRows(rows))
    return {rows, chooseStreamingVectors(vectors)};
  return {std::min(chooseTile(lanes).rows, mostRows(vectors)), vectors};
}

/// How many rows meet all panels of weights before the next rows do; 0: each
/// panel meets all rows. Those come from far away for each panel if they are
/// too many for the second level of the cache, the weights for each of the
/// blocks, which costs twice as much: they may lie in memory. Sums that are cut
/// wait in the cache, too.
int64_t Selector::chooseNearRows(int64_t tileColumns, int64_t weightBytes,
                                 bool isCut) {
  if (ShapedType::isDynamic(steps) || ShapedType::isDynamic(columns) ||
      op->hasAttr(program::fewRows))
    return 0;
  if (ShapedType::isDynamic(rows))
    return isCut ? kMaxNearRows / 2 : kMaxNearRows;
  int64_t rowBytes = std::max<int64_t>(1, steps * bytesOf(op.getLhs()));
  int64_t near =
      std::clamp(waitingBytes(target) / rowBytes, kMinNearRows, kMaxNearRows);
  SaturatingInt all = SaturatingInt(rowBytes) * rows,
                ofPanels = all * llvm::divideCeil(columns, tileColumns),
                ofBlocks = SaturatingInt(2 * llvm::divideCeil(rows, near)) *
                           weightBytes;
  bool pays = rows > kMaxNearRows && all.get() > nearBytes(target) &&
              ofBlocks.get() < ofPanels.get();
  return pays ? near : 0;
}

kernel::MatmulScheduleAttr Selector::select() {
  Type sum = op.getAccumulatorType();
  int64_t lanes = lanesOf(op, target);
  RegisterTile tile = chooseFinalTile(lanes);
  bool packed = op.getPanelWidth() > 0, constant = isConstantRhs();
  int64_t tileColumns = tile.vectors * lanes;
  int64_t elementBytes = bytesOf(op.getRhs());
  bool large =
      typical(steps) * typical(columns) * elementBytes > nearBytes(target);
  bool fewRows = !ShapedType::isDynamic(rows) && rows <= 2 * kFewRows;
  // Rows that lie far apart each take a page; a copy is read from few.
  AffineMap rhs = op.getMap(1);
  AffineExpr column = getAffineDimExpr(m + 1, op.getContext());
  bool unit = !packed && rhs.getResult(rhs.getNumResults() - 1) == column;
  bool sparse = !constant && typical(steps) >= kSparseSteps &&
                !ShapedType::isDynamic(columns) && columns >= kSparseColumns &&
                typical(rows) >= kSparseRows;
  bool spread = !constant && typical(steps) >= kSpreadSteps &&
                typical(rows) >= kSpreadRows && isSpreadRhs();
  bool copy = !packed && (!unit || sparse || spread);
  bool prefetch = constant && large && !copy;

  int64_t most = copy ? kMaxCopiedDepth : kMaxDepth, depth = 0, block = 0;
  if (ShapedType::isDynamic(steps)) {
    depth = copy ? most : 0;
  } else if (steps > most && !fewRows &&
             (copy || ShapedType::isDynamic(rows) || rows <= 256)) {
    depth = balance(steps, most);
  }
  // Tiles read a panel while the next one comes from memory: all but the first
  // find it in the first-level cache if the sum is cut. With vectors of a whole
  // cache line, sums to memory and back cost more than that unless there are
  // few tiles.
  bool rereads = prefetch && !op->hasAttr(program::fewRows) &&
                 (ShapedType::isDynamic(rows) || rows > tile.rows) &&
                 (fewRows || target.getVectorBytes() < kLineBytes);
  rereads |= spread && target.getVectorBytes() < kLineBytes;
  if (int64_t fit = firstLevelPanel(target) / (tileColumns * elementBytes);
      rereads && !ShapedType::isDynamic(steps) && fit > 0 && steps > fit)
    depth = balance(steps, fit);
  int64_t near =
      prefetch && packed
          ? chooseNearRows(tileColumns, steps * columns * elementBytes, depth)
          : 0;
  if (near)
    block = llvm::alignTo(near, tile.rows);
  else if (depth)
    block = llvm::alignTo(copy ? 256 : 128, tile.rows);
  else if (!prefetch && !copy &&
           (ShapedType::isDynamic(rows) || typical(rows) > 256))
    block = llvm::alignTo(256, tile.rows);
  bool widen =
      packed && tileColumns % op.getPanelWidth() == 0 &&
      isHalf(getElementTypeOrSelf(op.getRhs().getType())) && sum.isF32() &&
      !ShapedType::isDynamic(steps) &&
      (ShapedType::isDynamic(rows) || rows >= kTilesThatWiden * tile.rows);
  bool singleRow =
      ShapedType::isDynamic(rows) && packed && (prefetch || (!widen && !depth));
  int64_t ofSingle =
      singleRow ? selectSingleRow(op.getPanelWidth(), tileColumns, lanes,
                                  /*streams=*/prefetch)
                : 0;
  return kernel::MatmulScheduleAttr::get(
      op.getContext(), tile.rows, tileColumns, depth, block,
      /*rows_outside=*/near || (block && !depth), prefetch, copy, widen,
      byElement, ofSingle,
      ofSingle ? selectTwoRows(op, tileColumns, lanes, target) : 0,
      takesEachRest(op, tile.rows, target));
}

} // namespace

bool onnxc::takesEachRest(kernel::MatmulOp op, int64_t rows,
                          TargetAttr target) {
  // Each is code of its own.
  constexpr int64_t kMostRows = 6;
  return rows > 1 && rows <= kMostRows && staysNear(op, target);
}

int64_t onnxc::selectTwoRows(kernel::MatmulOp op, int64_t columns,
                             int64_t lanes, TargetAttr target) {
  int64_t own = columns / lanes, panel = op.getPanelWidth(),
          all = op.getLoopExtent(op.getNumBatchLoops() + 1);
  if (2 * own >= kSumsOfFewRows || !staysNear(op, target))
    return 0;
  // Registers for two rows of sums and a row of rhs.
  int64_t most = std::min<int64_t>((target.getRegisters() - 1) / 3,
                                   llvm::divideCeil(all, lanes));
  for (int64_t tiles = most / own; tiles > 1; --tiles)
    if (tiles * columns % panel == 0 || panel % (tiles * columns) == 0)
      return tiles * columns;
  return 0;
}

int64_t onnxc::selectSingleRow(int64_t panel, int64_t columns, int64_t lanes,
                               bool streams) {
  // With more sums four panels of three vectors come from memory side by side.
  const int64_t sums = streams ? 12 : kSumsOfFewRows;
  for (int64_t tiles = sums * lanes / columns; tiles > 1; --tiles)
    if (tiles * columns % panel == 0 || panel % (tiles * columns) == 0)
      return tiles * columns;
  return 0;
}

/// Whether `op` has few rows, and its constant rhs is too large for a cache.
static bool streamsFromMemory(kernel::MatmulOp op, TargetAttr target) {
  unsigned m = op.getNumBatchLoops();
  int64_t rows = op.getLoopExtent(m), columns = op.getLoopExtent(m + 1),
          steps = op.getLoopExtent(m + 2);
  return hasFewRows(rows) && !ShapedType::isDynamic(columns) &&
         !ShapedType::isDynamic(steps) &&
         (SaturatingInt(columns) * steps * bytesOf(op.getRhs())).get() >
             nearBytes(target);
}

/// Panels of a cache line, of which a tile reads several side by side.
static int64_t selectStreamingPanel(kernel::MatmulOp op, int64_t lanes) {
  return std::max<int64_t>(lanes, kLineBytes / bytesOf(op.getRhs()));
}

/// Panels that are packed for several processors, of which a tile takes whole
/// ones or a part of one. With few rows rhs streams by: panels are wide, so
/// that it is read in few streams. Otherwise they have three vectors of the
/// longest: tiles of one, two and three vectors of any processor divide them,
/// and a tile that reads a part of each row finds room in all sets of a cache,
/// which it would not in rows of a power of two bytes.
static int64_t selectSharedPanel(kernel::MatmulOp op, TargetAttr target) {
  int64_t lanes = lanesOf(op, target.getLayoutTarget());
  unsigned m = op.getNumBatchLoops();
  int64_t rows = op.getLoopExtent(m), columns = op.getLoopExtent(m + 1),
          steps = op.getLoopExtent(m + 2);
  if (ShapedType::isDynamic(columns))
    return lanes;
  if (streamsFromMemory(op, target))
    return selectStreamingPanel(op, lanes);
  bool streams = ShapedType::isDynamic(rows) ? op->hasAttr(program::fewRows)
                                             : hasFewRows(rows);
  int64_t best = lanes;
  for (int64_t vectors : {2, 3, 4}) {
    int64_t width = vectors * lanes;
    if (streams ? llvm::alignTo(columns, width) <= llvm::alignTo(columns, best)
                : vectors == 3 && columns % width == 0 &&
                      typical(steps) <= kNearSteps)
      best = width;
  }
  return best;
}

int64_t onnxc::selectPanelWidth(kernel::MatmulOp op, TargetAttr target) {
  kernel::ScheduleInterface tuned =
      findTuned(cast<KernelCodegenInterface>(*op), target);
  if (std::optional<int64_t> width = getTunedPanelWidth(op, tuned, target))
    return *width;
  if (target.getLayout())
    return selectSharedPanel(op, target);
  int64_t columns = selectSchedule(op, target).getColumns();
  return streamsFromMemory(op, target)
             ? std::min(columns, selectStreamingPanel(op, lanesOf(op, target)))
             : columns;
}

kernel::MatmulScheduleAttr onnxc::selectSchedule(kernel::MatmulOp op,
                                                 TargetAttr target) {
  return Selector(op, target).select();
}
