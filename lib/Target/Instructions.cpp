//===- Instructions.cpp - Instructions that not all have ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace onnxc;

static constexpr Instruction instructions[] = {
#define INSTRUCTION(NAME, CAPABILITY, BYTES, INTRINSIC, ARCHITECTURE,          \
                    FEATURES)                                                  \
  {NAME,      Capability::CAPABILITY,     BYTES,                               \
   INTRINSIC, llvm::Triple::ARCHITECTURE, FEATURES},
#include "onnxc/Target/Instructions.def"
};

llvm::ArrayRef<Instruction> onnxc::getInstructions() { return instructions; }

const Instruction *onnxc::findInstruction(TargetAttr target,
                                          Capability capability,
                                          int64_t bytes) {
  const auto *found = llvm::find_if(instructions, [&](const Instruction &row) {
    return row.capability == capability &&
           (row.bytes == 0 || row.bytes == bytes) &&
           target.hasInstruction(row.name);
  });
  return found == std::end(instructions) ? nullptr : found;
}

int64_t onnxc::getDotGroup(TargetAttr target) {
  constexpr Capability ofFour[] = {Capability::DotBytes,
                                   Capability::DotSignedBytes,
                                   Capability::MultiplyPairs};
  bool isAny = llvm::any_of(
      ofFour, [&](Capability dots) { return supports(target, dots); });
  return isAny ? 4 : 1;
}

Value onnxc::callInstruction(OpBuilder &b, Location loc,
                             const Instruction &instruction, Type result,
                             ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, result, b.getStringAttr(instruction.intrinsic), operands)
      .getResult(0);
}
