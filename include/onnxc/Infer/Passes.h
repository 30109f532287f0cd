//===- Passes.h - Passes of the infer stage ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INFER_PASSES_H
#define ONNXC_INFER_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Infer/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_INFER_PASSES_H
