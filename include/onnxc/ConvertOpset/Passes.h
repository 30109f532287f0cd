//===- Passes.h - Passes that change a model's opsets ----------------- -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERTOPSET_PASSES_H
#define ONNXC_CONVERTOPSET_PASSES_H

#include "mlir/Pass/Pass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/ConvertOpset/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_CONVERTOPSET_PASSES_H
