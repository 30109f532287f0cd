//===- WireScanner.h - A model file without its weights ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Protobuf copies every byte that it parses. The scanner walks the serialized
// ModelProto first and takes the large payloads of tensors out of it, so that
// weights stay where they are: in the mapped file.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_IMPORT_WIRESCANNER_H
#define ONNXC_IMPORT_WIRESCANNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include <cstdint>
#include <string>

namespace onnxc {

/// The payload of a tensor that was left in the file.
struct Payload {
  /// The field of TensorProto it stood in: raw_data, float_data or double_data
  /// (the packed forms of the latter two are the same bytes as raw_data's).
  enum Field { FloatData = 4, RawData = 9, DoubleData = 10 };
  Field field;
  llvm::ArrayRef<char> bytes;
};

/// A serialized ModelProto whose large payloads are replaced by a `segment`
/// that holds their range in the file. Real segments (a feature that ONNX
/// reserved and no exporter writes) are distinguished by not being in
/// `payloads`.
struct SlimModel {
  std::string bytes;
  /// By the offset of the payload in the file.
  llvm::DenseMap<uint64_t, Payload> payloads;
};

/// Payloads from this many bytes on stay in the file.
constexpr uint64_t minMappedPayload = 256;

/// Takes large payloads out of `file`. Whatever the bytes are, this neither
/// reads outside of them nor recurses; `error` is called with what is wrong.
llvm::FailureOr<SlimModel>
takeOutPayloads(llvm::ArrayRef<char> file,
                llvm::function_ref<void(const llvm::Twine &)> error);

} // namespace onnxc

#endif // ONNXC_IMPORT_WIRESCANNER_H
