//===- ElfQueries.h - What a shared object exports ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOAD_ELFQUERIES_H
#define ONNXC_LIB_LOAD_ELFQUERIES_H

#include <string>
#include <vector>

namespace onnxc {

/// Puts the names with the suffix that the file exports into `names`, without
/// loading it: what is not a model is not to be run. Returns why that is not
/// possible, and what the file is instead; empty if it is.
std::string findExported(const std::string &path, const std::string &suffix,
                         std::vector<std::string> &names);

} // namespace onnxc

#endif // ONNXC_LIB_LOAD_ELFQUERIES_H
