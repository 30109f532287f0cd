//===- ImportFuzzer.cpp - libFuzzer on the importer -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes of a file are, import gives a module that verifies, or an
// error that says why not; and what it gives goes through upgrade and infer.
//
//===----------------------------------------------------------------------===//

#include "WireMutator.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Import/Import.h"
#include "onnxc/Infer/Passes.h"
#include "onnxc/Infer/Pipeline.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Upgrade/Pipeline.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlir;
using namespace onnxc;

namespace {
/// What a context uniques it keeps: after this many models a new one is made.
constexpr int modelsPerContext = 200;

/// Small limits: an input of some kilobytes must not stand for minutes.
ImportOptions getLimits() {
  ImportOptions options;
  options.maxNodes = 1 << 12;
  options.maxDepth = 40;
  return options;
}

[[noreturn]] void complain(const char *what) {
  std::fprintf(stderr, "onnxc-import-fuzzer: %s\n", what);
  std::abort();
}

void runOne(MLIRContext &context, llvm::StringRef bytes) {
  bool hadError = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    hadError |= diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                !formatDiagnostic(diagnostic, {}).empty();
    return success();
  });
  std::shared_ptr<const llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBuffer(bytes, "fuzz.onnx",
                                       /*RequiresNullTerminator=*/false);
  FailureOr<OwningOpRef<ModuleOp>> module = importModelBuffer(
      std::move(buffer), "/nonexistent/fuzz.onnx", &context, getLimits());
  if (failed(module)) {
    if (!hadError)
      complain("import failed without an error");
    return;
  }
  PassManager manager(&context, ModuleOp::getOperationName());
  buildUpgradePipeline(manager, {}, [](OpPassManager &inner) {
    inner.addPass(createForgetCarriedSizes());
  });
  buildInferPipeline(manager, InferOptions());
  hadError = false;
  if (failed(manager.run(**module)) && !hadError)
    complain("upgrade or infer failed without an error");
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int models = 0;
  static std::unique_ptr<MLIRContext> context;
  if (models++ % modelsPerContext == 0) {
    DialectRegistry registry;
    registry.insert<ONNXDialect, func::FuncDialect>();
    func::registerInlinerExtension(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
  }
  runOne(*context, {reinterpret_cast<const char *>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Half of the mutations are of bytes, half of the fields of the messages.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 2 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return mutateFields(data, size, maxSize, seed / 2);
}
