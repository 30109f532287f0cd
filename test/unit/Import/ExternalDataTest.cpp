//===- ExternalDataTest.cpp - Weights beside the model --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportFixture.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace onnxc;
using onnx::TensorProto;

namespace {

class ExternalDataTest : public ImportFixture {
protected:
  void SetUp() override {
    ImportFixture::SetUp();
    // The model is in a folder of its own, so that there is an outside.
    ASSERT_FALSE(llvm::sys::fs::create_directory(pathOf("in")));
    ASSERT_FALSE(llvm::sys::fs::create_directory(pathOf("in/sub")));
    write("in/w.bin", "0123456789abcdef");
    write("in/sub/w.bin", "abcdefgh");
    write("outside.bin", "0123456789abcdef");
  }

  bool importWith(StringRef location, StringRef offset = "",
                  StringRef length = "") {
    TensorProto tensor;
    tensor.set_data_type(TensorProto::UINT8);
    tensor.add_dims(4);
    tensor.set_data_location(TensorProto::EXTERNAL);
    auto set = [&](const char *key, StringRef value) {
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value.str());
    };
    set("location", location);
    if (!offset.empty())
      set("offset", offset);
    if (!length.empty())
      set("length", length);
    write("in/model.onnx", modelOf(tensor).SerializeAsString());
    OwningOpRef<ModuleOp> module = importFile("in/model.onnx");
    value = module ? findConstant(*module) : ElementsAttr();
    return static_cast<bool>(module);
  }
  void fails(StringRef message) {
    EXPECT_NE(errors.find(message.str()), std::string::npos) << errors;
  }

  ElementsAttr value;
};

TEST_F(ExternalDataTest, ReadsFilesBelowTheModel) {
  EXPECT_TRUE(importWith("w.bin")) << errors;
  EXPECT_TRUE(importWith("./w.bin", "2", "4")) << errors;
  EXPECT_EQ(value.getValues<uint8_t>()[0], '2');
  EXPECT_TRUE(importWith("sub/w.bin", "4")) << errors;
  EXPECT_EQ(value.getValues<uint8_t>()[3], 'h');
  // A length of 0 is the one that the tensor has.
  EXPECT_TRUE(importWith("w.bin", "0", "0")) << errors;
}

TEST_F(ExternalDataTest, RefusesToLeaveTheFolder) {
  EXPECT_FALSE(importWith("../outside.bin"));
  fails("external file '../outside.bin' leads out of the model's folder");
  EXPECT_FALSE(importWith("sub/../../outside.bin"));
  fails("leads out of the model's folder");
  EXPECT_FALSE(importWith(pathOf("outside.bin")));
  fails("is an absolute path");
  EXPECT_FALSE(importWith("/dev/zero"));
  fails("is an absolute path");
  EXPECT_FALSE(importWith(""));
  fails("is empty");
  ASSERT_EQ(::symlink("../outside.bin", pathOf("in/link.bin").c_str()), 0);
  EXPECT_FALSE(importWith("link.bin"));
  fails("is a link out of the model's folder");
  ASSERT_EQ(::symlink("/", pathOf("in/root").c_str()), 0);
  EXPECT_FALSE(importWith("root/etc/passwd"));
  fails("is a link out of the model's folder");
}

TEST_F(ExternalDataTest, FollowsLinksWithinTheFolder) {
  ASSERT_EQ(::symlink("sub/w.bin", pathOf("in/link.bin").c_str()), 0);
  EXPECT_TRUE(importWith("link.bin")) << errors;
}

TEST_F(ExternalDataTest, AllowsTheRealFolderOfALinkedModel) {
  // As in Hugging Face's cache: model and data are links into one folder.
  EXPECT_TRUE(importWith("w.bin")) << errors;
  ASSERT_FALSE(llvm::sys::fs::create_directory(pathOf("snapshot")));
  ASSERT_EQ(
      ::symlink("../in/model.onnx", pathOf("snapshot/model.onnx").c_str()), 0);
  ASSERT_EQ(::symlink("../in/w.bin", pathOf("snapshot/w.bin").c_str()), 0);
  EXPECT_TRUE(importFile("snapshot/model.onnx")) << errors;
}

TEST_F(ExternalDataTest, OpensRegularFilesOnly) {
  ASSERT_EQ(::mkfifo(pathOf("in/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(importWith("fifo"));
  fails("is a FIFO, expected a regular file");
  EXPECT_FALSE(importWith("sub"));
  fails("is a directory, expected a regular file");
  EXPECT_FALSE(importWith("missing.bin"));
  fails("cannot be opened: No such file");
}

TEST_F(ExternalDataTest, ChecksOffsetAndLength) {
  EXPECT_FALSE(importWith("w.bin", "13"));
  fails("its 4 bytes at offset 13 reach past the end of external file 'w.bin', "
        "which has 16");
  EXPECT_FALSE(importWith("w.bin", "18446744073709551615"));
  fails("reach past the end");
  EXPECT_FALSE(importWith("w.bin", "-1"));
  fails("its external offset '-1' is not a number");
  EXPECT_FALSE(importWith("w.bin", "0", "5"));
  fails("its external length is 5, 4 bytes were expected");
  EXPECT_FALSE(importWith("w.bin", "0", "x"));
  fails("its external length 'x' is not a number");
}

} // namespace
