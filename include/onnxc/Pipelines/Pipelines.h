//===- Pipelines.h - The stages of a compile and their order -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The only place that knows the order of the stages. The same table drives
// --stop-after, --start-from, --dump-stages, the progress line, --time-stages,
// and the pipelines that onnx-mlir-opt offers.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_PIPELINES_H
#define ONNXC_PIPELINES_PIPELINES_H

#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Target/TargetOptions.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace onnxc {

/// In the order in which they run. Import makes the module from a file and Emit
/// makes files from the module; the others are pipelines on it.
enum class Stage {
  Import,
  Upgrade,
  Infer,
  Optimize,
  Lower,
  Schedule,
  Bufferize,
  LLVM,
  Emit,
};

struct StageInfo {
  Stage stage;
  /// As in --stop-after=.
  llvm::StringLiteral name;
  /// As in --pass-pipeline=; empty for Import and Emit.
  llvm::StringLiteral pipeline;
  /// What the module looks like after it.
  llvm::StringLiteral contract;
};

/// All stages, in order.
llvm::ArrayRef<StageInfo> getStages();
const StageInfo &getStageInfo(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

/// What the stages between import and emit depend on. Every member reaches them
/// as an option of a stage pipeline, so that text can say all of it.
struct StageOptions {
  /// 0: plain loops in ONNX's order; 1: fused and vectorized.
  unsigned optLevel = 2;
  /// From optLevel 1 on, run the default rewrites of onnx-optimize.
  bool rewrites = true;
  /// Passes behind those of the optimize stage, where it runs the rewrites, as
  /// --pass-pipeline takes them; for tests.
  std::string afterRewrites;
  /// Shapes of inputs that the model leaves open, as in "x:1x3x?x?".
  std::vector<std::string> inputShapes;
  /// Sizes of named dimensions, "seq=128", or likely ones, "seq=1..512".
  std::vector<std::string> dims;
  /// Where no sizes are stated, a small model gets code for one item beside that
  /// for any number.
  bool batchOfOne = false;
  /// Dimensions along which sequences come in pulses: "time=160", "x:1=160".
  std::vector<std::string> pulses;
  /// The output that is given for the last position of a sequence alone; "" for
  /// none.
  std::string lastLogits;
  /// Of which products with weights of few bits the rows become 8-bit integers:
  /// "never", "model" or "always".
  std::string activationInt8 = "model";
  /// Outputs that are the next values of inputs, "present=past" or "auto", and
  /// how long these may become, 0 for any length.
  std::vector<std::string> states;
  uint64_t stateCapacity = 0;
  /// The model is only looked at: operators may be unknown, and types open.
  bool lenient = false;
  /// The model is written again behind infer: operators get only forms whose
  /// way back is known, and functions stay but where `inlineFunctions`.
  bool reversible = false;
  bool inlineFunctions = false;
  /// The most bytes that one tensor of the model may take.
  int64_t maxTensorBytes = defaults::max_tensor_bytes;
  /// The most bytes that a folded constant may take, if what it is computed
  /// from takes less.
  int64_t foldBudget = RewriteOptions().foldBudget;
  /// Allow Winograd's filtering of convolutions where it is exact enough.
  bool winograd = true;
  /// A file of measured schedules (`onnxc tune`); empty: none.
  std::string tuning;
  /// The processor that code is made for.
  TargetOptions target;
  /// Say of each op that stays a scalar loop why it does.
  bool remarks = false;
  /// Have the model note when the work for each node runs.
  bool profile = false;
  /// Leave the plan of the memory on the module, for a drawing of it.
  bool recordPlan = false;
  /// Allocate every temporary by itself: for EmitOptions::sanitizeAddress.
  bool separateBuffers = false;
};

/// The pipeline of one stage with its options: "onnxc-lower{...}". Empty for
/// Import and Emit.
std::string getStageText(Stage stage, const StageOptions &options);

/// Adds the passes of the stages upgrade and infer, for what is not run by a
/// Session: those of the text above.
void buildFrontStages(mlir::OpPassManager &pm, const StageOptions &options);

/// The pipelines of the stages first..last, as --pass-pipeline takes them.
std::string getPipelineText(Stage first, Stage last,
                            const StageOptions &options);

/// Runs pipelines of stages, as text, on the module. `verify`: what they leave
/// must be valid (between the passes nothing is verified: that takes a fourth
/// of a compile, and onnx-mlir-opt does it). `configure`: what the pass manager
/// is given before.
llvm::LogicalResult runPipelineText(
    mlir::ModuleOp module, llvm::StringRef text, bool verify = true,
    llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)> configure =
        nullptr);

/// Registers onnxc-upgrade .. onnxc-llvm.
void registerPipelines();

} // namespace onnxc

#endif // ONNXC_PIPELINES_PIPELINES_H
