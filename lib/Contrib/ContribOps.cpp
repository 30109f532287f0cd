//===- ContribOps.cpp - Operators of ONNX Runtime's domains ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContribOps.h"
#include "onnxc/Contrib/Expansion.h"
#include "onnxc/Dialect/ONNX/Normalization.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct ContribOp {
  llvm::StringLiteral name;
  void (*compute)(Composer &, contrib::Results &);
  /// As in ContribOps.def.
  llvm::StringLiteral inputs, attributes;
};

struct RefusedOp {
  llvm::StringLiteral domain, name, reason;
};
} // namespace

static constexpr ContribOp contribOps[] = {
#define ONNXC_CONTRIB(name, function, family, inputs, attributes, remark)      \
  {name, contrib::function, inputs, attributes},
#include "ContribOps.def"
};

static constexpr RefusedOp refusedOps[] = {
#define ONNXC_REFUSED(domain, name, reason) {domain, name, reason},
#include "ContribOps.def"
};

static const ContribOp *lookup(StringRef domain, StringRef name) {
  // Those that ONNX Runtime puts into ONNX's domain, before or without ONNX.
  bool isBorrowed =
      domain.empty() && (name == LayerNormalizationOp::getOnnxName() ||
                         name == "SimplifiedLayerNormalization");
  if (domain != "com.microsoft" && !isBorrowed)
    return nullptr;
  const auto *found = llvm::find_if(
      contribOps, [&](const ContribOp &op) { return op.name == name; });
  return found == std::end(contribOps) ? nullptr : found;
}

StringRef onnxc::lookupRefusal(StringRef domain, StringRef name) {
  for (const RefusedOp &op : refusedOps)
    if (op.domain == domain && (op.name == "*" || op.name == name))
      return op.reason;
  return {};
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// Whether the node has the inputs that it must have, and no more than it may.
static void checkInputs(Composer &c, ArrayRef<StringRef> formals) {
  bool isVariadic = !formals.empty() && formals.back() == "*";
  if (!isVariadic && c.getNumInputs() > formals.size())
    return c.fail("has " + Twine(c.getNumInputs()) +
                  " inputs; expected at most " + Twine(formals.size()));
  for (auto [i, formal] : llvm::enumerate(formals))
    if (formal != "*" && !formal.ends_with("?") && !c.input(i))
      c.failInput(i, "is missing");
}

/// Whether all attributes are known: one that is not may change everything.
static void checkAttributes(Composer &c, StringRef known) {
  SmallVector<StringRef> names;
  known.split(names, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef &name : names)
    name.consume_back("-");
  for (NamedAttribute attribute : c.getNode().attributes)
    if (!llvm::is_contained(names, attribute.getName().strref()))
      c.failAttribute(attribute.getName(),
                      "is not known; expected " +
                          (names.empty() ? "none" : llvm::join(names, ", ")));
}

static LogicalResult expand(const ContribOp &op, NodeUpgrade &node,
                            contrib::Results &results) {
  SmallVector<StringRef> formals;
  StringRef(op.inputs).split(formals, ' ');
  SmallVector<StringRef> names(formals);
  for (StringRef &name : names)
    name.consume_back("?");
  Composer c(node, names);
  checkInputs(c, formals);
  checkAttributes(c, op.attributes);
  if (!c.hasFailed())
    op.compute(c, results);
  return success(!c.hasFailed());
}

Expansion onnxc::lookupContribOp(StringRef domain, StringRef name) {
  const ContribOp *op = lookup(domain, name);
  if (!op)
    return nullptr;
  return [op](NodeUpgrade &node, SmallVectorImpl<Value> &results) {
    return expand(*op, node, results);
  };
}
