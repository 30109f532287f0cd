//===- Messages.cpp - Diagnostics in ONNX's words -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Messages.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::string spellTensor(TensorType tensor) {
  std::string element = getOnnxTypeName(tensor.getElementType());
  if (!tensor.hasRank())
    return element + "[...]";
  auto sizes = llvm::map_range(tensor.getShape(), [](int64_t size) {
    return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  });
  return element + "[" + llvm::join(sizes, ", ") + "]";
}

std::string onnxc::spellType(Type type) {
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case<TensorType>(spellTensor)
      .Case<SeqType>([](SeqType seq) {
        return "seq(" + spellType(seq.getElementType()) + ")";
      })
      .Case<OptType>([](OptType opt) {
        return "optional(" + spellType(opt.getElementType()) + ")";
      })
      .Case<MapType>([](MapType map) {
        return "map(" + getOnnxTypeName(map.getKeyType()) + ", " +
               spellType(map.getValueType()) + ")";
      })
      .Case<SparseType>([](SparseType sparse) {
        return "sparse " + spellType(sparse.getDenseType());
      })
      .Case<UnknownType>([](UnknownType) { return std::string("unknown"); })
      .Default([](Type other) {
        std::string text;
        llvm::raw_string_ostream(text) << "'" << other << "'";
        return text;
      });
}

//===----------------------------------------------------------------------===//
// Tags
//===----------------------------------------------------------------------===//

StringRef onnxc::dropRuleTag(StringRef message, StringRef opName) {
  std::string name = opName.substr(opName.rfind('.') + 1).lower();
  StringRef rest = message;
  if (!rest.consume_front(name) || !rest.consume_front("_"))
    return message;
  auto [tag, text] = rest.split(": ");
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (tag.empty() || tag.size() == rest.size() || !llvm::all_of(tag, isWord))
    return message;
  // "c2" is the number of a constraint.
  StringRef number = tag;
  return number.consume_front("c") && !number.empty() &&
                 llvm::all_of(number, llvm::isDigit)
             ? text
             : rest;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void onnxc::warnOfFault(Location location, const Twine &fault) {
  emitWarning(location) << fault << "; a run fails if it comes to this node";
}

/// As Diagnostic::str(), but for types, and numbers, which MLIR prints as
/// 5.000000e-01.
static std::string writeArguments(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (DiagnosticArgument &argument : diagnostic.getArguments())
    switch (argument.getKind()) {
    case DiagnosticArgument::DiagnosticArgumentKind::Type:
      os << spellType(argument.getAsType());
      break;
    case DiagnosticArgument::DiagnosticArgumentKind::Double:
      os << llvm::format("%g", argument.getAsDouble());
      break;
    default:
      argument.print(os);
    }
  return text;
}

std::string onnxc::writeMessage(Diagnostic &diagnostic, StringRef opType) {
  std::string message = writeArguments(diagnostic);
  StringRef rest = message;
  if (!rest.consume_front("'onnx."))
    return message;
  auto [opName, afterName] = rest.split('\'');
  if (!afterName.consume_front(" op "))
    return message;
  StringRef text = dropRuleTag(afterName, opName);
  // An op that has not found its own form yet is a "node", and a node can have
  // become several ops.
  if (opType.empty())
    return ("'onnx." + opName + "' op " + text).str();
  StringRef name = opName.substr(opName.rfind('.') + 1);
  if (name.equals_insensitive(opType) || name == "node" ||
      opType == "Initializer" || opType == "Function")
    return text.str();
  return ("its " + name + ": " + text).str();
}
