//===- Export.cpp - From the onnx dialect to .onnx ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Export/Export.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "Exporter.h"

#include "onnxc/Dialect/ONNX/IRVersion.h"
#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace onnxc;

Exporter::Exporter(ModuleOp module)
    : module(module), context(module.getContext()), schemas(context),
      names(module) {}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

LogicalResult Exporter::findEntry() {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(model::entry))
      entry = func;
  if (!entry)
    entry = module.lookupSymbol<func::FuncOp>("main_graph");
  if (!entry)
    return emitError(module.getLoc())
           << "no function is the model's graph: none has the attribute "
              "'onnx.entry', none is called 'main_graph'";
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("must have one block to be a model's graph");
  return success();
}

Opsets onnxc::readOpsets(DictionaryAttr imports) {
  Opsets opsets;
  if (!imports)
    return opsets;
  for (NamedAttribute import : imports)
    if (auto version = dyn_cast<IntegerAttr>(import.getValue()))
      opsets[normalizeDomain(import.getName()).str()] = version.getInt();
  return opsets;
}

void Exporter::writeModelFields() {
  auto getText = [&](StringRef name) {
    auto text = module->getAttrOfType<StringAttr>((model::prefix + name).str());
    return text ? text.str() : std::string();
  };
  auto setText = [&](StringRef name, auto set) {
    if (std::string text = getText(name); !text.empty())
      set(std::move(text));
  };
  model.set_ir_version(hasNewInitializers ? 4 : irVersion);
  setText("producer_name",
          [&](std::string text) { model.set_producer_name(text); });
  setText("producer_version",
          [&](std::string text) { model.set_producer_version(text); });
  setText("domain", [&](std::string text) { model.set_domain(text); });
  setText("doc", [&](std::string text) { model.set_doc_string(text); });
  if (auto version = module->getAttrOfType<IntegerAttr>(model::modelVersion))
    model.set_model_version(version.getInt());
  writeEntries(module->getAttr(model::metadataProps),
               *model.mutable_metadata_props());
  auto parseAll = [&](StringRef name, auto &protos) {
    if (auto texts = module->getAttrOfType<ArrayAttr>(name))
      for (StringRef bytes : texts.getAsValueRange<StringAttr>())
        protos.Add()->ParseFromArray(bytes.data(),
                                     static_cast<int>(bytes.size()));
  };
  parseAll(model::configuration, *model.mutable_configuration());
  parseAll(model::trainingInfo, *model.mutable_training_info());
  setUnknownFields(module->getAttr(model::unknownFields), model);
  setExplicitDefaults(module->getAttr(model::explicitDefaults), model);
}

void Exporter::writeOpsets() {
  auto add = [&](std::optional<StringRef> spelled, int64_t version) {
    onnx::OperatorSetIdProto &opset = *model.add_opset_import();
    if (spelled)
      opset.set_domain(spelled->str());
    opset.set_version(version);
  };
  std::set<std::string> written;
  auto order = module->getAttrOfType<ArrayAttr>(model::opsetOrder);
  if (order)
    for (Attribute entry : order) {
      auto text = dyn_cast<StringAttr>(entry);
      std::string domain =
          normalizeDomain(text ? text.getValue() : StringRef()).str();
      auto opset = opsets.find(domain);
      if (opset == opsets.end())
        continue;
      add(text ? std::optional<StringRef>(text.getValue()) : std::nullopt,
          opset->second);
      written.insert(domain);
    }
  // A model of before there were opsets says none.
  if (irVersion < 3 && order && order.empty())
    written.insert("");
  for (const auto &[domain, version] : opsets)
    if (!written.count(domain))
      add(StringRef(domain), version);
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// The arguments, and between them the inputs whose values were taken as
/// constants, for as long as every initializer had to be an input: before IR
/// version 4. After that, they would let a caller change the constants.
LogicalResult Exporter::writeInputs(onnx::GraphProto &graph) {
  SmallVector<DictionaryAttr> constants;
  auto description = entry->getAttrOfType<DictionaryAttr>(model::graph);
  auto defaulted = description
                       ? description.getAs<ArrayAttr>("defaulted_inputs")
                       : ArrayAttr();
  if (defaulted && irVersion < 4)
    for (auto input : defaulted.getAsRange<DictionaryAttr>())
      constants.push_back(input);
  llvm::StringSet<> initialized;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    initialized.insert(tensor.values().name());

  auto next = constants.begin();
  int64_t position = 0;
  auto addConstants = [&](bool all) {
    for (; next != constants.end(); ++next, ++position) {
      auto index = next->getAs<IntegerAttr>("index");
      if (!all && index && index.getInt() > position)
        return;
      auto name = next->getAs<StringAttr>("name");
      auto type = next->getAs<TypeAttr>("type");
      if (name && type && initialized.contains(name.getValue()))
        (void)writeValueInfo(*next, "", type.getValue(), *graph.add_input());
    }
  };
  for (BlockArgument argument : entry.getArguments()) {
    addConstants(/*all=*/false);
    onnx::ValueInfoProto &input = *graph.add_input();
    if (failed(writeValueInfo(entry.getArgAttrDict(argument.getArgNumber()),
                              model::prefix, argument.getType(), input)))
      return entry.emitError()
             << "input '" << names.get(argument) << "' has the type "
             << argument.getType() << ", which is not a type of ONNX";
    input.set_name(names.get(argument).str());
    ++position;
  }
  addConstants(/*all=*/true);
  return success();
}

static StringRef getName(DictionaryAttr attributes, StringRef key) {
  auto name = attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
  return name ? name.getValue() : StringRef();
}

/// What the file says of a result: what was declared, unless it has another
/// rank. Sizes that contradict the declared ones are left open: onnx's own
/// inference, by which its checker judges, is wrong now and then (STFT of an
/// odd frame_length, Squeeze with axes out of order), and may not be any more
/// where nodes are gone.
static Type getWrittenType(Type declared, Type actual) {
  auto a = dyn_cast<RankedTensorType>(declared);
  auto b = dyn_cast<RankedTensorType>(actual);
  if (!a || !b)
    return declared;
  if (a.getRank() != b.getRank())
    return actual;
  SmallVector<int64_t> shape(a.getShape());
  for (auto [size, known] : llvm::zip_equal(shape, b.getShape()))
    if (!ShapedType::isDynamic(known) && known != size)
      size = ShapedType::kDynamic;
  return a.clone(shape);
}

LogicalResult Exporter::writeEntry() {
  Block &block = entry.getBody().front();
  SmallVector<StringRef> inputs, outputs;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    inputs.push_back(getName(entry.getArgAttrDict(i), model::name));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    outputs.push_back(getName(entry.getResultAttrDict(i), model::name));
  Scope scope;
  SmallVector<Copy> copies = names.nameBlock(block, inputs, outputs, scope);

  onnx::GraphProto &graph = *model.mutable_graph();
  Body body{opsets, *graph.mutable_node(), &graph, /*isEntry=*/true};
  if (failed(writeBlock(block, scope, copies, body)) ||
      failed(writeInputs(graph)))
    return failure();
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    DictionaryAttr attributes = entry.getResultAttrDict(i);
    auto declared =
        attributes ? attributes.getAs<TypeAttr>(model::type) : TypeAttr();
    // A declaration that was ignored, with a warning, would be an error where a
    // checker no longer overlooks it.
    Type actual = entry.getResultTypes()[i];
    Type type = declared ? getWrittenType(declared.getValue(), actual) : actual;
    onnx::ValueInfoProto &output = *graph.add_output();
    if (failed(writeValueInfo(attributes, model::prefix, type, output)))
      return entry.emitError() << "output '" << outputs[i] << "' has the type "
                               << type << ", which is not a type of ONNX";
    output.set_name(outputs[i].str());
  }
  auto description = entry->getAttrOfType<DictionaryAttr>(model::graph);
  describeGraph(description, scope, graph);
  if (!graph.has_name() && !description)
    graph.set_name(entry.getName().str());
  return success();
}

LogicalResult Exporter::run() {
  if (failed(findEntry()))
    return failure();
  opsets =
      readOpsets(module->getAttrOfType<DictionaryAttr>(model::opsetImports));
  if (opsets.empty())
    opsets[""] = schemas.getNewestOpset("");
  auto declared = module->getAttrOfType<IntegerAttr>(model::irVersion);
  int64_t opset = opsets.count("") ? opsets.at("") : 1;
  irVersion = declared ? declared.getInt() : getIRVersionOf(opset);
  if (failed(readModelFunctions()) || failed(resolveFunctions()) ||
      failed(writeEntry()) || failed(writeFunctions()))
    return failure();
  writeModelFields();
  writeOpsets();
  return success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Protobuf reads no more.
static constexpr uint64_t maxModelBytes = 0x7fffffff;

static LogicalResult checkSize(ModuleOp module, const onnx::ModelProto &model,
                               const WeightPlan &plan) {
  uint64_t size = getModelSize(model, plan);
  if (size <= maxModelBytes)
    return success();
  return emitError(module.getLoc())
         << "the model would have " << size
         << " bytes, but none over 2 GiB can be read; put the weights into a "
            "file of their own (--save-external=FILE)";
}

/// The file that the module was imported from.
static StringRef getModelPath(ModuleOp module) {
  StringRef path;
  module.getLoc()->walk([&](Location loc) {
    if (auto file = dyn_cast<FileLineColLoc>(loc))
      path = file.getFilename();
    return path.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return path;
}

/// Why weights must not be put at `path`: the module was read from there, or
/// still is. Empty if they may.
static std::string refuseExternal(ModuleOp module, StringRef path) {
  StringRef modelPath = getModelPath(module);
  if (std::string reason = refuseOutput(path, modelPath); !reason.empty())
    return reason;
  if (auto files = module->getAttrOfType<ArrayAttr>(model::externalFiles))
    for (StringRef location : files.getAsValueRange<StringAttr>()) {
      llvm::SmallString<256> read(llvm::sys::path::parent_path(modelPath));
      llvm::sys::path::append(read, location);
      bool same = false;
      if (!llvm::sys::fs::equivalent(read, path, same) && same)
        return "cannot write '" + path.str() +
               "': the input's external data is there";
    }
  return "";
}

/// The same for a file of that name beside the new model.
static std::string refuseExternalName(ModuleOp module, StringRef name,
                                      StringRef newModelPath) {
  namespace path = llvm::sys::path;
  if (name.empty())
    return "";
  if (newModelPath == "-")
    return "external data is written beside the model, which is not possible "
           "for the standard output";
  if (path::has_parent_path(name))
    return "the file of external data '" + name.str() +
           "' lies beside the model: expected a name without a folder";
  if (name == path::filename(newModelPath))
    return "cannot write external data to '" + name.str() +
           "': it is the model itself";
  llvm::SmallString<256> external(path::parent_path(newModelPath));
  path::append(external, name);
  return refuseExternal(module, external);
}

LogicalResult onnxc::exportModelBytes(ModuleOp module, std::string &bytes,
                                      const ExportOptions &options) {
  if (!options.saveExternal.empty())
    if (std::string reason = refuseExternal(module, options.saveExternal);
        !reason.empty())
      return emitError(module.getLoc()) << reason;
  Exporter exporter(module);
  if (failed(exporter.run()))
    return failure();
  FailureOr<WeightPlan> plan = planWeights(
      *exporter.model.mutable_graph(), exporter.weights, options,
      llvm::sys::path::filename(options.saveExternal),
      [](StringRef) { return true; }, module.getLoc());
  if (failed(plan) || failed(checkSize(module, exporter.model, *plan)))
    return failure();
  if (!plan->outside.empty())
    if (llvm::Error error = llvm::writeToOutput(
            options.saveExternal, [&](raw_ostream &os) -> llvm::Error {
              writeExternal(*plan, os);
              return llvm::Error::success();
            }))
      return emitError(module.getLoc()) << llvm::toString(std::move(error));
  llvm::raw_string_ostream os(bytes);
  writeModel(exporter.model, *plan, os);
  return success();
}

namespace {
/// A file that appears under its name when all is written.
class PendingFile {
public:
  explicit PendingFile(StringRef path) : path(path) {}
  ~PendingFile() {
    if (file)
      llvm::consumeError(file->discard());
  }

  llvm::Error write(llvm::function_ref<void(raw_ostream &)> produce) {
    std::unique_lock<std::mutex> creating = lockFileCreation();
    auto created = llvm::sys::fs::TempFile::create(getUnfinishedName(path));
    creating.unlock();
    if (!created)
      return created.takeError();
    file.emplace(std::move(*created));
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    produce(os);
    os.flush();
    if (os.has_error()) {
      std::error_code code = os.error();
      os.clear_error();
      return llvm::createFileError(path, code);
    }
    return llvm::Error::success();
  }
  llvm::Error keep() {
    llvm::Error error = file->keep(path);
    file.reset();
    return error;
  }

private:
  std::string path;
  std::optional<llvm::sys::fs::TempFile> file;
};
} // namespace

LogicalResult onnxc::exportModelFile(ModuleOp module, StringRef path,
                                     const ExportOptions &options) {
  namespace fs = llvm::sys::fs;
  if (std::string reason =
          refuseExternalName(module, options.saveExternal, path);
      !reason.empty())
    return emitError(module.getLoc()) << reason;
  Exporter exporter(module);
  if (failed(exporter.run()))
    return failure();
  StringRef folder = llvm::sys::path::parent_path(path);
  StringRef modelFolder = llvm::sys::path::parent_path(getModelPath(module));
  auto isFound = [&](StringRef location) {
    llvm::SmallString<256> before(modelFolder), now(folder);
    llvm::sys::path::append(before, location);
    llvm::sys::path::append(now, location);
    bool same = false;
    return !fs::equivalent(before, now, same) && same;
  };
  FailureOr<WeightPlan> plan =
      planWeights(*exporter.model.mutable_graph(), exporter.weights, options,
                  options.saveExternal, isFound, module.getLoc());
  if (failed(plan) || failed(checkSize(module, exporter.model, *plan)))
    return failure();

  auto report = [&](llvm::Error error) -> LogicalResult {
    return emitError(FileLineColLoc::get(module.getContext(), path, 0, 0))
           << llvm::toString(std::move(error));
  };
  if (path == "-") {
    writeModel(exporter.model, *plan, llvm::outs());
    return success();
  }
  llvm::SmallString<256> externalPath(folder);
  llvm::sys::path::append(externalPath, options.saveExternal);
  PendingFile external(externalPath), file(path);
  if (!plan->outside.empty())
    if (llvm::Error error =
            external.write([&](raw_ostream &os) { writeExternal(*plan, os); }))
      return report(std::move(error));
  if (llvm::Error error = file.write(
          [&](raw_ostream &os) { writeModel(exporter.model, *plan, os); }))
    return report(std::move(error));
  if (!plan->outside.empty())
    if (llvm::Error error = external.keep())
      return report(std::move(error));
  if (llvm::Error error = file.keep())
    return report(std::move(error));
  return success();
}
