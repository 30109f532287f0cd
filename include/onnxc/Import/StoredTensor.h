//===- StoredTensor.h - A tensor in a file of its own --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_IMPORT_STOREDTENSOR_H
#define ONNXC_IMPORT_STOREDTENSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnxc {

/// What a file with one TensorProto holds, as in ONNX's test data.
struct StoredTensor {
  std::string name;
  /// A number of TensorProto.DataType.
  int32_t dataType = 0;
  std::vector<int64_t> shape;
  /// The elements in the form of raw_data, or the texts.
  std::vector<char> bytes;
  std::vector<std::string> strings;
};

/// Fails with an error that names the file. Tensors with external data are
/// refused.
llvm::Expected<StoredTensor> readStoredTensor(llvm::StringRef path);

} // namespace onnxc

#endif // ONNXC_IMPORT_STOREDTENSOR_H
