//===- StoredTests.h - Inputs and outputs that stand by a model -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX's own form: a folder test_data_set_0 with input_0.pb ... and
// output_0.pb ..., each a TensorProto, in the order of the graph's inputs and
// outputs.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_STOREDTESTS_H
#define ONNXC_TOOLS_ONNXC_STOREDTESTS_H

#include "onnxc/Npz/Npz.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace onnxc {

/// Inputs of one run, and the outputs that are expected, none if they are not
/// known.
struct TestSet {
  /// What messages call it.
  std::string name;
  NamedArrays inputs, outputs;
};

/// The folders of `folder` that are test sets, or `folder` itself, if it is
/// one. Empty if there is none.
std::vector<std::string> findTestSets(llvm::StringRef folder);

/// Reads one. A file whose tensor has no name, or one that is not in `inputs`
/// (`outputs`), is by its number that input (output).
llvm::Expected<TestSet> readTestSet(llvm::StringRef folder,
                                    llvm::ArrayRef<std::string> inputs,
                                    llvm::ArrayRef<std::string> outputs);

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_STOREDTESTS_H
