//===- ReadTuning.cpp - Take decisions from a file ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Schedule/Tuning.h"

#include "llvm/Support/MemoryBuffer.h"

namespace onnxc {
#define GEN_PASS_DEF_READTUNINGPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class ReadTuning : public onnxc::impl::ReadTuningPassBase<ReadTuning> {
public:
  using ReadTuningPassBase::ReadTuningPassBase;

private:
  void runOnOperation() override {
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
    if (!buffer) {
      emitError(getOperation().getLoc())
          << "--tuning=" << file << ": " << buffer.getError().message();
      return signalPassFailure();
    }
    FailureOr<DictionaryAttr> decisions =
        parseTuning(getOperation().getLoc(), file, (*buffer)->getBuffer(),
                    TargetAttr::of(getOperation()));
    if (failed(decisions))
      return signalPassFailure();
    if (*decisions)
      getOperation()->setAttr(program::tuning, *decisions);
  }
};

} // namespace
