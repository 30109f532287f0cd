//===- Cost.cpp - How much arithmetic a model is --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/Cost.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

void Cost::add(const Cost &other) {
  macs = macs + other.macs;
  flops = flops + other.flops;
  uncounted += other.uncounted;
  nodes += other.nodes;
}

namespace {

class Counter {
public:
  using Take = std::function<void(Operation *, const Cost &)>;

  Counter(ModelShapes &shapes, Take take)
      : shapes(shapes), take(std::move(take)) {}

  Cost count(Block &block, const Size &times) {
    Cost sum;
    for (Operation &op : block)
      sum.add(count(&op, times));
    return sum;
  }

private:
  Cost count(Operation *op, const Size &times) {
    Cost cost;
    const OpFacts *facts = getFacts(op);
    if (!facts && !isa<NodeOp>(op))
      return cost;
    SourceAttr source = getSource(op->getLoc());
    if (isa<ConstantOp>(op) && source && source.getOp() == "Initializer")
      return cost;
    cost.nodes = 1;
    OpCost rule = facts ? facts->cost : OpCost::Unknown;
    if (rule == OpCost::Unknown)
      cost.uncounted = 1;
    else if (rule != OpCost::None)
      setArithmetic(op, rule, times, cost);
    take(op, cost);

    Size inner = times * getTrips(op);
    Cost most;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Cost body = count(region.front(), inner);
      if (!isa<IfOp>(op))
        cost.add(body);
      else if (isMore(body, most))
        most = body;
    }
    cost.add(most);
    return cost;
  }

  static bool isMore(const Cost &a, const Cost &b) {
    std::optional<int64_t> x = a.flops.getNumber(), y = b.flops.getNumber();
    return !x || (y && *x > *y) || (x == y && a.nodes > b.nodes);
  }

  /// How often the body of a node runs.
  Size getTrips(Operation *op) {
    if (isa<LoopOp>(op)) {
      Value count = getFormal(op, "M");
      if (!count)
        return shapes.makeOpen("iterations", op);
      std::optional<int64_t> known = getConstantInteger(count, 0);
      return known ? Size(std::max<int64_t>(*known, 0))
                   : shapes.makeOpen("iterations", op);
    }
    if (auto scan = dyn_cast<ScanOp>(op)) {
      auto shape = shapes.getShape(op->getOperands().back());
      ArrayRef<int64_t> axes =
          scan.getScanInputAxes().value_or(ArrayRef<int64_t>());
      int64_t axis = axes.empty() ? 0 : axes.back();
      if (shape && axis < 0)
        axis += static_cast<int64_t>(shape->size());
      if (shape && axis >= 0 && axis < static_cast<int64_t>(shape->size()))
        return (*shape)[axis];
      return shapes.makeOpen("iterations", op);
    }
    return isa<SequenceMapOp>(op) ? shapes.makeOpen("iterations", op) : Size(1);
  }

  Size elements(Value value) {
    return value ? shapes.getNumElements(value) : Size();
  }
  /// Counted from the end where it is negative.
  Size dim(Value value, int64_t index) {
    auto shape = value ? shapes.getShape(value) : std::nullopt;
    int64_t rank = shape ? static_cast<int64_t>(shape->size()) : 0;
    if (index < 0)
      index += rank;
    return index >= 0 && index < rank ? (*shape)[index] : Size();
  }

  void setArithmetic(Operation *op, OpCost rule, const Size &times,
                     Cost &cost) {
    if (!op->getNumResults() || !op->getNumOperands())
      return;
    Size result = elements(op->getResult(0));
    Size input = elements(op->getOperand(0));
    switch (rule) {
    case OpCost::Result:
      cost.flops = result;
      break;
    case OpCost::Input:
      cost.flops = input;
      break;
    case OpCost::FivePerElement:
      cost.flops = input * 5;
      break;
    case OpCost::Window: {
      Size window(1);
      if (auto kernel = op->getAttrOfType<DenseI64ArrayAttr>("kernel_shape"))
        for (int64_t size : kernel.asArrayRef())
          window = window * size;
      cost.flops = result * window;
      break;
    }
    default:
      cost.macs = countMacs(op, rule, result);
      cost.flops = cost.macs * 2;
      break;
    }
    cost.macs = cost.macs * times;
    cost.flops = cost.flops * times;
  }

  Size countMacs(Operation *op, OpCost rule, const Size &result) {
    Value first = op->getOperand(0);
    switch (rule) {
    case OpCost::MatMul:
      return result * dim(first, -1);
    case OpCost::Gemm: {
      auto transposed = op->getAttrOfType<IntegerAttr>("transA");
      return result * dim(first, transposed && transposed.getInt() ? 0 : 1);
    }
    case OpCost::Einsum:
      return countEinsum(op);
    // Weights are [outputs, inputs of a group, window...]; of the transposed
    // form [inputs, outputs of a group, window...].
    case OpCost::Conv: {
      Value weights = getWeights(op);
      return result * elements(weights).floorDiv(dim(weights, 0));
    }
    case OpCost::ConvTranspose: {
      Value weights = getWeights(op);
      return elements(first) * elements(weights).floorDiv(dim(weights, 0));
    }
    case OpCost::Recurrent: {
      Value w = getFormal(op, "W"), r = getFormal(op, "R");
      return dim(first, 0) * dim(first, 1) * (elements(w) + elements(r));
    }
    case OpCost::Attention: {
      // Scores, and their product with the values.
      Size length = dim(getFormal(op, "K"), -2);
      if (Value past = getFormal(op, "past_key"))
        length = length + dim(past, -2);
      return (elements(first) + result) * length;
    }
    default:
      return 0;
    }
  }

  static Value getWeights(Operation *op) {
    for (StringRef name : {"W", "w", "weight"})
      if (Value weights = getFormal(op, name))
        return weights;
    return {};
  }

  /// All index combinations.
  Size countEinsum(Operation *op) {
    auto equation = op->getAttrOfType<StringAttr>("equation");
    if (!equation)
      return Size();
    StringRef inputs = equation.getValue().split("->").first;
    std::map<char, Size> sizes;
    for (Value operand : op->getOperands()) {
      auto [term, rest] = inputs.split(',');
      inputs = rest;
      int64_t index = 0;
      for (char letter : term)
        if (llvm::isAlpha(letter))
          sizes[letter] = dim(operand, index++);
        else if (letter == '.')
          return Size();
    }
    Size product(1);
    for (const auto &[letter, size] : sizes)
      product = product * size;
    return product;
  }

  ModelShapes &shapes;
  Take take;
};

} // namespace

Cost onnxc::countCost(ModuleOp module, ModelShapes &shapes,
                      std::function<void(Operation *, const Cost &)> take) {
  Counter counter(shapes, std::move(take));
  Cost sum;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function->hasAttr(model::entry))
      sum.add(counter.count(function.front(), 1));
  return sum;
}
