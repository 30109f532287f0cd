//===- Text.cpp - The ops of Text.td --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Text.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Text.cpp.inc"

void ONNXDialect::registerTextOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Text.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult StringConcatOp::shape(ShapeBuilder &s, Adaptor op) {
  return s.broadcastOperands();
}

LogicalResult StringNormalizerOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  Dims dims = s.dims(op.getX());
  if (!s.require(dims.size() == 1 || dims.size() == 2,
                 "stringnormalizer_x: must have rank 1 or 2"))
    return failure();
  if (dims.size() == 2)
    s.same(dims[0], s.constant(1), "stringnormalizer_x: first dimension");
  // Stop words go.
  if (op.getStopwords() && !op.getStopwords()->empty())
    dims.back() = s.unknown();
  return s.result(0, elementType, dims);
}

LogicalResult StringSplitOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  Type countType = IntegerType::get(s.getContext(), 64);
  if (!s.ranked(op.getX())) {
    if (failed(s.unranked(1, countType)))
      return failure();
    return s.unranked(0, elementType);
  }
  Dims dims = s.dims(op.getX());
  if (failed(s.result(1, countType, dims)))
    return failure();
  dims.push_back(s.unknown());
  return s.result(0, elementType, dims);
}

LogicalResult RegexFullMatchOp::shape(ShapeBuilder &s, Adaptor op) {
  return withElementType(s, op.getX(), IntegerType::get(s.getContext(), 1));
}

LogicalResult TokenizerOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  Dims dims = s.dims(op.getX());
  dims.push_back(s.unknown());
  return s.result(0, elementType, dims);
}

LogicalResult TfIdfVectorizerOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = Float32Type::get(s.getContext());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  Dims dims = s.dims(op.getX());
  llvm::ArrayRef<int64_t> indexes = op.getNgramIndexes();
  if (!s.require(dims.size() == 1 || dims.size() == 2,
                 "tfidfvectorizer_x: must have rank 1 or 2") ||
      !s.require(!indexes.empty(),
                 "tfidfvectorizer_ngram_indexes: must not be empty"))
    return failure();
  dims.back() = s.constant(*llvm::max_element(indexes)) + 1;
  return s.result(0, elementType, dims);
}
