//===- WidenImages.cpp - Images of 16-bit numbers -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without an instruction for four bytes, each tile of columns would make 16-bit
// numbers of the pixels again.
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace onnxc {
#define GEN_PASS_DEF_WIDENIMAGESPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class Widener {
public:
  Widener(RewriterBase &b, ArrayRef<kernel::IntegerDotOp> dots)
      : b(b), dots(dots.begin(), dots.end()) {}

  void run();

private:
  bool isWidened(OpOperand &use);
  Value widen(Value bytes);
  Value widenPad(tensor::PadOp pad);
  bool widenProducer(Value bytes);
  Value widenApart(Value bytes);

  RewriterBase &b;
  llvm::SetVector<kernel::IntegerDotOp> dots;
  DenseMap<Value, Value> widened;
};

/// The same shape with elements of 16 bits.
RankedTensorType widen(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(IntegerType::get(type.getContext(), 16));
}

/// Whether what reads the bytes will read 16-bit numbers.
bool Widener::isWidened(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto dot = dyn_cast<kernel::IntegerDotOp>(user))
    return dots.contains(dot) && &use == &dot.getImageMutable();
  return isa<tensor::PadOp>(user) && use.getOperandNumber() == 0 &&
         llvm::all_of(user->getUses(),
                      [&](OpOperand &next) { return isWidened(next); });
}

/// The padding value is a byte as well.
Value Widener::widenPad(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  if (!value)
    return Value();
  Value source = widen(pad.getSource());
  b.setInsertionPoint(pad);
  Value wide =
      b.createOrFold<arith::ExtUIOp>(pad.getLoc(), b.getI16Type(), value);
  return tensor::PadOp::create(b, pad.getLoc(), ::widen(pad.getType()), source,
                               pad.getMixedLowPad(), pad.getMixedHighPad(),
                               wide);
}

/// Lets what computes the bytes yield 16-bit numbers, if nothing reads bytes.
bool Widener::widenProducer(Value bytes) {
  Operation *op = bytes.getDefiningOp();
  if (!op || op->getNumResults() != 1 ||
      !isa<linalg::GenericOp, kernel::IntegerDotOp>(op) ||
      !llvm::all_of(bytes.getUses(),
                    [&](OpOperand &use) { return isWidened(use); }))
    return false;
  auto destination = cast<DestinationStyleOpInterface>(op);
  OpOperand &init = *destination.getDpsInitOperand(0);
  auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  Block &body = op->getRegion(0).front();
  if (!empty || (generic && (generic.getNumReductionLoops() > 0 ||
                             !body.getArguments().back().use_empty())))
    return false;
  b.setInsertionPoint(op);
  Value to = tensor::EmptyOp::create(b, op->getLoc(), empty.getMixedSizes(),
                                     b.getI16Type());
  b.modifyOpInPlace(op, [&] {
    init.set(to);
    Operation *yield = body.getTerminator();
    b.setInsertionPoint(yield);
    yield->setOperand(0, arith::ExtUIOp::create(b, op->getLoc(), b.getI16Type(),
                                                yield->getOperand(0)));
    if (generic)
      body.getArguments().back().setType(b.getI16Type());
    bytes.setType(::widen(bytes.getType()));
  });
  return true;
}

/// A loop of its own.
Value Widener::widenApart(Value bytes) {
  Location loc = bytes.getLoc();
  b.setInsertionPointAfterValue(bytes);
  int64_t rank = cast<RankedTensorType>(bytes.getType()).getRank();
  AffineMap map = b.getMultiDimIdentityMap(rank);
  Value to = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, bytes), b.getI16Type());
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, to.getType(), bytes, to, ArrayRef<AffineMap>{map, map},
             kinds,
             [](OpBuilder &inner, Location at, ValueRange args) {
               Value wide = arith::ExtUIOp::create(inner, at,
                                                   inner.getI16Type(), args[0]);
               linalg::YieldOp::create(inner, at, wide);
             })
      .getResult(0);
}

Value Widener::widen(Value bytes) {
  if (Value known = widened.lookup(bytes))
    return known;
  Value wide;
  if (auto pad = bytes.getDefiningOp<tensor::PadOp>())
    wide = widenPad(pad);
  if (!wide)
    wide = widenProducer(bytes) ? bytes : widenApart(bytes);
  return widened[bytes] = wide;
}

void Widener::run() {
  for (kernel::IntegerDotOp dot : dots) {
    Value wide = widen(dot.getImage());
    b.modifyOpInPlace(dot, [&] { dot.getImageMutable().set(wide); });
  }
  // Their sources may be no bytes any more.
  for (auto [bytes, wide] : widened)
    if (bytes != wide && bytes.use_empty() &&
        bytes.getDefiningOp<tensor::PadOp>())
      b.eraseOp(bytes.getDefiningOp());
}

class WidenImages : public onnxc::impl::WidenImagesPassBase<WidenImages> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    SmallVector<kernel::IntegerDotOp> dots;
    for (auto dot : collectOps<kernel::IntegerDotOp>(getOperation()))
      if (paysToWidenImage(dot, target))
        dots.push_back(dot);
    IRRewriter rewriter(&getContext());
    Widener(rewriter, dots).run();
  }
};

} // namespace
