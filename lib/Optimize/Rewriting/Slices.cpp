//===- Slices.cpp - What slices take --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slices.h"

#include "Matching.h"

#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Exporters write at least this for "to the end"; no dim is that large.
static constexpr int64_t toTheEnd = std::numeric_limits<int32_t>::max();

std::optional<SmallVector<int64_t>> optimize::getSliceAxes(SliceOp op) {
  std::optional<int64_t> rank = getRank(op.getData()),
                         count = getDim(op.getStarts(), 0);
  if (!rank || !count)
    return std::nullopt;
  if (!op.getAxes()) {
    if (*count > *rank)
      return std::nullopt;
    return llvm::to_vector(llvm::seq<int64_t>(0, *count));
  }
  std::optional<SmallVector<int64_t>> given = getIntegers(op.getAxes());
  if (!given || static_cast<int64_t>(given->size()) != *count)
    return std::nullopt;
  return normalizeAxes(*given, *rank);
}

std::optional<SmallVector<SliceRange>> optimize::getSliceRanges(SliceOp op) {
  std::optional<SmallVector<int64_t>> axes = getSliceAxes(op),
                                      starts = getIntegers(op.getStarts()),
                                      ends = getIntegers(op.getEnds()), steps;
  if (!axes || !starts || !ends || starts->size() != axes->size() ||
      ends->size() != axes->size())
    return std::nullopt;
  steps = op.getSteps() ? getIntegers(op.getSteps())
                        : SmallVector<int64_t>(axes->size(), 1);
  if (!steps || steps->size() != axes->size())
    return std::nullopt;
  SmallVector<SliceRange> ranges;
  for (auto [axis, start, end, step] :
       llvm::zip_equal(*axes, *starts, *ends, *steps)) {
    if (step <= 0)
      return std::nullopt;
    SliceRange range{axis, start, end, step};
    std::optional<int64_t> dim = getDim(op.getData(), axis);
    if (!dim && (start < 0 || end < 0))
      return std::nullopt;
    if (dim) {
      range.start =
          std::clamp<int64_t>(start < 0 ? start + *dim : start, 0, *dim);
      range.end = std::clamp<int64_t>(end < 0 ? end + *dim : end, 0, *dim);
    }
    ranges.push_back(range);
  }
  return ranges;
}

bool optimize::isWhole(const SliceRange &range, Value data) {
  if (range.start != 0 || range.step != 1)
    return false;
  std::optional<int64_t> dim = getDim(data, range.axis);
  return dim ? range.end >= *dim : range.end >= toTheEnd;
}

std::optional<GatherPicks> optimize::getGatherPicks(GatherOp op) {
  std::optional<int64_t> rank = getRank(op.getData());
  std::optional<int64_t> axis =
      rank ? normalizeAxis(op.getAxis(), *rank) : std::nullopt;
  std::optional<SmallVector<int64_t>> indices = getIntegers(op.getIndices());
  if (!axis || !indices)
    return std::nullopt;
  std::optional<int64_t> dim = getDim(op.getData(), *axis);
  for (int64_t &index : *indices) {
    std::optional<int64_t> place =
        dim ? normalizeAxis(index, *dim)
            : (index < 0 ? std::nullopt : std::optional(index));
    if (!place)
      return std::nullopt;
    index = *place;
  }
  return GatherPicks{*axis, *indices,
                     SmallVector<int64_t>(*getShape(op.getIndices()))};
}

Value optimize::makeSlice(PatternRewriter &rewriter, Operation *root,
                          Location loc, Value data,
                          ArrayRef<SliceRange> ranges) {
  SmallVector<int64_t> starts, ends, axes, steps;
  for (const SliceRange &range : ranges) {
    starts.push_back(range.start);
    ends.push_back(range.end);
    axes.push_back(range.axis);
    steps.push_back(range.step);
  }
  auto make = [&](ArrayRef<int64_t> values, StringRef suffix) {
    return makeConstant(rewriter, root,
                        makeIntegers(rewriter.getContext(), values), suffix);
  };
  bool hasSteps = llvm::any_of(steps, [](int64_t step) { return step != 1; });
  Value from = make(starts, "starts"), to = make(ends, "ends"),
        along = make(axes, "axes");
  return SliceOp::create(rewriter, loc, data, from, to, along,
                         hasSteps ? make(steps, "steps") : Value());
}

std::optional<SmallVector<int64_t>> optimize::getSplitLengths(SplitOp op) {
  if (op.getSplit()) {
    std::optional<SmallVector<int64_t>> lengths = getIntegers(op.getSplit());
    if (lengths && lengths->size() == op.getOutputs().size() &&
        llvm::all_of(*lengths, [](int64_t length) { return length >= 0; }))
      return lengths;
  }
  SmallVector<int64_t> lengths;
  for (Value output : op.getOutputs()) {
    std::optional<int64_t> length = getDim(output, op.getAxis());
    if (!length)
      return std::nullopt;
    lengths.push_back(*length);
  }
  return lengths;
}

ElementsAttr optimize::concatElements(ArrayRef<ElementsAttr> parts,
                                      int64_t axis) {
  SmallVector<Elements> elements;
  SmallVector<int64_t> shape;
  for (ElementsAttr part : parts) {
    std::optional<Elements> data = Elements::get(part);
    if (!data)
      return {};
    elements.push_back(*data);
    ArrayRef<int64_t> own = data->getType().getShape();
    if (axis < 0 || axis >= static_cast<int64_t>(own.size()) ||
        data->getElementType() != elements.front().getElementType())
      return {};
    if (shape.empty()) {
      shape.assign(own.begin(), own.end());
      continue;
    }
    if (own.size() != shape.size())
      return {};
    for (int64_t i = 0, e = shape.size(); i < e; ++i)
      if (i != axis && shape[i] != own[i])
        return {};
    shape[axis] += own[axis];
  }
  SaturatingInt outer = 1, inner = 1;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  std::vector<char> bytes;
  for (int64_t place = 0; place < outer; ++place)
    for (const Elements &part : elements) {
      int64_t count = part.getType().getDimSize(axis) * inner;
      // no overflow: the constant is in memory
      for (int64_t i = place * count; i < (place + 1) * count; ++i)
        llvm::append_range(bytes, part.getBytes(i));
    }
  return makeElements(
      RankedTensorType::get(shape, elements.front().getElementType()), bytes);
}
