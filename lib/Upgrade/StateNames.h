//===- StateNames.h - Which output is the next value of an input -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_UPGRADE_STATENAMES_H
#define ONNXC_LIB_UPGRADE_STATENAMES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace onnxc {

/// What the stars of `pattern` stand for in `text`, each for at least one
/// character and the first ones for as few as there can be.
std::optional<llvm::SmallVector<llvm::StringRef>>
matchStars(llvm::StringRef pattern, llvm::StringRef text);

/// `pattern` with these texts for its stars.
std::string fillStars(llvm::StringRef pattern,
                      llvm::ArrayRef<llvm::StringRef> texts);

/// The input that an output of this name is the next value of, by the names
/// that exporters write: the first for which `isInput` holds. "" for none.
std::string findStateInput(llvm::StringRef output,
                           llvm::function_ref<bool(llvm::StringRef)> isInput);

/// Whether the name tells that a value is kept from run to run.
bool isStateName(llvm::StringRef name);

} // namespace onnxc

#endif // ONNXC_LIB_UPGRADE_STATENAMES_H
