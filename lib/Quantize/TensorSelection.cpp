//===- TensorSelection.cpp - Which activations are quantized --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/TensorSelection.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Reduction.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type && type.getElementType().isF32();
}

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

static bool isConvolution(Operation *op) {
  return isa<ConvOp, ConvTransposeOp>(op);
}

bool quantize::canBeStatic(const Layer &layer, std::string &reason) {
  if (layer.isNested)
    reason = "is in a body of a control flow node, which the calibration does "
             "not see";
  else if (isa<GatherOp>(layer.op))
    reason = "has no activation to multiply; its table is quantized without "
             "--calibrate";
  else if (!isFloatTensor(layer.op->getOperand(0)))
    reason = "has activations of another type than float";
  else if (isConstant(layer.op->getOperand(0)))
    reason = "multiplies two constants";
  else
    return true;
  return false;
}

Value quantize::getActivated(Value result) {
  if (!result.hasOneUse())
    return result;
  Operation *user = *result.user_begin();
  return isa<ReluOp, ClipOp>(user) && user->getOperand(0) == result
             ? user->getResult(0)
             : result;
}

//===----------------------------------------------------------------------===//
// What stands between layers
//===----------------------------------------------------------------------===//

/// Whether elements of operand 0 move, or the greatest are picked: integers of
/// one code stay of it.
static bool movesElements(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  if (auto pad = dyn_cast<PadOp>(op))
    return pad.getMode() == "constant" && !pad.getConstantValue();
  if (auto resize = dyn_cast<ResizeOp>(op))
    return resize.getMode() == "nearest";
  return isa<MaxPoolOp>(op) || hasFact(op, OpFact::MovesElements);
}

/// Whether the op is a mean over windows or axes.
static bool isMean(Operation *op) {
  return isa<AveragePoolOp, GlobalAveragePoolOp, ReduceMeanOp>(op);
}

static bool isElementwise(Operation *op) {
  return isa<ScalarOpInterface>(op) && op->getNumResults() == 1;
}

/// Whether the op may be computed with integers, or be fused with what is.
static bool isBetween(Operation *op) {
  return movesElements(op) || isMean(op) || isElementwise(op) ||
         isa<ConcatOp, ResizeOp>(op);
}

/// What moves came from.
static Value getSourceOfMoves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!movesElements(op) || isa<MaxPoolOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// The selection
//===----------------------------------------------------------------------===//

TensorSelection::TensorSelection(func::FuncOp entry,
                                 ArrayRef<const Layer *> layers) {
  for (const Layer *layer : layers) {
    anchors.insert(layer->op);
    selected.insert(layer->op->getOperand(0));
    if (isConvolution(layer->op))
      selected.insert(getActivated(layer->op->getResult(0)));
  }
  Block &block = entry.getBody().front();
  growBackwards();
  findLeading(block);
  growForwards(block);
  findLeading(block);
  for (Value argument : block.getArguments())
    if (selected.contains(argument))
      tensors.push_back(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (selected.contains(result))
        tensors.push_back(result);
}

/// From what is pooled or joined for a selected value.
void TensorSelection::growBackwards() {
  auto select = [&](Value value) {
    if (isFloatTensor(value) && !isConstant(value))
      selected.insert(value);
  };
  // Grows while it is walked.
  for (size_t i = 0; i < selected.size(); ++i) {
    Operation *op = selected[i].getDefiningOp();
    if (!op)
      continue;
    if (isa<ConcatOp>(op)) {
      for (Value operand : op->getOperands())
        select(operand);
      continue;
    }
    if (isMean(op) || isa<MaxPoolOp>(op)) {
      select(op->getOperand(0));
      continue;
    }
    if (!movesElements(op))
      continue;
    Value source = getSourceOfMoves(op->getOperand(0));
    Operation *maker = source.getDefiningOp();
    bool isWorthIt = selected.contains(source) ||
                     (maker && (isMean(maker) || isa<MaxPoolOp>(maker) ||
                                isa<ConcatOp>(maker)));
    if (isWorthIt)
      select(op->getOperand(0));
  }
}

/// What moves from a selected value to one.
void TensorSelection::growForwards(Block &block) {
  for (Operation &op : block) {
    bool moves = movesElements(&op) && selected.contains(op.getOperand(0));
    bool joins =
        isa<ConcatOp>(op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          return selected.contains(operand);
        });
    if ((moves || joins) && leading.contains(op.getResult(0)) &&
        isFloatTensor(op.getResult(0)))
      selected.insert(op.getResult(0));
  }
}

void TensorSelection::findLeading(Block &block) {
  leading.clear();
  auto leads = [&](Value value) {
    return selected.contains(value) || leading.contains(value);
  };
  for (Operation &op : llvm::reverse(block)) {
    if (!isBetween(&op) || !leads(op.getResult(0)))
      continue;
    leading.insert(op.getResult(0));
    leading.insert(op.operand_begin(), op.operand_end());
  }
}

bool TensorSelection::isQuantizedUse(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (anchors.contains(user))
    return use.getOperandNumber() == 0;
  return user->getBlock() == use.get().getParentBlock() && isBetween(user) &&
         (selected.contains(user->getResult(0)) ||
          leading.contains(user->getResult(0)));
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static float getWidth(ActivationRange::Bounds bounds) {
  return std::max(-bounds.low, bounds.high);
}

static void widen(ActivationRange::Bounds &bounds,
                  ActivationRange::Bounds other) {
  bounds.low = std::min(bounds.low, other.low);
  bounds.high = std::max(bounds.high, other.high);
}

void TensorSelection::unifyRanges(Ranges &ranges) const {
  auto idOf = [](Value value) { return value.getAsOpaquePointer(); };
  llvm::EquivalenceClasses<void *> classes;
  auto unite = [&](Value a, Value b) { classes.unionSets(idOf(a), idOf(b)); };
  for (Value value : tensors) {
    classes.insert(idOf(value));
    Operation *op = value.getDefiningOp();
    if (op && movesElements(op) && selected.contains(op->getOperand(0)))
      unite(value, op->getOperand(0));
  }
  for (Value value : tensors) {
    auto concat = value.getDefiningOp<ConcatOp>();
    if (!concat)
      continue;
    float least = HUGE_VALF, most = 0;
    bool isKnown = true;
    for (Value part : concat->getOperands()) {
      isKnown = isKnown && selected.contains(part);
      least = std::min(least, getWidth(ranges.lookup(part)));
      most = std::max(most, getWidth(ranges.lookup(part)));
    }
    if (isKnown && most <= 2 * least)
      for (Value part : concat->getOperands())
        unite(value, part);
  }
  DenseMap<void *, ActivationRange::Bounds> ofClass;
  for (Value value : tensors)
    widen(ofClass[classes.getLeaderValue(idOf(value))], ranges.lookup(value));
  for (Value value : tensors)
    ranges[value] = ofClass[classes.getLeaderValue(idOf(value))];
}
