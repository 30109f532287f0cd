//===- Guard.cpp - The compiler inside another program's process ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process belongs to Python: it must outlive a compiler that crashes, and
// keep its own signal handlers.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OptionNumbers.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <type_traits>

using namespace onnxc;
using namespace onnxc::python;

namespace {

/// While it lives, crashes of the compiler come back as a failure of
/// CrashRecoveryContext, and report_fatal_error as text.
class CrashGuard {
public:
  explicit CrashGuard(std::string &text) {
    // Writing files makes LLVM install handlers of its own, for interrupts too;
    // those are Python's. Let LLVM do it now, and take the interrupts back.
    struct sigaction saved[std::size(interrupts)];
    for (size_t i = 0; i < std::size(interrupts); ++i)
      sigaction(interrupts[i], nullptr, &saved[i]);
    llvm::sys::SetInterruptFunction(nullptr);
    for (size_t i = 0; i < std::size(interrupts); ++i)
      sigaction(interrupts[i], &saved[i], nullptr);
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError, &text);
  }
  ~CrashGuard() {
    llvm::remove_fatal_error_handler();
    llvm::CrashRecoveryContext::Disable();
    llvm::sys::unregisterHandlers();
  }

private:
  static constexpr int interrupts[] = {SIGHUP,  SIGINT,  SIGTERM,
                                       SIGUSR1, SIGUSR2, SIGPIPE};

  /// LLVM would end the process once this returns.
  static void onFatalError(void *text, const char *reason, bool) {
    *static_cast<std::string *>(text) = reason;
    if (auto *current = llvm::CrashRecoveryContext::GetCurrent())
      current->HandleExit(1);
  }
};

} // namespace

void onnxc::python::setLimits(const Limits &limits, ImportOptions &reading,
                              StageOptions &stages) {
  auto take = [](const std::optional<int64_t> &given, llvm::StringRef name,
                 auto &limit) {
    if (!given)
      return;
    std::string option = name.str();
    llvm::replace(option, '_', '-');
    if (const OptionNumber *number = findOptionNumber(option);
        !number->takes(*given))
      throw makeError(FindingCode::InvalidOption,
                      name.str() + "=" + std::to_string(*given) + ", " +
                          number->describe());
    limit = static_cast<std::remove_reference_t<decltype(limit)>>(*given);
  };
  take(limits.maxNodes, "max_nodes", reading.maxNodes);
  take(limits.maxDepth, "max_depth", reading.maxDepth);
  take(limits.maxTensorBytes, "max_tensor_bytes", stages.maxTensorBytes);
  take(limits.foldBudget, "fold_budget", stages.foldBudget);
}

FirstErrorCode::FirstErrorCode(mlir::MLIRContext *context,
                               DiagnosticWording wording)
    : ScopedDiagnosticHandler(context) {
  setHandler([this, wording](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
        !isKnown) {
      code = classify(diagnostic, wording);
      isKnown = true;
    }
    return llvm::failure();
  });
}

CompilerLock
onnxc::python::lockCompiler(const std::function<bool()> &isInterrupted) {
  static std::timed_mutex mutex;
  CompilerLock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(100)))
    if (isInterrupted && isInterrupted())
      throw Interrupted();
  return lock;
}

void onnxc::python::prepareCompiler() {
  static std::once_flag registered;
  std::call_once(registered, [] {
    registerAllPasses();
    // LLVM's linker shares threads in a process, which a fork of it would wait
    // for without end: neither this process nor its children have any.
    llvm::parallel::strategy = llvm::hardware_concurrency(1);
    // A pipeline asks for them, given or not.
    mlir::registerPassManagerCLOptions();
  });
}

std::string onnxc::python::runGuarded(
    llvm::function_ref<llvm::LogicalResult(mlir::MLIRContext &)> work,
    llvm::function_ref<std::string()> describe) {
  prepareCompiler();
  // Handlers of signals are the process's: one at a time.
  CompilerLock lock = lockCompiler({});
  std::string diagnostics, fatal, code;
  bool succeeded = false, explained = false;
  CrashGuard guard(fatal);
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafelyOnThread(
      [&] {
        mlir::DialectRegistry registry;
        registerAllDialects(registry);
        // A crash can be survived on this thread alone.
        mlir::MLIRContext context(registry,
                                  mlir::MLIRContext::Threading::DISABLED);
        context.printOpOnDiagnostic(false);
        llvm::raw_string_ostream os(diagnostics);
        DiagnosticPrinter printer(&context, os, getOnnxWording());
        FirstErrorCode first(&context, getOnnxWording());
        succeeded = llvm::succeeded(work(context));
        explained = printer.hadError();
        code = first.getName().str();
      },
      stackBytes);
  if (!survived) {
    // What it was writing.
    llvm::sys::RunInterruptHandlers();
    std::string how =
        !fatal.empty() ? ": " + fatal
        : recovery.RetCode > 128
            ? " with signal " + std::to_string(recovery.RetCode - 128)
            : "";
    throw makeError(FindingCode::InternalError,
                    diagnostics + describe() + " crashed" + how +
                        "; that is an error of onnxc");
  }
  if (!succeeded && !explained) {
    code = getName(FindingCode::InternalError).str();
    diagnostics +=
        describe() + " failed without a message; that is an error of onnxc";
  }
  std::string text = llvm::StringRef(diagnostics).rtrim().str();
  if (!succeeded)
    throw Error(text, code);
  return text;
}
