//===- SchemaHistoryTest.cpp - Every version of every operator ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SchemaHistory.def is onnx.defs as a table (utils/generate_schema_history.py
// --check, in lit, holds it to the installed package).
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/SchemaHistory.h"

#include "CustomRules.h"
#include "onnxc/Upgrade/NodeDowngrade.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace onnxc;

namespace {

class SchemaHistoryTest : public testing::Test {
protected:
  SchemaHistoryTest() {
    context.loadDialect<ONNXDialect>();
    schemas.emplace(&context);
  }

  /// The names of the attributes that the newest form takes, graphs among them.
  llvm::SmallVector<StringRef> getNewestNames(RegisteredOperationName record) {
    llvm::SmallVector<StringRef> names;
    for (StringAttr name : record.getAttributeNames())
      names.push_back(name);
    llvm::append_range(
        names, record.getInterface<SchemaOpInterface>()->getRegionNames());
    return names;
  }

  MLIRContext context;
  std::optional<SchemaTable> schemas;
};

std::string spell(const VersionSchema &schema) {
  return (schema.getDomain() + (schema.getDomain().empty() ? "" : ".") +
          schema.getName() + "-" + std::to_string(schema.getVersion()))
      .str();
}

// Each version is what a record represents, or has a rule whose steps are all
// there.
TEST_F(SchemaHistoryTest, EveryVersionHasAPathToTheNewestForm) {
  EXPECT_GE(getSchemaHistory().size(), 659u);
  for (const VersionSchema &schema : getSchemaHistory()) {
    SCOPED_TRACE(spell(schema));
    const OperatorHistory *history =
        schemas->lookup(schema.getDomain(), schema.getName());
    ASSERT_TRUE(history);
    const OperatorHistory::Version *form = history->lookup(schema.getVersion());
    ASSERT_TRUE(form);
    if (!form->rule)
      continue;
    EXPECT_EQ(form->rule->op, schema.getName());
    EXPECT_EQ(form->rule->version, schema.getVersion());
    for (const UpgradeStep &step : form->rule->steps)
      if (step.kind == UpgradeStep::Kind::Custom) {
        EXPECT_TRUE(lookupCustomRule(step.name)) << step.name.str();
      }
  }
}

// At every opset of every domain: what is in force there has a path.
TEST_F(SchemaHistoryTest, EveryOpsetIsCovered) {
  for (const VersionSchema &schema : getSchemaHistory()) {
    SCOPED_TRACE(spell(schema));
    const OperatorHistory *history =
        schemas->lookup(schema.getDomain(), schema.getName());
    ASSERT_TRUE(history);
    int64_t newest = schemas->getNewestOpset(schema.getDomain());
    EXPECT_LE(schema.getVersion(), newest);
    for (int64_t opset = 1; opset <= newest; ++opset) {
      std::optional<int> version = history->getVersionAt(opset);
      if (opset >= schema.getVersion()) {
        ASSERT_TRUE(version);
        EXPECT_GE(*version, schema.getVersion());
        EXPECT_TRUE(
            lookupSchema(schema.getDomain(), schema.getName(), *version));
      }
    }
  }
}

// A version that is taken as it is has nothing that the record lacks; what a
// rule without custom steps leaves is something that the record has.
TEST_F(SchemaHistoryTest, NoAttributeGetsLost) {
  for (const VersionSchema &schema : getSchemaHistory()) {
    SCOPED_TRACE(spell(schema));
    const OperatorHistory::Version *form =
        schemas->lookup(schema.getDomain(), schema.getName())
            ->lookup(schema.getVersion());
    ASSERT_TRUE(form);
    llvm::SmallVector<StringRef> known = getNewestNames(form->record);
    bool isCustom = false;
    if (form->rule)
      for (const UpgradeStep &step : form->rule->steps) {
        isCustom |= step.kind == UpgradeStep::Kind::Custom;
        if (step.kind != UpgradeStep::Kind::SetDefault)
          known.push_back(step.name);
      }
    if (isCustom)
      continue;
    for (const FormalAttribute &attribute : schema.getAttributes())
      EXPECT_TRUE(llvm::is_contained(known, attribute.name))
          << attribute.name.str();
  }
}

TEST_F(SchemaHistoryTest, MisfitsAreNamed) {
  Builder b(&context);
  Type floats = RankedTensorType::get({2}, b.getF32Type());
  Type shorts = RankedTensorType::get({2}, b.getIntegerType(16));
  const VersionSchema &add6 = *lookupSchema("", "Add", 6);
  NamedAttribute broadcast =
      b.getNamedAttr("broadcast", b.getI64IntegerAttr(1));
  EXPECT_EQ(add6.findMisfit({floats, floats}, {broadcast}, {}, {floats}), "");
  EXPECT_EQ(
      add6.findMisfit({shorts, shorts}, {}, {}, {shorts}),
      "input 0 (A) is of type tensor(int16), which version 6 does not take");
  EXPECT_EQ(add6.findMisfit({floats}, {}, {}, {floats}),
            "input 1 (B) is missing");
  const VersionSchema &add7 = *lookupSchema("", "Add", 7);
  EXPECT_EQ(add7.findMisfit({floats, floats}, {broadcast}, {}, {floats}),
            "attribute 'broadcast' is unknown to version 7, which has none");
  EXPECT_EQ(add7.findMisfit({floats, floats, floats}, {}, {}, {floats}),
            "has 3 inputs, version 7 has at most 2");
  NamedAttribute mistyped = b.getNamedAttr("broadcast", b.getStringAttr("1"));
  EXPECT_EQ(add6.findFault({floats, floats}, {mistyped}, {}, {floats}),
            "attribute 'broadcast' is of type STRING, expected INT");
  EXPECT_EQ(add6.findFault({floats, floats}, {}, {"broadcast"}, {floats}),
            "attribute 'broadcast' is of type GRAPH, expected INT");
  EXPECT_EQ(add6.findFault({floats, floats}, {}, {}, {shorts}), "");
  EXPECT_EQ(add6.findMisfit({floats, floats}, {}, {}, {shorts}),
            "output 0 (C) is of type tensor(int16), which version 6 does not "
            "take");
  const VersionSchema &pow7 = *lookupSchema("", "Pow", 7);
  Type doubles = RankedTensorType::get({2}, b.getF64Type());
  EXPECT_EQ(pow7.findFault({floats, doubles}, {}, {}, {floats}),
            "input 1 (Y) is of type tensor(double), but input 0 (X) of float: "
            "version 7 takes one type for both");
  EXPECT_EQ(lookupSchema("", "Pow", 12)
                ->findMisfit({floats, doubles}, {}, {}, {floats}),
            "");
  const VersionSchema &concat = *lookupSchema("", "Concat", 4);
  EXPECT_EQ(concat.findMisfit({floats}, {}, {}, {floats}),
            "attribute 'axis' is missing");
  EXPECT_EQ(
      lookupSchema("", "Upsample", 10)
          ->findMisfit({floats, floats}, {}, {}, {floats}),
      "version 10 of its domain has replaced the operator by another one");
  EXPECT_FALSE(lookupSchema("", "Add", 2));
  // Outputs that the node does not name: what lies behind its own is not read.
  Type longs = RankedTensorType::get({2}, b.getI64Type());
  Type outputs[] = {floats, longs};
  const VersionSchema &topk = *lookupSchema("", "TopK", 11);
  EXPECT_EQ(topk.findMisfit({floats, longs}, {}, {}, outputs), "");
  EXPECT_EQ(
      topk.findMisfit({floats, longs}, {}, {}, ArrayRef(outputs).take_front(1)),
      "output 1 (Indices) is missing");
  EXPECT_EQ(
      topk.findFault({floats, longs}, {}, {}, ArrayRef(outputs).take_front(1)),
      "");
}

TEST_F(SchemaHistoryTest, DefaultsAreRead) {
  Builder b(&context);
  for (const FormalAttribute &attribute :
       lookupSchema("", "Resize", 11)->getAttributes()) {
    if (attribute.name == "mode") {
      EXPECT_TRUE(attribute.isDefault(b.getStringAttr("nearest")));
      EXPECT_FALSE(attribute.isDefault(b.getStringAttr("linear")));
    } else if (attribute.name == "cubic_coeff_a") {
      EXPECT_TRUE(attribute.isDefault(b.getF32FloatAttr(-0.75f)));
    } else if (attribute.name == "exclude_outside") {
      EXPECT_TRUE(attribute.isDefault(b.getI64IntegerAttr(0)));
      EXPECT_FALSE(attribute.isDefault(b.getI64IntegerAttr(1)));
    }
  }
}

} // namespace
