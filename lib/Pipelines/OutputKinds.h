//===- OutputKinds.h - Which kinds of files can be made ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_OUTPUTKINDS_H
#define ONNXC_LIB_PIPELINES_OUTPUTKINDS_H

#include "mlir/IR/Location.h"
#include "llvm/Support/LogicalResult.h"

namespace onnxc {

struct CompileRequest;

/// Refuses a kind of file that the target does not have, or that has no place
/// for what is asked for.
llvm::LogicalResult checkKind(mlir::Location loc,
                              const CompileRequest &request);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_OUTPUTKINDS_H
