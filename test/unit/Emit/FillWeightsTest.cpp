//===- FillWeightsTest.cpp - Weights in what was linked -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Emit/FillWeights.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

#include <cstddef>

using namespace mlir;

namespace {

TEST(FillWeightsTest, NoPlace) {
  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  onnxc::ModelInfo info;
  // No program has a read-only section of that size without contents.
  info.weightBytes = 123456789;
  std::string out;
  llvm::raw_string_ostream os(out);
  EXPECT_TRUE(failed(onnxc::fillWeights(*module, info, "/proc/self/exe", os)));
  EXPECT_EQ(errors, "the linker left no place for the weights");
  errors.clear();
  EXPECT_TRUE(failed(onnxc::fillWeights(*module, info, "no such file", os)));
  EXPECT_NE(errors.find("cannot read 'no such file'"), std::string::npos);
  EXPECT_EQ(out, "");
}

TEST(FillWeightsTest, NoSection) {
  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  onnxc::ModelInfo info;
  info.weightBytes = 64;
  // A segment, no sections, and behind their empty table what would be the
  // place for the weights, at the end of the segment, if it were one.
  struct {
    llvm::ELF::Elf64_Ehdr header = {};
    llvm::ELF::Elf64_Phdr segment = {};
    llvm::ELF::Elf64_Shdr behind = {};
  } file;
  file.header.e_phoff = offsetof(decltype(file), segment);
  file.header.e_phnum = 1;
  file.header.e_shoff = offsetof(decltype(file), behind);
  file.segment.p_type = llvm::ELF::PT_LOAD;
  file.segment.p_memsz = info.weightBytes;
  file.segment.p_align = 1;
  file.behind.sh_type = llvm::ELF::SHT_NOBITS;
  file.behind.sh_flags = llvm::ELF::SHF_ALLOC;
  file.behind.sh_size = info.weightBytes;
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("no-section", "so", descriptor, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true)
      .write(reinterpret_cast<const char *>(&file), sizeof(file));
  std::string out;
  llvm::raw_string_ostream os(out);
  EXPECT_TRUE(failed(onnxc::fillWeights(*module, info, path, os)));
  EXPECT_EQ(errors, "the linker left no place for the weights");
  EXPECT_EQ(out, "");
}

} // namespace
