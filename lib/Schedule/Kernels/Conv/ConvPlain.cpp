//===- ConvPlain.cpp - A kernel.conv as scalar loops ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "Kernels/PlainLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct PlainConv : PlainLoops {
  using PlainLoops::PlainLoops;

  void emit(kernel::ConvOp conv);
  Value addPixel(kernel::ConvOp conv, const Indices &at, const Indices &tap,
                 OpFoldResult number, Value carried);
};

/// One tap in one channel: `tap` is the channel in its group, then the place in
/// the window.
Value PlainConv::addPixel(kernel::ConvOp conv, const Indices &at,
                          const Indices &tap, OpFoldResult number,
                          Value carried) {
  unsigned spatial = conv.getNumSpatial();
  int64_t lanes = conv.getBlock(), group = conv.getGroup(),
          perGroup = conv.getFilters() / group,
          channels = conv.getChannels() / group;
  OpFoldResult ofGroup = index.floorDiv(number, perGroup),
               channel = tap.front(),
               of = index.add(index.mul(ofGroup, channels), channel);
  Indices image{at.front(), of},
      filter{ofGroup, rem(number, perGroup), channel};
  if (conv.isDepthwise())
    filter = {number};
  if (conv.isImageBlocked())
    image.back() = index.floorDiv(of, lanes);
  // What lies outside of the image, or between its pixels, adds nothing.
  Value isPixel = constant(b.getBoolAttr(true));
  auto require = [&](arith::CmpIPredicate predicate, OpFoldResult x,
                     OpFoldResult y) {
    Value left = index.value(x);
    isPixel = arith::AndIOp::create(
        b, loc, isPixel,
        arith::CmpIOp::create(b, loc, predicate, left, index.value(y)));
  };
  for (unsigned i = 0; i < spatial; ++i) {
    OpFoldResult start = index.mul(at[i + 2], conv.getStrides()[i]);
    OpFoldResult place = index.sub(
        index.add(start, index.mul(tap[i + 1], conv.getDilations()[i])),
        index.constant(conv.getPads()[i]));
    int64_t spread = conv.getSpreadOf(i);
    OpFoldResult pixel = index.floorDiv(place, spread);
    require(arith::CmpIPredicate::eq, index.mul(pixel, spread), place);
    require(arith::CmpIPredicate::sge, pixel, index.constant(0));
    require(arith::CmpIPredicate::slt, pixel, sizeOf(conv.getImage(), i + 2));
    image.push_back(pixel);
    filter.push_back(tap[i + 1]);
  }
  if (conv.isImageBlocked())
    image.push_back(rem(of, lanes));
  filter = placeOf(conv.getFilterMutable(), filter);
  auto choice =
      scf::IfOp::create(b, loc, sum, isPixel, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value x = extend(load(conv.getImage(), image)), next;
  if (conv.getMaximum())
    next = arith::MaximumFOp::create(b, loc, carried, x);
  else
    next = multiplyAdd(x, extend(load(conv.getFilter(), filter)), carried);
  scf::YieldOp::create(b, loc, next);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, carried);
  return choice.getResult(0);
}

void PlainConv::emit(kernel::ConvOp conv) {
  unsigned spatial = conv.getNumSpatial();
  int64_t lanes = conv.getBlock(), filters = conv.getFilters();
  Extents places{sizeOf(conv.getInit(), 0),
                 index.constant(llvm::divideCeil(filters, lanes))},
      taps{index.constant(conv.getChannels() / int64_t(conv.getGroup()))};
  unsigned firstTap = conv.isImageBlocked() && !conv.isDepthwise() ? 2 : 1;
  for (unsigned i = 0; i < spatial; ++i) {
    places.push_back(sizeOf(conv.getInit(), i + 2));
    taps.push_back(sizeOf(conv.getFilter(), firstTap + i));
  }
  TypedAttr start = b.getZeroAttr(sum);
  if (conv.getMaximum())
    start = b.getFloatAttr(
        sum, APFloat::getInf(cast<FloatType>(sum).getFloatSemantics(),
                             /*Negative=*/true));
  overPlaces(places, [&](const Indices &at) {
    OpFoldResult first = index.mul(at[1], lanes);
    OpFoldResult live = index.min(index.constant(lanes),
                                  index.sub(index.constant(filters), first));
    overPlaces(live, [&](const Indices &lane) {
      OpFoldResult number = index.add(first, lane.front());
      Value total =
          addUp(taps, constant(start), [&](const Indices &tap, Value carried) {
            return addPixel(conv, at, tap, number, carried);
          });
      Indices place(at);
      place.append(lane);
      finish(place, total);
    });
  });
}

} // namespace

void onnxc::emitPlainLoops(OpBuilder &b, kernel::ConvOp op) {
  PlainConv(b, op).emit(op);
}
