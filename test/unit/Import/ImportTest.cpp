//===- ImportTest.cpp - Whole models, and what is wrong with them ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFixture.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;
using onnx::AttributeProto;
using onnx::TensorProto;

namespace {

class ImportTest : public ImportFixture {
protected:
  /// y = Relu(x) on 2x3 floats, to which tests add.
  static onnx::ModelProto makeRelu() {
    onnx::ModelProto model = makeModel();
    onnx::GraphProto *graph = model.mutable_graph();
    addValue(graph->add_input(), "x", TensorProto::FLOAT, {2, 3});
    addValue(graph->add_output(), "y", TensorProto::FLOAT, {2, 3});
    addNode(graph, "Relu", {"x"}, {"y"});
    return model;
  }
  void fails(const onnx::ModelProto &model, StringRef message) {
    EXPECT_FALSE(import(model));
    EXPECT_NE(errors.find(message.str()), std::string::npos)
        << "expected: " << message.str() << "\nfound:    " << errors;
  }
  static AttributeProto *addAttribute(onnx::NodeProto *node, const char *name,
                                      AttributeProto::AttributeType type) {
    AttributeProto *attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return attribute;
  }
};

/// A model with something of everything: weights, a subgraph that captures, a
/// function with attributes, an old form, a custom domain.
onnx::ModelProto makeRichModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(11);
  onnx::OperatorSetIdProto *custom = model.add_opset_import();
  custom->set_domain("my");
  custom->set_version(1);
  onnx::GraphProto *graph = model.mutable_graph();
  auto value = [](onnx::ValueInfoProto *info, const char *name, int type,
                  std::initializer_list<int64_t> dims) {
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    auto *shape = info->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int64_t dim : dims)
      shape->add_dim()->set_dim_value(dim);
  };
  auto node = [](auto *nodes, const char *op,
                 std::initializer_list<const char *> inputs,
                 std::initializer_list<const char *> outputs) {
    onnx::NodeProto *made = nodes->add_node();
    made->set_op_type(op);
    for (const char *input : inputs)
      made->add_input(input);
    for (const char *output : outputs)
      made->add_output(output);
    return made;
  };
  value(graph->add_input(), "x", TensorProto::FLOAT, {10, 10});
  value(graph->add_input(), "c", TensorProto::BOOL, {});
  TensorProto *weights = graph->add_initializer();
  weights->set_name("w");
  weights->set_data_type(TensorProto::FLOAT);
  weights->add_dims(10);
  weights->add_dims(10);
  weights->set_raw_data(std::string(400, '\1'));
  node(graph, "MatMul", {"x", "w"}, {"m"});
  onnx::NodeProto *squeeze = node(graph, "Unsqueeze", {"m"}, {"u"});
  AttributeProto *axes = squeeze->add_attribute();
  axes->set_name("axes");
  axes->set_type(AttributeProto::INTS);
  axes->add_ints(0);
  onnx::NodeProto *branch = node(graph, "If", {"c"}, {"i"});
  for (const char *name : {"then_branch", "else_branch"}) {
    AttributeProto *attribute = branch->add_attribute();
    attribute->set_name(name);
    attribute->set_type(AttributeProto::GRAPH);
    onnx::GraphProto *inner = attribute->mutable_g();
    inner->set_name(name);
    node(inner, "Abs", {"u"}, {"r"});
    inner->add_output()->set_name("r");
  }
  onnx::NodeProto *call = node(graph, "F", {"i"}, {"f"});
  call->set_domain("my");
  AttributeProto *alpha = call->add_attribute();
  alpha->set_name("a");
  alpha->set_type(AttributeProto::FLOAT);
  alpha->set_f(0.5);
  onnx::FunctionProto *function = model.add_functions();
  function->set_name("F");
  function->set_domain("my");
  function->add_opset_import()->set_version(11);
  function->add_input("p");
  function->add_output("q");
  function->add_attribute("a");
  onnx::NodeProto *leaky = node(function, "LeakyRelu", {"p"}, {"q"});
  AttributeProto *reference = leaky->add_attribute();
  reference->set_name("alpha");
  reference->set_type(AttributeProto::FLOAT);
  reference->set_ref_attr_name("a");
  node(graph, "Custom", {"f", ""}, {"y"})->set_domain("my");
  value(graph->add_output(), "y", TensorProto::FLOAT, {1, 10, 10});
  return model;
}

TEST_F(ImportTest, RichModel) {
  OwningOpRef<ModuleOp> module = import(makeRichModel());
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(module->lookupSymbol<func::FuncOp>("my.F"));
  auto version = (*module)->getAttrOfType<IntegerAttr>(model::irVersion);
  EXPECT_EQ(version.getInt(), 8);
}

TEST_F(ImportTest, SurvivesEveryTruncation) {
  std::string bytes = makeRichModel().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length)
    (void)importBytes(StringRef(bytes).take_front(length));
}

TEST_F(ImportTest, SurvivesEveryChangedByte) {
  std::string bytes = makeRichModel().SerializeAsString();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (char value : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[at] = value;
      (void)importBytes(changed);
    }
}

TEST_F(ImportTest, OtherFiles) {
  auto fails = [&](StringRef bytes, StringRef message) {
    EXPECT_FALSE(importBytes(bytes));
    EXPECT_NE(errors.find(message.str()), std::string::npos) << errors;
  };
  fails("", "the file is empty");
  fails("version https://git-lfs.github.com/spec/v1\n", "git-lfs pointer");
  fails("\n<!DOCTYPE html><html>", "HTML page");
  fails("{\"a\": 1}", "text (JSON)");
  fails("PK\x03\x04zip", "zip archive");
  fails("hello, world", "the file is text");
  EXPECT_FALSE(importFile("missing.onnx"));
  EXPECT_NE(errors.find("cannot be opened"), std::string::npos) << errors;
  // Files have no lines.
  EXPECT_EQ(where, "loc(\"" + pathOf("missing.onnx") + "\":0:0)");
  ASSERT_FALSE(llvm::sys::fs::create_directory(pathOf("folder")));
  EXPECT_FALSE(importFile("folder"));
  EXPECT_NE(errors.find("is a directory"), std::string::npos) << errors;
}

TEST_F(ImportTest, Opsets) {
  onnx::ModelProto model = makeRelu();
  model.mutable_opset_import(0)->set_version(0);
  fails(model,
        "opset 0 of domain 'ai.onnx' is not a version of an operator set");
  model.mutable_opset_import(0)->set_version(1000);
  fails(model, "opset 1000 of domain 'ai.onnx' is newer than 28");
  model.mutable_opset_import(0)->set_version(13);
  onnx::OperatorSetIdProto *again = model.add_opset_import();
  again->set_domain("ai.onnx");
  again->set_version(12);
  fails(model, "domain 'ai.onnx' is imported in two versions");
  model.clear_opset_import();
  fails(model, "the model imports no operator set");
  model.set_ir_version(2);
  EXPECT_TRUE(import(model)) << errors;
  model = makeRelu();
  addNode(model.mutable_graph(), "Range", {"x", "x", "x"}, {"z"});
  model.mutable_opset_import(0)->set_version(10);
  fails(model, "the operator exists from opset 11 on, but the model imports "
               "opset 10");
  model = makeRelu();
  addNode(model.mutable_graph(), "Scaler", {"x"}, {"z"})
      ->set_domain("ai.onnx.ml");
  fails(model, "its domain 'ai.onnx.ml' is not among the imported");
}

TEST_F(ImportTest, Names) {
  onnx::ModelProto model = makeRelu();
  addNode(model.mutable_graph(), "Abs", {"nowhere"}, {"z"});
  fails(model, "input 0 'nowhere' is not defined");
  model = makeRelu();
  addNode(model.mutable_graph(), "Abs", {"x"}, {"y"});
  fails(model, "the value 'y' is defined twice");
  model = makeRelu();
  addNode(model.mutable_graph(), "Abs", {"b"}, {"a"});
  addNode(model.mutable_graph(), "Neg", {"a"}, {"b"});
  fails(model, "input 0 'b' is computed by node 'Neg3' (Neg) further on");
  model = makeRelu();
  model.mutable_graph()->mutable_output(0)->set_name("nowhere");
  fails(model, "output 'nowhere' is not defined");
  model = makeRelu();
  *model.mutable_graph()->add_input() = model.graph().input(0);
  fails(model, "the input 'x' is listed twice");
  model = makeRelu();
  model.mutable_graph()->mutable_input(0)->clear_name();
  fails(model, "input 0 has no name");
  model = makeRelu();
  model.mutable_graph()->mutable_input(0)->clear_type();
  fails(model, "input 'x' has no type");
  model = makeRelu();
  model.mutable_graph()->mutable_node(0)->clear_op_type();
  fails(model, "of its graph has no operator");
}

TEST_F(ImportTest, InputsAndOutputs) {
  onnx::ModelProto model = makeRelu();
  addNode(model.mutable_graph(), "Add", {"x"}, {"z"});
  fails(model, "input 1 (B) is missing");
  model = makeRelu();
  addNode(model.mutable_graph(), "Add", {"", "x"}, {"z"});
  fails(model, "input 0 (A) is missing");
  model = makeRelu();
  addNode(model.mutable_graph(), "Relu", {"x", "x"}, {"z"});
  fails(model, "has 2 inputs, at most 1 expected");
  model = makeRelu();
  addNode(model.mutable_graph(), "Relu", {"x"}, {"z", "zz"});
  fails(model, "has 2 outputs, at most 1 expected");
  model = makeRelu();
  addNode(model.mutable_graph(), "Concat", {"x", "x"}, {"z"});
  fails(model, "requires attribute 'axis'");
  model = makeRelu();
  addAttribute(addNode(model.mutable_graph(), "Concat", {"x", "", "x"}, {"z"}),
               "axis", AttributeProto::INT);
  fails(model, "input 1 (inputs) is left out");
}

TEST_F(ImportTest, Attributes) {
  auto withAttribute = [&](auto change, const char *op = "LeakyRelu") {
    onnx::ModelProto model = makeRelu();
    change(addNode(model.mutable_graph(), op, {"x"}, {"z"}));
    return model;
  };
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "beta", AttributeProto::FLOAT);
        }),
        "attribute 'beta' is unknown; the operator has alpha");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "alpha", AttributeProto::INT)->set_i(1);
        }),
        "attribute 'alpha' is of type INT, expected FLOAT");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "alpha", AttributeProto::FLOAT)->set_i(1);
        }),
        "attribute 'alpha' is declared as FLOAT, but holds a value of another "
        "type");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "alpha", AttributeProto::FLOAT);
          addAttribute(node, "alpha", AttributeProto::FLOAT);
        }),
        "attribute 'alpha' is given twice");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "alpha", AttributeProto::UNDEFINED);
        }),
        "attribute 'alpha' has no type and no value");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "alpha", AttributeProto::FLOAT)
              ->set_ref_attr_name("a");
        }),
        "attribute 'alpha' refers to the attribute 'a' of a function, but is "
        "not in a function");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "", AttributeProto::FLOAT);
        }),
        "attribute '' has no name");
  fails(withAttribute(
            [&](onnx::NodeProto *node) {
              node->clear_input();
              AttributeProto *value =
                  addAttribute(node, "value", AttributeProto::TENSOR);
              value->mutable_t()->set_data_type(TensorProto::FLOAT);
              value->mutable_t()->add_dims(2);
            },
            "Constant"),
        "attribute 'value' has 0 bytes of data, 8 expected");
  fails(withAttribute([&](onnx::NodeProto *node) {
          addAttribute(node, "g", AttributeProto::GRAPH)->mutable_g();
        }),
        "attribute 'g' is a GRAPH, which the operator does not take");
  // The first versions of the format had no type.
  onnx::ModelProto untyped = withAttribute([&](onnx::NodeProto *node) {
    addAttribute(node, "alpha", AttributeProto::UNDEFINED)->set_f(1);
  });
  fails(untyped, "attribute 'alpha' has no type, which it must have");
  untyped.set_ir_version(1);
  EXPECT_TRUE(import(untyped)) << errors;
}

TEST_F(ImportTest, WrongDeclarationsAreIgnored) {
  onnx::ModelProto model = makeRelu();
  addNode(model.mutable_graph(), "Abs", {"y"}, {"z"});
  addValue(model.mutable_graph()->add_value_info(), "z", TensorProto::FLOAT,
           {7, 7, 7});
  EXPECT_TRUE(import(model)) << errors;
  model.mutable_graph()
      ->mutable_value_info(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->set_elem_type(99);
  fails(model, "value 'z' element type 99 is not one of");
  addValue(model.mutable_graph()->mutable_value_info(0), "z",
           TensorProto::FLOAT, {-5});
  fails(model, "value 'z' has the negative dimension -5");
}

TEST_F(ImportTest, DefaultsOfInputs) {
  onnx::ModelProto model = makeRelu();
  TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name("x");
  tensor->set_data_type(TensorProto::FLOAT);
  tensor->add_dims(2);
  tensor->add_dims(3);
  for (int i = 0; i < 6; ++i)
    tensor->add_float_data(1);
  OwningOpRef<ModuleOp> module = import(model);
  ASSERT_TRUE(module) << errors;
  auto func = module->lookupSymbol<func::FuncOp>("main_graph");
  EXPECT_EQ(func.getNumArguments(), 0u);
  auto graph = func->getAttrOfType<DictionaryAttr>(model::graph);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph.getAs<ArrayAttr>("defaulted_inputs").size(), 1u);
  *model.mutable_graph()->add_initializer() = *tensor;
  fails(model, "the value 'x' is defined twice");
}

TEST_F(ImportTest, NestedSubgraphs) {
  auto nest = [&](int depth) {
    onnx::ModelProto model = makeModel();
    addValue(model.mutable_graph()->add_input(), "c", TensorProto::BOOL, {});
    onnx::GraphProto *graph = model.mutable_graph();
    for (int i = 0; i < depth; ++i) {
      onnx::NodeProto *node = addNode(graph, "If", {"c"}, {"y"});
      graph->add_output()->set_name("y");
      AttributeProto *other =
          addAttribute(node, "else_branch", AttributeProto::GRAPH);
      addNode(other->mutable_g(), "Not", {"c"}, {"y"});
      other->mutable_g()->add_output()->set_name("y");
      graph =
          addAttribute(node, "then_branch", AttributeProto::GRAPH)->mutable_g();
    }
    addNode(graph, "Not", {"c"}, {"y"});
    graph->add_output()->set_name("y");
    return model;
  };
  EXPECT_TRUE(import(nest(300))) << errors;
  fails(nest(500), "subgraphs");
  fails(nest(3000), "nested more than");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A model that calls the function my.F, to which tests add nodes.
onnx::ModelProto makeCall(onnx::FunctionProto **function) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  *function = model.add_functions();
  for (const char *domain : {"", "my"})
    for (onnx::OperatorSetIdProto *opset :
         {model.add_opset_import(), (*function)->add_opset_import()}) {
      opset->set_domain(domain);
      opset->set_version(13);
    }
  (*function)->set_name("F");
  (*function)->set_domain("my");
  (*function)->add_input("p");
  (*function)->add_output("q");
  onnx::NodeProto *node = (*function)->add_node();
  node->set_op_type("Relu");
  node->add_input("p");
  node->add_output("q");
  onnx::GraphProto *graph = model.mutable_graph();
  onnx::ValueInfoProto *input = graph->add_input();
  input->set_name("x");
  input->mutable_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::FLOAT);
  graph->add_output()->set_name("y");
  onnx::NodeProto *call = graph->add_node();
  call->set_op_type("F");
  call->set_domain("my");
  call->set_name("call");
  call->add_input("x");
  call->add_output("y");
  return model;
}

TEST_F(ImportTest, FunctionsAreSharedByAttributes) {
  onnx::FunctionProto *function;
  onnx::ModelProto model = makeCall(&function);
  function->mutable_node(0)->set_op_type("LeakyRelu");
  AttributeProto *alpha =
      addAttribute(function->mutable_node(0), "alpha", AttributeProto::FLOAT);
  alpha->set_ref_attr_name("a");
  function->add_attribute("a");
  std::string last = "y";
  for (float value : {0.5f, 0.25f, 0.5f}) {
    onnx::NodeProto *call = model.mutable_graph()->add_node();
    call->set_op_type("F");
    call->set_domain("my");
    call->add_input("x");
    last += "_";
    call->add_output(last);
    addAttribute(call, "a", AttributeProto::FLOAT)->set_f(value);
  }
  OwningOpRef<ModuleOp> module = import(model);
  ASSERT_TRUE(module) << errors;
  // Without an attribute, with 0.5 twice, with 0.25; and the entry.
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 4);

  addAttribute(model.mutable_graph()->mutable_node(0), "b",
               AttributeProto::FLOAT);
  fails(model, "function 'F' of domain 'my' has no attribute 'b'");
  model.mutable_graph()->mutable_node(0)->clear_attribute();
  addAttribute(model.mutable_graph()->mutable_node(0), "a",
               AttributeProto::INT);
  fails(model, "attribute 'alpha' is declared as FLOAT, but refers to 'a', "
               "which is of type INT");
}

TEST_F(ImportTest, FunctionErrors) {
  onnx::FunctionProto *function;
  onnx::ModelProto model = makeCall(&function);
  EXPECT_TRUE(import(model)) << errors;
  function->mutable_node(0)->set_op_type("F");
  function->mutable_node(0)->set_domain("my");
  fails(model, "function 'F' of domain 'my' calls itself");
  model = makeCall(&function);
  model.mutable_graph()->mutable_node(0)->add_input("x");
  fails(model, "takes 1 inputs, but is called with 2");
  model = makeCall(&function);
  model.mutable_graph()->mutable_node(0)->add_output("z");
  fails(model, "gives 1 outputs, but is called for 2");
  model = makeCall(&function);
  function->set_output(0, "nowhere");
  fails(model, "output 'nowhere' is not defined");
  model = makeCall(&function);
  *model.add_functions() = *function;
  fails(model, "function 'F' of domain 'my' is defined twice");
  model = makeCall(&function);
  function->clear_opset_import();
  fails(model, "its domain 'ai.onnx' is not among the imported operator sets");
}

TEST_F(ImportTest, FunctionBomb) {
  // Each function calls the next one ten times: 10^12 nodes.
  onnx::FunctionProto *function;
  onnx::ModelProto model = makeCall(&function);
  for (int level = 0; level < 12; ++level) {
    onnx::FunctionProto *next =
        level ? model.add_functions() : model.mutable_functions(0);
    *next = model.functions(0);
    next->set_name(level ? "F" + std::to_string(level) : "F");
    next->clear_node();
    for (int i = 0; i < 10; ++i) {
      onnx::NodeProto *node = next->add_node();
      node->set_op_type(level < 11 ? "F" + std::to_string(level + 1) : "Relu");
      node->set_domain(level < 11 ? "my" : "");
      node->add_input("p");
      node->add_output(i ? "q" + std::to_string(i) : "q");
    }
  }
  fails(model, "the model has more than");
}

} // namespace
