//===- IntegerDotPlain.cpp - A kernel.integer_dot as scalar loops ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "Kernels/PlainLoops.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct PlainDot : PlainLoops {
  using PlainLoops::PlainLoops;

  void emit(kernel::IntegerDotOp dot);
};

void PlainDot::emit(kernel::IntegerDotOp dot) {
  auto filter = cast<ShapedType>(dot.getFilter().getType()),
       result = cast<ShapedType>(dot.getInit().getType());
  unsigned rank = result.getRank(), spatial = dot.getNumSpatial(),
           lead = rank - 1 - spatial;
  bool isDepthwise = dot.getDepthwise();
  int64_t perGroup = result.getShape().back() / int64_t(dot.getGroups()),
          size = dot.getGroup();
  Extents places, taps;
  for (unsigned i = 0; i < rank; ++i)
    places.push_back(sizeOf(dot.getInit(), i));
  for (unsigned i = 0; i < spatial; ++i)
    taps.push_back(index.constant(filter.getDimSize(i + !isDepthwise)));
  if (!isDepthwise)
    taps.push_back(index.constant(filter.getDimSize(spatial + 1) * size));
  overPlaces(places, [&](const Indices &at) {
    Value total = addUp(
        taps, constant(b.getZeroAttr(sum)),
        [&](const Indices &tap, Value carried) {
          Indices image(at), coordinates;
          for (unsigned i = 0; i < spatial; ++i) {
            OpFoldResult start = index.mul(at[lead + i], dot.getStrides()[i]);
            image[lead + i] =
                index.add(start, index.mul(tap[i], dot.getDilations()[i]));
          }
          if (isDepthwise) {
            coordinates = {at.back()};
          } else {
            OpFoldResult group = index.floorDiv(at.back(), perGroup);
            coordinates = {group, rem(at.back(), perGroup)};
            image.back() = index.add(
                index.mul(group, int64_t(dot.getGroupChannels())), tap.back());
          }
          coordinates.append(tap);
          Indices place = placeOf(dot.getFilterMutable(), coordinates);
          Value pixel =
              extend(load(dot.getImage(), image), !dot.getImageSigned());
          return multiplyAdd(pixel, extend(load(dot.getFilter(), place)),
                             carried);
        });
    finish(at, total);
  });
}

} // namespace

void onnxc::emitPlainLoops(OpBuilder &b, kernel::IntegerDotOp op) {
  PlainDot(b, op).emit(op);
}
