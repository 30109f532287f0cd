//===- Diagnostics.cpp - How errors reach the person ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// The file, and for text that a person wrote also line and column: in a model
/// the "line" is a node number, which the node's name says better, and there is
/// no column.
static std::string describeFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found || found.getFilename().empty())
    return "";
  std::string text = found.getFilename().str();
  if (found.getLine() && found.getColumn())
    text += ":" + std::to_string(found.getLine()) + ":" +
            std::to_string(found.getColumn());
  return text;
}

/// Drops MLIR's "'onnx.Conv' op " where the line names the node already.
static StringRef dropOpPrefix(StringRef message, StringRef opType) {
  StringRef rest = message;
  if (!rest.consume_front("'"))
    return message;
  auto [opName, afterName] = rest.split('\'');
  StringRef name = opName.rsplit('.').second;
  // An op that has not found its own form yet is a "node".
  if ((!name.equals_insensitive(opType) && name != "node") ||
      !afterName.consume_front(" op "))
    return message;
  return afterName;
}

/// What a name and a message show at most: a model can have names of megabytes.
static constexpr size_t maxNameBytes = 256;
static constexpr size_t maxMessageBytes = 4096;

/// What a model says is printed as text that a terminal, and Python, can take:
/// control characters and bytes that are not UTF-8 become \xNN, and the middle
/// of what is longer than `limit` is left out. `isLine`: line breaks, too.
static std::string makePrintable(StringRef text, size_t limit, bool isLine) {
  std::string cut;
  if (text.size() > limit) {
    cut = (text.take_front(limit / 2) + " ... " + text.take_back(limit / 4) +
           " (" + llvm::Twine(text.size()) + " bytes)")
              .str();
    text = cut;
  }
  std::string printable;
  auto escape = [&](char c) {
    printable += "\\x" + llvm::utohexstr(static_cast<uint8_t>(c),
                                         /*LowerCase=*/false, /*Width=*/2);
  };
  auto append = [&](StringRef valid) {
    for (char c : valid)
      if (c == '\n' && isLine)
        printable += "\\n";
      else if ((static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\t') ||
               c == 0x7f)
        escape(c);
      else
        printable += c;
  };
  size_t valid = 0;
  while (!llvm::json::isUTF8(text, &valid)) {
    append(text.take_front(valid));
    escape(text[valid]);
    text = text.drop_front(valid + 1);
  }
  append(text);
  return printable;
}

std::string onnxc::getPrintableName(StringRef name) {
  return makePrintable(name, maxNameBytes, /*isLine=*/true);
}

std::string onnxc::getMessage(Diagnostic &diagnostic,
                              const std::optional<NodeName> &node,
                              const DiagnosticWording &wording) {
  std::string text =
      wording.writeMessage
          ? wording.writeMessage(diagnostic, node ? node->opType : "")
          : diagnostic.str();
  StringRef message = text;
  if (node)
    message = dropOpPrefix(message, node->opType);
  return makePrintable(message.rtrim(), maxMessageBytes, /*isLine=*/false);
}

std::string onnxc::describeNode(const NodeName &node) {
  std::string name = " '" + getPrintableName(node.name) + "'";
  if (node.opType == "Initializer")
    return "initializer" + name;
  if (node.opType == "Function")
    return "function" + name;
  return "node" + name + " (" + getPrintableName(node.opType) + ")";
}

static std::string formatOne(Diagnostic &diagnostic,
                             const DiagnosticWording &wording,
                             StringRef severity) {
  std::string text;
  std::string file = describeFile(diagnostic.getLocation());
  if (!file.empty())
    text += file + ": ";
  text += severity.str();
  std::optional<NodeName> node =
      wording.findNode ? wording.findNode(diagnostic.getLocation())
                       : std::nullopt;
  if (node)
    text += describeNode(*node) + ": ";
  return text + getMessage(diagnostic, node, wording) + "\n";
}

std::string onnxc::formatDiagnostic(Diagnostic &diagnostic,
                                    const DiagnosticWording &wording) {
  StringRef severity;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    break; // the plain case
  case DiagnosticSeverity::Warning:
    severity = "warning: ";
    break;
  case DiagnosticSeverity::Remark:
    severity = "remark: ";
    break;
  case DiagnosticSeverity::Note:
    severity = "note: ";
    break;
  }
  std::string text = formatOne(diagnostic, wording, severity);
  for (Diagnostic &note : diagnostic.getNotes())
    text += "  " + formatOne(note, wording, "");
  return text;
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, raw_ostream &os,
                                     DiagnosticWording wording, bool remarks,
                                     std::function<void()> beforeText)
    : ScopedDiagnosticHandler(context) {
  setHandler([this, &os, wording = std::move(wording), remarks,
              beforeText = std::move(beforeText),
              warned = llvm::StringSet<>()](Diagnostic &diagnostic) mutable {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && !remarks)
      return success();
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors = true;
    std::string text = formatDiagnostic(diagnostic, wording);
    // A function is inlined, and a branch inferred, more than once.
    if (diagnostic.getSeverity() == DiagnosticSeverity::Warning &&
        !warned.insert(text).second)
      return success();
    if (beforeText)
      beforeText();
    os << text;
    os.flush();
    return success();
  });
}

void onnxc::markUnsupported(Diagnostic &diagnostic, const UnsupportedUse &use) {
  Builder b(diagnostic.getLocation()->getContext());
  diagnostic.getMetadata().push_back(DiagnosticArgument(b.getDictionaryAttr(
      {b.getNamedAttr("unsupported_op", b.getStringAttr(use.opType)),
       b.getNamedAttr("domain", b.getStringAttr(use.domain)),
       b.getNamedAttr("version", b.getI64IntegerAttr(use.version)),
       b.getNamedAttr("count", b.getI64IntegerAttr(use.count)),
       b.getNamedAttr("reason", b.getStringAttr(use.reason))})));
}

std::optional<UnsupportedUse> onnxc::readUnsupported(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() !=
        DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      continue;
    auto marks = dyn_cast<DictionaryAttr>(argument.getAsAttribute());
    if (!marks || !marks.contains("unsupported_op"))
      continue;
    auto text = [&](StringRef name) {
      return marks.getAs<StringAttr>(name).getValue().str();
    };
    auto number = [&](StringRef name) {
      return marks.getAs<IntegerAttr>(name).getInt();
    };
    return UnsupportedUse{text("unsupported_op"), text("domain"),
                          number("version"), number("count"), text("reason")};
  }
  return std::nullopt;
}

void UnsupportedOps::add(StringRef opType, StringRef domain, int64_t version,
                         Location location, StringRef reason) {
  Kind kind{domain.str(), opType.str(), version};
  ++uses.try_emplace({std::move(kind), reason.str()}, Use{location, 0})
        .first->second.count;
}

LogicalResult UnsupportedOps::report(Location where) const {
  if (uses.empty())
    return success();
  std::set<Kind> kinds;
  for (const auto &[kind, use] : uses)
    kinds.insert(kind.first);
  InFlightDiagnostic error = emitError(where);
  error << kinds.size()
        << (kinds.size() == 1 ? " operator is" : " operators are")
        << " not supported by this version of onnxc:";
  for (const auto &[key, use] : uses) {
    const auto &[kind, reason] = key;
    const auto &[domain, opType, version] = kind;
    Diagnostic &note = error.attachNote(use.first);
    markUnsupported(note, {opType, domain, version, use.count, reason});
    note << opType << " of domain '" << (domain.empty() ? "ai.onnx" : domain)
         << "'"
         << (version          ? " version " + std::to_string(version)
             : domain.empty() ? ""
                              : ", of which the model imports no version")
         << ": " << use.count
         << (use.count == 1 ? " node" : " nodes, this is the first")
         << (reason.empty() ? "" : ": ") << reason;
  }
  return error;
}

void onnxc::setCrashText() {
  llvm::setBugReportMsg(
      "This is an error of onnxc, not of the model or of the command. Please "
      "report it to\nthe onnxc project, with the model if you can, the command "
      "below and the stack.\n");
}
