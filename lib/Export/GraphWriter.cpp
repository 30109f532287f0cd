//===- GraphWriter.cpp - Graphs and their initializers --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

/// Before opset 9 the operator Constant gave numbers with a point only.
static bool canBeNode(ConstantOp constant, const Opsets &opsets) {
  auto opset = opsets.find("");
  if (opset == opsets.end() || opset->second >= 9)
    return true;
  auto type = dyn_cast<ShapedType>(constant.getOutput().getType());
  return type &&
         (type.getElementType().isF16() || type.getElementType().isF32() ||
          type.getElementType().isF64());
}

/// The order of what was not an initializer of the file.
static constexpr unsigned kNoOrder = ~0u;

/// Where it stood among the initializers of the file; new ones come last.
static unsigned getInitializerOrder(Location loc) {
  unsigned order = kNoOrder;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto source = fused ? dyn_cast_or_null<SourceAttr>(fused.getMetadata())
                        : SourceAttr();
    if (!source)
      return WalkResult::advance();
    auto position = dyn_cast<FileLineColLoc>(fused.getLocations().front());
    if (source.getOp() == "Initializer" && position && position.getColumn())
      order = position.getColumn();
    return WalkResult::interrupt();
  });
  return order;
}

/// Whether the block returns the value and has other uses for it, too. The
/// shape inference of onnx (1.23) gives an initializer the type that is
/// declared of the output: with open sizes, it takes the initializer's elements
/// for none, and refuses what uses them as a shape.
static bool isReturnedAndUsed(Value value) {
  return !value.hasOneUse() &&
         llvm::any_of(value.getUsers(), [](Operation *user) {
           return user->hasTrait<OpTrait::IsTerminator>();
         });
}

/// A constant that came from the model stays what it was there; a new one
/// becomes an initializer, if that needs no new input or nothing else can be.
bool Exporter::isInitializer(Operation *op, const Body &body) {
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant || !body.graph ||
      !(constant.getValueAttr() || constant.getSparseValueAttr()))
    return false;
  SourceAttr source = getSource(op->getLoc());
  StringRef from = source ? source.getOp().getValue() : StringRef();
  // Of the file, and a result there as well.
  bool isOfFile = from == "Initializer" &&
                  getInitializerOrder(op->getLoc()) != kNoOrder &&
                  source.getName() == names.get(constant.getOutput());
  if (!isOfFile && isReturnedAndUsed(constant.getOutput()) &&
      canBeNode(constant, body.opsets))
    return false;
  if (from == "Initializer")
    return true;
  bool isNew =
      op->hasAttr(model::initializer) || from != ConstantOp::getOnnxName();
  return isNew && (irVersion >= 4 ||
                   (body.isEntry && !canBeNode(constant, body.opsets)));
}

/// Whether `header` still is of `value`. One with elements must be of the very
/// value that was imported.
template <typename Proto, typename Value>
static bool isKept(const Proto &header, Value value, DictionaryAttr metadata) {
  return isHeaderOf(header, value) &&
         (!hasElements(header) || metadata.get("value") == value);
}

static onnx::TensorProto readHeader(SourceAttr source, ElementsAttr value,
                                    StringRef name) {
  onnx::TensorProto header = makeTensorHeader(value, name);
  DictionaryAttr metadata = source ? source.getMetadata() : DictionaryAttr();
  if (!metadata || source.getOp() != "Initializer")
    return header;
  if (auto kept = metadata.getAs<StringAttr>("header")) {
    onnx::TensorProto original;
    StringRef bytes = kept.getValue();
    if (original.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
        isKept(original, value, metadata))
      header = std::move(original);
  }
  // What is in the other file is the value that was imported.
  if (header.data_location() == onnx::TensorProto::EXTERNAL &&
      metadata.get("value") != value) {
    header.clear_data_location();
    header.clear_external_data();
    header.set_raw_data("");
  }
  header.set_name(name.str());
  return header;
}

void Exporter::addInitializer(StringRef name, ElementsAttr value,
                              SourceAttr source, Body &body) {
  *body.graph->add_initializer() = readHeader(source, value, name);
}

LogicalResult Exporter::writeInitializer(Operation *op, Body &body) {
  auto constant = cast<ConstantOp>(op);
  SourceAttr source = getSource(op->getLoc());
  StringRef name = names.get(constant.getOutput());
  if (ElementsAttr value = constant.getValueAttr()) {
    addInitializer(name, value, source, body);
    if (irVersion < 4 && !(source && source.getOp() == "Initializer"))
      hasNewInitializers = true;
    if (body.isEntry) {
      weights.push_back(value);
      return success();
    }
    int last = body.graph->initializer_size() - 1;
    return fillTensor(value, *body.graph->mutable_initializer(last));
  }
  onnxc::SparseElementsAttr value = constant.getSparseValueAttr();
  onnx::SparseTensorProto &tensor = *body.graph->add_sparse_initializer();
  tensor = makeSparseHeader(value, name);
  DictionaryAttr metadata = source ? source.getMetadata() : DictionaryAttr();
  auto kept = metadata ? metadata.getAs<StringAttr>("header") : StringAttr();
  if (kept && source.getOp() == "Initializer") {
    onnx::SparseTensorProto original;
    if (original.ParseFromArray(kept.data(), static_cast<int>(kept.size())) &&
        isKept(original, value, metadata))
      tensor = std::move(original);
    tensor.mutable_values()->set_name(name.str());
  }
  return fillSparse(value, tensor);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void Exporter::describeGraph(DictionaryAttr description, const Scope &scope,
                             onnx::GraphProto &graph) {
  if (!description)
    return;
  if (auto name = description.getAs<StringAttr>("name"))
    graph.set_name(name.str());
  if (auto doc = description.getAs<StringAttr>("doc"))
    graph.set_doc_string(doc.str());
  writeEntries(description.get("metadata"), *graph.mutable_metadata_props());
  if (auto infos = description.getAs<ArrayAttr>("value_info"))
    for (auto info : infos.getAsRange<DictionaryAttr>()) {
      auto name = info.getAs<StringAttr>("name");
      auto type = info.getAs<TypeAttr>("type");
      if (!name || !type)
        continue;
      auto defined = scope.names.find(name);
      if (defined == scope.names.end()
              ? !info.get("stray")
              : defined->second.value &&
                    !joinTypes(type.getValue(),
                               defined->second.value.getType()))
        continue;
      (void)writeValueInfo(info, "", type.getValue(), *graph.add_value_info());
    }
  if (auto annotations = description.getAs<ArrayAttr>("quantization"))
    for (auto annotation : annotations.getAsRange<ArrayAttr>()) {
      auto name = cast<StringAttr>(annotation[0]);
      if (annotation.size() == 2 && !scope.names.contains(name.getValue()))
        continue;
      onnx::TensorAnnotation &written = *graph.add_quantization_annotation();
      written.set_tensor_name(name.str());
      writeEntries(annotation[1],
                   *written.mutable_quant_parameter_tensor_names());
    }
  setExplicitDefaults(description.get("explicit"), graph);
  setUnknownFields(description.get("unknown_fields"), graph);
}

LogicalResult Exporter::writeBlock(Block &block, Scope &scope,
                                   ArrayRef<Copy> copies, Body &body) {
  SmallVector<std::pair<unsigned, Value>> ordered;
  // Inputs of the entry that an initializer gives a default.
  if (body.isEntry)
    for (BlockArgument argument : block.getArguments())
      if (entry.getArgAttr(argument.getArgNumber(), model::defaultValue))
        ordered.emplace_back(getInitializerOrder(argument.getLoc()), argument);
  for (Operation &op : block.without_terminator())
    if (isInitializer(&op, body))
      ordered.emplace_back(getInitializerOrder(op.getLoc()), op.getResult(0));
  llvm::stable_sort(ordered, llvm::less_first());
  for (auto [order, value] : ordered) {
    if (Operation *op = value.getDefiningOp()) {
      if (failed(writeInitializer(op, body)))
        return op->emitError("the elements cannot be read");
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    auto elements = dyn_cast<ElementsAttr>(
        entry.getArgAttr(argument.getArgNumber(), model::defaultValue));
    if (!elements)
      return entry.emitError() << "the default of input '"
                               << names.get(argument) << "' is not a tensor";
    addInitializer(names.get(argument), elements, getSource(argument.getLoc()),
                   body);
    weights.push_back(elements);
  }

  for (Operation &op : block.without_terminator()) {
    if (isa<NoneOp>(op) || isInitializer(&op, body))
      continue;
    if (failed(writeNode(&op, scope, body)))
      return failure();
  }
  for (const Copy &copy : copies) {
    onnx::NodeProto &node = *body.nodes.Add();
    node.add_input(names.get(copy.value).str());
    node.add_output(copy.name.str());
    node.set_op_type(IdentityOp::getOnnxName().str());
  }
  return success();
}

static StringRef getNameAt(ArrayAttr infos, unsigned index) {
  auto info = infos && index < infos.size()
                  ? dyn_cast<DictionaryAttr>(infos[index])
                  : DictionaryAttr();
  auto name = info ? info.getAs<StringAttr>("name") : StringAttr();
  return name ? name.getValue() : StringRef();
}

LogicalResult Exporter::writeSubgraph(Operation *op, Region &region,
                                      const Scope &outer, const Body &body,
                                      onnx::GraphProto &graph) {
  if (!region.hasOneBlock())
    return op->emitError("a subgraph must have one block to be written");
  Block &block = region.front();
  Operation *terminator = block.getTerminator();
  auto description = terminator->getAttrOfType<DictionaryAttr>(model::graph);
  // A list of another length is of another state of the graph.
  auto getInfos = [&](StringRef name, size_t size) {
    auto infos = description ? description.getAs<ArrayAttr>(name) : ArrayAttr();
    return infos && infos.size() == size ? infos : ArrayAttr();
  };
  ArrayAttr inputInfos = getInfos("inputs", block.getNumArguments());
  ArrayAttr outputInfos = getInfos("outputs", terminator->getNumOperands());
  SmallVector<StringRef> inputs, outputs;
  for (BlockArgument argument : block.getArguments()) {
    StringRef name = getNameAt(inputInfos, argument.getArgNumber());
    if (auto loc = dyn_cast<NameLoc>(argument.getLoc()); loc && name.empty())
      name = loc.getName();
    inputs.push_back(name);
  }
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i)
    outputs.push_back(getNameAt(outputInfos, i));

  Scope scope{&outer, op};
  SmallVector<Copy> copies = names.nameBlock(block, inputs, outputs, scope);
  Body inner{body.opsets, *graph.mutable_node(), &graph};
  if (failed(writeBlock(block, scope, copies, inner)))
    return failure();

  auto writeInfo = [&](ArrayAttr infos, unsigned index, StringRef name,
                       Type type, onnx::ValueInfoProto &proto) {
    auto info = infos ? cast<DictionaryAttr>(infos[index]) : DictionaryAttr();
    auto declared = info ? info.getAs<TypeAttr>("type") : TypeAttr();
    LogicalResult written =
        writeValueInfo(info, "", declared ? declared.getValue() : type, proto);
    proto.set_name(name.str());
    if (succeeded(written))
      return success();
    op->emitError() << "value '" << name << "' of the subgraph has the type "
                    << type << ", which is not a type of ONNX";
    return failure();
  };
  for (BlockArgument argument : block.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (failed(writeInfo(inputInfos, index, inputs[index], argument.getType(),
                         *graph.add_input())))
      return failure();
  }
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (failed(writeInfo(outputInfos, index, outputs[index], value.getType(),
                         *graph.add_output())))
      return failure();
  describeGraph(description, scope, graph);
  if (!graph.has_name() && !description)
    graph.set_name("graph");
  return success();
}
