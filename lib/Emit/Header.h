//===- Header.h - The C header of a model --------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_HEADER_H
#define ONNXC_LIB_EMIT_HEADER_H

#include "ModelInfo.h"

#include "llvm/Support/raw_ostream.h"

namespace onnxc {

/// Writes the header: the model's query function, a table of its inputs and
/// outputs, and functions with typed arguments. A `standalone` one has
/// onnxc/runtime.h in it instead of including it.
void writeHeader(const ModelInfo &info, llvm::StringRef prefix, bool standalone,
                 llvm::raw_ostream &os);

/// The same of a model for a machine without an operating system.
void writeFreestandingHeader(const ModelInfo &info, llvm::StringRef prefix,
                             llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_HEADER_H
