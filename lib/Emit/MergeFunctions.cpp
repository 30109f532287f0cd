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
// one, so that mostly those of open sizes become one function.
//
// In a short function a number that is not known may cost more than the code
// that is saved: an address in the innermost loop takes a register, and a loop
// of few steps is not written out. There only those numbers may differ that the
// outer loops use, and the ends of long loops; besides, of functions that are
// the same in all else, a few distances in inner loops, which registers hold.
//
//===----------------------------------------------------------------------===//

#include "BufferOffsets.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Emit/Passes.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"
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

/// A division takes a tenth of the time of one iteration of such a loop at
/// most.
constexpr size_t longLoop = 512;

/// Finds the numbers of a function that make its code no slower where they are
/// known only when it is called.
class CheapNumbers {
public:
  CheapNumbers(LLVM::LLVMFuncOp function, size_t shortLoop)
      : dominance(function), loops(dominance.getDomTree(&function.getBody())),
        shortLoop(shortLoop) {}

  bool contains(Operation *op) {
    CFGLoop *loop = loops.getLoopFor(op->getBlock());
    if (!loop)
      return true;
    // A division by a known number is a product, which counts where a loop has
    // little else.
    bool isDivision =
        isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op);
    if (countInstructions(loop) <= (isDivision ? longLoop : shortLoop))
      return false;
    return !loop->isInnermost() ||
           (isa<LLVM::ICmpOp>(op) && op->getBlock() == loop->getHeader() &&
            llvm::all_of(op->getUsers(), llvm::IsaPred<LLVM::CondBrOp>));
  }

private:
  size_t countInstructions(CFGLoop *loop) {
    auto [known, isNew] = sizes.try_emplace(loop, 0);
    if (isNew)
      for (Block *block : loop->blocks())
        known->second += llvm::count_if(
            *block, [](Operation &op) { return !isa<LLVM::ConstantOp>(op); });
    return known->second;
  }

  DominanceInfo dominance;
  CFGLoopInfo loops;
  size_t shortLoop;
  DenseMap<CFGLoop *, size_t> sizes;
};

/// Makes the numbers in addresses operands, as those are that may vary. LLVM
/// sees the same.
void stateIndices(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::GEPOp address) {
    ArrayRef<int32_t> offsets = address.getRawConstantIndices();
    if (offsets.size() != 1 || offsets.front() == LLVM::GEPOp::kDynamicIndex ||
        !address.getElemType().isIntOrFloat())
      return;
    OpBuilder b(address);
    Value offset = LLVM::ConstantOp::create(b, address.getLoc(), b.getI64Type(),
                                            offsets.front());
    address.setRawConstantIndices({LLVM::GEPOp::kDynamicIndex});
    address.getDynamicIndicesMutable().assign(offset);
  });
}

/// What a function does: everything but the numbers in it that may vary.
struct Body {
  LLVM::LLVMFuncOp function;
  /// The operands that are numbers and may vary, in the order of the code.
  SmallVector<OpOperand *> numbers;
  DenseSet<OpOperand *> varying;
  /// Those of them that may cost a register in an inner loop.
  DenseSet<OpOperand *> inner;
  SmallVector<int64_t> values;
  llvm::hash_code hash{0};
  SmallVector<LLVM::CallOp> calls;
  /// Where the buffers begin that it takes.
  SmallVector<onnxc::BufferOffset> offsets;
  /// Of those that it calls, each calls fewer one in another.
  size_t depth = 0;

  explicit Body(LLVM::LLVMFuncOp function) : function(function) {}

  /// Reads the code. All numbers may vary, or those that `shortLoop` is given
  /// for, with those of sums and products everywhere if these are `freeSums`.
  void read(std::optional<size_t> shortLoop, bool freeSums = false) {
    stateIndices(function);
    numbers.clear();
    varying.clear();
    inner.clear();
    values.clear();
    hash = 0;
    std::optional<CheapNumbers> cheap;
    if (shortLoop && llvm::hasNItemsOrMore(function.getBody(), 2))
      cheap.emplace(function, *shortLoop);
    for (Block &block : function.getBody())
      for (Operation &op : block)
        add(op, cheap, freeSums);
  }

  static size_t countInstructions(LLVM::LLVMFuncOp function) {
    size_t count = 0;
    for (Block &block : function.getBody())
      count += llvm::count_if(
          block, [](Operation &op) { return !isa<LLVM::ConstantOp>(op); });
    return count;
  }

private:
  void add(Operation &op, std::optional<CheapNumbers> &cheap, bool freeSums) {
    if (isa<LLVM::ConstantOp>(op))
      return;
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
    if (!mayVary(&op))
      return;
    bool isInner = cheap && !cheap->contains(&op);
    if (isInner &&
        !(freeSums &&
          isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::GEPOp>(op)))
      return;
    for (OpOperand &operand : op.getOpOperands())
      if (std::optional<int64_t> value = getNumber(operand.get())) {
        numbers.push_back(&operand);
        varying.insert(&operand);
        if (isInner)
          inner.insert(&operand);
        values.push_back(*value);
      }
  }
};

/// Whether two functions are the same but for the numbers that may vary.
class Comparison {
public:
  Comparison(Body &left, Body &right) : leftBody(left), rightBody(right) {}

  bool run() {
    LLVM::LLVMFuncOp left = leftBody.function, right = rightBody.function;
    if (left.getFunctionType() != right.getFunctionType() ||
        !haveSameAttributes(left, right) ||
        left.getBody().getBlocks().size() !=
            right.getBody().getBlocks().size() ||
        !llvm::equal(
            leftBody.offsets, rightBody.offsets,
            [](const onnxc::BufferOffset &a, const onnxc::BufferOffset &b) {
              return a.argument == b.argument;
            }))
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
    for (auto [x, y] :
         llvm::zip_equal(left.getOpOperands(), right.getOpOperands()))
      if (!correspond(x, y))
        return false;
    for (auto [x, y] : llvm::zip_equal(left.getResults(), right.getResults()))
      values[x] = y;
    return true;
  }

  bool correspond(OpOperand &left, OpOperand &right) {
    auto a = left.get().getDefiningOp<LLVM::ConstantOp>(),
         b = right.get().getDefiningOp<LLVM::ConstantOp>();
    if (a && b)
      return (leftBody.varying.contains(&left) &&
              rightBody.varying.contains(&right)) ||
             (a.getValue() == b.getValue() && a.getType() == b.getType());
    return values.lookup(left.get()) == right.get();
  }

  Body &leftBody, &rightBody;
  DenseMap<Value, Value> values;
  DenseMap<Block *, Block *> blocks;
};

/// The options of the pass.
struct Limits {
  size_t longFunction, shortFunction, shortLoop, maxNumbers, maxInner,
      leastInner;
};

/// Functions that are the same but for so few numbers that they are not slower
/// for taking these.
class NearFunctions {
public:
  /// The places of the numbers that are always equal to each other: these are
  /// one argument.
  using Arguments = llvm::MapVector<size_t, SmallVector<size_t>>;

  NearFunctions(Body &first, const Limits &limits)
      : limits(limits), bodies{&first}, varies(first.numbers.size()) {
    groups.assign(varies.size(), 0);
    refine(first);
  }

  ArrayRef<Body *> get() const { return bodies; }

  /// Adds a function, unless too many numbers would differ.
  bool add(Body &body) {
    SmallVector<size_t> oldGroups = groups;
    llvm::BitVector oldVaries = varies;
    refine(body);
    if (areFew()) {
      bodies.push_back(&body);
      return true;
    }
    groups = std::move(oldGroups);
    varies = std::move(oldVaries);
    return false;
  }

  Arguments getArguments() const {
    Arguments arguments;
    for (unsigned i : varies.set_bits())
      arguments[groups[i]].push_back(i);
    return arguments;
  }

private:
  /// Takes apart what differs in `body`.
  void refine(const Body &body) {
    DenseMap<std::pair<size_t, int64_t>, size_t> known;
    for (auto [i, value] : llvm::enumerate(body.values)) {
      groups[i] =
          known.try_emplace({groups[i], value}, known.size()).first->second;
      if (value != bodies.front()->values[i])
        varies.set(i);
    }
  }

  bool areFew() const {
    const Body &first = *bodies.front();
    Arguments arguments = getArguments();
    size_t inner = llvm::count_if(arguments, [&](const auto &argument) {
      return llvm::any_of(argument.second, [&](size_t place) {
        return first.inner.contains(first.numbers[place]);
      });
    });
    return arguments.size() <= limits.maxNumbers && inner <= limits.maxInner;
  }

  const Limits &limits;
  SmallVector<Body *> bodies;
  /// Numbers of one group are equal to each other in all functions.
  SmallVector<size_t> groups;
  llvm::BitVector varies;
};

/// One run over a module.
class Merger {
public:
  Merger(ModuleOp module, Limits limits) : module(module), limits(limits) {}

  void run();

private:
  void findCalls();
  void mergeAlike(ArrayRef<Body *> candidates);
  void mergeNear(SmallVector<Body *> alike);
  void merge(const NearFunctions &near);

  ModuleOp module;
  Limits limits;
  std::vector<std::unique_ptr<Body>> bodies;
  DenseMap<StringAttr, Body *> byName;
};

/// Makes one function of several.
void Merger::merge(const NearFunctions &near) {
  ArrayRef<Body *> alike = near.get();
  Body &first = *alike.front();
  NearFunctions::Arguments varying = near.getArguments();
  MLIRContext *context = module.getContext();
  Builder attributes(context);
  LLVM::LLVMFuncOp function = first.function;
  SmallVector<Type> types(function.getArgumentTypes());
  Block &entry = function.getBody().front();
  Type number = attributes.getI64Type();
  types.append(varying.size(), number);
  for (auto &[group, places] : varying) {
    Value argument = entry.addArgument(number, function.getLoc());
    for (size_t place : places)
      first.numbers[place]->set(argument);
  }
  if (ArrayAttr known = function.getArgAttrsAttr()) {
    SmallVector<Attribute> list(known.getValue());
    list.append(varying.size(), attributes.getDictionaryAttr({}));
    function.setArgAttrsAttr(attributes.getArrayAttr(list));
  }
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      function.getResultTypes().empty() ? LLVM::LLVMVoidType::get(context)
                                        : function.getResultTypes().front(),
      types));
  SmallVector<LLVM::CallOp> calls;
  for (auto [i, body] : llvm::enumerate(alike)) {
    for (LLVM::CallOp call : body->calls) {
      OpBuilder b(call);
      SmallVector<Value> operands(call.getArgOperands());
      for (auto &[group, places] : varying)
        operands.push_back(LLVM::ConstantOp::create(
            b, call.getLoc(), number, body->values[places.front()]));
      auto merged = LLVM::CallOp::create(b, call.getLoc(), function, operands);
      call.replaceAllUsesWith(merged.getResults());
      call.erase();
      calls.push_back(merged);
    }
    body->calls.clear();
    for (auto [offset, other] : llvm::zip_equal(first.offsets, body->offsets))
      offset.isZero &= other.isZero;
    if (i > 0) {
      body->function.erase();
      body->function = nullptr;
    }
  }
  first.calls = std::move(calls);
}

/// Finds the calls of each function that is called by its name alone, and
/// forgets the others.
void Merger::findCalls() {
  DenseSet<StringAttr> taken;
  llvm::MapVector<Body *, SetVector<Body *>> callees;
  module->walk([&](Operation *op) {
    auto call = dyn_cast<LLVM::CallOp>(op);
    if (call && call.getCalleeAttr()) {
      StringAttr callee = call.getCalleeAttr().getAttr();
      Body *body = byName.lookup(callee);
      if (!body)
        return;
      // Attributes of a call are not kept.
      if (call.getArgAttrsAttr() || call.getResAttrsAttr() ||
          !call->getDiscardableAttrs().empty()) {
        taken.insert(callee);
        return;
      }
      body->calls.push_back(call);
      auto caller = call->getParentOfType<LLVM::LLVMFuncOp>();
      if (Body *calling = byName.lookup(caller.getSymNameAttr()))
        callees[calling].insert(body);
      return;
    }
    if (!isa<LLVM::LLVMFuncOp>(op))
      op->getAttrDictionary().walk(
          [&](FlatSymbolRefAttr symbol) { taken.insert(symbol.getAttr()); });
  });
  // Those that call each other in a circle stay as they are.
  constexpr size_t maxDepth = 4;
  for (size_t round = 0; round < maxDepth; ++round)
    for (auto &[caller, called] : callees)
      for (Body *callee : called)
        caller->depth = std::max(caller->depth, callee->depth + 1);
  llvm::erase_if(bodies, [&](const std::unique_ptr<Body> &body) {
    return taken.contains(body->function.getSymNameAttr()) ||
           body->depth >= maxDepth;
  });
}

/// Layers with maps of one size differ in few numbers, those of several sizes
/// in too many: each function goes to the first ones that it is near to.
void Merger::mergeNear(SmallVector<Body *> alike) {
  while (alike.size() > 1) {
    NearFunctions near(*alike.front(), limits);
    llvm::erase_if(alike, [&](Body *body) {
      return body == near.get().front() || near.add(*body);
    });
    if (near.get().size() > 1)
      merge(near);
  }
}

/// Of functions of which none calls another one.
void Merger::mergeAlike(ArrayRef<Body *> candidates) {
  llvm::MapVector<size_t, SmallVector<SmallVector<Body *>>> groups;
  for (Body *body : candidates) {
    auto &ofHash = groups[body->hash];
    auto known = llvm::find_if(ofHash, [&](ArrayRef<Body *> group) {
      return group.front()->numbers.size() == body->numbers.size() &&
             Comparison(*group.front(), *body).run();
    });
    if (known == ofHash.end())
      ofHash.push_back({body});
    else
      known->push_back(body);
  }
  for (auto &[hash, ofHash] : groups)
    for (SmallVector<Body *> &alike : ofHash)
      mergeNear(std::move(alike));
}

void Merger::run() {
  DenseSet<Body *> longBodies;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    // Calls are written anew: by the C convention, with the operands alone.
    if (function.isExternal() || !function.isPrivate() || function.isVarArg() ||
        function.getCConv() != LLVM::cconv::CConv::C)
      continue;
    size_t instructions = Body::countInstructions(function);
    if (instructions < std::min(limits.shortFunction, limits.longFunction))
      continue;
    bodies.push_back(std::make_unique<Body>(function));
    byName[function.getSymNameAttr()] = bodies.back().get();
    if (instructions >= limits.longFunction)
      longBodies.insert(bodies.back().get());
  }
  findCalls();
  for (auto &body : bodies)
    body->offsets = onnxc::stateOffsets(body->function);
  // What a function calls is the same one for others only once those that it
  // calls are merged.
  size_t depths = 0;
  for (auto &body : bodies)
    depths = std::max(depths, body->depth + 1);
  for (size_t depth = 0; depth < depths; ++depth) {
    SmallVector<Body *> candidates;
    for (auto &body : bodies)
      if (body->depth == depth) {
        body->read(longBodies.contains(body.get())
                       ? std::nullopt
                       : std::optional(limits.shortLoop));
        candidates.push_back(body.get());
      }
    mergeAlike(candidates);
    // Of what is left, a few sums, products and addresses may differ in inner
    // loops as well: few enough for registers. Ends of short loops and divisors
    // may not.
    llvm::erase_if(candidates, [&](Body *body) {
      return !body->function || longBodies.contains(body) ||
             Body::countInstructions(body->function) < limits.leastInner;
    });
    for (Body *body : candidates)
      body->read(limits.shortLoop, /*freeSums=*/true);
    mergeAlike(candidates);
  }
  for (auto &body : bodies)
    for (onnxc::BufferOffset &offset : body->offsets)
      if (body->function && offset.isZero)
        onnxc::forgetOffset(body->function, offset);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (StringRef name :
         {onnxc::program::offsets, onnxc::program::zeroOffsets})
      function->removeAttr(name);
}

class MergeFunctions final
    : public onnxc::impl::MergeFunctionsBase<MergeFunctions> {
public:
  using MergeFunctionsBase::MergeFunctionsBase;

private:
  void runOnOperation() override {
    Merger(getOperation(), {size_t(minInstructions), size_t(shortInstructions),
                            size_t(shortLoop), size_t(maxNumbers),
                            size_t(maxInnerNumbers), size_t(innerInstructions)})
        .run();
  }
};

} // namespace
