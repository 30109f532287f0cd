//===- OperatorTest.cpp - Every operator, with parts that do not fit ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import either succeeds or reports; whatever attributes, inputs and declared
// types a node has, shape rules and verifiers must not be led astray.
//
//===----------------------------------------------------------------------===//

#include "ImportFixture.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

using namespace mlir;
using namespace onnxc;
using onnx::AttributeProto;
using onnx::TensorProto;

namespace {

/// What the inputs and attributes of a node are made of.
struct Parts {
  TensorProto::DataType type;
  std::initializer_list<int64_t> dims;
  /// Of the attributes, all INT and INTS; none if there is no value.
  std::optional<int64_t> number;
  int inputs;
};

class OperatorTest : public ImportFixture {
protected:
  void SetUp() override {
    ImportFixture::SetUp();
    context.loadDialect<ONNXDialect>();
  }

  void importEach(const Parts &parts) {
    for (RegisteredOperationName record :
         context.getRegisteredOperationsByDialect("onnx")) {
      auto *schema = record.getInterface<SchemaOpInterface>();
      if (!schema)
        continue;
      onnx::ModelProto model = makeModel(28);
      for (const char *domain :
           {"ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.preview"}) {
        onnx::OperatorSetIdProto *opset = model.add_opset_import();
        opset->set_domain(domain);
        opset->set_version(1);
      }
      onnx::GraphProto *graph = model.mutable_graph();
      addValue(graph->add_input(), "x", parts.type, parts.dims);
      // A constant of small numbers, for what wants axes and shapes.
      TensorProto *constant = graph->add_initializer();
      constant->set_name("c");
      constant->set_data_type(TensorProto::INT64);
      constant->add_dims(2);
      constant->add_int64_data(parts.number.value_or(-1));
      constant->add_int64_data(1);
      onnx::NodeProto *node =
          addNode(graph, schema->getOnnxName().str(), {}, {});
      node->set_domain(schema->getOnnxDomain().str());
      for (int i = 0; i < parts.inputs; ++i)
        node->add_input(i == 0 ? "x" : "c");
      for (size_t i = 0; i < schema->getResultSpecs().size(); ++i) {
        node->add_output("y" + std::to_string(i));
        addValue(graph->add_output(), node->output(static_cast<int>(i)),
                 parts.type, {7});
      }
      for (StringAttr name : record.getAttributeNames()) {
        if (!parts.number || name.getValue().ends_with("SegmentSizes"))
          continue;
        for (bool isList : {false, true}) {
          AttributeProto *attribute = node->add_attribute();
          attribute->set_name(name.str());
          attribute->set_type(isList ? AttributeProto::INTS
                                     : AttributeProto::INT);
          if (isList) {
            attribute->add_ints(*parts.number);
            attribute->add_ints(*parts.number);
          } else {
            attribute->set_i(*parts.number);
          }
          // The kind that the record takes, if it takes either.
          onnx::ModelProto probe = model;
          errors.clear();
          (void)import(probe);
          if (errors.find("is of type") == std::string::npos)
            break;
          node->mutable_attribute()->RemoveLast();
        }
      }
      (void)import(model);
    }
  }
};

TEST_F(OperatorTest, Bare) {
  for (int inputs = 0; inputs < 6; ++inputs)
    importEach({TensorProto::FLOAT, {2, 3, 4}, std::nullopt, inputs});
}

TEST_F(OperatorTest, OddAttributes) {
  for (int64_t number : {int64_t(0), int64_t(-1), int64_t(1), int64_t(5),
                         int64_t(1) << 40, std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()})
    importEach({TensorProto::FLOAT, {2, 3, 4}, number, 3});
}

TEST_F(OperatorTest, OddShapes) {
  for (int64_t number : {int64_t(0), int64_t(2), int64_t(-3)}) {
    importEach({TensorProto::INT64, {}, number, 2});
    importEach({TensorProto::FLOAT, {0, 0, 0, 0}, number, 2});
    importEach({TensorProto::FLOAT, {1ll << 50, -1, 1ll << 5}, number, 2});
    importEach({TensorProto::STRING, {2}, number, 1});
  }
}

} // namespace
