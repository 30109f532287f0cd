//===- Findings.cpp - What is wrong, for people and programs --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"

#include "Arguments.h"

#include "onnxc/Pipelines/Compile.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"

#include <cstdlib>

using namespace llvm;
using namespace onnxc;

namespace {

/// A code, and what a SARIF log says of it.
struct Rule {
  FindingCode code;
  StringLiteral text;
};

constexpr Rule rules[] = {
    {FindingCode::UnsupportedOperator,
     "An operator, or a form of one, that onnxc cannot compile"},
    {FindingCode::InvalidNode, "A node of the model"},
    {FindingCode::InvalidModel, "The model, but none of its nodes"},
    {FindingCode::InvalidOption, "The value of an option"},
    {FindingCode::UnwritableOutput, "A file that is to be written"},
    {FindingCode::InternalError, "A fault of onnxc itself"},
};

} // namespace

int onnxc::getStatus(FindingCode code) {
  switch (code) {
  case FindingCode::InvalidOption:
    return status::usage;
  case FindingCode::InternalError:
    return status::internal;
  default:
    return status::model;
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static FindingWriter::Format chooseFormat(const Arguments &arguments) {
  std::string name = arguments.getChoice(OPT_diagnostics, "text");
  return name == "json"    ? FindingWriter::Format::Json
         : name == "sarif" ? FindingWriter::Format::Sarif
                           : FindingWriter::Format::Text;
}

static bool chooseColor(const Arguments &arguments) {
  std::string when = arguments.getChoice(OPT_color, "auto");
  if (when != "auto")
    return when == "always";
  // https://no-color.org
  const char *none = std::getenv("NO_COLOR");
  return !(none && *none) && sys::Process::StandardErrHasColors();
}

FindingWriter::FindingWriter(const Arguments &arguments, StringRef tool,
                             raw_ostream &os)
    : format(chooseFormat(arguments)), isColored(chooseColor(arguments)),
      tool(tool.split(' ').first), os(os) {}

FindingWriter::FindingWriter(raw_ostream &os)
    : format(Format::Text), isColored(false), os(os) {}

static void writeJson(json::OStream &out, const Finding &finding) {
  out.object([&] {
    out.attribute("severity", finding.severity);
    out.attribute("code", getName(finding.code));
    out.attribute("message", finding.message);
    if (!finding.file.empty())
      out.attribute("file", finding.file);
    if (finding.line) {
      out.attribute("line", finding.line);
      out.attribute("column", finding.column);
    }
    if (!finding.opType.empty()) {
      out.attribute("node", finding.node);
      out.attribute("operator", finding.opType);
    }
    if (!finding.notes.empty())
      out.attributeArray("notes", [&] {
        for (const std::string &note : finding.notes)
          out.value(note);
      });
  });
}

/// One result of SARIF 2.1.0.
static void writeResult(json::OStream &out, const Finding &finding) {
  out.object([&] {
    out.attribute("ruleId", getName(finding.code));
    out.attribute("level",
                  finding.severity == "remark" ? "note" : finding.severity);
    out.attributeObject("message", [&] {
      std::string text = finding.message;
      for (const std::string &note : finding.notes)
        text += "\n" + note;
      out.attribute("text", text);
    });
    if (finding.file.empty() && finding.opType.empty())
      return;
    out.attributeArray("locations", [&] {
      out.object([&] {
        if (!finding.file.empty())
          out.attributeObject("physicalLocation", [&] {
            out.attributeObject("artifactLocation",
                                [&] { out.attribute("uri", finding.file); });
            if (finding.line)
              out.attributeObject("region", [&] {
                out.attribute("startLine", finding.line);
                out.attribute("startColumn", finding.column);
              });
          });
        if (!finding.opType.empty())
          out.attributeArray("logicalLocations", [&] {
            out.object([&] {
              out.attribute("name", finding.node);
              out.attribute("fullyQualifiedName",
                            finding.opType + " '" + finding.node + "'");
              out.attribute("kind", "element");
            });
          });
      });
    });
  });
}

FindingWriter::~FindingWriter() {
  if (format != Format::Sarif)
    return;
  json::OStream out(os, 2);
  out.object([&] {
    out.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    out.attribute("version", "2.1.0");
    out.attributeArray("runs", [&] {
      out.object([&] {
        out.attributeObject("tool", [&] {
          out.attributeObject("driver", [&] {
            out.attribute("name", tool);
            out.attribute("version", ONNXC_VERSION);
            out.attributeArray("rules", [&] {
              for (const Rule &rule : rules)
                out.object([&] {
                  out.attribute("id", getName(rule.code));
                  out.attributeObject("shortDescription", [&] {
                    out.attribute("text", rule.text);
                  });
                });
            });
          });
        });
        out.attributeArray("results", [&] {
          for (const Finding &finding : log)
            writeResult(out, finding);
        });
      });
    });
  });
  os << "\n";
}

void FindingWriter::add(const Finding &finding) {
  if (format == Format::Sarif) {
    log.push_back(finding);
    return;
  }
  json::OStream out(os);
  writeJson(out, finding);
  os << "\n";
  os.flush();
}

void FindingWriter::print(StringRef text, StringRef severity) {
  if (!isColored) {
    os << text;
    os.flush();
    return;
  }
  // The first line; what follows are notes.
  auto [first, rest] = text.split('\n');
  os << (severity == "error"     ? "\x1b[1;31m"
         : severity == "warning" ? "\x1b[1;35m"
                                 : "\x1b[1m")
     << first << "\x1b[0m\n"
     << rest;
  os.flush();
}

//===----------------------------------------------------------------------===//
// Diagnostics of MLIR
//===----------------------------------------------------------------------===//

static StringRef getSeverity(const mlir::Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  default:
    return "remark";
  }
}

/// All but its text's own form.
static Finding describe(mlir::Diagnostic &diagnostic,
                        const DiagnosticWording &wording) {
  std::optional<NodeName> node = wording.findNode(diagnostic.getLocation());
  std::string message = getMessage(diagnostic, node, wording);
  Finding finding;
  finding.code = classify(diagnostic, wording);
  finding.severity = getSeverity(diagnostic);
  finding.message = std::move(message);
  diagnostic.getLocation()->walk([&](mlir::Location part) {
    auto found = dyn_cast<mlir::FileLineColLoc>(part);
    if (!found)
      return mlir::WalkResult::advance();
    finding.file = found.getFilename().str();
    // In a model the "line" is the node's number, and there is no column.
    if (found.getColumn()) {
      finding.line = found.getLine();
      finding.column = found.getColumn();
    }
    return mlir::WalkResult::interrupt();
  });
  if (node) {
    finding.node = getPrintableName(node->name);
    finding.opType = getPrintableName(node->opType);
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::optional<NodeName> at = wording.findNode(note.getLocation());
    std::string text = getMessage(note, at, wording);
    finding.notes.push_back(at ? describeNode(*at) + ": " + text : text);
  }
  return finding;
}

DiagnosticReporter::DiagnosticReporter(mlir::MLIRContext *context,
                                       FindingWriter &writer, bool remarks,
                                       std::function<void()> beforeText)
    : ScopedDiagnosticHandler(context), writer(writer), remarks(remarks),
      beforeText(std::move(beforeText)), wording(getOnnxWording()) {
  setHandler([this](mlir::Diagnostic &diagnostic) { report(diagnostic); });
}

void DiagnosticReporter::report(mlir::Diagnostic &diagnostic) {
  StringRef severity = getSeverity(diagnostic);
  if (severity == "remark" && !remarks)
    return;
  Finding finding = describe(diagnostic, wording);
  if (severity == "error" && !exitStatus)
    exitStatus = getStatus(finding.code);
  std::string text = formatDiagnostic(diagnostic, wording);
  // A function is inlined, and a branch inferred, more than once.
  if (severity == "warning" && !warned.insert(text).second)
    return;
  if (beforeText)
    beforeText();
  if (writer.isText())
    writer.print(text, severity);
  else
    writer.add(finding);
}

int DiagnosticReporter::getFailure(StringRef file, const Twine &what) {
  return hadError()
             ? status()
             : reportInternal(
                   what + "failed without a message; that is an error of onnxc",
                   file);
}

int DiagnosticReporter::reportInternal(const Twine &message, StringRef file) {
  if (beforeText)
    beforeText();
  Finding finding;
  finding.code = FindingCode::InternalError;
  finding.severity = "error";
  finding.message = message.str();
  finding.file = file.str();
  if (writer.isText())
    writer.print((file + ": " + message + "\n").str(), "error");
  else
    writer.add(finding);
  exitStatus = getStatus(finding.code);
  return exitStatus;
}
