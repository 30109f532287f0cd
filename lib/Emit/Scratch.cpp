//===- Scratch.cpp - Files that vanish unless they are kept ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"

#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

using namespace mlir;

namespace onnxc {

ScratchFile::~ScratchFile() {
  if (path.empty())
    return;
  (void)llvm::sys::fs::remove(path);
  llvm::sys::DontRemoveFileOnSignal(path);
}

LogicalResult ScratchFile::create(
    ModuleOp module, StringRef neighbour, StringRef suffix,
    llvm::function_ref<LogicalResult(llvm::raw_fd_ostream &)> write) {
  int descriptor = -1;
  SmallString<128> unique;
  std::unique_lock<std::mutex> creating = lockFileCreation();
  std::error_code error = llvm::sys::fs::createUniqueFile(
      getUnfinishedName(neighbour) + suffix, descriptor, unique);
  if (error) {
    StringRef folder = llvm::sys::path::parent_path(neighbour);
    return module.emitError()
           << "cannot write to directory '" << (folder.empty() ? "." : folder)
           << "': " << error.message();
  }
  path = unique.str().str();
  llvm::sys::RemoveFileOnSignal(path);
  creating.unlock();
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  LogicalResult result = write(stream);
  stream.close();
  if (stream.has_error()) {
    std::string reason = stream.error().message();
    stream.clear_error();
    if (succeeded(result))
      return module.emitError()
             << "cannot write beside '" << neighbour << "': " << reason;
  }
  return result;
}

LogicalResult ScratchFile::keepAs(ModuleOp module, StringRef name) {
  if (std::string reason = refuseOutput(name); !reason.empty())
    return module.emitError() << reason;
  if (std::error_code error = llvm::sys::fs::rename(path, name))
    return module.emitError()
           << "cannot write '" << name << "': " << error.message();
  llvm::sys::DontRemoveFileOnSignal(path);
  path.clear();
  return success();
}

} // namespace onnxc
