//===- Npz.h - Arrays in numpy's files ------------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads and writes .npy (one array) and .npz (named arrays, a zip of .npy), the
// files that `onnxc run` takes and gives. What is read is not trusted: every
// size is checked against the file before memory is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_NPZ_NPZ_H
#define ONNXC_NPZ_NPZ_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onnxc {

/// A dense row-major array in the machine's byte order.
struct Array {
  /// An onnxc_dtype. ONNXC_UNDEFINED for numpy's opaque bytes ('V2'), as which
  /// numpy saves types that it does not know: bfloat16, 8-bit floats, int4.
  int32_t dtype = 0;
  /// Bytes per element.
  uint64_t itemSize = 0;
  std::vector<int64_t> shape;
  /// The elements; empty for strings.
  std::vector<char> data;
  /// The elements of an array of strings, UTF-8.
  std::vector<std::string> strings;

  /// The product of the dimensions.
  uint64_t size() const;
};

using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// The array in the bytes of a .npy file.
llvm::Expected<Array> parseNpy(llvm::StringRef bytes);
/// The bytes of the .npy file of an array. Types that numpy has no name for are
/// written as what np.load gives for them: opaque bytes (bfloat16, 8-bit
/// floats, float4), or int8/uint8 for narrower integers.
std::string formatNpy(const Array &array);

llvm::Expected<Array> readNpyFile(llvm::StringRef path);
/// The arrays of a .npz file in the file's order.
llvm::Expected<NamedArrays> readNpzFile(llvm::StringRef path);
/// Writes a .npz that np.load reads; the file appears under its name only when
/// it is complete.
llvm::Error writeNpzFile(llvm::StringRef path, const NamedArrays &arrays);

} // namespace onnxc

#endif // ONNXC_NPZ_NPZ_H
