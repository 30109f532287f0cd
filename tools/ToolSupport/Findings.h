//===- Findings.h - What is wrong, for people and programs ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --diagnostics= and --color=: errors and warnings as text, as JSON, an object
// in a line for each, or as one SARIF log. docs/diagnostics.md lists the codes.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_FINDINGS_H
#define ONNXC_TOOLS_TOOLSUPPORT_FINDINGS_H

#include "onnxc/Support/FindingCode.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>
#include <vector>

namespace onnxc {

class Arguments;

/// The exit statuses of the commands, beside 0.
namespace status {
/// The model, a file of the user, or a run of the model.
inline constexpr int model = 1;
/// The command line.
inline constexpr int usage = 2;
/// onnxc itself (EX_SOFTWARE of sysexits.h).
inline constexpr int internal = 70;
} // namespace status

struct Finding {
  FindingCode code;
  /// "error", "warning" or "remark".
  llvm::StringRef severity;
  std::string message;
  /// Empty or 0 where it is not known.
  std::string file;
  unsigned line = 0, column = 0;
  std::string node, opType;
  std::vector<std::string> notes;
};

/// The exit status of a command whose first error is that.
int getStatus(FindingCode code);

/// Prints findings to `os` in the form that the command line asks for.
class FindingWriter {
public:
  enum class Format { Text, Json, Sarif };

  FindingWriter(const Arguments &arguments, llvm::StringRef tool,
                llvm::raw_ostream &os);
  /// As text, where there is no option for another form.
  explicit FindingWriter(llvm::raw_ostream &os);
  /// Ends the SARIF log.
  ~FindingWriter();

  bool isText() const { return format == Format::Text; }
  /// Not of text, which has another form.
  void add(const Finding &finding);
  /// The text of a finding, colored where that is asked for.
  void print(llvm::StringRef text, llvm::StringRef severity);

private:
  Format format;
  bool isColored;
  std::string tool;
  llvm::raw_ostream &os;
  std::vector<Finding> log;
};

/// Prints the diagnostics of a context while it lives.
class DiagnosticReporter : public mlir::ScopedDiagnosticHandler {
public:
  /// Errors and warnings; remarks too if `remarks` is set. `beforeText` is
  /// called first, so that a progress line can step aside.
  DiagnosticReporter(mlir::MLIRContext *context, FindingWriter &writer,
                     bool remarks = false,
                     std::function<void()> beforeText = {});

  /// Whether an error was reported: the caller need not add words of its own.
  bool hadError() const { return exitStatus != 0; }
  /// By the first error; 0 without one.
  int status() const { return exitStatus; }
  /// The status of work on `file` that failed: by the first error, and where
  /// there is none that is reported as an error of onnxc's own. `what` has
  /// failed, "the stage 'emit' ", or nothing that has a name.
  int getFailure(llvm::StringRef file, const llvm::Twine &what = "");

private:
  int reportInternal(const llvm::Twine &message, llvm::StringRef file);
  void report(mlir::Diagnostic &diagnostic);

  FindingWriter &writer;
  bool remarks;
  std::function<void()> beforeText;
  DiagnosticWording wording;
  llvm::StringSet<> warned;
  int exitStatus = 0;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_FINDINGS_H
