//===- FoldRules.cpp - What may be computed beforehand --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldRules.h"

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// By the op alone
//===----------------------------------------------------------------------===//

/// Executions of ops that a subgraph may come to.
static constexpr int64_t maxSteps = 20000;

/// How often the body runs at most; -1 if that is unknown.
static int64_t countIterations(Operation *op) {
  if (isa<IfOp>(op))
    return 1;
  if (auto loop = dyn_cast<LoopOp>(op))
    return std::max<int64_t>(getInteger(loop.getM()).value_or(-1), -1);
  if (auto scan = dyn_cast<ScanOp>(op)) {
    ValueRange inputs = scan.getInitialStateAndScanInputs();
    size_t first = inputs.size() - scan.getNumScanInputs();
    auto axes = scan.getScanInputAxes();
    if (first >= inputs.size())
      return -1;
    return getDim(inputs[first], axes && !axes->empty() ? axes->front() : 0)
        .value_or(-1);
  }
  return -1;
}

/// -1 for too many, or for what never ends.
static int64_t countSteps(Operation *op) {
  if (op->getNumRegions() == 0)
    return 1;
  int64_t times = countIterations(op);
  if (times < 0 || times > maxSteps)
    return -1;
  int64_t steps = 1;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      int64_t mine = countSteps(&inner);
      if (mine < 0 || (steps += mine * times) > maxSteps)
        return -1;
    }
  return steps;
}

bool optimize::isFoldable(Operation *op) {
  // Patterns of quantized operators match on DequantizeLinear.
  if (!isa<SchemaOpInterface>(op) || isa<ConstantOp, DequantizeLinearOp>(op) ||
      op->getNumResults() == 0 || !isDeterministic(op))
    return false;
  auto isStorable = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor ? getDataType(tensor.getElementType()) != 0
                  : isa<SeqType, OptType>(type);
  };
  return llvm::all_of(op->getResultTypes(), isStorable) && countSteps(op) >= 0;
}

//===----------------------------------------------------------------------===//
// By the operands
//===----------------------------------------------------------------------===//

static std::optional<Elements> getElements(const TensorValue *value) {
  if (!value || isa<StringType>(value->type.getElementType()))
    return std::nullopt;
  return Elements::of(value->type, value->bytes);
}

/// Whether the quotients are those of C.
static bool isDivisible(const TensorValue *value) {
  std::optional<Elements> divisors = getElements(value);
  if (!divisors)
    return false;
  for (int64_t i = 0; i < divisors->size(); ++i)
    if (int64_t divisor = divisors->getInteger(i);
        divisor == 0 || divisor == -1)
      return false;
  return true;
}

/// Whether the numbers are in the range of an integer type.
static bool isInRange(const TensorValue *value, IntegerType type) {
  std::optional<Elements> numbers = getElements(value);
  if (!numbers)
    return false;
  unsigned width = type.getWidth();
  if (width == 1)
    return true;
  double least = type.isUnsigned() ? 0 : -std::ldexp(1.0, width - 1);
  double limit = std::ldexp(1.0, type.isUnsigned() ? width : width - 1);
  for (int64_t i = 0; i < numbers->size(); ++i)
    if (double number = std::trunc(numbers->getNumber(i));
        !(number >= least && number < limit))
      return false;
  return true;
}

static int64_t getSize(const TensorValue *value) {
  return value ? value->type.getNumElements() : 0;
}

/// Multiplications that take about a second where nothing is vectorized.
static constexpr int64_t maxProducts = int64_t(1) << 29;

/// Whether so many are too many.
static bool isTooLong(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, std::max<int64_t>(factor, 1), product))
      return true;
  return product > maxProducts;
}

static bool takesTooLong(Operation *op,
                         ArrayRef<const TensorValue *> operands) {
  if (hasFact(op, OpFact::Linear))
    return false;
  int64_t in = 0, out = 0;
  for (const TensorValue *operand : operands)
    in = std::max(in, getSize(operand));
  for (Value result : op->getResults())
    if (RankedTensorType type = getStaticType(result))
      out = std::max(out, type.getNumElements());
  if (isa<MatMulOp, MatMulIntegerOp>(op) && operands[0]) {
    RankedTensorType a = operands[0]->type;
    return isTooLong({out, a.getRank() ? a.getShape().back() : 1});
  }
  if (auto gemm = dyn_cast<GemmOp>(op); gemm && operands[0])
    return isTooLong(
        {out, operands[0]->type.getDimSize(gemm.getTransA() ? 0 : 1)});
  if (isa<ConvOp>(op) && operands[1]) {
    int64_t channels = std::max<int64_t>(operands[1]->type.getDimSize(0), 1);
    return isTooLong({out, getSize(operands[1]) / channels});
  }
  return isTooLong({in, std::max(out, in)});
}

bool optimize::isWorthFolding(Operation *op,
                              ArrayRef<const TensorValue *> operands) {
  if (takesTooLong(op, operands))
    return false;
  Type element;
  if (auto type = dyn_cast<TensorType>(op->getResult(0).getType()))
    element = type.getElementType();
  auto integer = dyn_cast_or_null<IntegerType>(element);
  // How many digits a text has is not said.
  if (isa<CastOp, CastLikeOp>(op) && isa_and_present<StringType>(element) &&
      !(operands[0] && isa<IntegerType>(operands[0]->type.getElementType())))
    return false;
  if (isa<DivOp, ModOp>(op) && integer)
    return isDivisible(operands[1]);
  if (isa<BitShiftOp>(op) && integer) {
    std::optional<Elements> shifts = getElements(operands[1]);
    for (int64_t i = 0; shifts && i < shifts->size(); ++i)
      if (static_cast<uint64_t>(shifts->getInteger(i)) >= integer.getWidth())
        return false;
    return shifts.has_value();
  }
  if (isa<CastOp, CastLikeOp>(op) && integer && operands[0] &&
      isa<FloatType>(operands[0]->type.getElementType()))
    return isInRange(operands[0], integer);
  return true;
}
