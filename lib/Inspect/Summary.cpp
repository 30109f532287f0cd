//===- Summary.cpp - What is in a model -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/Summary.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

void TensorTotal::add(int64_t numElements, int64_t numBytes) {
  ++tensors;
  elements += numElements;
  bytes += numBytes;
}

void TensorTotal::add(const TensorTotal &other) {
  tensors += other.tensors;
  elements += other.elements;
  bytes += other.bytes;
}

TensorTotal ModelSummary::getTotalParameters() const {
  TensorTotal sum;
  for (const auto &[type, total] : parameters)
    sum.add(total);
  return sum;
}

/// "float" for what ONNX calls tensor(float).
static std::string getElementName(Type elementType) {
  std::string name = getOnnxTypeName(RankedTensorType::get({}, elementType));
  StringRef text = name;
  text.consume_front("tensor(");
  text.consume_back(")");
  return text.str();
}

/// As ONNX stores them: bool in a byte, numbers of 4 bits two to a byte.
static int64_t countBytes(ShapedType type) {
  Type element = type.getElementType();
  int64_t bits = 0;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isInteger(1))
    bits = 8;
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

namespace {

class Reader {
public:
  explicit Reader(ModuleOp module) : module(module) {}

  ModelSummary read() {
    readHeader();
    for (auto function : module.getOps<func::FuncOp>())
      functions[function.getSymName()] = function;
    for (auto function : module.getOps<func::FuncOp>())
      readFunction(function);
    if (auto kept = module->getAttrOfType<ArrayAttr>(model::functions))
      for (auto description : kept.getAsRange<DictionaryAttr>())
        readModelFunction(description);
    return std::move(summary);
  }

private:
  static std::string getText(DictionaryAttr attributes, StringRef name) {
    auto text = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
    return text ? text.getValue().str() : "";
  }

  void readHeader() {
    DictionaryAttr attributes = module->getAttrDictionary();
    summary.graphName = getText(attributes, model::modelName);
    summary.producer = getText(attributes, model::producerName);
    summary.producerVersion = getText(attributes, model::producerVersion);
    summary.domain = getText(attributes, model::domain);
    summary.doc = getText(attributes, model::doc);
    if (auto version = attributes.getAs<IntegerAttr>(model::irVersion))
      summary.irVersion = version.getInt();
    if (auto version = attributes.getAs<IntegerAttr>(model::modelVersion))
      summary.modelVersion = version.getInt();
    if (auto opsets = attributes.getAs<DictionaryAttr>(model::opsetImports))
      for (NamedAttribute opset : opsets)
        summary.opsets.emplace_back(
            opset.getName().str(),
            cast<IntegerAttr>(opset.getValue()).getInt());
    if (auto entries = attributes.getAs<ArrayAttr>(model::metadataProps))
      for (auto entry : entries.getAsRange<ArrayAttr>())
        summary.metadata.emplace_back(cast<StringAttr>(entry[0]).str(),
                                      cast<StringAttr>(entry[1]).str());
    if (auto training = attributes.getAs<ArrayAttr>(model::trainingInfo))
      summary.trainingInfos = static_cast<int64_t>(training.size());
    if (auto files = attributes.getAs<ArrayAttr>(model::externalFiles))
      for (auto file : files.getAsRange<StringAttr>())
        summary.externalFiles[file.str()];
  }

  void readFunction(func::FuncOp function) {
    auto description = function->getAttrOfType<DictionaryAttr>(model::function);
    // A function is read once for each kind of call.
    if (description && !seen.insert(getFunctionName(description)).second)
      return;
    int64_t before = summary.numNodes;
    function.walk([&](Operation *op) {
      readNode(op, static_cast<bool>(description),
               op->getParentOp() != function);
    });
    if (description)
      bodies[getFunctionName(description)] = summary.numNodes - before;
    else if (function->hasAttr(model::entry))
      readEntry(function);
  }

  /// Domain, name and overload, which have no NUL.
  static std::string getFunctionName(DictionaryAttr description) {
    return getText(description, "domain") + '\0' +
           getText(description, "name") + '\0' +
           getText(description, "overload");
  }

  void readModelFunction(DictionaryAttr description) {
    std::string name = getFunctionName(description);
    summary.functions.push_back(
        {getText(description, "domain"), getText(description, "name"),
         getText(description, "overload"), calls[name], bodies[name]});
  }

  void readEntry(func::FuncOp entry) {
    for (BlockArgument argument : entry.getArguments())
      summary.inputs.push_back(describe(
          argument.getType(), entry.getArgAttrDict(argument.getArgNumber())));
    for (unsigned i = 0; i < entry.getNumResults(); ++i) {
      DictionaryAttr attributes = entry.getResultAttrDict(i);
      auto declared =
          attributes ? attributes.getAs<TypeAttr>(model::type) : TypeAttr();
      summary.outputs.push_back(
          describe(declared ? declared.getValue() : entry.getResultTypes()[i],
                   attributes));
    }
    auto graph = entry->getAttrOfType<DictionaryAttr>(model::graph);
    if (!graph)
      return;
    if (auto inputs = graph.getAs<ArrayAttr>("defaulted_inputs"))
      for (auto input : inputs.getAsRange<DictionaryAttr>())
        summary.defaultedInputs.push_back(getText(input, "name"));
    if (auto annotations = graph.getAs<ArrayAttr>("quantization"))
      summary.quantizationAnnotations =
          static_cast<int64_t>(annotations.size());
  }

  ModelSummary::Value describe(Type type, DictionaryAttr attributes) {
    ModelSummary::Value value{getText(attributes, model::name),
                              getOnnxTypeName(type), std::nullopt};
    auto names = attributes ? attributes.getAs<ArrayAttr>(model::dimParams)
                            : ArrayAttr();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return value;
    value.shape.emplace();
    for (auto [index, size] : llvm::enumerate(tensor.getShape())) {
      StringRef name = names && index < names.size()
                           ? cast<StringAttr>(names[index]).getValue()
                           : StringRef();
      bool isOpen = ShapedType::isDynamic(size);
      value.shape->push_back(!isOpen        ? std::to_string(size)
                             : name.empty() ? "?"
                                            : name.str());
      if (isOpen && !name.empty())
        summary.dims[name.str()].push_back(value.name + "[" +
                                           std::to_string(index) + "]");
    }
    return value;
  }

  void readNode(Operation *op, bool inFunction, bool inSubgraph) {
    SourceAttr source = getSource(op->getLoc());
    std::string domain, name;
    if (auto node = dyn_cast<NodeOp>(op)) {
      domain = node.getDomain().str();
      name = node.getOpType().str();
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      func::FuncOp callee = functions.lookup(call.getCallee());
      auto description =
          callee ? callee->getAttrOfType<DictionaryAttr>(model::function)
                 : DictionaryAttr();
      domain = getText(description, "domain");
      name = getText(description, "name");
      if (description)
        ++calls[getFunctionName(description)];
    } else if (auto schema = dyn_cast<SchemaOpInterface>(op)) {
      bool isInitializer = source && source.getOp() == "Initializer";
      if (auto constant = dyn_cast<ConstantOp>(op))
        readTensor(constant, source, isInitializer);
      if (isInitializer)
        return;
      domain = schema.getOnnxDomain().str();
      name = schema.getOnnxName().str();
    } else {
      return;
    }
    ModelSummary::OpCount &count = summary.operators[{domain, name}];
    ++count.count;
    count.inSubgraphs += inSubgraph;
    count.inFunctions += inFunction;
    ++summary.numNodes;
    StringRef text = name;
    if (text.contains_insensitive("quantize") || text.starts_with("QLinear") ||
        text.ends_with("Integer") || text.ends_with("NBits") ||
        text.starts_with("QGemm") || text.contains("IntegerToFloat"))
      ++summary.quantized[name];
  }

  void readTensor(ConstantOp constant, SourceAttr source, bool isInitializer) {
    auto elements = dyn_cast_or_null<ElementsAttr>(constant->getAttr("value"));
    auto sparse =
        constant->getAttrOfType<onnxc::SparseElementsAttr>("sparse_value");
    ElementsAttr stored = sparse ? sparse.getValues() : elements;
    if (!stored)
      return;
    auto &totals = isInitializer ? summary.parameters : summary.constants;
    totals[getElementName(stored.getElementType())].add(
        stored.getNumElements(), countBytes(stored.getShapedType()));
    if (!source || !source.getMetadata())
      return;
    auto external = source.getMetadata().getAs<ArrayAttr>("external_data");
    if (!external)
      return;
    for (auto entry : external.getAsRange<ArrayAttr>()) {
      if (cast<StringAttr>(entry[0]) != "location")
        continue;
      auto &file = summary.externalFiles[cast<StringAttr>(entry[1]).str()];
      ++file.tensors;
      auto resource = dyn_cast<DenseResourceElementsAttr>(stored);
      file.isMissing |= resource && !resource.getRawHandle().getBlob();
    }
  }

  ModuleOp module;
  ModelSummary summary;
  llvm::StringMap<func::FuncOp> functions;
  std::set<std::string> seen;
  std::map<std::string, int64_t> calls, bodies;
};

} // namespace

ModelSummary onnxc::summarize(ModuleOp imported) {
  return Reader(imported).read();
}

/// The sizes as they are now, given or computed.
static void describeShape(const ModelShapes &shapes, Value value,
                          ModelSummary::Value &described) {
  described.type = getOnnxTypeName(value.getType());
  std::optional<ArrayRef<Size>> shape = shapes.getShape(value);
  if (!shape)
    return;
  std::vector<std::string> texts;
  for (const Size &size : *shape)
    texts.push_back(size.print());
  described.shape = std::move(texts);
}

void onnxc::addInferred(ModelSummary &summary, ModuleOp inferred) {
  ModelShapes shapes(inferred);
  summary.cost =
      countCost(inferred, shapes, [&](Operation *op, const Cost &cost) {
        std::string name;
        if (auto node = dyn_cast<NodeOp>(op))
          name = (node.getDomain() + "." + node.getOpType()).str();
        else if (auto schema = dyn_cast<SchemaOpInterface>(op))
          name =
              ((schema.getOnnxDomain().empty() ? ""
                                               : schema.getOnnxDomain() + ".") +
               schema.getOnnxName())
                  .str();
        summary.opCosts[name].add(cost);
      });
  for (auto entry : inferred.getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entry) || entry.isExternal())
      continue;
    for (auto [value, described] :
         llvm::zip(entry.getArguments(), summary.inputs))
      describeShape(shapes, value, described);
    for (auto [value, described] : llvm::zip(
             entry.front().getTerminator()->getOperands(), summary.outputs))
      describeShape(shapes, value, described);
  }
  summary.openSizes = shapes.getOpenSizes();
}
