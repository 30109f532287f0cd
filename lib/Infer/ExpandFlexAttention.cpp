//===- ExpandFlexAttention.cpp - Attention around its subgraphs -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_EXPANDFLEXATTENTION
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// The steps of the op's definition, as ops before it.
class Expansion {
public:
  explicit Expansion(FlexAttentionOp op)
      : builder(op), b(builder, op.getLoc()), op(op),
        element(getElementType(op.getQ())) {}

  LogicalResult run();

private:
  OpBuilder builder;
  ONNXBuilder b;
  FlexAttentionOp op;
  Type element;

  /// What the subgraph, if there is one, makes of `x`, and of the same shape;
  /// its ops move here.
  Value apply(Region &region, Value x);

  /// Sizes `from` to `to` (not included).
  Value sizes(Value x, int64_t from, int64_t to) {
    return b.make<ShapeOp>(
        x, {b.attribute("start", from), b.attribute("end", to)});
  }
  Value reshape(Value x, ArrayRef<Value> sizes) {
    return b.make<ReshapeOp>({x, b.concat(sizes, 0)},
                             b.attribute("allowzero", 1));
  }
  /// `x`, of which `type` may tell more.
  Value keepType(Value x, Type type) {
    if (!x || x.getType() == type || !isa<RankedTensorType>(type))
      return x;
    return IdentityOp::create(builder, b.getLoc(), type, x);
  }
  Value rootOfScale();
};

class ExpandFlexAttention
    : public onnxc::impl::ExpandFlexAttentionBase<ExpandFlexAttention> {
  void runOnOperation() override {
    SmallVector<FlexAttentionOp> ops;
    getOperation().walk([&](FlexAttentionOp op) { ops.push_back(op); });
    for (FlexAttentionOp op : ops)
      if (failed(Expansion(op).run()))
        return signalPassFailure();
  }
};

} // namespace

Value Expansion::apply(Region &region, Value x) {
  if (region.empty() || !x)
    return x;
  Block &block = region.front();
  block.getArgument(0).replaceAllUsesWith(x);
  Operation *yield = block.getTerminator();
  Value result = yield->getOperand(0);
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations(), block.begin(),
                                         yield->getIterator());
  return keepType(result, x.getType());
}

/// The root of the scale, by which queries and keys are both multiplied.
Value Expansion::rootOfScale() {
  auto known = [&](float scale) {
    return b.number(double(std::sqrt(scale)), element);
  };
  if (op.getScale())
    return known(op.getScale()->convertToFloat());
  if (std::optional<int64_t> size = getDim(op.getQ(), 3))
    return known(float(1 / std::sqrt(double(*size))));
  Value size = b.cast(sizes(op.getQ(), 3, 4), builder.getF32Type());
  return b.cast(b.sqrt(b.make<ReciprocalOp>(b.sqrt(size))), element);
}

LogicalResult Expansion::run() {
  if (!isa_and_present<FloatType>(element))
    return success();
  Type computed = op.getComputedType();

  // Query heads of one group share a key and value head: a dimension of their
  // own, of size 1 in keys and values, which multiplication broadcasts.
  Value root = rootOfScale();
  Value q = b.mul(op.getQ(), root), k = b.mul(op.getK(), root);
  Value batch = sizes(q, 0, 1), heads = sizes(k, 1, 2);
  Value group = b.div(sizes(q, 1, 2), heads);
  Value queries = sizes(q, 2, 3), keys = sizes(k, 2, 3), axis = b.ints(2);
  q = reshape(q, {batch, heads, group, sizes(q, 2, 4)});
  k = b.make<UnsqueezeOp>({b.transpose(k, {0, 1, 3, 2}), axis});
  Value x = b.make<MatMulOp>({q, k});
  x = reshape(x, {sizes(op.getQ(), 0, 3), keys});
  x = apply(op.getScoreMod(), b.cast(x, computed));
  x = apply(op.getProbMod(), b.make<SoftmaxOp>(x));
  x = reshape(x, {batch, heads, group, queries, keys});
  Value v = b.make<UnsqueezeOp>({b.cast(op.getV(), computed), axis});
  Value y = b.make<MatMulOp>({x, v});
  y = reshape(y, {sizes(op.getQ(), 0, 3), sizes(op.getV(), 3, 4)});
  y = keepType(b.cast(y, element), op.getType());
  if (b.hasFailed())
    return failure();
  op.replaceAllUsesWith(y);
  op.erase();
  return success();
}
