//===- Tuning.h - Decisions that were measured --------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `onnxc tune` measures schedules of kernels and writes a file of those that
// are faster than what onnxc-select-schedule decides; --tuning= reads it. A
// file says nothing that changes a result: see
// docs/decisions/034-tuning.md.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_TUNING_H
#define ONNXC_SCHEDULE_TUNING_H

#include "onnxc/Schedule/KernelCodegen.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace onnxc {

/// The name of a target in a file of tuned decisions.
std::string getTuningTarget(TargetAttr target);

/// Reads the decisions for `target` from the text of a file: a dictionary of
/// keys and schedules; null if the file has none for it. `path` names the file
/// in errors, which are emitted at `location`.
mlir::FailureOr<mlir::DictionaryAttr> parseTuning(mlir::Location location,
                                                  llvm::StringRef path,
                                                  llvm::StringRef text,
                                                  TargetAttr target);

/// Writes a file of `decisions` for a target, which were measured on `machine`.
void writeTuning(llvm::raw_ostream &os, llvm::StringRef machine,
                 llvm::StringRef target, mlir::DictionaryAttr decisions);

/// Calls `visit` with each kernel of a module behind the schedule stage that
/// takes a tuned decision, and its key.
void visitTunable(
    mlir::Operation *module,
    llvm::function_ref<void(KernelCodegenInterface, const std::string &key)>
        visit);

/// The decision that the module's tuning (`onnxc.tuning`) has for a kernel;
/// null if it has none.
kernel::ScheduleInterface findTuned(KernelCodegenInterface op,
                                    TargetAttr target);

/// Whether `schedule` is one by which `op` computes the same bits, and that it
/// can be computed so; if not, `why` says what stands against it.
bool isChoice(KernelCodegenInterface op, TargetAttr target,
              kernel::ScheduleInterface schedule, std::string &why);

/// Sizes of a tile along one axis that may be worth a measurement: as many as
/// registers have room for (`most`), a few less, and equal shares of `extent`.
llvm::SmallVector<int64_t> listCounts(int64_t extent, int64_t most);

/// A key of the op's kind, the types of the operands that decide about its
/// schedule, and its attributes. Extras and epilogue are not part of it.
std::string makeTuningKey(kernel::KernelOpInterface op);

} // namespace onnxc

#endif // ONNXC_SCHEDULE_TUNING_H
