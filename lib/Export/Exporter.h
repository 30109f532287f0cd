//===- Exporter.h - The export of one model ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EXPORT_EXPORTER_H
#define ONNXC_LIB_EXPORT_EXPORTER_H

#include "ModelStream.h"
#include "Names.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Export/Export.h"
#include "onnxc/Proto/ProtoWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace onnxc {

/// Opset versions by normalized domain.
using Opsets = std::map<std::string, int64_t>;

class Exporter {
public:
  explicit Exporter(mlir::ModuleOp module);

  llvm::LogicalResult run();

  /// What run() made: the model without the elements of the main graph's
  /// initializers.
  onnx::ModelProto model;
  /// The value of each of the main graph's initializers; null for sparse ones,
  /// which are whole.
  std::vector<mlir::ElementsAttr> weights;

private:
  /// What nodes are written into: a graph's or a function's list.
  struct Body {
    const Opsets &opsets;
    Repeated<onnx::NodeProto> &nodes;
    /// Null in a function, which has no initializers.
    onnx::GraphProto *graph = nullptr;
    bool isEntry = false;
  };

  /// A function as calls refer to it.
  struct Callee {
    std::string domain, name, overload;
    /// Its inputs, in the order of the call.
    llvm::SmallVector<std::string> inputs;
    /// What the attributes of calls are; null if calls give none.
    mlir::DictionaryAttr attributes;
  };

  /// A FunctionProto of the model.
  struct ModelFunction {
    onnx::FunctionProto proto;
    bool wasUsed = false;
    bool isNeeded = false;
    /// The changed function that takes its place.
    mlir::func::FuncOp replacement;
  };

  // Export.cpp
  llvm::LogicalResult findEntry();
  void writeModelFields();
  void writeOpsets();
  llvm::LogicalResult writeEntry();
  llvm::LogicalResult writeInputs(onnx::GraphProto &graph);

  // GraphWriter.cpp
  llvm::LogicalResult writeSubgraph(mlir::Operation *op, mlir::Region &region,
                                    const Scope &outer, const Body &body,
                                    onnx::GraphProto &graph);
  /// The nodes of a block, its initializers, and the copies that its results
  /// need.
  llvm::LogicalResult writeBlock(mlir::Block &block, Scope &scope,
                                 llvm::ArrayRef<Copy> copies, Body &body);
  void describeGraph(mlir::DictionaryAttr description, const Scope &scope,
                     onnx::GraphProto &graph);
  bool isInitializer(mlir::Operation *op, const Body &body);
  llvm::LogicalResult writeInitializer(mlir::Operation *op, Body &body);
  void addInitializer(llvm::StringRef name, mlir::ElementsAttr value,
                      SourceAttr source, Body &body);

  // NodeWriter.cpp
  struct NodeForm;
  llvm::LogicalResult writeNode(mlir::Operation *op, const Scope &scope,
                                Body &body);
  llvm::LogicalResult describeOperation(mlir::Operation *op, const Body &body,
                                        NodeForm &form);
  llvm::LogicalResult describeCall(mlir::func::CallOp call, NodeForm &form);
  llvm::LogicalResult checkVersion(mlir::Operation *op, const Body &body);
  llvm::LogicalResult writeAttributes(mlir::Operation *op, const NodeForm &form,
                                      SourceAttr source, const Scope &scope,
                                      const Body &body, onnx::NodeProto &node);

  // FunctionWriter.cpp
  llvm::LogicalResult readModelFunctions();
  llvm::LogicalResult resolveFunctions();
  llvm::LogicalResult
  findCalled(llvm::SmallVectorImpl<mlir::func::FuncOp> &verbatim,
             llvm::SmallVectorImpl<mlir::func::FuncOp> &changed);
  void keepModelFunctions(llvm::ArrayRef<mlir::func::FuncOp> verbatim);
  void nameChanged(mlir::func::FuncOp func, llvm::StringSet<> &taken);
  llvm::LogicalResult writeFunctions();
  llvm::LogicalResult writeFunction(mlir::func::FuncOp func);

  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  SchemaTable schemas;
  Names names;
  mlir::func::FuncOp entry;
  Opsets opsets;
  int64_t irVersion = 0;
  /// Before IR version 4, initializers are inputs; these are none.
  bool hasNewInitializers = false;

  /// By domain, name and overload.
  llvm::MapVector<std::string, ModelFunction, std::map<std::string, unsigned>>
      functions;
  llvm::MapVector<mlir::Operation *, Callee> callees;
};

/// The opsets that an attribute `onnx.opset_imports` lists.
Opsets readOpsets(mlir::DictionaryAttr imports);

} // namespace onnxc

#endif // ONNXC_LIB_EXPORT_EXPORTER_H
