//===- WireScannerTest.cpp - Taking payloads out of model files -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Import/WireScanner.h"

#include "gtest/gtest.h"

#include <onnx/onnx-ml.pb.h>

using namespace llvm;
using namespace onnxc;

namespace {

FailureOr<SlimModel> scan(StringRef bytes, std::string *error = nullptr) {
  return takeOutPayloads(ArrayRef<char>(bytes.data(), bytes.size()),
                         [&](const Twine &message) {
                           if (error)
                             *error = message.str();
                         });
}

/// Large tensors wherever a model can have one.
onnx::ModelProto makeModel() {
  onnx::ModelProto model;
  auto fill = [](onnx::TensorProto *tensor, char c) {
    tensor->set_data_type(onnx::TensorProto::UINT8);
    tensor->add_dims(300);
    tensor->set_raw_data(std::string(300, c));
  };
  onnx::GraphProto *graph = model.mutable_graph();
  fill(graph->add_initializer(), 'a');
  onnx::SparseTensorProto *sparse = graph->add_sparse_initializer();
  fill(sparse->mutable_values(), 'b');
  onnx::NodeProto *node = graph->add_node();
  node->set_op_type("If");
  fill(node->add_attribute()->mutable_t(), 'c');
  fill(node->add_attribute()->add_tensors(), 'd');
  onnx::GraphProto *inner = node->add_attribute()->mutable_g();
  fill(inner->add_initializer(), 'e');
  fill(inner->add_node()->add_attribute()->mutable_t(), 'f');
  onnx::FunctionProto *function = model.add_functions();
  fill(function->add_node()->add_attribute()->mutable_t(), 'g');
  onnx::TensorProto *floats = graph->add_initializer();
  floats->set_data_type(onnx::TensorProto::FLOAT);
  floats->add_dims(100);
  for (int i = 0; i < 100; ++i)
    floats->add_float_data(1.0f);
  model.set_producer_name("the end");
  return model;
}

TEST(WireScannerTest, TakesEveryLargePayload) {
  std::string bytes = makeModel().SerializeAsString();
  FailureOr<SlimModel> slim = scan(bytes);
  ASSERT_TRUE(succeeded(slim));
  EXPECT_EQ(slim->payloads.size(), 8u);
  EXPECT_LT(slim->bytes.size(), 400u);
  std::string found;
  for (const auto &[offset, payload] : slim->payloads) {
    EXPECT_EQ(payload.bytes.data(), bytes.data() + offset);
    if (payload.field == Payload::FloatData) {
      EXPECT_EQ(payload.bytes.size(), 400u);
      continue;
    }
    EXPECT_EQ(payload.bytes.size(), 300u);
    found += payload.bytes.front();
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, "abcdefg");

  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(slim->bytes));
  EXPECT_EQ(parsed.producer_name(), "the end");
  const onnx::TensorProto &first = parsed.graph().initializer(0);
  EXPECT_FALSE(first.has_raw_data());
  ASSERT_TRUE(first.has_segment());
  EXPECT_EQ(slim->payloads.lookup(first.segment().begin()).bytes.front(), 'a');
  EXPECT_EQ(first.segment().end() - first.segment().begin(), 300);
}

TEST(WireScannerTest, LeavesSmallModelsAlone) {
  onnx::ModelProto model;
  model.mutable_graph()->add_initializer()->set_raw_data("abc");
  std::string bytes = model.SerializeAsString();
  FailureOr<SlimModel> slim = scan(bytes);
  ASSERT_TRUE(succeeded(slim));
  EXPECT_TRUE(slim->payloads.empty());
  EXPECT_EQ(slim->bytes, bytes);
}

TEST(WireScannerTest, SurvivesEveryTruncation) {
  std::string bytes = makeModel().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); ++length) {
    // A copy of its own size, so that sanitizers see what is read past it.
    std::vector<char> cut(bytes.begin(), bytes.begin() + length);
    (void)takeOutPayloads(cut, [](const Twine &) {});
  }
}

TEST(WireScannerTest, SurvivesEveryChangedByte) {
  std::string bytes = makeModel().SerializeAsString();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (char value : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
      std::vector<char> changed(bytes.begin(), bytes.end());
      changed[at] = value;
      (void)takeOutPayloads(changed, [](const Twine &) {});
    }
}

TEST(WireScannerTest, NamesWhatIsMalformed) {
  std::string error;
  EXPECT_TRUE(failed(scan("\x3a\x7f", &error)));
  EXPECT_EQ(error, "malformed protobuf at byte 2: a field of 127 bytes, where "
                   "0 are left");
  EXPECT_TRUE(failed(scan("\x3b", &error)));
  EXPECT_EQ(error, "malformed protobuf at byte 1: a group is cut off");
  EXPECT_TRUE(failed(scan("\x3c", &error)));
  EXPECT_EQ(error, "malformed protobuf at byte 1: a field has the wire type 4");
  EXPECT_TRUE(failed(scan(StringRef("\x00", 1), &error)));
  EXPECT_EQ(error, "malformed protobuf at byte 1: a field has the number 0");
  EXPECT_TRUE(
      failed(scan("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &error)));
  EXPECT_EQ(error, "malformed protobuf at byte 11: a number is cut off");
}

TEST(WireScannerTest, CopiesGroups) {
  // Field 999, and in it a number and another group with a field of 2 bytes.
  StringRef group = "\xbb\x3e\x08\x05\x13\x1a\x02hi\x14\xbc\x3e";
  FailureOr<SlimModel> slim = scan(group);
  ASSERT_TRUE(succeeded(slim));
  EXPECT_EQ(slim->bytes, group);
}

/// A field of the given tag that holds the bytes.
std::string wrap(char tag, const std::string &inner) {
  std::string bytes(1, tag);
  for (size_t size = inner.size();; size >>= 7) {
    bytes.push_back(
        static_cast<char>((size & 0x7f) | (size > 0x7f ? 0x80 : 0)));
    if (size <= 0x7f)
      break;
  }
  return bytes + inner;
}

TEST(WireScannerTest, LeavesDataInPiecesToProtobuf) {
  onnx::TensorProto tensor;
  tensor.set_raw_data(std::string(300, 'a'));
  std::string twice = tensor.SerializeAsString() + tensor.SerializeAsString();
  onnx::ModelProto model;
  model.mutable_graph()->add_initializer();
  // Field 7 (graph) with field 5 (initializer).
  auto isLeft = [&](const std::string &bytes) {
    FailureOr<SlimModel> slim = scan(bytes);
    return succeeded(slim) && slim->payloads.empty() && slim->bytes == bytes;
  };
  EXPECT_TRUE(isLeft(wrap(0x3a, wrap(0x2a, twice))));
  std::string once = tensor.SerializeAsString();
  tensor.set_raw_data("abc");
  std::string pieces = tensor.SerializeAsString() + once;
  EXPECT_TRUE(isLeft(wrap(0x3a, wrap(0x2a, pieces))));
  // Two pieces of AttributeProto.t (5), in a node (1) of the graph.
  std::string attribute = wrap(0x2a, "") + wrap(0x2a, once);
  EXPECT_TRUE(isLeft(wrap(0x3a, wrap(0x0a, wrap(0x2a, attribute)))));
}

/// A model with an initializer of these bytes.
std::string wrapInitializer(const std::string &tensor) {
  return wrap(0x3a, wrap(0x2a, tensor));
}

TEST(WireScannerTest, KnowsEveryFieldOfElements) {
  onnx::TensorProto raw;
  raw.set_raw_data(std::string(300, 'a'));
  std::vector<onnx::TensorProto> few(7);
  few[0].add_float_data(1.0f);
  few[1].add_int32_data(1);
  few[2].add_string_data("s");
  few[3].add_int64_data(1);
  few[4].set_raw_data("abc");
  few[5].add_double_data(1.0);
  few[6].add_uint64_data(1);
  for (const onnx::TensorProto &piece : few) {
    // A few elements stand there already.
    std::string bytes =
        wrapInitializer(piece.SerializeAsString() + raw.SerializeAsString());
    FailureOr<SlimModel> slim = scan(bytes);
    ASSERT_TRUE(succeeded(slim));
    EXPECT_TRUE(slim->payloads.empty()) << piece.ShortDebugString();
    EXPECT_EQ(slim->bytes, bytes);
  }
  // No other field of a tensor holds any.
  onnx::TensorProto others;
  others.add_dims(300);
  others.set_data_type(onnx::TensorProto::UINT8);
  others.set_name("n");
  others.set_doc_string("d");
  others.add_external_data()->set_key("k");
  others.set_data_location(onnx::TensorProto::DEFAULT);
  FailureOr<SlimModel> slim = scan(
      wrapInitializer(others.SerializeAsString() + raw.SerializeAsString()));
  ASSERT_TRUE(succeeded(slim));
  EXPECT_EQ(slim->payloads.size(), 1u);
}

} // namespace
