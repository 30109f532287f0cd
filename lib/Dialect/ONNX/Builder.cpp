//===- Builder.cpp - Makes ONNX ops by their classes ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Builder.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Types of results
//===----------------------------------------------------------------------===//

bool onnxc::isSeenAcrossCalls(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<func::CallOp>(user) ||
           (isa<func::ReturnOp>(user) &&
            !user->getParentOp()->hasAttr(model::entry));
  });
}

void onnxc::refineResults(Operation *op) {
  SmallVector<Type> inferred;
  if (!isa<SchemaOpInterface>(op) ||
      llvm::failed(inferResultTypes(op, inferred, nullptr)))
    return;
  for (auto [type, result] : llvm::zip(inferred, op->getResults())) {
    if (!type || isSeenAcrossCalls(result))
      continue;
    // An element type that contradicts is an error, which inference reports.
    Type joined = joinTypes(type, result.getType());
    if (joined ||
        areCompatibleTypes(dropShapes(type), dropShapes(result.getType())))
      result.setType(joined ? joined : type);
  }
}

//===----------------------------------------------------------------------===//
// Ops of any class
//===----------------------------------------------------------------------===//

LogicalResult ONNXBuilder::check(Operation *made) {
  return verifyBuiltNode(made, [](OpResult, Type) {});
}

SmallVector<Value> ONNXBuilder::make(RegisteredOperationName record,
                                     NodeParts parts) {
  SmallVector<Value> none(parts.outputs.size());
  if (failed)
    return none;
  auto *schema = record.getInterface<SchemaOpInterface>();
  FailureOr<SmallVector<Value>> results = buildNode(
      builder, getLocation(schema->getOnnxName()), record, std::move(parts));
  failed = llvm::failed(results);
  if (failed)
    return none;
  Operation *made = &*std::prev(builder.getInsertionPoint());
  failed = llvm::failed(check(made));
  if (failed)
    return none;
  refineResults(made);
  return *results;
}

SmallVector<Value> ONNXBuilder::makeUnknown(RegisteredOperationName record,
                                            NodeParts parts, unsigned count) {
  parts.outputs.assign(count, UnknownType::get(builder.getContext()));
  return make(record, std::move(parts));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value ONNXBuilder::constant(ElementsAttr value) {
  return make<ConstantOp>({}, attribute("value", value));
}

Value ONNXBuilder::ints(ArrayRef<int64_t> values) {
  int64_t count = values.size();
  return constant(DenseElementsAttr::get(
      RankedTensorType::get(count, builder.getI64Type()), values));
}

Value ONNXBuilder::floats(ArrayRef<float> values) {
  int64_t count = values.size();
  return constant(DenseElementsAttr::get(
      RankedTensorType::get(count, builder.getF32Type()), values));
}

Value ONNXBuilder::integer(int64_t value) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({}, builder.getI64Type()), value));
}

Value ONNXBuilder::number(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  if (!isa<FloatType>(elementType))
    return constant(DenseElementsAttr::get(
        type,
        APInt(elementType.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
              /*isSigned=*/true, /*implicitTrunc=*/true)));
  APFloat number(value);
  bool losesInfo;
  // Attributes were single precision whatever the tensor is.
  number.convert(mlir::cast<FloatType>(elementType).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return constant(DenseElementsAttr::get(type, number));
}

Value ONNXBuilder::number(double value, Value like) {
  if (!like)
    return {};
  Type element = getElementType(like);
  if (element && (isa<FloatType>(element) || element.isInteger()))
    return number(value, element);
  return make<CastLikeOp>({number(value, builder.getF32Type()), like});
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ONNXBuilder::add(Value a, Value b) { return make<AddOp>({a, b}); }
Value ONNXBuilder::sub(Value a, Value b) { return make<SubOp>({a, b}); }
Value ONNXBuilder::mul(Value a, Value b) { return make<MulOp>({a, b}); }
Value ONNXBuilder::div(Value a, Value b) { return make<DivOp>({a, b}); }
Value ONNXBuilder::exp(Value x) { return make<ExpOp>(x); }
Value ONNXBuilder::log(Value x) { return make<LogOp>(x); }
Value ONNXBuilder::abs(Value x) { return make<AbsOp>(x); }
Value ONNXBuilder::sqrt(Value x) { return make<SqrtOp>(x); }
Value ONNXBuilder::max(Value a, Value b) { return make<MaxOp>({a, b}); }
Value ONNXBuilder::min(Value a, Value b) { return make<MinOp>({a, b}); }
Value ONNXBuilder::less(Value a, Value b) { return make<LessOp>({a, b}); }
Value ONNXBuilder::where(Value condition, Value a, Value b) {
  return make<WhereOp>({condition, a, b});
}

Value ONNXBuilder::cast(Value x, Type elementType) {
  if (!failed && getElementType(x) == elementType)
    return x;
  return make<CastOp>(x, attribute("to", getDataType(elementType)));
}

Value ONNXBuilder::castLike(Value x, Value like) {
  if (Type element = getElementType(like))
    return cast(x, element);
  return make<CastLikeOp>({x, like});
}

//===----------------------------------------------------------------------===//
// Dims and shapes
//===----------------------------------------------------------------------===//

KnownOrValue ONNXBuilder::dim(Value x, int64_t axis) {
  if (std::optional<int64_t> known = getDim(x, axis))
    return *known;
  return computeDim(x, axis);
}

Value ONNXBuilder::computeDim(Value x, int64_t axis) {
  SmallVector<NamedAttribute> attributes{attribute("start", axis)};
  // The end from the back that is none is not written.
  if (axis != -1)
    attributes.push_back(attribute("end", axis + 1));
  return make<ShapeOp>(x, attributes);
}

KnownOrValue ONNXBuilder::times(KnownOrValue dim, int64_t factor) {
  return dim.value ? KnownOrValue(mul(dim.value, ints(factor)))
                   : KnownOrValue(SaturatingInt(dim.known) * factor);
}

KnownOrValue ONNXBuilder::over(KnownOrValue dim, int64_t divisor) {
  return dim.value ? KnownOrValue(div(dim.value, ints(divisor)))
                   : KnownOrValue(dim.known / divisor);
}

Value ONNXBuilder::shapeOf(Value x) { return make<ShapeOp>(x); }

Value ONNXBuilder::shape(ArrayRef<KnownOrValue> dims) {
  auto isKnown = [](const KnownOrValue &dim) { return !dim.value; };
  if (llvm::all_of(dims, isKnown))
    return ints(llvm::map_to_vector(
        dims, [](const KnownOrValue &dim) { return dim.known; }));
  SmallVector<Value> parts;
  for (const KnownOrValue &dim : dims)
    parts.push_back(toTensor(dim));
  return concat(parts, 0);
}

Value ONNXBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return make<ReshapeOp>({x, ints(shape)});
}

Value ONNXBuilder::reshapeTo(Value x, ArrayRef<KnownOrValue> dims) {
  bool mayBeZero = llvm::any_of(dims, [](const KnownOrValue &dim) {
    return dim.value || dim.known == 0;
  });
  SmallVector<NamedAttribute> attributes;
  if (mayBeZero)
    attributes.push_back(attribute("allowzero", 1));
  return make<ReshapeOp>({x, shape(dims)}, attributes);
}

Value ONNXBuilder::flatten(Value x, int64_t axis) {
  return make<FlattenOp>(x, attribute("axis", axis));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value ONNXBuilder::transpose(Value x, ArrayRef<int64_t> perm) {
  return make<TransposeOp>(x, attribute("perm", perm));
}

Value ONNXBuilder::unsqueeze(Value x, ArrayRef<int64_t> axes) {
  return make<UnsqueezeOp>({x, ints(axes)});
}

Value ONNXBuilder::concat(ArrayRef<Value> parts, int64_t axis) {
  return make<ConcatOp>(parts, attribute("axis", axis));
}

Value ONNXBuilder::slice(Value x, int64_t axis, Value start, Value end) {
  return make<SliceOp>({x, start, end, ints(axis)});
}

Value ONNXBuilder::slice(Value x, int64_t axis, int64_t start, int64_t end) {
  Value starts = ints(start);
  return slice(x, axis, starts, ints(end));
}

SmallVector<Value> ONNXBuilder::split(Value x, int64_t axis,
                                      ArrayRef<int64_t> sizes) {
  return makeAll<SplitOp>({x, ints(sizes)}, attribute("axis", axis),
                          sizes.size());
}

Value ONNXBuilder::gather(Value x, Value indices, int64_t axis) {
  return make<GatherOp>({x, indices}, attribute("axis", axis));
}

Value ONNXBuilder::take(Value x, int64_t axis, int64_t index) {
  return gather(x, integer(index), axis);
}

Value ONNXBuilder::range(Value count) {
  return make<RangeOp>({integer(0), count, integer(1)});
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> ONNXBuilder::loop(Value count, ArrayRef<Value> initial,
                                     unsigned numCollected, LoopBody body) {
  unsigned numResults = initial.size() + numCollected;
  SmallVector<Value> none(numResults);
  if (failed)
    return none;
  auto region = std::make_unique<Region>();
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(region.get());
    auto addScalar = [&](Type element) {
      return block->addArgument(RankedTensorType::get({}, element), loc);
    };
    Value step = addScalar(builder.getI64Type());
    Value goesOn = addScalar(builder.getI1Type());
    for (Value state : initial)
      block->addArgument(state.getType(), loc);
    SmallVector<Value> next = body(step, block->getArguments().drop_front(2));
    if (failed)
      return none;
    next.insert(next.begin(), goesOn);
    YieldOp::create(builder, loc, next);
  }
  NodeParts parts;
  parts.inputs = {count, Value()};
  llvm::append_range(parts.inputs, initial);
  parts.graphs.emplace_back("body", std::move(region));
  return makeUnknown(getRecord<LoopOp>(), std::move(parts), numResults);
}
