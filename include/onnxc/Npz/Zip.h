//===- Zip.h - The container of .npz files -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_NPZ_ZIP_H
#define ONNXC_NPZ_ZIP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace onnxc {

/// Name and content of each file of an archive.
using ZipEntries = std::vector<std::pair<std::string, std::string>>;

/// Unpacks an archive of stored and deflated files, ZIP64 included; checks
/// their CRCs.
llvm::Expected<ZipEntries> unpackZip(llvm::StringRef bytes);

/// Packs files without compression, with constant dates: equal content gives an
/// equal archive. Fails beyond 4 GiB.
llvm::Expected<std::string> packZip(const ZipEntries &entries);

} // namespace onnxc

#endif // ONNXC_NPZ_ZIP_H
