//===- Names.h - Names of values and nodes -------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EXPORT_NAMES_H
#define ONNXC_LIB_EXPORT_NAMES_H

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"
#include <optional>

namespace onnxc {

/// The names that a graph defines, in the graphs around it.
struct Scope {
  const Scope *outer = nullptr;
  /// The op of `outer` whose graph this is.
  mlir::Operation *at = nullptr;
  struct Definition {
    /// Null for an output that copies another value.
    mlir::Value value;
    /// Null for what is defined from the beginning.
    mlir::Operation *op = nullptr;
  };
  llvm::StringMap<Definition> names = {};
};

/// A graph output that needs an Identity: its value is an argument or comes
/// from around the graph, or has another name as another output.
struct Copy {
  mlir::Value value;
  llvm::StringRef name;
};

/// The ONNX positions of an op's actual operands or results; nullopt for an
/// absent one.
using Items = llvm::SmallVector<std::optional<unsigned>>;
Items getOperandItems(mlir::Operation *op);
Items getResultItems(mlir::Operation *op);

class Names {
public:
  explicit Names(mlir::ModuleOp module);

  /// Names everything that `block` defines. `inputs` and `outputs` are what the
  /// arguments and results are to be called, "" where that is open; they are
  /// replaced by what they are called.
  llvm::SmallVector<Copy>
  nameBlock(mlir::Block &block, llvm::MutableArrayRef<llvm::StringRef> inputs,
            llvm::MutableArrayRef<llvm::StringRef> outputs, Scope &scope);

  /// "" for a result without a name and without uses.
  llvm::StringRef get(mlir::Value value) const { return values.lookup(value); }
  /// The name of the op's node: its own, unless another node has it and the
  /// model was not read so.
  llvm::StringRef getNode(mlir::Operation *op);

  /// A name that no value has: `base`, or `base` and a number.
  llvm::StringRef makeFresh(llvm::StringRef base);

private:
  void nameArguments(mlir::Block &block,
                     llvm::MutableArrayRef<llvm::StringRef> inputs,
                     Scope &scope);
  llvm::SmallVector<Copy>
  nameOutputs(mlir::Block &block,
              llvm::MutableArrayRef<llvm::StringRef> outputs, Scope &scope);
  bool nameOpenOutput(mlir::Value value, mlir::Block &block,
                      llvm::StringRef &name, Scope &scope);
  bool nameOutput(mlir::Value value, mlir::Block &block, llvm::StringRef &name,
                  Scope &scope);
  void nameResults(mlir::Block &block, Scope &scope);
  bool claim(llvm::StringRef name, mlir::Value value, mlir::Operation *op,
             Scope &scope);
  void nameResult(mlir::OpResult result, unsigned position, SourceAttr source,
                  Scope &scope);
  llvm::StringRef makeFresh(llvm::StringRef base, llvm::StringSet<> &taken,
                            llvm::StringMap<unsigned> &counts);

  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver saver{allocator};
  llvm::DenseMap<mlir::Value, llvm::StringRef> values;
  /// Ops that share their source with a later one of their block.
  llvm::DenseSet<mlir::Operation *> copies;
  /// Names that the module mentions or that were made, and node names given.
  llvm::StringSet<> taken, takenNodes, givenNodes;
  llvm::StringMap<unsigned> counts, nodeCounts;
};

} // namespace onnxc

#endif // ONNXC_LIB_EXPORT_NAMES_H
