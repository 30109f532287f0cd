//===- CompileTemporary.cpp - A model compiled for one use ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileTemporary.h"
#include "Arguments.h"
#include "Failure.h"
#include "Findings.h"
#include "ToolContext.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Support/Interrupt.h"
#include "onnxc/Support/OutputFile.h"
#include "onnxc/Target/Levels.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <chrono>
#include <cstdlib>

using namespace llvm;
using namespace onnxc;

std::string onnxc::getRunningCpu() {
  const char *level = std::getenv("ONNXC_CPU_LEVEL");
  return level && *level ? level : nativeCpu.str();
}

TemporaryOptions::TemporaryOptions(const Arguments &arguments)
    : level(arguments.getLevel()),
      cpu(arguments.getName(OPT_mcpu, getRunningCpu())),
      features(arguments.getString(OPT_mattr)) {
  // The compile reads them, and fails where they do not exist.
  mlir::registerPassManagerCLOptions();
}

Expected<TemporaryModel> TemporaryModel::get(const std::string &path,
                                             const TemporaryOptions &options,
                                             bool profile) {
  StringRef suffix = sys::path::extension(path);
  if (suffix != ".onnx" && suffix != ".onnxtxt" && !isMLIRFile(path))
    return TemporaryModel(path);
  CompileRequest request;
  request.inputPath = path;
  request.options.profile = profile;
  return compileRequested(request, options);
}

Expected<TemporaryModel>
TemporaryModel::get(std::shared_ptr<const MemoryBuffer> bytes,
                    const std::string &path, const TemporaryOptions &options) {
  CompileRequest request;
  request.inputPath = path;
  request.bytes = std::move(bytes);
  return compileRequested(request, options);
}

Expected<TemporaryModel> TemporaryModel::create(const std::string &path) {
  SmallString<128> output;
  std::unique_lock<std::mutex> creating = lockFileCreation();
  if (std::error_code error =
          sys::fs::createTemporaryFile(sys::path::stem(path), "so", output))
    return createStringError(
        path + ": cannot be compiled: " + describeTemporaryError(error));
  TemporaryModel model(output.str().str());
  model.isOwned = true;
  sys::RemoveFileOnSignal(output);
  return model;
}

Expected<TemporaryModel>
TemporaryModel::compileRequested(CompileRequest &request,
                                 const TemporaryOptions &options) {
  const std::string &path = request.inputPath;
  Expected<TemporaryModel> created = create(path);
  if (!created)
    return created.takeError();
  TemporaryModel model = std::move(*created);
  request.outputPath = model.file;
  request.prefix = "model";
  request.options.target.cpu = options.cpu;
  request.options.target.features = options.features;
  request.header = false;
  request.options.optLevel = options.level;
  request.options.inputShapes = options.shapes;
  request.options.batchOfOne = wantsBatchOfOne(request);
  ToolContext tool;
  FindingWriter writer(errs());
  DiagnosticReporter reporter(&tool.get(), writer);
  auto start = std::chrono::steady_clock::now();
  if (failed(compile(request, tool.get())))
    return make_error<Failure>(path + ": cannot be compiled",
                               reporter.getFailure(path));
  model.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return model;
}

TemporaryModel::TemporaryModel(TemporaryModel &&other)
    : file(std::move(other.file)), isOwned(std::exchange(other.isOwned, false)),
      seconds(other.seconds) {}

TemporaryModel::~TemporaryModel() {
  if (!isOwned)
    return;
  (void)sys::fs::remove(file);
  sys::DontRemoveFileOnSignal(file);
}
