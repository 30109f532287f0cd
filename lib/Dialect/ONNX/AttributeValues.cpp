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
  int64_t least = 0;
  int64_t greatest = 1;
};
} // namespace

static constexpr int64_t noLimit = INT64_MAX;

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
    "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", ""};
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
    {"RoiAlign", "mode", roiModes},
    {"RoiAlign", "coordinate_transformation_mode", roiCoordinates},
    {"RoiAlign", "output_height", {}, 0, noLimit},
    {"RoiAlign", "output_width", {}, 0, noLimit},
    {"RoiAlign", "sampling_ratio", {}, 0, noLimit},
    {"GridSample", "mode", interpolations},
    {"GridSample", "padding_mode", gridPadding},
    {"GridSample", "align_corners", {}},
    {"AffineGrid", "align_corners", {}},
    {"Resize", "mode", interpolations},
    {"Resize", "coordinate_transformation_mode", resizeCoordinates},
    {"Resize", "nearest_mode", nearestModes},
    {"Resize", "antialias", {}},
    {"Resize", "exclude_outside", {}},
    {"MaxPool", "storage_order", {}},
    {"MaxPool", "ceil_mode", {}},
    {"AveragePool", "ceil_mode", {}},
    {"AveragePool", "count_include_pad", {}},
    {"LpPool", "ceil_mode", {}},
    {"LpPool", "p", {}, 1, noLimit},
    {"GlobalLpPool", "p", {}, 1, noLimit},
    {"LpNormalization", "p", {}, 1, 2},
    {"BitShift", "direction", shifts},
    {"Mod", "fmod", {}},
    {"Gelu", "approximate", geluForms},
    {"Reshape", "allowzero", {}},
    {"CumSum", "exclusive", {}},
    {"CumSum", "reverse", {}},
    {"TopK", "largest", {}},
    {"TopK", "sorted", {}},
    {"Trilu", "upper", {}},
    {"Unique", "sorted", {}},
    {"ScatterElements", "reduction", scatterReductions},
    {"ScatterND", "reduction", scatterReductions},
    {"NonMaxSuppression", "center_point_box", {}},
    {"ReduceMax", "keepdims", {}},
    {"ReduceMin", "keepdims", {}},
    {"ReduceSum", "keepdims", {}},
    {"ReduceMean", "keepdims", {}},
    {"ReduceProd", "keepdims", {}},
    {"ReduceL1", "keepdims", {}},
    {"ReduceL2", "keepdims", {}},
    {"ReduceLogSum", "keepdims", {}},
    {"ReduceLogSumExp", "keepdims", {}},
    {"ReduceSumSquare", "keepdims", {}},
    {"ArgMax", "keepdims", {}},
    {"ArgMin", "keepdims", {}},
    {"ArgMax", "select_last_index", {}},
    {"ArgMin", "select_last_index", {}},
    {"QuantizeLinear", "block_size", {}, 0, noLimit},
    {"DequantizeLinear", "block_size", {}, 0, noLimit},
    {"LSTM", "layout", {}},
    {"GRU", "layout", {}},
    {"RNN", "layout", {}},
    {"LSTM", "input_forget", {}},
    {"GRU", "linear_before_reset", {}},
    {"NegativeLogLikelihoodLoss", "reduction", lossReductions},
    {"SoftmaxCrossEntropyLoss", "reduction", lossReductions},
    {"DFT", "inverse", {}},
    {"DFT", "onesided", {}},
    {"STFT", "onesided", {}},
    {"HannWindow", "periodic", {}},
    {"HammingWindow", "periodic", {}},
    {"BlackmanWindow", "periodic", {}},
    {"Multinomial", "sample_size", {}, 0, noLimit},
    {"MaxRoiPool", "pooled_shape", {}, 1, noLimit},
    {"ConvTranspose", "output_padding", {}, 0, noLimit},
    {"RandomNormal", "shape", {}, 0, noLimit},
    {"RandomUniform", "shape", {}, 0, noLimit},
    {"StringNormalizer", "case_change_action", caseActions},
    {"StringNormalizer", "is_case_sensitive", {}},
    {"TfIdfVectorizer", "mode", grams},
    {"TfIdfVectorizer", "min_gram_length", {}, 1, noLimit},
    {"TfIdfVectorizer", "max_gram_length", {}, 1, noLimit},
    {"TfIdfVectorizer", "max_skip_count", {}, 0, noLimit},
    {"TfIdfVectorizer", "ngram_counts", {}, 0, noLimit},
    {"TfIdfVectorizer", "ngram_indexes", {}, 0, noLimit},
    {"ConcatFromSequence", "new_axis", {}},
    {"SplitToSequence", "keepdims", {}},
    {"ml.TreeEnsembleRegressor", "aggregate_function", aggregates},
    {"ml.TreeEnsembleRegressor", "post_transform", transforms},
    {"ml.TreeEnsembleRegressor", "nodes_modes", branchModes},
    {"ml.TreeEnsembleRegressor", "nodes_featureids", {}, 0, noLimit},
    {"ml.TreeEnsembleClassifier", "post_transform", transforms},
    {"ml.TreeEnsembleClassifier", "nodes_modes", branchModes},
    {"ml.TreeEnsembleClassifier", "nodes_featureids", {}, 0, noLimit},
    {"ml.LinearClassifier", "post_transform", transforms},
    {"ml.LinearRegressor", "post_transform", transforms},
    {"ml.SVMClassifier", "post_transform", transforms},
    {"ml.SVMRegressor", "post_transform", transforms},
    {"ml.SVMClassifier", "kernel_type", svmKernels},
    {"ml.SVMRegressor", "kernel_type", svmKernels},
    {"ml.Normalizer", "norm", norms},
};

static LogicalResult checkWord(Operation *op, const Restriction &restriction,
                               Attribute value) {
  auto word = dyn_cast<StringAttr>(value);
  if (!word || llvm::is_contained(restriction.words, word.getValue()))
    return success();
  SmallVector<StringRef> words;
  for (StringRef allowed : restriction.words)
    if (!allowed.empty())
      words.push_back(allowed);
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
  return error << restriction.least << " or " << restriction.greatest;
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
