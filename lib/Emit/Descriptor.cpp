//===- Descriptor.cpp - The constant onnxc_model of a model ---------------===//
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
                  offsetof(onnxc_model, num_overridable) == 144 &&
                  offsetof(onnxc_model, defaults) == 152 &&
                  offsetof(onnxc_model, overridden_entry) == 160 &&
                  offsetof(onnxc_model, levels) == 168 &&
                  offsetof(onnxc_model, num_states) == 176 &&
                  offsetof(onnxc_model, states) == 184 &&
                  offsetof(onnxc_model, state_capacity) == 192 &&
                  offsetof(onnxc_model, reset) == 200 &&
                  offsetof(onnxc_model, state_length) == 208 &&
                  offsetof(onnxc_model, state_get) == 216 &&
                  offsetof(onnxc_model, state_set) == 224 &&
                  offsetof(onnxc_model, state_truncate) == 232 &&
                  offsetof(onnxc_model, state_save) == 240 &&
                  offsetof(onnxc_model, state_load) == 248 &&
                  offsetof(onnxc_model, state_fork) == 256 &&
                  sizeof(onnxc_model) == 264,
              "addDescriptor() below writes this layout");
static_assert(offsetof(onnxc_state_info, output) == 40 &&
                  offsetof(onnxc_state_info, axis) == 48 &&
                  offsetof(onnxc_state_info, flags) == 52 &&
                  sizeof(onnxc_state_info) == 56,
              "makeStateInfos() below writes this layout");
static_assert(offsetof(onnxc_tensor, bytes) == 8 &&
                  offsetof(onnxc_tensor, dtype) == 16 &&
                  offsetof(onnxc_tensor, rank) == 20 &&
                  offsetof(onnxc_tensor, dims) == 24 &&
                  sizeof(onnxc_tensor) == 24 + 8 * ONNXC_MAX_RANK,
              "makeDefault() below writes this layout");

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

static llvm::Constant *makeStateInfos(ConstantBuilder &build,
                                      const std::vector<StateInfo> &infos) {
  llvm::SmallVector<llvm::Constant *> elements;
  for (const StateInfo &info : infos)
    elements.push_back(llvm::ConstantStruct::getAnon(
        {makeValueInfo(build, info.value), build.string(info.output),
         build.i32(info.axis),
         build.i32(info.appended ? ONNXC_RT_STATE_APPENDED : 0)}));
  return build.array(elements);
}

/// Which features the code needs is known when it is machine code.
static llvm::GlobalVariable *declareFeatures(llvm::Module &module,
                                             llvm::StringRef prefix) {
  std::string name = (prefix + featuresSuffix).str();
  if (llvm::GlobalVariable *declared = module.getGlobalVariable(name))
    return declared;
  auto *list = new llvm::GlobalVariable(
      module, llvm::PointerType::get(module.getContext(), 0),
      /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
      /*Initializer=*/nullptr, name);
  list->setVisibility(llvm::GlobalValue::HiddenVisibility);
  list->setDSOLocal(true);
  return list;
}

void defineFeatures(llvm::Module &module, llvm::StringRef prefix,
                    llvm::ArrayRef<std::string> features) {
  ConstantBuilder build(module);
  llvm::SmallVector<llvm::Constant *> names;
  for (const std::string &feature : features)
    names.push_back(build.string(feature));
  names.push_back(build.null());
  auto *list = llvm::cast<llvm::GlobalVariable>(build.array(names));
  std::string name = (prefix + featuresSuffix).str();
  if (llvm::GlobalVariable *declared = module.getGlobalVariable(name)) {
    declared->replaceAllUsesWith(list);
    declared->eraseFromParent();
  }
  list->setName(name);
  list->setLinkage(llvm::GlobalValue::ExternalLinkage);
  list->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

/// The value that an input has where the caller gives none, as an onnxc_tensor.
static llvm::Constant *makeDefault(ConstantBuilder &build,
                                   const ValueInfo &info,
                                   llvm::Constant *weights) {
  mlir::ElementsAttr value = info.defaultValue;
  llvm::ArrayRef<int64_t> shape = value.getShapedType().getShape();
  llvm::SmallVector<llvm::Constant *> dims;
  for (size_t i = 0; i < ONNXC_MAX_RANK; ++i)
    dims.push_back(build.i64(i < shape.size() ? shape[i] : 0));
  // Of no elements, too, the address is not NULL.
  llvm::Constant *data = build.string("");
  if (info.dtype == ONNXC_STRING && !value.empty()) {
    llvm::SmallVector<llvm::Constant *> texts;
    for (llvm::StringRef text : value.getValues<llvm::StringRef>())
      texts.push_back(build.text(text));
    data = build.array(texts);
  } else if (info.defaultOffset) {
    data = build.within(weights, static_cast<int64_t>(*info.defaultOffset));
  }
  return llvm::ConstantStruct::getAnon(
      {data,
       build.i64(value.getNumElements() *
                 static_cast<int64_t>(onnxc_dtype_size(info.dtype))),
       build.i32(info.dtype), build.i32(static_cast<int64_t>(shape.size())),
       build.inlineArray(dims)});
}

namespace {
/// The descriptions of one model: for versions of the interface, and for
/// levels.
class DescriptorBuilder {
public:
  DescriptorBuilder(llvm::Module &module, llvm::StringRef prefix,
                    const ModelInfo &info)
      : module(module), prefix(prefix), build(module), info(info),
        weights(module.getNamedGlobal((prefix + "_weights").str())) {
    for (llvm::StringRef name : runtimeFace) {
      face.push_back(module.getFunction(name));
      assert(face.back() && "a function of the runtime is missing");
    }
    run = face[2];
    stateFace.assign(std::size(runtimeStates) - 1, build.null());
    if (!info.states.empty()) {
      run = module.getFunction(runtimeStates[0]);
      for (auto [function, name] : llvm::zip_equal(
               stateFace, llvm::ArrayRef(runtimeStates).drop_front()))
        function = module.getFunction(name);
    }
    states = makeStateInfos(build, info.states);
    inputs = makeValueInfos(build, info.inputs);
    outputs = makeValueInfos(build, info.outputs);
    for (const ValueInfo &input :
         llvm::ArrayRef(info.inputs).drop_front(info.numRequired()))
      defaults.push_back(makeDefault(build, input, weights));
    defaultArray = build.array(defaults);
  }

  llvm::GlobalVariable *makeModel(unsigned version, llvm::Constant *create,
                                  const LevelCode &of,
                                  const EntryPoints &entries,
                                  llvm::StringRef cpu, uint64_t workspaceBytes,
                                  uint64_t scratchBytes,
                                  llvm::Constant *levels) {
    llvm::SmallVector<llvm::Constant *> fields = {
        build.i32(version),
        build.i32(static_cast<int64_t>(info.numRequired())),
        build.i32(static_cast<int64_t>(info.outputs.size())),
        build.i32(info.opset),
        build.string(info.name),
        build.string(info.producer),
        build.string(of.target.triple().str()),
        build.string(cpu),
        inputs,
        outputs,
        build.i64(static_cast<int64_t>(workspaceBytes)),
        build.i64(static_cast<int64_t>(info.weightBytes)),
        create,
        face[1],
        run,
        face[3],
        declareFeatures(module, (prefix + of.getSuffix()).str()),
        entries.plain,
        build.i64(static_cast<int64_t>(scratchBytes)),
        weights ? weights : build.null(),
        build.i32(static_cast<int64_t>(defaults.size())),
        defaultArray,
        entries.overridden ? entries.overridden : build.null(),
        levels,
        build.i32(static_cast<int64_t>(info.states.size())),
        states,
        build.i64(info.stateCapacity)};
    fields.append(stateFace);
    llvm::GlobalVariable *model =
        build.global(llvm::ConstantStruct::getAnon(fields));
    model->setName(prefix + of.getSuffix() + "_model");
    model->setLinkage(llvm::GlobalValue::InternalLinkage);
    return model;
  }

  llvm::Module &module;
  llvm::StringRef prefix;
  ConstantBuilder build;
  const ModelInfo &info;
  llvm::Constant *weights;
  llvm::SmallVector<llvm::Constant *> face, stateFace, defaults;
  llvm::Constant *run, *inputs, *outputs, *states, *defaultArray;
};
} // namespace

void addDescriptor(llvm::Module &module, llvm::ArrayRef<LevelCode> levels,
                   llvm::StringRef prefix,
                   llvm::ArrayRef<EntryPoints> entries) {
  // The last one lists the weights of all.
  DescriptorBuilder builder(module, prefix, levels.back().info);
  llvm::SmallVector<llvm::Constant *> models;
  std::string cpu = levels.front().target.machine->getTargetCPU().str();
  uint64_t workspaceBytes = 0, scratchBytes = 0;
  if (levels.size() > 1)
    cpu.clear();
  for (auto [level, entry] : llvm::zip_equal(levels, entries)) {
    workspaceBytes = std::max(workspaceBytes, level.info.workspaceBytes);
    scratchBytes = std::max(scratchBytes, level.info.scratchBytes);
    if (levels.size() == 1)
      break;
    cpu += (cpu.empty() ? "" : ",") + level.name;
    models.push_back(
        builder.makeModel(ONNXC_ABI_VERSION, builder.face[0], level, entry,
                          level.name, level.info.workspaceBytes,
                          level.info.scratchBytes, builder.build.null()));
  }
  if (!models.empty())
    models.push_back(builder.build.null());
  llvm::Constant *list = builder.build.array(models);
  auto makeModel = [&](unsigned version, llvm::Constant *create) {
    return builder.makeModel(version, create, levels.front(), entries.front(),
                             cpu, workspaceBytes, scratchBytes, list);
  };
  // What later versions added stands behind the fields of the earlier ones.
  llvm::GlobalVariable *fifth = makeModel(ONNXC_ABI_VERSION, builder.face[0]),
                       *fourth = makeModel(4, builder.face[6]),
                       *third = makeModel(3, builder.face[5]),
                       *second = makeModel(2, builder.face[5]),
                       *first = makeModel(1, builder.face[4]);

  // const onnxc_model *<prefix>_query(uint32_t abi_version)
  builder.build.accessor(prefix + "_query", {{ONNXC_ABI_VERSION, fifth},
                                             {4, fourth},
                                             {3, third},
                                             {2, second},
                                             {1, first}});
}

} // namespace onnxc
