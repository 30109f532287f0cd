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
#include "ConstantBuilder.h"

#include "onnxc/Runtime/Entry.h"
#include "onnxc/runtime.h"

#include <cstddef>

namespace onnxc {

static_assert(offsetof(onnxc_value_info, dtype) == 8 &&
                  offsetof(onnxc_value_info, rank) == 12 &&
                  offsetof(onnxc_value_info, dims) == 16 &&
                  offsetof(onnxc_value_info, symbols) == 24 &&
                  offsetof(onnxc_value_info, type) == 32 &&
                  sizeof(onnxc_value_info) == 40,
              "makeValueInfo() below writes this layout");
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
                  offsetof(onnxc_model, weights) == 136 &&
                  sizeof(onnxc_model) == 144,
              "addDescriptor() below writes this layout");

static llvm::Constant *makeValueInfo(ConstantBuilder &build,
                                     const ValueInfo &info) {
  llvm::SmallVector<llvm::Constant *> dims, symbols;
  for (int64_t size : info.dims)
    dims.push_back(build.i64(size));
  for (const std::string &symbol : info.symbols)
    symbols.push_back(build.string(symbol));
  int64_t rank = info.ranked ? static_cast<int64_t>(info.dims.size()) : -1;
  return llvm::ConstantStruct::getAnon(
      {build.string(info.name), build.i32(info.dtype), build.i32(rank),
       build.array(dims), build.array(symbols), build.string(info.type)});
}

static llvm::Constant *makeValueInfos(ConstantBuilder &build,
                                      const std::vector<ValueInfo> &infos) {
  llvm::SmallVector<llvm::Constant *> elements;
  for (const ValueInfo &info : infos)
    elements.push_back(makeValueInfo(build, info));
  return build.array(elements);
}

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
  llvm::Constant *weights = module.getNamedGlobal((prefix + "_weights").str());
  llvm::Constant *fields[] = {
      build.i32(ONNXC_ABI_VERSION),
      build.i32(static_cast<int64_t>(info.inputs.size())),
      build.i32(static_cast<int64_t>(info.outputs.size())),
      build.i32(info.opset),
      build.string(info.name),
      build.string(info.producer),
      build.string(target.triple().str()),
      build.string(target.machine->getTargetCPU()),
      makeValueInfos(build, info.inputs),
      makeValueInfos(build, info.outputs),
      build.i64(static_cast<int64_t>(info.workspaceBytes)),
      build.i64(static_cast<int64_t>(info.weightBytes)),
      face[0],
      face[1],
      face[2],
      face[3],
      build.array(features),
      entry,
      build.i64(static_cast<int64_t>(info.scratchBytes)),
      weights ? weights : build.null()};
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
  build.accessor(prefix + "_query", {{ONNXC_ABI_VERSION, model}, {1, older}});
}

} // namespace onnxc
