//===- LowerChecks.cpp - Run-time checks as early returns -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Runtime/Entry.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERCHECKSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What a check compares: `number`, which is not a constant, to what is
/// expected.
struct Comparison {
  onnxc_rt_relation relation;
  Value number, expected;
};

class LowerChecks : public onnxc::impl::LowerChecksPassBase<LowerChecks> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, LLVM::LLVMDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    auto entries = findEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    for (func::FuncOp entry : *entries)
      if (failed(flattenAroundChecks(entry)) || failed(lowerChecks(entry)))
        return signalPassFailure();
  }

  LogicalResult flattenAroundChecks(func::FuncOp entry);
  LogicalResult lowerChecks(func::FuncOp entry);
};

/// A choice between constants stands for a condition, and its number is not
/// one of the model.
static bool isFlag(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  return select && matchPattern(select.getTrueValue(), m_Constant()) &&
         matchPattern(select.getFalseValue(), m_Constant());
}

/// The relation as the runtime says it, of the operands in this order or the
/// other one.
static std::optional<onnxc_rt_relation>
getRelation(arith::CmpIPredicate predicate, bool isSwapped) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ONNXC_RT_EQUAL;
  case arith::CmpIPredicate::slt:
    return isSwapped ? ONNXC_RT_GREATER : ONNXC_RT_LESS;
  case arith::CmpIPredicate::sle:
    return isSwapped ? ONNXC_RT_AT_LEAST : ONNXC_RT_AT_MOST;
  case arith::CmpIPredicate::sgt:
    return isSwapped ? ONNXC_RT_LESS : ONNXC_RT_GREATER;
  case arith::CmpIPredicate::sge:
    return isSwapped ? ONNXC_RT_AT_MOST : ONNXC_RT_AT_LEAST;
  default:
    return std::nullopt;
  }
}

/// The comparison of sizes or elements that a condition is. One of several that
/// may hold (sizes that are broadcast are equal, or 1) is the one of two sizes.
static std::optional<Comparison> findComparison(Value condition) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    std::optional<Comparison> found = findComparison(either.getLhs());
    if (found && !matchPattern(found->expected, m_One()))
      return found;
    return findComparison(either.getRhs());
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Value left = compare.getLhs(), right = compare.getRhs();
  if ((!left.getType().isIndex() && !left.getType().isInteger(64)) ||
      isFlag(left) || isFlag(right))
    return std::nullopt;
  bool isSwapped = matchPattern(left, m_Constant());
  if (isSwapped)
    std::swap(left, right);
  std::optional<onnxc_rt_relation> relation =
      getRelation(compare.getPredicate(), isSwapped);
  if (!relation || matchPattern(left, m_Constant()))
    return std::nullopt;
  return Comparison{*relation, left, right};
}

/// Lists the ops of a region that are in `around`: each before those in it, and
/// behind those that follow it. A block is split behind each, which moves all
/// ops up to the next place where it was split: in the order of the code, that
/// would be the whole rest of the entry for each.
static void listFromTheEnd(Region &region,
                           const llvm::DenseSet<Operation *> &around,
                           SmallVectorImpl<Operation *> &ops) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::reverse(block)) {
      if (!around.contains(&op))
        continue;
      ops.push_back(&op);
      for (Region &inner : op.getRegions())
        listFromTheEnd(inner, around, ops);
    }
}

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
  SmallVector<Operation *> ops;
  listFromTheEnd(entry.getBody(), around, ops);
  RewritePatternSet patterns(&getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(&getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    StringRef name = op->getName().getStringRef();
    Location loc = op->getLoc();
    if (failed(applicator.matchAndRewrite(op, rewriter)))
      return emitError(loc) << "'" << name << "' has no form of branches";
  }
  return success();
}

/// The texts of checks, as constants of the module: one for all checks that
/// say the same, and, where the node is still to be named, stand at the same
/// place.
class CheckTexts {
public:
  explicit CheckTexts(ModuleOp module) : module(module), symbols(module) {}

  LLVM::GlobalOp get(Location loc, StringRef message) {
    OpBuilder b(module.getContext());
    bool isNamedLater = message == kNodeMarker;
    LLVM::GlobalOp &text =
        texts[{b.getStringAttr(message),
               isNamedLater ? Attribute(LocationAttr(loc)) : Attribute()}];
    if (!text) {
      b.setInsertionPointToStart(module.getBody());
      std::string zeroEnded = message.str() + '\0';
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), zeroEnded.size());
      text = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Private, "onnxc_check",
                                    b.getStringAttr(zeroEnded));
      symbols.insert(text); // makes the name unique
    }
    return text;
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<std::pair<Attribute, Attribute>, LLVM::GlobalOp> texts;
};

/// The blocks at the end of an entry that its failed checks go to, each made
/// for the first check that needs it.
class Exits {
public:
  /// The entry's first argument is its context.
  Exits(func::FuncOp entry, CheckTexts &texts)
      : entry(entry), texts(texts), b(entry.getContext()) {}

  /// Replaces a check, after which its block must end, by a branch to `rest`
  /// or to an exit.
  void branch(cf::AssertOp check, Block *rest);
  /// Appends the exits that are needed to the entry.
  void finish();

private:
  Block *make(Block *&exit, ArrayRef<Type> arguments) {
    if (!exit) {
      exit = new Block();
      for (Type type : arguments)
        exit->addArgument(type, entry.getLoc());
    }
    return exit;
  }
  void finish(Block *exit, RuntimeFn fn);

  func::FuncOp entry;
  CheckTexts &texts;
  OpBuilder b;
  /// One records a text, one numbers with it, and one returns the status that
  /// is recorded already.
  Block *fail = nullptr, *failComparison = nullptr, *relay = nullptr;
};

void Exits::branch(cf::AssertOp check, Block *rest) {
  Location loc = check.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto asInteger = [&](Value number) -> Value {
    if (!number.getType().isIndex())
      return number;
    return arith::IndexCastOp::create(b, loc, i64, number);
  };
  b.setInsertionPoint(check);
  Block *exit = nullptr;
  SmallVector<Value> arguments;
  if (check.getMsg().empty()) {
    exit = make(relay, {});
  } else if (std::optional<Comparison> found = findComparison(check.getArg())) {
    exit = make(failComparison, {ptr, i32, i64, i64});
    Value relation = LLVM::ConstantOp::create(
        b, loc, i32, b.getI32IntegerAttr(found->relation));
    arguments = {
        LLVM::AddressOfOp::create(b, loc, texts.get(loc, check.getMsg())),
        relation, asInteger(found->number), asInteger(found->expected)};
  } else {
    exit = make(fail, {ptr});
    arguments = {
        LLVM::AddressOfOp::create(b, loc, texts.get(loc, check.getMsg()))};
  }
  cf::CondBranchOp::create(b, loc, check.getArg(), rest, ValueRange(), exit,
                           arguments);
  check.erase();
}

void Exits::finish() {
  if (fail)
    finish(fail, RuntimeFn::Fail);
  if (failComparison)
    finish(failComparison, RuntimeFn::FailComparison);
  if (relay)
    finish(relay, RuntimeFn::Status);
}

void Exits::finish(Block *exit, RuntimeFn fn) {
  entry.getBody().push_back(exit);
  b.setInsertionPointToEnd(exit);
  SmallVector<Value> all{entry.getArgument(0)};
  llvm::append_range(all, exit->getArguments());
  Value code = callRuntime(b, entry.getLoc(),
                           entry->getParentOfType<ModuleOp>(), fn, all);
  func::ReturnOp::create(b, entry.getLoc(), code);
}

LogicalResult LowerChecks::lowerChecks(func::FuncOp entry) {
  SmallVector<cf::AssertOp> checks;
  entry.walk([&](cf::AssertOp check) { checks.push_back(check); });
  if (checks.empty())
    return success();
  if (entry.getNumArguments() != 3 ||
      !isa<LLVM::LLVMPointerType>(entry.getArgument(0).getType()))
    return entry.emitError("checks are lowered after 'onnxc-bind-abi', which "
                           "gives the entry its context");
  CheckTexts texts(getOperation());
  for (cf::AssertOp check : checks)
    if (!check.getMsg().empty())
      (void)texts.get(check.getLoc(), check.getMsg());
  Exits exits(entry, texts);
  // From the last one back: a block that is split moves all that follows the
  // check, which is then no more than what stands before the next one.
  for (cf::AssertOp check : llvm::reverse(checks))
    exits.branch(check, check->getBlock()->splitBlock(
                            std::next(Block::iterator(check))));
  exits.finish();
  return success();
}

} // namespace
