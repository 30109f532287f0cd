//===- Passes.h - Passes of the optimize stage ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_PASSES_H
#define ONNXC_OPTIMIZE_PASSES_H

#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {

#define GEN_PASS_DECL
#include "onnxc/Optimize/Passes.h.inc"

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_PASSES_H
