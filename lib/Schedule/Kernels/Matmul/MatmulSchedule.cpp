//===- MatmulSchedule.cpp - The decision on one matrix product ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulSchedule.h"
#include "Kernels/Halves.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Half of a second-level cache.
constexpr int64_t kNearBytes = 1 << 20;
/// A sum over more steps than this is cut: the block of rows that reads it
/// would not stay in the first-level cache.
constexpr int64_t kMaxDepth = 1024, kMaxCopiedDepth = 512;

/// The first-level cache keeps a panel of three vectors of 64 bytes that has no
/// more steps, so that those can share it that read a part of each step.
constexpr int64_t kNearSteps = 256;

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
        rows(getLoopExtent(op, m)), columns(getLoopExtent(op, m + 1)),
        steps(getLoopExtent(op, k)), byElement(isByElement()) {}

  MatmulSchedule select();

private:
  RegisterTile chooseTile(int64_t lanes);
  RegisterTile chooseStreamingTile(int64_t lanes);
  RegisterTile chooseForFewRows(int64_t lanes);
  RegisterTile chooseOfPanels(int64_t panel, int64_t lanes);
  int64_t mostStreamingVectors();
  bool isRowStrideUnknown();
  bool isByElement();
  int64_t mostRows(int64_t vectors);
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
      op->hasAttr(program::fewRows))
    return chooseForFewRows(lanes);
  if (!ShapedType::isDynamic(rows) && rows <= kFewRows && rows > 0 &&
      !ShapedType::isDynamic(columns))
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
  if (!ShapedType::isDynamic(rows) && rows > 0 && rows <= kFewRows) {
    tile.vectors = std::min(mostStreamingVectors(), panel);
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

MatmulSchedule Selector::select() {
  Type sum = op.getAccumulatorType();
  int64_t lanes = std::max<int64_t>(1, target.getVectorBytes() * 8 /
                                           sum.getIntOrFloatBitWidth());
  RegisterTile tile = chooseTile(lanes);
  MatmulSchedule s;
  s.byElement = byElement;
  s.rows = tile.rows;
  s.columns = tile.vectors * lanes;
  bool packed = op.getPanelWidth() > 0, constant = isConstantRhs();
  if (packed && target.getLayout()) {
    RegisterTile part = chooseOfPanels(op.getPanelWidth() / lanes, lanes);
    s.rows = part.rows;
    s.columns = part.vectors * lanes;
  } else if (packed) {
    s.columns = op.getPanelWidth();
    int64_t vectors = std::max<int64_t>(1, s.columns / lanes);
    s.rows = std::min(s.rows, mostRows(vectors));
  }

  int64_t elementBytes = std::max<int64_t>(
      1, cast<ShapedType>(op.getRhs().getType()).getElementTypeBitWidth() / 8);
  bool large = typical(steps) * typical(columns) * elementBytes > kNearBytes;
  bool fewRows = !ShapedType::isDynamic(rows) && rows <= 2 * kFewRows;
  // Rows that lie far apart each take a page; a copy is read from few.
  AffineMap rhs = op.getMap(1);
  AffineExpr column = getAffineDimExpr(m + 1, op.getContext());
  bool unit = !packed && rhs.getResult(rhs.getNumResults() - 1) == column;
  bool sparse = !constant && typical(steps) >= 256 && typical(columns) >= 512 &&
                typical(rows) >= 64;
  s.copy = !packed && (!unit || sparse);
  s.prefetch = constant && large && !s.copy;

  int64_t most = s.copy ? kMaxCopiedDepth : kMaxDepth;
  if (ShapedType::isDynamic(steps)) {
    s.depth = s.copy ? most : 0;
  } else if (steps > most && !fewRows &&
             (s.copy || ShapedType::isDynamic(rows) || rows <= 256)) {
    s.depth = balance(steps, most);
  }
  if (s.depth)
    s.block = llvm::alignTo(s.copy ? 256 : 128, s.rows);
  else if (!s.prefetch && !s.copy && typical(rows) > 256)
    s.block = llvm::alignTo(256, s.rows);
  else if (!s.prefetch && !s.copy && ShapedType::isDynamic(rows))
    s.block = llvm::alignTo(256, s.rows);
  s.rowsOutside = s.block && !s.depth;
  s.widen = packed && s.columns % op.getPanelWidth() == 0 &&
            isHalf(getElementTypeOrSelf(op.getRhs().getType())) &&
            sum.isF32() && !ShapedType::isDynamic(steps) &&
            (ShapedType::isDynamic(rows) || rows >= kTilesThatWiden * s.rows);
  return s;
}

} // namespace

int64_t onnxc::getLoopExtent(kernel::MatmulOp op, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, op.getContext());
  int64_t extent = 1;
  Value operands[] = {op.getInit(), op.getLhs(), op.getRhs()};
  unsigned maps[] = {2, 0, 1};
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    for (auto [i, expr] : llvm::enumerate(op.getMap(map).getResults()))
      if (expr == dim) {
        extent = cast<ShapedType>(operand.getType()).getDimSize(i);
        if (!ShapedType::isDynamic(extent))
          return extent;
      }
  return extent;
}

int64_t onnxc::selectSharedPanel(kernel::MatmulOp op, TargetAttr target) {
  int64_t lanes = target.getLayoutTarget().getVectorBytes() * 8 /
                  op.getAccumulatorType().getIntOrFloatBitWidth();
  unsigned m = op.getNumBatchLoops();
  int64_t rows = getLoopExtent(op, m), columns = getLoopExtent(op, m + 1),
          steps = getLoopExtent(op, m + 2);
  if (ShapedType::isDynamic(columns))
    return lanes;
  bool streams = ShapedType::isDynamic(rows) ? op->hasAttr(program::fewRows)
                                             : rows <= kFewRows && rows > 0;
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

MatmulSchedule MatmulSchedule::select(kernel::MatmulOp op, TargetAttr target) {
  return Selector(op, target).select();
}

DictionaryAttr MatmulSchedule::toAttr(MLIRContext *ctx) const {
  Builder b(ctx);
  SmallVector<NamedAttribute> parts{
      b.getNamedAttr("tile", b.getDenseI64ArrayAttr({rows, columns}))};
  auto number = [&](StringRef name, int64_t value) {
    if (value)
      parts.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
  };
  auto flag = [&](StringRef name, bool value) {
    if (value)
      parts.push_back(b.getNamedAttr(name, b.getUnitAttr()));
  };
  number("depth", depth);
  number("block", block);
  flag("rows_outside", rowsOutside);
  flag("prefetch", prefetch);
  flag("copy", copy);
  flag("widen", widen);
  flag("by_element", byElement);
  return b.getDictionaryAttr(parts);
}

std::optional<MatmulSchedule> MatmulSchedule::fromOp(kernel::MatmulOp op) {
  auto dict = op->getAttrOfType<DictionaryAttr>(program::schedule);
  auto tile = dict ? dict.getAs<DenseI64ArrayAttr>("tile") : nullptr;
  if (!tile || tile.size() != 2)
    return std::nullopt;
  MatmulSchedule s;
  s.rows = tile[0];
  s.columns = tile[1];
  auto number = [&](StringRef name, int64_t &value) {
    if (auto attr = dict.getAs<IntegerAttr>(name))
      value = attr.getInt();
  };
  number("depth", s.depth);
  number("block", s.block);
  s.rowsOutside = dict.contains("rows_outside");
  s.prefetch = dict.contains("prefetch");
  s.copy = dict.contains("copy");
  s.widen = dict.contains("widen");
  s.byElement = dict.contains("by_element");
  // Whatever is read here is obeyed, so it has to make sense.
  if (s.rows < 1 || s.columns < 1 || s.depth < 0 || s.block < 0 ||
      (s.depth && !s.block) || (s.rowsOutside && (!s.block || s.depth)) ||
      (op.getPanelWidth() > 0 && ((op.getPanelWidth() % s.columns != 0 &&
                                   s.columns % op.getPanelWidth() != 0) ||
                                  s.copy)) ||
      (s.widen &&
       (!op.getPanelWidth() || s.columns % op.getPanelWidth() != 0 ||
        !isHalf(getElementTypeOrSelf(op.getRhs().getType())) ||
        ShapedType::isDynamic(getLoopExtent(op, op.getNumBatchLoops() + 2)))))
    return std::nullopt;
  return s;
}
