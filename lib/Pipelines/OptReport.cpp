//===- OptReport.cpp - What a compile decided for each node ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/OptReport.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace onnxc;

/// A node and its operator, as a person reads them.
static std::string describeName(const NodeName &node) {
  return node.name + " (" + node.opType + ")";
}

static std::string joinSizes(ArrayRef<int64_t> sizes,
                             StringRef separator = " x ") {
  return llvm::join(llvm::map_range(sizes,
                                    [](int64_t size) {
                                      return ShapedType::isDynamic(size)
                                                 ? std::string("?")
                                                 : std::to_string(size);
                                    }),
                    separator);
}

namespace {
/// Collects the nodes that locations name, each once, without constants.
class NodeCollector {
public:
  explicit NodeCollector(const NodeFinder &findNode) : findNode(findNode) {}

  void add(Location location) {
    auto fused = dyn_cast<FusedLoc>(location);
    if (fused && !fused.getMetadata()) {
      for (Location part : fused.getLocations())
        add(part);
      return;
    }
    std::optional<NodeName> node = findNode(location);
    if (!node || node->isConstant ||
        llvm::any_of(nodes, [&](const NodeName &known) {
          return known.name == node->name && known.opType == node->opType;
        }))
      return;
    nodes.push_back(std::move(*node));
  }
  void add(Operation *op) {
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (!inner->hasTrait<OpTrait::ConstantLike>())
        add(inner->getLoc());
    });
  }

  std::vector<NodeName> nodes;

private:
  const NodeFinder &findNode;
};
} // namespace

bool OptReport::isLoopNest(Operation *op) {
  return isa<linalg::LinalgOp>(op) ||
         (isa<DestinationStyleOpInterface>(op) &&
          isa_and_nonnull<kernel::KernelDialect>(op->getDialect()));
}

/// The loops of a structured op, or the shapes of what a kernel works on.
static std::string describeLoops(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured) {
    std::string text;
    for (Type type : op->getOperandTypes())
      if (auto shaped = dyn_cast<ShapedType>(type))
        text += (text.empty() ? "" : ", ") + joinSizes(shaped.getShape());
    return text;
  }
  SmallVector<int64_t> outer, sums;
  for (auto [size, kind] : llvm::zip(structured.getStaticLoopRanges(),
                                     structured.getIteratorTypesArray()))
    (kind == utils::IteratorType::reduction ? sums : outer).push_back(size);
  std::string text = outer.empty() ? "one element" : joinSizes(outer);
  if (!sums.empty())
    text += ", sums over " + joinSizes(sums);
  return text;
}

/// The attribute that onnxc-select-schedule left, as choices or as a reason.
static void readSchedule(Operation *op, OptReport::LoopNest &nest) {
  if (auto decision =
          op->getAttrOfType<kernel::ScheduleInterface>(program::schedule)) {
    decision.describe([&](StringRef what, const Twine &text) {
      nest.choices.emplace_back(what.str(), text.str());
    });
    if (op->hasAttr(program::tuned))
      nest.choices.emplace_back("tuned", "yes");
    return;
  }
  auto schedule = op->getAttrOfType<DictionaryAttr>(program::schedule);
  if (!schedule)
    return;
  if (auto reason = schedule.getAs<StringAttr>("reason")) {
    nest.isScalar = true;
    nest.reasons.push_back("stays a scalar loop: " + reason.str());
  }
  for (NamedAttribute entry : schedule) {
    StringRef name = entry.getName();
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    if (name == "vector" && numbers) {
      for (auto [loop, lanes] : llvm::enumerate(numbers.asArrayRef()))
        if (lanes > 0)
          nest.choices.emplace_back("vector", std::to_string(lanes) +
                                                  " lanes of loop " +
                                                  std::to_string(loop));
    } else if (name == "band") {
      if (auto steps = dyn_cast<IntegerAttr>(entry.getValue()))
        nest.choices.emplace_back("band", std::to_string(steps.getInt()) +
                                              " rows for all columns");
    } else if (name == "squares") {
      if (auto along = dyn_cast<IntegerAttr>(entry.getValue()))
        nest.choices.emplace_back("squares",
                                  "what lies along loop " +
                                      std::to_string(along.getInt()) +
                                      " is transposed in registers");
    } else if (name == "pack") {
      if (auto input = dyn_cast<IntegerAttr>(entry.getValue());
          input && input.getInt() >= 0)
        nest.choices.emplace_back("pack", "input " +
                                              std::to_string(input.getInt()) +
                                              " is copied tile by tile");
    } else if (name != "reason") {
      std::string text;
      llvm::raw_string_ostream os(text);
      if (numbers)
        os << joinSizes(numbers.asArrayRef(), name == "tile" ? " x " : ", ");
      else
        entry.getValue().print(os);
      nest.choices.emplace_back(name.str(), text);
    }
  }
}

/// What a kernel op says by its form.
static void readForm(Operation *op, OptReport::LoopNest &nest) {
  auto contraction = dyn_cast<kernel::KernelOpInterface>(op);
  if (!contraction)
    return;
  contraction.describe([&](StringRef what, const Twine &text) {
    nest.choices.emplace_back(what.str(), text.str());
  });
  size_t work =
      llvm::range_size(contraction.getEpilogue().front().without_terminator());
  nest.choices.emplace_back(
      "epilogue", contraction.hasTrivialEpilogue()
                      ? std::string("none")
                      : std::to_string(work) + " operations on the sums, " +
                            std::to_string(contraction.getExtras().size()) +
                            " more inputs");
}

/// The convolution whose result a depthwise one reads piece by piece, in one
/// loop with it (onnxc-fuse-depthwise).
static kernel::ConvOp findMaker(Operation *op) {
  auto conv = dyn_cast<kernel::ConvOp>(op);
  return conv && conv.isDepthwise() && op->getParentOfType<scf::ForallOp>()
             ? conv.getImage().getDefiningOp<kernel::ConvOp>()
             : kernel::ConvOp();
}

static void readPieces(Operation *op, OptReport::LoopNest &nest,
                       const NodeFinder &findNode) {
  kernel::ConvOp maker = findMaker(op);
  if (!maker)
    return;
  NodeCollector name(findNode);
  name.add(maker->getLoc());
  auto image = cast<ShapedType>(maker.getInit().getType());
  nest.choices.emplace_back(
      "pieces",
      std::to_string(maker.getFilters()) + " channels and " +
          std::to_string(image.getDimSize(2)) + " rows of the image" +
          (name.nodes.empty()
               ? std::string()
               : " that " + describeName(name.nodes.front()) + " makes") +
          ", one after the other");
}

/// Whether all loops are parallel: fusion looks at such ops.
static bool isElementwise(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         structured.getNumParallelLoops() == structured.getNumLoops();
}

/// Why the op that made `operand` is not part of `op`; empty where there is
/// nothing to fuse.
static std::string whyApart(Operation *op, Value operand,
                            const NodeFinder &findNode) {
  bool isReshaped = false;
  Value value = operand;
  while (Operation *view = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp>(view))
      break;
    if (!value.hasOneUse())
      break;
    isReshaped |= !isa<tensor::CastOp>(view);
    value = view->getOperand(0);
  }
  Operation *producer = value.getDefiningOp();
  if (!producer || !OptReport::isLoopNest(producer) ||
      isa<linalg::FillOp>(producer))
    return "";
  NodeCollector name(findNode);
  name.add(producer->getLoc());
  if (name.nodes.empty())
    return "";
  std::string text =
      "not fused with " + describeName(name.nodes.front()) + ": ";
  auto uses = std::distance(value.use_begin(), value.use_end());
  if (uses > 1)
    return text + "its result has " + std::to_string(uses) + " uses";
  if (isa<kernel::KernelOpInterface>(producer))
    return text + "the epilogue of that kernel cannot take it";
  if (!isElementwise(producer))
    return text + "its sums are complete only at its end";
  if (!isElementwise(op))
    return text + "it would be computed again in the inner loop";
  if (isReshaped)
    return text + "another shape is between them";
  return text + "it would be computed more than once";
}

OptReport::LoopNest OptReport::describe(Operation *op,
                                        const NodeFinder &findNode) {
  NodeCollector collector(findNode);
  collector.add(op);
  LoopNest nest;
  nest.nodes = std::move(collector.nodes);
  nest.operation = op->getName().getStringRef().str();
  nest.loops = describeLoops(op);
  readSchedule(op, nest);
  readForm(op, nest);
  readPieces(op, nest, findNode);
  for (OpOperand &operand : op->getOpOperands()) {
    auto written = cast<DestinationStyleOpInterface>(op);
    if (written.isDpsInit(&operand))
      continue;
    if (kernel::ConvOp maker = findMaker(op);
        maker && operand.get().getDefiningOp() == maker)
      continue;
    std::string why = whyApart(op, operand.get(), findNode);
    if (!why.empty() && !llvm::is_contained(nest.reasons, why))
      nest.reasons.push_back(std::move(why));
  }
  return nest;
}

void OptReport::addSchedule(ModuleOp module, const NodeFinder &findNode) {
  module.walk([&](Operation *op) {
    if (!isLoopNest(op))
      return;
    nests.push_back(describe(op, findNode));
  });
}

bool OptReport::addRemark(Location location, StringRef text,
                          const NodeFinder &findNode) {
  NodeCollector collector(findNode);
  collector.add(location);
  if (collector.nodes.empty())
    return false;
  const NodeName &node = collector.nodes.front();
  const bool isChoice = text.consume_front("threads: ");
  // A node may have several nests, and each of them a remark, in the order of
  // the program. Those that share a function with another have none.
  LoopNest *place = nullptr;
  for (LoopNest &nest : nests) {
    if (nest.nodes.empty() || nest.nodes.front().name != node.name ||
        nest.nodes.front().opType != node.opType)
      continue;
    // Said already by the schedule.
    if (llvm::is_contained(nest.reasons, text))
      return true;
    if (!place ||
        (!place->choices.empty() && place->choices.back().first == "threads"))
      place = &nest;
  }
  if (!place) {
    nests.emplace_back();
    place = &nests.back();
    place->nodes = {node};
    place->operation = "made later";
  }
  if (isChoice)
    place->choices.emplace_back("threads", text.str());
  else
    place->reasons.push_back(text.str());
  return true;
}

void OptReport::printText(llvm::raw_ostream &os) const {
  size_t scalar = 0, fused = 0;
  for (const LoopNest &nest : nests) {
    scalar += nest.isScalar;
    fused += nest.nodes.size() > 1 ? nest.nodes.size() - 1 : 0;
    if (nest.nodes.empty())
      os << "(for no node)";
    for (auto [i, node] : llvm::enumerate(nest.nodes))
      os << (i ? " + " : "") << describeName(node);
    os << "\n  " << nest.operation;
    if (!nest.loops.empty())
      os << ": " << nest.loops;
    os << "\n";
    for (const auto &[name, text] : nest.choices)
      os << "  " << name << ": " << text << "\n";
    for (const std::string &reason : nest.reasons)
      os << "  - " << reason << "\n";
  }
  os << nests.size() << " loop nests, " << scalar << " of them scalar loops; "
     << fused << " nodes fused into others\n";
}

void OptReport::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream out(os, 2);
  out.array([&] {
    for (const LoopNest &nest : nests)
      out.object([&] {
        out.attributeArray("nodes", [&] {
          for (const NodeName &node : nest.nodes)
            out.object([&] {
              out.attribute("name", node.name);
              out.attribute("op", node.opType);
            });
        });
        out.attribute("operation", nest.operation);
        out.attribute("loops", nest.loops);
        out.attribute("scalar", nest.isScalar);
        out.attributeObject("choices", [&] {
          for (const auto &choice : nest.choices)
            out.attribute(choice.first, choice.second);
        });
        out.attributeArray("reasons", [&] {
          for (const std::string &reason : nest.reasons)
            out.value(reason);
        });
      });
  });
  os << "\n";
}
