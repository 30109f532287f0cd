//===- MergeFunctions.cpp - Functions that differ in numbers alone --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of a network have kernels of one kind, with other numbers of channels:
// how far a loop goes, how far apart panels lie. onnxc-share-code compares
// operations, whose types have these numbers; here they are operands. What a
// kernel has for each size that is known, written out, makes its code another
// one, so that mostly those of open sizes become one function: these are long.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc {
#define GEN_PASS_DEF_MERGEFUNCTIONS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// The number that a value is; none for other constants.
std::optional<int64_t> getNumber(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : nullptr;
  if (!number || !value.getType().isInteger(64))
    return std::nullopt;
  return number.getInt();
}

/// Whether an operand may be known only when the function is called.
bool mayVary(Operation *op) {
  return isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ICmpOp,
             LLVM::SelectOp, LLVM::BrOp, LLVM::GEPOp, LLVM::CallOp,
             LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp,
             LLVM::SMinOp, LLVM::SMaxOp>(op);
}

/// What a function does: everything but the numbers in it.
struct Body {
  LLVM::LLVMFuncOp function;
  /// The operands that are numbers and may vary, in the order of the code.
  SmallVector<OpOperand *> numbers;
  SmallVector<int64_t> values;
  size_t instructions = 0;
  llvm::hash_code hash{0};
  SmallVector<LLVM::CallOp> calls;

  explicit Body(LLVM::LLVMFuncOp function) : function(function) {
    for (Block &block : function.getBody())
      for (Operation &op : block)
        add(op);
  }

private:
  void add(Operation &op) {
    if (isa<LLVM::ConstantOp>(op))
      return;
    ++instructions;
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
    if (!mayVary(&op))
      return;
    for (OpOperand &operand : op.getOpOperands())
      if (std::optional<int64_t> value = getNumber(operand.get())) {
        numbers.push_back(&operand);
        values.push_back(*value);
      }
  }
};

/// Whether two functions are the same but for the numbers that may vary.
class Comparison {
public:
  bool run(LLVM::LLVMFuncOp left, LLVM::LLVMFuncOp right) {
    if (left.getFunctionType() != right.getFunctionType() ||
        !haveSameAttributes(left, right) ||
        left.getBody().getBlocks().size() != right.getBody().getBlocks().size())
      return false;
    for (auto [a, b] : llvm::zip_equal(left.getBody(), right.getBody())) {
      if (a.getArgumentTypes() != b.getArgumentTypes())
        return false;
      blocks[&a] = &b;
      for (auto [x, y] : llvm::zip_equal(a.getArguments(), b.getArguments()))
        values[x] = y;
    }
    // Blocks follow those that they are reached from, but for loops, whose
    // values are arguments: a value is met before its uses.
    for (auto [a, b] : llvm::zip_equal(left.getBody(), right.getBody()))
      if (!compare(a, b))
        return false;
    return true;
  }

private:
  static bool haveSameAttributes(LLVM::LLVMFuncOp left,
                                 LLVM::LLVMFuncOp right) {
    auto withoutName = [](LLVM::LLVMFuncOp function) {
      NamedAttrList list(function->getAttrDictionary());
      list.erase(SymbolTable::getSymbolAttrName());
      return list.getDictionary(function.getContext());
    };
    return withoutName(left) == withoutName(right);
  }

  bool compare(Block &left, Block &right) {
    auto skip = [](Block &block, Block::iterator &at) {
      while (at != block.end() && isa<LLVM::ConstantOp>(*at))
        ++at;
    };
    Block::iterator a = left.begin(), b = right.begin();
    for (skip(left, a), skip(right, b); a != left.end() && b != right.end();
         skip(left, ++a), skip(right, ++b))
      if (!compare(*a, *b))
        return false;
    return a == left.end() && b == right.end();
  }

  bool compare(Operation &left, Operation &right) {
    if (left.getName() != right.getName() ||
        left.getAttrDictionary() != right.getAttrDictionary() ||
        left.getResultTypes() != right.getResultTypes() ||
        left.getNumOperands() != right.getNumOperands() ||
        left.getNumRegions() != 0 || right.getNumRegions() != 0 ||
        left.getNumSuccessors() != right.getNumSuccessors())
      return false;
    for (auto [x, y] :
         llvm::zip_equal(left.getSuccessors(), right.getSuccessors()))
      if (blocks.lookup(x) != y)
        return false;
    for (auto [x, y] : llvm::zip_equal(left.getOperands(), right.getOperands()))
      if (!correspond(left, x, y))
        return false;
    for (auto [x, y] : llvm::zip_equal(left.getResults(), right.getResults()))
      values[x] = y;
    return true;
  }

  bool correspond(Operation &user, Value left, Value right) {
    auto a = left.getDefiningOp<LLVM::ConstantOp>(),
         b = right.getDefiningOp<LLVM::ConstantOp>();
    if (a && b)
      return (mayVary(&user) && getNumber(left) && getNumber(right)) ||
             (a.getValue() == b.getValue() && a.getType() == b.getType());
    return values.lookup(left) == right;
  }

  DenseMap<Value, Value> values;
  DenseMap<Block *, Block *> blocks;
};

class MergeFunctions final
    : public onnxc::impl::MergeFunctionsBase<MergeFunctions> {
public:
  using MergeFunctionsBase::MergeFunctionsBase;

private:
  void runOnOperation() override;
  void merge(MutableArrayRef<Body *> alike);
};

/// Makes one function of several, if what differs is not too much.
void MergeFunctions::merge(MutableArrayRef<Body *> alike) {
  Body &first = *alike.front();
  // Numbers that are always equal to each other are one argument.
  llvm::MapVector<ArrayAttr, SmallVector<OpOperand *>> varying;
  Builder attributes(&getContext());
  for (auto [i, operand] : llvm::enumerate(first.numbers)) {
    SmallVector<int64_t> values;
    for (Body *body : alike)
      values.push_back(body->values[i]);
    if (!llvm::all_equal(values))
      varying[attributes.getI64ArrayAttr(values)].push_back(operand);
  }
  if (varying.size() > size_t(maxNumbers))
    return;
  LLVM::LLVMFuncOp function = first.function;
  SmallVector<Type> types(function.getArgumentTypes());
  Block &entry = function.getBody().front();
  Type number = attributes.getI64Type();
  types.append(varying.size(), number);
  for (auto &[values, operands] : varying) {
    Value argument = entry.addArgument(number, function.getLoc());
    for (OpOperand *operand : operands)
      operand->set(argument);
  }
  if (ArrayAttr known = function.getArgAttrsAttr()) {
    SmallVector<Attribute> list(known.getValue());
    list.append(varying.size(), attributes.getDictionaryAttr({}));
    function.setArgAttrsAttr(attributes.getArrayAttr(list));
  }
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      function.getResultTypes().empty() ? LLVM::LLVMVoidType::get(&getContext())
                                        : function.getResultTypes().front(),
      types));
  for (auto [i, body] : llvm::enumerate(alike)) {
    for (LLVM::CallOp call : body->calls) {
      OpBuilder b(call);
      SmallVector<Value> operands(call.getArgOperands());
      for (auto &[values, unused] : varying)
        operands.push_back(LLVM::ConstantOp::create(b, call.getLoc(), number,
                                                    values.getValue()[i]));
      auto merged = LLVM::CallOp::create(b, call.getLoc(), function, operands);
      call.replaceAllUsesWith(merged.getResults());
      call.erase();
    }
    body->calls.clear();
    if (i > 0)
      body->function.erase();
  }
}

void MergeFunctions::runOnOperation() {
  // Functions that are called by their name alone.
  DenseMap<StringAttr, Body *> byName;
  std::vector<std::unique_ptr<Body>> bodies;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    // Calls are written anew: by the C convention, with the operands alone.
    if (function.isExternal() || !function.isPrivate() || function.isVarArg() ||
        function.getCConv() != LLVM::cconv::CConv::C)
      continue;
    auto body = std::make_unique<Body>(function);
    if (body->instructions < size_t(minInstructions))
      continue;
    byName[function.getSymNameAttr()] = body.get();
    bodies.push_back(std::move(body));
  }
  DenseSet<StringAttr> taken;
  getOperation()->walk([&](Operation *op) {
    auto call = dyn_cast<LLVM::CallOp>(op);
    if (call && call.getCalleeAttr()) {
      StringAttr callee = call.getCalleeAttr().getAttr();
      auto caller = call->getParentOfType<LLVM::LLVMFuncOp>();
      // Calls by a function that may be erased itself are not kept; nor are
      // attributes of a call.
      if (byName.contains(caller.getSymNameAttr()) || call.getArgAttrsAttr() ||
          call.getResAttrsAttr() || !call->getDiscardableAttrs().empty())
        taken.insert(callee);
      else if (Body *body = byName.lookup(callee))
        body->calls.push_back(call);
      return;
    }
    if (!isa<LLVM::LLVMFuncOp>(op))
      op->getAttrDictionary().walk(
          [&](FlatSymbolRefAttr symbol) { taken.insert(symbol.getAttr()); });
  });
  llvm::MapVector<size_t, SmallVector<SmallVector<Body *>>> groups;
  for (auto &body : bodies) {
    if (taken.contains(body->function.getSymNameAttr()))
      continue;
    auto &ofHash = groups[body->hash];
    auto known = llvm::find_if(ofHash, [&](ArrayRef<Body *> group) {
      return group.front()->numbers.size() == body->numbers.size() &&
             Comparison().run(group.front()->function, body->function);
    });
    if (known == ofHash.end())
      ofHash.push_back({body.get()});
    else
      known->push_back(body.get());
  }
  for (auto &[hash, ofHash] : groups)
    for (SmallVector<Body *> &alike : ofHash)
      if (alike.size() > 1)
        merge(alike);
}

} // namespace
