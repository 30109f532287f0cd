//===- MatmulChoices.cpp - Schedules that a product may have --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each sum takes the steps in their order, one multiply-add after the other:
// between the pieces of a depth it lies in memory as it is. So no schedule
// changes a bit.
//
//===----------------------------------------------------------------------===//

#include "Kernels/Halves.h"
#include "MatmulSchedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

/// The most vectors of a tile, and the most rows.
static constexpr int64_t kMostVectors = 8, kMostRows = 14;

/// Whether the constant that rhs is has no other reader, so that its panels may
/// be as wide as this product alone wants them.
static bool isOwnConstant(kernel::MatmulOp op) {
  return (op.getPanelWidth() > 0 || matchPattern(op.getRhs(), m_Constant())) &&
         op.getRhs().hasOneUse();
}

std::string onnxc::getTuningKey(kernel::MatmulOp op, TargetAttr) {
  std::string key;
  llvm::raw_string_ostream os(key);
  unsigned m = op.getNumBatchLoops();
  auto print = [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      os << "?";
    else
      os << extent;
  };
  os << "matmul";
  for (unsigned d = 0; d < m; ++d) {
    os << (d ? "x" : " batch=");
    print(op.getLoopExtent(d));
  }
  const StringRef names[] = {"rows", "columns", "steps"};
  for (auto [i, name] : llvm::enumerate(names)) {
    os << " " << name << "=";
    print(op.getLoopExtent(m + i));
  }
  os << " " << getElementTypeOrSelf(op.getLhs().getType()) << " "
     << getElementTypeOrSelf(op.getRhs().getType()) << " to "
     << op.getAccumulatorType();
  // The layout of a constant is the schedule's.
  if (op.getPanelWidth() > 0 || matchPattern(op.getRhs(), m_Constant()))
    os << (op.getRhs().hasOneUse() ? " constant" : " shared");
  else if (AffineMap rhs = op.getMap(1);
           rhs.getNumResults() == 0 ||
           rhs.getResults().back() != getAffineDimExpr(m + 1, op.getContext()))
    os << " transposed";
  if (op->hasAttr(program::fewRows))
    os << " few_rows";
  return key;
}

std::optional<int64_t> onnxc::getTunedPanelWidth(kernel::MatmulOp op,
                                                 kernel::ScheduleInterface by,
                                                 TargetAttr target) {
  auto tuned = dyn_cast_or_null<kernel::MatmulScheduleAttr>(by);
  if (!tuned || target.getLayout() || !isOwnConstant(op))
    return std::nullopt;
  int64_t lanes = target.getVectorBytes() * 8 /
                  op.getAccumulatorType().getIntOrFloatBitWidth();
  int64_t columns = tuned.getColumns();
  if (lanes < 1 || columns % lanes != 0 || columns / lanes > kMostVectors)
    return std::nullopt;
  return columns;
}

namespace {
class Choices {
public:
  Choices(kernel::MatmulOp op, TargetAttr target,
          function_ref<void(kernel::ScheduleInterface)> visit)
      : op(op), target(target), visit(visit), basis(selectSchedule(op, target)),
        m(op.getNumBatchLoops()), rows(op.getLoopExtent(m)),
        columns(op.getLoopExtent(m + 1)), steps(op.getLoopExtent(m + 2)),
        panel(op.getPanelWidth()),
        lanes(target.getVectorBytes() * 8 /
              op.getAccumulatorType().getIntOrFloatBitWidth()) {}

  void visitAll();

private:
  SmallVector<int64_t> listRows(int64_t vectors);
  void visitTile(int64_t tileRows, int64_t vectors);
  void visitDepths(int64_t tileRows, int64_t tileColumns, bool prefetch,
                   bool copy, bool widen);

  kernel::MatmulOp op;
  TargetAttr target;
  function_ref<void(kernel::ScheduleInterface)> visit;
  kernel::MatmulScheduleAttr basis;
  unsigned m;
  int64_t rows, columns, steps, panel, lanes;
};
} // namespace

/// As many rows as registers have room for, a few less, and equal shares.
SmallVector<int64_t> Choices::listRows(int64_t vectors) {
  int64_t left = target.getRegisters() - vectors - 1;
  int64_t most = std::clamp<int64_t>(
      left / (basis.getByElement() ? vectors + 1 : vectors), 1, kMostRows);
  llvm::SmallSetVector<int64_t, 8> list;
  auto add = [&](int64_t count) {
    if (count >= 1)
      list.insert(ShapedType::isDynamic(rows)
                      ? count
                      : std::min(count, std::max<int64_t>(rows, 1)));
  };
  if (!ShapedType::isDynamic(rows) && rows > 0)
    add(llvm::divideCeil(rows, llvm::divideCeil(rows, most)));
  for (int64_t less : {0, 1, 2})
    add(most - less);
  add(llvm::divideCeil(most, 2));
  return list.takeVector();
}

/// How the sum is cut, and the rows.
void Choices::visitDepths(int64_t tileRows, int64_t tileColumns, bool prefetch,
                          bool copy, bool widen) {
  auto add = [&](int64_t depth, int64_t block, bool outside,
                 int64_t singleRow = 0) {
    visit(kernel::MatmulScheduleAttr::get(
        op.getContext(), tileRows, tileColumns, depth,
        block ? llvm::alignTo(block, tileRows) : 0, outside, prefetch, copy,
        widen, basis.getByElement(), singleRow,
        singleRow && tileColumns == basis.getColumns() ? basis.getTwoRows() : 0,
        takesEachRest(op, tileRows, target)));
  };
  bool isOpen = ShapedType::isDynamic(steps);
  // What is copied or widened has room for a known number of steps.
  if (!isOpen || !copy) {
    add(0, 0, false);
    bool takesSingle = ShapedType::isDynamic(rows) && panel > 0 && !copy;
    int64_t ofPanel =
        isOwnConstant(op) && !target.getLayout() ? tileColumns : panel;
    SmallVector<int64_t> single;
    for (int64_t tiles = 2;
         takesSingle && tiles * tileColumns <= 2 * kMostVectors * lanes;
         ++tiles)
      if (tiles * tileColumns % ofPanel == 0 ||
          ofPanel % (tiles * tileColumns) == 0)
        single.push_back(tiles * tileColumns);
    for (int64_t width : single)
      add(0, 0, false, width);
    if (!copy && (ShapedType::isDynamic(rows) || rows > 128))
      for (int64_t block : {128, 256, 512}) {
        add(0, block, true);
        for (int64_t width : single)
          add(0, block, true, width);
      }
  }
  if (isOpen && !copy)
    return;
  for (int64_t most : {128, 192, 256, 384, 512, 1024, 2048}) {
    if (!isOpen && steps <= most)
      break;
    int64_t depth =
        isOpen
            ? most
            : int64_t(llvm::divideCeil(steps, llvm::divideCeil(steps, most)));
    for (int64_t block : {128, 256, 512})
      for (bool outside : {false, true})
        if (!outside || ShapedType::isDynamic(rows) || rows > block)
          add(depth, block, outside);
  }
}

void Choices::visitTile(int64_t tileRows, int64_t vectors) {
  int64_t tileColumns = vectors * lanes;
  bool isConstant = panel > 0;
  AffineMap rhs = op.getMap(1);
  bool unit =
      panel == 0 && rhs.getNumResults() > 0 &&
      rhs.getResults().back() == getAffineDimExpr(m + 1, op.getContext());
  bool widens = isConstant && !ShapedType::isDynamic(steps) &&
                isHalf(getElementTypeOrSelf(op.getRhs().getType())) &&
                op.getAccumulatorType().isF32();
  for (bool copy : {false, true}) {
    if (copy ? isConstant : !isConstant && !unit)
      continue;
    for (bool prefetch : {false, true}) {
      if (prefetch && !isConstant)
        continue;
      for (bool widen : {false, true})
        if (!widen || widens)
          visitDepths(tileRows, tileColumns, prefetch, copy, widen);
    }
  }
}

void Choices::visitAll() {
  if (lanes < 1)
    return;
  bool packs = isOwnConstant(op) && !target.getLayout();
  for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors) {
    if (target.getRegisters() < 2 * vectors + 1)
      break;
    int64_t width = vectors * lanes;
    if (panel > 0 && !packs && width % panel != 0 && panel % width != 0)
      continue;
    if (!ShapedType::isDynamic(columns) && vectors > 1 &&
        width - lanes >= columns)
      continue;
    for (int64_t count : listRows(vectors))
      visitTile(count, vectors);
  }
}

void onnxc::visitChoices(kernel::MatmulOp op, TargetAttr target,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  Choices(op, target, visit).visitAll();
}
