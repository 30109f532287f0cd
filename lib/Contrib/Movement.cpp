//===- Movement.cpp - Movement and signals, of ONNX Runtime ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/Signal.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Older forms of what ONNX has
//===----------------------------------------------------------------------===//

/// The axis is an input of one element.
void contrib::expandDims(Composer &c, Results &results) {
  Value axis = c.reshape(c.castToInt64(c.input(1)), 1);
  if (std::optional<SmallVector<int64_t>> known = getIntegers(c.input(1)))
    axis = c.ints(*known);
  results.push_back(c.make<UnsqueezeOp>({c.input(0), axis}));
}

void contrib::gatherND(Composer &c, Results &results) {
  results.push_back(
      c.make<GatherNDOp>({c.input(0), c.castToInt64(c.input(1))}));
}

/// Pads may be one row, the value a tensor of one element.
void contrib::pad(Composer &c, Results &results) {
  Value pads = c.input(1), value = c.input(2);
  if (getRank(pads) != 1)
    pads = c.reshape(pads, -1);
  if (value && getRank(value) != 0)
    value = c.scalar(value);
  results.push_back(c.make<PadOp>({c.input(0), pads, value}, c.pick({"mode"})));
}

/// The numbers may be tensors of one element.
void contrib::range(Composer &c, Results &results) {
  auto scalar = [&](Value x) { return getRank(x) == 0 ? x : c.scalar(x); };
  Value start = scalar(c.input(0)), step = c.input(2);
  results.push_back(c.make<RangeOp>(
      {start, scalar(c.input(1)), step ? scalar(step) : c.number(1, start)}));
}

void contrib::trilu(Composer &c, Results &results) {
  results.push_back(
      c.make<TriluOp>({c.input(0), c.input(1)}, c.pick({"upper"})));
}

/// In the order of first occurrence; where each element is found, and how
/// often.
void contrib::unique(Composer &c, Results &results) {
  SmallVector<Value> made =
      c.makeAll<UniqueOp>(c.input(0), c.attribute("sorted", 0), /*count=*/4);
  results.append({made[0], made[2], made[3]});
}

void contrib::torchEmbedding(Composer &c, Results &results) {
  results.push_back(c.gather(c.input(0), c.input(1), 0));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Windows of `size` elements along an axis, `step` apart; the elements of a
/// window are the last axis.
void contrib::unfoldTensor(Composer &c, Results &results) {
  Value x = c.input(0);
  int64_t rank = c.getRank(x, "to unfold it"), axis = c.getInt("dim", -1),
          size = c.getCount("size"), step = c.getInt("step", 1);
  if (axis < -rank || axis >= rank)
    c.failAttribute("dim", "is " + Twine(axis) + ", of rank " + Twine(rank));
  if (step < 1)
    c.failAttribute("step", "is " + Twine(step));
  if (c.hasFailed())
    return;
  axis = axis < 0 ? axis + rank : axis;
  Value steps =
      c.make<DivOp>({c.sub(c.scalarSizeOf(x, axis), size), c.integer(step)});
  Value places = c.range(c.add(steps, 1.0));
  Value starts = c.mul(places, c.integer(step));
  Value column = c.unsqueeze(starts, 1);
  Value at = c.add(column, c.range(c.integer(size)));
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  std::rotate(perm.begin() + axis + 1, perm.begin() + axis + 2, perm.end());
  results.push_back(c.transpose(c.gather(x, at, axis), perm));
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// Half of a spectrum, as pairs (real, imaginary) in the last axis, and what
/// it is the spectrum of. Only the last axis of the signal is transformed.
static void expectOneSignal(Composer &c) {
  c.expectInt("signal_ndim", 1);
  c.expectInt("onesided", 1);
  c.expectInt("normalized", 0);
}

void contrib::realFourier(Composer &c, Results &results) {
  expectOneSignal(c);
  results.push_back(
      c.make<DFTOp>({c.unsqueeze(c.input(0), -1), Value(), c.integer(-2)},
                    c.attribute("onesided", 1)));
}

void contrib::inverseRealFourier(Composer &c, Results &results) {
  expectOneSignal(c);
  Value signal =
      c.make<DFTOp>({c.input(0), Value(), c.integer(-2)},
                    {c.attribute("onesided", 1), c.attribute("inverse", 1)});
  results.push_back(c.make<SqueezeOp>({signal, c.ints(-1)}));
}
