//===- ConstantBuilder.h - Constants of C's kinds ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_CONSTANTBUILDER_H
#define ONNXC_LIB_EMIT_CONSTANTBUILDER_H

#include "onnxc/Target/Architecture.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace onnxc {

/// Makes constants of C's kinds.
class ConstantBuilder {
public:
  explicit ConstantBuilder(llvm::Module &module)
      : module(module), context(module.getContext()) {}

  llvm::Constant *i32(int64_t value) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), value);
  }
  llvm::Constant *i64(int64_t value) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), value);
  }
  llvm::Constant *null() {
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  }

  /// The address of a constant that nothing else refers to.
  llvm::GlobalVariable *global(llvm::Constant *value) {
    auto *variable =
        new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, value);
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  /// NUL-terminated; bytes behind a NUL of the text itself are lost to C.
  llvm::Constant *string(llvm::StringRef text) {
    return global(llvm::ConstantDataArray::getString(context, text));
  }

  /// An onnxc_string: 64 bits also where an address has 32.
  llvm::Constant *text(llvm::StringRef text) {
    if (module.getDataLayout().getPointerSize() == sizeof(uint64_t))
      return string(text);
    return llvm::ConstantStruct::getAnon({string(text), i32(0)});
  }

  /// The address `bytes` behind that of a global.
  llvm::Constant *within(llvm::Constant *base, int64_t bytes) {
    return llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(context),
                                                base, i64(bytes));
  }

  /// The elements themselves, at least one.
  llvm::Constant *inlineArray(llvm::ArrayRef<llvm::Constant *> elements) {
    return llvm::ConstantArray::get(
        llvm::ArrayType::get(elements.front()->getType(), elements.size()),
        elements);
  }

  /// A pointer to the elements; NULL for none.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    return global(llvm::ConstantArray::get(
        llvm::ArrayType::get(elements.front()->getType(), elements.size()),
        elements));
  }

  /// `const void *name(uint32_t version)`, visible outside: the answer is the
  /// address for a version, or NULL to who asks for another one. Like the
  /// runtime, it must run on every processor.
  void
  accessor(const llvm::Twine &name,
           llvm::ArrayRef<std::pair<uint32_t, llvm::Constant *>> versions) {
    auto *type = llvm::FunctionType::get(llvm::PointerType::get(context, 0),
                                         {llvm::Type::getInt32Ty(context)},
                                         /*isVarArg=*/false);
    auto *function = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, name, module);
    const Architecture &row = getArchitecture(module.getTargetTriple());
    function->addFnAttr("target-cpu", row.baseline);
    function->addFnAttr("target-features", row.features);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
    llvm::Value *answer = null();
    for (auto [version, address] : versions)
      answer = builder.CreateSelect(
          builder.CreateICmpEQ(function->getArg(0), builder.getInt32(version)),
          address, answer);
    builder.CreateRet(answer);
  }

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
};

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_CONSTANTBUILDER_H
