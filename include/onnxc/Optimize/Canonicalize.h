//===- Canonicalize.h - Rewrites as canonicalization ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_CANONICALIZE_H
#define ONNXC_OPTIMIZE_CANONICALIZE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace onnxc {

/// Makes `--canonicalize` apply the rewrites that are always a gain and change
/// no value: those of patterns that are bit-exact, or exact but for the sign of
/// a zero, in the groups "clean" and "movement" of the default pipeline.
void registerCanonicalization(mlir::DialectRegistry &registry);

} // namespace onnxc

#endif // ONNXC_OPTIMIZE_CANONICALIZE_H
