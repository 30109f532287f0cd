//===- FunctionBody.cpp - What function bodies are written with -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value FunctionBody::constant(ElementsAttr value) {
  Value constant = makeConstant(rewriter, root, value, "constant");
  made.push_back(constant.getDefiningOp());
  return constant;
}

LogicalResult FunctionBody::check(Operation *op) {
  made.push_back(op);
  return success();
}

Value FunctionBody::computeDim(Value x, int64_t axis) {
  return make<GatherOp>({shapeOf(x), ints(axis)});
}

bool FunctionBody::canReshape(ArrayRef<int64_t> dims) const {
  return llvm::all_of(dims, [](int64_t dim) { return dim > 0; }) ||
         isAvailable(/*since=*/14, root, options);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The root's own, with the one output that is meant.
Location FunctionBody::getResultLocation(unsigned number) const {
  SourceAttr source = getSource(root->getLoc());
  if (root->getNumResults() == 1 || !source || !source.getOutputs())
    return root->getLoc();
  SmallVector<StringRef> names;
  // Absent outputs have no name.
  for (auto output : source.getOutputs().getAsRange<StringAttr>())
    if (!output.empty())
      names.push_back(output.getValue());
  if (number >= names.size())
    return root->getLoc();
  StringAttr name = source.getName();
  if (number > 0 && !name.empty())
    name = rewriter.getStringAttr(name.getValue() + "_" + Twine(number));
  auto own = SourceAttr::get(root->getContext(), name, source.getOp(),
                             rewriter.getStrArrayAttr({names[number]}), nullptr,
                             nullptr, nullptr);
  return FusedLoc::get({root->getLoc()}, own, root->getContext());
}

void FunctionBody::giveUp() {
  for (Operation *op : llvm::reverse(made))
    rewriter.eraseOp(op);
}

LogicalResult FunctionBody::finish(ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(root->getResults(), values)) {
    if (!value || !llvm::is_contained(made, value.getDefiningOp()))
      continue;
    Type joined = joinTypes(result.getType(), value.getType());
    if (joined)
      value.setType(isSeenByCalls(result) ? result.getType() : joined);
    value.getDefiningOp()->setLoc(getResultLocation(result.getResultNumber()));
  }
  if (succeeded(replaceRoot(rewriter, root, values)))
    return success();
  giveUp();
  return failure();
}
