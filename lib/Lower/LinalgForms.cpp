//===- LinalgForms.cpp - The forms that lowerings are made of -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Constants and empty tensors
//===----------------------------------------------------------------------===//

Value Lowering::constant(TypedAttr attr) {
  return arith::ConstantOp::create(b, loc, attr);
}

Value Lowering::constant(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return constant(b.getFloatAttr(floatType, value));
  return constant(b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value Lowering::lowest(Type type, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return constant(b.getFloatAttr(
        floatType, llvm::APFloat::getInf(floatType.getFloatSemantics(),
                                         /*Negative=*/true)));
  unsigned width = type.getIntOrFloatBitWidth();
  return constant(b.getIntegerAttr(
      type, isUnsigned || width == 1 ? llvm::APInt::getMinValue(width)
                                     : llvm::APInt::getSignedMinValue(width)));
}

Value Lowering::highest(Type type, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return constant(b.getFloatAttr(
        floatType, llvm::APFloat::getInf(floatType.getFloatSemantics())));
  unsigned width = type.getIntOrFloatBitWidth();
  return constant(b.getIntegerAttr(
      type, isUnsigned || width == 1 ? llvm::APInt::getMaxValue(width)
                                     : llvm::APInt::getSignedMaxValue(width)));
}

Value Lowering::empty(ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value Lowering::filled(ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value init = empty(sizes, scalar.getType());
  return linalg::FillOp::create(b, loc, scalar, init).getResult(0);
}

Value Lowering::castTo(Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(b, loc, type, tensor);
}

LogicalResult Lowering::fit(Value &operand, ArrayRef<OpFoldResult> sizes,
                            const Twine &name) {
  if (!operand)
    return success();
  RankedTensorType type = typeOf(operand);
  if (type.getRank() != int64_t(sizes.size()))
    return fail(name + " must have rank " + Twine(sizes.size()));
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && !type.isDynamicDim(i) && *known != type.getDimSize(i))
      return fail("dimension " + Twine(i) + " of " + name + " must be " +
                  Twine(*known) + ", is " + Twine(type.getDimSize(i)));
    checkEqual(dim(operand, i), size,
               "dimension " + Twine(i) + " of " + name +
                   " does not fit the other operands");
    if (known)
      shape[i] = *known;
  }
  operand = castTo(operand, type.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

AffineMap Lowering::identityMap(int64_t rank) {
  return b.getMultiDimIdentityMap(rank);
}

AffineMap Lowering::dropDims(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(b.getAffineDimExpr(i));
  return AffineMap::get(rank, 0, kept, b.getContext());
}

Value Lowering::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                        ArrayRef<IteratorType> iterators, ScalarBody body,
                        bool isUnsigned) {
  auto build = [&](OpBuilder &inner, Location loc, ValueRange args) {
    ScalarBuilder s(inner, loc, args.back().getType(), isUnsigned);
    linalg::YieldOp::create(inner, loc, body(s, args));
  };
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps,
                                   iterators, build)
      .getResult(0);
}

Value Lowering::map(ValueRange inputs, ArrayRef<AffineMap> maps,
                    ArrayRef<OpFoldResult> sizes, Type element, ScalarBody body,
                    bool isUnsigned) {
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(identityMap(sizes.size()));
  SmallVector<IteratorType> iterators(sizes.size(), IteratorType::parallel);
  return generic(
      inputs, empty(sizes, element), allMaps, iterators,
      [&](ScalarBuilder &s, ValueRange args) {
        return body(s, args.drop_back());
      },
      isUnsigned);
}

Value Lowering::mapSame(ValueRange inputs, Type element, ScalarBody body,
                        bool isUnsigned) {
  SmallVector<AffineMap> maps(inputs.size(), identityMap(rank(inputs.front())));
  return map(inputs, maps, sizes(inputs.front()), element, body, isUnsigned);
}

Value Lowering::generate(ArrayRef<OpFoldResult> sizes, Type element,
                         ScalarBody body, bool isUnsigned) {
  return map(
      {}, {}, sizes, element,
      [&](ScalarBuilder &s, ValueRange) {
        SmallVector<Value> indices;
        for (size_t i = 0; i < sizes.size(); ++i)
          indices.push_back(
              linalg::IndexOp::create(s.getBuilder(), s.getLoc(), i));
        return body(s, indices);
      },
      isUnsigned);
}

Value Lowering::reduce(Value input, ArrayRef<int64_t> axes, Value init,
                       ScalarBody body, bool isUnsigned) {
  int64_t inputRank = rank(input);
  SmallVector<IteratorType> iterators(inputRank, IteratorType::parallel);
  Sizes kept;
  for (int64_t i = 0; i < inputRank; ++i) {
    if (llvm::is_contained(axes, i))
      iterators[i] = IteratorType::reduction;
    else
      kept.push_back(dim(input, i));
  }
  return generic(input, filled(kept, init),
                 {identityMap(inputRank), dropDims(inputRank, axes)}, iterators,
                 body, isUnsigned);
}

Value Lowering::castElements(Value tensor, Type element, bool fromUnsigned,
                             bool toUnsigned) {
  if (elementType(tensor) == element)
    return tensor;
  return mapSame(tensor, element, [&](ScalarBuilder &s, ValueRange args) {
    return s.cast(args[0], element, fromUnsigned, toUnsigned);
  });
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

Value Lowering::expandAtRunTime(Value tensor, ArrayRef<OpFoldResult> sizes,
                                ArrayRef<bool> unsure) {
  Sizes own = this->sizes(tensor), full = own;
  Value fits;
  for (auto [i, isUnsure] : llvm::enumerate(unsure)) {
    if (!isUnsure)
      continue;
    full[i] = sizes[i];
    Value is = asValue(own[i]), expected = asValue(sizes[i]);
    Value equal = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                is, expected);
    fits = fits ? b.createOrFold<arith::AndIOp>(loc, fits, equal) : equal;
  }
  Value target = empty(full, elementType(tensor));
  Type type = target.getType();
  auto keep = [&](OpBuilder &inner, Location loc) {
    scf::YieldOp::create(inner, loc, castTo(tensor, type));
  };
  auto expand = [&](OpBuilder &inner, Location loc) {
    Value expanded = generate(
        full, elementType(tensor), [&](ScalarBuilder &s, ValueRange indices) {
          SmallVector<Value> from(indices);
          OpBuilder &body = s.getBuilder();
          for (auto [i, isUnsure] : llvm::enumerate(unsure)) {
            if (!isUnsure)
              continue;
            Value zero = arith::ConstantIndexOp::create(body, loc, 0);
            Value one = arith::ConstantIndexOp::create(body, loc, 1);
            Value isOne = arith::CmpIOp::create(
                body, loc, arith::CmpIPredicate::eq, asValue(own[i]), one);
            from[i] =
                arith::SelectOp::create(body, loc, isOne, zero, indices[i]);
          }
          return tensor::ExtractOp::create(body, loc, tensor, from);
        });
    scf::YieldOp::create(inner, loc, expanded);
  };
  return scf::IfOp::create(b, loc, fits, keep, expand).getResult(0);
}

std::pair<Value, AffineMap> Lowering::broadcast(Value tensor,
                                                ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = typeOf(tensor);
  int64_t lead = sizes.size() - type.getRank();
  // Where the declared size says more than the rule, a check has made sure that
  // they agree; the operand may have the size that the rule tells.
  bool hasRule = !ruleSizes.empty() && ruleSizes.front() &&
                 ruleSizes.front()->size() == sizes.size();
  SmallVector<bool> unsure(type.getRank(), false);
  SmallVector<int64_t> known(type.getShape());
  SmallVector<AffineExpr> reads;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    OpFoldResult size = sizes[lead + i];
    std::optional<int64_t> fixed = getConstantIntValue(size);
    bool stretched = type.getDimSize(i) == 1 && fixed != int64_t(1);
    reads.push_back(stretched ? b.getAffineConstantExpr(0)
                              : b.getAffineDimExpr(lead + i));
    if (!type.isDynamicDim(i))
      continue;
    OpFoldResult own = dim(tensor, i);
    bool isSame = isSameIndex(own, size) ||
                  (hasRule && isSameIndex(own, (*ruleSizes.front())[lead + i]));
    if (fixed && (isSame || *fixed == 1))
      known[i] = *fixed;
    unsure[i] = !isSame && fixed != int64_t(1);
  }
  tensor = castTo(tensor, type.clone(known));
  if (llvm::is_contained(unsure, true))
    tensor = expandAtRunTime(tensor, sizes.drop_front(lead), unsure);
  return {tensor, AffineMap::get(sizes.size(), 0, reads, b.getContext())};
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {

/// A run of dimensions on each side with the same number of elements.
struct Group {
  ReassociationIndices from, to;
};

/// What a run of dimensions multiplies to: an integer times unknown sizes.
struct Product {
  SaturatingInt known = 1;
  SmallVector<OpFoldResult> unknown;

  void take(OpFoldResult size) {
    if (std::optional<int64_t> value = getConstantIntValue(size)) {
      known *= *value;
    } else if (auto product =
                   cast<Value>(size).getDefiningOp<arith::MulIOp>()) {
      take(getAsOpFoldResult(product.getLhs()));
      take(getAsOpFoldResult(product.getRhs()));
    } else {
      unknown.push_back(size);
    }
  }
  bool operator==(const Product &other) const {
    if (known != other.known || unknown.size() != other.unknown.size())
      return false;
    SmallVector<OpFoldResult> rest(other.unknown);
    for (OpFoldResult size : unknown) {
      auto *it = llvm::find_if(
          rest, [&](OpFoldResult other) { return isSameIndex(size, other); });
      if (it == rest.end())
        return false;
      rest.erase(it);
    }
    return true;
  }
};

} // namespace

/// Matches two shapes run by run; nullopt if not everything matches.
static std::optional<SmallVector<Group>> match(ArrayRef<OpFoldResult> from,
                                               ArrayRef<OpFoldResult> to) {
  SmallVector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group;
    Product left, right;
    group.from.push_back(i);
    left.take(from[i++]);
    group.to.push_back(j);
    right.take(to[j++]);
    while (!(left == right)) {
      // Extend the side that has less in it.
      bool takeLeft = left.unknown.size() != right.unknown.size()
                          ? left.unknown.size() < right.unknown.size()
                          : left.known < right.known;
      if (takeLeft ? i == from.size() : j == to.size())
        takeLeft = !takeLeft;
      if (takeLeft) {
        if (i == from.size())
          return std::nullopt;
        group.from.push_back(i);
        left.take(from[i++]);
      } else {
        if (j == to.size())
          return std::nullopt;
        group.to.push_back(j);
        right.take(to[j++]);
      }
    }
    groups.push_back(group);
  }
  // What is left over must be of size 1, and goes to the last run.
  auto isOne = [](OpFoldResult size) {
    return getConstantIntValue(size) == int64_t(1);
  };
  if (groups.empty() || !llvm::all_of(from.drop_front(i), isOne) ||
      !llvm::all_of(to.drop_front(j), isOne))
    return std::nullopt;
  for (; i < from.size(); ++i)
    groups.back().from.push_back(i);
  for (; j < to.size(); ++j)
    groups.back().to.push_back(j);
  return groups;
}

void Lowering::checkSameCount(ArrayRef<OpFoldResult> from,
                              ArrayRef<OpFoldResult> to) {
  Product left, right;
  for (OpFoldResult size : from)
    left.take(size);
  for (OpFoldResult size : to)
    right.take(size);
  if (left == right)
    return;
  OpFoldResult before = product(from);
  checkEqual(before, product(to),
             "the shapes before and after must have the same number of "
             "elements");
}

static SmallVector<int64_t> staticShape(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return shape;
}

Value Lowering::reshape(Value tensor, ArrayRef<OpFoldResult> to) {
  Sizes from = sizes(tensor);
  Type element = elementType(tensor);
  auto type = [&](ArrayRef<OpFoldResult> sizes) {
    return RankedTensorType::get(staticShape(sizes), element);
  };
  if (from.size() == to.size() &&
      llvm::all_of(llvm::zip(from, to), [](auto pair) {
        return isSameIndex(std::get<0>(pair), std::get<1>(pair));
      }))
    return tensor;
  // Without elements there is nothing to keep.
  if (llvm::any_of(from, [](OpFoldResult size) {
        return getConstantIntValue(size) == int64_t(0);
      }))
    return empty(to, element);
  auto collapse = [&](Value value, ArrayRef<ReassociationIndices> groups) {
    return tensor::CollapseShapeOp::create(b, loc, value, groups).getResult();
  };
  auto expand = [&](Value value, ArrayRef<ReassociationIndices> groups) {
    return tensor::ExpandShapeOp::create(b, loc, type(to), value, groups, to)
        .getResult();
  };
  // No run comes behind the check that the numbers of elements are equal.
  if (llvm::any_of(from.empty() ? to
                   : to.empty() ? ArrayRef<OpFoldResult>(from)
                                : ArrayRef<OpFoldResult>(),
                   [](OpFoldResult size) {
                     return getConstantIntValue(size).value_or(1) != 1;
                   }))
    return empty(to, element);
  if (from.empty()) {
    Sizes ones(to.size(), attr(1));
    return tensor::ExpandShapeOp::create(
        b, loc, type(ones), tensor, ArrayRef<ReassociationIndices>{}, ones);
  }
  if (to.empty())
    return tensor::CollapseShapeOp::create(
        b, loc, type({}), castTo(tensor, type(Sizes(from.size(), attr(1)))),
        ArrayRef<ReassociationIndices>{});

  std::optional<SmallVector<Group>> groups = match(from, to);
  if (!groups) {
    Group all;
    for (size_t i = 0; i < from.size(); ++i)
      all.from.push_back(i);
    for (size_t i = 0; i < to.size(); ++i)
      all.to.push_back(i);
    groups = SmallVector<Group>{all};
  }
  SmallVector<ReassociationIndices> collapsed, expanded;
  for (const Group &group : *groups) {
    collapsed.push_back(group.from);
    expanded.push_back(group.to);
  }
  if (collapsed.size() != from.size())
    tensor = collapse(tensor, collapsed);
  if (expanded.size() == to.size())
    return castTo(tensor, type(to));
  // Each group's size must be known or unknown on both sides.
  SmallVector<int64_t> middle;
  for (auto [i, group] : llvm::enumerate(expanded)) {
    int64_t size = 1;
    for (int64_t j : group) {
      std::optional<int64_t> known = getConstantIntValue(to[j]);
      size = known && size != ShapedType::kDynamic ? size * *known
                                                   : ShapedType::kDynamic;
    }
    middle.push_back(size);
  }
  tensor = castTo(tensor, RankedTensorType::get(middle, element));
  return expand(tensor, expanded);
}

//===----------------------------------------------------------------------===//
// Slices, padding, transposition
//===----------------------------------------------------------------------===//

/// Whether a slice is known to have no element; tensor.extract_slice wants to
/// start before the last one.
static bool isOfNothing(Value tensor, ArrayRef<OpFoldResult> sizes) {
  return llvm::is_contained(Lowering::typeOf(tensor).getShape(), 0) ||
         llvm::any_of(sizes, [](OpFoldResult size) {
           return getConstantIntValue(size) == int64_t(0);
         });
}

Value Lowering::slice(Value tensor, ArrayRef<OpFoldResult> at,
                      ArrayRef<OpFoldResult> sizes,
                      ArrayRef<OpFoldResult> strides) {
  if (isOfNothing(tensor, sizes))
    return empty(sizes, elementType(tensor));
  Sizes steps(strides);
  if (steps.empty())
    steps.assign(at.size(), attr(1));
  // One element has no step. LLVM 22 finds the dimensions that a view drops by
  // their strides, and crashes at such a one (SubViewOp::getDroppedDims).
  for (auto [step, size] : llvm::zip_equal(steps, sizes))
    if (getConstantIntValue(size) == int64_t(1))
      step = attr(1);
  // What the run finds empty may start behind the last element.
  Sizes inside(at);
  for (auto [place, size] : llvm::zip_equal(inside, typeOf(tensor).getShape()))
    if (ShapedType::isStatic(size) &&
        getConstantIntValue(place).value_or(0) >= size)
      place = attr(0);
  return tensor::ExtractSliceOp::create(b, loc, tensor, inside, sizes, steps);
}

Value Lowering::sliceWithout(Value tensor, ArrayRef<OpFoldResult> at,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<int64_t> dropped) {
  Sizes kept;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dropped, int64_t(i)))
      kept.push_back(size);
  if (isOfNothing(tensor, sizes))
    return empty(kept, elementType(tensor));
  auto type = RankedTensorType::get(staticShape(kept), elementType(tensor));
  Sizes strides(sizes.size(), attr(1));
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, at, sizes,
                                        strides);
}

Value Lowering::pad(Value tensor, ArrayRef<OpFoldResult> low,
                    ArrayRef<OpFoldResult> high, Value value) {
  auto isZero = [](OpFoldResult amount) {
    return getConstantIntValue(amount) == int64_t(0);
  };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  // An empty tensor is not inserted: MLIR refuses an insertion that begins at
  // the end of a dimension, even one of no elements.
  if (llvm::is_contained(typeOf(tensor).getShape(), 0)) {
    Sizes to;
    for (auto [size, before, after] :
         llvm::zip_equal(sizes(tensor), low, high)) {
      OpFoldResult longer = add(size, before);
      to.push_back(add(longer, after));
    }
    return filled(to, value);
  }
  return tensor::PadOp::create(b, loc, Type(), tensor, low, high, value);
}

Value Lowering::transpose(Value tensor, ArrayRef<int64_t> perm) {
  Sizes from = sizes(tensor), to;
  for (int64_t axis : perm)
    to.push_back(from[axis]);
  return linalg::TransposeOp::create(b, loc, tensor,
                                     empty(to, elementType(tensor)), perm)
      ->getResult(0);
}
