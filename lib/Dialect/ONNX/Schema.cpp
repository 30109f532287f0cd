//===- Schema.cpp - Operators by ONNX name and version --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Schema.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string onnxc::getFunctionKey(llvm::StringRef domain, llvm::StringRef name,
                                  llvm::StringRef overload) {
  std::string key = normalizeDomain(domain).str();
  key += '\0';
  key += name;
  key += '\0';
  key += overload;
  return key;
}

llvm::SmallVector<std::optional<unsigned>>
onnxc::getNodeItems(llvm::ArrayRef<int> segments) {
  llvm::SmallVector<std::optional<unsigned>> items;
  unsigned next = 0;
  for (int size : segments) {
    if (size == 0)
      items.push_back(std::nullopt);
    for (int i = 0; i < size; ++i)
      items.push_back(next++);
  }
  while (!items.empty() && !items.back())
    items.pop_back();
  return items;
}

std::optional<int> OperatorHistory::getVersionAt(int64_t opset) const {
  std::optional<int> found;
  for (const auto &[version, unused] : versions)
    if (version <= opset)
      found = version;
  return found;
}

const OperatorHistory::Version *OperatorHistory::lookup(int64_t version) const {
  auto found = versions.find(static_cast<int>(version));
  return found == versions.end() ? nullptr : &found->second;
}

SchemaTable::SchemaTable(MLIRContext *context) {
  for (RegisteredOperationName record :
       context->getRegisteredOperationsByDialect("onnx")) {
    auto *schema = record.getInterface<SchemaOpInterface>();
    if (!schema)
      continue; // onnx.node and its like
    // Made by upgrades alone: to those who read models, the domain is foreign.
    if (schema->getOnnxDomain() == "com.microsoft")
      continue;
    Domain &domain = domains[schema->getOnnxDomain()];
    auto add = [&](StringRef name, int version, const UpgradeRule *rule) {
      auto [entry, isNew] = domain.operators[name].versions.try_emplace(
          version, OperatorHistory::Version{record, rule});
      // A deprecated operator has a record of its own, and another operator
      // that it becomes: that one is meant.
      if (!isNew && rule)
        entry->second = {record, rule};
      domain.newest = std::max(domain.newest, version);
    };
    for (int version : schema->getSchemaVersions())
      add(schema->getOnnxName(), version, nullptr);
    for (const UpgradeRule &rule : schema->getUpgradeRules())
      add(rule.op, rule.version, &rule);
  }
}

const OperatorHistory *SchemaTable::lookup(StringRef domain,
                                           StringRef name) const {
  auto found = domains.find(normalizeDomain(domain));
  if (found == domains.end())
    return nullptr;
  auto history = found->second.operators.find(name);
  return history == found->second.operators.end() ? nullptr : &history->second;
}

bool SchemaTable::isKnownDomain(StringRef domain) const {
  return domains.contains(normalizeDomain(domain));
}

int64_t SchemaTable::getNewestOpset(StringRef domain) const {
  auto found = domains.find(normalizeDomain(domain));
  return found == domains.end() ? 0 : found->second.newest;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

StringRef onnxc::getAttributeKind(Attribute attribute) {
  if (isa<IntegerAttr>(attribute))
    return "INT";
  if (isa<FloatAttr>(attribute))
    return "FLOAT";
  if (isa<StringAttr>(attribute))
    return "STRING";
  if (isa<DenseI64ArrayAttr>(attribute))
    return "INTS";
  if (isa<DenseF32ArrayAttr>(attribute))
    return "FLOATS";
  if (isa<ElementsAttr>(attribute))
    return "TENSOR";
  if (isa<SparseElementsAttr>(attribute))
    return "SPARSE_TENSOR";
  if (isa<TypeAttr>(attribute))
    return "TYPE_PROTO";
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    if (array.empty() || isa<StringAttr>(array[0]))
      return "STRINGS";
    return isa<ElementsAttr>(array[0])         ? "TENSORS"
           : isa<SparseElementsAttr>(array[0]) ? "SPARSE_TENSORS"
                                               : "TYPE_PROTOS";
  }
  return "UNDEFINED";
}

/// Whether the record's constraint of `name` admits `value`.
static bool admits(RegisteredOperationName record, StringRef name,
                   Attribute value) {
  NamedAttrList list;
  list.append(name, value);
  // The constraint's own words ("64-bit signless integer attribute") would not
  // speak ONNX; the diagnostic is dropped.
  MLIRContext *context = value.getContext();
  ScopedDiagnosticHandler drop(context, [](Diagnostic &) { return success(); });
  return succeeded(record.verifyInherentAttrs(
      list, [&] { return emitError(UnknownLoc::get(context)); }));
}

/// The kind of attribute that the record takes as `name`, in ONNX's words.
static StringRef getExpectedKind(RegisteredOperationName record, StringRef name,
                                 MLIRContext *context) {
  Builder b(context);
  auto elements = DenseElementsAttr::get(
      RankedTensorType::get({1}, b.getF32Type()), ArrayRef<float>{0.f});
  for (Attribute sample : std::initializer_list<Attribute>{
           b.getI64IntegerAttr(0), b.getF32FloatAttr(0.f), b.getStringAttr(""),
           b.getDenseI64ArrayAttr({0}), b.getDenseF32ArrayAttr({0.f}),
           b.getStrArrayAttr({""}), elements, TypeAttr::get(b.getI64Type())})
    if (admits(record, name, sample))
      return getAttributeKind(sample);
  return "SPARSE_TENSOR";
}

static bool isSegmentSizes(StringRef name) {
  return name == "operandSegmentSizes" || name == "resultSegmentSizes";
}

LogicalResult onnxc::checkNodeAttributes(RegisteredOperationName record,
                                         const NodeParts &parts,
                                         DiagnosticSink emitError) {
  auto &schema = *record.getInterface<SchemaOpInterface>();
  llvm::SmallVector<StringRef> names;
  for (StringAttr name : record.getAttributeNames())
    if (!isSegmentSizes(name))
      names.push_back(name);
  for (NamedAttribute attribute : parts.attributes) {
    StringRef name = attribute.getName();
    if (!llvm::is_contained(names, name)) {
      if (!emitError)
        return failure();
      InFlightDiagnostic error = emitError();
      error << "attribute '" << name << "' is unknown; ";
      if (names.empty())
        return error << "the operator has none";
      return error << "the operator has " << llvm::join(names, ", ");
    }
    if (!admits(record, name, attribute.getValue())) {
      if (!emitError)
        return failure();
      return emitError() << "attribute '" << name << "' is of type "
                         << getAttributeKind(attribute.getValue())
                         << ", expected "
                         << getExpectedKind(record, name,
                                            attribute.getValue().getContext());
    }
  }
  ArrayRef<llvm::StringLiteral> regions = schema.getRegionNames();
  for (const auto &[name, region] : parts.graphs)
    if (!llvm::is_contained(regions, name)) {
      if (!emitError)
        return failure();
      return emitError() << "attribute '" << name
                         << "' is a GRAPH, which the operator does not take";
    }
  return success();
}

/// How many of `present` each formal parameter takes, in order; a variadic
/// parameter comes last.
static FailureOr<llvm::SmallVector<int32_t>>
assignParameters(ArrayRef<ValueSpec> specs, ArrayRef<bool> present,
                 StringRef what, DiagnosticSink emitError) {
  auto fail = [&](const llvm::Twine &message) {
    if (emitError)
      emitError() << message;
    return failure();
  };
  llvm::SmallVector<int32_t> sizes;
  size_t next = 0;
  for (const ValueSpec &spec : specs) {
    if (spec.kind == ValueKind::Variadic) {
      size_t first = next;
      for (; next < present.size(); ++next)
        if (!present[next])
          return fail(what + " " + llvm::Twine(next) + " (" + spec.name +
                      ") is left out");
      // A list that an operator begins with is what it works on.
      if (what == "input" && present.empty() && specs.size() == 1)
        return fail("has no inputs, at least one expected");
      sizes.push_back(static_cast<int32_t>(next - first));
      continue;
    }
    bool here = next < present.size() && present[next];
    if (!here && spec.kind == ValueKind::Single)
      return fail(what + " " + llvm::Twine(next) + " (" + spec.name +
                  ") is missing");
    sizes.push_back(here);
    ++next;
  }
  if (next < present.size() &&
      llvm::is_contained(present.drop_front(next), true))
    return fail("has " + llvm::Twine(present.size()) + " " + what +
                "s, at most " + llvm::Twine(next) + " expected");
  return sizes;
}

static llvm::SmallVector<bool> getPresence(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](Value v) { return bool(v); });
}
static llvm::SmallVector<bool> getPresence(ArrayRef<Type> types) {
  return llvm::map_to_vector(types, [](Type t) { return bool(t); });
}

LogicalResult onnxc::checkNodeParts(RegisteredOperationName record,
                                    const NodeParts &parts,
                                    DiagnosticSink emitError) {
  auto &schema = *record.getInterface<SchemaOpInterface>();
  if (failed(checkNodeAttributes(record, parts, emitError)) ||
      failed(assignParameters(schema.getOperandSpecs(),
                              getPresence(parts.inputs), "input", emitError)))
    return failure();
  // An output that is not named is computed all the same, so only too many of
  // them are wrong.
  ArrayRef<ValueSpec> results = schema.getResultSpecs();
  bool variadic =
      !results.empty() && results.back().kind == ValueKind::Variadic;
  if (parts.outputs.size() > results.size() && !variadic) {
    if (emitError)
      emitError() << "has " << parts.outputs.size() << " outputs, at most "
                  << results.size() << " expected";
    return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Whether the op needs segment sizes, by the rule of ONNX_Op.
static bool hasSegments(ArrayRef<ValueSpec> specs) {
  return llvm::count_if(specs, [](const ValueSpec &spec) {
           return spec.kind != ValueKind::Single;
         }) > 1;
}

FailureOr<llvm::SmallVector<Value>>
onnxc::buildNode(OpBuilder &builder, Location loc,
                 RegisteredOperationName record, NodeParts parts) {
  auto report = [&] { return emitError(loc); };
  if (failed(checkNodeParts(record, parts, report)))
    return failure();
  auto &schema = *record.getInterface<SchemaOpInterface>();
  OperationState state(loc, record);

  ArrayRef<ValueSpec> operandSpecs = schema.getOperandSpecs();
  FailureOr<llvm::SmallVector<int32_t>> operandSizes = assignParameters(
      operandSpecs, getPresence(parts.inputs), "input", report);
  if (failed(operandSizes))
    return failure();
  for (Value input : parts.inputs)
    if (input)
      state.addOperands(input);

  // Formal outputs that must be there are, named or not.
  ArrayRef<ValueSpec> resultSpecs = schema.getResultSpecs();
  llvm::SmallVector<Type> types = parts.outputs;
  for (auto [index, spec] : llvm::enumerate(resultSpecs)) {
    if (spec.kind != ValueKind::Single)
      continue;
    if (types.size() <= index)
      types.resize(index + 1);
    if (!types[index])
      types[index] = UnknownType::get(builder.getContext());
  }
  // An output of a variadic list that is not named keeps its place, too.
  if (!resultSpecs.empty() && resultSpecs.back().kind == ValueKind::Variadic)
    for (size_t i = resultSpecs.size() - 1; i < types.size(); ++i)
      if (!types[i])
        types[i] = UnknownType::get(builder.getContext());
  FailureOr<llvm::SmallVector<int32_t>> resultSizes =
      assignParameters(resultSpecs, getPresence(types), "output", report);
  if (failed(resultSizes))
    return failure();
  for (Type type : types)
    if (type)
      state.addTypes(type);

  state.attributes = std::move(parts.attributes);
  if (hasSegments(operandSpecs))
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(*operandSizes));
  if (hasSegments(resultSpecs))
    state.addAttribute("resultSegmentSizes",
                       builder.getDenseI32ArrayAttr(*resultSizes));
  // A graph that is missing is an empty region; whether it may be is for the
  // verifier to say.
  for (StringRef name : schema.getRegionNames()) {
    auto region = std::make_unique<Region>();
    for (auto &[graphName, graph] : parts.graphs)
      if (graphName == name)
        region = std::move(graph);
    state.addRegion(std::move(region));
  }

  Operation *op = builder.create(state);
  llvm::SmallVector<Value> outputs(parts.outputs.size());
  unsigned result = 0;
  for (auto [index, type] : llvm::enumerate(types)) {
    if (!type)
      continue;
    if (index < outputs.size())
      outputs[index] = op->getResult(result);
    ++result;
  }
  return outputs;
}

Type onnxc::dropShapes(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type))
    return UnrankedTensorType::get(tensor.getElementType());
  if (auto sequence = dyn_cast<SeqType>(type))
    return SeqType::get(type.getContext(),
                        dropShapes(sequence.getElementType()));
  if (auto optional = dyn_cast<OptType>(type))
    return OptType::get(type.getContext(),
                        dropShapes(optional.getElementType()));
  if (auto map = dyn_cast<MapType>(type))
    return MapType::get(type.getContext(), map.getKeyType(),
                        dropShapes(map.getValueType()));
  return type;
}

std::string onnxc::describeOutput(OpResult result) {
  SourceAttr source = getSource(result.getLoc());
  ArrayAttr names = source ? source.getOutputs() : ArrayAttr();
  unsigned number = result.getResultNumber();
  if (names && number < names.size())
    if (auto name = dyn_cast<StringAttr>(names[number]); name && !name.empty())
      return "output '" + name.str() + "'";
  return "output " + std::to_string(number);
}

LogicalResult
onnxc::verifyBuiltNode(Operation *op,
                       llvm::function_ref<void(OpResult, Type)> contradicted) {
  if (!isa<SchemaOpInterface>(op))
    return success();
  // FlexAttention's graphs alone may be left out.
  if (!isa<FlexAttentionOp>(op))
    for (auto [name, region] : llvm::zip(
             cast<SchemaOpInterface>(op).getRegionNames(), op->getRegions()))
      if (region.empty())
        return op->emitOpError()
               << "attribute '" << name << "' is missing, expected a graph";
  llvm::SmallVector<Type> declared(op->getResultTypes());
  for (OpResult result : op->getResults())
    result.setType(UnknownType::get(op->getContext()));
  if (failed(op->getName().verifyInvariants(op)))
    return failure();
  llvm::SmallVector<Type> inferred;
  LogicalResult ruleHolds = inferResultTypes(op, inferred, nullptr);
  for (auto [result, type] : llvm::zip_equal(op->getResults(), declared))
    result.setType(type);
  if (succeeded(ruleHolds))
    for (auto [result, type] : llvm::zip(op->getResults(), inferred))
      if (type && !areCompatibleTypes(type, result.getType())) {
        if (!areCompatibleTypes(dropShapes(type), dropShapes(result.getType())))
          return op->emitOpError()
                 << describeOutput(result) << " is declared as "
                 << result.getType() << ", but is " << type;
        contradicted(result, type);
      }
  return success();
}

llvm::SmallVector<Value>
onnxc::buildGenericNode(OpBuilder &builder, Location loc, StringRef name,
                        StringRef domain, int64_t version, NodeParts parts) {
  OperationState state(loc, NodeOp::getOperationName());
  Value none;
  for (Value input : parts.inputs) {
    if (!input && !none) {
      OperationState absent(loc, NoneOp::getOperationName());
      absent.addTypes(builder.getNoneType());
      none = builder.create(absent)->getResult(0);
    }
    state.addOperands(input ? input : none);
  }
  llvm::SmallVector<StringRef> regionNames;
  for (auto &[graphName, region] : parts.graphs) {
    regionNames.push_back(graphName);
    state.addRegion(std::move(region));
  }
  state.addAttribute("op_type", builder.getStringAttr(name));
  state.addAttribute("domain", builder.getStringAttr(domain));
  state.addAttribute("version", builder.getI64IntegerAttr(version));
  state.addAttribute("onnx_attributes",
                     parts.attributes.getDictionary(builder.getContext()));
  if (!regionNames.empty())
    state.addAttribute("region_names", builder.getStrArrayAttr(regionNames));
  for (Type type : parts.outputs)
    state.addTypes(type ? type : builder.getNoneType());
  Operation *op = builder.create(state);
  llvm::SmallVector<Value> outputs;
  for (auto [type, result] : llvm::zip_equal(parts.outputs, op->getResults()))
    outputs.push_back(type ? Value(result) : Value());
  return outputs;
}
