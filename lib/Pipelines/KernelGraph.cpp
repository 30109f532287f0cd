//===- KernelGraph.cpp - Kernels and what goes between them ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGraph.h"

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/Pipelines/Compile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

static bool isKernel(Operation *op) {
  return OptReport::isLoopNest(op) || isa<rt::CallOp>(op);
}

/// Of the op and what was fused into it.
static std::vector<NodeKey> collectAllKeys(Operation *op) {
  llvm::SetVector<NodeKey> keys;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (!inner->hasTrait<OpTrait::ConstantLike>())
      keys.insert_range(collectNodeKeys(inner->getLoc()));
  });
  return {keys.begin(), keys.end()};
}

static std::string describeShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return "?";
  return llvm::join(llvm::map_range(shaped.getShape(),
                                    [](int64_t size) {
                                      return ShapedType::isDynamic(size)
                                                 ? std::string("?")
                                                 : std::to_string(size);
                                    }),
                    "×");
}

/// Whether it only copies its input in another order of dimensions.
static bool isPermutation(Operation *op) {
  if (isa<linalg::TransposeOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() != 0)
    return false;
  AffineMap from = generic.getIndexingMapsArray()[0];
  AffineMap to = generic.getIndexingMapsArray()[1];
  Block &body = generic.getRegion().front();
  return from.isPermutation() && to.isPermutation() && from != to &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// How the op rearranges elements; empty if it does not.
static std::string describeLayoutChange(Operation *op) {
  auto change = [&](StringRef what) {
    return (what + ": " + describeShape(op->getOperand(0).getType()) + " → " +
            describeShape(op->getResult(0).getType()))
        .str();
  };
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return "";
  if (auto reorder = dyn_cast<kernel::ReorderOp>(op))
    return change(reorder.isBlocking() ? "channels into blocks"
                                       : "channels out of blocks");
  if (isPermutation(op))
    return change("dimensions in another order");
  auto conv = dyn_cast<kernel::ConvOp>(op);
  if (!conv)
    return "";
  auto from = dyn_cast<ShapedType>(op->getOperand(0).getType());
  auto to = dyn_cast<ShapedType>(op->getResult(0).getType());
  if (!from || !to || from.getRank() == to.getRank())
    return "";
  return change(from.getRank() < to.getRank()
                    ? "reads channels as they are, writes blocks"
                    : "reads blocks, writes channels as they are");
}

static uint64_t getByteSize(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      !shaped.getElementType().isIntOrFloat())
    return 0;
  uint64_t bits = shaped.getElementTypeBitWidth();
  return static_cast<uint64_t>(shaped.getNumElements()) * ((bits + 7) / 8);
}

namespace {

class KernelGraphs {
public:
  KernelGraphs(ModuleOp module, std::vector<KernelView> &kernels)
      : symbols(module), module(module), kernels(kernels) {}

  ModelView view(StringRef title) {
    result.title = title.str();
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(program::entry) &&
          !function->hasAttr(program::overridden))
        addFunction(function, title.str());
    return std::move(result);
  }

private:
  /// An output of a node.
  using Source = std::pair<unsigned, unsigned>;
  using Sources = SmallVector<Source, 1>;
  struct Graph {
    unsigned index;
    GraphView view;
    DenseMap<Value, Sources> sources;
  };

  unsigned addFunction(func::FuncOp function, std::string title) {
    Graph graph;
    graph.index = static_cast<unsigned>(result.graphs.size());
    result.graphs.emplace_back();
    graph.view.title = std::move(title);
    SignatureAttr signature = SignatureAttr::of(module);
    bool isEntry = function->hasAttr(program::entry) && signature;
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      ValueInfoAttr info =
          isEntry ? signature.getArgument(number) : ValueInfoAttr();
      std::string name = info ? info.getName().str() : "";
      unsigned node = addInterface(graph, "Input", name, argument.getType(),
                                   /*isInput=*/true);
      graph.sources[argument] = {{node, 0}};
    }
    visit(function.front(), graph);
    Operation *end = function.front().getTerminator();
    for (auto [number, value] : llvm::enumerate(end->getOperands())) {
      std::string name = isEntry && number < signature.getOutputs().size() +
                                                 signature.getNumStates()
                             ? signature.getResultName(number).str()
                             : "";
      unsigned node = addInterface(graph, "Output", name, value.getType(),
                                   /*isInput=*/false);
      connect(graph, value, node);
    }
    unsigned index = graph.index;
    result.graphs[index] = std::move(graph.view);
    return index;
  }

  static unsigned addInterface(Graph &graph, StringRef what, StringRef name,
                               Type type, bool isInput) {
    GraphView::Node node;
    node.op = what.str();
    node.name = name.str();
    node.family = OpFamily::Interface;
    (isInput ? node.outputs : node.inputs)
        .push_back({"", name.str(), describeValueType(type), false});
    graph.view.nodes.push_back(std::move(node));
    return static_cast<unsigned>(graph.view.nodes.size()) - 1;
  }

  static void connect(Graph &graph, Value value, unsigned to) {
    for (auto [node, output] : graph.sources.lookup(value))
      graph.view.edges.push_back({node, output, to});
  }

  static void addSources(Graph &graph, Value value, Sources &sources) {
    // Sizes are not what flows.
    if (value.getType().isIndex())
      return;
    for (Source source : graph.sources.lookup(value))
      if (!llvm::is_contained(sources, source))
        sources.push_back(source);
  }

  void visit(Block &block, Graph &graph) {
    for (Operation &op : block.without_terminator()) {
      if (isKernel(&op))
        addKernel(&op, graph);
      else if (auto call = dyn_cast<func::CallOp>(op))
        addCall(call, graph);
      else
        passOn(&op, graph);
    }
  }

  /// What comes out of an op without a kernel comes from what goes in, and from
  /// kernels of its regions.
  void passOn(Operation *op, Graph &graph) {
    Sources sources;
    for (Value operand : op->getOperands())
      addSources(graph, operand, sources);
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    bool isByPlace = loop && loop.getInits().size() == op->getNumResults() &&
                     loop.getRegionIterArgs().size() == op->getNumResults() &&
                     loop.getYieldedValues().size() == op->getNumResults();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (!isByPlace)
          graph.sources[argument] = sources;
    if (isByPlace)
      for (auto [argument, init] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits()))
        graph.sources[argument] = graph.sources.lookup(init);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        visit(block, graph);
        for (Value value : block.getTerminator()->getOperands())
          addSources(graph, value, sources);
      }
    for (auto [number, value] : llvm::enumerate(op->getResults())) {
      Sources own = sources;
      if (isByPlace) {
        own.clear();
        addSources(graph, loop.getInits()[number], own);
        addSources(graph, loop.getYieldedValues()[number], own);
      }
      if (!own.empty())
        graph.sources[value] = std::move(own);
    }
  }

  /// Weights: what the kernel reads that no other makes.
  static void addConstants(Operation *op, GraphView::Node &node) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
      if (!constant || !isa<ShapedType>(constant.getType()))
        continue;
      auto kernel = dyn_cast<kernel::KernelOpInterface>(op);
      bool isPacked = kernel && kernel.getPackedLayout(operand);
      SourceAttr source = getSource(constant.getLoc());
      node.inputs.push_back({isPacked ? "packed" : "constant",
                             source ? getNodeName(source).str() : "",
                             describeValueType(constant.getType()), true});
    }
  }

  void addKernel(Operation *op, Graph &graph) {
    auto number = static_cast<int64_t>(kernels.size());
    op->setAttr(
        program::kernel,
        IntegerAttr::get(IntegerType::get(op->getContext(), 64), number));
    GraphView::Node node;
    node.keys = collectAllKeys(op);
    std::optional<NodeName> main = findNode(op->getLoc());
    node.name = main ? main->name : "";
    if (auto call = dyn_cast<rt::CallOp>(op)) {
      node.op = ("rt." + call.getCallee()).str();
    } else {
      OptReport::LoopNest nest = OptReport::describe(op, findNode);
      node.op = nest.operation;
      if (!nest.nodes.empty())
        node.notes.push_back(llvm::join(
            llvm::map_range(nest.nodes,
                            [](const NodeName &name) { return name.opType; }),
            " + "));
      // Of a kernel op they are the shapes of its operands.
      bool hasLoops = isa<linalg::LinalgOp>(op);
      if (hasLoops)
        node.notes.push_back(nest.loops);
      if (!nest.loops.empty())
        node.attributes.emplace_back(hasLoops ? "loops" : "shapes", nest.loops);
      for (auto &[what, text] : nest.choices) {
        if (node.notes.size() < 4)
          node.notes.push_back(what + ": " + text);
        node.attributes.emplace_back(what, text);
      }
      for (std::string &reason : nest.reasons)
        node.attributes.emplace_back("", std::move(reason));
    }
    addConstants(op, node);
    KernelView kernel{graph.index,
                      static_cast<unsigned>(graph.view.nodes.size()),
                      describeLayoutChange(op),
                      {}};
    for (Value value : op->getResults()) {
      node.outputs.push_back(
          {"", "", describeValueType(value.getType()), false});
      kernel.resultBytes.push_back(getByteSize(value.getType()));
    }
    graph.view.nodes.push_back(std::move(node));
    for (Value operand : op->getOperands())
      connect(graph, operand, kernel.node);
    for (auto [index, value] : llvm::enumerate(op->getResults()))
      graph.sources[value] = {{kernel.node, static_cast<unsigned>(index)}};
    kernels.push_back(std::move(kernel));
  }

  void addCall(func::CallOp call, Graph &graph) {
    GraphView::Node node;
    node.op = call.getCallee().str();
    node.family = OpFamily::Function;
    std::optional<NodeName> main = findNode(call.getLoc());
    node.name = main ? main->name : "";
    for (Value value : call.getResults())
      node.outputs.push_back(
          {"", "", describeValueType(value.getType()), false});
    auto index = static_cast<unsigned>(graph.view.nodes.size());
    graph.view.nodes.push_back(std::move(node));
    for (Value operand : call.getOperands())
      connect(graph, operand, index);
    for (auto [number, value] : llvm::enumerate(call.getResults()))
      graph.sources[value] = {{index, static_cast<unsigned>(number)}};
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    auto known = bodies.find(callee);
    unsigned body =
        known != bodies.end()
            ? known->second
            : addFunction(callee, "function " + callee.getName().str());
    bodies[callee] = body;
    graph.view.nodes[index].graphs.emplace_back("body", body);
  }

  SymbolTable symbols;
  ModuleOp module;
  std::vector<KernelView> &kernels;
  DenseMap<Operation *, unsigned> bodies;
  ModelView result;
};

} // namespace

ModelView onnxc::viewKernels(ModuleOp scheduled, StringRef title,
                             std::vector<KernelView> &kernels) {
  return KernelGraphs(scheduled, kernels).view(title);
}
