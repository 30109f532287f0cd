//===- ProgramAttributes.h - What stages tell each other ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of discardable attributes from lower to emit.
// utils/check_attribute_names.py sees to it that they are spelled here alone.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_H
#define ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::program {

//===----------------------------------------------------------------------===//
// On the module
//===----------------------------------------------------------------------===//

/// The last stage that a module in a file has behind it.
constexpr llvm::StringLiteral stage = "onnxc.stage";
/// Bytes of the arena that a context has.
constexpr llvm::StringLiteral workspace = "onnxc.workspace";
/// Bytes below which no plan of the arena can go.
constexpr llvm::StringLiteral workspaceLowerBound =
    "onnxc.workspace_lower_bound";
/// Bytes that each thread needs; of an argument, that it is a part of these.
constexpr llvm::StringLiteral scratch = "onnxc.scratch";
/// Constants with their offsets in the blob of weights.
constexpr llvm::StringLiteral weights = "onnxc.weights";
/// What a profile counts the time of.
constexpr llvm::StringLiteral regions = "onnxc.regions";
/// Schedules that were measured, by the keys of kernels: from
/// onnxc-read-tuning to onnxc-end-tuning.
constexpr llvm::StringLiteral tuning = "onnxc.tuning";
/// Where each temporary is in the arena, and when it is alive.
constexpr llvm::StringLiteral memoryPlan = "onnxc.memory_plan";

//===----------------------------------------------------------------------===//
// On functions
//===----------------------------------------------------------------------===//

/// The main function, from lower to emit.
constexpr llvm::StringLiteral entry = "onnxc.entry";
/// The entry that runs where the caller overrides default values.
constexpr llvm::StringLiteral overridden = "onnxc.overridden";
/// Which arguments are offsets of buffers, and which of them are 0 by their
/// type: from onnxc-record-offsets to onnxc-merge-functions.
constexpr llvm::StringLiteral offsets = "onnxc.offsets";
constexpr llvm::StringLiteral zeroOffsets = "onnxc.zero_offsets";

//===----------------------------------------------------------------------===//
// On ops
//===----------------------------------------------------------------------===//

/// How the op is computed (onnxc-select-schedule).
constexpr llvm::StringLiteral schedule = "onnxc.schedule";
/// The schedule is of a file of tuned ones.
constexpr llvm::StringLiteral tuned = "onnxc.tuned";
/// A transpose behind a kernel that computes with channels innermost, until
/// onnxc-sink-transposes has run.
constexpr llvm::StringLiteral sinks = "onnxc.sinks";
/// Where the number of rows of a contraction is unknown it will be small, too
/// small to arrange the other operand for it.
constexpr llvm::StringLiteral fewRows = "onnxc.few_rows";
/// Cycles that one step of a parallel loop takes, about.
constexpr llvm::StringLiteral work = "onnxc.work";
/// The memory of an alloc is given back by a dealloc of the op that has
/// the buffer at last, from onnxc-own-buffers to onnxc-plan-memory.
constexpr llvm::StringLiteral owned = "onnxc.owned";
/// The number of a kernel, which a region of a profile keeps.
constexpr llvm::StringLiteral kernel = "onnxc.kernel";
/// The op stays as it is: its arguments are beyond the fast path.
constexpr llvm::StringLiteral exact = "onnxc.exact";

} // namespace onnxc::program

#endif // ONNXC_DIALECT_PROGRAM_PROGRAMATTRIBUTES_H
