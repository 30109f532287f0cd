//===- KernelGraph.h - Kernels and what goes between them ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_PIPELINES_KERNELGRAPH_H
#define ONNXC_LIB_PIPELINES_KERNELGRAPH_H

#include "onnxc/Inspect/CompiledView.h"

namespace onnxc {

/// Numbers the kernels of a module behind the schedule stage (program::kernel)
/// and makes graphs of them: one of the entry, one of each function that it
/// calls.
ModelView viewKernels(mlir::ModuleOp scheduled, llvm::StringRef title,
                      std::vector<KernelView> &kernels);

} // namespace onnxc

#endif // ONNXC_LIB_PIPELINES_KERNELGRAPH_H
