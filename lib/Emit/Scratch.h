//===- Scratch.h - Files that vanish unless they are kept ----- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_SCRATCH_H
#define ONNXC_LIB_EMIT_SCRATCH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace onnxc {

/// A new file beside `neighbour`, on the same file system, so that it can be
/// renamed. Removed at the end of its life, or when the process is killed,
/// unless keepAs gave it a name.
class ScratchFile {
public:
  ScratchFile() = default;
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile();

  /// Creates the file with the given suffix, and its contents.
  llvm::LogicalResult
  create(mlir::ModuleOp module, llvm::StringRef neighbour,
         llvm::StringRef suffix,
         llvm::function_ref<llvm::LogicalResult(llvm::raw_fd_ostream &)> write);

  llvm::LogicalResult keepAs(mlir::ModuleOp module, llvm::StringRef name);

  llvm::StringRef getPath() const { return path; }

private:
  std::string path;
};

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_SCRATCH_H
