//===- KeepLastPosition.cpp - Logits of the last token alone --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Support/OptionFault.h"
#include "onnxc/Upgrade/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace onnxc {
#define GEN_PASS_DEF_KEEPLASTPOSITION
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// The last element of `axis`.
static Value makeSlice(OpBuilder &b, Value data, int64_t axis, Type type) {
  Location loc = data.getLoc();
  auto integer = [&](int64_t value) -> Value {
    auto one = RankedTensorType::get({1}, b.getI64Type());
    return ConstantOp::create(
        b, loc, one, {},
        b.getNamedAttr("value", DenseElementsAttr::get(one, ArrayRef(value))));
  };
  Value start = integer(-1);
  Value end = integer(std::numeric_limits<int64_t>::max());
  Value axes = integer(axis);
  return SliceOp::create(b, loc, type, data, start, end, axes,
                         /*steps=*/Value());
}

namespace {
struct KeepLastPosition : onnxc::impl::KeepLastPositionBase<KeepLastPosition> {
  using KeepLastPositionBase::KeepLastPositionBase;

  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (entry->hasAttr(model::entry) && !entry.isExternal() &&
          failed(change(entry)))
        return signalPassFailure();
  }

private:
  InFlightDiagnostic fail(func::FuncOp entry) {
    return markOptionFault(entry.emitError())
           << "last position of output '" << output << "': ";
  }

  LogicalResult change(func::FuncOp entry);
};
} // namespace

LogicalResult KeepLastPosition::change(func::FuncOp entry) {
  std::optional<unsigned> found;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (getOutputName(entry, i) == output)
      found = i;
  if (!found)
    return fail(entry) << "the model has no such output; its outputs are "
                       << listOutputNames(entry);
  auto type = dyn_cast<RankedTensorType>(entry.getResultTypes()[*found]);
  if (!type || type.getRank() < 2)
    return fail(entry) << "is declared "
                       << (type ? "with rank " + std::to_string(type.getRank())
                                : std::string("without a rank"))
                       << ", expected a rank of at least 2: a sequence, and "
                          "what there is of each position";
  int64_t axis = type.getRank() - 2;
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(axis))
    shape[axis] = std::min<int64_t>(shape[axis], 1);
  auto last = RankedTensorType::get(shape, type.getElementType());
  auto ret = cast<func::ReturnOp>(entry.front().getTerminator());
  OpBuilder b(ret);
  ret->setOperand(*found, makeSlice(b, ret.getOperand(*found), axis, last));

  SmallVector<Type> results(entry.getResultTypes());
  results[*found] = last;
  entry.setFunctionType(b.getFunctionType(entry.getArgumentTypes(), results));
  // The dimension has not the sequence's size any more.
  if (auto params =
          entry.getResultAttrOfType<ArrayAttr>(*found, model::dimParams);
      params && axis < static_cast<int64_t>(params.size())) {
    SmallVector<Attribute> changed(params.getValue());
    changed[axis] = b.getStringAttr("");
    entry.setResultAttr(*found, model::dimParams, b.getArrayAttr(changed));
  }
  return success();
}
