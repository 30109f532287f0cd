//===- Descriptor.cpp - The constant onnxc_model of a model -----*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field as onnxc/runtime.h declares them; the assertions below fail
// to compile when the two part.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "onnxc/Runtime/Entry.h"
#include "onnxc/runtime.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

#include <cstddef>

namespace onnxc {

static_assert(offsetof(onnxc_value_info, dtype) == 8 &&
                  offsetof(onnxc_value_info, rank) == 12 &&
                  offsetof(onnxc_value_info, dims) == 16 &&
                  offsetof(onnxc_value_info, symbols) == 24 &&
                  offsetof(onnxc_value_info, type) == 32 &&
                  sizeof(onnxc_value_info) == 40,
              "valueInfo() below writes this layout");
static_assert(offsetof(onnxc_model, num_inputs) == 4 &&
                  offsetof(onnxc_model, num_outputs) == 8 &&
                  offsetof(onnxc_model, opset) == 12 &&
                  offsetof(onnxc_model, name) == 16 &&
                  offsetof(onnxc_model, producer) == 24 &&
                  offsetof(onnxc_model, target_triple) == 32 &&
                  offsetof(onnxc_model, target_cpu) == 40 &&
                  offsetof(onnxc_model, inputs) == 48 &&
                  offsetof(onnxc_model, outputs) == 56 &&
                  offsetof(onnxc_model, workspace_bytes) == 64 &&
                  offsetof(onnxc_model, weight_bytes) == 72 &&
                  offsetof(onnxc_model, create) == 80 &&
                  offsetof(onnxc_model, destroy) == 88 &&
                  offsetof(onnxc_model, run) == 96 &&
                  offsetof(onnxc_model, error) == 104 &&
                  offsetof(onnxc_model, cpu_features) == 112 &&
                  offsetof(onnxc_model, entry) == 120 &&
                  offsetof(onnxc_model, scratch_bytes) == 128 &&
                  sizeof(onnxc_model) == 136,
              "addDescriptor() below writes this layout");

namespace {
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

  /// A pointer to the elements; NULL for none.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    return global(llvm::ConstantArray::get(
        llvm::ArrayType::get(elements.front()->getType(), elements.size()),
        elements));
  }

  llvm::Constant *valueInfo(const ValueInfo &info) {
    llvm::SmallVector<llvm::Constant *> dims, symbols;
    for (int64_t size : info.dims)
      dims.push_back(i64(size));
    for (const std::string &symbol : info.symbols)
      symbols.push_back(string(symbol));
    int64_t rank = info.ranked ? static_cast<int64_t>(info.dims.size()) : -1;
    return llvm::ConstantStruct::getAnon({string(info.name), i32(info.dtype),
                                          i32(rank), array(dims),
                                          array(symbols), string(info.type)});
  }

  llvm::Constant *valueInfos(const std::vector<ValueInfo> &infos) {
    llvm::SmallVector<llvm::Constant *> elements;
    for (const ValueInfo &info : infos)
      elements.push_back(valueInfo(info));
    return array(elements);
  }

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
};
} // namespace

void addDescriptor(llvm::Module &module, const ModelInfo &info,
                   const EmitTarget &target, llvm::StringRef prefix,
                   llvm::Function *entry) {
  ConstantBuilder build(module);
  llvm::SmallVector<llvm::Constant *> features;
  for (const std::string &feature : target.checkedFeatures)
    features.push_back(build.string(feature));
  if (!features.empty())
    features.push_back(build.null());
  llvm::SmallVector<llvm::Constant *> face;
  for (llvm::StringRef name : runtimeFace) {
    face.push_back(module.getFunction(name));
    assert(face.back() && "a function of the runtime is missing");
  }
  llvm::Constant *fields[] = {
      build.i32(ONNXC_ABI_VERSION),
      build.i32(static_cast<int64_t>(info.inputs.size())),
      build.i32(static_cast<int64_t>(info.outputs.size())),
      build.i32(info.opset),
      build.string(info.name),
      build.string(info.producer),
      build.string(target.triple().str()),
      build.string(target.machine->getTargetCPU()),
      build.valueInfos(info.inputs),
      build.valueInfos(info.outputs),
      build.i64(static_cast<int64_t>(info.workspaceBytes)),
      build.i64(static_cast<int64_t>(info.weightBytes)),
      face[0],
      face[1],
      face[2],
      face[3],
      build.array(features),
      entry,
      build.i64(static_cast<int64_t>(info.scratchBytes))};
  auto makeModel = [&](unsigned version, llvm::Constant *create) {
    fields[0] = build.i32(version);
    fields[12] = create;
    llvm::GlobalVariable *model =
        build.global(llvm::ConstantStruct::getAnon(fields));
    model->setName(prefix + "_model");
    model->setLinkage(llvm::GlobalValue::InternalLinkage);
    return model;
  };
  llvm::GlobalVariable *model = makeModel(ONNXC_ABI_VERSION, face[0]);
  llvm::GlobalVariable *older = makeModel(1, face[4]);

  // const onnxc_model *<prefix>_query(uint32_t abi_version)
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::FunctionType::get(llvm::PointerType::get(context, 0),
                                       {llvm::Type::getInt32Ty(context)},
                                       /*isVarArg=*/false);
  auto *query = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       prefix + "_query", module);
  // Like the runtime, it must run on every processor.
  bool isX86 = target.triple().getArch() == llvm::Triple::x86_64;
  query->addFnAttr("target-cpu", isX86 ? "x86-64" : "generic");
  query->addFnAttr("target-features", "");
  query->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", query));
  auto isVersion = [&](unsigned version) {
    return builder.CreateICmpEQ(query->getArg(0), builder.getInt32(version));
  };
  builder.CreateRet(builder.CreateSelect(
      isVersion(ONNXC_ABI_VERSION), model,
      builder.CreateSelect(isVersion(1), older, build.null())));
}

} // namespace onnxc
