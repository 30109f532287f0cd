//===- FunctionBody.cpp - What function bodies are written with -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Ops and constants
//===----------------------------------------------------------------------===//

Location FunctionBody::getLocation(StringRef name) const {
  return makeHelperLocation(root, name);
}

NamedAttribute FunctionBody::attribute(StringRef name, int64_t value) const {
  return rewriter.getNamedAttr(name, rewriter.getI64IntegerAttr(value));
}
NamedAttribute FunctionBody::attribute(StringRef name,
                                       ArrayRef<int64_t> values) const {
  return rewriter.getNamedAttr(name, rewriter.getDenseI64ArrayAttr(values));
}

Value FunctionBody::number(double value, Type elementType) {
  std::optional<ElementsAttr> elements = makeElements(
      RankedTensorType::get({}, elementType), ArrayRef<double>(value));
  assert(elements && "a type that does not hold the number");
  return note(
      makeConstant(rewriter, root, *elements, "constant").getDefiningOp());
}

Value FunctionBody::integers(ArrayRef<int64_t> values) {
  return note(makeConstant(rewriter, root,
                           makeIntegers(root->getContext(), values), "constant")
                  .getDefiningOp());
}

Value FunctionBody::add(Value a, Value b) { return make<AddOp>({a, b}); }
Value FunctionBody::sub(Value a, Value b) { return make<SubOp>({a, b}); }
Value FunctionBody::mul(Value a, Value b) { return make<MulOp>({a, b}); }
Value FunctionBody::div(Value a, Value b) { return make<DivOp>({a, b}); }
Value FunctionBody::exp(Value x) { return make<ExpOp>(x); }
Value FunctionBody::log(Value x) { return make<LogOp>(x); }
Value FunctionBody::abs(Value x) { return make<AbsOp>(x); }
Value FunctionBody::sqrt(Value x) { return make<SqrtOp>(x); }
Value FunctionBody::max(Value a, Value b) { return make<MaxOp>({a, b}); }
Value FunctionBody::min(Value a, Value b) { return make<MinOp>({a, b}); }
Value FunctionBody::less(Value a, Value b) { return make<LessOp>({a, b}); }
Value FunctionBody::where(Value condition, Value a, Value b) {
  return make<WhereOp>({condition, a, b});
}

Value FunctionBody::cast(Value x, Type elementType) {
  if (optimize::getElementType(x) == elementType)
    return x;
  return make<CastOp>(x, attribute("to", int64_t(getDataType(elementType))));
}

Value FunctionBody::transpose(Value x, ArrayRef<int64_t> perm) {
  return make<TransposeOp>(x, attribute("perm", perm));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

BodyDim FunctionBody::dim(Value x, int64_t axis) {
  if (std::optional<int64_t> known = getDim(x, axis))
    return *known;
  return make<GatherOp>({make<ShapeOp>(x), integers(axis)});
}

BodyDim FunctionBody::times(BodyDim dim, int64_t factor) {
  return dim.value ? BodyDim(mul(dim.value, integers(factor)))
                   : BodyDim(SaturatingInt(dim.known) * factor);
}
BodyDim FunctionBody::over(BodyDim dim, int64_t divisor) {
  return dim.value ? BodyDim(div(dim.value, integers(divisor)))
                   : BodyDim(dim.known / divisor);
}

Value FunctionBody::shape(ArrayRef<BodyDim> dims) {
  auto isKnown = [](const BodyDim &dim) { return !dim.value; };
  if (llvm::all_of(dims, isKnown))
    return integers(llvm::map_to_vector(
        dims, [](const BodyDim &dim) { return dim.known; }));
  SmallVector<Value> parts;
  for (const BodyDim &dim : dims)
    parts.push_back(dim.value ? dim.value : integers(dim.known));
  return make<ConcatOp>(parts, attribute("axis", int64_t(0)));
}

bool FunctionBody::canReshape(ArrayRef<int64_t> dims) const {
  return llvm::all_of(dims, [](int64_t dim) { return dim > 0; }) ||
         isAvailable(/*since=*/14, root, options);
}

Value FunctionBody::reshape(Value x, ArrayRef<BodyDim> dims) {
  bool mayBeZero = llvm::any_of(
      dims, [](const BodyDim &dim) { return dim.value || dim.known == 0; });
  SmallVector<NamedAttribute> attributes;
  if (mayBeZero)
    attributes.push_back(attribute("allowzero", int64_t(1)));
  return make<ReshapeOp>({x, shape(dims)}, attributes);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The root's own, with the one output that is meant.
Location FunctionBody::getResultLocation(unsigned number) const {
  SourceAttr source = getSource(root->getLoc());
  if (root->getNumResults() == 1 || !source || !source.getOutputs())
    return root->getLoc();
  SmallVector<StringRef> names;
  // Absent outputs have no name.
  for (auto output : source.getOutputs().getAsRange<StringAttr>())
    if (!output.empty())
      names.push_back(output.getValue());
  if (number >= names.size())
    return root->getLoc();
  StringAttr name = source.getName();
  if (number > 0 && !name.empty())
    name = rewriter.getStringAttr(name.getValue() + "_" + Twine(number));
  auto own = SourceAttr::get(root->getContext(), name, source.getOp(),
                             rewriter.getStrArrayAttr({names[number]}), nullptr,
                             nullptr, nullptr);
  return FusedLoc::get({root->getLoc()}, own, root->getContext());
}

void FunctionBody::giveUp() {
  for (Operation *op : llvm::reverse(made))
    rewriter.eraseOp(op);
}

LogicalResult FunctionBody::finish(ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(root->getResults(), values)) {
    if (!value || !llvm::is_contained(made, value.getDefiningOp()))
      continue;
    Type joined = joinTypes(result.getType(), value.getType());
    if (joined)
      value.setType(isSeenByCalls(result) ? result.getType() : joined);
    value.getDefiningOp()->setLoc(getResultLocation(result.getResultNumber()));
  }
  if (succeeded(replaceRoot(rewriter, root, values)))
    return success();
  giveUp();
  return failure();
}
