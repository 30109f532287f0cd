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
  /// `ofByte` is how long a table of bytes takes for a vector, in additions.
  Body(Block &block, int64_t ofByte) : block(block), ofByte(ofByte) {}
  void rewrite();

private:
  void findSources();
  bool isConstant(Value value) { return matchPattern(value, m_Constant()); }
  bool endsAt(Value value);
  Value findByteBefore(Value value);
  llvm::SetVector<Operation *> sliceOf(Value value);
  ElementsAttr evaluate(ArrayRef<Operation *> ops, Value value);
  ElementsAttr makeTable(Value value);

  Block &block;
  int64_t ofByte;
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

/// The byte that a float is made of by few operations, such as those that
/// dequantize; null if there is none but the source itself.
Value Body::findByteBefore(Value value) {
  constexpr int64_t kFew = 6;
  Value source = sources.lookup(value);
  int64_t cost = 0;
  while (!value.getType().isInteger(8)) {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> variable;
    for (Value operand : op->getOperands())
      if (!isConstant(operand))
        variable.push_back(operand);
    cost += costOf(op);
    if (variable.size() != 1 || cost > kFew)
      return Value();
    value = variable.front();
  }
  return value == source ? Value() : value;
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

/// A gather takes about as long as so many additions.
constexpr int64_t kGather = 24;

/// The table of a value, null if it takes no less time than the code.
ElementsAttr Body::makeTable(Value value) {
  SmallVector<Operation *> ops = sliceOf(value).takeVector();
  int64_t cost = 0;
  for (Operation *op : ops)
    cost += costOf(op);
  if (cost <= (value.getType().isInteger(8) ? ofByte : kGather))
    return nullptr;
  return evaluate(ops, value);
}

void Body::rewrite() {
  findSources();
  llvm::MapVector<Value, ElementsAttr> tables;
  for (auto [value, source] : sources) {
    bool isByte = value.getType().isInteger(8);
    if (value == source || !(isByte || value.getType().isF32()) ||
        !endsAt(value))
      continue;
    // A table of bytes is read sooner than one of floats.
    Value read = value;
    if (Value byte =
            isByte || ofByte >= kGather ? Value() : findByteBefore(value))
      read = byte;
    if (ElementsAttr table = makeTable(read))
      tables[read] = table;
  }
  for (auto [value, table] : tables) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfter(value.getDefiningOp());
    Value source = sources.lookup(value);
    Value read = kernel::LookupOp::create(b, value.getLoc(), value.getType(),
                                          source, table);
    // All but the code of a table, which is not needed any more.
    value.replaceUsesWithIf(read, [&, value = value](OpOperand &use) {
      Operation *user = use.getOwner();
      return value.getType().isInteger(8) || user == block.getTerminator() ||
             user->getNumResults() != 1 ||
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

/// How long a table of bytes takes in the op's loops for a vector, in
/// additions.
int64_t getCostOfByte(Operation *op, TargetAttr target) {
  constexpr int64_t kPermutation = 8, kShuffles = 16;
  if (supports(target, Capability::PermuteBytes))
    return kPermutation;
  // Shuffles take as long for a few bytes as for a register of them.
  bool fillsRegisters = isa<kernel::IntegerDotOp>(op) ||
                        llvm::all_of(op->getOperands(), [](Value operand) {
                          return getElementTypeOrSelf(operand).isInteger(8);
                        });
  return fillsRegisters && supports(target, Capability::ShuffleBytes)
             ? kShuffles
             : kGather;
}

class FormLookups : public onnxc::impl::FormLookupsPassBase<FormLookups> {
public:
  using FormLookupsPassBase::FormLookupsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, kernel::KernelDialect>();
  }
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::GenericOp, kernel::KernelOpInterface>(op))
        Body(op->getRegion(0).front(), getCostOfByte(op, target)).rewrite();
    });
  }
};

} // namespace
