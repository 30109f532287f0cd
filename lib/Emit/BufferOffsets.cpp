//===- BufferOffsets.cpp - Buffers that begin somewhere -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferOffsets.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

namespace onnxc {
#define GEN_PASS_DEF_RECORDOFFSETS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace onnxc {

/// Adds an offset that is 0 wherever the memory is used through the pointer.
/// Descriptors and calls get both.
static void addZero(Value pointer, Value offset, Value begin) {
  auto isZero = [](Value value) { return matchPattern(value, m_Zero()); };
  for (OpOperand &use : llvm::make_early_inc_range(pointer.getUses())) {
    Operation *user = use.getOwner();
    if (user == begin.getDefiningOp())
      continue;
    if (auto field = dyn_cast<LLVM::InsertValueOp>(user)) {
      if (!field->hasOneUse())
        continue;
      auto next = dyn_cast<LLVM::InsertValueOp>(*field->user_begin());
      if (next && next.getPosition() == ArrayRef<int64_t>{2} &&
          isZero(next.getValue()))
        next.getValueMutable().assign(offset);
    } else if (isa<LLVM::CallOp>(user)) {
      unsigned next = use.getOperandNumber() + 1;
      if (next < user->getNumOperands() &&
          user->getOperand(next).getType() == offset.getType() &&
          isZero(user->getOperand(next)))
        user->setOperand(next, offset);
    } else if (auto address = dyn_cast<LLVM::GEPOp>(user)) {
      address.getBaseMutable().assign(begin);
    } else if (isa<LLVM::LoadOp, LLVM::Prefetch>(user) ||
               (isa<LLVM::StoreOp>(user) && use.getOperandNumber() == 1)) {
      use.set(begin);
    }
  }
}

/// One sum for all places where the offset is added.
static void addOnce(Value pointer, Value offset, LLVM::GEPOp begin) {
  for (Operation *user : llvm::make_early_inc_range(pointer.getUsers())) {
    auto sum = dyn_cast<LLVM::GEPOp>(user);
    if (!sum || sum == begin || sum.getBase() != pointer ||
        sum->getAttrDictionary() != begin->getAttrDictionary() ||
        sum.getDynamicIndices() != begin.getDynamicIndices())
      continue;
    sum.replaceAllUsesWith(begin.getResult());
    sum.erase();
  }
}

/// The elements that addresses count in.
static Type findElement(Value pointer) {
  for (Operation *user : pointer.getUsers())
    if (auto address = dyn_cast<LLVM::GEPOp>(user))
      return address.getElemType();
  return IntegerType::get(pointer.getContext(), 8);
}

SmallVector<BufferOffset> stateOffsets(LLVM::LLVMFuncOp function) {
  SmallVector<BufferOffset> offsets;
  auto add = [&](StringRef name, bool isZero) {
    if (auto list = function->getAttrOfType<DenseI64ArrayAttr>(name))
      for (int64_t argument : list.asArrayRef())
        offsets.push_back({unsigned(argument), isZero, {}});
    function->removeAttr(name);
  };
  add(program::offsets, /*isZero=*/false);
  add(program::zeroOffsets, /*isZero=*/true);
  llvm::sort(offsets, [](const BufferOffset &a, const BufferOffset &b) {
    return a.argument < b.argument;
  });
  auto b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (BufferOffset &stated : offsets) {
    Value pointer = function.getArgument(stated.argument - 1),
          offset = function.getArgument(stated.argument);
    assert(isa<LLVM::LLVMPointerType>(pointer.getType()) &&
           offset.getType().isInteger(64) && "not a buffer");
    auto begin =
        LLVM::GEPOp::create(b, function.getLoc(), pointer.getType(),
                            findElement(pointer), pointer, ValueRange{offset});
    if (stated.isZero)
      addZero(pointer, offset, begin);
    else
      addOnce(pointer, offset, begin);
    if (begin.use_empty())
      begin.erase();
    else
      stated.begin = begin;
  }
  return offsets;
}

void forgetOffset(LLVM::LLVMFuncOp function, BufferOffset &stated) {
  Value offset = function.getArgument(stated.argument);
  if (stated.begin) {
    stated.begin.replaceAllUsesWith(stated.begin.getBase());
    stated.begin.erase();
  }
  if (offset.use_empty())
    return;
  auto b = OpBuilder::atBlockBegin(&function.getBody().front());
  offset.replaceAllUsesWith(LLVM::ConstantOp::create(
      b, function.getLoc(), offset.getType(), b.getIndexAttr(0)));
}

} // namespace onnxc

namespace {

/// How many arguments one becomes.
unsigned countArguments(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type))
    return 3 + 2 * buffer.getRank();
  return isa<UnrankedMemRefType>(type) ? 2 : 1;
}

class RecordOffsets final
    : public onnxc::impl::RecordOffsetsBase<RecordOffsets> {
public:
  using RecordOffsetsBase::RecordOffsetsBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isPrivate() || function.isExternal() ||
        function->hasAttr("llvm.bareptr"))
      return;
    SmallVector<int64_t> moved, zero;
    unsigned argument = 0;
    for (Type type : function.getArgumentTypes()) {
      SmallVector<int64_t> strides;
      int64_t offset;
      if (auto buffer = dyn_cast<MemRefType>(type);
          buffer && succeeded(buffer.getStridesAndOffset(strides, offset))) {
        if (offset == 0)
          zero.push_back(argument + 2);
        else if (ShapedType::isDynamic(offset))
          moved.push_back(argument + 2);
      }
      argument += countArguments(type);
    }
    Builder b(&getContext());
    if (!moved.empty())
      function->setAttr(onnxc::program::offsets, b.getDenseI64ArrayAttr(moved));
    if (!zero.empty())
      function->setAttr(onnxc::program::zeroOffsets,
                        b.getDenseI64ArrayAttr(zero));
  }
};

} // namespace
