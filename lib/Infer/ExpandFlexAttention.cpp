//===- ExpandFlexAttention.cpp - Attention around its subgraphs -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
      : b(op.getLoc(), op), op(op),
        element(getElementTypeOrSelf(op.getQ().getType())) {}

  void run();

private:
  /// What the subgraph, if there is one, makes of `x`, and of the same shape;
  /// its ops move here.
  Value apply(Region &region, Value x);

  Value constant(ElementsAttr elements) {
    return b.getContext()
        ->getLoadedDialect<ONNXDialect>()
        ->materializeConstant(b, elements, elements.getType(), b.getLoc())
        ->getResult(0);
  }
  Value ints(ArrayRef<int64_t> values) {
    return constant(b.getI64TensorAttr(values));
  }
  /// Sizes `from` to `to` (not included).
  Value sizes(Value x, int64_t from, int64_t to) {
    return ShapeOp::create(b, x, b.getI64IntegerAttr(to), from);
  }
  Value reshape(Value x, ValueRange sizes) {
    return ReshapeOp::create(b, x, ConcatOp::create(b, sizes, uint64_t(0)),
                             uint64_t(1));
  }
  Value cast(Value x, Type type) {
    return CastOp::create(b, x, uint64_t(getDataType(type)));
  }
  /// `x`, of which `type` may tell more.
  Value keepType(Value x, Type type) {
    if (x.getType() == type || !isa<RankedTensorType>(type))
      return x;
    return IdentityOp::create(b, type, x);
  }
  Value rootOfScale();

  ImplicitLocOpBuilder b;
  FlexAttentionOp op;
  Type element, computed;
};

class ExpandFlexAttention
    : public onnxc::impl::ExpandFlexAttentionBase<ExpandFlexAttention> {
  void runOnOperation() override {
    SmallVector<FlexAttentionOp> ops;
    getOperation().walk([&](FlexAttentionOp op) { ops.push_back(op); });
    for (FlexAttentionOp op : ops)
      Expansion(op).run();
  }
};

} // namespace

Value Expansion::apply(Region &region, Value x) {
  if (region.empty())
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
    FloatAttr root = b.getFloatAttr(element, double(std::sqrt(scale)));
    return constant(DenseElementsAttr::get(RankedTensorType::get({}, element),
                                           ArrayRef<Attribute>(root)));
  };
  if (op.getScale())
    return known(op.getScale()->convertToFloat());
  auto type = dyn_cast<RankedTensorType>(op.getQ().getType());
  if (type && !type.isDynamicDim(3))
    return known(float(1 / std::sqrt(double(type.getDimSize(3)))));
  Value size = cast(sizes(op.getQ(), 3, 4), b.getF32Type());
  Value scale = ReciprocalOp::create(b, SqrtOp::create(b, size));
  return cast(SqrtOp::create(b, scale), element);
}

void Expansion::run() {
  if (!isa<FloatType>(element))
    return;
  computed = op.getComputedType();

  // Query heads of one group share a key and value head: a dimension of their
  // own, of size 1 in keys and values, which multiplication broadcasts.
  Value root = rootOfScale();
  Value q = MulOp::create(b, op.getQ(), root);
  Value k = MulOp::create(b, op.getK(), root);
  Value batch = sizes(q, 0, 1), heads = sizes(k, 1, 2);
  Value group = DivOp::create(b, sizes(q, 1, 2), heads);
  Value queries = sizes(q, 2, 3), keys = sizes(k, 2, 3), axis = ints(2);
  q = reshape(q, {batch, heads, group, sizes(q, 2, 4)});
  k = UnsqueezeOp::create(
      b, TransposeOp::create(b, k, b.getDenseI64ArrayAttr({0, 1, 3, 2})), axis);
  Value x = MatMulOp::create(b, q, k);
  x = reshape(x, {sizes(op.getQ(), 0, 3), keys});
  x = apply(op.getScoreMod(), cast(x, computed));
  x = apply(op.getProbMod(), SoftmaxOp::create(b, x));
  x = reshape(x, {batch, heads, group, queries, keys});
  Value v = UnsqueezeOp::create(b, cast(op.getV(), computed), axis);
  Value y = MatMulOp::create(b, x, v);
  y = reshape(y, {sizes(op.getQ(), 0, 3), sizes(op.getV(), 3, 4)});
  op.replaceAllUsesWith(keepType(cast(y, element), op.getType()));
  op.erase();
}
