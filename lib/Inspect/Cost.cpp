//===- Cost.cpp - How much arithmetic a model is --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/Cost.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace onnxc;

void Cost::add(const Cost &other) {
  macs = macs + other.macs;
  flops = flops + other.flops;
  uncounted += other.uncounted;
  nodes += other.nodes;
}

namespace {

/// How the arithmetic of an operator is counted.
enum class Rule {
  None,
  Result,
  Input,
  FivePerElement,
  Window,
  MatMul,
  Gemm,
  Einsum,
  Conv,
  ConvTranspose,
  Recurrent,
  Attention,
  Unknown,
};

} // namespace

static Rule getRule(Operation *op, StringRef name) {
  return llvm::StringSwitch<Rule>(name)
      .Cases({"MatMul", "MatMulInteger", "QLinearMatMul"}, Rule::MatMul)
      .Case("Gemm", Rule::Gemm)
      .Case("Einsum", Rule::Einsum)
      .Cases({"Conv", "ConvInteger", "QLinearConv", "DeformConv"}, Rule::Conv)
      .Case("CausalConvWithState", Rule::Conv)
      .Case("ConvTranspose", Rule::ConvTranspose)
      .Cases({"RNN", "LSTM", "GRU"}, Rule::Recurrent)
      .Cases({"Attention", "FlexAttention"}, Rule::Attention)
      .Cases({"Softmax", "LogSoftmax", "Hardmax", "LayerNormalization",
              "RMSNormalization"},
             Rule::FivePerElement)
      .Cases({"GroupNormalization", "InstanceNormalization",
              "MeanVarianceNormalization", "LpNormalization", "LRN"},
             Rule::FivePerElement)
      .Case("BatchNormalization", Rule::Result)
      .Cases({"MaxPool", "AveragePool", "LpPool"}, Rule::Window)
      .Cases({"GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"},
             Rule::Input)
      .Cases(
          {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd"},
          Rule::Input)
      .Cases({"ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
              "ReduceLogSumExp"},
             Rule::Input)
      .Cases({"ArgMax", "ArgMin", "CumSum", "CumProd"}, Rule::Input)
      .Cases({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
              "RotaryEmbedding", "Swish"},
             Rule::Result)
      .Cases({"Celu", "PRelu", "Gelu", "HardSwish", "Mish", "Clip"},
             Rule::Result)
      // Movement of data, and what only says something about a tensor.
      .Cases({"Constant", "ConstantOfShape", "Identity", "Shape", "Size",
              "Reshape"},
             Rule::None)
      .Cases({"Transpose", "Concat", "Split", "Slice", "Gather", "GatherND"},
             Rule::None)
      .Cases({"GatherElements", "ScatterElements", "ScatterND", "Squeeze",
              "Unsqueeze", "Flatten"},
             Rule::None)
      .Cases({"Expand", "Tile", "Pad", "Cast", "CastLike", "BitCast"},
             Rule::None)
      .Cases({"DepthToSpace", "SpaceToDepth", "Dropout", "Range", "OneHot",
              "EyeLike"},
             Rule::None)
      .Cases({"Trilu", "ReverseSequence", "If", "Loop", "Scan", "SequenceMap"},
             Rule::None)
      .Cases({"SequenceConstruct", "SequenceAt", "SequenceInsert",
              "SequenceErase", "SequenceLength"},
             Rule::None)
      .Cases({"SequenceEmpty", "SplitToSequence", "ConcatFromSequence",
              "Optional", "OptionalHasElement"},
             Rule::None)
      .Cases({"OptionalGetElement", "TensorScatter", "CenterCropPad",
              "Compress", "Where"},
             Rule::None)
      .Default(isa<ScalarOpInterface>(op) ? Rule::Result : Rule::Unknown);
}

namespace {

class Counter {
public:
  using Take = std::function<void(Operation *, const Cost &)>;

  Counter(SymbolicShapes &shapes, Take take)
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
    StringRef name;
    if (auto schema = dyn_cast<SchemaOpInterface>(op))
      name = schema.getOnnxName();
    else if (!isa<NodeOp>(op))
      return cost;
    SourceAttr source = getSource(op->getLoc());
    if (name == "Constant" && source && source.getOp() == "Initializer")
      return cost;
    cost.nodes = 1;
    Rule rule = name.empty() ? Rule::Unknown : getRule(op, name);
    if (rule == Rule::Unknown)
      cost.uncounted = 1;
    else if (rule != Rule::None)
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
      Value count = getOperand(op, "M");
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

  /// The formal input of that name; null if it is absent.
  static Value getOperand(Operation *op, StringRef name) {
    unsigned first = 0;
    for (auto [spec, count] :
         llvm::zip(cast<SchemaOpInterface>(op).getOperandSpecs(),
                   getOperandSegments(op))) {
      if (spec.name == name)
        return count ? op->getOperand(first) : Value();
      first += count;
    }
    return {};
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

  void setArithmetic(Operation *op, Rule rule, const Size &times, Cost &cost) {
    if (!op->getNumResults() || !op->getNumOperands())
      return;
    Size result = elements(op->getResult(0));
    Size input = elements(op->getOperand(0));
    switch (rule) {
    case Rule::Result:
      cost.flops = result;
      break;
    case Rule::Input:
      cost.flops = input;
      break;
    case Rule::FivePerElement:
      cost.flops = input * 5;
      break;
    case Rule::Window: {
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

  Size countMacs(Operation *op, Rule rule, const Size &result) {
    Value first = op->getOperand(0);
    switch (rule) {
    case Rule::MatMul:
      return result * dim(first, -1);
    case Rule::Gemm: {
      auto transposed = op->getAttrOfType<IntegerAttr>("transA");
      return result * dim(first, transposed && transposed.getInt() ? 0 : 1);
    }
    case Rule::Einsum:
      return countEinsum(op);
    // Weights are [outputs, inputs of a group, window...]; of the transposed
    // form [inputs, outputs of a group, window...].
    case Rule::Conv: {
      Value weights = getWeights(op);
      return result * elements(weights).floorDiv(dim(weights, 0));
    }
    case Rule::ConvTranspose: {
      Value weights = getWeights(op);
      return elements(first) * elements(weights).floorDiv(dim(weights, 0));
    }
    case Rule::Recurrent: {
      Value w = getOperand(op, "W"), r = getOperand(op, "R");
      return dim(first, 0) * dim(first, 1) * (elements(w) + elements(r));
    }
    case Rule::Attention: {
      // Scores, and their product with the values.
      Size length = dim(getOperand(op, "K"), -2);
      if (Value past = getOperand(op, "past_key"))
        length = length + dim(past, -2);
      return (elements(first) + result) * length;
    }
    default:
      return 0;
    }
  }

  static Value getWeights(Operation *op) {
    for (StringRef name : {"W", "w", "weight"})
      if (Value weights = getOperand(op, name))
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

  SymbolicShapes &shapes;
  Take take;
};

} // namespace

Cost onnxc::countCost(ModuleOp module, SymbolicShapes &shapes,
                      std::function<void(Operation *, const Cost &)> take) {
  Counter counter(shapes, std::move(take));
  Cost sum;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function->hasAttr("onnx.entry"))
      sum.add(counter.count(function.front(), 1));
  return sum;
}
