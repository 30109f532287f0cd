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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
    formal.hasDefault = word.contains('=');
    std::tie(formal.name, formal.defaultText) = word.split('=');
    formal.isRequired = formal.name.consume_back("!");
  }
  return formals;
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

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// As findMisfit, of the inputs or of the outputs.
static std::string findMisfit(StringRef what, ArrayRef<FormalParameter> formals,
                              ArrayRef<Type> types) {
  const bool isOpen = !formals.empty() && formals.back().isVariadic;
  if (types.size() > formals.size() && !isOpen)
    return (Twine("it has at most ") + Twine(formals.size()) + " " + what +
            "s there, here it has " + Twine(types.size()))
        .str();
  for (auto [i, formal] : llvm::enumerate(formals)) {
    if (formal.isVariadic)
      break;
    if (!formal.isOptional && (i >= types.size() || !types[i]))
      return ("its " + what + " '" + formal.name + "' must be there").str();
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    const FormalParameter &formal =
        formals[std::min<size_t>(i, formals.size() - 1)];
    if (type && !formal.takes(type))
      return ("its " + what + " '" + formal.name + "' is no " +
              getOnnxTypeName(type) + " there")
          .str();
  }
  return "";
}

std::string VersionSchema::findMisfit(ArrayRef<Type> inputTypes,
                                      ArrayRef<NamedAttribute> given,
                                      ArrayRef<StringRef> graphs,
                                      ArrayRef<Type> outputTypes) const {
  if (isReplaced())
    return "another operator has taken its place there";
  SmallVector<FormalAttribute> formals = getAttributes();
  auto isKnown = [&](StringRef attribute) {
    return llvm::any_of(formals, [&](const FormalAttribute &formal) {
      return formal.name == attribute;
    });
  };
  for (NamedAttribute attribute : given)
    if (!isKnown(attribute.getName()))
      return ("the attribute '" + attribute.getName().strref() +
              "' does not exist there")
          .str();
  for (StringRef graph : graphs)
    if (!isKnown(graph))
      return ("the graph '" + graph + "' does not exist there").str();
  for (const FormalAttribute &formal : formals) {
    auto isHere = [&](NamedAttribute attribute) {
      return attribute.getName() == formal.name;
    };
    if (formal.isRequired && llvm::none_of(given, isHere) &&
        !llvm::is_contained(graphs, formal.name))
      return ("the attribute '" + formal.name + "' must be there").str();
  }
  std::string misfit = ::findMisfit("input", getInputs(), inputTypes);
  return misfit.empty() ? ::findMisfit("output", getOutputs(), outputTypes)
                        : misfit;
}
