//===- LowerLookups.cpp - Tables of 256 values in vector code -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERLOOKUPSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class LowerLookups : public onnxc::impl::LowerLookupsPassBase<LowerLookups> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    LLVM::LLVMDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;

  /// The address of a constant with the elements of `table`.
  Value addressOf(OpBuilder &b, Location loc, DenseElementsAttr table);
  Value permute(OpBuilder &b, kernel::LookupOp op);
  Value gather(OpBuilder &b, kernel::LookupOp op);
  Value load(OpBuilder &b, kernel::LookupOp op);

  DenseMap<Attribute, LLVM::GlobalOp> globals;
  /// Of the bytes of two registers of 64; null if the target has none.
  const Instruction *permutation = nullptr;
};

Value LowerLookups::addressOf(OpBuilder &b, Location loc,
                              DenseElementsAttr table) {
  LLVM::GlobalOp &global = globals[table];
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type = LLVM::LLVMArrayType::get(table.getElementType(), table.size());
    global = LLVM::GlobalOp::create(
        top, getOperation().getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, "onnxc_table_" + Twine(globals.size()).str(),
        table, /*alignment=*/64);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// Each half of the table is two registers; the index' highest bit chooses.
Value LowerLookups::permute(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getIndex().getType());
  VectorType bytes = VectorType::get(64, b.getI8Type());
  Value index = op.getIndex();
  VectorType words = VectorType::get(type.getNumElements(), b.getI32Type());
  bool isWidened = type.getNumElements() == 16;
  if (isWidened)
    index = vector::BitCastOp::create(
        b, loc, bytes, arith::ExtUIOp::create(b, loc, words, index));
  Value base = addressOf(b, loc, cast<DenseElementsAttr>(op.getTable()));
  auto part = [&](int64_t i) -> Value {
    Value at = LLVM::GEPOp::create(
        b, loc, base.getType(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(64 * i))});
    return LLVM::LoadOp::create(b, loc, bytes, at, /*alignment=*/64);
  };
  auto half = [&](int64_t i) {
    return callInstruction(b, loc, *permutation, bytes,
                           {part(i), index, part(i + 1)});
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(bytes));
  Value isHigh =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
  Value high = half(2);
  Value found = arith::SelectOp::create(b, loc, isHigh, high, half(0));
  if (!isWidened)
    return found;
  return arith::TruncIOp::create(
      b, loc, type, vector::BitCastOp::create(b, loc, words, found));
}

/// From a table of 32-bit elements.
Value LowerLookups::gather(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getResult().getType());
  int64_t lanes = type.getNumElements();
  auto table = cast<DenseElementsAttr>(op.getTable());
  bool isByte = table.getElementType().isInteger(8);
  if (isByte)
    table = table.mapValues(b.getI32Type(),
                            [](const APInt &value) { return value.zext(32); });
  Type element = table.getElementType();
  Value base = addressOf(b, loc, table);
  Value index = arith::ExtUIOp::create(
      b, loc, VectorType::get(lanes, b.getI32Type()), op.getIndex());
  Value places = LLVM::GEPOp::create(
      b, loc, VectorType::get(lanes, base.getType()), element, base,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(index)});
  VectorType wide = VectorType::get(lanes, element);
  Value all = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), true));
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(wide));
  Value found = LLVM::masked_gather::create(b, loc, wide, places, all, none, 4);
  return isByte ? arith::TruncIOp::create(b, loc, type, found).getResult()
                : found;
}

Value LowerLookups::load(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto table = cast<DenseElementsAttr>(op.getTable());
  Value base = addressOf(b, loc, table);
  Value index = arith::ExtUIOp::create(b, loc, b.getI32Type(), op.getIndex());
  Value place =
      LLVM::GEPOp::create(b, loc, base.getType(), table.getElementType(), base,
                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(index)});
  return LLVM::LoadOp::create(b, loc, op.getResult().getType(), place);
}

void LowerLookups::runOnOperation() {
  globals.clear();
  permutation = findInstruction(TargetAttr::of(getOperation()),
                                Capability::PermuteBytes, /*bytes=*/64);
  SmallVector<kernel::LookupOp> ops;
  getOperation().walk([&](kernel::LookupOp op) { ops.push_back(op); });
  for (kernel::LookupOp op : ops) {
    OpBuilder b(op);
    auto type = dyn_cast<VectorType>(op.getIndex().getType());
    Value found;
    if (!type)
      found = load(b, op);
    else if (permutation && op.getType() == type &&
             (type.getNumElements() == 16 || type.getNumElements() == 64))
      found = permute(b, op);
    else
      found = gather(b, op);
    op.replaceAllUsesWith(found);
    op.erase();
  }
}

} // namespace
