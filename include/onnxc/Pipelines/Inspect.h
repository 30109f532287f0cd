//===- Inspect.h - What is in a model, from the file ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_INSPECT_H
#define ONNXC_PIPELINES_INSPECT_H

#include "onnxc/Import/Import.h"
#include "onnxc/Inspect/CompiledView.h"
#include "onnxc/Inspect/Summary.h"
#include "onnxc/Pipelines/Pipelines.h"

#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace onnxc {

struct InspectRequest {
  std::string inputPath;
  /// The model itself, if it is in memory; the path is what errors call it.
  std::shared_ptr<const llvm::MemoryBuffer> bytes;
  /// inputShapes, dims and maxTensorBytes; of viewCompiled also optLevel and
  /// target, the native processor without one.
  StageOptions options;
  /// How many nodes a model may have, how deep it may be nested.
  ImportOptions limits;
};

/// A model as it was read, and, unless something kept it from being brought to
/// its newest form, that with types inferred.
struct InspectedModel {
  mlir::OwningOpRef<mlir::ModuleOp> imported, inferred;
  ModelSummary summary;
};

/// Reads a model, of which external data may be missing. Errors of the file and
/// of the request are diagnostics of the context; what keeps shapes from being
/// inferred stands in the summary.
llvm::FailureOr<InspectedModel> inspectModel(const InspectRequest &request,
                                             mlir::MLIRContext &context);

/// Compiles as far as there is something to draw. A stage that fails ends that,
/// and the view says why; wrong options are diagnostics of the context.
llvm::FailureOr<CompiledView> viewCompiled(const InspectRequest &request,
                                           mlir::MLIRContext &context);

} // namespace onnxc

#endif // ONNXC_PIPELINES_INSPECT_H
