//===- PartsTest.cpp - Functions that threads compile ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Emit/Parts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// A function of so many instructions that others reach by its name.
void addFunction(Module &module, StringRef name, unsigned instructions) {
  LLVMContext &context = module.getContext();
  auto *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                       GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(Attribute::NoInline);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  for (unsigned i = 1; i < instructions; ++i)
    builder.CreateAlloca(builder.getInt8Ty());
  builder.CreateRetVoid();
}

/// The functions of each part of a module with functions of these sizes, by
/// their names: a letter each.
std::vector<std::string> split(std::initializer_list<unsigned> sizes) {
  LLVMContext context;
  auto module = std::make_unique<Module>("test", context);
  char name = 'a';
  for (unsigned size : sizes)
    addFunction(*module, std::string(1, name++), size);
  std::vector<std::string> parts;
  std::unique_ptr<onnxc::Parts> made = onnxc::Parts::split(module);
  for (size_t i = 0; made && i < made->size(); ++i) {
    LLVMContext own;
    std::unique_ptr<Module> part = made->load(i, own);
    parts.emplace_back();
    for (Function &function : *part) {
      EXPECT_TRUE(function.hasExternalLinkage());
      EXPECT_TRUE(function.hasHiddenVisibility());
      if (!function.isDeclaration())
        parts.back() += function.getName();
    }
  }
  return parts;
}

using Names = std::vector<std::string>;

TEST(PartsTest, OnePerTwoThousandInstructions) {
  EXPECT_EQ(split({1999, 2000}), Names{});
  EXPECT_EQ(split({4000}), Names{});
  EXPECT_EQ(split({2000, 2000}), (Names{"a", "b"}));
  EXPECT_EQ(split({100, 3900}), (Names{"b", "a"}));
  EXPECT_EQ(split({3000, 2900, 50, 49}), (Names{"a", "bcd"}));
}

TEST(PartsTest, LargeOnesFirst) {
  EXPECT_EQ(split({500, 2500, 400, 2400}), (Names{"bc", "ad"}));
  EXPECT_EQ(split({1000, 3000, 999, 900}), (Names{"b", "acd"}));
}

} // namespace
