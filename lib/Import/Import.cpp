//===- Import.cpp - From .onnx to the onnx dialect ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/Import.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "Importer.h"
#include "TypeReader.h"
#include "onnxc/Dialect/ONNX/IRVersion.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace onnxc;

Importer::Importer(MLIRContext *context, ModelFile &file,
                   const ImportOptions &options, llvm::StringRef path)
    : context(context), file(file), options(options), schemas(context),
      tensors(context, file, options.keepMissingData), builder(context),
      filename(builder.getStringAttr(path)),
      fileLoc(FileLineColLoc::get(filename, 0, 0)) {}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

LogicalResult Importer::checkIRVersion() {
  int64_t version = file.proto.ir_version();
  int64_t newest = getIRVersionOf(schemas.getNewestOpset(""));
  if (version >= 1 && version <= newest)
    return success();
  return emitError(fileLoc)
         << "unknown ir_version " << version << ", expected 1 to " << newest;
}

LogicalResult Importer::checkOpset(const onnx::OperatorSetIdProto &opset,
                                   const llvm::Twine &importer) {
  StringRef domain = normalizeDomain(opset.domain());
  StringRef shown = domain.empty() ? "ai.onnx" : domain;
  auto fail = [&]() -> InFlightDiagnostic {
    return emitError(fileLoc) << importer << "opset " << opset.version()
                              << " of domain '" << shown << "' ";
  };
  if (opset.version() <= 0)
    return fail() << "is not a version of an operator set, expected at least 1";
  int64_t newest = schemas.getNewestOpset(domain);
  if (schemas.isKnownDomain(domain) && opset.version() > newest)
    return fail() << "is newer than " << newest
                  << ", the newest that this version of onnxc knows";
  return success();
}

LogicalResult Importer::readOpset(const onnx::OperatorSetIdProto &opset) {
  StringRef domain = normalizeDomain(opset.domain());
  if (failed(checkOpset(opset, "")))
    return failure();
  if (opsets.try_emplace(domain.str(), opset.version()).second ||
      opsets[domain.str()] == opset.version())
    return success();
  return emitError(fileLoc)
         << "domain '" << (domain.empty() ? "ai.onnx" : domain)
         << "' is imported in two versions";
}

LogicalResult Importer::readOpsets() {
  for (const onnx::OperatorSetIdProto &opset : file.proto.opset_import())
    if (failed(readOpset(opset)) && failed(goOn()))
      return failure();
  if (!opsets.empty())
    return success();
  // Operator sets came with the third version of the format.
  if (file.proto.ir_version() < 3) {
    opsets[""] = 1;
    return success();
  }
  if (!file.proto.opset_import_size())
    emitError(fileLoc) << "the model imports no operator set";
  opsets[""] = schemas.getNewestOpset("");
  return goOn();
}

void Importer::setModelAttributes() {
  const onnx::ModelProto &model = file.proto;
  auto set = [&](StringRef name, Attribute value) {
    (*module)->setAttr((model::prefix + name).str(), value);
  };
  auto setText = [&](StringRef name, const std::string &text) {
    if (!text.empty())
      set(name, builder.getStringAttr(text));
  };
  set("ir_version", builder.getI64IntegerAttr(model.ir_version()));
  set("opset_imports", describeOpsets(opsets));
  if (ArrayAttr order = describeOpsetOrder(model.opset_import(), opsets))
    set("opset_order", order);
  if (ArrayAttr names = describeExplicitDefaults(model))
    set("explicit", names);
  setText("unknown_fields", model.unknown_fields());
  setText("producer_name", model.producer_name());
  setText("producer_version", model.producer_version());
  setText("domain", model.domain());
  setText("doc", model.doc_string());
  setText("model_name", model.graph().name());
  if (model.has_model_version())
    set("model_version", builder.getI64IntegerAttr(model.model_version()));
  if (model.metadata_props_size())
    set("metadata_props", describeEntries(model.metadata_props()));
  SmallVector<Attribute> configurations;
  for (const auto &configuration : model.configuration())
    configurations.push_back(
        builder.getStringAttr(configuration.SerializeAsString()));
  if (!configurations.empty())
    set("configuration", builder.getArrayAttr(configurations));
  if (model.training_info_size())
    emitWarning(fileLoc) << "the model's training information is not compiled";
  if (ArrayAttr training = describeTrainingInfo())
    set("training_info", training);
  SmallVector<Attribute> kept;
  for (const onnx::FunctionProto &function : model.functions())
    kept.push_back(describeModelFunction(function));
  if (!kept.empty())
    set("functions", builder.getArrayAttr(kept));
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// Checks that the initializer which gives an input its value is of the type
/// that the input declares. What is wrong with the initializer itself is said
/// where it is read.
LogicalResult Importer::checkDefault(const onnx::TensorProto &tensor,
                                     Type declared) {
  auto silent = [](const llvm::Twine &) {};
  FailureOr<Type> element =
      readElementType(context, tensor.data_type(), silent);
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  if (failed(element) || failed(countElements(dims, silent)))
    return success();
  Type type = RankedTensorType::get(dims, *element);
  if (areCompatibleTypes(type, declared))
    return success();
  return emitError(fileLoc) << "input '" << tensor.name() << "' is declared as "
                            << declared << ", but its initializer is " << type;
}

static bool isGraphInput(const onnx::GraphProto &graph, StringRef name) {
  return llvm::any_of(graph.input(), [&](const onnx::ValueInfoProto &input) {
    return input.name() == name;
  });
}

/// Fails unless each name is that of an initializer that is an input, too.
static LogicalResult
checkFrozen(Location loc, ArrayRef<std::string> names,
            const llvm::StringMap<const onnx::TensorProto *> &initialized,
            const onnx::GraphProto &graph) {
  for (const std::string &name : names)
    if (!initialized.contains(name) || !isGraphInput(graph, name))
      return emitError(loc) << "'" << name
                            << "', which is to be frozen, is not an "
                               "initializer that is an input, too";
  return success();
}

/// Makes the graph's inputs the function's arguments. Those that an initializer
/// gives a value have it as default, or are constants, which `onnx.graph`
/// records.
LogicalResult Importer::importArguments(func::FuncOp func, Scope &scope) {
  const onnx::GraphProto &graph = file.proto.graph();
  // Null for sparse ones.
  llvm::StringMap<const onnx::TensorProto *> initialized;
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    initialized[tensor.values().name()] = nullptr;
  llvm::StringMap<int> overridable;
  bool areOverridable = options.keepDefaults && (!options.onlyOverridable ||
                                                 file.proto.ir_version() >= 4);
  for (auto [index, tensor] : llvm::enumerate(graph.initializer()))
    if (areOverridable && !llvm::is_contained(options.frozen, tensor.name()))
      overridable[tensor.name()] = static_cast<int>(index);
    else
      initialized[tensor.name()] = &tensor;
  if (failed(checkFrozen(fileLoc, options.frozen, initialized, graph)))
    return failure();

  Block *block = &func.getBody().front();
  SmallVector<Attribute> argumentAttributes, defaulted;
  llvm::StringSet<> names;
  auto importArgument =
      [&](size_t position, const onnx::ValueInfoProto &input) -> LogicalResult {
    const std::string &name = input.name();
    if (name.empty())
      return emitError(fileLoc) << "input " << position << " has no name";
    if (!names.insert(name).second)
      return emitError(fileLoc) << "the input '" << name << "' is listed twice";
    FailureOr<Type> type =
        readType(context, input.type(), sink(fileLoc, "input '" + name + "' "));
    if (failed(type))
      return failure();
    if (auto found = initialized.find(name); found != initialized.end()) {
      if (found->second && failed(checkDefault(*found->second, *type)))
        return failure();
      NamedAttrList entry(describeValue(input, /*withType=*/true, ""));
      entry.set("index", builder.getI64IntegerAttr(position));
      defaulted.push_back(entry.getDictionary(context));
      return success();
    }
    Location loc = NameLoc::get(builder.getStringAttr(name), fileLoc);
    NamedAttrList described(
        describeValue(input, /*withType=*/false, model::prefix));
    if (auto found = overridable.find(name); found != overridable.end()) {
      const onnx::TensorProto &tensor = graph.initializer(found->second);
      if (failed(checkDefault(tensor, *type)))
        return failure();
      FailureOr<ElementsAttr> value = readInitializer(tensor);
      if (failed(value))
        return failure();
      if (isa<UnknownType>(*type))
        type = value->getType();
      loc = NameLoc::get(builder.getStringAttr(name),
                         getInitializerLocation(tensor, *value, found->second));
      described.append(model::defaultValue, *value);
      defaultedNames.insert(name);
    }
    if (isa<UnknownType>(*type))
      return emitError(fileLoc) << "input '" << name << "' has no type";
    scope.values[name] = block->addArgument(*type, loc);
    argumentAttributes.push_back(described.getDictionary(context));
    return success();
  };
  for (auto [position, input] : llvm::enumerate(graph.input())) {
    if (succeeded(importArgument(position, input)))
      continue;
    if (failed(goOn()))
      return failure();
    if (!initialized.contains(input.name()))
      scope.values.try_emplace(input.name(), makeHole(fileLoc));
  }
  func.setFunctionType(builder.getFunctionType(block->getArgumentTypes(), {}));
  func.setAllArgAttrs(argumentAttributes);
  DictionaryAttr description =
      describeGraph(graph, builder.getArrayAttr(defaulted));
  if (!description.empty())
    func->setAttr(model::graph, description);
  return success();
}

LogicalResult Importer::importEntry() {
  const onnx::GraphProto &graph = file.proto.graph();
  builder.setInsertionPointToStart(module->getBody());
  auto func = func::FuncOp::create(builder, fileLoc, "main_graph",
                                   builder.getFunctionType({}, {}));
  func->setAttr(model::entry, builder.getUnitAttr());
  builder.createBlock(&func.getBody());

  Scope scope(nullptr);
  Body body{opsets, nullptr, nullptr};
  if (failed(declareValues(graph, scope)) ||
      failed(importArguments(func, scope)) ||
      failed(importInitializers(graph, scope)) ||
      failed(importNodes(graph.node(), scope, body)))
    return failure();

  SmallVector<Value> results;
  SmallVector<Attribute> resultAttributes;
  // One value may be listed several times: onnx.checker and ONNX Runtime accept
  // it, and each is a result of its own.
  for (auto [position, output] : llvm::enumerate(graph.output())) {
    FailureOr<Value> value = failure();
    if (output.name().empty())
      emitError(fileLoc) << "output " << position << " has no name";
    else
      value = useValue(output.name(), "output", scope, fileLoc);
    if (failed(value) && failed(goOn()))
      return failure();
    results.push_back(failed(value) ? makeHole(fileLoc) : *value);
    resultAttributes.push_back(
        describeValue(output, /*withType=*/true, model::prefix));
  }
  func::ReturnOp::create(builder, fileLoc, results);
  func.setFunctionType(builder.getFunctionType(
      func.getFunctionType().getInputs(), ValueRange(results).getTypes()));
  func.setAllResultAttrs(resultAttributes);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> Importer::run() {
  if (!file.proto.has_graph())
    return emitError(fileLoc) << "not an ONNX model: it has no graph";
  module = ModuleOp::create(builder, fileLoc);
  if ((failed(checkIRVersion()) && failed(goOn())) || failed(readOpsets()) ||
      failed(indexFunctions()))
    return failure();
  if (failed(importEntry()) ||
      (failed(checkUncalledFunctions()) && failed(goOn())))
    return failure();
  setModelAttributes();
  std::vector<llvm::StringRef> locations = file.externalFiles.getLocations();
  if (!locations.empty())
    module->getOperation()->setAttr(model::externalFiles,
                                    builder.getStrArrayAttr(locations));
  if (hasHoles)
    module->getOperation()->setAttr(model::holes, builder.getUnitAttr());
  else if (failed(mlir::verify(*module)))
    return failure();
  return std::move(module);
}

/// Imports what `open` gives.
template <typename Open>
static FailureOr<OwningOpRef<ModuleOp>>
importOpened(llvm::StringRef path, MLIRContext *context,
             const ImportOptions &options, Open open) {
  context->loadDialect<ONNXDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(StringAttr::get(context, path), 0, 0);
  auto report = [&](const llvm::Twine &message) { emitError(loc) << message; };
  FailureOr<std::unique_ptr<ModelFile>> file = open(report);
  if (failed(file))
    return failure();
  return Importer(context, **file, options, path).run();
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::importModelFile(llvm::StringRef path, MLIRContext *context,
                       const ImportOptions &options) {
  if (path == "-") {
    path = "<stdin>";
    auto input = llvm::MemoryBuffer::getSTDIN();
    if (!input)
      return emitError(FileLineColLoc::get(context, path, 0, 0))
             << "the standard input cannot be read: "
             << input.getError().message();
    return importModelBuffer(std::move(*input), path, context, options);
  }
  return importOpened(path, context, options, [&](ErrorSink error) {
    return openModelFile(path, options.maxDepth, error);
  });
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::importModelBuffer(std::shared_ptr<const llvm::MemoryBuffer> bytes,
                         llvm::StringRef path, MLIRContext *context,
                         const ImportOptions &options) {
  return importOpened(path, context, options, [&](ErrorSink error) {
    return parseModelFile(std::move(bytes), path, path, options.maxDepth,
                          error);
  });
}

FailureOr<OwningOpRef<ModuleOp>>
onnxc::importModel(const ModelSource &source, MLIRContext *context,
                   const ImportOptions &options) {
  return source.bytes
             ? importModelBuffer(source.bytes, source.path, context, options)
             : importModelFile(source.path, context, options);
}
