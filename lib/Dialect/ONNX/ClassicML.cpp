//===- ClassicML.cpp - The ops of ClassicML.td ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ClassicML.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/ClassicML.cpp.inc"

void ONNXDialect::registerClassicMLOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/ClassicML.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// How many rows an [N, C] input has; a [C] input is one row.
static Dim getRows(ShapeBuilder &s, Value x, llvm::StringRef op) {
  return featureDims(s, x, op).first;
}

static Type floatType(ShapeBuilder &s) {
  return Float32Type::get(s.getContext());
}

static bool isPresent(std::optional<llvm::ArrayRef<int64_t>> list) {
  return list && !list->empty();
}
static bool isPresent(std::optional<ArrayAttr> list) {
  return list && !list->empty();
}

/// The labels of a classifier: their type, and how many there are.
static std::pair<Type, int64_t>
getLabels(ShapeBuilder &s, std::optional<llvm::ArrayRef<int64_t>> integers,
          std::optional<ArrayAttr> strings, llvm::StringRef op) {
  s.require(isPresent(integers) != isPresent(strings),
            op + "_classlabels: must be given as either integers or strings");
  if (isPresent(strings))
    return {StringType::get(s.getContext()), strings->size()};
  return {IntegerType::get(s.getContext(), 64),
          integers ? integers->size() : 0};
}

LogicalResult ArrayFeatureExtractorOp::shape(ShapeBuilder &s, Adaptor op) {
  Value x = op.getX();
  if (!s.ranked(x))
    return s.unranked(0, s.elementType(x));
  if (!s.require(s.rank(x) >= 1,
                 "arrayfeatureextractor_x: must have at least rank 1"))
    return failure();
  Dim count = s.ranked(op.getY()) ? s.size(op.getY()) : s.unknown();
  Dims dims = s.dims(x);
  dims.back() = count;
  // What is picked from a vector is a row.
  if (dims.size() == 1)
    dims.insert(dims.begin(), s.constant(1));
  return s.result(0, s.elementType(x), dims);
}

LogicalResult CastMapOp::shape(ShapeBuilder &s, Adaptor op) {
  llvm::StringRef to = op.getCastTo(), form = op.getMapForm();
  Type elementType = to == "TO_FLOAT"    ? floatType(s)
                     : to == "TO_STRING" ? Type(StringType::get(s.getContext()))
                     : to == "TO_INT64"
                         ? Type(IntegerType::get(s.getContext(), 64))
                         : Type();
  s.require(static_cast<bool>(elementType),
            "castmap_cast_to: must be TO_FLOAT, TO_STRING or TO_INT64, is '" +
                to + "'");
  s.require(form == "DENSE" || form == "SPARSE",
            "castmap_map_form: must be DENSE or SPARSE, is '" + form + "'");
  return s.result(0, elementType,
                  {s.constant(1), form == "SPARSE" ? s.constant(op.getMaxMap())
                                                   : s.unknown()});
}

LogicalResult CategoryMapperOp::shape(ShapeBuilder &s, Adaptor op) {
  s.require(op.getCatsInt64s() && op.getCatsStrings() &&
                op.getCatsInt64s()->size() == op.getCatsStrings()->size(),
            "categorymapper_cats: must be as many strings as integers");
  Type from = s.elementType(op.getX());
  if (!from)
    return s.asDeclared();
  Type to = isa<StringType>(from) ? Type(IntegerType::get(s.getContext(), 64))
                                  : Type(StringType::get(s.getContext()));
  return withElementType(s, op.getX(), to);
}

LogicalResult DictVectorizerOp::shape(ShapeBuilder &s, Adaptor op) {
  std::optional<llvm::ArrayRef<int64_t>> integers = op.getInt64Vocabulary();
  std::optional<ArrayAttr> strings = op.getStringVocabulary();
  if (!s.require(isPresent(integers) != isPresent(strings),
                 "dictvectorizer_vocabulary: must be given as either integers "
                 "or strings"))
    return failure();
  auto map = dyn_cast_or_null<MapType>(s.type(op.getX()));
  auto value = map ? dyn_cast<TensorType>(map.getValueType()) : nullptr;
  if (!value)
    return s.asDeclared();
  int64_t keys = isPresent(integers) ? integers->size() : strings->size();
  return s.result(0, value.getElementType(), {s.constant(1), s.constant(keys)});
}

LogicalResult FeatureVectorizerOp::shape(ShapeBuilder &s, Adaptor op) {
  std::optional<llvm::ArrayRef<int64_t>> sizes = op.getInputdimensions();
  if (!s.require(!sizes || sizes->size() == op.getX().size(),
                 "featurevectorizer_inputdimensions: must have one element per "
                 "input"))
    return failure();
  Dim rows = s.unknown(), columns = s.constant(0);
  for (auto [i, input] : llvm::enumerate(op.getX())) {
    auto [inputRows, inputColumns] = featureDims(s, input, "featurevectorizer");
    rows =
        i == 0 ? inputRows : s.same(rows, inputRows, "featurevectorizer_rows");
    // What is given is the size that an input is cut or padded to.
    columns = columns + (sizes ? s.constant((*sizes)[i]) : inputColumns);
  }
  return s.result(0, floatType(s), {rows, columns});
}

LogicalResult LabelEncoderOp::shape(ShapeBuilder &s, Adaptor op) {
  Type string = StringType::get(s.getContext());
  Type integer = IntegerType::get(s.getContext(), 64);
  // Element type and number of a list, of which exactly one must be there.
  using List = std::pair<Type, int64_t>;
  auto pick = [&](std::optional<ElementsAttr> tensor,
                  std::optional<ArrayAttr> strings,
                  std::optional<llvm::ArrayRef<int64_t>> integers,
                  std::optional<llvm::ArrayRef<float>> floats,
                  const llvm::Twine &tag) -> List {
    llvm::SmallVector<List> lists;
    if (tensor)
      lists.push_back({tensor->getElementType(), tensor->getNumElements()});
    if (strings)
      lists.push_back({string, strings->size()});
    if (integers)
      lists.push_back({integer, integers->size()});
    if (floats)
      lists.push_back({floatType(s), floats->size()});
    s.require(lists.size() == 1, tag + ": must be given in one form, are in " +
                                     llvm::Twine(lists.size()));
    return lists.empty() ? List() : lists.front();
  };
  List keys = pick(op.getKeysTensor(), op.getKeysStrings(), op.getKeysInt64s(),
                   op.getKeysFloats(), "labelencoder_keys");
  List values =
      pick(op.getValuesTensor(), op.getValuesStrings(), op.getValuesInt64s(),
           op.getValuesFloats(), "labelencoder_values");
  s.require(keys.second == values.second,
            "labelencoder_c1: there must be a value for each of the " +
                llvm::Twine(keys.second) + " keys, there are " +
                llvm::Twine(values.second));
  Type input = s.elementType(op.getX());
  s.require(!input || !keys.first || input == keys.first,
            "labelencoder_x: must have the type of the keys");
  if (std::optional<ElementsAttr> otherwise = op.getDefaultTensor())
    s.require(otherwise->getElementType() == values.first &&
                  otherwise->getNumElements() == 1,
              "labelencoder_default_tensor: must be one element of the type of "
              "the values");
  if (s.hasFailed())
    return failure();
  return withElementType(s, op.getX(), values.first);
}

/// Coefficients are a row for each score, as wide as there are features.
static void requireCoefficients(ShapeBuilder &s, Value x, int64_t coefficients,
                                int64_t least, llvm::StringRef op) {
  std::optional<int64_t> features = featureDims(s, x, op).second.getKnown();
  if (features && *features > 0)
    s.require(coefficients % *features == 0 &&
                  coefficients / *features >= least,
              op + "_coefficients: must be at least " + llvm::Twine(least) +
                  " rows of " + llvm::Twine(*features) +
                  ", one number for each feature; there are " +
                  llvm::Twine(coefficients));
}

/// A list has one value for all features, or one for each of them.
static void requirePerFeature(ShapeBuilder &s, Value x, size_t count,
                              const llvm::Twine &tag) {
  if (count > 1 && s.ranked(x) && s.rank(x) >= 1)
    s.same(s.constant(count), s.dims(x).back(), tag);
}

LogicalResult ImputerOp::shape(ShapeBuilder &s, Adaptor op) {
  // Only the list of the input's kind counts.
  bool isFloat = isa_and_present<FloatType>(s.elementType(op.getX()));
  if (std::optional<llvm::ArrayRef<float>> list = op.getImputedValueFloats();
      list && isFloat)
    requirePerFeature(s, op.getX(), list->size(),
                      "imputer_imputed_value_floats: must have one element, or "
                      "one for each feature");
  if (std::optional<llvm::ArrayRef<int64_t>> list = op.getImputedValueInt64s();
      list && !isFloat)
    requirePerFeature(s, op.getX(), list->size(),
                      "imputer_imputed_value_int64s: must have one element, or "
                      "one for each feature");
  return s.sameAsOperand(0);
}

LogicalResult LinearClassifierOp::shape(ShapeBuilder &s, Adaptor op) {
  Dim rows = getRows(s, op.getX(), "linearclassifier");
  requireCoefficients(s, op.getX(),
                      static_cast<int64_t>(op.getCoefficients().size()),
                      /*least=*/1, "linearclassifier");
  auto [type, labels] =
      getLabels(s, op.getClasslabelsInts(), op.getClasslabelsStrings(),
                "linearclassifier");
  // One row of coefficients is enough for two classes.
  std::optional<llvm::ArrayRef<float>> intercepts = op.getIntercepts();
  int64_t scores = intercepts && !intercepts->empty()
                       ? static_cast<int64_t>(intercepts->size())
                       : labels;
  if (scores == 1 && labels == 2)
    scores = 2;
  if (failed(s.result(1, floatType(s), {rows, s.constant(scores)})))
    return failure();
  return s.result(0, type, rows);
}

LogicalResult LinearRegressorOp::shape(ShapeBuilder &s, Adaptor op) {
  s.require(op.getTargets() >= 1, "linearregressor_targets: must be positive");
  if (op.getCoefficients())
    requireCoefficients(s, op.getX(),
                        static_cast<int64_t>(op.getCoefficients()->size()),
                        op.getTargets(), "linearregressor");
  return s.result(
      0, floatType(s),
      {getRows(s, op.getX(), "linearregressor"), s.constant(op.getTargets())});
}

LogicalResult NormalizerOp::shape(ShapeBuilder &s, Adaptor op) {
  return withElementType(s, op.getX(), floatType(s));
}

LogicalResult OneHotEncoderOp::shape(ShapeBuilder &s, Adaptor op) {
  std::optional<llvm::ArrayRef<int64_t>> integers = op.getCatsInt64s();
  std::optional<ArrayAttr> strings = op.getCatsStrings();
  if (!s.require(isPresent(integers) != isPresent(strings),
                 "onehotencoder_cats: must be given as either integers or "
                 "strings"))
    return failure();
  if (!s.ranked(op.getX()))
    return s.unranked(0, floatType(s));
  Dims dims = s.dims(op.getX());
  dims.push_back(
      s.constant(isPresent(integers) ? integers->size() : strings->size()));
  return s.result(0, floatType(s), dims);
}

LogicalResult ScalerOp::shape(ShapeBuilder &s, Adaptor op) {
  for (std::optional<llvm::ArrayRef<float>> list :
       {op.getOffset(), op.getScale()})
    if (list)
      requirePerFeature(s, op.getX(), list->size(), "scaler_features");
  return withElementType(s, op.getX(), floatType(s));
}

LogicalResult SVMClassifierOp::shape(ShapeBuilder &s, Adaptor op) {
  Dim rows = getRows(s, op.getX(), "svmclassifier");
  auto [type, labels] = getLabels(s, op.getClasslabelsInts(),
                                  op.getClasslabelsStrings(), "svmclassifier");
  // Without probabilities, support vectors vote between each two classes.
  bool hasVectors = isPresent(op.getVectorsPerClass());
  bool hasProbabilities = op.getProbA() && !op.getProbA()->empty();
  int64_t scores = labels;
  if (hasVectors && !hasProbabilities)
    scores = labels == 2 ? 2 : labels * (labels - 1) / 2;
  if (failed(s.result(1, floatType(s), {rows, s.constant(scores)})))
    return failure();
  return s.result(0, type, rows);
}

LogicalResult SVMRegressorOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.result(0, floatType(s),
                  {getRows(s, op.getX(), "svmregressor"), s.constant(1)});
}

LogicalResult ZipMapOp::shape(ShapeBuilder &s, Adaptor op) {
  auto [key, labels] = getLabels(s, op.getClasslabelsInt64s(),
                                 op.getClasslabelsStrings(), "zipmap");
  Dim columns = featureDims(s, op.getX(), "zipmap").second;
  s.same(columns, s.constant(labels), "zipmap_columns");
  Type value = RankedTensorType::get({}, floatType(s));
  return s.resultType(
      0,
      SeqType::get(s.getContext(), MapType::get(s.getContext(), key, value)));
}
