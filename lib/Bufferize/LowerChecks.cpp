//===- LowerChecks.cpp - Run-time checks as early returns -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERCHECKSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class LowerChecks : public onnxc::impl::LowerChecksPassBase<LowerChecks> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<cf::ControlFlowDialect, func::FuncDialect,
                    LLVM::LLVMDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = findEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    if (*entry &&
        (failed(flattenAroundChecks(*entry)) || failed(lowerChecks(*entry))))
      signalPassFailure();
  }

  LogicalResult flattenAroundChecks(func::FuncOp entry);
  LogicalResult lowerChecks(func::FuncOp entry);
};

/// Turns the scf ops around a check, and only those, into branches.
LogicalResult LowerChecks::flattenAroundChecks(func::FuncOp entry) {
  llvm::DenseSet<Operation *> around;
  WalkResult result = entry.walk([&](cf::AssertOp check) {
    for (Operation *op = check->getParentOp(); op != entry;
         op = op->getParentOp()) {
      if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp,
               scf::ExecuteRegionOp>(op)) {
        check.emitError("a check cannot stand in '")
            << op->getName() << "': it has no way to return from there";
        return WalkResult::interrupt();
      }
      if (!around.insert(op).second)
        break;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (around.empty())
    return success();
  RewritePatternSet patterns(&getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !around.contains(op); });
  return applyPartialConversion(entry, target, std::move(patterns));
}

LogicalResult LowerChecks::lowerChecks(func::FuncOp entry) {
  SmallVector<cf::AssertOp> checks;
  entry.walk([&](cf::AssertOp check) { checks.push_back(check); });
  if (checks.empty())
    return success();
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  if (entry.getNumArguments() != 3 || entry.getArgument(0).getType() != ptr)
    return entry.emitError("checks are lowered after 'onnxc-bind-abi', which "
                           "gives the entry its context");
  ModuleOp module = getOperation();
  Value ctx = entry.getArgument(0);
  OpBuilder b(&getContext());

  // By what they say, and, where the node is still to be named, by where.
  llvm::DenseMap<std::pair<Attribute, Attribute>, LLVM::GlobalOp> texts;
  SymbolTable symbols(module);
  auto textPointer = [&](Location loc, StringRef message) -> Value {
    bool isNamedLater = message == kNodeMarker;
    LLVM::GlobalOp &text =
        texts[{b.getStringAttr(message),
               isNamedLater ? Attribute(LocationAttr(loc)) : Attribute()}];
    if (!text) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      std::string zeroEnded = message.str() + '\0';
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), zeroEnded.size());
      text = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Private, "onnxc_check",
                                    b.getStringAttr(zeroEnded));
      symbols.insert(text); // makes the name unique
    }
    return LLVM::AddressOfOp::create(b, loc, text);
  };

  // Two shared exits: one records a text, one tells what is recorded already.
  Block *fail = nullptr, *relay = nullptr;
  for (cf::AssertOp check : checks) {
    Location loc = check.getLoc();
    Block *block = check->getBlock();
    Block *rest = block->splitBlock(std::next(Block::iterator(check)));
    b.setInsertionPoint(check);
    if (check.getMsg().empty()) {
      if (!relay)
        relay = new Block();
      cf::CondBranchOp::create(b, loc, check.getArg(), rest, ValueRange(),
                               relay, ValueRange());
    } else {
      if (!fail) {
        fail = new Block();
        fail->addArgument(ptr, entry.getLoc());
      }
      cf::CondBranchOp::create(b, loc, check.getArg(), rest, ValueRange(), fail,
                               textPointer(loc, check.getMsg()));
    }
    check.erase();
  }
  auto finish = [&](Block *exit, RuntimeFn fn, ValueRange args) {
    entry.getBody().push_back(exit);
    b.setInsertionPointToEnd(exit);
    Value code = callRuntime(b, entry.getLoc(), module, fn, args);
    func::ReturnOp::create(b, entry.getLoc(), code);
  };
  if (fail)
    finish(fail, RuntimeFn::Fail, {ctx, fail->getArgument(0)});
  if (relay)
    finish(relay, RuntimeFn::Status, {ctx});
  return success();
}

} // namespace
