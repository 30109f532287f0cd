//===- TensorTest.cpp - TensorProto in every form -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFixture.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

namespace {

class TensorTest : public ImportFixture {
protected:
  static TensorProto make(int type, std::initializer_list<int64_t> dims) {
    TensorProto tensor;
    tensor.set_data_type(type);
    for (int64_t dim : dims)
      tensor.add_dims(dim);
    return tensor;
  }
  static TensorProto makeRaw(int type, std::initializer_list<int64_t> dims,
                             StringRef bytes) {
    TensorProto tensor = make(type, dims);
    tensor.set_raw_data(bytes.str());
    return tensor;
  }
  /// The text form of the imported tensor, "" after an error.
  std::string show(const TensorProto &tensor) {
    OwningOpRef<ModuleOp> module = import(modelOf(tensor));
    if (!module)
      return "";
    std::string text;
    llvm::raw_string_ostream(text) << findConstant(*module);
    return text;
  }
};

TEST_F(TensorTest, EveryElementTypeFromRawData) {
  auto raw = [&](int type, StringRef bytes) {
    return show(makeRaw(type, {2}, bytes));
  };
  auto bytes = [](auto a, auto b) {
    std::string text(2 * sizeof(a), '\0');
    std::memcpy(text.data(), &a, sizeof(a));
    std::memcpy(text.data() + sizeof(a), &b, sizeof(b));
    return text;
  };
  EXPECT_EQ(raw(TensorProto::FLOAT, bytes(1.f, 2.f)),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(raw(TensorProto::DOUBLE, bytes(1., 2.)),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>");
  EXPECT_EQ(raw(TensorProto::UINT8, "\x01\xff"),
            "dense<[1, 255]> : tensor<2xui8>");
  EXPECT_EQ(raw(TensorProto::INT8, "\x01\xff"),
            "dense<[1, -1]> : tensor<2xi8>");
  EXPECT_EQ(raw(TensorProto::UINT16, bytes(uint16_t(1), uint16_t(65535))),
            "dense<[1, 65535]> : tensor<2xui16>");
  EXPECT_EQ(raw(TensorProto::INT16, bytes(int16_t(1), int16_t(-1))),
            "dense<[1, -1]> : tensor<2xi16>");
  EXPECT_EQ(raw(TensorProto::INT32, bytes(1, -1)),
            "dense<[1, -1]> : tensor<2xi32>");
  EXPECT_EQ(raw(TensorProto::INT64, bytes(int64_t(1), int64_t(-1))),
            "dense<[1, -1]> : tensor<2xi64>");
  EXPECT_EQ(raw(TensorProto::UINT32, bytes(1u, ~0u)),
            "dense<[1, 4294967295]> : tensor<2xui32>");
  EXPECT_EQ(raw(TensorProto::UINT64, bytes(uint64_t(1), ~uint64_t(0))),
            "dense<[1, 18446744073709551615]> : tensor<2xui64>");
  // Whatever is not 0 is true.
  EXPECT_EQ(raw(TensorProto::BOOL, StringRef("\x00\x05", 2)),
            "dense<[false, true]> : tensor<2xi1>");
  EXPECT_EQ(raw(TensorProto::FLOAT16, StringRef("\x00\x3c\x00\x40", 4)),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>");
  EXPECT_EQ(raw(TensorProto::BFLOAT16, StringRef("\x80\x3f\x00\x40", 4)),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xbf16>");
  EXPECT_EQ(raw(TensorProto::FLOAT8E4M3FN, "\x38\x40"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FN>");
  EXPECT_EQ(raw(TensorProto::FLOAT8E5M2, "\x3c\x40"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E5M2>");
  EXPECT_EQ(raw(TensorProto::FLOAT8E4M3FNUZ, "\x40\x48"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FNUZ>");
  EXPECT_EQ(raw(TensorProto::FLOAT8E5M2FNUZ, "\x40\x44"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E5M2FNUZ>");
  EXPECT_EQ(raw(TensorProto::FLOAT8E8M0, "\x7f\x80"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E8M0FNU>");
  EXPECT_EQ(raw(TensorProto::UINT4, "\xf1"), "dense<[1, 15]> : tensor<2xui4>");
  EXPECT_EQ(raw(TensorProto::INT4, "\xf1"), "dense<[1, -1]> : tensor<2xi4>");
  EXPECT_EQ(raw(TensorProto::UINT2, "\x0d"), "dense<[1, 3]> : tensor<2xui2>");
  EXPECT_EQ(raw(TensorProto::INT2, "\x0d"), "dense<[1, -1]> : tensor<2xi2>");
  EXPECT_EQ(raw(TensorProto::FLOAT4E2M1, "\x42"),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf4E2M1FN>");
  EXPECT_EQ(raw(TensorProto::COMPLEX64, bytes(1.f, 2.f) + bytes(3.f, 4.f)),
            "dense<[(1.000000e+00,2.000000e+00), "
            "(3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f32>>");
  EXPECT_EQ(raw(TensorProto::COMPLEX128, bytes(1., 2.) + bytes(3., 4.)),
            "dense<[(1.000000e+00,2.000000e+00), "
            "(3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f64>>");
}

TEST_F(TensorTest, TypedFields) {
  auto typed = [&](int type, std::initializer_list<int32_t> values,
                   int64_t elements) {
    TensorProto tensor = make(type, {elements});
    for (int32_t value : values)
      tensor.add_int32_data(value);
    return show(tensor);
  };
  EXPECT_EQ(typed(TensorProto::INT32, {1, -1}, 2),
            "dense<[1, -1]> : tensor<2xi32>");
  EXPECT_EQ(typed(TensorProto::INT8, {1, -1}, 2),
            "dense<[1, -1]> : tensor<2xi8>");
  EXPECT_EQ(typed(TensorProto::UINT8, {1, 255}, 2),
            "dense<[1, 255]> : tensor<2xui8>");
  EXPECT_EQ(typed(TensorProto::UINT16, {1, 65535}, 2),
            "dense<[1, 65535]> : tensor<2xui16>");
  EXPECT_EQ(typed(TensorProto::BOOL, {0, 1}, 2),
            "dense<[false, true]> : tensor<2xi1>");
  EXPECT_EQ(typed(TensorProto::FLOAT16, {0x3c00, 0xc000}, 2),
            "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf16>");
  EXPECT_EQ(typed(TensorProto::BFLOAT16, {0x3f80, 0xc000}, 2),
            "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xbf16>");
  EXPECT_EQ(typed(TensorProto::FLOAT8E5M2, {0x3c, 0xc0}, 2),
            "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf8E5M2>");
  EXPECT_EQ(typed(TensorProto::INT4, {0xf1, 0x02}, 3),
            "dense<[1, -1, 2]> : tensor<3xi4>");
  EXPECT_EQ(typed(TensorProto::INT2, {0x0d, 0x01}, 5),
            "dense<[1, -1, 0, 0, 1]> : tensor<5xi2>");
  TensorProto tensor = make(TensorProto::COMPLEX64, {1});
  tensor.add_float_data(1);
  tensor.add_float_data(2);
  EXPECT_EQ(show(tensor),
            "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>");
  tensor = make(TensorProto::UINT32, {1});
  tensor.add_uint64_data(~0u);
  EXPECT_EQ(show(tensor), "dense<4294967295> : tensor<1xui32>");
  tensor = make(TensorProto::UINT64, {1});
  tensor.add_uint64_data(~uint64_t(0));
  EXPECT_EQ(show(tensor), "dense<18446744073709551615> : tensor<1xui64>");
  tensor = make(TensorProto::INT64, {});
  tensor.add_int64_data(-7);
  EXPECT_EQ(show(tensor), "dense<-7> : tensor<i64>");
  tensor = make(TensorProto::DOUBLE, {1});
  tensor.add_double_data(0.5);
  EXPECT_EQ(show(tensor), "dense<5.000000e-01> : tensor<1xf64>");
  tensor = make(TensorProto::STRING, {2});
  tensor.add_string_data("a");
  tensor.add_string_data("b\"\n");
  EXPECT_EQ(show(tensor),
            "dense<[\"a\", \"b\\22\\0A\"]> : tensor<2x!onnx.string>");
}

TEST_F(TensorTest, SixBits) {
  // No operator gives them, not even Constant: they are attributes at most.
  auto showAttribute = [&](const TensorProto &tensor) -> std::string {
    onnx::ModelProto model = makeModel();
    model.mutable_opset_import(0)->set_domain("my");
    onnx::NodeProto *node = addNode(model.mutable_graph(), "Custom", {}, {});
    node->set_domain("my");
    onnx::AttributeProto *attribute = node->add_attribute();
    attribute->set_name("t");
    attribute->set_type(onnx::AttributeProto::TENSOR);
    *attribute->mutable_t() = tensor;
    OwningOpRef<ModuleOp> module = import(model);
    std::string text;
    if (module)
      module->walk([&](Operation *op) {
        if (auto all = op->getAttrOfType<DictionaryAttr>("onnx_attributes"))
          llvm::raw_string_ostream(text) << all.get("t");
      });
    return text;
  };
  // From the lowest bit on: 001000 and 010000.
  EXPECT_EQ(showAttribute(makeRaw(TensorProto::FLOAT6E2M3, {2}, "\x08\x04")),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf6E2M3FN>");
  TensorProto typed = make(TensorProto::FLOAT6E2M3, {5});
  for (int value : {8, 16, 8, 16, 8})
    typed.add_int32_data(value);
  EXPECT_EQ(showAttribute(typed),
            "dense<[1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, "
            "1.000000e+00]> : tensor<5xf6E2M3FN>");
  typed.set_int32_data(0, 64);
  EXPECT_EQ(showAttribute(typed), "");
  EXPECT_NE(errors.find("has the element 64, which does not fit 6 bits"),
            std::string::npos)
      << errors;
}

TEST_F(TensorTest, EmptyTensors) {
  for (int type = 1; type < TensorProto::FLOAT6E2M3; ++type)
    EXPECT_NE(show(make(type, {0, 3})), "") << type << ": " << errors;
}

TEST_F(TensorTest, LargeOnesAreResourcesInTheFile) {
  std::string bytes(4 * 1000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 7);
  OwningOpRef<ModuleOp> module =
      import(modelOf(makeRaw(TensorProto::FLOAT, {10, 100}, bytes)));
  ASSERT_TRUE(module) << errors;
  auto resource = dyn_cast<DenseResourceElementsAttr>(findConstant(*module));
  ASSERT_TRUE(resource);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ASSERT_TRUE(blob);
  EXPECT_EQ(StringRef(blob->getData().data(), blob->getData().size()), bytes);
  EXPECT_EQ(resource.getRawHandle().getKey(), "w");
  EXPECT_EQ(reinterpret_cast<size_t>(blob->getData().data()) %
                blob->getDataAlignment(),
            0u);
}

TEST_F(TensorTest, LargeFloatDataIsAResourceToo) {
  TensorProto tensor = make(TensorProto::FLOAT, {100});
  for (int i = 0; i < 100; ++i)
    tensor.add_float_data(static_cast<float>(i));
  OwningOpRef<ModuleOp> module = import(modelOf(tensor));
  ASSERT_TRUE(module) << errors;
  auto resource = dyn_cast<DenseResourceElementsAttr>(findConstant(*module));
  ASSERT_TRUE(resource);
  float last;
  std::memcpy(&last, resource.getData().data() + 99 * 4, 4);
  EXPECT_EQ(last, 99.f);
}

TEST_F(TensorTest, Errors) {
  auto fails = [&](const TensorProto &tensor, StringRef message) {
    EXPECT_EQ(show(tensor), "");
    EXPECT_NE(errors.find(message.str()), std::string::npos) << errors;
  };
  fails(makeRaw(TensorProto::FLOAT, {2}, "abc"),
        "initializer 'w' has 3 bytes of data, 8 expected for 2 elements of "
        "type float");
  fails(make(TensorProto::FLOAT, {2}), "has 0 bytes of data, 8 expected");
  fails(makeRaw(TensorProto::FLOAT, {-2}, "abc"),
        "has the negative dimension -2");
  fails(makeRaw(TensorProto::FLOAT, {1ll << 40, 1ll << 40}, "abc"),
        "has more elements than can be counted");
  fails(makeRaw(TensorProto::FLOAT, {0, 1ll << 40, 1ll << 40}, ""),
        "has more elements than can be counted");
  fails(makeRaw(77, {1}, "abcd"),
        "element type 77 is not one of TensorProto.DataType");
  fails(makeRaw(0, {1}, "abcd"),
        "element type 0 is not one of TensorProto.DataType");
  TensorProto both = makeRaw(TensorProto::FLOAT, {1}, "abcd");
  both.add_float_data(1);
  fails(both, "its data is given twice");
  TensorProto wrong = make(TensorProto::FLOAT, {1});
  wrong.add_int64_data(1);
  fails(wrong, "its data is in a field that does not match element type "
               "float");
  TensorProto wide = make(TensorProto::INT8, {1});
  wide.add_int32_data(256);
  fails(wide, "has the element 256, which does not fit 8 bits");
  TensorProto low = make(TensorProto::INT8, {1});
  low.add_int32_data(-129);
  fails(low, "has the element -129, which does not fit 8 bits");
  fails(make(TensorProto::STRING, {2}), "has 0 strings, 2 expected");
  TensorProto segment = makeRaw(TensorProto::UINT8, {4}, "abcd");
  segment.mutable_segment()->set_begin(0);
  segment.mutable_segment()->set_end(4);
  fails(segment, "segments are not supported");
}

} // namespace
