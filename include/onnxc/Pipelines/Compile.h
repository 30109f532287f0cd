//===- Compile.h - One compile, from a file to a file --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_COMPILE_H
#define ONNXC_PIPELINES_COMPILE_H

#include "onnxc/Emit/Emit.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Pipelines/OptReport.h"
#include "onnxc/Pipelines/Session.h"

#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Upgrade/OpVersions.h"

#include <functional>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace onnxc {

/// What a compile writes.
enum class OutputKind {
  SharedObject,
  /// A program that runs the model on numpy's files.
  Program,
  Archive,
  Object,
  Assembly,
  LLVMIR,
  WebAssembly,
  MLIR,
  Header,
  /// A model: what was read, rewritten, and not compiled.
  Model,
};

/// By --emit= name or a file's suffix without the dot: "so", "mlir", ...
std::optional<OutputKind> parseOutputKind(llvm::StringRef name);

/// By a file's suffix: none is a program.
std::optional<OutputKind> outputKindFromPath(llvm::StringRef path);

/// Whether a C header is written, beside the output or as it.
bool hasHeader(OutputKind kind);

/// Whether onnxc reads this path as MLIR, and not as a model: .mlir is text,
/// .mlirbc bytecode.
bool isMLIRFile(llvm::StringRef path);

/// What one stage took.
struct StageCost {
  Stage stage;
  double seconds;
  /// The most memory that the process had used by the end of the stage.
  uint64_t peakBytes;
  /// So many levels of processors had this and other stages at the same time:
  /// `seconds` is its share of the time that passed, and the memory is that of
  /// all of them.
  size_t levels = 1;
};

/// What a context of the model will take, and the weights.
struct MemoryPlan {
  uint64_t weights = 0;
  /// For intermediate results of fixed size: the arena, and what is alive at
  /// once at most, below which no plan can go.
  uint64_t workspace = 0, lowerBound = 0;
  /// For each thread.
  uint64_t scratch = 0;
};

struct CompileRequest {
  /// A .onnx file, or a .mlir file.
  std::string inputPath;
  /// The model itself, if it is in memory; then the path is what errors call
  /// it, and where external data is looked for.
  std::shared_ptr<const llvm::MemoryBuffer> bytes;
  /// "-" is the standard output, for text.
  std::string outputPath;
  OutputKind kind = OutputKind::SharedObject;

  /// The first stage to run; for .mlir files. Without it, the one after the
  /// stage that the file says it was written by, or upgrade.
  std::optional<Stage> startFrom;
  /// The last stage to run; for OutputKind::MLIR and Model.
  std::optional<Stage> stopAfter;
  /// The opsets of a Model, if not those of what is read: "17",
  /// "ai.onnx.ml=3".
  std::vector<std::string> opsets;
  /// The file for large weights beside a Model; empty: they stay where they
  /// are.
  std::string saveExternal;

  StageOptions options;
  RewriteFailure rewriteFailure = RewriteFailure::ByBuild;
  /// How many nodes a model may have, how deep it may be nested; and which
  /// overridable initializers are constants.
  ImportOptions limits;
  /// All initializers are constants.
  bool freeze = false;

  /// First part of the names of all symbols; empty: from the output's name.
  std::string prefix;
  bool fastMath = false;
  /// Check every access of the generated code by AddressSanitizer; implies
  /// StageOptions::separateBuffers.
  bool sanitizeAddress = false;
  /// Write the C header beside what a C program links or loads.
  bool header = true;
  /// With onnxc/runtime.h in it.
  bool standaloneHeader = false;

  /// Where to leave the module after each stage; empty for nowhere.
  std::string dumpDirectory;

  /// Filled with what was decided for each node, if not null.
  OptReport *optReport = nullptr;

  /// Filled with the operator versions of the model as read, if not null.
  std::vector<OpVersionUse> *opVersions = nullptr;

  /// Called before a stage begins.
  std::function<void(Stage)> onStage;
  /// Filled with what the stages took, if not null.
  std::vector<StageCost> *costs = nullptr;
  /// Filled with what the code asks of the processor, as LLVM names it, if not
  /// null; of several levels, of the last one.
  std::vector<std::string> *cpuFeatures = nullptr;
  /// Filled with LLVM's part of the emit stage, if not null.
  EmitTimes *emitTimes = nullptr;
  /// How many threads make machine code; 0 for one per core. The other stages
  /// use those of the context.
  unsigned threads = 0;
  /// Filled once memory is planned, if not null.
  std::optional<MemoryPlan> *memory = nullptr;
};

/// The processor where the user names none: "portable" for a library of a
/// model; for what is not shipped (a text, plain loops, a module that a
/// developer gives), and where features are stated one by one, "native", or ""
/// if there is a triple, which need not be this machine's.
llvm::StringRef getDefaultCpu(const CompileRequest &request);

/// The triple where none is asked for: "" for this machine's.
llvm::StringRef getDefaultTriple(const CompileRequest &request);

/// StageOptions::batchOfOne for a request that is complete otherwise: where
/// code is optimized and no sizes are stated.
bool wantsBatchOfOne(const CompileRequest &request);

/// The stages that a request asks for. Import is the first only for .onnx
/// files, Emit the last unless MLIR or a header is asked for. For a .mlir file
/// without `startFrom` the first stage is what the file itself does not decide.
struct StageRange {
  Stage first, last;
};
StageRange getStageRange(const CompileRequest &request);

/// The passes between reading and writing of an OutputKind::Model.
std::string getModelPipelineText(const CompileRequest &request);

/// The node of the model that an operation's location names.
std::optional<NodeName> findNode(mlir::Location location);

/// ONNX's words, for a DiagnosticPrinter.
DiagnosticWording getOnnxWording();

/// Compiles. Errors are emitted as diagnostics in `context`. On failure
/// no output is written, and one from before stays as it was.
llvm::LogicalResult compile(const CompileRequest &request,
                            mlir::MLIRContext &context);

} // namespace onnxc

#endif // ONNXC_PIPELINES_COMPILE_H
