//===- ShareCode.cpp - One function for operations that are alike ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it costs to compile a model then grows with the operations that differ,
// not with its nodes; and no function becomes so long that LLVM's passes, of
// which several are worse than linear, take most of the time.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/KernelCodegen.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_SHARECODEPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Fewer steps than this are not worth a call.
constexpr int64_t kMinSteps = 64;
/// But of this many, each gets its call: written out in one function, they
/// would take LLVM time that grows with the square of their number.
constexpr size_t kManySmall = 512;
/// A number of which alike ops have more values than this is an argument. Code
/// may be better for knowing it, but a kernel has so much that compiling it
/// once more costs more than loading, once in a call, a scale or a zero point.
constexpr size_t kMaxNumbers = 8, kMaxNumbersOfKernel = 1;

bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether the op becomes loops of at least `minSteps` steps.
bool becomesLoops(Operation *op, int64_t minSteps) {
  if (isa<onnxc::KernelCodegenInterface>(op))
    return true;
  // A loop over structured ops, which share what they compute.
  if (isa<scf::ForallOp>(op))
    return op->getNumResults() == 0;
  SmallVector<int64_t> extents;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto from = dyn_cast<MemRefType>(copy.getSource().getType());
    auto to = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (!from || !to || copy.getSource() == copy.getTarget() ||
        (from.getLayout().isIdentity() && to.getLayout().isIdentity()))
      return false;
    extents.assign(from.getShape().begin(), from.getShape().end());
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.hasPureBufferSemantics())
      return false;
    extents = structured.getStaticLoopRanges();
  } else {
    return false;
  }
  onnxc::SaturatingInt steps = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent) || extent >= minSteps)
      return true;
    steps *= extent;
    if (steps >= minSteps)
      return true;
  }
  return steps >= minSteps;
}

/// The memory that a buffer is a view of.
Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// A function, and the op in it.
struct SharedFunction {
  func::FuncOp function;
  Operation *op;
  /// Which arguments have their memory for themselves, in every call.
  SmallVector<bool> isAlone;
  /// What the function takes, in the place of the op that it was made from.
  SmallVector<Value> operands;
  /// Arguments that are constants where the function is called.
  DenseSet<Value> numbers;
  SmallVector<func::CallOp> calls;
};

/// Finds out whether an op does what a function does, and what to call it with.
class Match {
public:
  explicit Match(SharedFunction &shared) : shared(shared) {}

  bool run(Operation *op) {
    return OperationEquivalence::isEquivalentTo(
        shared.op, op,
        [&](Value own, Value other) { return success(correspond(own, other)); },
        [&](Value own, Value other) {
          (void)pair(own, other);
          return;
        },
        OperationEquivalence::IgnoreLocations);
  }

  SmallVector<Value> operands() const {
    return llvm::map_to_vector(
        shared.function.getArguments(),
        [&](BlockArgument argument) { return others.lookup(argument); });
  }

private:
  /// Whether two operands mean the same.
  bool correspond(Value own, Value other) {
    if (Value known = others.lookup(own))
      return known == other;
    if (own.getType() != other.getType() ||
        own.getParentBlock() != &shared.function.front())
      return false;
    if (isa<BlockArgument>(own))
      return isConstant(other) == shared.numbers.contains(own) &&
             pair(own, other);
    return isConstant(other) && OperationEquivalence::isEquivalentTo(
                                    own.getDefiningOp(), other.getDefiningOp(),
                                    OperationEquivalence::IgnoreLocations);
  }
  /// False if `other` has a partner already: what is the same in one is the
  /// same in the other.
  bool pair(Value own, Value other) {
    return taken.insert(other).second && others.try_emplace(own, other).second;
  }

  SharedFunction &shared;
  DenseMap<Value, Value> others;
  DenseSet<Value> taken;
};

class ShareCode : public onnxc::impl::ShareCodePassBase<ShareCode> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect>();
  }
  void runOnOperation() override;
  SharedFunction makeFunction(Operation *op, SymbolTable &symbols,
                              const DenseSet<unsigned> &passed);
};

/// The layout of a buffer whose strides are static; the size of the first
/// dimension, which they do not depend on, may be dynamic.
struct StaticLayout {
  /// Of a dimension of size 1 any stride is right: it is what it is in a buffer
  /// of its own.
  SmallVector<int64_t> strides;
  int64_t offset;

  static std::optional<StaticLayout> get(Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    StaticLayout layout;
    if (!buffer ||
        (buffer.getRank() > 0 &&
         ShapedType::isDynamicShape(buffer.getShape().drop_front())) ||
        failed(buffer.getStridesAndOffset(layout.strides, layout.offset)) ||
        llvm::is_contained(layout.strides, ShapedType::kDynamic))
      return std::nullopt;
    int64_t inner = 1;
    for (int64_t d = buffer.getRank() - 1; d >= 0; --d) {
      if (buffer.getDimSize(d) == 1)
        layout.strides[d] = inner;
      inner = layout.strides[d] * buffer.getDimSize(d);
    }
    return layout;
  }

  MemRefType of(MemRefType buffer) const {
    return MemRefType::get(
        buffer.getShape(), buffer.getElementType(),
        StridedLayoutAttr::get(buffer.getContext(), offset, strides),
        buffer.getMemorySpace());
  }
};

/// The same buffer at another offset, which may be dynamic; null if its layout
/// is not static.
MemRefType withOffset(Type type, int64_t offset) {
  std::optional<StaticLayout> layout = StaticLayout::get(type);
  if (!layout)
    return {};
  layout->offset = offset;
  return layout->of(cast<MemRefType>(type));
}

/// The same buffer anywhere in another one, of which it has a part of each
/// item, if there are as many items as the run has; null if its layout is not
/// static.
MemRefType withoutPlace(Type type) {
  std::optional<StaticLayout> layout = StaticLayout::get(type);
  if (!layout)
    return {};
  layout->offset = ShapedType::kDynamic;
  auto buffer = cast<MemRefType>(type);
  if (buffer.getRank() > 1 && buffer.isDynamicDim(0))
    layout->strides.front() = ShapedType::kDynamic;
  return layout->of(buffer);
}

/// The buffer as one of that type, at `offset` of what it lies in.
memref::ReinterpretCastOp reinterpret(OpBuilder &b, Location loc, Value buffer,
                                      MemRefType type, OpFoldResult offset) {
  SmallVector<OpFoldResult> strides = getAsIndexOpFoldResult(
      b.getContext(), StaticLayout::get(buffer.getType())->strides);
  auto [stated, ignored] = type.getStridesAndOffset();
  if (!stated.empty() && ShapedType::isDynamic(stated.front()))
    strides.front() = getValueOrCreateConstantIndexOp(b, loc, strides.front());
  return memref::ReinterpretCastOp::create(
      b, loc, type, buffer, offset, memref::getMixedSizes(b, loc, buffer),
      strides);
}

/// The same for types that differ only in where they lie in a buffer.
Type withoutPlaceOf(Type type) {
  MemRefType loose = withoutPlace(type);
  return loose ? Type(loose) : type;
}

/// Alike ops have the same one.
llvm::hash_code hashOf(Operation *op, bool withPlaces = true) {
  llvm::hash_code hash(0);
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    hash = llvm::hash_combine(hash,
                              OperationEquivalence::computeHash(
                                  inner, OperationEquivalence::ignoreHashValue,
                                  OperationEquivalence::ignoreHashValue,
                                  OperationEquivalence::IgnoreLocations));
    for (Type type : inner->getOperandTypes())
      hash = llvm::hash_combine(hash, withPlaces ? type : withoutPlaceOf(type));
  });
  return hash;
}

/// The name of the node that the op comes from, as a part of a symbol.
std::string nameOf(Operation *op) {
  std::string name = "kernel";
  if (auto loc = op->getLoc()->findInstanceOf<NameLoc>()) {
    name += "_";
    for (char c : loc.getName())
      name += llvm::isAlnum(c) ? c : '_';
  }
  return name;
}

/// What the op uses, in the order in which alike ops do.
llvm::SetVector<Value> findUsed(Operation *op) {
  llvm::SetVector<Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

/// Whether a constant of a structured op may become an argument. A power of a
/// known exponent may be products, whose last bit is another one: a result does
/// not depend on how many others there are.
bool mayBeArgumentOfLoops(Value value) {
  return isa<FloatType>(value.getType()) &&
         llvm::none_of(value.getUsers(), llvm::IsaPred<math::PowFOp>);
}

/// The same of a constant in a kernel's epilogue: not of a divisor, of which
/// LLVM may know the inverse, nor of the bound of a maximum, which it knows not
/// to be NaN. What the kernel itself takes stays known.
bool mayBeArgumentOfKernel(Operation *kernel, Value value) {
  return value.getType().isIntOrFloat() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return kernel->isProperAncestor(user)
                      ? isa<arith::AddIOp, arith::SubIOp, arith::AddFOp,
                            arith::SubFOp, arith::MulFOp, math::FmaOp,
                            arith::CmpFOp, arith::SelectOp>(user)
                      : user != kernel;
         });
}

/// The numbers among what alike ops use that have many values, by their place:
/// a factor, say, of nodes that differ in it alone. What is the same in all of
/// them, or nearly, stays where it is.
DenseSet<unsigned> findNumbers(ArrayRef<Operation *> alike) {
  DenseSet<unsigned> places;
  bool isKernel = isa<onnxc::KernelCodegenInterface>(alike.front());
  size_t most = isKernel ? kMaxNumbersOfKernel : kMaxNumbers;
  if (alike.size() <= most ||
      (!isKernel && !isa<linalg::LinalgOp>(alike.front())))
    return places;
  SmallVector<DenseSet<Attribute>> values;
  for (Operation *op : alike)
    for (auto [i, value] : llvm::enumerate(findUsed(op))) {
      Attribute number;
      bool mayBeArgument = isKernel ? mayBeArgumentOfKernel(op, value)
                                    : mayBeArgumentOfLoops(value);
      if (!mayBeArgument || !matchPattern(value, m_Constant(&number)))
        continue;
      values.resize(std::max<size_t>(values.size(), i + 1));
      values[i].insert(number);
      if (values[i].size() > most)
        places.insert(i);
    }
  return places;
}

/// Moves the op into a function of its own. Constants go with it, but for the
/// numbers at the places `passed`.
SharedFunction ShareCode::makeFunction(Operation *op, SymbolTable &symbols,
                                       const DenseSet<unsigned> &passed) {
  SharedFunction shared;
  SmallVector<Value> constants;
  SmallVector<unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(findUsed(op))) {
    bool isNumber = passed.contains(i) && isConstant(value);
    if (isNumber)
      numbers.push_back(shared.operands.size());
    (isConstant(value) && !isNumber ? constants : shared.operands)
        .push_back(value);
  }

  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(getOperation().getBody());
  shared.function = func::FuncOp::create(
      b, op->getLoc(), nameOf(op),
      b.getFunctionType(ValueRange(shared.operands).getTypes(), {}));
  shared.function.setPrivate();
  symbols.insert(shared.function);
  Block *body = shared.function.addEntryBlock();
  b.setInsertionPointToEnd(body);
  IRMapping map;
  map.map(shared.operands, body->getArguments());
  for (unsigned number : numbers)
    shared.numbers.insert(body->getArgument(number));
  for (Value constant : constants)
    b.clone(*constant.getDefiningOp(), map);
  shared.op = b.clone(*op, map);
  func::ReturnOp::create(b, op->getLoc());
  return shared;
}

/// Gives ops that differ in nothing but where their operands lie in a buffer,
/// as the parts of a Concat do, operands of one type, whose offset is dynamic,
/// and, where buffers have items of different sizes, how far these are apart.
void forgetPlaces(ArrayRef<Operation *> ops) {
  llvm::MapVector<size_t, SmallVector<Operation *>> groups;
  for (Operation *op : ops)
    if (!isa<LoopLikeOpInterface>(op))
      groups[hashOf(op, /*withPlaces=*/false)].push_back(op);
  auto forget = [](ArrayRef<Operation *> group, unsigned i) {
    auto typeOf = [&](Operation *op) { return op->getOperand(i).getType(); };
    if (llvm::all_equal(llvm::map_range(group, typeOf)))
      return;
    bool isPlaceAlone = llvm::all_equal(llvm::map_range(
        group, [&](Operation *op) { return withOffset(typeOf(op), 0); }));
    for (Operation *op : group) {
      MemRefType loose = isPlaceAlone
                             ? withOffset(typeOf(op), ShapedType::kDynamic)
                             : withoutPlace(typeOf(op));
      int64_t own = loose ? StaticLayout::get(typeOf(op))->offset : 0;
      if (!loose || ShapedType::isDynamic(own))
        continue;
      OpBuilder b(op);
      Value offset = arith::ConstantIndexOp::create(b, op->getLoc(), own);
      op->setOperand(
          i, reinterpret(b, op->getLoc(), op->getOperand(i), loose, offset));
    }
  };
  for (auto &[hash, group] : groups) {
    unsigned count = group.front()->getNumOperands();
    if (llvm::all_of(group, [&](Operation *op) {
          return op->getNumOperands() == count;
        }))
      for (unsigned i = 0; i < count; ++i)
        forget(group, i);
  }
}

/// Has the function take a buffer that forgetPlaces gave a dynamic offset as
/// the pointer that it was before, and the offset beside it: a pointer says of
/// its memory what a descriptor does not (llvm.noalias).
void passOffset(SharedFunction &shared, unsigned index) {
  func::FuncOp function = shared.function;
  BlockArgument argument = function.getArgument(index);
  auto type = dyn_cast<MemRefType>(argument.getType());
  MemRefType base = withOffset(argument.getType(), 0);
  auto viewOf = [&](func::CallOp call) {
    auto view =
        call.getOperand(index).getDefiningOp<memref::ReinterpretCastOp>();
    return view && view.getOffsets().size() == 1 &&
                   isConstant(view.getOffsets().front())
               ? view
               : nullptr;
  };
  if (!base || !base.hasStaticShape() ||
      !ShapedType::isDynamic(StaticLayout::get(type)->offset) ||
      !llvm::all_of(shared.calls, viewOf))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  if (failed(function.insertArgument(index + 1, b.getIndexType(), {},
                                     function.getLoc())))
    return;
  argument.setType(base);
  function.setFunctionType(
      b.getFunctionType(function.front().getArgumentTypes(), {}));
  auto inside = reinterpret(b, function.getLoc(), argument, type,
                            OpFoldResult(function.getArgument(index + 1)));
  argument.replaceAllUsesExcept(inside, inside);
  shared.isAlone.insert(shared.isAlone.begin() + index + 1, false);
  for (func::CallOp call : shared.calls) {
    memref::ReinterpretCastOp view = viewOf(call);
    b.setInsertionPoint(call);
    call.setOperand(index, reinterpret(b, call.getLoc(), view.getSource(), base,
                                       b.getIndexAttr(0)));
    call.getOperandsMutable().slice(index + 1, 0).append(view.getOffsets());
  }
}

/// For each value whether no other one can reach its memory: it was allocated
/// for it, and where the others come from is known. The plan of memory gives
/// buffers that are in use at the same time different places.
SmallVector<bool> findAlone(ArrayRef<Value> values) {
  auto isKnown = [](Value root) {
    return root.getDefiningOp<memref::AllocOp>() ||
           root.getDefiningOp<memref::GetGlobalOp>() ||
           root.getDefiningOp<UnrealizedConversionCastOp>();
  };
  SmallVector<bool> isAlone;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value root = rootOf(value);
    bool alone = isa<MemRefType>(value.getType()) &&
                 root.getDefiningOp<memref::AllocOp>();
    for (auto [k, other] : llvm::enumerate(values)) {
      if (k == i || !isa<MemRefType>(other.getType()))
        continue;
      Value otherRoot = rootOf(other);
      alone &= otherRoot != root && isKnown(otherRoot);
    }
    isAlone.push_back(alone);
  }
  return isAlone;
}

/// Whether a pointer says all of a buffer.
bool isPointer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer)
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return buffer.hasStaticShape() &&
         succeeded(buffer.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         !llvm::is_contained(strides, ShapedType::kDynamic);
}

SmallVector<Operation *> findLoopOps(Operation *module, int64_t minSteps) {
  SmallVector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!becomesLoops(op, minSteps))
      return WalkResult::advance();
    ops.push_back(op);
    return WalkResult::skip();
  });
  return ops;
}

void ShareCode::runOnOperation() {
  SmallVector<Operation *> ops = findLoopOps(getOperation(), kMinSteps);
  if (SmallVector<Operation *> all = findLoopOps(getOperation(), 1);
      all.size() >= ops.size() + kManySmall)
    ops = std::move(all);
  forgetPlaces(ops);
  SymbolTable symbols(getOperation());
  llvm::MapVector<size_t, SmallVector<Operation *>> groups;
  for (Operation *op : ops)
    groups[hashOf(op)].push_back(op);
  DenseMap<Operation *, size_t> hashes;
  DenseMap<size_t, DenseSet<unsigned>> passed;
  for (auto &[hash, alike] : groups) {
    passed[hash] = findNumbers(alike);
    for (Operation *op : alike)
      hashes[op] = hash;
  }
  llvm::MapVector<size_t, SmallVector<SharedFunction>> functions;
  for (Operation *op : ops) {
    size_t hash = hashes.lookup(op);
    SmallVector<SharedFunction> &alike = functions[hash];
    SharedFunction *shared = nullptr;
    SmallVector<Value> operands;
    for (SharedFunction &candidate : alike) {
      Match match(candidate);
      if (!match.run(op))
        continue;
      shared = &candidate;
      operands = match.operands();
      break;
    }
    if (!shared) {
      alike.push_back(makeFunction(op, symbols, passed[hash]));
      shared = &alike.back();
      operands = shared->operands;
      shared->isAlone.assign(operands.size(), true);
    }
    for (auto [flag, isAlone] : llvm::zip(shared->isAlone, findAlone(operands)))
      flag &= isAlone;
    OpBuilder b(op);
    shared->calls.push_back(
        func::CallOp::create(b, op->getLoc(), shared->function, operands));
    op->erase();
  }

  Builder b(&getContext());
  for (auto &[hash, alike] : functions)
    for (SharedFunction &shared : alike) {
      func::FuncOp function = shared.function;
      for (unsigned i = function.getNumArguments(); i-- > 0;)
        passOffset(shared, i);
      // A call costs nothing beside the loops; inlined, they would be compiled
      // once for each.
      function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
      if (!llvm::all_of(function.getArgumentTypes(), isPointer))
        continue;
      function->setAttr("llvm.bareptr", b.getUnitAttr());
      for (auto [i, isAlone] : llvm::enumerate(shared.isAlone))
        if (isAlone)
          function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    }
}

} // namespace
