//===- RequiredFeatures.h - What machine code needs ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_REQUIREDFEATURES_H
#define ONNXC_LIB_EMIT_REQUIREDFEATURES_H

#include "Target.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"

namespace onnxc {

/// The features of the processor that an x86-64 instruction needs, among those
/// that the runtime can check; nothing if the instruction is not known.
/// `mnemonic` is as LLVM prints it in AT&T syntax, `bytes` its encoding.
std::optional<llvm::SmallVector<llvm::StringRef>>
findX86Features(llvm::StringRef mnemonic, llvm::ArrayRef<uint8_t> bytes);

/// Adds those of the target's checkable features to `required` that an
/// instruction of the object, or of one section of it, needs. Of an instruction
/// that is not known, all that may be meant.
llvm::Error addRequiredFeatures(const llvm::object::ObjectFile &object,
                                const EmitTarget &target,
                                llvm::StringRef section,
                                llvm::StringSet<> &required);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_REQUIREDFEATURES_H
