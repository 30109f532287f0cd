//===- Check.h - Whether two models compute the same ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXOPTIMIZE_CHECK_H
#define ONNXC_TOOLS_ONNXOPTIMIZE_CHECK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace onnxc {

struct CheckOutcome {
  /// Runs that both models finished, and that both refused.
  unsigned compared = 0, refused = 0;
  /// The largest difference relative to the largest value of its output.
  double worst = 0;
  /// What differs more than rounding explains; empty if nothing does.
  std::string difference;
};

/// Compiles both models at -O0 and compares `runs` runs on random inputs. The
/// sizes that the models leave open are random, too, if `inputShapes` does not
/// tell them. What keeps a model from being compiled is a diagnostic of the
/// context as well.
llvm::Expected<CheckOutcome>
compareModels(llvm::StringRef before, llvm::StringRef after, unsigned runs,
              const std::vector<std::string> &inputShapes,
              mlir::MLIRContext &context);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXOPTIMIZE_CHECK_H
