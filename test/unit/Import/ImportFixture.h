//===- ImportFixture.h - Models made and imported by tests ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_IMPORT_IMPORTFIXTURE_H
#define ONNXC_TEST_UNIT_IMPORT_IMPORTFIXTURE_H

#include "onnxc/Import/Import.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <onnx/onnx-ml.pb.h>

namespace onnxc {

/// A folder for the test's files, and a context that collects diagnostics.
class ImportFixture : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("onnxc-import", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string pathOf(llvm::StringRef name) const {
    return folder + "/" + name.str();
  }
  void write(llvm::StringRef name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream os(pathOf(name), error);
    ASSERT_FALSE(error);
    os << bytes;
  }

  /// Imports the file; `errors` has what was said, `where` of what place last.
  mlir::OwningOpRef<mlir::ModuleOp> importFile(llvm::StringRef name) {
    errors.clear();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
            errors += diagnostic.str() + "\n";
            where.clear();
            llvm::raw_string_ostream(where) << diagnostic.getLocation();
          }
          return mlir::success();
        });
    auto module = importModelFile(pathOf(name), &context);
    if (failed(module))
      return nullptr;
    return std::move(*module);
  }
  mlir::OwningOpRef<mlir::ModuleOp> importBytes(llvm::StringRef bytes) {
    write("model.onnx", bytes);
    return importFile("model.onnx");
  }
  mlir::OwningOpRef<mlir::ModuleOp> import(const onnx::ModelProto &model) {
    return importBytes(model.SerializeAsString());
  }

  /// A model whose graph has no nodes.
  static onnx::ModelProto makeModel(int64_t opset = 13) {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("g");
    return model;
  }
  static void addValue(onnx::ValueInfoProto *info, const std::string &name,
                       int type, std::initializer_list<int64_t> dims) {
    info->set_name(name);
    auto *tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (int64_t dim : dims)
      tensor->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  static onnx::NodeProto *addNode(onnx::GraphProto *graph,
                                  const std::string &op,
                                  std::initializer_list<std::string> inputs,
                                  std::initializer_list<std::string> outputs) {
    onnx::NodeProto *node = graph->add_node();
    node->set_op_type(op);
    node->set_name(op + std::to_string(graph->node_size()));
    for (const std::string &input : inputs)
      node->add_input(input);
    for (const std::string &output : outputs)
      node->add_output(output);
    return node;
  }

  /// A model that gives the initializer `tensor`, which is called "w".
  static onnx::ModelProto modelOf(const onnx::TensorProto &tensor) {
    onnx::ModelProto model = makeModel();
    onnx::TensorProto *initializer = model.mutable_graph()->add_initializer();
    *initializer = tensor;
    initializer->set_name("w");
    onnx::ValueInfoProto *output = model.mutable_graph()->add_output();
    output->set_name("w");
    return model;
  }

  /// The value of the first onnx.Constant.
  static mlir::ElementsAttr findConstant(mlir::ModuleOp module) {
    mlir::ElementsAttr value;
    module.walk([&](mlir::Operation *op) {
      if (!value && op->getName().getStringRef() == "onnx.Constant")
        value = op->getAttrOfType<mlir::ElementsAttr>("value");
    });
    return value;
  }

  mlir::MLIRContext context;
  std::string folder;
  std::string errors, where;
};

} // namespace onnxc

#endif // ONNXC_TEST_UNIT_IMPORT_IMPORTFIXTURE_H
