//===- Importer.h - The import of one model ------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_IMPORTER_H
#define ONNXC_LIB_IMPORT_IMPORTER_H

#include "ModelFile.h"
#include "TensorReader.h"

#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Proto/ProtoWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace onnxc {

/// Opset versions by normalized domain.
using Opsets = std::map<std::string, int64_t>;

class Importer {
public:
  Importer(mlir::MLIRContext *context, ModelFile &file,
           const ImportOptions &options, llvm::StringRef path);

  llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  /// The values that names stand for, in a graph and the graphs around it.
  struct Scope {
    explicit Scope(const Scope *outer) : outer(outer) {}

    /// Nullopt: no such name. A null value: an input that the caller of the
    /// function leaves out.
    std::optional<mlir::Value> lookup(llvm::StringRef name) const;

    const Scope *outer;
    llvm::StringMap<mlir::Value> values;
    /// What the graph declares of its values.
    llvm::StringMap<mlir::Type> declared;
    /// The nodes of the graph, to tell an unsorted graph from a wrong name.
    const Repeated<onnx::NodeProto> *nodes = nullptr;
  };

  struct Body;

  /// A graph that a function is called with, and where it stands: it sees the
  /// names that are there.
  struct GraphArgument {
    const onnx::GraphProto *graph = nullptr;
    const Scope *scope = nullptr;
    const Body *body = nullptr;
    /// How many of `activeFunctions` were there.
    size_t numActive = 0;
  };
  using GraphArguments = llvm::StringMap<GraphArgument>;

  /// What nodes are read with: the entry's or a function's surroundings.
  struct Body {
    const Opsets &opsets;
    /// The function, and the attributes of the call that it is read for.
    const onnx::FunctionProto *function = nullptr;
    mlir::DictionaryAttr attributes;
    /// Subgraphs and calls around the nodes.
    unsigned depth = 0;
    /// Nodes so far, with calls counted as what they call.
    int64_t nodes = 0;
    /// The attributes of the call that are graphs.
    GraphArguments graphs = {};
  };

  /// A function as read for one set of attributes and arguments.
  struct Instance {
    mlir::func::FuncOp op;
    int64_t nodes = 0;
  };
  /// The function, then its attributes and the types of its arguments (null
  /// for one that is left out), which are unique in the context.
  using InstanceKey =
      std::pair<const onnx::FunctionProto *, std::vector<const void *>>;

  // Import.cpp
  llvm::LogicalResult checkIRVersion();
  llvm::LogicalResult checkOpset(const onnx::OperatorSetIdProto &opset,
                                 const llvm::Twine &importer);
  llvm::LogicalResult readOpsets();
  llvm::LogicalResult readOpset(const onnx::OperatorSetIdProto &opset);
  llvm::LogicalResult indexFunctions();
  llvm::LogicalResult indexFunction(const onnx::FunctionProto &function);
  llvm::LogicalResult importEntry();
  llvm::LogicalResult checkDefault(const onnx::TensorProto &tensor,
                                   mlir::Type declared);
  llvm::LogicalResult importArguments(mlir::func::FuncOp func, Scope &scope);
  void setModelAttributes();

  // GraphImporter.cpp
  llvm::LogicalResult declareValues(const onnx::GraphProto &graph,
                                    Scope &scope);
  llvm::LogicalResult importInitializers(const onnx::GraphProto &graph,
                                         Scope &scope);
  llvm::LogicalResult importNodes(const Repeated<onnx::NodeProto> &nodes,
                                  Scope &scope, Body &body);
  llvm::LogicalResult importNode(const onnx::NodeProto &node, int index,
                                 Scope &scope, Body &body);
  void skipNode(const onnx::NodeProto &node, mlir::Operation *before,
                mlir::Location loc, Scope &scope);
  llvm::LogicalResult importSubgraph(const onnx::GraphProto &graph,
                                     mlir::Location loc, mlir::Region &region,
                                     const Scope &outer, Body &body);
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  buildNodeOp(const onnx::NodeProto &node, NodeParts parts, mlir::Location loc,
              Body &body);
  llvm::LogicalResult defineValue(llvm::StringRef name, mlir::Value value,
                                  Scope &scope, mlir::Location loc);
  llvm::FailureOr<mlir::Value> useValue(llvm::StringRef name,
                                        const llvm::Twine &what,
                                        const Scope &scope, mlir::Location loc);
  /// The node among `nodes` that has the output; null if there is none.
  const onnx::NodeProto *findProducer(const Repeated<onnx::NodeProto> *nodes,
                                      llvm::StringRef name);
  llvm::LogicalResult checkBuiltOp(mlir::Operation *op);
  mlir::Location getNodeLocation(const onnx::NodeProto &node, int index,
                                 const Body &body);
  llvm::FailureOr<mlir::ElementsAttr>
  readInitializer(const onnx::TensorProto &tensor);
  mlir::Location getInitializerLocation(const onnx::TensorProto &tensor,
                                        mlir::ElementsAttr value, int index);

  // AttributeReader.cpp
  /// The graphs of a call go to `graphs`, those of an operator (null) become
  /// regions of it.
  llvm::LogicalResult readAttributes(const onnx::NodeProto &node,
                                     NodeParts &parts, GraphArguments *graphs,
                                     mlir::Location loc, const Scope &scope,
                                     Body &body);
  static llvm::SmallVector<std::pair<std::string, GraphArgument>>
  findGivenGraphs(const onnx::AttributeProto &proto, const Body &body);
  llvm::LogicalResult readNodeAttribute(
      const onnx::AttributeProto &proto, const Scope &scope, const Body &body,
      ErrorSink error, NodeParts &parts,
      llvm::SmallVectorImpl<std::pair<std::string, GraphArgument>> &graphs);
  llvm::LogicalResult importGraphArgument(const GraphArgument &argument,
                                          mlir::Location loc,
                                          mlir::Region &region, Body &body);
  llvm::FailureOr<onnx::AttributeProto::AttributeType>
  getAttributeType(const onnx::AttributeProto &proto, ErrorSink error);
  llvm::FailureOr<mlir::Attribute>
  readAttribute(const onnx::AttributeProto &proto, ErrorSink error);
  llvm::FailureOr<mlir::Attribute>
  readReference(const onnx::AttributeProto &proto, const Body &body,
                ErrorSink error);

  // FunctionImporter.cpp
  const onnx::FunctionProto *findFunction(const onnx::NodeProto &node) const;
  /// Whether the model has a function of that name, whatever its overload.
  bool hasFunction(llvm::StringRef domain, llvm::StringRef name) const;
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  importCall(const onnx::FunctionProto &function, NodeParts parts,
             GraphArguments graphs, mlir::Location loc, Body &body);
  llvm::LogicalResult completeAttributes(const onnx::FunctionProto &function,
                                         NodeParts &parts,
                                         GraphArguments &graphs,
                                         mlir::Location loc);
  /// The functions that nodes call, with those in subgraphs.
  void
  collectCalls(const Repeated<onnx::NodeProto> &nodes,
               llvm::SmallVectorImpl<const onnx::FunctionProto *> &calls) const;
  /// That no function calls itself which nothing in the graph calls.
  llvm::LogicalResult checkUncalledFunctions();
  llvm::LogicalResult checkNesting(const onnx::FunctionProto &function,
                                   mlir::Location loc, unsigned depth);
  llvm::FailureOr<Instance *> getInstance(const onnx::FunctionProto &function,
                                          mlir::DictionaryAttr attributes,
                                          llvm::ArrayRef<mlir::Value> inputs,
                                          mlir::Location loc, unsigned depth);
  /// The nodes of a function; its outputs. A null input is left out.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  importFunctionNodes(const onnx::FunctionProto &function,
                      llvm::ArrayRef<mlir::Value> inputs, mlir::Location loc,
                      Body &body);
  llvm::LogicalResult importFunctionBody(const onnx::FunctionProto &function,
                                         llvm::ArrayRef<mlir::Value> inputs,
                                         Body &body, mlir::func::FuncOp func);

  // GraphAttributes.cpp: what is kept of a model beside its ops.
  mlir::DictionaryAttr describeValue(const onnx::ValueInfoProto &info,
                                     bool withType, llvm::StringRef prefix);
  mlir::DictionaryAttr describeGraph(const onnx::GraphProto &graph,
                                     mlir::ArrayAttr defaultedInputs);
  mlir::Attribute
  describeEntries(const Repeated<onnx::StringStringEntryProto> &entries);
  mlir::DictionaryAttr describeOpsets(const Opsets &opsets);

  // OriginalForm.cpp: what the exporter could not know from the ops.
  /// Null where the file says what the exporter would write.
  template <typename Proto>
  mlir::ArrayAttr describeExplicitDefaults(const Proto &proto) {
    llvm::SmallVector<llvm::StringRef> names = listExplicitDefaults(proto);
    return names.empty() ? mlir::ArrayAttr() : builder.getStrArrayAttr(names);
  }
  mlir::ArrayAttr
  describeOpsetOrder(const Repeated<onnx::OperatorSetIdProto> &imports,
                     const Opsets &opsets);
  void describeHeader(const onnx::TensorProto &tensor, mlir::ElementsAttr value,
                      mlir::NamedAttrList &metadata);
  void describeHeader(const onnx::SparseTensorProto &tensor,
                      SparseElementsAttr value, mlir::NamedAttrList &metadata);
  mlir::StringAttr describeAttribute(const onnx::AttributeProto &proto,
                                     mlir::Attribute value);
  /// Adds to the location what the attributes of the node are like.
  mlir::Location addAttributeForms(mlir::Location loc,
                                   const onnx::NodeProto &node,
                                   const mlir::NamedAttrList &attributes);
  mlir::DictionaryAttr
  describeModelFunction(const onnx::FunctionProto &function);
  mlir::ArrayAttr describeTrainingInfo();
  onnx::TensorProto getHeader(const onnx::TensorProto &tensor,
                              mlir::ElementsAttr value);
  onnx::SparseTensorProto getHeader(const onnx::SparseTensorProto &tensor,
                                    SparseElementsAttr value);
  mlir::StringAttr serialize(const google::protobuf::MessageLite &proto);
  /// With the payloads that stayed in the file.
  template <typename Proto> mlir::StringAttr serializeWhole(Proto proto);

  /// What becomes of a fault that was reported: success if the import goes on
  /// behind it, with a hole.
  llvm::LogicalResult goOn() {
    isOver |= ++numFaults >= options.maxFaults;
    if (!options.keepGoing || isOver)
      return llvm::failure();
    hasHoles = true;
    return llvm::success();
  }
  /// A value for what could not be read.
  mlir::Value makeHole(mlir::Location loc, mlir::Type type = {});

  /// A sink that reports at `loc`, each message beginning with `prefix`.
  auto sink(mlir::Location loc, std::string prefix) {
    return [loc, prefix = std::move(prefix)](const llvm::Twine &message) {
      mlir::emitError(loc) << prefix << message;
    };
  }

  mlir::MLIRContext *context;
  ModelFile &file;
  const ImportOptions &options;
  SchemaTable schemas;
  TensorReader tensors;
  mlir::OpBuilder builder;
  mlir::StringAttr filename;
  mlir::Location fileLoc;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Opsets opsets;

  llvm::StringMap<const onnx::FunctionProto *> functions;
  std::map<InstanceKey, Instance> instances;
  llvm::SmallVector<const onnx::FunctionProto *> activeFunctions;
  llvm::StringMap<unsigned> symbolUses;
  /// Those that calls were made of.
  llvm::SmallPtrSet<const onnx::FunctionProto *, 8> usedFunctions;
  /// Of nodes outside of functions.
  llvm::StringSet<> nodeNames;
  /// By output, of graphs that had to be searched for one.
  llvm::DenseMap<const Repeated<onnx::NodeProto> *,
                 llvm::StringMap<const onnx::NodeProto *>>
      producers;
  /// Graph inputs that an initializer gives a default.
  llvm::StringSet<> defaultedNames;
  int64_t importedNodes = 0;
  unsigned overruledTypes = 0;
  int64_t numFaults = 0;
  bool hasHoles = false;
  /// A limit was exceeded: even with `keepGoing` the import ends.
  bool isOver = false;
};

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_IMPORTER_H
