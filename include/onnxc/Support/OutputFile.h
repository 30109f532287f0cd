//===- OutputFile.h - Which files may be written -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_OUTPUTFILE_H
#define ONNXC_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace onnxc {

/// Why a file must not be put at `path`; empty if it may. Outputs get their
/// names by a rename, which would replace a device, a FIFO or a socket by a
/// file; so only a regular file is replaced. `input`, if given, is the file
/// being read, and never replaced, by whatever name.
std::string refuseOutput(llvm::StringRef path, llvm::StringRef input = {});

/// The name of a new file that is to become `path`, for createUniqueFile: it
/// says which process writes it.
std::string getUnfinishedName(llvm::StringRef path);

/// Deletes what such a process, which has ended, has left beside `path`.
void removeUnfinished(llvm::StringRef path, int process);

/// Why there is no temporary file or folder, with the folder, which TMPDIR may
/// name, that it was to be in.
std::string describeTemporaryError(std::error_code error);

} // namespace onnxc

#endif // ONNXC_SUPPORT_OUTPUTFILE_H
