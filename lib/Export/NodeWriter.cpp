//===- NodeWriter.cpp - Ops as nodes --------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;

/// What an op is as a node.
struct Exporter::NodeForm {
  std::string type, domain, overload;
  SmallVector<NamedAttribute> attributes;
  SmallVector<std::pair<std::string, Region *>> graphs;
  Items inputs, outputs;
};

//===----------------------------------------------------------------------===//
// Ops of each kind
//===----------------------------------------------------------------------===//

/// Whether the model's opset has the op in the form that it has here.
LogicalResult Exporter::checkVersion(Operation *op, const Body &body) {
  auto schema = cast<SchemaOpInterface>(op);
  StringRef domain = schema.getOnnxDomain();
  auto opset = body.opsets.find(domain.str());
  StringRef shown = domain.empty() ? "ai.onnx" : domain;
  if (opset == body.opsets.end())
    return op->emitError() << "is of domain '" << shown
                           << "', which the model does not import";
  ArrayRef<int> versions = schema.getSchemaVersions();
  const OperatorHistory *history = schemas.lookup(domain, schema.getOnnxName());
  std::optional<int> version = history->getVersionAt(opset->second);
  if (version && llvm::is_contained(versions, *version))
    return success();
  InFlightDiagnostic error = op->emitError()
                             << schema.getOnnxName() << " has no such form at "
                             << "opset " << opset->second << " of domain '"
                             << shown << "'";
  if (version)
    error << ": the one in force is that of version " << *version
          << ", this is that of version " << versions.front();
  else
    error << ": it exists from opset " << history->versions.begin()->first
          << " on";
  return error;
}

static bool isSegmentSizes(StringRef name) {
  return name == "operandSegmentSizes" || name == "resultSegmentSizes";
}

LogicalResult Exporter::describeOperation(Operation *op, const Body &body,
                                          NodeForm &form) {
  form.inputs = getOperandItems(op);
  form.outputs = getResultItems(op);
  if (auto node = dyn_cast<NodeOp>(op)) {
    form.type = node.getOpType().str();
    form.domain = node.getDomain().str();
    llvm::append_range(form.attributes, node.getOnnxAttributes());
    for (auto [name, region] :
         llvm::zip_equal(node.getRegionNames().getAsValueRange<StringAttr>(),
                         node.getGraphs()))
      form.graphs.emplace_back(name.str(), &region);
    return success();
  }
  auto schema = dyn_cast<SchemaOpInterface>(op);
  if (!schema)
    return op->emitError()
           << "operation '" << op->getName()
           << "' is not an ONNX operator: only modules of the onnx "
              "dialect can be written as models";
  if (failed(checkVersion(op, body)))
    return failure();
  form.type = schema.getOnnxName().str();
  form.domain = schema.getOnnxDomain().str();
  // Others are notes of passes, but for what lift_lexical_references adds.
  ArrayRef<StringAttr> names = op->getRegisteredInfo()->getAttributeNames();
  for (NamedAttribute attribute : op->getAttrDictionary())
    if ((llvm::is_contained(names, attribute.getName()) &&
         !isSegmentSizes(attribute.getName())) ||
        attribute.getName() == "__control_inputs")
      form.attributes.push_back(attribute);
  for (auto [name, region] :
       llvm::zip(schema.getRegionNames(), op->getRegions()))
    if (!region.empty())
      form.graphs.emplace_back(name.str(), &region);
  return success();
}

LogicalResult Exporter::describeCall(func::CallOp call, NodeForm &form) {
  auto func = module.lookupSymbol<func::FuncOp>(call.getCallee());
  auto found = callees.find(func);
  if (found == callees.end())
    return call.emitError() << "calls '" << call.getCallee()
                            << "', which is not a function of the model";
  const Callee &callee = found->second;
  form.type = callee.name;
  form.domain = callee.domain;
  form.overload = callee.overload;
  form.outputs = getResultItems(call);
  // Arguments that calls leave out are not passed to the function.
  unsigned next = 0;
  for (const std::string &input : callee.inputs) {
    auto name = next < func.getNumArguments()
                    ? func.getArgAttrOfType<StringAttr>(next, model::name)
                    : StringAttr();
    bool isHere =
        next < call.getNumOperands() && (!name || name.getValue() == input);
    form.inputs.push_back(isHere ? std::optional<unsigned>(next++)
                                 : std::nullopt);
  }
  while (!form.inputs.empty() && !form.inputs.back())
    form.inputs.pop_back();
  // The others are the function's defaults.
  SourceAttr source = getSource(call.getLoc());
  if (callee.attributes)
    for (NamedAttribute attribute : callee.attributes)
      if (!source || (source.getAttributes() &&
                      llvm::is_contained(source.getAttributes().getValue(),
                                         Attribute(attribute.getName()))))
        form.attributes.push_back(attribute);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The AttributeProto that the model had, if it was kept and `value` is still
/// what it was read as.
static bool readKept(Attribute kept, Attribute value,
                     onnx::AttributeProto &proto) {
  auto parts = dyn_cast_or_null<ArrayAttr>(kept);
  if (!parts || parts.empty() ||
      (parts.size() == 1 ? value != nullptr : parts[0] != value))
    return false;
  StringRef bytes = cast<StringAttr>(parts[parts.size() - 1]).getValue();
  return proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

LogicalResult Exporter::writeAttributes(Operation *op, const NodeForm &form,
                                        SourceAttr source, const Scope &scope,
                                        const Body &body,
                                        onnx::NodeProto &node) {
  DictionaryAttr metadata = source ? source.getMetadata() : DictionaryAttr();
  auto forms = metadata ? metadata.getAs<DictionaryAttr>("attributes")
                        : DictionaryAttr();
  auto getKept = [&](StringRef name) {
    return forms ? forms.get(name) : Attribute();
  };
  auto writeValue = [&](NamedAttribute attribute) -> LogicalResult {
    onnx::AttributeProto &proto = *node.add_attribute();
    StringRef name = attribute.getName();
    Attribute value = attribute.getValue();
    if (!readKept(getKept(name), value, proto)) {
      proto.Clear();
      if (failed(writeAttribute(name, value, proto)))
        return op->emitError()
               << "attribute '" << name << "' is of no type that ONNX has";
    }
    if (failed(fillAttribute(value, proto)))
      return op->emitError()
             << "the elements of attribute '" << name << "' cannot be read";
    return success();
  };
  auto writeGraph = [&](StringRef name, Region &region) -> LogicalResult {
    // A list of graphs: "name[0]", "name[1]", ...
    size_t bracket = name.ends_with("]") ? name.rfind('[') : StringRef::npos;
    bool isList = bracket != StringRef::npos;
    StringRef plain = name.take_front(bracket);
    onnx::AttributeProto *proto = nullptr;
    if (isList && node.attribute_size() &&
        node.attribute(node.attribute_size() - 1).name() == plain)
      proto = node.mutable_attribute(node.attribute_size() - 1);
    if (!proto) {
      proto = node.add_attribute();
      if (!readKept(getKept(plain), nullptr, *proto)) {
        proto->set_name(plain.str());
        proto->set_type(isList ? onnx::AttributeProto::GRAPHS
                               : onnx::AttributeProto::GRAPH);
      }
    }
    return writeSubgraph(op, region, scope, body,
                         isList ? *proto->add_graphs() : *proto->mutable_g());
  };
  auto isNamed = [](StringRef graph, StringRef name) {
    return graph == name || (graph.starts_with(name) &&
                             graph.drop_front(name.size()).starts_with("["));
  };

  // In the order of the file; what it did not have comes after that.
  llvm::SmallDenseSet<StringRef, 8> written;
  if (source && source.getAttributes())
    for (StringRef name :
         source.getAttributes().getAsValueRange<StringAttr>()) {
      for (NamedAttribute attribute : form.attributes)
        if (attribute.getName() == name) {
          written.insert(attribute.getName());
          if (failed(writeValue(attribute)))
            return failure();
        }
      for (const auto &[graph, region] : form.graphs)
        if (isNamed(graph, name)) {
          written.insert(graph);
          if (failed(writeGraph(graph, *region)))
            return failure();
        }
    }
  for (NamedAttribute attribute : form.attributes)
    if (!written.contains(attribute.getName()) && failed(writeValue(attribute)))
      return failure();
  for (const auto &[graph, region] : form.graphs)
    if (!written.contains(graph) && failed(writeGraph(graph, *region)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult Exporter::writeNode(Operation *op, const Scope &scope,
                                  Body &body) {
  NodeForm form;
  auto call = dyn_cast<func::CallOp>(op);
  if (failed(call ? describeCall(call, form)
                  : describeOperation(op, body, form)))
    return failure();
  SourceAttr source = getSource(op->getLoc());
  // Whether it is the operator that the source says, and not what a pass made
  // of that.
  bool isSame = source && source.getOp() == form.type;
  DictionaryAttr metadata = source && source.getMetadata()
                                ? source.getMetadata()
                                : DictionaryAttr::get(context);

  onnx::NodeProto &node = *body.nodes.Add();
  for (std::optional<unsigned> item : form.inputs)
    node.add_input(item ? names.get(op->getOperand(*item)).str()
                        : std::string());
  for (std::optional<unsigned> item : form.outputs)
    node.add_output(item ? names.get(op->getResult(*item)).str()
                         : std::string());
  int numOutputs = 1;
  if (isSame) {
    numOutputs =
        source.getOutputs() ? static_cast<int>(source.getOutputs().size()) : 0;
    if (auto count = metadata.getAs<IntegerAttr>("inputs"))
      while (node.input_size() < count.getInt())
        node.add_input();
  }
  while (node.output_size() > numOutputs &&
         node.output(node.output_size() - 1).empty())
    node.mutable_output()->RemoveLast();
  while (isSame && node.output_size() < numOutputs)
    node.add_output();

  if (StringRef name = names.getNode(op); !name.empty())
    node.set_name(name.str());
  node.set_op_type(form.type);
  if (!form.overload.empty())
    node.set_overload(form.overload);
  if (!form.domain.empty())
    node.set_domain(form.domain);
  if (source && source.getDoc())
    node.set_doc_string(source.getDoc().str());
  writeEntries(metadata.get("metadata_props"), *node.mutable_metadata_props());
  if (auto configurations = metadata.getAs<ArrayAttr>("device_configurations"))
    for (StringRef bytes : configurations.getAsValueRange<StringAttr>())
      node.add_device_configurations()->ParseFromArray(
          bytes.data(), static_cast<int>(bytes.size()));
  if (isSame) {
    if (auto domain = metadata.getAs<StringAttr>("domain");
        domain && form.domain.empty())
      node.set_domain(domain.str());
    setExplicitDefaults(metadata.get("explicit"), node);
    setUnknownFields(metadata.get("unknown_fields"), node);
  }
  return writeAttributes(op, form, isSame ? source : SourceAttr(), scope, body,
                         node);
}
