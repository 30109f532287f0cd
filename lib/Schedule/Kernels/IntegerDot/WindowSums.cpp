//===- WindowSums.cpp - Sums of the bytes of each window ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The channels of each pixel are added first, then the pixels of a window, one
// dimension after the other: few numbers are left when windows overlap.
//
//===----------------------------------------------------------------------===//

#include "WindowSums.h"
#include "Kernels/QuantizedFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

/// `size` elements of dimension `dim`, `stride` apart, from `offset` on.
static Value slice(OpBuilder &b, Location loc, Value from, int64_t dim,
                   int64_t offset, OpFoldResult size, int64_t stride) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, from);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = b.getIndexAttr(offset);
  sizes[dim] = size;
  strides[dim] = b.getIndexAttr(stride);
  return tensor::ExtractSliceOp::create(b, loc, from, offsets, sizes, strides);
}

static Value sumChannels(OpBuilder &b, Location loc, Value image,
                         bool isUnsigned) {
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, image);
  sizes.pop_back();
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value init =
      linalg::FillOp::create(
          b, loc, zero,
          tensor::EmptyOp::create(b, loc, sizes, b.getI32Type()).getResult())
          .getResult(0);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.back() = utils::IteratorType::reduction;
  AffineMap all = b.getMultiDimIdentityMap(rank);
  return linalg::GenericOp::create(
             b, loc, init.getType(), image, init,
             ArrayRef<AffineMap>{all, all.dropResult(rank - 1)}, kinds,
             [&](OpBuilder &inner, Location at, ValueRange args) {
               Value wide = extendBytes(inner, at, inner.getI32Type(), args[0],
                                        isUnsigned);
               Value sum = arith::AddIOp::create(inner, at, args[1], wide);
               linalg::YieldOp::create(inner, at, sum);
             })
      .getResult(0);
}

/// The sum of tensors of one shape.
static Value add(OpBuilder &b, Location loc, ArrayRef<Value> terms) {
  auto type = cast<RankedTensorType>(terms.front().getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, terms.front()),
      type.getElementType());
  SmallVector<AffineMap> maps(terms.size() + 1,
                              b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), terms, init, maps, kinds,
             [](OpBuilder &inner, Location at, ValueRange args) {
               Value sum = args.front();
               for (Value term : args.drop_front().drop_back())
                 sum = arith::AddIOp::create(inner, at, sum, term);
               linalg::YieldOp::create(inner, at, sum);
             })
      .getResult(0);
}

Value onnxc::sumWindows(OpBuilder &b, Location loc, Value image,
                        bool isUnsigned, ArrayRef<int64_t> window,
                        ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                        ArrayRef<OpFoldResult> sizes) {
  int64_t first = sizes.size() - window.size();
  // What no window has is not added up either.
  for (auto [i, extent] : llvm::enumerate(window))
    if (extent == 1 && strides[i] > 1)
      image = slice(b, loc, image, first + i, 0, sizes[first + i], strides[i]);
  Value sums = sumChannels(b, loc, image, isUnsigned);
  for (auto [i, extent] : llvm::enumerate(window)) {
    if (extent == 1)
      continue;
    SmallVector<Value> taps;
    for (int64_t tap = 0; tap < extent; ++tap)
      taps.push_back(slice(b, loc, sums, first + i, tap * dilations[i],
                           sizes[first + i], strides[i]));
    sums = add(b, loc, taps);
  }
  return sums;
}
