//===- Movement.cpp - The ops of Movement.td ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Movement.h"

#include "onnxc/Dialect/ONNX/Folding.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include <limits>

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Movement.cpp.inc"

void ONNXDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Movement.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getData());
  std::optional<llvm::ArrayRef<int64_t>> perm = op.getPerm();
  if (!s.ranked(op.getData())) {
    // perm tells the rank.
    return perm ? s.result(0, elementType, Dims(perm->size(), s.unknown()))
                : s.unranked(0, elementType);
  }
  Dims dims = s.dims(op.getData());
  if (!perm) {
    std::reverse(dims.begin(), dims.end());
    return s.result(0, elementType, dims);
  }
  if (!s.require(perm->size() == dims.size(),
                 "transpose_perm: must have one element per dimension of the "
                 "input, whose rank is " +
                     llvm::Twine(dims.size())))
    return failure();
  s.require(llvm::all_of(*perm, [](int64_t axis) { return axis >= 0; }),
            "transpose_perm: must not be negative");
  llvm::SmallVector<int64_t> axes =
      s.axes(*perm, dims.size(), "transpose_perm");
  if (s.hasFailed())
    return failure();
  Dims output;
  for (int64_t axis : axes)
    output.push_back(dims[axis]);
  return s.result(0, elementType, output);
}

LogicalResult ConcatOp::shape(ShapeBuilder &s, Adaptor op) {
  ValueRange inputs = op.getInputs();
  if (!s.require(!inputs.empty(), "concat_c1: needs at least one input"))
    return failure();
  Type elementType;
  Value withRank;
  for (Value input : inputs) {
    if (!elementType)
      elementType = s.elementType(input);
    if (!withRank && s.ranked(input))
      withRank = input;
  }
  if (!withRank)
    return s.unranked(0, elementType);
  int64_t rank = s.rank(withRank);
  int64_t axis = s.axis(op.getAxis(), rank, "concat_axis");
  if (s.hasFailed())
    return failure();
  Dims output;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    Dims dims(rank, s.unknown());
    if (s.ranked(input)) {
      if (!s.require(s.rank(input) == rank,
                     "concat_c2: inputs must have the same rank, have " +
                         llvm::Twine(rank) + " and " +
                         llvm::Twine(s.rank(input)) + " (input " +
                         llvm::Twine(index) + ")"))
        return failure();
      dims = s.dims(input);
    }
    if (output.empty()) {
      output = dims;
      continue;
    }
    for (int64_t i = 0; i < rank; ++i)
      output[i] = i == axis ? output[i] + dims[i]
                            : s.same(output[i], dims[i],
                                     "concat_c3: dimension " + llvm::Twine(i) +
                                         " of input " + llvm::Twine(index));
  }
  return s.result(0, elementType, output);
}

LogicalResult SplitOp::shape(ShapeBuilder &s, Adaptor op) {
  Value input = op.getInput();
  Type elementType = s.elementType(input);
  std::optional<int64_t> count = s.length(op.getSplit());
  if (op.getNumOutputs()) {
    s.require(!op.getSplit(), "split_c1: has both split and num_outputs");
    count = *op.getNumOutputs();
    s.require(*count >= 1, "split_num_outputs: must be positive");
  }
  // The op's own outputs; their number follows from it alone.
  int64_t outputs = s.getNumResults();
  if (count)
    s.require(*count == outputs, "split_c2: is into " + llvm::Twine(*count) +
                                     " parts, but has " + llvm::Twine(outputs) +
                                     " outputs");
  if (s.hasFailed())
    return failure();
  if (!s.ranked(input)) {
    for (int64_t i = 0; i < outputs; ++i)
      if (failed(s.unranked(i, elementType)))
        return failure();
    return success();
  }

  int64_t axis = s.axis(op.getAxis(), s.rank(input), "split_axis");
  if (s.hasFailed())
    return failure();
  Dims dims = s.dims(input);
  Dim whole = dims[axis];
  Dims parts(outputs, s.unknown());
  if (op.getSplit()) {
    if (std::optional<Dims> given = s.values(op.getSplit())) {
      parts = *given;
      Dim sum = s.constant(0);
      for (const Dim &part : parts) {
        s.requireLessEqual(s.constant(0), part,
                           "split_split: parts must not be negative");
        sum = sum + part;
      }
      s.same(sum, whole, "split_split: sum of the parts and the dimension");
      // A sum of larger ones may wrap.
      for (const Dim &part : parts)
        s.requireLessEqual(
            part, whole,
            "split_split: parts must not be larger than the dimension");
    }
  } else if (int64_t n = count.value_or(outputs); n <= outputs) {
    // Equal parts; the last ones are smaller or empty if they do not fit.
    Dim part = s.ceildiv(whole, s.constant(n));
    bool fits = whole.isKnown() && *whole.getKnown() % n == 0;
    parts.assign(n, part);
    for (int64_t i = 1; i < n && !fits; ++i)
      parts[i] = s.max(s.min(part, whole - part * i), s.constant(0));
  }
  for (int64_t i = 0; i < std::min<int64_t>(outputs, parts.size()); ++i) {
    dims[axis] = parts[i];
    if (failed(s.result(i, elementType, dims)))
      return failure();
  }
  return s.hasFailed() ? failure() : success();
}

/// The length that Slice leaves of a dimension. Any of the numbers may be known
/// only at run time; `step` is then of either sign.
static Dim sliceLength(ShapeBuilder &s, Dim dim, Dim start, Dim end, Dim step) {
  Dim zero = s.constant(0), one = s.constant(1);
  // An end as large as exporters write for "all".
  bool isToEnd = step.is(1) && end.isKnown() &&
                 *end.getKnown() >= std::numeric_limits<int32_t>::max();
  if (start.is(0) && isToEnd)
    return dim;
  // The sum is made only where it may count: what is as large as can be stands
  // for "to the end".
  auto fromEnd = [&](Dim value) {
    if (value.isKnown())
      return *value.getKnown() < 0 ? value + dim : value;
    return s.selectLess(value, zero, value + dim, value);
  };
  start = fromEnd(start);
  end = fromEnd(end);
  auto clamp = [&](Dim value, Dim low, Dim high) {
    return s.min(s.max(value, low), high);
  };
  Dim forward = zero, backward = zero;
  // Both are computed only where the sign is not known.
  if (!step.isKnown() || *step.getKnown() > 0) {
    Dim from = clamp(start, zero, dim),
        to = isToEnd ? dim : clamp(end, zero, dim);
    forward = s.max(s.ceildiv(to - from, s.max(step, one)), zero);
  }
  if (!step.isKnown() || *step.getKnown() < 0) {
    Dim last = dim - 1;
    Dim from = clamp(start, zero, last), to = clamp(end, s.constant(-1), last);
    // In an empty dimension both clamp to -1 or 0: nothing is left.
    Dim stride =
        zero - s.max(step, s.constant(-std::numeric_limits<int64_t>::max()));
    backward = s.max(s.ceildiv(from - to, s.max(stride, one)), zero);
    backward = s.min(backward, dim);
  }
  return s.selectLess(step, zero, backward, forward);
}

LogicalResult SliceOp::shape(ShapeBuilder &s, Adaptor op) {
  Value data = op.getData();
  Type elementType = s.elementType(data);
  if (!s.ranked(data))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(data);
  for (Value list : {op.getStarts(), op.getEnds(), op.getAxes(), op.getSteps()})
    if (list && s.ranked(list))
      s.require(s.rank(list) == 1,
                "slice_c3: starts, ends, axes and steps must "
                "have rank 1, one has rank " +
                    llvm::Twine(s.rank(list)));
  if (s.hasFailed())
    return failure();
  std::optional<int64_t> count;
  for (Value list : {op.getStarts(), op.getEnds(), op.getAxes(), op.getSteps()})
    if (list && !count)
      count = s.length(list);
  if (!count)
    return s.result(0, elementType, Dims(rank, s.unknown()));
  for (Value list : {op.getStarts(), op.getEnds(), op.getAxes(), op.getSteps()})
    if (std::optional<int64_t> length = s.length(list))
      s.require(*length == *count,
                "slice_c1: starts, ends, axes and steps must "
                "have the same length, have " +
                    llvm::Twine(*count) + " and " + llvm::Twine(*length));
  if (!s.require(*count <= rank, "slice_c2: slices " + llvm::Twine(*count) +
                                     " axes of a tensor of rank " +
                                     llvm::Twine(rank)))
    return failure();
  auto valuesOr = [&](Value list, auto otherwise) {
    Dims result;
    if (list)
      if (std::optional<Dims> given = s.values(list))
        return *given;
    for (int64_t i = 0; i < *count; ++i)
      result.push_back(list ? s.unknown() : s.constant(otherwise(i)));
    return result;
  };
  Dims starts = valuesOr(op.getStarts(), [](int64_t) { return 0; });
  Dims ends = valuesOr(op.getEnds(), [](int64_t) { return 0; });
  Dims steps = valuesOr(op.getSteps(), [](int64_t) { return 1; });
  Dims axes = valuesOr(op.getAxes(), [](int64_t i) { return i; });
  Dim zero = s.constant(0), one = s.constant(1);
  for (const Dim &step : steps)
    s.requireLess(zero, s.selectEqual(step, zero, zero, one),
                  "slice_steps: must not be 0");
  AxisSet set(s, axes, rank, "slice_axes");
  if (s.hasFailed())
    return failure();

  Dims output;
  for (int64_t i = 0; i < rank; ++i) {
    Dim dim = s.dim(data, i), length = dim;
    for (int64_t k = 0; k < *count; ++k)
      if (set.mayBe(k, i))
        length = set.selectAxis(
            k, i, sliceLength(s, dim, starts[k], ends[k], steps[k]), length);
    output.push_back(length);
  }
  return s.result(0, elementType, output);
}

LogicalResult PadOp::shape(ShapeBuilder &s, Adaptor op) {
  Value data = op.getData();
  Type elementType = s.elementType(data);
  llvm::StringRef mode = op.getMode();
  s.require(mode == "constant" || mode == "reflect" || mode == "edge" ||
                mode == "wrap",
            "pad_mode: must be constant, reflect, edge or wrap, is '" + mode +
                "'");
  std::optional<int64_t> length = s.length(op.getPads());
  s.require(!length || *length % 2 == 0, "pad_pads: must have a begin and an "
                                         "end for each axis");
  if (s.hasFailed())
    return failure();
  if (!s.ranked(data)) {
    // Without axes, pads tell the rank.
    return length && *length <= ShapeBuilder::maxLength && !op.getAxes()
               ? s.result(0, elementType, Dims(*length / 2, s.unknown()))
               : s.unranked(0, elementType);
  }
  int64_t rank = s.rank(data);
  if (!s.require(!length || !op.getAxes() || *length <= 2 * rank,
                 "pad_pads: more than two for each dimension of the input"))
    return failure();
  std::optional<int64_t> count = op.getAxes() ? s.length(op.getAxes()) : rank;
  std::optional<Dims> pads = s.values(op.getPads());
  if (!count || !pads)
    return s.result(0, elementType, Dims(rank, s.unknown()));
  if (!s.require(static_cast<int64_t>(pads->size()) == 2 * *count,
                 "pad_pads: must have " + llvm::Twine(2 * *count) +
                     " elements, has " + llvm::Twine(pads->size())))
    return failure();
  Dims axes;
  if (op.getAxes())
    axes = *s.values(op.getAxes());
  else
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(s.constant(i));
  AxisSet set(s, axes, rank, "pad_axes");
  if (s.hasFailed())
    return failure();
  if (!requireScalar(s, op.getConstantValue(),
                     "pad_constant_value: must be one number"))
    return failure();
  for (const Dim &pad : *pads) {
    s.requireLessEqual(pad, s.constant(maxSize), "pad_pads: too large");
    s.requireLessEqual(s.constant(-maxSize), pad, "pad_pads: too small");
  }
  Dims output = s.dims(data);
  for (int64_t i = 0; i < rank; ++i) {
    Dim dim = output[i], zero = s.constant(0), kept = dim;
    for (int64_t k = 0; k < *count; ++k) {
      if (!set.mayBe(k, i))
        continue;
      Dim low = (*pads)[k], high = (*pads)[k + *count];
      output[i] = set.selectAxis(k, i, dim + low + high, output[i]);
      Dim cropped = dim + s.min(low, zero);
      cropped = cropped + s.min(high, zero);
      kept = set.selectAxis(k, i, cropped, kept);
    }
    // Every mode but "constant" pads what negative amounts have left.
    s.requireLessEqual(zero, mode == "constant" ? output[i] : kept,
                       "pad_pads: remove more than there is");
    if (mode != "constant")
      s.requireLessEqual(s.selectEqual(kept, zero, output[i], zero), zero,
                         "pad_mode: " + mode +
                             " has nothing to take elements from in an empty "
                             "dimension");
  }
  return s.result(0, elementType, output);
}

LogicalResult TileOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  std::optional<Dims> repeats = s.values(op.getRepeats());
  if (!s.ranked(op.getInput()))
    return repeats
               ? s.result(0, elementType, Dims(repeats->size(), s.unknown()))
               : s.unranked(0, elementType);
  Dims output = s.dims(op.getInput());
  if (!repeats)
    return s.result(0, elementType, Dims(output.size(), s.unknown()));
  if (!s.require(repeats->size() == output.size(),
                 "tile_repeats: must have one element per dimension of the "
                 "input, whose rank is " +
                     llvm::Twine(output.size())))
    return failure();
  for (auto [dim, repeat] : llvm::zip_equal(output, *repeats)) {
    s.requireLessEqual(s.constant(0), repeat,
                       "tile_repeats: must not be negative");
    if (std::optional<int64_t> known = repeat.getKnown(); known && *known > 0)
      s.requireLessEqual(dim, s.constant(maxSize / *known),
                         "tile_repeats: too large for the dimension");
    else
      s.requireLessEqual(
          repeat, s.floordiv(s.constant(maxSize), s.max(dim, s.constant(1))),
          "tile_repeats: too large");
    dim = dim * repeat;
  }
  return s.result(0, elementType, output);
}

LogicalResult ExpandOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInput());
  std::optional<Dims> shape = s.values(op.getShape());
  if (!shape)
    return s.unranked(0, elementType);
  for (const Dim &size : *shape)
    s.requireLessEqual(s.constant(0), size,
                       "expand_shape: must not be negative");
  if (!s.ranked(op.getInput()))
    return s.unranked(0, elementType);
  return s.result(0, elementType,
                  s.broadcast(s.dims(op.getInput()), *shape, "expand_shape"));
}

/// DepthToSpace and SpaceToDepth: rank 4, mode DCR or CRD.
static bool requireBlocks(ShapeBuilder &s, Value input, int64_t block,
                          llvm::StringRef mode, llvm::StringRef op) {
  s.require(block >= 1, op + "_blocksize: must be positive");
  s.require(mode == "DCR" || mode == "CRD",
            op + "_mode: must be DCR or CRD, is '" + mode + "'");
  if (s.ranked(input))
    s.require(s.rank(input) == 4, op + "_input: must have rank 4, has " +
                                      llvm::Twine(s.rank(input)));
  return !s.hasFailed();
}

LogicalResult DepthToSpaceOp::shape(ShapeBuilder &s, Adaptor op) {
  int64_t block = op.getBlocksize();
  if (!requireBlocks(s, op.getInput(), block, op.getMode(), "depthtospace"))
    return failure();
  Dims d(4, s.unknown());
  if (s.ranked(op.getInput()))
    d = s.dims(op.getInput());
  Dim blocks = s.constant(block) * block;
  Dim depth = s.floordiv(d[1], blocks);
  s.same(depth * blocks, d[1],
         "depthtospace_blocksize: depth must be a multiple of the square of " +
             Twine(block));
  return s.result(0, s.elementType(op.getInput()),
                  {d[0], depth, d[2] * block, d[3] * block});
}

LogicalResult SpaceToDepthOp::shape(ShapeBuilder &s, Adaptor op) {
  int64_t block = op.getBlocksize();
  if (!requireBlocks(s, op.getInput(), block, op.getMode(), "spacetodepth"))
    return failure();
  Dims d(4, s.unknown());
  if (s.ranked(op.getInput()))
    d = s.dims(op.getInput());
  Dim height = s.floordiv(d[2], s.constant(block));
  Dim width = s.floordiv(d[3], s.constant(block));
  std::string what = ("spacetodepth_blocksize: " + Twine(block)).str();
  s.same(height * block, d[2], what + " must divide the height");
  s.same(width * block, d[3], what + " must divide the width");
  return s.result(0, s.elementType(op.getInput()),
                  {d[0], d[1] * block * block, height, width});
}

LogicalResult CenterCropPadOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getInputData());
  std::optional<Dims> sizes = s.values(op.getShape());
  std::optional<llvm::ArrayRef<int64_t>> axes = op.getAxes();
  if (!s.ranked(op.getInputData()))
    return sizes && !axes ? s.result(0, elementType, *sizes)
                          : s.unranked(0, elementType);
  int64_t rank = s.rank(op.getInputData());
  llvm::SmallVector<int64_t> which;
  if (axes)
    which = s.axes(*axes, rank, "centercroppad_axes");
  else
    which = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (s.hasFailed())
    return failure();
  s.require(!sizes || sizes->size() == which.size(),
            "centercroppad_shape: must have one element per axis");
  if (s.hasFailed())
    return failure();
  Dims output = s.dims(op.getInputData());
  for (auto [i, axis] : llvm::enumerate(which))
    output[axis] = sizes ? (*sizes)[i] : s.unknown();
  return s.result(0, elementType, output);
}

LogicalResult ReverseSequenceOp::shape(ShapeBuilder &s, Adaptor op) {
  Value input = op.getInput();
  Dim lengths = dimsOfRank(s, op.getSequenceLens(), 1,
                           "reversesequence_sequence_lens")[0];
  if (!s.ranked(input))
    return s.sameAsOperand(0);
  int64_t rank = s.rank(input), batch = op.getBatchAxis(),
          time = op.getTimeAxis();
  if (!s.require(batch >= 0 && batch < rank && time >= 0 && time < rank &&
                     batch != time,
                 "reversesequence_axes: batch_axis and time_axis must be two "
                 "axes of the input, which has rank " +
                     llvm::Twine(rank)))
    return failure();
  s.same(lengths, s.dim(input, batch),
         "reversesequence_sequence_lens: lengths and sequences");
  return s.sameAsOperand(0);
}

LogicalResult TriluOp::shape(ShapeBuilder &s, Adaptor op) {
  if (s.ranked(op.getInput()))
    s.require(s.rank(op.getInput()) >= 2,
              "trilu_input: must have at least rank 2, has " +
                  llvm::Twine(s.rank(op.getInput())));
  if (!requireScalar(s, op.getK(), "trilu_k: must be one number"))
    return failure();
  return s.sameAsOperand(0);
}

//===----------------------------------------------------------------------===//
// Elements of shapes
//===----------------------------------------------------------------------===//

std::optional<Dim> ConcatOp::followElement(ShapeElements &elements,
                                           int64_t index) {
  for (Value part : getInputs()) {
    std::optional<int64_t> length = elements.getBuilder().length(part);
    if (!length)
      return std::nullopt;
    if (index < *length)
      return elements.follow(part, index);
    index -= *length;
  }
  return std::nullopt;
}

std::optional<Dim> SliceOp::followElement(ShapeElements &elements,
                                          int64_t index) {
  std::optional<int64_t> length = elements.getBuilder().length(getData());
  // With axes or not: a tensor of rank 1 has one.
  std::optional<int64_t> start = getConstantInteger(getStarts(), 0);
  std::optional<int64_t> given =
      getSteps() ? getConstantInteger(getSteps(), 0) : 1;
  if (!length || !start || !given)
    return std::nullopt;
  int64_t step = *given;
  if (step == 0 || step < -*length || step > *length)
    return std::nullopt;
  int64_t first = *start < 0 ? *start + *length : *start;
  first = std::clamp<int64_t>(first, 0, step < 0 ? *length - 1 : *length);
  int64_t at = first + index * step;
  if (index > *length || at < 0 || at >= *length)
    return std::nullopt;
  return elements.follow(getData(), at);
}

std::optional<Dim> ExpandOp::followElement(ShapeElements &elements,
                                           int64_t index) {
  return elements.followBroadcast(getInput(), index);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult IdentityOp::fold(FoldAdaptor) {
  return foldSameType(getInput(), getOutput());
}

/// perm[i], or what it is where the attribute is absent.
static llvm::SmallVector<int64_t> getPermutation(TransposeOp op, int64_t rank) {
  if (op.getPerm())
    return llvm::to_vector(*op.getPerm());
  llvm::SmallVector<int64_t> reversed =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  auto type = dyn_cast<RankedTensorType>(getData().getType());
  if (!type)
    return {};
  llvm::SmallVector<int64_t> perm = getPermutation(*this, type.getRank());
  if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
    return foldSameType(getData(), getTransposed());
  // Two in a row are one.
  if (auto inner = getData().getDefiningOp<TransposeOp>()) {
    llvm::SmallVector<int64_t> first = getPermutation(inner, type.getRank());
    for (int64_t &axis : perm)
      axis = first[axis];
    setPerm(perm);
    getDataMutable().assign(inner.getData());
    return getTransposed();
  }
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1
             ? foldSameType(getInputs()[0], getConcatResult())
             : Value();
}

/// Whether numbers that are known make of a tensor of a known shape one of the
/// same shape. Those that a run brings may not fit, which it then has to say.
static Value foldKnown(Value input, Attribute numbers, Value result) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  return numbers && type && type.hasStaticShape() ? foldSameType(input, result)
                                                  : Value();
}

OpFoldResult ExpandOp::fold(FoldAdaptor known) {
  return foldKnown(getInput(), known.getShape(), getOutput());
}

OpFoldResult TileOp::fold(FoldAdaptor known) {
  return foldKnown(getInput(), known.getRepeats(), getOutput());
}
