//===- Canonicalize.cpp - Rewrites as canonicalization --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Canonicalize.h"

#include "onnxc/Dialect/ONNX/Canonicalization.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/Drivers.h"

using namespace mlir;
using namespace onnxc;

static bool isCanonical(const RewriteInfo &info) {
  StringRef exactness(info.exactness), group(info.group), kind(info.kind);
  return kind == "predicate" && (group == "clean" || group == "movement") &&
         (exactness == "bit-exact" || exactness == "sign-of-zero");
}

namespace {
struct Canonicalization : public CanonicalizationInterface {
  using CanonicalizationInterface::CanonicalizationInterface;

  void populatePatterns(RewritePatternSet &patterns) const override {
    for (const RewriteInfo &info : getRewrites())
      if (isCanonical(info))
        populateRewrite(info, patterns, RewriteOptions());
  }
};
} // namespace

void onnxc::registerCanonicalization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, ONNXDialect *dialect) {
    dialect->addInterface<Canonicalization>();
  });
}
