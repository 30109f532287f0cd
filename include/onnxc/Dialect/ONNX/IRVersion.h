//===- IRVersion.h - Versions of the file format -------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_IRVERSION_H
#define ONNXC_DIALECT_ONNX_IRVERSION_H

#include <cstdint>
#include <utility>

namespace onnxc {

/// The IR version of the first release of ONNX that had the opset of the
/// default domain (onnx.helper.VERSION_TABLE).
inline int64_t getIRVersionOf(int64_t opset) {
  constexpr std::pair<int, int> firstOpsets[] = {
      {28, 14}, {25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9},
      {15, 8},  {12, 7},  {11, 6},  {10, 5},  {9, 4}};
  for (auto [first, version] : firstOpsets)
    if (opset >= first)
      return version;
  return 3;
}

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_IRVERSION_H
