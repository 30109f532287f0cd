//===- OutputFile.cpp - Which files may be written ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

std::string onnxc::refuseOutput(llvm::StringRef path, llvm::StringRef input) {
  namespace fs = llvm::sys::fs;
  // Links are followed: what counts is what the name stands for.
  fs::file_status status;
  if (fs::status(path, status)) {
    // What else keeps the path from being looked at is said on creation.
    llvm::StringRef folder = llvm::sys::path::parent_path(path);
    if (folder.empty())
      folder = ".";
    std::error_code error = fs::access(folder, fs::AccessMode::Write);
    return error ? "cannot write to directory '" + folder.str() +
                       "': " + error.message()
                 : "";
  }
  if (fs::is_directory(status))
    return "cannot write '" + path.str() + "': it is a folder";
  if (!fs::is_regular_file(status))
    return "cannot write '" + path.str() +
           "': it is a device, a FIFO or a socket, expected a regular file or "
           "a "
           "new name";
  bool same = false;
  if (!input.empty() && !fs::equivalent(path, input, same) && same)
    return "cannot write '" + path.str() + "': it is the input";
  return "";
}

static std::string getMark(int process) {
  return ".tmp" + std::to_string(process) + "-";
}

std::string onnxc::getUnfinishedName(llvm::StringRef path) {
  return path.str() + getMark(llvm::sys::Process::getProcessId()) + "%%%%%%";
}

void onnxc::removeUnfinished(llvm::StringRef path, int process) {
  namespace fs = llvm::sys::fs;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  std::string start = llvm::sys::path::filename(path).str() + getMark(process);
  std::error_code error;
  for (fs::directory_iterator file(folder.empty() ? "." : folder, error), end;
       !error && file != end; file.increment(error))
    if (llvm::sys::path::filename(file->path()).starts_with(start))
      (void)fs::remove(file->path());
}

std::string onnxc::describeTemporaryError(std::error_code error) {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return "cannot write a temporary file to directory '" + folder.str().str() +
         "': " + error.message();
}
