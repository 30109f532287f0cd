//===- Contraction.cpp - Matrix products ----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Contraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

#include <cmath>

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// acc + x * y, in the type of the accumulator.
static Value multiplyAdd(ScalarBuilder &s, ValueRange args) {
  Type type = args[2].getType();
  return s.add(args[2], s.mul(s.cast(args[0], type, false, false),
                              s.cast(args[1], type, false, false)));
}

/// Matrices with the leading dimensions `batch` (broadcast).
static Value multiplyBroadcast(Lowering &l, Value x, Value y,
                               ArrayRef<OpFoldResult> batch, Type accumulator) {
  size_t n = batch.size();
  Sizes sizes(batch);
  sizes.push_back(l.dim(x, Lowering::rank(x) - 2));
  sizes.push_back(l.dim(y, Lowering::rank(y) - 1));

  // Loops: batch…, m, n, k.
  auto map = [&](Value &operand, unsigned row, unsigned column) {
    Sizes own(batch.take_back(Lowering::rank(operand) - 2));
    own.push_back(l.dim(operand, Lowering::rank(operand) - 2));
    own.push_back(l.dim(operand, Lowering::rank(operand) - 1));
    auto [read, lead] = l.broadcast(operand, own);
    operand = read;
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : lead.getResults().drop_back(2))
      exprs.push_back(expr.shiftDims(own.size(), n + 2 - own.size()));
    exprs.push_back(l.b.getAffineDimExpr(n + row));
    exprs.push_back(l.b.getAffineDimExpr(n + column));
    return AffineMap::get(n + 3, 0, exprs, l.b.getContext());
  };
  AffineMap xMap = map(x, 0, 2), yMap = map(y, 2, 1);
  SmallVector<IteratorType> iterators(n + 2, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  Value init = l.filled(sizes, l.constant(accumulator, 0));
  return l.generic({x, y}, init,
                   {xMap, yMap, l.dropDims(n + 3, {int64_t(n + 2)})}, iterators,
                   multiplyAdd);
}

/// x [… m k] times y [… k n] with the forms that are scheduled best: one
/// matrix product where y has no batch, a batched one where both have the same.
static Value multiply(Lowering &l, Value x, Value y,
                      ArrayRef<OpFoldResult> batch, Type accumulator) {
  int64_t xRank = Lowering::rank(x), yRank = Lowering::rank(y);
  OpFoldResult m = l.dim(x, xRank - 2), k = l.dim(x, xRank - 1),
               n = l.dim(y, yRank - 1);
  auto zeros = [&](ArrayRef<OpFoldResult> sizes) {
    return l.filled(sizes, l.constant(accumulator, 0));
  };
  Sizes full(batch);
  full.append({m, n});
  if (yRank == 2) {
    Sizes lead = l.sizes(x);
    lead.pop_back();
    OpFoldResult rows = xRank == 2 ? m : l.product(lead);
    Value flat = l.reshape(x, {rows, k});
    Value init = zeros({rows, n});
    Value product = linalg::MatmulOp::create(l.b, l.loc, init.getType(),
                                             ValueRange{flat, y}, init)
                        .getResult(0);
    return l.reshape(product, full);
  }
  auto hasBatch = [&](Value operand) {
    return Lowering::rank(operand) == int64_t(full.size()) &&
           llvm::all_of(llvm::enumerate(batch), [&](auto each) {
             return isSameIndex(l.dim(operand, each.index()), each.value());
           });
  };
  if (!hasBatch(x) || !hasBatch(y))
    return multiplyBroadcast(l, x, y, batch, accumulator);
  OpFoldResult count = batch.size() == 1 ? batch[0] : l.product(batch);
  Value init = zeros({count, m, n});
  Value product =
      linalg::BatchMatmulOp::create(
          l.b, l.loc, init.getType(),
          ValueRange{l.reshape(x, {count, m, k}), l.reshape(y, {count, k, n})},
          init)
          .getResult(0);
  return l.reshape(product, full);
}

Value onnxc::matmul(Lowering &l, Value x, Value y, ArrayRef<OpFoldResult> sizes,
                    Type accumulator) {
  bool isRow = Lowering::rank(x) == 1, isColumn = Lowering::rank(y) == 1;
  if (isRow)
    x = l.reshape(x, {l.attr(1), l.dim(x, 0)});
  if (isColumn)
    y = l.reshape(y, {l.dim(y, 0), l.attr(1)});
  int64_t matrixDims = 2 - isRow - isColumn;
  Value product = multiply(l, x, y, sizes.drop_back(matrixDims), accumulator);
  return matrixDims == 2 ? product : l.reshape(product, sizes);
}

static LogicalResult lowerMatMul(MatMulOp op, MatMulOp::Adaptor operands,
                                 Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getA(), y = operands.getB();
  if (Lowering::rank(x) == 0 || Lowering::rank(y) == 0)
    return l.invalid("an input is a scalar, expected at least rank 1");
  Type element = l.resultType().getElementType();
  Value product = matmul(l, x, y, *sizes, getAccumulatorType(element));
  return l.replace(l.castElements(product, element));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

static LogicalResult lowerGemm(GemmOp op, GemmOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getA(), y = operands.getB(), z = operands.getC();
  Type element = l.resultType().getElementType();
  Type accumulator = getAccumulatorType(element);
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();

  // Loops: m, n, k.
  AffineExpr m, n, k;
  bindDims(l.b.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column, bool transposed) {
    SmallVector<AffineExpr, 2> exprs{row, column};
    if (transposed)
      std::swap(exprs[0], exprs[1]);
    return AffineMap::get(3, 0, exprs, l.b.getContext());
  };
  ArrayAttr maps = l.b.getAffineMapArrayAttr(
      {map(m, k, op.getTransA()), map(k, n, op.getTransB()), map(m, n, false)});

  // The sum starts from C where nothing is scaled.
  bool startsFromC = z && alpha == 1 && beta == 1;
  auto readC = [&](Type type, ScalarBody body) {
    auto [read, cMap] = l.broadcast(z, *sizes);
    return l.map(read, cMap, *sizes, type, body);
  };
  Value init;
  if (startsFromC)
    init = readC(accumulator, [&](ScalarBuilder &s, ValueRange args) {
      return s.cast(args[0], accumulator, false, false);
    });
  else
    init = l.filled(*sizes, l.constant(accumulator, 0));
  Value product =
      linalg::MatmulOp::create(l.b, l.loc, init.getType(), ValueRange{x, y},
                               init, {l.b.getNamedAttr("indexing_maps", maps)})
          .getResult(0);
  bool addsC = z && !startsFromC && beta != 0;
  if (alpha == 1 && !addsC)
    return l.replace(l.castElements(product, element));

  // Integers may be scaled by a fraction; the result is cut off.
  bool isFraction = alpha != std::trunc(alpha) || beta != std::trunc(beta);
  bool isUnsigned = l.isUnsigned();
  Type scaled = isFraction && isa<IntegerType>(accumulator)
                    ? Type(l.b.getF64Type())
                    : accumulator;
  auto scale = [&](ScalarBuilder &s, Value value, double factor) {
    value = s.cast(value, scaled, isUnsigned, isUnsigned);
    return factor == 1 ? value : s.mul(value, s.constant(value, factor));
  };
  SmallVector<Value> inputs{product};
  SmallVector<AffineMap> reads{l.identityMap(2)};
  if (addsC) {
    auto [read, cMap] = l.broadcast(z, *sizes);
    inputs.push_back(read);
    reads.push_back(cMap);
  }
  return l.replace(l.map(inputs, reads, *sizes, element,
                         [&](ScalarBuilder &s, ValueRange args) {
                           Value sum = scale(s, args[0], alpha);
                           if (addsC)
                             sum = s.add(sum, scale(s, args[1], beta));
                           return s.cast(sum, element, isUnsigned, isUnsigned);
                         }));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// The labels of a term: letters stand for themselves; what its ellipsis covers
/// is numbered from the right, as -1, -2, ….
static SmallVector<int> getLabels(StringRef term, int64_t covered) {
  SmallVector<int> labels;
  for (char c : term) {
    if (c != '.')
      labels.push_back(c);
    else
      for (int64_t i = covered; i > 0; --i)
        labels.push_back(-i);
  }
  return labels;
}

/// The size of what two dimensions are broadcast to, which the shape rule has
/// checked that they can be.
static OpFoldResult broadcastSize(Lowering &l, OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> knownX = getConstantIntValue(x),
                         knownY = getConstantIntValue(y);
  if (knownX == int64_t(1))
    return y;
  if (knownX || knownY == int64_t(1) || isSameIndex(x, y))
    return x;
  if (knownY)
    return y;
  Value value = l.asValue(x);
  Value isOne = arith::CmpIOp::create(l.b, l.loc, arith::CmpIPredicate::eq,
                                      value, l.index(1));
  Value yValue = l.asValue(y);
  return l.b.createOrFold<arith::SelectOp>(l.loc, isOne, yValue, l.asValue(x));
}

/// One loop per label; those that the result lacks are summed over.
static LogicalResult lowerEinsum(EinsumOp op, EinsumOp::Adaptor, Lowering &l) {
  // The shape rule has checked that it fits the inputs.
  EinsumEquation equation = *EinsumEquation::parse(op.getEquation());
  SmallVector<SmallVector<int>> terms;
  int64_t allCovered = 0;
  for (auto [term, operand] : llvm::zip_equal(equation.inputs, l.operands)) {
    int64_t covered = Lowering::rank(operand) -
                      llvm::count_if(term, [](char c) { return c != '.'; });
    terms.push_back(getLabels(term, covered));
    allCovered = std::max(allCovered, covered);
  }
  SmallVector<int> kept = getLabels(equation.output, allCovered), loops = kept;
  std::map<int, OpFoldResult> sizes;
  for (auto [labels, operand] : llvm::zip_equal(terms, l.operands))
    for (auto [i, label] : llvm::enumerate(labels)) {
      if (!llvm::is_contained(loops, label))
        loops.push_back(label);
      OpFoldResult size = l.dim(operand, i), &known = sizes[label];
      known = known ? broadcastSize(l, known, size) : size;
    }
  auto loopOf = [&](int label) {
    return l.b.getAffineDimExpr(llvm::find(loops, label) - loops.begin());
  };
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops.size(), 0, exprs, l.b.getContext());
  };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [labels, operand] : llvm::zip_equal(terms, l.operands)) {
    // Ones before them keep these sizes from being taken for the result's.
    size_t lead = kept.size() + 1;
    Sizes full(lead, l.attr(1));
    SmallVector<AffineExpr> exprs(lead, l.b.getAffineConstantExpr(0));
    for (int label : labels) {
      full.push_back(sizes[label]);
      exprs.push_back(loopOf(label));
    }
    auto [input, reads] = l.broadcast(operand, full);
    inputs.push_back(input);
    maps.push_back(reads.compose(map(exprs)));
  }
  Sizes resultSizes;
  SmallVector<AffineExpr> places;
  for (int label : kept) {
    resultSizes.push_back(sizes[label]);
    places.push_back(loopOf(label));
  }
  maps.push_back(map(places));
  SmallVector<IteratorType> iterators(loops.size(), IteratorType::reduction);
  std::fill_n(iterators.begin(), kept.size(), IteratorType::parallel);
  Type element = l.resultType().getElementType();
  Type type = getAccumulatorType(element);
  Value sum =
      l.generic(inputs, l.filled(resultSizes, l.constant(type, 0)), maps,
                iterators, [&](ScalarBuilder &s, ValueRange args) {
                  Value product = s.cast(args[0], type, false, false);
                  for (Value arg : args.drop_front().drop_back())
                    product = s.mul(product, s.cast(arg, type, false, false));
                  return s.add(args.back(), product);
                });
  return l.replace(l.castElements(sum, element));
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

static LogicalResult lowerDet(DetOp op, DetOp::Adaptor operands, Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  Type type = getAccumulatorType(element);
  Value x = l.castElements(operands.getX(), type);
  Value y = l.call("determinant", x, l.empty(*sizes, type)).front();
  return l.replace(l.castElements(y, element));
}

void onnxc::populateContraction(Lowerings &lowerings) {
  lowerings.add<DetOp>(lowerDet);
  lowerings.add<EinsumOp>(lowerEinsum);
  lowerings.add<MatMulOp>(lowerMatMul);
  lowerings.add<GemmOp>(lowerGemm);
}
