//===- BoundRematerialization.cpp - What is computed again for a use ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace onnxc {

namespace {

/// Keeps LLVM's register allocator from computing a long sum again in front of
/// a use instead of loading it from the stack. LLVM 22 computes again what has
/// operands in registers too (its pull request 159211), such as the address
/// `LEA x, y`, and does the same for `x` at the same place, and so on. It then
/// loads the operands of all of these before the first: a sum of sixteen sizes
/// needs sixteen registers at once, none of which may be spilled, and the
/// allocator gives up with "ran out of registers". An instruction for which
/// more than `maxOperands` values would be loaded is computed once here: an
/// implicit use of the stack pointer, which never is a constant, says so.
class BoundRematerialization : public llvm::MachineFunctionPass {
public:
  BoundRematerialization() : MachineFunctionPass(id) {}

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetSubtargetInfo &target = function.getSubtarget();
    llvm::Register stackPointer =
        target.getTargetLowering()->getStackPointerRegisterToSaveRestore();
    // For each register that may be computed again, how many are loaded for it.
    llvm::DenseMap<llvm::Register, unsigned> operands;
    bool changed = false;
    // A definition comes before what it reaches.
    for (llvm::MachineBasicBlock *block :
         llvm::ReversePostOrderTraversal<llvm::MachineFunction *>(&function))
      for (llvm::MachineInstr &inst : *block) {
        if (!target.getInstrInfo()->isReMaterializable(inst))
          continue;
        unsigned count = 0;
        for (const llvm::MachineOperand &use : inst.all_uses())
          if (use.getReg().isVirtual())
            count += std::max(1u, operands.lookup(use.getReg()));
        if (count > maxOperands) {
          inst.addOperand(function,
                          llvm::MachineOperand::CreateReg(
                              stackPointer, /*isDef=*/false, /*isImp=*/true));
          changed = true;
          continue;
        }
        unsigned &most = operands[inst.getOperand(0).getReg()];
        most = std::max(most, count);
      }
    return changed;
  }

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

private:
  /// Two addresses of so many operands each, and the six registers of a call's
  /// arguments, are less than x86's fifteen. Kernels state most addresses with
  /// two or three.
  static constexpr unsigned maxOperands = 4;

  static char id;
};

char BoundRematerialization::id = 0;

} // namespace

std::unique_ptr<llvm::Pass> createBoundRematerialization() {
  return std::make_unique<BoundRematerialization>();
}

} // namespace onnxc
