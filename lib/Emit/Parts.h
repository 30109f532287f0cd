//===- Parts.h - Machine code of a module, by parts ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_PARTS_H
#define ONNXC_LIB_EMIT_PARTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <vector>

namespace onnxc {

/// A module that is compiled by parts, each in a context of its own, so that
/// all cores can be used. Which function is in which part depends on the module
/// alone. Parts see the functions of the others as hidden symbols: they are for
/// one shared object.
class Parts {
public:
  /// Takes `code` apart, unless it is too small for that to pay. What LLVM
  /// might inline stays with each part that uses it.
  static std::unique_ptr<Parts> split(std::unique_ptr<llvm::Module> &code);

  size_t size() const { return members.size(); }

  /// Whether the part is one function, so long that passes whose time grows
  /// with the square of it would take most of the compile: calls of kernels, of
  /// which a model of very many nodes or results has very many.
  bool isLong(size_t part) const { return part >= firstLong; }

  /// The module with the functions of one part, and what they need.
  std::unique_ptr<llvm::Module> load(size_t part,
                                     llvm::LLVMContext &context) const;

private:
  llvm::SmallVector<char, 0> bitcode;
  std::vector<llvm::StringSet<>> members;
  size_t firstLong = 0;
  /// In any of the parts.
  llvm::StringSet<> functions;
};

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_PARTS_H
