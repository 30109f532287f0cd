//===- GraphView.cpp - A model as graphs to be drawn ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/GraphView.h"
#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Inspect/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

/// Longer attributes are cut.
static constexpr size_t maxTextLength = 400;

size_t ModelView::countNodes() const {
  size_t count = 0;
  for (const GraphView &graph : graphs)
    count += graph.nodes.size();
  return count;
}

/// How the operators of a .td file are drawn.
static OpFamily getAppearance(Family family) {
  switch (family) {
  case Family::Math:
  case Family::Trigonometry:
  case Family::Logic:
    return OpFamily::Arithmetic;
  case Family::Activation:
    return OpFamily::Activation;
  case Family::Reduction:
    return OpFamily::Reduction;
  case Family::Contraction:
  case Family::Attention:
    return OpFamily::Product;
  case Family::Conv:
    return OpFamily::Convolution;
  case Family::Pooling:
    return OpFamily::Pooling;
  case Family::Normalization:
    return OpFamily::Normalization;
  case Family::Core:
  case Family::Conversion:
  case Family::Movement:
  case Family::Shape:
  case Family::Indexing:
  case Family::Image:
    return OpFamily::Movement;
  case Family::Recurrent:
    return OpFamily::Recurrent;
  case Family::Quantization:
    return OpFamily::Quantization;
  case Family::ControlFlow:
    return OpFamily::Control;
  default:
    return OpFamily::Other;
  }
}

/// Of an operator that no record stands for: what its name tells.
static OpFamily guessFamily(StringRef name) {
  if (name.contains_insensitive("quantize") || name.starts_with("Q") ||
      name.ends_with("Integer") || name.ends_with("NBits"))
    return OpFamily::Quantization;
  if (name.contains(ConvOp::getOnnxName()))
    return OpFamily::Convolution;
  if (name.contains(AttentionOp::getOnnxName()) ||
      name.contains(MatMulOp::getOnnxName()))
    return OpFamily::Product;
  if (name.contains("Normalization"))
    return OpFamily::Normalization;
  if (name.contains("Pool"))
    return OpFamily::Pooling;
  return name.ends_with(GeluOp::getOnnxName()) ? OpFamily::Activation
                                               : OpFamily::Other;
}

static OpFamily getFamily(Operation *op, StringRef name) {
  if (op->getNumRegions())
    return OpFamily::Control;
  auto node = dyn_cast<NodeOp>(op);
  const OpFacts *facts =
      node ? getFacts(node.getDomain(), node.getOpType()) : getFacts(op);
  return facts ? getAppearance(facts->family) : guessFamily(name);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string cut(std::string text) {
  if (text.size() > maxTextLength)
    text = text.substr(0, maxTextLength) + " ...";
  return text;
}

/// "float 1x3x224x224" for tensors.
static std::string describeType(Type type,
                                std::optional<ArrayRef<Size>> sizes = {}) {
  if (isa<UnknownType, NoneType>(type))
    return "";
  std::string text = getOnnxTypeName(type);
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return text;
  text = StringRef(text).drop_front(strlen("tensor(")).drop_back().str();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return text + " of any shape";
  for (auto [index, size] : llvm::enumerate(ranked.getShape())) {
    text += index ? "×" : " ";
    text += ShapedType::isStatic(size) ? std::to_string(size)
            : sizes                    ? (*sizes)[index].print()
                                       : "?";
  }
  return ranked.getRank() ? text : text + " scalar";
}

static std::string describeElements(ElementsAttr elements) {
  std::string text = describeType(elements.getShapedType());
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || dense.getNumElements() > 16)
    return text;
  std::string values;
  llvm::raw_string_ostream os(values);
  llvm::interleaveComma(dense.getValues<Attribute>(), os, [&](Attribute value) {
    value.print(os, /*elideType=*/true);
  });
  return text +
         (dense.getType().getRank() ? ": [" + values + "]" : ": " + values);
}

static std::string describeAttribute(Attribute attribute) {
  if (auto elements = dyn_cast<ElementsAttr>(attribute);
      elements && !isa<DenseArrayAttr>(attribute))
    return cut(describeElements(elements));
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    os << "[";
    llvm::interleaveComma(integers.asArrayRef(), os);
    os << "]";
  } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(attribute)) {
    os << "[";
    llvm::interleaveComma(floats.asArrayRef(), os);
    os << "]";
  } else if (auto string = dyn_cast<StringAttr>(attribute)) {
    os << string.getValue();
  } else if (auto type = dyn_cast<TypeAttr>(attribute)) {
    os << getOnnxTypeName(type.getValue());
  } else {
    attribute.print(os, /*elideType=*/true);
  }
  return cut(text);
}

std::string onnxc::describeValueType(Type type) { return describeType(type); }

//===----------------------------------------------------------------------===//
// Which node of the model it is
//===----------------------------------------------------------------------===//

static void collectNodeKeys(Location location, StringAttr function,
                            llvm::SetVector<NodeKey> &keys) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SourceAttr caller = getSource(call.getCaller());
    collectNodeKeys(call.getCallee(), caller ? caller.getOp() : StringAttr(),
                    keys);
    collectNodeKeys(call.getCaller(), function, keys);
  } else if (auto named = dyn_cast<NameLoc>(location)) {
    collectNodeKeys(named.getChildLoc(), function, keys);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto source = dyn_cast_or_null<SourceAttr>(fused.getMetadata()))
      keys.insert({source, function});
    // A node with another's output has a name of its own, around theirs.
    for (Location part : fused.getLocations())
      collectNodeKeys(part, function, keys);
  }
}

std::vector<NodeKey> onnxc::collectNodeKeys(Location location) {
  llvm::SetVector<NodeKey> keys;
  ::collectNodeKeys(location, StringAttr(), keys);
  return {keys.begin(), keys.end()};
}

//===----------------------------------------------------------------------===//
// What inference tells
//===----------------------------------------------------------------------===//

/// What tells a node from all others: the location that it was imported with,
/// and the name of the function that it is in. Of an optimized graph, in which
/// several may have one location, the op itself.
using Origin = std::pair<const void *, const void *>;

/// Of an op that may have been inlined: the innermost call names the function.
static Origin getInlinedOrigin(Operation *op) {
  Location loc = op->getLoc();
  StringAttr function;
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    SourceAttr source = getSource(call.getCaller());
    function = source ? source.getOp() : StringAttr();
    loc = call.getCallee();
  }
  return {loc.getAsOpaquePointer(), function.getAsOpaquePointer()};
}

/// Of the function that an imported op is in; null in the main graph.
static StringAttr getFunctionName(Operation *op) {
  auto parent = op->getParentOfType<func::FuncOp>();
  auto function = parent
                      ? parent->getAttrOfType<DictionaryAttr>(model::function)
                      : DictionaryAttr();
  return function ? function.getAs<StringAttr>("name") : StringAttr();
}

/// Of an op as it was imported.
static Origin getImportedOrigin(Operation *op) {
  return {op->getLoc().getAsOpaquePointer(),
          getFunctionName(op).getAsOpaquePointer()};
}

namespace {

/// Types and costs of nodes, found by where they come from.
class Facts {
public:
  /// With `isOwn` it is the module whose nodes are asked for.
  Facts(ModuleOp inferred, bool isOwn) : isOwn(isOwn) {
    if (!inferred)
      return;
    ModelShapes shapes(inferred);
    countCost(inferred, shapes, [&](Operation *op, const Cost &cost) {
      Origin origin = isOwn ? Origin{op, nullptr} : getInlinedOrigin(op);
      costs[origin].add(cost);
      std::vector<std::string> &own = types[origin];
      own.clear();
      for (Value result : op->getResults())
        own.push_back(describeType(result.getType(), shapes.getShape(result)));
    });
    for (auto function : inferred.getOps<func::FuncOp>())
      if (function->hasAttr(model::entry))
        for (Value argument : function.getArguments())
          inputs.push_back(
              describeType(argument.getType(), shapes.getShape(argument)));
  }

  std::string getType(Operation *op, unsigned result) const {
    auto found = types.find(getOrigin(op));
    return found != types.end() && result < found->second.size()
               ? found->second[result]
               : "";
  }

  std::string getInputType(unsigned number) const {
    return number < inputs.size() ? inputs[number] : "";
  }

  std::string getCost(Operation *op) const {
    auto found = costs.find(getOrigin(op));
    if (found == costs.end())
      return "";
    const Cost &cost = found->second;
    if (cost.macs.getNumber() != 0 && !cost.macs.isUnknown())
      return cost.macs.printRounded() + " MACs";
    if (cost.flops.getNumber() != 0 && !cost.flops.isUnknown())
      return cost.flops.printRounded() + " FLOPs";
    return "";
  }

private:
  Origin getOrigin(Operation *op) const {
    return isOwn ? Origin{op, nullptr} : getImportedOrigin(op);
  }

  bool isOwn;
  llvm::DenseMap<Origin, Cost> costs;
  llvm::DenseMap<Origin, std::vector<std::string>> types;
  std::vector<std::string> inputs;
};

/// Makes the graphs.
class Viewer {
public:
  /// `isOptimized`: the nodes of `module` may be made of several of the
  /// model's, and its own types are the facts.
  Viewer(ModuleOp module, ModuleOp inferred, bool isOptimized)
      : facts(inferred, /*isOwn=*/isOptimized), isOptimized(isOptimized) {
    for (auto function : module.getOps<func::FuncOp>())
      functions[function.getSymName()] = function;
  }

  ModelView view(StringRef title) {
    result.title = title.str();
    for (auto &entry : functions)
      if (entry.second->hasAttr(model::entry))
        addGraph(entry.second.front(), title.str());
    return std::move(result);
  }

private:
  /// Where a value comes from, within a graph.
  struct Source {
    unsigned node, output;
  };
  using Sources = llvm::DenseMap<Value, Source>;

  unsigned addGraph(Block &block, std::string title) {
    auto index = static_cast<unsigned>(result.graphs.size());
    result.graphs.emplace_back();
    GraphView graph;
    graph.title = std::move(title);
    Sources origins;
    for (BlockArgument argument : block.getArguments())
      addInterface(graph, "Input", argument, &origins);
    for (Operation &op : block.without_terminator())
      if (isNode(&op))
        addNode(graph, &op, origins);
    Operation *end = block.getTerminator();
    for (auto [number, value] : llvm::enumerate(end->getOperands())) {
      unsigned to = addInterface(graph, "Output", value, nullptr);
      if (std::string name = getResultName(end, number); !name.empty())
        graph.nodes[to].name = name;
      connect(graph, value, to, origins);
    }
    result.graphs[index] = std::move(graph);
    return index;
  }

  static std::string getResultName(Operation *end, unsigned number) {
    if (auto function = dyn_cast<func::FuncOp>(end->getParentOp())) {
      auto name = function.getResultAttrOfType<StringAttr>(number, model::name);
      return name ? name.getValue().str() : "";
    }
    auto graph = end->getAttrOfType<DictionaryAttr>(model::graph);
    auto outputs = graph ? graph.getAs<ArrayAttr>("outputs") : ArrayAttr();
    if (!outputs || number >= outputs.size())
      return "";
    auto name = cast<DictionaryAttr>(outputs[number]).getAs<StringAttr>("name");
    return name ? name.getValue().str() : "";
  }

  /// Constants stand with the nodes that use them, unless an output does.
  static bool isNode(Operation *op) {
    return !isa<NoneOp>(op) && !isConstant(op);
  }
  static bool isConstant(Operation *op) {
    return isa_and_present<ConstantOp>(op);
  }

  std::string getName(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      if (function)
        if (auto name = function.getArgAttrOfType<StringAttr>(
                argument.getArgNumber(), model::name))
          return name.getValue().str();
      if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
        return name.getName().str();
      return "";
    }
    auto opResult = cast<OpResult>(value);
    SourceAttr source = getSource(value.getLoc());
    ArrayAttr outputs = source ? source.getOutputs() : ArrayAttr();
    if (!outputs || opResult.getResultNumber() >= outputs.size())
      return "";
    return cast<StringAttr>(outputs[opResult.getResultNumber()])
        .getValue()
        .str();
  }

  std::string getType(Value value) {
    std::string text;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      if (function && function->hasAttr(model::entry))
        text = facts.getInputType(argument.getArgNumber());
    } else {
      auto opResult = cast<OpResult>(value);
      Operation *op = value.getDefiningOp();
      text = facts.getType(op, opResult.getResultNumber());
      // A call is what the function returns.
      if (auto call = dyn_cast<func::CallOp>(op); call && text.empty())
        if (func::FuncOp callee = functions.lookup(call.getCallee()))
          text = getType(callee.front().getTerminator()->getOperand(
              opResult.getResultNumber()));
    }
    return text.empty() ? describeType(value.getType()) : text;
  }

  GraphView::Argument describe(Value value, StringRef formal) {
    GraphView::Argument argument{formal.str(), getName(value), "",
                                 isConstant(value.getDefiningOp())};
    if (!argument.isConstant) {
      argument.type = getType(value);
      return argument;
    }
    Operation *op = value.getDefiningOp();
    argument.type = describeType(value.getType());
    for (NamedAttribute attribute : op->getAttrs())
      argument.type = describeAttribute(attribute.getValue());
    return argument;
  }

  unsigned addInterface(GraphView &graph, StringRef what, Value value,
                        Sources *origins) {
    GraphView::Node node;
    node.op = what.str();
    node.family = OpFamily::Interface;
    GraphView::Argument argument = describe(value, "");
    node.name = argument.name;
    (origins ? node.outputs : node.inputs).push_back(std::move(argument));
    auto index = static_cast<unsigned>(graph.nodes.size());
    graph.nodes.push_back(std::move(node));
    if (origins)
      (*origins)[value] = {index, 0};
    return index;
  }

  void connect(GraphView &graph, Value value, unsigned to, Sources &origins) {
    if (!value || isa<NoneType>(value.getType()) ||
        isConstant(value.getDefiningOp()))
      return;
    auto known = origins.find(value);
    // Of a graph around this one.
    if (known == origins.end()) {
      addInterface(graph, "Outer value", value, &origins);
      known = origins.find(value);
    }
    graph.edges.push_back({known->second.node, known->second.output, to});
  }

  void addNode(GraphView &graph, Operation *op, Sources &origins) {
    // Its own node comes behind those of outer values.
    SmallVector<Value> outer;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!region.isAncestor(operand.getParentRegion()))
            outer.push_back(operand);
      });
    llvm::SetVector<Value> taken(op->operand_begin(), op->operand_end());
    taken.insert_range(outer);
    for (Value value : taken)
      if (!isa<NoneType>(value.getType()) &&
          !isConstant(value.getDefiningOp()) && !origins.contains(value))
        addInterface(graph, "Outer value", value, &origins);

    GraphView::Node node;
    SourceAttr source = getSource(op->getLoc());
    if (source) {
      node.op = source.getOp().str();
      node.name = source.getName().str();
      node.doc = source.getDoc() ? source.getDoc().str() : "";
    }
    if (auto schema = dyn_cast<SchemaOpInterface>(op); schema && isOptimized)
      node.op = schema.getOnnxName().str();
    if (isOptimized)
      node.keys = collectNodeKeys(op->getLoc());
    else if (source)
      node.keys = {{source, getFunctionName(op)}};
    describeOperator(op, node);
    describeArguments(op, node);
    node.cost = facts.getCost(op);
    auto index = static_cast<unsigned>(graph.nodes.size());
    for (auto [number, value] : llvm::enumerate(op->getResults()))
      origins[value] = {index, static_cast<unsigned>(number)};
    for (Value value : taken)
      connect(graph, value, index, origins);
    graph.nodes.push_back(std::move(node));
    // After the node, since the list of graphs may move.
    addInnerGraphs(op, graph.nodes[index]);
  }

  void describeOperator(Operation *op, GraphView::Node &node) {
    DictionaryAttr attributes = op->getAttrDictionary();
    if (auto generic = dyn_cast<NodeOp>(op)) {
      node.domain = generic.getDomain().str();
      attributes = generic.getOnnxAttributes();
    } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      node.domain = schema.getOnnxDomain().str();
    } else if (isa<func::CallOp>(op)) {
      attributes = DictionaryAttr::get(op->getContext());
      node.family = OpFamily::Function;
    }
    if (!isa<func::CallOp>(op))
      node.family = getFamily(op, node.op);
    for (NamedAttribute attribute : attributes)
      if (StringRef name = attribute.getName(); !name.ends_with("SegmentSizes"))
        node.attributes.emplace_back(name.str(),
                                     describeAttribute(attribute.getValue()));
  }

  void describeArguments(Operation *op, GraphView::Node &node) {
    SmallVector<StringRef> inputNames, outputNames;
    auto addNames = [](ArrayRef<ValueSpec> specs, ArrayRef<int> segments,
                       SmallVectorImpl<StringRef> &names) {
      for (auto [spec, count] : llvm::zip(specs, segments))
        names.append(count, spec.name);
    };
    if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      addNames(schema.getOperandSpecs(), getOperandSegments(op), inputNames);
      addNames(schema.getResultSpecs(), getResultSegments(op), outputNames);
    }
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      if (!isa<NoneType>(value.getType()))
        node.inputs.push_back(describe(
            value, index < inputNames.size() ? inputNames[index] : ""));
    for (auto [index, value] : llvm::enumerate(op->getResults()))
      if (!isa<NoneType>(value.getType()))
        node.outputs.push_back(describe(
            value, index < outputNames.size() ? outputNames[index] : ""));
  }

  void addInnerGraphs(Operation *op, GraphView::Node &node) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      func::FuncOp callee = functions.lookup(call.getCallee());
      if (!callee || callee.isExternal())
        return;
      auto known = bodies.find(callee);
      unsigned graph = known != bodies.end()
                           ? known->second
                           : addGraph(callee.front(), "function " + node.op);
      bodies[callee] = graph;
      node.graphs.emplace_back("body", graph);
      return;
    }
    SmallVector<std::string> names;
    if (auto generic = dyn_cast<NodeOp>(op)) {
      for (auto name : generic.getRegionNames().getAsRange<StringAttr>())
        names.push_back(name.str());
    } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      for (StringRef name : schema.getRegionNames())
        names.push_back(name.str());
    }
    for (auto [index, region] : llvm::enumerate(op->getRegions())) {
      if (region.empty())
        continue;
      std::string name = index < names.size() ? names[index] : "graph";
      unsigned graph =
          addGraph(region.front(), node.op + " '" + node.name + "': " + name);
      node.graphs.emplace_back(name, graph);
    }
  }

  Facts facts;
  bool isOptimized;
  llvm::MapVector<StringRef, func::FuncOp> functions;
  llvm::DenseMap<Operation *, unsigned> bodies;
  ModelView result;
};

} // namespace

ModelView onnxc::viewModel(ModuleOp imported, ModuleOp inferred,
                           StringRef title) {
  return Viewer(imported, inferred, /*isOptimized=*/false).view(title);
}

ModelView onnxc::viewOptimized(ModuleOp optimized, StringRef title) {
  return Viewer(optimized, optimized, /*isOptimized=*/true).view(title);
}
