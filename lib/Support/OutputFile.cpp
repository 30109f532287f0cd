//===- OutputFile.cpp - Which files may be written ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
