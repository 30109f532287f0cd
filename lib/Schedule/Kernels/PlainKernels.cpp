//===- PlainKernels.cpp - Kernels as scalar loops -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel op is defined to compute, element by element, in whichever
// layout: for forms that there is no vector code for. Nothing here is fast.
//
//===----------------------------------------------------------------------===//

#include "EmitKernels.h"
#include "KernelLoops.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

namespace {

using Extents = SmallVector<OpFoldResult>;
using Indices = SmallVector<OpFoldResult>;

class PlainLoops {
public:
  PlainLoops(OpBuilder &b, KernelOpInterface op)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op),
        sum(op.getAccumulatorType()) {}

  void emitMatmul(kernel::MatmulOp matmul);
  void emitConv(kernel::ConvOp conv);
  void emitDot(kernel::IntegerDotOp dot);
  void emitBlocks(kernel::BlockMatmulOp matmul);

private:
  using Step = function_ref<Value(const Indices &, Value)>;

  void overPlaces(ArrayRef<OpFoldResult> extents,
                  function_ref<void(const Indices &)> body, Indices at = {});
  Value addUp(ArrayRef<OpFoldResult> extents, Value start, Step step,
              Indices at = {});
  void finish(const Indices &at, Value value);
  Value addPixel(kernel::ConvOp conv, const Indices &at, const Indices &tap,
                 OpFoldResult filterNumber, Value carried);

  Value load(Value from, ArrayRef<OpFoldResult> at) {
    return memref::LoadOp::create(b, loc, from, values(at));
  }
  SmallVector<Value> values(ArrayRef<OpFoldResult> at) {
    return llvm::map_to_vector(at,
                               [&](OpFoldResult x) { return index.value(x); });
  }
  OpFoldResult sizeOf(Value buffer, int64_t dim) {
    return memref::getMixedSize(b, loc, buffer, dim);
  }
  OpFoldResult rem(OpFoldResult x, int64_t y) {
    return index.sub(x, index.mul(index.floorDiv(x, y), y));
  }
  /// The indices that `map` leads to.
  Indices apply(AffineMap map, ArrayRef<OpFoldResult> at) {
    auto expanded = affine::expandAffineMap(b, loc, map, values(at));
    return Indices(expanded->begin(), expanded->end());
  }
  Value extend(Value value, bool isUnsigned = false);
  Value multiplyAdd(Value x, Value y, Value carried);
  Value constant(TypedAttr value) {
    return arith::ConstantOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  IndexMath index;
  KernelOpInterface op;
  Type sum;
};

/// One loop for each extent, then the body.
void PlainLoops::overPlaces(ArrayRef<OpFoldResult> extents,
                            function_ref<void(const Indices &)> body,
                            Indices at) {
  if (extents.empty())
    return body(at);
  carryLoop(index, index.constant(0), extents.front(), 1, {},
            [&](OpFoldResult i, ValueRange) -> SmallVector<Value> {
              Indices next(at);
              next.push_back(i);
              overPlaces(extents.drop_front(), body, next);
              return {};
            });
}

Value PlainLoops::addUp(ArrayRef<OpFoldResult> extents, Value start, Step step,
                        Indices at) {
  if (extents.empty())
    return step(at, start);
  return carryLoop(
             index, index.constant(0), extents.front(), 1, start,
             [&](OpFoldResult i, ValueRange carried) -> SmallVector<Value> {
               Indices next(at);
               next.push_back(i);
               return {addUp(extents.drop_front(), carried[0], step, next)};
             })
      .front();
}

Value PlainLoops::extend(Value value, bool isUnsigned) {
  if (value.getType() == sum)
    return value;
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(b, loc, sum, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, sum, value);
  return arith::ExtSIOp::create(b, loc, sum, value);
}

Value PlainLoops::multiplyAdd(Value x, Value y, Value carried) {
  if (isa<FloatType>(sum))
    return arith::AddFOp::create(b, loc, carried,
                                 arith::MulFOp::create(b, loc, x, y));
  return arith::AddIOp::create(b, loc, carried,
                               arith::MulIOp::create(b, loc, x, y));
}

/// The epilogue of one sum, and its result to memory.
void PlainLoops::finish(const Indices &at, Value value) {
  Block &block = op.getEpilogue().front();
  IRMapping map;
  map.map(block.getArgument(0), value);
  for (auto [argument, extra, place] :
       llvm::zip_equal(block.getArguments().drop_front(), op.getExtras(),
                       op.getEpilogueAffineMaps())) {
    if (argument.use_empty())
      continue;
    map.map(argument, isa<MemRefType>(extra.getType())
                          ? load(extra, apply(place, at))
                          : extra);
  }
  for (Operation &inner : block.without_terminator())
    b.clone(inner, map);
  memref::StoreOp::create(
      b, loc, map.lookupOrDefault(block.getTerminator()->getOperand(0)),
      op.getInitMutable().get(), values(at));
}

void PlainLoops::emitMatmul(kernel::MatmulOp matmul) {
  unsigned k = matmul.getNumBatchLoops() + 2;
  Value operands[] = {matmul.getLhs(), matmul.getRhs(), matmul.getInit()};
  Extents extents(k + 1, index.constant(1));
  for (auto [i, operand] : llvm::enumerate(operands))
    for (auto [d, expr] : llvm::enumerate(matmul.getMap(i).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extents[dim.getPosition()] = sizeOf(operand, d);
  overPlaces(
      ArrayRef<OpFoldResult>(extents).drop_back(), [&](const Indices &at) {
        Value total =
            addUp(extents.back(), constant(b.getZeroAttr(sum)),
                  [&](const Indices &step, Value carried) {
                    Indices loops(at);
                    loops.append(step);
                    Value x = load(operands[0], apply(matmul.getMap(0), loops)),
                          y = load(operands[1], apply(matmul.getMap(1), loops));
                    Value left = extend(x, matmul.getLhsUnsigned());
                    return multiplyAdd(left, extend(y, matmul.getRhsUnsigned()),
                                       carried);
                  });
        Indices loops(at);
        loops.push_back(index.constant(0));
        finish(apply(matmul.getMap(2), loops), total);
      });
}

/// One tap in one channel: `tap` is the channel in its group, then the place in
/// the window.
Value PlainLoops::addPixel(kernel::ConvOp conv, const Indices &at,
                           const Indices &tap, OpFoldResult number,
                           Value carried) {
  unsigned spatial = conv.getNumSpatial();
  int64_t lanes = conv.getBlock(), group = conv.getGroup(),
          perGroup = conv.getFilters() / group,
          channels = conv.getChannels() / group,
          panel =
              cast<ShapedType>(conv.getFilter().getType()).getShape().back();
  OpFoldResult ofGroup = index.floorDiv(number, perGroup),
               inGroup = rem(number, perGroup), channel = tap.front(),
               of = index.add(index.mul(ofGroup, channels), channel);
  Indices image{at.front(), of}, filter;
  if (conv.isImageBlocked())
    image.back() = index.floorDiv(of, lanes);
  if (conv.isDepthwise()) {
    bool isShared =
        cast<ShapedType>(conv.getFilter().getType()).getDimSize(0) == 1;
    filter = {isShared ? index.constant(0) : at[1]};
  } else {
    OpFoldResult first =
        index.mul(ofGroup, int64_t(llvm::divideCeil(perGroup, panel)));
    filter = {index.add(first, index.floorDiv(inGroup, panel))};
    if (conv.isImageBlocked())
      filter.push_back(index.floorDiv(channel, lanes));
  }
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
  if (conv.isDepthwise())
    filter.push_back(rem(number, lanes));
  else
    filter.append({conv.isImageBlocked() ? rem(channel, lanes) : channel,
                   rem(inGroup, panel)});
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

void PlainLoops::emitConv(kernel::ConvOp conv) {
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

void PlainLoops::emitDot(kernel::IntegerDotOp dot) {
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
          Indices image(at), place;
          for (unsigned i = 0; i < spatial; ++i) {
            OpFoldResult start = index.mul(at[lead + i], dot.getStrides()[i]);
            image[lead + i] =
                index.add(start, index.mul(tap[i], dot.getDilations()[i]));
          }
          if (isDepthwise) {
            place = tap;
            place.push_back(at.back());
          } else {
            OpFoldResult group = index.floorDiv(at.back(), perGroup),
                         column = rem(at.back(), perGroup),
                         channel = tap.back();
            int64_t width = dot.getPanelWidth();
            OpFoldResult ofGroup = index.mul(
                group, filter.getDimSize(0) / int64_t(dot.getGroups()));
            place = {index.add(ofGroup, index.floorDiv(column, width))};
            place.append(tap.begin(), tap.end() - 1);
            place.append({index.floorDiv(channel, size), rem(column, width),
                          rem(channel, size)});
            image.back() = index.add(
                index.mul(group, int64_t(dot.getGroupChannels())), channel);
          }
          Value pixel = extend(load(dot.getImage(), image), !dot.getImageSigned());
          return multiplyAdd(pixel, extend(load(dot.getFilter(), place)),
                             carried);
        });
    finish(at, total);
  });
}

void PlainLoops::emitBlocks(kernel::BlockMatmulOp matmul) {
  int64_t bits = matmul.getBits(), perWord = matmul.getPerWord(),
          width = matmul.getPanelWidth(), block = matmul.getBlock();
  Type i32 = b.getI32Type();
  Value init = matmul.getInit();
  overPlaces({sizeOf(init, 0), sizeOf(init, 1)}, [&](const Indices &at) {
    auto weightAt = [&](OpFoldResult step) -> Value {
      Value word = load(matmul.getWeights(),
                        {index.floorDiv(at[1], width),
                         index.floorDiv(step, perWord), rem(at[1], width)});
      // To the highest bits, then down with the sign.
      OpFoldResult above = index.sub(index.constant(32 - bits),
                                     index.mul(rem(step, perWord), bits));
      Value up = arith::IndexCastOp::create(b, loc, i32, index.value(above));
      word = arith::ShLIOp::create(b, loc, word, up);
      word = arith::ShRSIOp::create(b, loc, word,
                                    constant(b.getI32IntegerAttr(32 - bits)));
      return arith::SIToFPOp::create(b, loc, sum, word);
    };
    Value total = addUp(
        index.constant(matmul.getSteps()), constant(b.getZeroAttr(sum)),
        [&](const Indices &step, Value carried) -> Value {
          OpFoldResult of = index.floorDiv(step.front(), block);
          Value scale =
              load(matmul.getScales(), {of, index.constant(0), at[1]});
          Value zero =
              matmul.hasZeroPoints()
                  ? load(matmul.getScales(), {of, index.constant(1), at[1]})
                  : constant(b.getF32FloatAttr(int64_t(matmul.getOffset())));
          Value weight = arith::MulFOp::create(
              b, loc,
              arith::SubFOp::create(b, loc, weightAt(step.front()), zero),
              scale);
          return multiplyAdd(load(matmul.getLhs(), {at[0], step.front()}),
                             weight, carried);
        });
    finish(at, total);
  });
}

} // namespace

void onnxc::emitPlainLoops(OpBuilder &b, kernel::MatmulOp op) {
  PlainLoops(b, op).emitMatmul(op);
}

void onnxc::emitPlainLoops(OpBuilder &b, kernel::ConvOp op) {
  PlainLoops(b, op).emitConv(op);
}

void onnxc::emitPlainLoops(OpBuilder &b, kernel::IntegerDotOp op) {
  PlainLoops(b, op).emitDot(op);
}

void onnxc::emitPlainLoops(OpBuilder &b, kernel::BlockMatmulOp op) {
  PlainLoops(b, op).emitBlocks(op);
}
