//===- FunctionWriter.cpp - Model functions -------------------------------===//
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

static std::string getText(DictionaryAttr attributes, StringRef name) {
  auto text = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
  return text ? text.str() : std::string();
}

/// The functions as the model had them.
LogicalResult Exporter::readModelFunctions() {
  auto kept = module->getAttrOfType<ArrayAttr>(model::functions);
  if (!kept)
    return success();
  for (auto description : kept.getAsRange<DictionaryAttr>()) {
    std::string bytes = getText(description, "proto");
    ModelFunction &function = functions[getFunctionKey(
        getText(description, "domain"), getText(description, "name"),
        getText(description, "overload"))];
    if (!function.proto.ParseFromString(bytes))
      return emitError(module.getLoc())
             << model::functions << ": '" << getText(description, "name")
             << "' is not a FunctionProto";
    function.wasUsed = static_cast<bool>(description.get("used"));
  }
  return success();
}

/// What nodes, and graphs in them, call.
template <typename Visit>
static void visitCalls(const Repeated<onnx::NodeProto> &nodes,
                       const Visit &visit) {
  for (const onnx::NodeProto &node : nodes) {
    visit(getFunctionKey(node.domain(), node.op_type(), node.overload()));
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        visitCalls(attribute.g().node(), visit);
      for (const onnx::GraphProto &graph : attribute.graphs())
        visitCalls(graph.node(), visit);
    }
  }
}

/// The function of the model that `func` was read from.
static std::string getModelKey(func::FuncOp func) {
  auto description = func->getAttrOfType<DictionaryAttr>(model::function);
  return getFunctionKey(getText(description, "domain"),
                        getText(description, "name"),
                        getText(description, "overload"));
}

/// The functions that are called, from the entry on: those that are written as
/// the model has them, and those that have changed.
LogicalResult Exporter::findCalled(SmallVectorImpl<func::FuncOp> &verbatim,
                                   SmallVectorImpl<func::FuncOp> &changed) {
  llvm::DenseSet<Operation *> seen = {entry};
  SmallVector<func::FuncOp> worklist = {entry};
  while (!worklist.empty()) {
    func::FuncOp caller = worklist.pop_back_val();
    bool isMissing = false;
    caller.walk([&](func::CallOp call) {
      auto func = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!func || func.isExternal()) {
        isMissing = true;
        call.emitError() << "calls '" << call.getCallee()
                         << "', which has no body";
        return;
      }
      if (!seen.insert(func).second)
        return;
      bool isKept = func->hasAttr(model::verbatim) &&
                    functions.contains(getModelKey(func));
      (isKept ? verbatim : changed).push_back(func);
      // What an unchanged function calls is what its FunctionProto says.
      if (!isKept)
        worklist.push_back(func);
    });
    if (isMissing)
      return failure();
  }
  return success();
}

/// Keeps the model's functions that `verbatim` are, those that no node of the
/// model used, and all that they call.
void Exporter::keepModelFunctions(ArrayRef<func::FuncOp> verbatim) {
  SmallVector<std::string> needed;
  auto need = [&](const std::string &key) {
    auto function = functions.find(key);
    if (function == functions.end() || function->second.isNeeded)
      return;
    function->second.isNeeded = true;
    needed.push_back(key);
  };
  for (func::FuncOp func : verbatim) {
    auto description = func->getAttrOfType<DictionaryAttr>(model::function);
    std::string key = getModelKey(func);
    need(key);
    const onnx::FunctionProto &proto = functions.find(key)->second.proto;
    Callee &callee = callees[func];
    callee.domain = proto.domain();
    callee.name = proto.name();
    callee.overload = proto.overload();
    callee.inputs.assign(proto.input().begin(), proto.input().end());
    callee.attributes = description.getAs<DictionaryAttr>("attributes");
  }
  for (auto &[key, function] : functions)
    if (!function.wasUsed)
      need(key);
  while (!needed.empty()) {
    std::string key = needed.pop_back_val();
    visitCalls(functions.find(key)->second.proto.node(), need);
  }
}

/// Names a changed function: as the model's that it comes from, whose place it
/// takes if that one is not kept, else by a name that is not in `taken`.
void Exporter::nameChanged(func::FuncOp func, llvm::StringSet<> &taken) {
  auto description = func->getAttrOfType<DictionaryAttr>(model::function);
  Callee &callee = callees[func];
  callee.domain = description ? getText(description, "domain") : "local";
  callee.name =
      description ? getText(description, "name") : func.getName().str();
  callee.overload = getText(description, "overload");
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto name = func.getArgAttrOfType<StringAttr>(i, model::name);
    callee.inputs.push_back(name ? name.str() : names.makeFresh("input").str());
  }
  auto key = [&] {
    return getFunctionKey(callee.domain, callee.name, callee.overload);
  };
  auto model = functions.find(key());
  if (model != functions.end() && !model->second.isNeeded &&
      !model->second.replacement) {
    model->second.replacement = func;
    return;
  }
  std::string base = callee.name;
  for (unsigned i = 1; !taken.insert(key()).second; ++i)
    callee.name = base + "_" + std::to_string(i);
  // Some domain of the model's own is imported already.
  opsets.try_emplace(normalizeDomain(callee.domain).str(), 1);
}

/// Decides what each function that is called is called: an unchanged one is the
/// model's; a changed one takes the place of the model's where nothing else
/// needs that, else it gets a name of its own.
LogicalResult Exporter::resolveFunctions() {
  SmallVector<func::FuncOp> verbatim, changed;
  if (failed(findCalled(verbatim, changed)))
    return failure();
  keepModelFunctions(verbatim);
  // In the order of the module, whatever the calls are.
  llvm::DenseSet<Operation *> isChanged(changed.begin(), changed.end());
  llvm::StringSet<> taken;
  for (const auto &[key, function] : functions)
    taken.insert(key);
  for (auto func : module.getOps<func::FuncOp>())
    if (isChanged.contains(func))
      nameChanged(func, taken);
  return success();
}

LogicalResult Exporter::writeFunction(func::FuncOp func) {
  const Callee &callee = callees.find(func)->second;
  auto description = func->getAttrOfType<DictionaryAttr>(model::function);
  onnx::FunctionProto &proto = *model.add_functions();
  proto.set_name(callee.name);
  for (const std::string &input : callee.inputs)
    proto.add_input(input);
  SourceAttr source = getSource(func.getLoc());
  if (source && source.getDoc())
    proto.set_doc_string(source.getDoc().str());
  auto imports = description
                     ? description.getAs<DictionaryAttr>("opset_imports")
                     : DictionaryAttr();
  Opsets functionOpsets = imports ? readOpsets(imports) : opsets;
  for (const auto &[domain, version] : functionOpsets) {
    onnx::OperatorSetIdProto &opset = *proto.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  }
  proto.set_domain(callee.domain);
  if (!callee.overload.empty())
    proto.set_overload(callee.overload);
  if (description)
    writeEntries(description.get("metadata"), *proto.mutable_metadata_props());

  if (!func.getBody().hasOneBlock())
    return func.emitError("must have one block to be a model function");
  Block &block = func.getBody().front();
  SmallVector<StringRef> inputs(callee.inputs.begin(), callee.inputs.end());
  SmallVector<StringRef> outputs;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto name = func.getResultAttrOfType<StringAttr>(i, model::name);
    outputs.push_back(name ? name.getValue() : StringRef());
  }
  Scope scope;
  SmallVector<Copy> copies = names.nameBlock(block, inputs, outputs, scope);
  Body body{functionOpsets, *proto.mutable_node()};
  if (failed(writeBlock(block, scope, copies, body)))
    return failure();
  for (StringRef output : outputs)
    proto.add_output(output.str());
  return success();
}

LogicalResult Exporter::writeFunctions() {
  llvm::DenseSet<Operation *> written;
  for (auto &[key, function] : functions) {
    if (function.isNeeded) {
      *model.add_functions() = std::move(function.proto);
    } else if (function.replacement) {
      written.insert(function.replacement);
      if (failed(writeFunction(function.replacement)))
        return failure();
    }
  }
  for (auto &[op, callee] : callees) {
    auto func = cast<func::FuncOp>(op);
    bool isKept =
        func->hasAttr(model::verbatim) && functions.contains(getModelKey(func));
    if (!isKept && written.insert(op).second && failed(writeFunction(func)))
      return failure();
  }
  return success();
}
