//===- SchemaHistory.cpp - What each version of an operator takes ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/SchemaHistory.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <tuple>

using namespace mlir;
using namespace onnxc;

static constexpr VersionSchema table[] = {
#define ONNXC_SCHEMA(domain, name, version, inputs, outputs, attributes)       \
  VersionSchema(domain, name, version, inputs, outputs, attributes),
#include "SchemaHistory.def"
};

ArrayRef<VersionSchema> onnxc::getSchemaHistory() { return table; }

/// The versions of an operator, in ascending order.
static ArrayRef<VersionSchema> getVersions(StringRef domain, StringRef name) {
  auto key = [](const VersionSchema &schema) {
    return std::tuple(schema.getDomain(), schema.getName());
  };
  auto first =
      llvm::lower_bound(table, std::tuple(domain, name),
                        [&](const VersionSchema &schema, const auto &wanted) {
                          return key(schema) < wanted;
                        });
  const auto *last = first;
  while (last != std::end(table) && key(*last) == std::tuple(domain, name))
    ++last;
  return ArrayRef(first, last);
}

const VersionSchema *onnxc::lookupSchema(StringRef domain, StringRef name,
                                         int64_t version) {
  for (const VersionSchema &schema : getVersions(domain, name))
    if (schema.getVersion() == version)
      return &schema;
  return nullptr;
}

const VersionSchema *onnxc::lookupNewestSchema(StringRef domain,
                                               StringRef name) {
  ArrayRef<VersionSchema> versions = getVersions(domain, name);
  return versions.empty() ? nullptr : &versions.back();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static SmallVector<StringRef> splitWords(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return words;
}

static FormalParameter parseParameter(StringRef text) {
  FormalParameter parameter;
  auto [name, types] = text.split(':');
  parameter.isOptional = name.consume_back("?");
  parameter.isVariadic = name.consume_back("*");
  parameter.name = name;
  if (types.contains(':'))
    std::tie(parameter.typeVariable, types) = types.split(':');
  parameter.takesOthers = types.consume_back("+");
  for (uint32_t *mask : {&parameter.tensors, &parameter.sequences,
                         &parameter.optionals, &parameter.optionalSequences}) {
    StringRef word;
    std::tie(word, types) = types.split('/');
    word.getAsInteger(16, *mask);
  }
  return parameter;
}

SmallVector<FormalParameter> VersionSchema::getInputs() const {
  return llvm::map_to_vector(splitWords(inputs), parseParameter);
}

SmallVector<FormalParameter> VersionSchema::getOutputs() const {
  return llvm::map_to_vector(splitWords(outputs), parseParameter);
}

bool FormalParameter::takes(Type type) const {
  return takesOthers || isa<UnknownType>(type) ||
         isValueOf(type, tensors, sequences, optionals, optionalSequences,
                   /*others=*/"");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

SmallVector<FormalAttribute> VersionSchema::getAttributes() const {
  SmallVector<FormalAttribute> formals;
  for (StringRef word : splitWords(attributes)) {
    FormalAttribute &formal = formals.emplace_back();
    StringRef rest;
    std::tie(formal.name, rest) = word.split(':');
    formal.isRequired = formal.name.consume_back("!");
    formal.hasDefault = rest.contains('=');
    std::tie(formal.kind, formal.defaultText) = rest.split('=');
  }
  return formals;
}

bool FormalAttribute::takes(Attribute value) const {
  if (!value)
    return kind == "GRAPH";
  // A list of nothing is of any type.
  auto list = dyn_cast<ArrayAttr>(value);
  return (list && list.empty() && isList()) || getAttributeKind(value) == kind;
}

bool FormalAttribute::isDefault(Attribute value) const {
  if (!hasDefault)
    return false;
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    int64_t number = 0;
    return !defaultText.getAsInteger(10, number) && integer.getInt() == number;
  }
  if (auto real = dyn_cast<FloatAttr>(value)) {
    double number = 0;
    return !defaultText.getAsDouble(number) &&
           static_cast<float>(real.getValueAsDouble()) ==
               static_cast<float>(number);
  }
  auto text = dyn_cast<StringAttr>(value);
  return text && text.getValue() == defaultText;
}

bool VersionSchema::isDefault(StringRef attribute, Attribute value) const {
  return value &&
         llvm::any_of(getAttributes(), [&](const FormalAttribute &formal) {
           return formal.name == attribute && formal.isDefault(value);
         });
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// " 1 (B)" of an input or output.
static std::string describe(StringRef what, size_t index,
                            ArrayRef<FormalParameter> formals) {
  const FormalParameter &formal = formals[std::min(index, formals.size() - 1)];
  return (what + " " + Twine(index) + " (" + formal.name + ")").str();
}

/// Whether there are more values than the version has parameters.
static std::string findSurplus(StringRef what, int version,
                               ArrayRef<FormalParameter> formals,
                               ArrayRef<Type> types) {
  while (!types.empty() && !types.back())
    types = types.drop_back();
  if (types.size() <= formals.size() ||
      (!formals.empty() && formals.back().isVariadic))
    return "";
  return ("has " + Twine(types.size()) + " " + what + "s, version " +
          Twine(version) + " has at most " + Twine(formals.size()))
      .str();
}

/// Whether values are missing at the end. What is left out before has been
/// written by exporters where it does not matter (Resize-11's roi).
static std::string findEnd(StringRef what, ArrayRef<FormalParameter> formals,
                           size_t count) {
  for (size_t i = count; i < formals.size(); ++i)
    if (!formals[i].isVariadic && !formals[i].isOptional)
      return describe(what, i, formals) + " is missing";
  return "";
}

/// Whether a value is missing.
static std::string findGap(StringRef what, ArrayRef<FormalParameter> formals,
                           ArrayRef<Type> types) {
  for (auto [i, formal] : llvm::enumerate(formals))
    if (!formal.isVariadic && !formal.isOptional &&
        (i >= types.size() || !types[i]))
      return describe(what, i, formals) + " is missing";
  return "";
}

/// Whether the version does not take one of the types.
static std::string findOtherType(StringRef what, int version,
                                 ArrayRef<FormalParameter> formals,
                                 ArrayRef<Type> types) {
  for (auto [i, type] : llvm::enumerate(types))
    if (type && !formals[std::min<size_t>(i, formals.size() - 1)].takes(type))
      return (describe(what, i, formals) + " is of type " +
              getOnnxTypeName(type) + ", which version " + Twine(version) +
              " does not take")
          .str();
  return "";
}

namespace {
/// The first value of a type variable.
struct Binding {
  Type element;
  std::string value;
};
using Bindings = llvm::StringMap<Binding>;
} // namespace

/// Whether tensors are of other element types than those before of the same
/// type variable.
static std::string findMixedTypes(StringRef what, int version,
                                  ArrayRef<FormalParameter> formals,
                                  ArrayRef<Type> types, Bindings &bindings) {
  for (auto [i, type] : llvm::enumerate(types)) {
    const FormalParameter &formal =
        formals[std::min<size_t>(i, formals.size() - 1)];
    auto tensor = dyn_cast_or_null<TensorType>(type);
    if (!tensor || formal.typeVariable.empty())
      continue;
    std::string value = describe(what, i, formals);
    auto [bound, isFirst] = bindings.try_emplace(
        formal.typeVariable, Binding{tensor.getElementType(), value});
    const Binding &first = bound->second;
    if (!isFirst && first.element != tensor.getElementType())
      return (value + " is of type " + getOnnxTypeName(type) + ", but " +
              first.value + " of " + getOnnxTypeName(first.element) +
              ": version " + Twine(version) + " takes one type for both")
          .str();
  }
  return "";
}

static std::string findAttributeFault(int version,
                                      ArrayRef<FormalAttribute> formals,
                                      ArrayRef<NamedAttribute> given,
                                      ArrayRef<StringRef> graphs) {
  auto judge = [&](StringRef name, Attribute value) -> std::string {
    const auto *formal =
        llvm::find_if(formals, [&](const FormalAttribute &formal) {
          return formal.name == name;
        });
    if (formal != formals.end())
      return formal->takes(value)
                 ? ""
                 : ("attribute '" + name + "' is of type " +
                    (value ? getAttributeKind(value) : "GRAPH") +
                    ", expected " + formal->kind)
                       .str();
    std::string names = llvm::join(
        llvm::map_range(
            formals, [](const FormalAttribute &formal) { return formal.name; }),
        ", ");
    return ("attribute '" + name + "' is unknown to version " + Twine(version) +
            ", which has " + (names.empty() ? "none" : names))
        .str();
  };
  for (NamedAttribute attribute : given)
    if (std::string fault = judge(attribute.getName(), attribute.getValue());
        !fault.empty())
      return fault;
  for (StringRef graph : graphs)
    if (std::string fault = judge(graph, Attribute()); !fault.empty())
      return fault;
  for (const FormalAttribute &formal : formals) {
    auto isHere = [&](NamedAttribute attribute) {
      return attribute.getName() == formal.name;
    };
    if (formal.isRequired && llvm::none_of(given, isHere) &&
        !llvm::is_contained(graphs, formal.name))
      return ("attribute '" + formal.name + "' is missing").str();
  }
  return "";
}

/// The first of the texts that says something.
static std::string
findFirst(ArrayRef<llvm::function_ref<std::string()>> texts) {
  for (llvm::function_ref<std::string()> text : texts)
    if (std::string found = text(); !found.empty())
      return found;
  return "";
}

std::string VersionSchema::findFault(ArrayRef<Type> inputTypes,
                                     ArrayRef<NamedAttribute> given,
                                     ArrayRef<StringRef> graphs,
                                     ArrayRef<Type> outputTypes) const {
  if (isReplaced())
    return "version " + std::to_string(version) +
           " of its domain has replaced the operator by another one";
  Bindings bindings;
  // An output that is not named is computed all the same.
  return findFirst(
      {[&] {
         return findAttributeFault(version, getAttributes(), given, graphs);
       },
       [&] { return findSurplus("input", version, getInputs(), inputTypes); },
       [&] { return findEnd("input", getInputs(), inputTypes.size()); },
       [&] { return findOtherType("input", version, getInputs(), inputTypes); },
       [&] {
         return findMixedTypes("input", version, getInputs(), inputTypes,
                               bindings);
       },
       [&] {
         return findSurplus("output", version, getOutputs(), outputTypes);
       }});
}

std::string VersionSchema::findMisfit(ArrayRef<Type> inputTypes,
                                      ArrayRef<NamedAttribute> given,
                                      ArrayRef<StringRef> graphs,
                                      ArrayRef<Type> outputTypes) const {
  Bindings bindings;
  return findFirst(
      {[&] { return findFault(inputTypes, given, graphs, outputTypes); },
       [&] { return findGap("input", getInputs(), inputTypes); },
       [&] { return findGap("output", getOutputs(), outputTypes); },
       [&] {
         return findOtherType("output", version, getOutputs(), outputTypes);
       },
       [&] {
         return findMixedTypes("input", version, getInputs(), inputTypes,
                               bindings);
       },
       [&] {
         return findMixedTypes("output", version, getOutputs(), outputTypes,
                               bindings);
       }});
}
