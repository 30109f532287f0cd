//===- ModelStream.h - A model and its weights, as bytes ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Protobuf would hold a copy of every weight. The stream writes a ModelProto
// whose initializers lack their elements, and puts these where they belong as
// they pass by.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EXPORT_MODELSTREAM_H
#define ONNXC_LIB_EXPORT_MODELSTREAM_H

#include "onnxc/Export/Export.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

/// The elements of an initializer, as raw_data or as bytes of another file.
struct WeightBytes {
  llvm::ArrayRef<char> bytes;
  /// Holds them where the attribute has another form.
  std::string storage;
};

/// Decides where each of `weights` goes: into the initializer's own fields,
/// behind it (`inModel`), or into a file of external data (`outside`, written
/// in this order, each at the next multiple of its alignment). An empty entry
/// is elsewhere.
struct WeightPlan {
  std::vector<WeightBytes> inModel, outside;
  std::vector<uint64_t> offsets;
};

/// `keepReference`: whether the file at this location is still found.
mlir::FailureOr<WeightPlan>
planWeights(onnx::GraphProto &graph, llvm::ArrayRef<mlir::ElementsAttr> weights,
            const ExportOptions &options, llvm::StringRef externalName,
            llvm::function_ref<bool(llvm::StringRef)> keepReference,
            mlir::Location loc);

/// Bytes that `writeModel` will write.
uint64_t getModelSize(const onnx::ModelProto &model, const WeightPlan &plan);
void writeModel(const onnx::ModelProto &model, const WeightPlan &plan,
                llvm::raw_ostream &os);
void writeExternal(const WeightPlan &plan, llvm::raw_ostream &os);

} // namespace onnxc

#endif // ONNXC_LIB_EXPORT_MODELSTREAM_H
