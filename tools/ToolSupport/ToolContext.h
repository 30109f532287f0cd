//===- ToolContext.h - The MLIR context of a tool ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_TOOLSUPPORT_TOOLCONTEXT_H
#define ONNXC_TOOLS_TOOLSUPPORT_TOOLCONTEXT_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

namespace onnxc {

/// A context that knows all dialects, beside all passes, and leaves the op as
/// text out of its diagnostics: that helps only developers of onnxc.
class ToolContext {
public:
  explicit ToolContext(mlir::MLIRContext::Threading threading =
                           mlir::MLIRContext::Threading::ENABLED);

  mlir::MLIRContext &get() { return context; }

private:
  mlir::MLIRContext context;
};

} // namespace onnxc

#endif // ONNXC_TOOLS_TOOLSUPPORT_TOOLCONTEXT_H
