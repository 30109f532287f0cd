//===- Summary.h - What is in a model ------------------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_INSPECT_SUMMARY_H
#define ONNXC_INSPECT_SUMMARY_H

#include "onnxc/Inspect/Cost.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace onnxc {

/// Tensors that a model carries.
struct TensorTotal {
  int64_t tensors = 0, elements = 0, bytes = 0;

  void add(int64_t numElements, int64_t numBytes);
  void add(const TensorTotal &other);
};

/// What is in a model, for people and programs.
struct ModelSummary {
  struct Value {
    std::string name;
    /// "tensor(float)".
    std::string type;
    /// "batch", "3", "?"; absent without a rank.
    std::optional<std::vector<std::string>> shape;
  };
  struct OpCount {
    int64_t count = 0;
    /// Of them, those in subgraphs, and those in functions, each of which
    /// counts once however often it is called.
    int64_t inSubgraphs = 0, inFunctions = 0;
  };
  struct Function {
    std::string domain, name, overload;
    int64_t calls = 0, nodes = 0;
  };
  struct ExternalFile {
    int64_t tensors = 0;
    bool isMissing = false;
  };
  /// Of a kind of operator, in its newest form.
  using OpCosts = std::map<std::string, Cost>;

  std::string path, graphName, producer, producerVersion, domain, doc;
  int64_t irVersion = 0;
  std::optional<int64_t> modelVersion;
  std::vector<std::pair<std::string, int64_t>> opsets;
  std::vector<Value> inputs, outputs;
  /// Initializers that are inputs, too: from IR version 4 on, a run can
  /// override them.
  std::vector<std::string> defaultedInputs;
  /// By domain ("ai.onnx" is empty) and name.
  std::map<std::pair<std::string, std::string>, OpCount> operators;
  int64_t numNodes = 0;
  /// By element type, initializers; and what Constant nodes have.
  std::map<std::string, TensorTotal> parameters, constants;
  std::map<std::string, ExternalFile> externalFiles;
  std::vector<Function> functions;
  /// Names of sizes, and where they stand: "input_ids[1]".
  std::map<std::string, std::vector<std::string>> dims;
  std::vector<std::pair<std::string, std::string>> metadata;
  /// Nodes that quantize, dequantize or compute on quantized numbers.
  std::map<std::string, int64_t> quantized;
  int64_t quantizationAnnotations = 0;
  /// Entries of training information, which is kept but not compiled.
  int64_t trainingInfos = 0;

  Cost cost;
  OpCosts opCosts;
  std::vector<OpenSize> openSizes;
  /// Why shapes, and with them costs, are not all there; empty if they are.
  std::string fault;

  TensorTotal getTotalParameters() const;

  void printText(llvm::raw_ostream &os) const;
  /// docs/checking-a-model.md describes it.
  void printJson(llvm::raw_ostream &os) const;
};

/// Reads what there is to know from a module as it was imported.
ModelSummary summarize(mlir::ModuleOp imported);

/// Adds what takes shapes: `inferred` is the same model in its newest form with
/// functions inlined and types inferred.
void addInferred(ModelSummary &summary, mlir::ModuleOp inferred);

} // namespace onnxc

#endif // ONNXC_INSPECT_SUMMARY_H
