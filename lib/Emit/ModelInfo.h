//===- ModelInfo.h - What a module says about its model ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read once from the module's attributes, and checked, so that the rest of
// Emit works on plain data.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_MODELINFO_H
#define ONNXC_LIB_EMIT_MODELINFO_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace onnxc {

/// An input or output.
struct ValueInfo {
  std::string name;
  int32_t dtype = 0;
  /// As ONNX spells it.
  std::string type;
  /// False: dims says nothing.
  bool ranked = true;
  /// -1 where the size is not fixed.
  std::vector<int64_t> dims;
  /// One per dimension, empty for none.
  std::vector<std::string> symbols;
  /// Of an input that the caller may leave out: its value then.
  mlir::ElementsAttr defaultValue;
  /// Where in the weights that is; of texts and of nothing, nowhere.
  std::optional<uint64_t> defaultOffset;
  /// Of an output of a step over pulses, else null.
  PulseAttr pulse;

  bool isStatic() const;
};

/// A tensor that lives in the context.
struct StateInfo {
  ValueInfo value;
  /// The name of the output that is its next value.
  std::string output;
  /// The dimension in which it grows, or -1.
  int64_t axis = -1;
  /// The code appends to it in place.
  bool appended = false;
};

/// Some bytes of the weights.
struct Weight {
  uint64_t offset;
  mlir::ElementsAttr value;
};

/// What a profile tells apart.
struct ProfileRegion {
  std::string kind;
  /// Of all that was fused into it.
  std::vector<mlir::Location> locations;
};

struct ModelInfo {
  std::string name;
  std::string producer;
  int64_t opset = 0;
  /// Those with a default value come last.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  /// Neither inputs nor outputs.
  std::vector<StateInfo> states;
  /// How long they may become, 0 for any length.
  int64_t stateCapacity = 0;
  uint64_t workspaceBytes = 0;
  /// Of each thread.
  uint64_t scratchBytes = 0;
  /// By offset.
  std::vector<Weight> weights;
  uint64_t weightBytes = 0;
  /// Of the target's addresses.
  bool has32BitAddresses = false;
  /// Nothing if the code does not note when regions run.
  std::optional<std::vector<ProfileRegion>> regions;

  static llvm::FailureOr<ModelInfo> read(mlir::ModuleOp module);

  /// How many inputs have no default value.
  size_t numRequired() const;
};

/// The size of an element of `type` in memory: whole bytes.
uint64_t elementBytes(mlir::Type type);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_MODELINFO_H
