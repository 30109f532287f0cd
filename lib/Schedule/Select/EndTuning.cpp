//===- EndTuning.cpp - All decisions are taken ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Schedule/Tuning.h"

#include "llvm/ADT/StringSet.h"

namespace onnxc {
#define GEN_PASS_DEF_ENDTUNINGPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class EndTuning : public onnxc::impl::EndTuningPassBase<EndTuning> {
  void runOnOperation() override {
    auto decisions =
        getOperation()->getAttrOfType<DictionaryAttr>(program::tuning);
    if (!decisions)
      return markAllAnalysesPreserved();
    llvm::StringSet<> keys;
    visitTunable(getOperation(),
                 [&](KernelCodegenInterface, const std::string &key) {
                   keys.insert(key);
                 });
    for (NamedAttribute entry : decisions)
      if (!keys.contains(entry.getName()))
        emitRemark(getOperation().getLoc())
            << "tuning: no kernel is '" << entry.getName().getValue() << "'";
    getOperation()->removeAttr(program::tuning);
  }
};

} // namespace
