//===- InferShapes.cpp - Types of all values by the ops' shape rules ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InferShapes.h"
#include "CarriedTypes.h"
#include "Faults.h"
#include "FoldShapes.h"
#include "Lengths.h"
#include "Ranks.h"
#include "RefineOperands.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Messages.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Schema.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_INFERSHAPES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

namespace {

/// The body of an op that runs it more than once or on parts of its operands;
/// null for other ops.
static Block *getRepeatedBody(Operation *op) {
  if (!hasFact(op, OpFact::RepeatsBody))
    return nullptr;
  Region &region = op->getRegion(0);
  return region.empty() || region.front().empty() ||
                 !isa<YieldOp>(region.front().back())
             ? nullptr
             : &region.front();
}

static llvm::SmallVector<Type> getBodyArgumentTypes(Operation *op, bool later) {
  return llvm::TypeSwitch<Operation *, llvm::SmallVector<Type>>(op)
      .Case<LoopOp, ScanOp, SequenceMapOp>(
          [&](auto loop) { return loop.getBodyArgumentTypes(later); });
}

/// For each argument of a body that the op carries, what the next iteration
/// gets; null for the others.
static llvm::SmallVector<Value> getNextValues(Operation *op, Block &body) {
  llvm::SmallVector<Value> next(body.getNumArguments());
  auto yield = cast<YieldOp>(body.back());
  if (auto loop = dyn_cast<LoopOp>(op))
    for (size_t i = 0, e = loop.getVInitial().size(); i < e; ++i)
      next[i + 2] = yield.getValues()[i + 1];
  if (auto scan = dyn_cast<ScanOp>(op))
    for (size_t i = 0, e = next.size() - scan.getNumScanInputs(); i < e; ++i)
      next[i] = yield.getValues()[i];
  return next;
}

/// Infers one function's body. Errors are emitted at the op that they concern,
/// and inference goes on behind it.
class FunctionInference {
public:
  explicit FunctionInference(bool fold, bool silent = false,
                             bool lenient = false, bool reports = true)
      : fold(fold && !lenient), lenient(lenient), reports(reports),
        isTrial(silent), silent(silent) {}

  LogicalResult run(func::FuncOp function) {
    // Types only gain, so this ends; one round is enough unless folding or a
    // subgraph added facts to what comes before it. What carried values can
    // be is settled only when a round ends, hence nothing is folded before.
    do {
      changed = false;
      faults.clear();
      for (Block &block : function.getBody())
        visit(block);
      if (fold && !invalid)
        for (Block &block : function.getBody())
          foldBlock(block);
      // Only what nothing else tells follows from uses.
      if (!changed && !invalid && !lenient)
        for (Block &block : function.getBody())
          refineBlock(block);
      // Only now is it settled which nodes a run may not come to.
      if (!changed && !invalid && !faults.empty()) {
        faults.replace(function.getBody());
        changed = true;
      }
    } while (changed && !invalid);
    if (invalid)
      return failure();
    updateSignature(function);
    return success();
  }

private:
  void visit(Block &block) {
    for (Operation &op : block) {
      visitRegions(&op);
      if (isa<SchemaOpInterface>(op))
        visit(&op);
      else if (auto fault = dyn_cast<FaultOp>(op); fault && !lenient)
        changed |= refineFault(fault);
    }
  }

  void visitRegions(Operation *op) {
    if (Block *body = getRepeatedBody(op)) {
      // Violated structure is reported by the op itself.
      if (succeeded(inferSilently(op)))
        return visitBody(op, *body);
    } else if (auto branches = dyn_cast<IfOp>(op)) {
      // The other branch may be at odds with what is known.
      if (Region *taken = branches.getKnownBranch())
        return visit(taken->front());
    }
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        visit(inner);
  }

  static LogicalResult inferSilently(Operation *op) {
    llvm::SmallVector<Type> ignored;
    return inferResultTypes(op, ignored, nullptr);
  }

  /// The types of all values inside of the op.
  using Types = llvm::SmallVector<std::pair<Value, Type>>;
  static Types getTypes(Operation *op) {
    Types types;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          types.emplace_back(argument, argument.getType());
        block.walk([&](Operation *inner) {
          for (Value result : inner->getResults())
            types.emplace_back(result, result.getType());
          for (Region &region : inner->getRegions())
            for (Block &block : region)
              for (BlockArgument argument : block.getArguments())
                types.emplace_back(argument, argument.getType());
        });
      }
    return types;
  }

  /// Starts from the types of the first iteration, and repeats with what the
  /// body then yields until nothing changes.
  void visitBody(Operation *op, Block &body) {
    Types declared = getTypes(op);
    llvm::SmallVector<Type> given(body.getArgumentTypes());
    llvm::SmallVector<Type> first = getBodyArgumentTypes(op, /*later=*/false);
    if (!lenient && failed(checkArguments(op, given, first)))
      return;
    llvm::SmallVector<Type> inferred = first;
    bool wasChanged = changed, wasSilent = silent, wasInvalid = invalid;
    // Within so many loops, one look at a body must be enough.
    bool isSettled = ++depth > maxTrials;
    if (isSettled)
      forgetShapes(op, given, inferred);
    bool isPessimistic = false;
    for (unsigned round = 0;; ++round) {
      for (auto [value, type] : declared)
        value.setType(type);
      setArguments(body, given, inferred);
      llvm::SmallVector<Type> entered(body.getArgumentTypes());
      silent = wasSilent || !isSettled;
      invalid = wasInvalid;
      visit(body);
      if (isSettled)
        break;
      inferred = getBodyArgumentTypes(op, /*later=*/true);
      confirm(op, body, given, first);
      bool isOpen = false;
      for (auto [type, before] : llvm::zip_equal(inferred, first))
        if (!type) {
          isOpen = true;
          type = isPessimistic ? dropShape(before) : before;
        }
      setArguments(body, given, inferred);
      if (!llvm::equal(entered, body.getArgumentTypes())) {
        if (round < maxRounds)
          continue;
        // Values that never settle: their shapes are unknown.
        forgetShapes(op, given, inferred);
        isSettled = true;
      } else if (isOpen && !isPessimistic && faults.areWithin(op)) {
        // What the body yields is known once onnx.fault is in its place.
        for (auto [value, type] : declared)
          value.setType(type);
        break;
      } else if (isOpen && !isPessimistic) {
        // What the body yields there may be anything.
        isPessimistic = true;
        for (auto [type, later] : llvm::zip_equal(
                 inferred, getBodyArgumentTypes(op, /*later=*/true)))
          if (!later)
            type = dropShape(type);
      } else if (invalid && !wasInvalid && !wasSilent) {
        // Once more for the errors, which name what is wrong in the end.
        isSettled = true;
      } else {
        break;
      }
    }
    silent = wasSilent;
    --depth;
    changed = wasChanged;
    for (auto [value, type] : declared)
      changed |= value.getType() != type;
  }

  /// What enters a body must have the element type that the body declares.
  LogicalResult checkArguments(Operation *op, llvm::ArrayRef<Type> declared,
                               llvm::ArrayRef<Type> entering) {
    for (auto [index, given, type] : llvm::enumerate(declared, entering)) {
      if (!isa_and_present<TensorType>(type) || !isa<TensorType>(given) ||
          areCompatibleTypes(dropShapes(type), dropShapes(given)))
        continue;
      if (!silent)
        op->emitOpError() << "input " << index
                          << " of its graph is declared as " << given
                          << ", but is " << type;
      invalid = true;
      return failure();
    }
    return success();
  }

  static Type dropShape(Type type) {
    auto tensor = dyn_cast_or_null<TensorType>(type);
    return tensor ? UnrankedTensorType::get(tensor.getElementType()) : type;
  }

  /// Carried values may have any shape, of the declared rank; what else enters
  /// stays known.
  static void forgetShapes(Operation *op, llvm::MutableArrayRef<Type> given,
                           llvm::MutableArrayRef<Type> inferred) {
    auto loop = dyn_cast<LoopOp>(op);
    if (!loop)
      return;
    for (auto [declared, type, initial] : llvm::zip_equal(
             given.drop_front(2), inferred.drop_front(2), loop.getVInitial())) {
      declared = forgetSizes(declared);
      type = dropShape(initial.getType());
    }
  }

  /// Leaves of the declared types of what is carried what holds before and
  /// after an iteration that began with them.
  static void confirm(Operation *op, Block &body,
                      llvm::MutableArrayRef<Type> given,
                      llvm::ArrayRef<Type> first) {
    for (auto [declared, initial, next] :
         llvm::zip_equal(given, first, getNextValues(op, body)))
      if (next)
        declared = confirmCarriedType(declared, initial, next.getType(),
                                      /*keepsShape=*/isa<ScanOp>(op));
  }

  /// Where the model declares something else than what flows in, it is wrong.
  static void setArguments(Block &body, llvm::ArrayRef<Type> declared,
                           llvm::ArrayRef<Type> inferred) {
    for (auto [argument, given, type] :
         llvm::zip_equal(body.getArguments(), declared, inferred)) {
      Type joined = type ? joinTypes(given, type) : given;
      argument.setType(joined ? joined : type);
    }
  }

  /// Constants for what is known, and a branch in place of an If.
  void foldBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto branches = dyn_cast<IfOp>(op)) {
        if (Region *taken = branches.getKnownBranch()) {
          foldBlock(taken->front());
          inlineBranch(branches, taken->front());
          continue;
        }
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          foldBlock(inner);
      changed |= foldShapeComputation(&op);
    }
  }

  /// From uses to what they use.
  void refineBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          refineBlock(inner);
      changed |= refineOperands(&op);
    }
  }

  void inlineBranch(IfOp op, Block &branch) {
    Operation *yield = &branch.back();
    // What is declared of the results now is of the values that stand for them.
    for (auto [result, value] :
         llvm::zip_equal(op->getResults(), yield->getOperands()))
      if (auto inner = dyn_cast<OpResult>(value);
          inner && inner.getOwner()->getBlock() == &branch)
        refine(inner.getOwner(), inner.getResultNumber(), result.getType());
    op->replaceAllUsesWith(yield->getOperands());
    op->getBlock()->getOperations().splice(
        op->getIterator(), branch.getOperations(), branch.begin(),
        yield->getIterator());
    op->erase();
    changed = true;
  }

  void visit(Operation *op) {
    if (auto branches = dyn_cast<IfOp>(op);
        branches && !lenient && op->getNumResults() > 0 &&
        isa<YieldOp>(branches.getThenBranch().front().back()) &&
        branches.getThenBranch().front().back().getNumOperands() == 0) {
      op->emitOpError("if_c2: the branches must have as many outputs as the "
                      "node");
      invalid = true;
      return;
    }
    faults.remove(op);
    llvm::SmallVector<Type> inferred;
    llvm::SmallVector<std::string, 1> wrong;
    auto collect = [&](const llvm::Twine &message) {
      wrong.push_back(message.str());
    };
    if (failed(inferResultTypes(op, inferred, collect))) {
      if (wrong.empty())
        wrong.push_back("violates its shape rule");
      return report(op, wrong);
    }
    if (auto branches = dyn_cast<IfOp>(op); branches && !lenient)
      checkBranches(branches);
    for (auto [index, type] : llvm::enumerate(inferred))
      refine(op, index, type);
    refineByTypeVariables(op);
  }

  /// What is wrong with the op is an error, or a fault of the run if that may
  /// not come to it.
  void report(Operation *op, llvm::ArrayRef<std::string> wrong) {
    if (lenient && (!reports || isConditional(op)))
      return;
    // A caller that tries out a length needs to know whether it is refused.
    if (!isTrial && isConditional(op))
      return faults.add(op, wrong.front());
    if (!silent)
      for (const std::string &message : wrong)
        op->emitOpError(message);
    invalid = true;
  }

  /// Where both branches fail, so does the If.
  void checkBranches(IfOp op) {
    FaultOp yes = getFault(op.getThenBranch());
    FaultOp no = getFault(op.getElseBranch());
    if (!yes || !no || isTrial)
      return;
    if (isConditional(op))
      return faults.addFollowing(op, yes);
    if (!silent)
      op->emitOpError("both branches fail: ") << yes.getMessage();
    invalid = true;
  }

  void refine(Operation *op, unsigned index, Type type) {
    Value result = op->getResult(index);
    if (!type || type == result.getType())
      return;
    Type joined = joinTypes(result.getType(), type);
    // Exporters declare wrong sizes, but not other types.
    const bool isOtherType =
        !joined &&
        !areCompatibleTypes(dropShapes(result.getType()), dropShapes(type));
    const bool givesWay = lenient && !(reports && isOtherType);
    if (!joined && givesWay && !contradicted.insert(result).second)
      return;
    if (!joined && givesWay)
      joined = type;
    if (!joined) {
      return report(op, describeOutput(cast<OpResult>(result)) +
                            " is declared as " + spellType(result.getType()) +
                            ", but is " + spellType(type));
    }
    if (joined == result.getType())
      return;
    result.setType(joined);
    changed = true;
  }

  /// Where the rule left a result open, another value of the schema's same type
  /// variable tells at least the element type.
  void refineByTypeVariables(Operation *op) {
    auto schema = cast<SchemaOpInterface>(op);
    if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<UnknownType>))
      return;
    llvm::StringMap<Type> bindings;
    auto collect = [&](llvm::ArrayRef<ValueSpec> specs,
                       llvm::ArrayRef<int> segments, TypeRange types) {
      unsigned next = 0;
      for (auto [spec, count] : llvm::zip_equal(specs, segments))
        for (int i = 0; i < count; ++i, ++next)
          if (!spec.typeVar.empty() && !isa<UnknownType>(types[next]))
            bindings.try_emplace(spec.typeVar, types[next]);
    };
    llvm::SmallVector<int> resultSegments = getResultSegments(op);
    collect(schema.getOperandSpecs(), getOperandSegments(op),
            op->getOperandTypes());
    collect(schema.getResultSpecs(), resultSegments, op->getResultTypes());
    unsigned next = 0;
    for (auto [spec, count] :
         llvm::zip_equal(schema.getResultSpecs(), resultSegments)) {
      for (int i = 0; i < count; ++i, ++next) {
        auto bound = bindings.find(spec.typeVar);
        if (bound == bindings.end() ||
            !isa<UnknownType>(op->getResult(next).getType()))
          continue;
        Type type = bound->second;
        if (auto tensor = dyn_cast<TensorType>(type))
          type = UnrankedTensorType::get(tensor.getElementType());
        refine(op, next, type);
      }
    }
  }

  /// The signature follows the body; whatever was declared for the outputs is
  /// part of the returned values' types already.
  static void updateSignature(func::FuncOp function) {
    if (function.isExternal())
      return;
    auto type = FunctionType::get(
        function.getContext(), function.front().getArgumentTypes(),
        function.front().getTerminator()->getOperandTypes());
    function.setFunctionType(type);
  }

  /// Loops within loops that are looked at more than once: the work doubles
  /// with each.
  static constexpr unsigned maxTrials = 4;
  /// A dimension that is carried changes once; this many rounds are not needed.
  static constexpr unsigned maxRounds = 32;

  bool fold;
  /// Whether what is declared gives way to what rules infer.
  bool lenient;
  /// Whether rules that are violated are errors in that mode, too.
  bool reports;
  /// Whether only success or failure is asked for.
  bool isTrial;
  /// What is wrong in this round where a run may not come to it.
  Faults faults;
  /// Values whose declared type was given up; once, so that it ends.
  llvm::DenseSet<Value> contradicted;
  bool changed = false;
  bool invalid = false;
  /// The types are not settled: errors are not reported.
  bool silent;
  unsigned depth = 0;
};

} // namespace

void onnxc::inferLeniently(func::FuncOp function) {
  // Nothing is an error in this mode.
  (void)FunctionInference(/*fold=*/false, /*silent=*/true, /*lenient=*/true,
                          /*reports=*/false)
      .run(function);
}

namespace {

/// Ranks beyond this one are not tried.
static constexpr int64_t maxTriedRank = 8;

/// A Squeeze without axes whose result's rank is needed, as a
/// Reshape to the list of the other dimensions.
static bool listSqueezedDims(func::FuncOp function) {
  SmallVector<SqueezeOp> ops;
  function.walk([&](SqueezeOp op) {
    if (!op.getAxes() && isa<RankedTensorType>(op.getData().getType()) &&
        lacksRank(op.getSqueezed()))
      ops.push_back(op);
  });
  for (SqueezeOp op : ops) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    int64_t rank = cast<RankedTensorType>(op.getData().getType()).getRank();
    auto type = RankedTensorType::get(rank, b.getI64Type());
    auto open = RankedTensorType::get(ShapedType::kDynamic, b.getI64Type());
    Value one = op->getDialect()
                    ->materializeConstant(
                        b, DenseElementsAttr::get(type, int64_t(1)), type, loc)
                    ->getResult(0);
    Value dims = ShapeOp::create(b, loc, type, op.getData(), IntegerAttr(),
                                 b.getI64IntegerAttr(0));
    Type bits = type.clone(b.getI1Type());
    Value isOne = EqualOp::create(b, loc, bits, dims, one);
    Value isKept = NotOp::create(b, loc, bits, isOne);
    Value kept = CompressOp::create(b, loc, open, dims, isKept, IntegerAttr());
    op.replaceAllUsesWith(ReshapeOp::create(b, loc, op.getSqueezed().getType(),
                                            op.getData(), kept,
                                            b.getI64IntegerAttr(1))
                              .getReshaped());
    op.erase();
  }
  return !ops.empty();
}

/// The first list whose unknown length leaves open a rank that must be
/// known, and at which place its user is in a walk.
static std::optional<std::pair<OpenLength, unsigned>>
findUnresolvedLength(func::FuncOp function) {
  std::optional<std::pair<OpenLength, unsigned>> found;
  unsigned place = 0;
  function.walk([&](Operation *op) {
    ++place;
    if (!isa<SchemaOpInterface>(op) || op->getNumRegions() != 0 ||
        llvm::none_of(op->getResults(), lacksRank))
      return WalkResult::advance();
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<OpenLength> length = findOpenLength(operand)) {
        found.emplace(*length, place);
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

/// Takes back what an If's declared result implied for values that its branches
/// yield: not every run comes to them, so that another rank is no
/// contradiction.
static void forgetYieldedRanks(func::FuncOp function) {
  function.walk([](IdentityOp op) {
    Value output = op.getOutput();
    auto type = dyn_cast<RankedTensorType>(output.getType());
    if (type && isa<UnrankedTensorType>(op.getInput().getType()) &&
        llvm::all_of(output.getUsers(), llvm::IsaPred<YieldOp>))
      output.setType(UnrankedTensorType::get(type.getElementType()));
  });
}

/// The inputs of the function that are lists of unknown length, and from which
/// the value is computed.
static SmallVector<unsigned> findSourceLists(Value value) {
  llvm::SetVector<Value> sources;
  sources.insert(value);
  SmallVector<unsigned> lists;
  for (size_t i = 0; i < sources.size(); ++i) {
    Value source = sources[i];
    if (Operation *op = source.getDefiningOp()) {
      op->walk([&](Operation *inner) {
        sources.insert(inner->operand_begin(), inner->operand_end());
      });
      continue;
    }
    auto argument = cast<BlockArgument>(source);
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()) && type &&
        type.getRank() == 1 && type.isDynamicDim(0) &&
        type.getElementType().isInteger())
      lists.push_back(argument.getArgNumber());
  }
  return lists;
}

/// States the length of an input; a run with another one is an error.
static void setLength(func::FuncOp function, unsigned input, int64_t length) {
  BlockArgument argument = function.getArgument(input);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  auto type = cast<RankedTensorType>(argument.getType());
  auto stated = IdentityOp::create(builder, argument.getLoc(),
                                   type.clone({length}), argument);
  argument.replaceAllUsesExcept(stated.getOutput(), stated);
}

/// Whether the function stays consistent after `change`.
static bool isConsistentWith(func::FuncOp function,
                             llvm::function_ref<void(func::FuncOp)> change) {
  OwningOpRef<func::FuncOp> trial = function.clone();
  change(*trial);
  return succeeded(
      FunctionInference(/*fold=*/true, /*silent=*/true).run(*trial));
}

/// Where the lengths of lists follow from that of an input, only one of which
/// leaves the function without a contradiction, states it. It settles more
/// than the length of a list that is computed: conditions on it, too.
static bool chooseSourceLength(func::FuncOp function, Value list) {
  for (unsigned input : findSourceLists(list)) {
    std::optional<int64_t> found;
    bool isUnique = true;
    for (int64_t length = 0; length <= maxTriedRank && isUnique; ++length)
      if (isConsistentWith(function, [&](func::FuncOp trial) {
            setLength(trial, input, length);
          })) {
        isUnique = !found;
        found = length;
      }
    if (found && isUnique) {
      setLength(function, input, *found);
      return true;
    }
  }
  return false;
}

/// Tries what becomes of the function with each length of such a list, and
/// picks the only consistent length, or branches. Returns whether
/// there was a list; types are to be inferred again then.
static bool chooseLength(func::FuncOp function) {
  auto unresolved = findUnresolvedLength(function);
  if (!unresolved)
    return false;
  OpenLength length = unresolved->first;
  unsigned place = unresolved->second;
  forgetYieldedRanks(function);
  if (chooseSourceLength(function, length.operand->get()))
    return true;
  SmallVector<int64_t> counts;
  unsigned number = length.operand->getOperandNumber(), dim = length.dim;
  for (int64_t count = 0; count <= maxTriedRank; ++count) {
    if (!length.canBe(count))
      continue;
    auto state = [&, left = place](func::FuncOp trial) mutable {
      trial.walk([&](Operation *op) {
        if (--left > 0)
          return WalkResult::advance();
        OpenLength{&op->getOpOperand(number), dim}.set(count);
        return WalkResult::interrupt();
      });
    };
    if (isConsistentWith(function, state))
      counts.push_back(count);
  }
  if (counts.empty())
    return false;
  if (counts.size() == 1)
    length.set(counts.front());
  else
    length.branch(counts);
  return true;
}

/// Whether there were faults of unknown rank that loops collect; they have one
/// now, unless that contradicts what is made of the loops' results.
static bool settleFaults(func::FuncOp function) {
  auto settle = [](func::FuncOp from) {
    bool changed = false;
    from.walk([&](FaultOp fault) { changed |= settleFault(fault); });
    return changed;
  };
  auto isOpen = [](FaultOp fault) {
    return llvm::all_of(fault.getResultTypes(), llvm::IsaPred<RankedTensorType>)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return function.walk(isOpen).wasInterrupted() &&
         isConsistentWith(function, settle) && settle(function);
}

struct InferShapes : onnxc::impl::InferShapesBase<InferShapes> {
  using InferShapesBase::InferShapesBase;
  static constexpr unsigned maxSinks = 64;
  static constexpr unsigned maxBranches = 4;

  void runOnOperation() override {
    bool invalid = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      invalid |=
          failed(FunctionInference(fold, /*silent=*/false, lenient, report)
                     .run(function));
      // Ifs behind one another multiply.
      unsigned branches = 0;
      for (unsigned i = 0; fold && !lenient && !invalid && i < maxSinks; ++i) {
        if (!sinkIntoBranches(function) &&
            !(branch && (listSqueezedDims(function) ||
                         (branches++ < maxBranches && chooseLength(function)))))
          break;
        invalid |= failed(FunctionInference(fold).run(function));
      }
      // When nothing else may tell of them.
      if (branch && !invalid && settleFaults(function))
        invalid = failed(FunctionInference(fold).run(function));
    }
    if (invalid)
      signalPassFailure();
  }
};

} // namespace
