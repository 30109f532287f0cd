//===- AttributeValues.cpp - What ONNX lets attributes be -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences of Operators.md that restrict a single attribute, as data.
//
//===----------------------------------------------------------------------===//

#include "AttributeValues.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace {
/// One of `words`, for a string or each of a list; or, if there are none, a
/// number from `least` to `greatest`.
struct Restriction {
  StringLiteral op;
  StringLiteral attribute;
  llvm::ArrayRef<StringLiteral> words;
  int64_t least;
  int64_t greatest;
};
} // namespace

static constexpr int64_t noLimit = INT64_MAX;

/// Along each side of what one element is made of: their square can be computed
/// in seconds. Samples cost no data, so that nothing else bounds them.
static constexpr int64_t mostSamples = 1 << 15;

static constexpr Restriction oneOf(StringLiteral op, StringLiteral attribute,
                                   llvm::ArrayRef<StringLiteral> words) {
  return {op, attribute, words, 0, 0};
}

static constexpr Restriction range(StringLiteral op, StringLiteral attribute,
                                   int64_t least, int64_t greatest) {
  return {op, attribute, {}, least, greatest};
}

static constexpr Restriction atLeast(StringLiteral op, StringLiteral attribute,
                                     int64_t least) {
  return range(op, attribute, least, noLimit);
}

/// ONNX's booleans.
static constexpr Restriction flag(StringLiteral op, StringLiteral attribute) {
  return range(op, attribute, 0, 1);
}

static constexpr StringLiteral roiModes[] = {"avg", "max"};
static constexpr StringLiteral roiCoordinates[] = {"half_pixel",
                                                   "output_half_pixel"};
static constexpr StringLiteral interpolations[] = {"nearest", "linear",
                                                   "cubic"};
static constexpr StringLiteral gridPadding[] = {"zeros", "border",
                                                "reflection"};
static constexpr StringLiteral resizeCoordinates[] = {
    "half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
    "align_corners",       "asymmetric",           "tf_crop_and_resize",
    "tf_half_pixel_for_nn"};
static constexpr StringLiteral nearestModes[] = {
    "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
static constexpr StringLiteral shifts[] = {"LEFT", "RIGHT"};
static constexpr StringLiteral geluForms[] = {"none", "tanh"};
static constexpr StringLiteral scatterReductions[] = {"none", "add", "mul",
                                                      "min", "max"};
static constexpr StringLiteral lossReductions[] = {"none", "mean", "sum"};
static constexpr StringLiteral caseActions[] = {"LOWER", "UPPER", "NONE"};
static constexpr StringLiteral grams[] = {"TF", "IDF", "TFIDF"};
static constexpr StringLiteral aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
static constexpr StringLiteral transforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                               "SOFTMAX_ZERO", "PROBIT"};
static constexpr StringLiteral branchModes[] = {
    "BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
    "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
static constexpr StringLiteral norms[] = {"MAX", "L1", "L2"};
static constexpr StringLiteral svmKernels[] = {"LINEAR", "POLY", "RBF",
                                               "SIGMOID"};

static constexpr Restriction restrictions[] = {
    oneOf("RoiAlign", "mode", roiModes),
    oneOf("RoiAlign", "coordinate_transformation_mode", roiCoordinates),
    atLeast("RoiAlign", "output_height", 0),
    atLeast("RoiAlign", "output_width", 0),
    range("RoiAlign", "sampling_ratio", 0, mostSamples),
    oneOf("GridSample", "mode", interpolations),
    oneOf("GridSample", "padding_mode", gridPadding),
    flag("GridSample", "align_corners"),
    flag("AffineGrid", "align_corners"),
    oneOf("Resize", "mode", interpolations),
    oneOf("Resize", "coordinate_transformation_mode", resizeCoordinates),
    oneOf("Resize", "nearest_mode", nearestModes),
    flag("Resize", "antialias"),
    flag("Resize", "exclude_outside"),
    flag("MaxPool", "storage_order"),
    flag("MaxPool", "ceil_mode"),
    flag("AveragePool", "ceil_mode"),
    flag("AveragePool", "count_include_pad"),
    flag("LpPool", "ceil_mode"),
    atLeast("LpPool", "p", 1),
    atLeast("GlobalLpPool", "p", 1),
    range("LpNormalization", "p", 1, 2),
    oneOf("BitShift", "direction", shifts),
    flag("Mod", "fmod"),
    oneOf("Gelu", "approximate", geluForms),
    flag("Reshape", "allowzero"),
    flag("CumSum", "exclusive"),
    flag("CumSum", "reverse"),
    flag("TopK", "largest"),
    flag("TopK", "sorted"),
    flag("Trilu", "upper"),
    flag("Unique", "sorted"),
    oneOf("ScatterElements", "reduction", scatterReductions),
    oneOf("ScatterND", "reduction", scatterReductions),
    flag("NonMaxSuppression", "center_point_box"),
    flag("ReduceMax", "keepdims"),
    flag("ReduceMin", "keepdims"),
    flag("ReduceSum", "keepdims"),
    flag("ReduceMean", "keepdims"),
    flag("ReduceProd", "keepdims"),
    flag("ReduceL1", "keepdims"),
    flag("ReduceL2", "keepdims"),
    flag("ReduceLogSum", "keepdims"),
    flag("ReduceLogSumExp", "keepdims"),
    flag("ReduceSumSquare", "keepdims"),
    flag("ArgMax", "keepdims"),
    flag("ArgMin", "keepdims"),
    flag("ArgMax", "select_last_index"),
    flag("ArgMin", "select_last_index"),
    atLeast("QuantizeLinear", "block_size", 0),
    atLeast("DequantizeLinear", "block_size", 0),
    flag("LSTM", "layout"),
    flag("GRU", "layout"),
    flag("RNN", "layout"),
    flag("LSTM", "input_forget"),
    flag("GRU", "linear_before_reset"),
    oneOf("NegativeLogLikelihoodLoss", "reduction", lossReductions),
    oneOf("SoftmaxCrossEntropyLoss", "reduction", lossReductions),
    flag("DFT", "inverse"),
    flag("DFT", "onesided"),
    flag("STFT", "onesided"),
    flag("HannWindow", "periodic"),
    flag("HammingWindow", "periodic"),
    flag("BlackmanWindow", "periodic"),
    atLeast("Multinomial", "sample_size", 0),
    atLeast("MaxRoiPool", "pooled_shape", 1),
    atLeast("ConvTranspose", "output_padding", 0),
    atLeast("RandomNormal", "shape", 0),
    atLeast("RandomUniform", "shape", 0),
    oneOf("StringNormalizer", "case_change_action", caseActions),
    flag("StringNormalizer", "is_case_sensitive"),
    oneOf("TfIdfVectorizer", "mode", grams),
    atLeast("TfIdfVectorizer", "min_gram_length", 1),
    atLeast("TfIdfVectorizer", "max_gram_length", 1),
    atLeast("TfIdfVectorizer", "max_skip_count", 0),
    atLeast("TfIdfVectorizer", "ngram_counts", 0),
    atLeast("TfIdfVectorizer", "ngram_indexes", 0),
    flag("ConcatFromSequence", "new_axis"),
    flag("SplitToSequence", "keepdims"),
    oneOf("ml.TreeEnsembleRegressor", "aggregate_function", aggregates),
    oneOf("ml.TreeEnsembleRegressor", "post_transform", transforms),
    oneOf("ml.TreeEnsembleRegressor", "nodes_modes", branchModes),
    atLeast("ml.TreeEnsembleRegressor", "nodes_featureids", 0),
    oneOf("ml.TreeEnsembleClassifier", "post_transform", transforms),
    oneOf("ml.TreeEnsembleClassifier", "nodes_modes", branchModes),
    atLeast("ml.TreeEnsembleClassifier", "nodes_featureids", 0),
    oneOf("ml.LinearClassifier", "post_transform", transforms),
    oneOf("ml.LinearRegressor", "post_transform", transforms),
    oneOf("ml.SVMClassifier", "post_transform", transforms),
    oneOf("ml.SVMRegressor", "post_transform", transforms),
    oneOf("ml.SVMClassifier", "kernel_type", svmKernels),
    oneOf("ml.SVMRegressor", "kernel_type", svmKernels),
    oneOf("ml.Normalizer", "norm", norms),
};

static LogicalResult checkWord(Operation *op, const Restriction &restriction,
                               Attribute value) {
  auto word = dyn_cast<StringAttr>(value);
  if (!word || llvm::is_contained(restriction.words, word.getValue()))
    return success();
  SmallVector<StringRef> words(restriction.words);
  return op->emitOpError() << "attribute '" << restriction.attribute << "' is '"
                           << word.getValue() << "', expected one of "
                           << llvm::join(words, ", ");
}

static LogicalResult checkNumber(Operation *op, const Restriction &restriction,
                                 int64_t value) {
  if (value >= restriction.least && value <= restriction.greatest)
    return success();
  InFlightDiagnostic error = op->emitOpError();
  error << "attribute '" << restriction.attribute << "' is " << value
        << ", expected ";
  if (restriction.greatest == noLimit)
    return error << "at least " << restriction.least;
  return error << restriction.least
               << (restriction.greatest == restriction.least + 1 ? " or "
                                                                 : " to ")
               << restriction.greatest;
}

static LogicalResult check(Operation *op, const Restriction &restriction) {
  Attribute value = op->getAttr(restriction.attribute);
  if (!value)
    return success();
  if (!restriction.words.empty()) {
    if (auto list = dyn_cast<ArrayAttr>(value)) {
      for (Attribute element : list)
        if (failed(checkWord(op, restriction, element)))
          return failure();
      return success();
    }
    return checkWord(op, restriction, value);
  }
  if (auto number = dyn_cast<IntegerAttr>(value))
    return checkNumber(op, restriction, number.getInt());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value))
    for (int64_t number : numbers.asArrayRef())
      if (failed(checkNumber(op, restriction, number)))
        return failure();
  return success();
}

LogicalResult onnxc::verifyAttributeValues(Operation *op) {
  using Table = llvm::StringMap<SmallVector<const Restriction *>>;
  static const Table table = [] {
    Table built;
    for (const Restriction &restriction : restrictions)
      built[restriction.op].push_back(&restriction);
    return built;
  }();
  auto found = table.find(op->getName().stripDialect());
  if (found == table.end())
    return success();
  for (const Restriction *restriction : found->second)
    if (failed(check(op, *restriction)))
      return failure();
  return success();
}
