//===- LabelTables.cpp - Labels by tables, and maps (ai.onnx.ml) ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are sorted here, so that the runtime finds a number by bisection;
// integers that follow one another need no search, and texts get a hash table.
//
//===----------------------------------------------------------------------===//

#include "ClassicML.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/ClassicML.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Runtime/TextHash.h"
#include "onnxc/runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// A list of one of the types that tables may have.
struct List {
  SmallVector<StringRef> texts;
  SmallVector<llvm::APFloat> floats;
  SmallVector<llvm::APInt> integers;

  size_t size() const { return texts.size() + floats.size() + integers.size(); }
  /// Strict weak order, NaN last.
  bool isLess(size_t a, size_t b) const {
    if (!texts.empty())
      return texts[a] < texts[b];
    if (!integers.empty())
      return integers[a].slt(integers[b]);
    if (floats[a].isNaN() || floats[b].isNaN())
      return !floats[a].isNaN();
    return floats[a] < floats[b];
  }
};

} // namespace

static FailureOr<List> readTensor(Lowering &l, ElementsAttr elements) {
  List list;
  if (auto texts = dyn_cast<DenseStringElementsAttr>(elements)) {
    // A splat is one text that stands for all.
    ArrayRef<StringRef> raw = texts.getRawStringData();
    for (int64_t i = 0, e = texts.getNumElements(); i < e; ++i)
      list.texts.push_back(raw[raw.size() == 1 ? 0 : i]);
    return list;
  }
  FailureOr<DenseElementsAttr> dense = readDense(l, elements);
  if (failed(dense))
    return failure();
  if (isa<FloatType>(dense->getElementType()))
    llvm::append_range(list.floats, dense->getValues<llvm::APFloat>());
  else
    llvm::append_range(list.integers, dense->getValues<llvm::APInt>());
  return list;
}

static List listOf(IntList integers) {
  List list;
  for (int64_t value : elementsOf(integers))
    list.integers.push_back(llvm::APInt(64, value, /*isSigned=*/true));
  return list;
}

static List listOf(std::optional<ArrayAttr> texts) {
  List list;
  list.texts = getStrings(texts);
  return list;
}

static FailureOr<List> readList(Lowering &l, std::optional<ElementsAttr> tensor,
                                std::optional<ArrayAttr> texts,
                                IntList integers, FloatList floats) {
  if (tensor)
    return readTensor(l, *tensor);
  if (texts)
    return listOf(texts);
  if (integers)
    return listOf(integers);
  List list;
  for (float value : elementsOf(floats))
    list.floats.push_back(llvm::APFloat(value));
  return list;
}

/// The elements of `list` at `places` as a table of element type `type`.
static FailureOr<Value> tableAt(Lowering &l, const List &list,
                                ArrayRef<size_t> places, Type type) {
  if (!list.texts.empty()) {
    SmallVector<StringRef> strings;
    for (size_t place : places)
      strings.push_back(list.texts[place]);
    return texts(l, strings);
  }
  SmallVector<Attribute> values;
  for (size_t place : places) {
    if (!list.integers.empty()) {
      values.push_back(l.b.getIntegerAttr(
          type,
          list.integers[place].sextOrTrunc(type.getIntOrFloatBitWidth())));
      continue;
    }
    llvm::APFloat value = list.floats[place];
    bool losesInfo;
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    values.push_back(l.b.getFloatAttr(type, value));
  }
  // Tables of the runtime are never empty.
  if (values.empty())
    values.push_back(l.b.getZeroAttr(type));
  auto tensor =
      RankedTensorType::get(static_cast<int64_t>(values.size()), type);
  return l.constant(DenseElementsAttr::get(tensor, values));
}

/// The places of the keys in ascending order, each key once: the first or the
/// last of equal ones.
static SmallVector<size_t> sortKeys(const List &keys, bool keepLast) {
  SmallVector<size_t> places =
      llvm::to_vector(llvm::seq<size_t>(0, keys.size()));
  llvm::stable_sort(places,
                    [&](size_t a, size_t b) { return keys.isLess(a, b); });
  SmallVector<size_t> distinct;
  for (size_t place : places) {
    if (distinct.empty() || keys.isLess(distinct.back(), place))
      distinct.push_back(place);
    else if (keepLast)
      distinct.back() = place;
  }
  return distinct;
}

/// The table that onnxc_rt_find_texts searches, of the texts at `places`: at
/// most half full.
static SmallVector<int32_t> hashTexts(ArrayRef<StringRef> texts,
                                      ArrayRef<size_t> places) {
  size_t mask = llvm::NextPowerOf2(2 * places.size()) - 1;
  SmallVector<int32_t> slots(mask + 1, -1);
  for (auto [i, place] : llvm::enumerate(places)) {
    size_t slot = onnxc_rt_hash_text(texts[place].str().c_str()) & mask;
    while (slots[slot] >= 0)
      slot = (slot + 1) & mask;
    slots[slot] = static_cast<int32_t>(i);
  }
  return slots;
}

/// Integers that ascend by one from the first to the last, which `places` are.
static bool areConsecutive(const List &keys, ArrayRef<size_t> places) {
  if (keys.integers.empty())
    return false;
  const llvm::APInt &first = keys.integers[places.front()],
                    &last = keys.integers[places.back()];
  // Distinct and sorted, so only the difference counts, which can overflow.
  bool overflow;
  llvm::APInt steps = last.ssub_ov(first, overflow);
  return !overflow && steps == places.size() - 1;
}

/// For each element of x its place among the keys, which `places` are, or -1.
static FailureOr<Value> lookUp(Lowering &l, Value x, const List &keys,
                               ArrayRef<size_t> places, int32_t dtype) {
  Type i64 = l.b.getI64Type();
  if (areConsecutive(keys, places)) {
    int64_t first = keys.integers[places.front()].getSExtValue(),
            last = keys.integers[places.back()].getSExtValue();
    return l.mapSame(x, i64, [&](ScalarBuilder &s, ValueRange args) -> Value {
      auto number = [&](int64_t value) -> Value {
        return arith::ConstantIntOp::create(s.getBuilder(), s.getLoc(), i64,
                                            value);
      };
      Value key = s.cast(args[0], i64, /*fromUnsigned=*/false,
                         /*toUnsigned=*/false);
      Value from = number(first), to = number(last), none = number(-1);
      Value isNotBelow = s.ge(key, from), isNotAbove = s.le(key, to);
      Value isKey = s.bitAnd(isNotBelow, isNotAbove);
      Value place = s.sub(key, from);
      return s.select(isKey, place, none);
    });
  }
  FailureOr<Value> table = tableAt(l, keys, places, Lowering::elementType(x));
  if (failed(table))
    return failure();
  Value found = l.empty(l.sizes(x), i64);
  if (dtype == ONNXC_STRING) {
    Value slots = tableOf(l, hashTexts(keys.texts, places));
    return l
        .call("find_texts", {x, *table, slots}, found, {}, {dtype, dtype, 0, 0})
        .front();
  }
  SmallVector<Value> inputs = {x, *table, integer(l, places.size())};
  return l.call("lookup", inputs, found, {}, {dtype, dtype, 0, 0}).front();
}

/// Each element of x through a table from keys to values.
static LogicalResult mapByTable(Lowering &l, Value x, const List &keys,
                                const List &values, const List &otherwise) {
  Type keyType = Lowering::elementType(x);
  bool isText = l.operandDtype(0) == ONNXC_STRING;
  if (keys.size() && (isText                    ? keys.texts.empty()
                      : isa<FloatType>(keyType) ? keys.floats.empty()
                                                : keys.integers.empty()))
    return l.invalid("the keys must have the type of the input");
  if (values.size() < keys.size())
    return l.invalid("there must be a value for each key");
  SmallVector<size_t> places = sortKeys(keys, /*keepLast=*/false);
  FailureOr<Value> found = lookUp(l, x, keys, places, l.operandDtype(0));
  Type type = l.resultType().getElementType();
  FailureOr<Value> table = tableAt(l, values, places, type);
  FailureOr<Value> instead = tableAt(l, otherwise, size_t(0), type);
  if (failed(found) || failed(table) || failed(instead))
    return failure();
  Value missing = tensor::ExtractOp::create(l.b, l.loc, *instead, l.index(0));
  return l.replace(
      l.mapSame(*found, type, [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        Value isFound = s.ge(args[0], s.zero(args[0]));
        Value at = s.select(isFound, args[0], s.zero(args[0]));
        at = arith::IndexCastOp::create(b, s.getLoc(), b.getIndexType(), at);
        Value value = tensor::ExtractOp::create(b, s.getLoc(), *table, at);
        return s.select(isFound, value, missing);
      }));
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static LogicalResult lowerLabelEncoder(LabelEncoderOp op,
                                       LabelEncoderOp::Adaptor operands,
                                       Lowering &l) {
  FailureOr<List> keys = readList(l, op.getKeysTensor(), op.getKeysStrings(),
                                  op.getKeysInt64s(), op.getKeysFloats());
  FailureOr<List> values =
      readList(l, op.getValuesTensor(), op.getValuesStrings(),
               op.getValuesInt64s(), op.getValuesFloats());
  if (failed(keys) || failed(values))
    return failure();
  List otherwise;
  if (std::optional<ElementsAttr> given = op.getDefaultTensor()) {
    FailureOr<List> list = readTensor(l, *given);
    if (failed(list))
      return failure();
    if (list->size() != 1)
      return l.invalid("default_tensor must have one element");
    otherwise = *list;
  } else if (l.resultDtype() == ONNXC_STRING) {
    otherwise.texts.push_back(op.getDefaultString());
  } else if (isa<FloatType>(l.resultType().getElementType())) {
    otherwise.floats.push_back(op.getDefaultFloat());
  } else {
    otherwise.integers.push_back(
        llvm::APInt(64, op.getDefaultInt64(), /*isSigned=*/true));
  }
  return mapByTable(l, operands.getX(), *keys, *values, otherwise);
}

static LogicalResult lowerCategoryMapper(CategoryMapperOp op,
                                         CategoryMapperOp::Adaptor operands,
                                         Lowering &l) {
  List integers = listOf(op.getCatsInt64s()),
       strings = listOf(op.getCatsStrings());
  if (integers.size() != strings.size())
    return l.invalid("cats_int64s and cats_strings must be of equal length");
  List otherwise;
  if (l.operandDtype(0) != ONNXC_STRING) {
    otherwise.texts.push_back(op.getDefaultString());
    return mapByTable(l, operands.getX(), integers, strings, otherwise);
  }
  otherwise.integers.push_back(
      llvm::APInt(64, op.getDefaultInt64(), /*isSigned=*/true));
  return mapByTable(l, operands.getX(), strings, integers, otherwise);
}

static LogicalResult lowerOneHotEncoder(OneHotEncoderOp op,
                                        OneHotEncoderOp::Adaptor operands,
                                        Lowering &l) {
  Value x = operands.getX();
  int32_t dtype = l.operandDtype(0);
  bool isText = dtype == ONNXC_STRING;
  List categories =
      isText ? listOf(op.getCatsStrings()) : listOf(op.getCatsInt64s());
  if (categories.size() == 0)
    return l.invalid(isText ? "cats_strings is missing"
                            : "cats_int64s is missing");
  if (!isText) {
    x = l.castElements(x, l.b.getI64Type());
    dtype = ONNXC_INT64;
  }
  SmallVector<size_t> places = sortKeys(categories, /*keepLast=*/true);
  FailureOr<Value> found = lookUp(l, x, categories, places, dtype);
  if (failed(found))
    return failure();
  if (!op.getZeros()) {
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(0, Lowering::rank(x)));
    Value all =
        l.reduce(*found, axes, l.constant(l.b.getBoolAttr(true)),
                 [](ScalarBuilder &s, ValueRange args) {
                   return s.bitAnd(args[1], s.ge(args[0], s.zero(args[0])));
                 });
    l.check(tensor::ExtractOp::create(l.b, l.loc, all, ValueRange{}),
            "an element is not one of the categories, which zeros = 0 does not "
            "allow");
  }
  // The place in sorted order that each category has, -2 for shadowed ones.
  SmallVector<int64_t> sorted(categories.size(), -2);
  for (auto [i, place] : llvm::enumerate(places))
    sorted[place] = i;
  Sizes sizes = l.sizes(x);
  int64_t rank = sizes.size();
  sizes.push_back(l.attr(categories.size()));
  AffineMap last =
      AffineMap::get(rank + 1, 0, l.b.getAffineDimExpr(rank), l.b.getContext());
  Type f32 = l.b.getF32Type();
  return l.replace(
      l.map({*found, tableOf(l, sorted)}, {l.dropDims(rank + 1, rank), last},
            sizes, f32, [&](ScalarBuilder &s, ValueRange args) {
              return s.cast(s.eq(args[0], args[1]), f32, true, false);
            }));
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

static LogicalResult lowerZipMap(ZipMapOp op, ZipMapOp::Adaptor operands,
                                 Lowering &l) {
  if (!isa<RankedTensorType>(operands.getX().getType()))
    return l.fail("an input of unknown rank");
  FailureOr<Value> x = getRows(l, operands.getX(), l.b.getF32Type());
  FailureOr<Labels> labels =
      getLabels(l, op.getClasslabelsInt64s(), op.getClasslabelsStrings());
  if (failed(x) || failed(labels))
    return failure();
  l.checkEqual(l.dim(*x, 1), l.attr(labels->count),
               "the input must have a column for each label");
  return l.replace(l.call("zip_map", {*x, labels->table}, {},
                          getHandleType(l.b.getContext()),
                          {0, labels->dtype, 0}));
}

static LogicalResult lowerDictVectorizer(DictVectorizerOp op,
                                         DictVectorizerOp::Adaptor operands,
                                         Lowering &l) {
  auto type = dyn_cast<RankedTensorType>(l.resultValueType());
  FailureOr<Labels> keys =
      getLabels(l, op.getInt64Vocabulary(), op.getStringVocabulary());
  if (failed(keys))
    return failure();
  if (!type)
    return l.fail("an output of unknown rank");
  return l.replace(
      l.call("dict_vector", {operands.getX(), keys->table},
             l.empty({l.attr(1), l.attr(keys->count)}, type.getElementType()),
             {}, {0, keys->dtype, l.resultDtype()}));
}

static LogicalResult lowerCastMap(CastMapOp op, CastMapOp::Adaptor operands,
                                  Lowering &l) {
  auto type = dyn_cast<RankedTensorType>(l.resultValueType());
  if (!type)
    return l.fail("an output of unknown rank");
  bool isSparse = op.getMapForm() == "SPARSE";
  int64_t length = isSparse ? op.getMaxMap() : 0;
  if (length < 0)
    return l.invalid("max_map must not be negative");
  auto made = RankedTensorType::get(
      {1, isSparse ? length : ShapedType::kDynamic}, type.getElementType());
  return l.replace(l.call(
      "cast_map", {operands.getX(), integer(l, isSparse), integer(l, length)},
      {}, made, {0, 0, 0, l.resultDtype()}));
}

void onnxc::populateLabelTables(Lowerings &lowerings) {
  lowerings.add<CategoryMapperOp>(lowerCategoryMapper);
  lowerings.add<LabelEncoderOp>(lowerLabelEncoder);
  lowerings.add<OneHotEncoderOp>(lowerOneHotEncoder);
  lowerings.addWithHandles<CastMapOp>(lowerCastMap);
  lowerings.addWithHandles<DictVectorizerOp>(lowerDictVectorizer);
  lowerings.addWithHandles<ZipMapOp>(lowerZipMap);
}
