//===- CheckDivisors.cpp - Integer divisions by a constant 0 --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Infer/Passes.h"

#include "Faults.h"

#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_CHECKDIVISORS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Where the first 0 among integers stands; nullopt if there is none, or the
/// elements are something else.
static std::optional<int64_t> findZero(ElementsAttr elements) {
  auto integer = dyn_cast<IntegerType>(elements.getElementType());
  if (!integer)
    return std::nullopt;
  auto find = [](auto &&values) -> std::optional<int64_t> {
    for (auto [index, value] : llvm::enumerate(values))
      if (value.isZero())
        return index;
    return std::nullopt;
  };
  if (auto dense = dyn_cast<DenseIntElementsAttr>(elements)) {
    if (dense.isSplat() && !dense.empty())
      return find(ArrayRef(dense.getSplatValue<APInt>()));
    return find(dense.getValues<APInt>());
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  unsigned width = integer.getWidth() / 8;
  if (!blob || width == 0)
    return std::nullopt;
  ArrayRef<char> bytes = blob->getData();
  for (size_t i = 0; i + width <= bytes.size(); i += width)
    if (llvm::all_of(bytes.slice(i, width), [](char byte) { return !byte; }))
      return i / width;
  return std::nullopt;
}

namespace {
struct CheckDivisors : onnxc::impl::CheckDivisorsBase<CheckDivisors> {
  void runOnOperation() override {
    bool invalid = false;
    Faults faults;
    getOperation()->walk([&](Operation *op) {
      if (!isa<DivOp, ModOp>(op))
        return;
      ElementsAttr divisor;
      if (!matchPattern(op->getOperand(1), m_Constant(&divisor)))
        return;
      std::optional<int64_t> zero = findZero(divisor);
      if (!zero)
        return;
      std::string wrong = ("divides by 0: element " + Twine(*zero) +
                           " of the constant B is 0, expected integers other "
                           "than 0")
                              .str();
      if (isConditional(op))
        return faults.add(op, wrong);
      op->emitOpError(wrong);
      invalid = true;
    });
    if (invalid)
      return signalPassFailure();
    faults.replace(getOperation().getBodyRegion());
  }
};
} // namespace
