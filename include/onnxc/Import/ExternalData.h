//===- ExternalData.h - Weights beside the model -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_IMPORT_EXTERNALDATA_H
#define ONNXC_IMPORT_EXTERNALDATA_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace onnxc {

using ErrorSink = llvm::function_ref<void(const llvm::Twine &)>;

/// A mapped file; a holder of one keeps the mapping alive.
using MappedFile = std::shared_ptr<const llvm::MemoryBuffer>;

/// Maps the regular file `path` for reading. It is opened once, and what was
/// opened is then examined: a path that changes meanwhile does no harm, and a
/// FIFO or a device is refused without waiting for it. `realPath`, if given,
/// becomes the file's path without symbolic links.
llvm::FailureOr<MappedFile>
mapRegularFile(const std::string &path, std::string *realPath, ErrorSink error);

/// The files that a model's `external_data` may name: those whose real path
/// lies below the folder that the model was named in, or below the real folder
/// of the model (the two differ where a cache links models into place).
class ExternalFiles {
public:
  ExternalFiles(llvm::StringRef modelPath, llvm::StringRef modelRealPath);

  /// The file at `location`, mapped once however often it is asked for; where
  /// that is not possible, `error` is called the first time.
  llvm::FailureOr<MappedFile> get(llvm::StringRef location, ErrorSink error);

  /// Where the files are that `get` has given, sorted.
  std::vector<llvm::StringRef> getLocations() const;

private:
  std::string folder;
  /// Real paths, ended by '/'.
  std::string allowed[2];
  llvm::StringMap<MappedFile> files;
  llvm::StringSet<> refused;
};

} // namespace onnxc

#endif // ONNXC_IMPORT_EXTERNALDATA_H
