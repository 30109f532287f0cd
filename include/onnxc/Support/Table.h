//===- Table.h - Tables as text ------------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_TABLE_H
#define ONNXC_SUPPORT_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace onnxc {

/// Prints rows of equal length, the titles first, in columns that are as wide
/// as what is in them; numbers stand at the right.
void printTable(llvm::ArrayRef<std::vector<std::string>> rows,
                llvm::raw_ostream &os);

/// "1 node", "2 nodes".
std::string plural(uint64_t count, llvm::StringRef what);

} // namespace onnxc

#endif // ONNXC_SUPPORT_TABLE_H
