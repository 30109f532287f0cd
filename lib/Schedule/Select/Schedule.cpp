//===- Schedule.cpp - The decision on one structured op -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

int64_t Schedule::laneLoop() const {
  for (auto [i, lanes] : llvm::enumerate(vector))
    if (lanes > 0)
      return i;
  return -1;
}

DictionaryAttr Schedule::toAttr(MLIRContext *ctx) const {
  Builder b(ctx);
  if (!isVectorized())
    return b.getDictionaryAttr(
        b.getNamedAttr("reason", b.getStringAttr(reason)));
  SmallVector<NamedAttribute> parts{
      b.getNamedAttr("tile", b.getDenseI64ArrayAttr(tile)),
      b.getNamedAttr("vector", b.getDenseI64ArrayAttr(vector)),
      b.getNamedAttr("order", b.getDenseI64ArrayAttr(order))};
  if (pack >= 0)
    parts.push_back(b.getNamedAttr("pack", b.getI64IntegerAttr(pack)));
  if (band > 0)
    parts.push_back(b.getNamedAttr("band", b.getI64IntegerAttr(band)));
  if (squares >= 0)
    parts.push_back(b.getNamedAttr("squares", b.getI64IntegerAttr(squares)));
  return b.getDictionaryAttr(parts);
}

std::optional<Schedule> Schedule::fromOp(linalg::LinalgOp op) {
  auto dict = op->getAttrOfType<DictionaryAttr>(program::schedule);
  if (!dict)
    return std::nullopt;
  Schedule s;
  if (auto reason = dict.getAs<StringAttr>("reason")) {
    s.reason = reason.getValue().str();
    return s;
  }
  auto tile = dict.getAs<DenseI64ArrayAttr>("tile");
  auto vector = dict.getAs<DenseI64ArrayAttr>("vector");
  auto order = dict.getAs<DenseI64ArrayAttr>("order");
  if (!tile || !vector || !order)
    return std::nullopt;
  s.tile.assign(tile.asArrayRef().begin(), tile.asArrayRef().end());
  s.vector.assign(vector.asArrayRef().begin(), vector.asArrayRef().end());
  s.order.assign(order.asArrayRef().begin(), order.asArrayRef().end());

  if (auto pack = dict.getAs<IntegerAttr>("pack"))
    s.pack = pack.getInt();
  if (auto band = dict.getAs<IntegerAttr>("band"))
    s.band = band.getInt();
  if (auto squares = dict.getAs<IntegerAttr>("squares"))
    s.squares = squares.getInt();

  // Whatever is read here is obeyed, so it has to make sense.
  if (s.pack < -1 || s.pack >= op.getNumDpsInputs() ||
      (s.pack >= 0 &&
       (s.order.empty() || !canPack(op, s.pack, s.order.back()))))
    return std::nullopt;
  int64_t loops = op.getNumLoops(), lane = s.laneLoop();
  if (int64_t(s.tile.size()) != loops || int64_t(s.vector.size()) != loops ||
      lane < 0 || s.vector[lane] < 2 || s.tile[lane] % s.vector[lane] != 0)
    return std::nullopt;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  llvm::SmallBitVector seen(loops);
  for (int64_t d : s.order) {
    if (d < 0 || d >= loops || seen.test(d) ||
        !linalg::isParallelIterator(kinds[d]))
      return std::nullopt;
    seen.set(d);
  }
  // The tiles along the lanes follow each other, and each has sums to go on
  // with.
  if (s.band < 0 || (s.band > 0 && (s.pack >= 0 || s.order.empty() ||
                                    s.order.back() != lane ||
                                    op.getNumReductionLoops() == 0)))
    return std::nullopt;
  if (s.squares != -1 &&
      (s.squares < 0 || s.squares >= loops || s.squares == lane ||
       op.getNumReductionLoops() != 0 || !llvm::isPowerOf2_64(s.vector[lane])))
    return std::nullopt;
  for (int64_t d = 0; d < loops; ++d) {
    bool isParallel = linalg::isParallelIterator(kinds[d]);
    if (isParallel != seen.test(d) || s.tile[d] < 1 || s.vector[d] < 0 ||
        (d != lane && (s.vector[d] != 0 || (!isParallel && s.tile[d] != 1))))
      return std::nullopt;
  }
  return s;
}

bool onnxc::canPack(linalg::LinalgOp op, unsigned input, unsigned reuse) {
  OpOperand *operand = op.getDpsInputOperand(input);
  if (!isa<ShapedType>(operand->get().getType()) ||
      op.getMatchingIndexingMap(operand).isFunctionOfDim(reuse) ||
      op.hasIndexSemantics())
    return false;
  SaturatingInt elements = 1;
  auto extents = op.getStaticLoopRanges();
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(extents[d]) || extents[d] > kMaxPackedRows)
      return false;
    elements *= extents[d];
    if (elements > kMaxPackedRows)
      return false;
  }
  return elements > 1;
}

void onnxc::dropUnitTerms(linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  MLIRContext *ctx = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  llvm::SmallBitVector plain(op.getNumLoops());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        plain.set(dim.getPosition());

  bool changed = false;
  for (auto [map, operand] : llvm::zip_equal(maps, op->getOpOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    SmallVector<AffineExpr> results;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      AffineExpr simple = expr;
      if (isa<AffineBinaryOpExpr>(expr)) {
        DenseMap<AffineExpr, AffineExpr> zero;
        for (unsigned d = 0; d < map.getNumDims(); ++d)
          if (extents[d] == 1 && plain.test(d))
            zero[getAffineDimExpr(d, ctx)] = getAffineConstantExpr(0, ctx);
        simple = simplifyAffineExpr(expr.replace(zero), map.getNumDims(), 0);
        // A plain index promises that loop and dimension have the same extent.
        auto dim = dyn_cast<AffineDimExpr>(simple);
        if (dim && (type.isDynamicDim(i) ||
                    type.getDimSize(i) != extents[dim.getPosition()]))
          simple = expr;
        if (isa<AffineConstantExpr>(simple))
          simple = expr;
      }
      changed |= simple != expr;
      results.push_back(simple);
    }
    map = AffineMap::get(map.getNumDims(), 0, results, ctx);
  }
  if (changed)
    op.setIndexingMapsAttr(Builder(ctx).getAffineMapArrayAttr(maps));
}

std::optional<SmallVector<int64_t>>
onnxc::linearCoefficients(AffineExpr expr, unsigned numLoops) {
  SmallVector<int64_t> c(numLoops + 1, 0);
  auto visit = [&](auto &&self, AffineExpr e, int64_t scale) -> bool {
    if (auto constant = dyn_cast<AffineConstantExpr>(e)) {
      c[numLoops] += scale * constant.getValue();
      return true;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(e)) {
      c[dim.getPosition()] += scale;
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(e);
    if (!binary)
      return false;
    if (e.getKind() == AffineExprKind::Add)
      return self(self, binary.getLHS(), scale) &&
             self(self, binary.getRHS(), scale);
    if (e.getKind() != AffineExprKind::Mul)
      return false;
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return self(self, binary.getLHS(), scale * factor.getValue());
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getLHS()))
      return self(self, binary.getRHS(), scale * factor.getValue());
    return false;
  };
  if (!visit(visit, expr, 1))
    return std::nullopt;
  return c;
}
