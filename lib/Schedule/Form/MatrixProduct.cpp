//===- MatrixProduct.cpp - Operands of linalg.matmul ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

using namespace mlir;
using namespace onnxc;

std::optional<MatrixProduct> onnxc::matchMatrixProduct(linalg::MatmulOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto is = [&](AffineMap map, AffineExpr row, AffineExpr column) {
    return map == AffineMap::get(3, 0, {row, column}, op.getContext());
  };
  bool byColumns = is(maps[1], n, k);
  if (!is(maps[0], m, k) || !(byColumns || is(maps[1], k, n)))
    return std::nullopt;
  return MatrixProduct{byColumns};
}
