//===- Guard.h - The compiler inside another program's process ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PYTHON_SRC_GUARD_H
#define ONNXC_PYTHON_SRC_GUARD_H

#include "Driver.h"

#include "onnxc/Support/FindingCode.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>
#include <mutex>

namespace onnxc {
struct ImportOptions;
struct StageOptions;
} // namespace onnxc

namespace onnxc::python {

/// What deep recursion over deep models needs, more than a thread has by
/// default.
constexpr unsigned stackBytes = 256u << 20;

/// While it lives, no other thread of this process is in LLVM.
using CompilerLock = std::unique_lock<std::timed_mutex>;

/// Waits for the compiler. Throws Interrupted when `isInterrupted`, which may
/// be null, says so.
CompilerLock lockCompiler(const std::function<bool()> &isInterrupted);

/// Registers, once, what pipelines are made of.
void prepareCompiler();

/// An Error of the compiler's.
inline Error makeError(FindingCode code, const std::string &text) {
  return Error(text, getName(code).str());
}

/// What `work` returns, or what it throws.
template <typename Work> auto catchFailure(Work work) {
  Outcome<decltype(work())> outcome;
  try {
    outcome.value.emplace(work());
  } catch (const Interrupted &) {
    outcome.failure.interrupted = true;
  } catch (const std::bad_alloc &) {
    outcome.failure.outOfMemory = true;
  } catch (const Error &error) {
    outcome.failure.text = error.what();
    outcome.failure.code = error.code;
  } catch (const std::exception &error) {
    outcome.failure.text = error.what();
    outcome.failure.code = getName(FindingCode::InternalError).str();
  }
  return outcome;
}

/// Remembers the code of the first error that a context reports, and leaves the
/// rest to the handlers before.
class FirstErrorCode : public mlir::ScopedDiagnosticHandler {
public:
  FirstErrorCode(mlir::MLIRContext *context, DiagnosticWording wording);

  /// InvalidModel without any error.
  llvm::StringRef getName() const { return onnxc::getName(code); }

private:
  FindingCode code = FindingCode::InvalidModel;
  bool isKnown = false;
};

/// Puts into `reading` and `stages` what `limits` says. Throws Error where that
/// is not possible.
void setLimits(const Limits &limits, ImportOptions &reading,
               StageOptions &stages);

/// Does `work` in a context of its own, on a thread of its own. Returns the
/// warnings; throws Error with the diagnostics if it fails or crashes, which
/// `describe` says of what. One runs at a time.
std::string
runGuarded(llvm::function_ref<llvm::LogicalResult(mlir::MLIRContext &)> work,
           llvm::function_ref<std::string()> describe);

} // namespace onnxc::python

#endif // ONNXC_PYTHON_SRC_GUARD_H
