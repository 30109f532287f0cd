//===- Text.cpp - Operators on text, of ONNX Runtime ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"

#include "onnxc/Dialect/ONNX/Text.h"

using namespace mlir;
using namespace onnxc;

/// There is an op for it.
void contrib::tokenizer(Composer &c, Results &results) {
  const NamedAttrList &attributes = c.getNode().attributes;
  for (StringRef name : {"mark", "mincharnum", "pad_value"})
    if (!attributes.get(name))
      c.failAttribute(name, "is missing");
  if (!attributes.get("separators") == !attributes.get("tokenexp"))
    c.fail("must have one of the attributes 'separators' and 'tokenexp'");
  if (c.getInt("mincharnum", 1) < 1)
    c.failAttribute("mincharnum", "must be positive");
  if (c.getString("tokenexp", ".").empty())
    c.failAttribute("tokenexp", "is empty");
  results.push_back(c.make<TokenizerOp>(
      c.input(0),
      c.pick({"mark", "mincharnum", "pad_value", "separators", "tokenexp"})));
}
