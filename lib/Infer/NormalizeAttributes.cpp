//===- NormalizeAttributes.cpp - One form of attributes -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/Window.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_NORMALIZEATTRIBUTES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

static std::optional<llvm::ArrayRef<int64_t>> getList(Operation *op,
                                                      llvm::StringRef name) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return list ? std::optional(list.asArrayRef()) : std::nullopt;
}

/// The attributes of the window that slides over the first operand.
static void normalizeWindow(Operation *op) {
  Value input = op->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type || type.getRank() < 3)
    return;
  Value weights = getFormal(op, "W");
  if (!weights)
    weights = getFormal(op, "w");
  int64_t n = type.getRank() - 2;
  InferShapeBuilder s(op->getContext(), op->getOperands(), 1, nullptr);
  Dims kernel;
  if (weights && s.ranked(weights) && s.rank(weights) == n + 2)
    kernel = Dims(llvm::ArrayRef(s.dims(weights)).drop_front(2));
  const OpFacts *facts = getFacts(op);
  bool hasAutoPad = facts->find("auto_pad");
  WindowAttrs attrs;
  attrs.kernelShape = getList(op, "kernel_shape");
  attrs.strides = getList(op, "strides");
  attrs.dilations = getList(op, "dilations");
  attrs.pads = getList(op, "pads");
  if (auto autoPad = op->getAttrOfType<StringAttr>("auto_pad"))
    attrs.autoPad = autoPad.getValue();
  // The tag is not read: what is wrong with a window is said elsewhere.
  Window window(s, attrs, n, kernel, "window");
  if (s.hasFailed())
    return;

  auto set = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> list) {
    op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), list));
  };
  set("strides", window.strides);
  set("dilations", window.dilations);
  bool known = llvm::all_of(window.kernel,
                            [](const Dim &size) { return size.isKnown(); });
  if (known) {
    llvm::SmallVector<int64_t> sizes;
    for (const Dim &size : window.kernel)
      sizes.push_back(*size.getKnown());
    set("kernel_shape", sizes);
  }
  if (hasAutoPad && !isa<ConvTransposeOp>(op)) {
    for (int64_t i = 0; i < n; ++i) {
      auto [before, after] = window.padding(i, s.dim(input, i + 2));
      if (!before.isKnown() || !after.isKnown()) {
        window.pads.assign(2 * n, 0);
        set("pads", window.pads);
        return;
      }
      window.pads[i] = *before.getKnown();
      window.pads[i + n] = *after.getKnown();
    }
    Builder builder(op->getContext());
    // VALID rounds down whatever ceil_mode says.
    if (facts->find("ceil_mode") && window.autoPad != AutoPad::NotSet)
      op->setAttr("ceil_mode", builder.getI64IntegerAttr(0));
    op->setAttr("auto_pad", builder.getStringAttr("NOTSET"));
  }
  set("pads", window.pads);
}

/// ConvTranspose states its padding also by output_shape or SAME_*: what is cut
/// off the full result.
static void normalizeConvTranspose(ConvTransposeOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getX().getType());
  if (!op.getKernelShape() || !op.getStrides() || !input)
    return;
  int64_t n = input.getRank() - 2;
  llvm::SmallVector<int64_t> padding(n, 0);
  if (op.getOutputPadding())
    padding.assign(op.getOutputPadding()->begin(),
                   op.getOutputPadding()->end());
  op.setOutputPadding(padding);
  if (op.getAutoPad() == "NOTSET" && !op.getOutputShape())
    return;
  if (op.getAutoPad() == "VALID" && !op.getOutputShape()) {
    op.setAutoPad("NOTSET");
    return;
  }
  InferShapeBuilder s(op->getContext(), op->getOperands(), 1, nullptr);
  llvm::SmallVector<int64_t> pads(2 * n);
  for (int64_t i = 0; i < n; ++i) {
    Dim stride = s.constant((*op.getStrides())[i]);
    Dim extent =
        (s.constant((*op.getKernelShape())[i]) - 1) * (*op.getDilations())[i] +
        1;
    // SAME_* makes the output `stride` times the input, of whatever size, if
    // it is not shorter by itself.
    Dim excess = extent + padding[i] - stride;
    if (op.getOutputShape())
      excess = excess + s.dim(op.getX(), i + 2) * stride -
               s.constant((*op.getOutputShape())[i]);
    if (!excess.isKnown() || s.hasFailed())
      return;
    int64_t total = *excess.getKnown();
    // A shape that is asked for may end with what no tap reaches.
    if (total < 0 && op.getOutputShape())
      padding[i] -= total;
    total = std::max<int64_t>(total, 0);
    int64_t half = total / 2;
    pads[i] = op.getAutoPad() == "SAME_UPPER" ? half : total - half;
    pads[i + n] = total - pads[i];
  }
  op.setPads(pads);
  op.setOutputPadding(padding);
  op.setAutoPad("NOTSET");
  op.removeOutputShapeAttr();
}

namespace {
struct NormalizeAttributes
    : onnxc::impl::NormalizeAttributesBase<NormalizeAttributes> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      normalizeAxes(op);
      if (!hasFact(op, OpFact::SlidesWindow))
        return;
      normalizeWindow(op);
      if (auto transposed = dyn_cast<ConvTransposeOp>(op))
        normalizeConvTranspose(transposed);
    });
  }
};
} // namespace
