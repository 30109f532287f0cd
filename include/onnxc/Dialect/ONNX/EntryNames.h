//===- EntryNames.h - Names of a model's inputs and outputs ---- -*- C++
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ENTRYNAMES_H
#define ONNXC_DIALECT_ONNX_ENTRYNAMES_H

#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace onnxc {

/// Of an argument or a result of an entry function; "" if it has none.
inline llvm::StringRef getInputName(mlir::func::FuncOp entry,
                                    unsigned argument) {
  auto name = entry.getArgAttrOfType<mlir::StringAttr>(argument, model::name);
  return name ? name.getValue() : "";
}
inline llvm::StringRef getOutputName(mlir::func::FuncOp entry,
                                     unsigned result) {
  auto name = entry.getResultAttrOfType<mlir::StringAttr>(result, model::name);
  return name ? name.getValue() : "";
}

/// All of them, for a message.
inline std::string listInputNames(mlir::func::FuncOp entry) {
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    names.push_back(getInputName(entry, i));
  return llvm::join(names, ", ");
}
inline std::string listOutputNames(mlir::func::FuncOp entry) {
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    names.push_back(getOutputName(entry, i));
  return llvm::join(names, ", ");
}

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_ENTRYNAMES_H
