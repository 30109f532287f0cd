//===- MoveBFloat16AsIntegers.cpp - Moves of bfloat16 without calls -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {
#define GEN_PASS_DEF_MOVEBFLOAT16ASINTEGERS
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Which of the types with 16 bits the target lacks.
struct Lacking {
  bool bfloat16 = false, float16 = false;

  bool operator()(Type type) const {
    Type element = getElementTypeOrSelf(type);
    return (bfloat16 && element.isBF16()) || (float16 && element.isF16());
  }
};

/// Whether the op does the same with any other type of 16 bits.
bool moves(Operation *op) {
  return isa<LLVM::LLVMFuncOp, LLVM::ReturnOp, LLVM::CallOp, LLVM::BrOp,
             LLVM::CondBrOp, LLVM::SwitchOp, LLVM::LoadOp, LLVM::StoreOp,
             LLVM::GEPOp, LLVM::AllocaOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::SelectOp, LLVM::FreezeOp, LLVM::BitcastOp, LLVM::ConstantOp,
             LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ExtractValueOp,
             LLVM::InsertValueOp, LLVM::ExtractElementOp, LLVM::InsertElementOp,
             LLVM::ShuffleVectorOp, LLVM::vector_extract, LLVM::vector_insert>(
      op);
}

class MoveBFloat16AsIntegers final
    : public onnxc::impl::MoveBFloat16AsIntegersBase<MoveBFloat16AsIntegers> {
public:
  using MoveBFloat16AsIntegersBase::MoveBFloat16AsIntegersBase;

  void runOnOperation() override;

private:
  void keepFloats(Operation *op);

  Lacking isLacking;
  AttrTypeReplacer replacer;
  /// What goes on using bfloat16.
  DenseSet<Operation *> kept;
};

/// The op computes: it gets bfloat16, and what it makes are integers for
/// others.
void MoveBFloat16AsIntegers::keepFloats(Operation *op) {
  OpBuilder b(op);
  kept.insert(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isLacking(operand.get().getType()))
      continue;
    auto cast = LLVM::BitcastOp::create(b, op->getLoc(),
                                        operand.get().getType(), operand.get());
    operand.set(cast);
    kept.insert(cast);
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!isLacking(result.getType()))
      continue;
    auto cast = LLVM::BitcastOp::create(
        b, op->getLoc(), replacer.replace(result.getType()), result);
    result.replaceAllUsesExcept(cast, cast);
  }
}

void MoveBFloat16AsIntegers::runOnOperation() {
  auto target = onnxc::TargetAttr::of(getOperation());
  isLacking.bfloat16 =
      !onnxc::supports(target, onnxc::Capability::RoundBFloat16) &&
      !onnxc::supports(target, onnxc::Capability::RoundNormalBFloat16);
  isLacking.float16 = llvm::Triple(target.getTriple()).isWasm();
  if (!isLacking.bfloat16 && !isLacking.float16)
    return;
  auto integer = IntegerType::get(&getContext(), 16);
  replacer.addReplacement(
      [this, integer](FloatType type) -> std::optional<Type> {
        return isLacking(type) ? std::optional<Type>(integer) : std::nullopt;
      });
  replacer.addReplacement(
      [this, integer](FloatAttr attr) -> std::optional<Attribute> {
        if (!isLacking(attr.getType()))
          return std::nullopt;
        return IntegerAttr::get(integer, attr.getValue().bitcastToAPInt());
      });
  replacer.addReplacement(
      [this, integer](DenseElementsAttr attr) -> std::optional<Attribute> {
        if (!isLacking(attr.getElementType()))
          return std::nullopt;
        return attr.bitcast(integer);
      });
  SmallVector<Operation *> computing;
  getOperation()->walk([&](Operation *op) {
    if (!moves(op) && (llvm::any_of(op->getOperandTypes(), isLacking) ||
                       llvm::any_of(op->getResultTypes(), isLacking)))
      computing.push_back(op);
  });
  for (Operation *op : computing)
    keepFloats(op);
  getOperation()->walk([&](Operation *op) {
    if (!kept.contains(op))
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false, /*replaceTypes=*/true);
  });
  kept.clear();
}

} // namespace
