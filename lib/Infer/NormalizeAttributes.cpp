//===- NormalizeAttributes.cpp - One form of attributes -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Pooling.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Reduction.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/Window.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_NORMALIZEATTRIBUTES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Makes `axis` present and counts it from the front, given the rank that it
/// refers to.
template <typename OpTy>
static void normalizeAxis(OpTy op, Value ofRank, int64_t added = 0) {
  auto type = dyn_cast<RankedTensorType>(ofRank.getType());
  if (!type)
    return;
  int64_t axis = op.getAxis();
  op.setAxis(axis < 0 ? axis + type.getRank() + added : axis);
}

static void normalizePerm(TransposeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getData().getType());
  if (op.getPerm() || !type)
    return;
  llvm::SmallVector<int64_t> reversed =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::reverse(reversed.begin(), reversed.end());
  op.setPerm(reversed);
}

/// The attributes of the window that slides over `input`, weights (if any)
/// having their spatial dims from 2 on.
template <typename OpTy>
static void normalizeWindow(OpTy op, Value input, Value weights,
                            llvm::StringRef name) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type || type.getRank() < 3)
    return;
  int64_t n = type.getRank() - 2;
  InferShapeBuilder s(op->getContext(), op->getOperands(), 1, nullptr);
  Dims kernel;
  if (weights && s.ranked(weights) && s.rank(weights) == n + 2)
    kernel = Dims(llvm::ArrayRef(s.dims(weights)).drop_front(2));
  WindowAttrs attrs;
  attrs.kernelShape = op.getKernelShape();
  attrs.strides = op.getStrides();
  attrs.dilations = op.getDilations();
  attrs.pads = op.getPads();
  if constexpr (!std::is_same_v<OpTy, DeformConvOp>)
    attrs.autoPad = op.getAutoPad();
  Window window(s, attrs, n, kernel, name);
  if (s.hasFailed())
    return;

  op.setStrides(window.strides);
  op.setDilations(window.dilations);
  bool known = llvm::all_of(window.kernel,
                            [](const Dim &size) { return size.isKnown(); });
  if (known) {
    llvm::SmallVector<int64_t> sizes;
    for (const Dim &size : window.kernel)
      sizes.push_back(*size.getKnown());
    op.setKernelShape(sizes);
  }
  if constexpr (!std::is_same_v<OpTy, DeformConvOp> &&
                !std::is_same_v<OpTy, ConvTransposeOp>) {
    for (int64_t i = 0; i < n; ++i) {
      auto [before, after] = window.padding(i, s.dim(input, i + 2));
      if (!before.isKnown() || !after.isKnown()) {
        window.pads.assign(2 * n, 0);
        op.setPads(window.pads);
        return;
      }
      window.pads[i] = *before.getKnown();
      window.pads[i + n] = *after.getKnown();
    }
    // VALID rounds down whatever ceil_mode says.
    if constexpr (std::is_same_v<OpTy, MaxPoolOp> ||
                  std::is_same_v<OpTy, AveragePoolOp> ||
                  std::is_same_v<OpTy, LpPoolOp>)
      if (window.autoPad != AutoPad::NotSet)
        op.setCeilMode(0);
    op.setAutoPad("NOTSET");
  }
  op.setPads(window.pads);
}

/// ConvTranspose states its padding also by output_shape or SAME_*: what is cut
/// off the full result.
static void normalizeConvTranspose(ConvTransposeOp op) {
  normalizeWindow(op, op.getX(), op.getW(), "convtranspose");
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
      llvm::TypeSwitch<Operation *>(op)
          .Case<SoftmaxOp, LogSoftmaxOp, HardmaxOp, SplitOp, LpNormalizationOp>(
              [](auto op) { normalizeAxis(op, op.getInput()); })
          .Case<LayerNormalizationOp, RMSNormalizationOp, TopKOp>(
              [](auto op) { normalizeAxis(op, op.getX()); })
          .Case<GatherOp, GatherElementsOp, ScatterElementsOp, ScatterOp,
                ArgMaxOp, ArgMinOp>(
              [](auto op) { normalizeAxis(op, op.getData()); })
          .Case<ConcatOp>(
              [](auto op) { normalizeAxis(op, op.getConcatResult()); })
          .Case<FlattenOp>([](auto op) { normalizeAxis(op, op.getInput()); })
          .Case<OneHotOp>(
              [](auto op) { normalizeAxis(op, op.getIndices(), 1); })
          .Case<CompressOp>([](auto op) {
            if (op.getAxis())
              normalizeOptionalAxis(op, op.getInput());
          })
          .Case<UniqueOp>([](auto op) {
            if (op.getAxis())
              normalizeOptionalAxis(op, op.getX());
          })
          .Case<TensorScatterOp>(
              [](auto op) { normalizeAxis(op, op.getPastCache()); })
          .Case<TransposeOp>(normalizePerm)
          .Case<ConvOp>([](auto op) {
            normalizeWindow(op, op.getX(), op.getW(), "conv");
          })
          .Case<ConvIntegerOp>([](auto op) {
            normalizeWindow(op, op.getX(), op.getW(), "convinteger");
          })
          .Case<QLinearConvOp>([](auto op) {
            normalizeWindow(op, op.getX(), op.getW(), "qlinearconv");
          })
          .Case<DeformConvOp>([](auto op) {
            normalizeWindow(op, op.getX(), op.getW(), "deformconv");
          })
          .Case<ConvTransposeOp>(normalizeConvTranspose)
          .Case<MaxPoolOp, AveragePoolOp, LpPoolOp>(
              [](auto op) { normalizeWindow(op, op.getX(), Value(), "pool"); });
    });
  }

  template <typename OpTy>
  static void normalizeOptionalAxis(OpTy op, Value ofRank) {
    auto type = dyn_cast<RankedTensorType>(ofRank.getType());
    if (type && *op.getAxis() < 0)
      op.setAxis(*op.getAxis() + type.getRank());
  }
};
} // namespace
