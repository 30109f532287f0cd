//===- Target.h - The machine that code is made for ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_TARGET_H
#define ONNXC_LIB_EMIT_TARGET_H

#include "onnxc/Emit/Emit.h"
#include "onnxc/Target/Architecture.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace onnxc {

/// A target that onnxc can write files for.
struct EmitTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  /// Features that LLVM may use and the runtime can check; which of them the
  /// code does use, RequiredFeatures.h finds.
  std::vector<CheckableFeature> checkedFeatures;

  const llvm::Triple &triple() const { return machine->getTargetTriple(); }

  /// For the target of the module. Fails with an error if it has none.
  static llvm::FailureOr<EmitTarget> create(mlir::ModuleOp module,
                                            const EmitOptions &options);
};

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_TARGET_H
