//===- ModuleRun.cpp - Runs of a module in this process -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleRun.h"

#include "onnxc/Emit/Emit.h"
#include "onnxc/Pipelines/Export.h"
#include "onnxc/Pipelines/Session.h"
#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"
#include "onnxc/Target/Levels.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Signals.h"

#include <mutex>

using namespace mlir;
using namespace onnxc;

/// Compiles into a file, loads it, and deletes it: loaded code needs no name.
static FailureOr<std::unique_ptr<LoadedModel>> load(ModuleOp module) {
  SmallString<128> path;
  std::unique_lock<std::mutex> creating = lockFileCreation();
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("onnxc-quantize", "so", path))
    return module.emitError() << describeTemporaryError(error);
  llvm::sys::RemoveFileOnSignal(path);
  creating.unlock();
  llvm::FileRemover remover(path);
  llvm::scope_exit forget([&] { llvm::sys::DontRemoveFileOnSignal(path); });
  EmitOptions emit;
  emit.outputPath = path.str().str();
  emit.prefix = "model";
  emit.optLevel = 2;
  emit.header = false;
  if (failed(emitModule(module, emit)))
    return failure();
  llvm::Expected<LoadedModel> opened = LoadedModel::open(path, emit.prefix);
  if (!opened)
    return module.emitError() << llvm::toString(opened.takeError());
  return std::make_unique<LoadedModel>(std::move(*opened));
}

FailureOr<ModuleRun> ModuleRun::compile(OwningOpRef<ModuleOp> module,
                                        unsigned threads) {
  MLIRContext *context = module->getContext();
  // A compile takes nodes of the forms that the opset has, as a file has them.
  ExportOptions forms;
  forms.raiseOpset = true;
  PassManager downgrade(context, ModuleOp::getOperationName());
  downgrade.enableVerifier(false);
  buildDowngrade(downgrade, forms);
  if (failed(downgrade.run(*module)))
    return failure();
  StageOptions stages;
  stages.target.cpu = nativeCpu.str();
  Session session(*context, stages);
  session.setModule(std::move(module));
  if (failed(session.run(Stage::Upgrade, Stage::LLVM)))
    return failure();
  FailureOr<std::unique_ptr<LoadedModel>> loaded = load(session.getModule());
  if (failed(loaded))
    return failure();
  onnxc_options options = {};
  options.threads = static_cast<int32_t>(threads);
  // ONNXC_CPU_LEVEL is about models, not about code of this process's own.
  options.cpu_level = "";
  llvm::Expected<ContextPtr> created = (*loaded)->createContext(options);
  if (!created)
    return session.getModule().emitError()
           << llvm::toString(created.takeError());
  return ModuleRun(std::move(*loaded), std::move(*created));
}

static std::string listNames(const NamedArrays &arrays) {
  return llvm::join(
      llvm::map_range(
          arrays, [](const auto &entry) { return "'" + entry.first + "'"; }),
      ", ");
}

/// Why the array is not a value of the input; empty if it is one.
static std::string findMisfit(const Array &array,
                              const onnxc_value_info &input) {
  bool fits =
      array.dtype == input.dtype &&
      (input.rank < 0 || static_cast<size_t>(input.rank) == array.shape.size());
  for (int32_t d = 0; fits && d < input.rank; ++d)
    fits = input.dims[d] < 0 || input.dims[d] == array.shape[d];
  return fits ? ""
              : "is " + describeTensor(array.dtype, array.shape) +
                    ", expected " + describeValue(input);
}

llvm::Expected<ArrayRef<onnxc_tensor>> ModuleRun::run(const NamedArrays &inputs,
                                                      StringRef source) {
  const onnxc_model &described = model();
  std::vector<onnxc_tensor> bound;
  for (int32_t i = 0; i < described.num_inputs + described.num_overridable;
       ++i) {
    const onnxc_value_info &input = described.inputs[i];
    auto found = llvm::find_if(
        inputs, [&](const auto &entry) { return entry.first == input.name; });
    if (found == inputs.end()) {
      if (i < described.num_inputs)
        return llvm::createStringError(source + ": no array for the input '" +
                                       input.name + "'; there are " +
                                       listNames(inputs));
      bound.push_back(onnxc_tensor());
      continue;
    }
    const Array &array = found->second;
    if (std::string misfit = findMisfit(array, input); !misfit.empty())
      return llvm::createStringError(source + ": the array of the input '" +
                                     input.name + "' " + misfit);
    bound.push_back(onnxc_tensor_over(
        const_cast<char *>(array.data.data()), array.dtype,
        static_cast<int32_t>(array.shape.size()), array.shape.data()));
  }
  outputs.assign(described.num_outputs, onnxc_output_buffer(nullptr, 0));
  if (onnxc_run(context.get(), bound.data(), static_cast<int32_t>(bound.size()),
                outputs.data(),
                static_cast<int32_t>(outputs.size())) != ONNXC_OK)
    return llvm::createStringError(
        source + ": the run failed: " + onnxc_error(context.get()));
  return ArrayRef<onnxc_tensor>(outputs);
}
