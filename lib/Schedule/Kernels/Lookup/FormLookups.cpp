//===- FormLookups.cpp - Functions of one byte as tables ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between a quantization and the next one, an activation is a function of 256
// values. It is evaluated here, by the folders of the ops.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMLOOKUPSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// How long an op takes for a vector, in additions, about.
int64_t costOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::ConstantOp>([](auto) { return 0; })
      .Case<arith::DivFOp, math::SqrtOp>([](auto) { return 8; })
      .Case<math::AbsFOp, math::RoundEvenOp, math::FloorOp, math::CeilOp>(
          [](auto) { return 2; })
      .Default([](Operation *other) {
        return isa<math::MathDialect>(other->getDialect()) ? 20 : 1;
      });
}

/// The elementwise code of one op.
class Body {
public:
  Body(Block &block, bool permutes) : block(block), permutes(permutes) {}
  void rewrite();

private:
  void findSources();
  bool isConstant(Value value) { return matchPattern(value, m_Constant()); }
  bool endsAt(Value value);
  llvm::SetVector<Operation *> sliceOf(Value value);
  ElementsAttr evaluate(ArrayRef<Operation *> ops, Value value);

  Block &block;
  bool permutes;
  /// The byte that alone decides a value.
  llvm::MapVector<Value, Value> sources;
};

void Body::findSources() {
  for (BlockArgument argument : block.getArguments())
    if (argument.getType().isInteger(8) && !argument.use_empty())
      sources[argument] = argument;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 || !isPure(&op) ||
        op.hasTrait<OpTrait::ConstantLike>() || op.getNumOperands() == 0)
      continue;
    Value result = op.getResult(0), source;
    bool isSole = true;
    for (Value operand : op.getOperands()) {
      if (isConstant(operand))
        continue;
      Value own = sources.lookup(operand);
      isSole &= own && (!source || own == source);
      source = own;
    }
    if (isSole && source)
      sources[result] = source;
    else if (result.getType().isInteger(8))
      sources[result] = result;
  }
}

/// Whether something else than the byte has a part in what is made of `value`.
bool Body::endsAt(Value value) {
  Value source = sources.lookup(value);
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user == block.getTerminator() || user->getNumResults() != 1 ||
           sources.lookup(user->getResult(0)) != source;
  });
}

/// What computes `value` from its source, in order.
llvm::SetVector<Operation *> Body::sliceOf(Value value) {
  llvm::SetVector<Operation *> needed, ordered;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (next == sources.lookup(value) || !op || op->getBlock() != &block ||
        !needed.insert(op))
      continue;
    llvm::append_range(open, op->getOperands());
  }
  for (Operation &op : block)
    if (needed.contains(&op))
      ordered.insert(&op);
  return ordered;
}

/// The values for all 256 bytes; null if an op does not fold.
ElementsAttr Body::evaluate(ArrayRef<Operation *> ops, Value value) {
  Builder b(value.getContext());
  SmallVector<Attribute> all;
  for (int64_t byte = 0; byte < 256; ++byte) {
    DenseMap<Value, Attribute> known;
    auto valueOf = [&](Value operand) {
      Attribute constant;
      if (Attribute mine = known.lookup(operand))
        return mine;
      matchPattern(operand, m_Constant(&constant));
      return constant;
    };
    known[sources.lookup(value)] =
        b.getIntegerAttr(b.getI8Type(), int8_t(byte));
    for (Operation *op : ops) {
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands())
        operands.push_back(valueOf(operand));
      SmallVector<OpFoldResult> folded;
      Attribute result;
      if (op->hasTrait<OpTrait::ConstantLike>())
        result = valueOf(op->getResult(0));
      else if (succeeded(op->fold(operands, folded)) && folded.size() == 1)
        result = isa<Attribute>(folded[0]) ? cast<Attribute>(folded[0])
                                           : valueOf(cast<Value>(folded[0]));
      if (!isa_and_nonnull<FloatAttr, IntegerAttr>(result))
        return nullptr;
      known[op->getResult(0)] = result;
    }
    all.push_back(known.lookup(value));
  }
  return DenseElementsAttr::get(RankedTensorType::get(256, value.getType()),
                                all);
}

void Body::rewrite() {
  findSources();
  // A gather takes about as long as so many additions.
  constexpr int64_t kGather = 24, kPermutation = 8;
  for (auto [value, source] : sources) {
    Type type = value.getType();
    bool isByte = type.isInteger(8);
    if (value == source || !(isByte || type.isF32()) || !endsAt(value))
      continue;
    SmallVector<Operation *> ops = sliceOf(value).takeVector();
    int64_t cost = 0;
    for (Operation *op : ops)
      cost += costOf(op);
    if (cost <= (isByte && permutes ? kPermutation : kGather))
      continue;
    ElementsAttr table = evaluate(ops, value);
    if (!table)
      continue;
    OpBuilder b(value.getContext());
    b.setInsertionPointAfter(value.getDefiningOp());
    Value read =
        kernel::LookupOp::create(b, value.getLoc(), type, source, table);
    value.replaceUsesWithIf(read, [&, source = source](OpOperand &use) {
      Operation *user = use.getOwner();
      return user == block.getTerminator() || user->getNumResults() != 1 ||
             sources.lookup(user->getResult(0)) != source;
    });
  }
  SmallVector<Operation *> all;
  for (Operation &op : block.without_terminator())
    all.push_back(&op);
  for (Operation *op : llvm::reverse(all))
    if (isOpTriviallyDead(op))
      op->erase();
}

class FormLookups : public onnxc::impl::FormLookupsPassBase<FormLookups> {
public:
  using FormLookupsPassBase::FormLookupsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, kernel::KernelDialect>();
  }
  void runOnOperation() override {
    bool permutes =
        supports(TargetAttr::of(getOperation()), Capability::PermuteBytes);
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::GenericOp, kernel::KernelOpInterface>(op))
        Body(op->getRegion(0).front(), permutes).rewrite();
    });
  }
};

} // namespace
