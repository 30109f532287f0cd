//===- Check.h - What is wrong with a model, and what onnxc lacks ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile stops at the first stage that finds something. A check goes on as
// far as it makes sense, and makes no code: the stages up to lower say
// everything that a compile would refuse.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_CHECK_H
#define ONNXC_PIPELINES_CHECK_H

#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/Pipelines.h"
#include "onnxc/Support/FindingCode.h"
#include "onnxc/Upgrade/OpVersions.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
class raw_ostream;
} // namespace llvm

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace onnxc {

struct CheckRequest {
  std::string inputPath;
  /// The model itself, if it is in memory; then the path is what errors call
  /// it, and where external data is looked for.
  std::shared_ptr<const llvm::MemoryBuffer> bytes;
  /// optLevel: a model may be compiled at one level only, since rewrites take
  /// away what cannot be lowered.
  StageOptions options;
  /// How many nodes a model may have, how deep it may be nested; and which
  /// overridable initializers are constants.
  ImportOptions limits;
  /// All initializers are constants.
  bool freeze = false;
  /// No more faults are looked for, and listed.
  int64_t maxFaults = 1000;
};

/// What a check found.
struct CheckReport {
  /// Something that is wrong, or (among the warnings) looks so.
  struct Fault {
    Stage stage;
    /// Empty where it concerns no node.
    std::string node, opType;
    std::string message;
    std::vector<std::string> notes;
    FindingCode code = FindingCode::InternalError;
  };
  /// What onnxc cannot do, although the model is right.
  struct Unsupported {
    UnsupportedUse use;
    std::string firstNode;
  };

  std::string path;
  std::vector<Fault> faults, warnings;
  /// There may be more faults than those.
  bool isCutOff = false;
  /// The file could not be read as a model, which the faults say.
  bool isUnread = false;
  std::vector<Unsupported> unsupported;
  /// Of what could be read.
  std::vector<OpVersionUse> opVersions;
  int64_t numNodes = 0;

  bool isValid() const { return faults.empty(); }
  /// A compile at the level that was asked for works.
  bool isSupported() const { return isValid() && unsupported.empty(); }

  void printText(llvm::raw_ostream &os) const;
  /// docs/checking-a-model.md describes it.
  void printJson(llvm::raw_ostream &os) const;
};

/// Checks a model. Diagnostics go into the report alone. Weights are not read.
CheckReport checkModel(const CheckRequest &request, mlir::MLIRContext &context);

/// The table of --opset-report.
void printOpVersions(llvm::ArrayRef<OpVersionUse> uses, llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_PIPELINES_CHECK_H
