//===- ModelAttributes.h - What is kept of a model ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of discardable attributes by which the ops of an imported model
// keep what onnx.proto says beside them. utils/check_attribute_names.py sees to
// it that they are spelled here alone.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MODELATTRIBUTES_H
#define ONNXC_DIALECT_ONNX_MODELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::model {

/// Of all of them.
constexpr llvm::StringLiteral prefix = "onnx.";

//===----------------------------------------------------------------------===//
// On the module: what onnx.proto says of the model
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral irVersion = "onnx.ir_version";
/// A dictionary from domains to versions.
constexpr llvm::StringLiteral opsetImports = "onnx.opset_imports";
/// The order in the file, where a dictionary has another.
constexpr llvm::StringLiteral opsetOrder = "onnx.opset_order";
constexpr llvm::StringLiteral producerName = "onnx.producer_name";
constexpr llvm::StringLiteral producerVersion = "onnx.producer_version";
constexpr llvm::StringLiteral domain = "onnx.domain";
/// The graph's name.
constexpr llvm::StringLiteral modelName = "onnx.model_name";
constexpr llvm::StringLiteral modelVersion = "onnx.model_version";
constexpr llvm::StringLiteral doc = "onnx.doc";
constexpr llvm::StringLiteral metadataProps = "onnx.metadata_props";
constexpr llvm::StringLiteral trainingInfo = "onnx.training_info";
constexpr llvm::StringLiteral configuration = "onnx.configuration";
/// Functions that nothing calls, as the file has them.
constexpr llvm::StringLiteral functions = "onnx.functions";
/// Paths of files with weights.
constexpr llvm::StringLiteral externalFiles = "onnx.external_files";
/// Bytes of fields that this version of onnx.proto does not have.
constexpr llvm::StringLiteral unknownFields = "onnx.unknown_fields";
/// Which fields of a default value the file states.
constexpr llvm::StringLiteral explicitDefaults = "onnx.explicit";
/// How long states may become (onnx-pair-states).
constexpr llvm::StringLiteral stateCapacity = "onnx.state_capacity";
/// The model has faults (ImportOptions::keepGoing).
constexpr llvm::StringLiteral holes = "onnx.holes";

//===----------------------------------------------------------------------===//
// On functions
//===----------------------------------------------------------------------===//

/// The main graph.
constexpr llvm::StringLiteral entry = "onnx.entry";
/// A function of the model: what onnx.proto says of it.
constexpr llvm::StringLiteral function = "onnx.function";
/// What else onnx.proto says of a graph.
constexpr llvm::StringLiteral graph = "onnx.graph";
/// No op of it has been changed since it was imported.
constexpr llvm::StringLiteral verbatim = "onnx.verbatim";
/// The entry that runs where the caller overrides a default value
/// (onnx-separate-defaults).
constexpr llvm::StringLiteral overridden = "onnx.overridden";

//===----------------------------------------------------------------------===//
// On arguments and results
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral name = "onnx.name";
/// The declared type, where inference knows another.
constexpr llvm::StringLiteral type = "onnx.type";
/// A name for each dimension, "" for none.
constexpr llvm::StringLiteral dimParams = "onnx.dim_params";
/// The elements that an argument has unless the caller overrides them.
constexpr llvm::StringLiteral defaultValue = "onnx.default";
/// On an argument: it is a state, and this the name of the result that is its
/// next value (onnx-pair-states). States are the last arguments but for those
/// with a default, and the last results, in the same order.
constexpr llvm::StringLiteral state = "onnx.state";
/// Of such an argument: the dimension in which it grows, or -1
/// (onnx-check-states).
constexpr llvm::StringLiteral stateAxis = "onnx.state_axis";
/// Of a result of a step over pulses: what a run gives of its sequence, an
/// #onnxc.pulse (onnx-pulse-streams).
constexpr llvm::StringLiteral pulse = "onnx.pulse";
/// A ValueInfoProto whose fields have no attribute of their own.
constexpr llvm::StringLiteral proto = "onnx.proto";

//===----------------------------------------------------------------------===//
// On ops
//===----------------------------------------------------------------------===//

/// The constant is an initializer of this name.
constexpr llvm::StringLiteral initializer = "onnx.initializer";
/// A change of opset made it of an older form: the version of that.
constexpr llvm::StringLiteral oldVersion = "onnx.old_version";
/// It has the same version at the opset before a change and after it.
constexpr llvm::StringLiteral sameVersion = "onnx.same_version";
/// The attributes that it had before it was upgraded, where the way back
/// does not find them without.
constexpr llvm::StringLiteral oldAttributes = "onnx.old_attributes";
/// Of a product: the model allows rows of 8-bit integers, with a scale for each
/// so many elements (onnxc-quantize-activations).
constexpr llvm::StringLiteral int8Block = "onnx.int8_block";
/// On an If: the code for likely sizes, and else the model for any sizes, with
/// the same nodes (onnx-specialize-sizes). True if the caller named the sizes.
constexpr llvm::StringLiteral likelySizes = "onnx.likely_sizes";

} // namespace onnxc::model

#endif // ONNXC_DIALECT_ONNX_MODELATTRIBUTES_H
