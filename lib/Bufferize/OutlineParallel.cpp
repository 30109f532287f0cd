//===- OutlineParallel.cpp - Parallel loops as tasks of the runtime -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two functions for each loop: the part, which has the loop's code and takes
// what it uses as arguments, so that LLVM knows as much about them as before;
// and the task, which has the signature that the runtime calls, and finds these
// arguments in a struct.
//
//===----------------------------------------------------------------------===//

#include "LoopCost.h"
#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Runtime/Entry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Whether a pointer says all of a value.
bool isPointer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return buffer && buffer.hasStaticShape() &&
         succeeded(buffer.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         !llvm::is_contained(strides, ShapedType::kDynamic);
}

/// How much of the stack the scratch of a function's short loops may take.
constexpr uint64_t maxStackBytes = 4096;

/// What costs nothing to do again in the part: constants and views.
bool isFree(Operation *op) {
  return op && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::ConstantLike>() ||
          isa<memref::ExtractStridedMetadataOp, memref::DimOp>(op) ||
          (isa<ViewLikeOpInterface>(op) && isPure(op)));
}

/// What a loop uses from outside: values that the part gets, and ops that it
/// repeats, in their order.
struct Captures {
  explicit Captures(scf::ForallOp loop) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    used.insert(loop->operand_begin(), loop->operand_end());
    for (Value value : used)
      take(value);
  }

  llvm::SetVector<Value> values;
  llvm::SetVector<Operation *> repeated;

private:
  void take(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isFree(op)) {
      values.insert(value);
      return;
    }
    for (Value operand : op->getOperands())
      take(operand);
    repeated.insert(op);
  }
};

/// How a value of the program lies in the struct.
struct Slots {
  OpBuilder &b;
  Location loc;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());

  Type descriptorOf(MemRefType type) {
    Type i64 = b.getI64Type();
    SmallVector<Type> fields{ptr, ptr, i64};
    if (type.getRank() > 0)
      fields.append(2, LLVM::LLVMArrayType::get(i64, type.getRank()));
    return LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  }
  Type typeOf(Type type) {
    if (type.isIndex())
      return b.getI64Type();
    if (isPointer(type))
      return ptr;
    if (auto buffer = dyn_cast<MemRefType>(type))
      return descriptorOf(buffer);
    return type;
  }
  Value toSlot(Value value) {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    auto buffer = dyn_cast<MemRefType>(value.getType());
    if (!buffer)
      return value;
    Value descriptor =
        UnrealizedConversionCastOp::create(b, loc, descriptorOf(buffer), value)
            .getResult(0);
    if (!isPointer(buffer))
      return descriptor;
    return LLVM::ExtractValueOp::create(b, loc, descriptor, 1);
  }
  Value fromSlot(Type type, Value stored) {
    if (type.isIndex())
      return arith::IndexCastOp::create(b, loc, type, stored);
    if (isPointer(type))
      return memrefFromPointer(b, loc, cast<MemRefType>(type), stored);
    if (isa<MemRefType>(type))
      return UnrealizedConversionCastOp::create(b, loc, type, stored)
          .getResult(0);
    return stored;
  }
  Value field(Type structType, Value base, int32_t index) {
    return LLVM::GEPOp::create(b, loc, ptr, structType, base,
                               ArrayRef<LLVM::GEPArg>{0, index});
  }
};

/// `count` is null if one thread runs the loop alone.
void sayWho(scf::ForallOp loop, OpFoldResult count, bool isShort) {
  InFlightDiagnostic remark = loop.emitRemark("threads: ");
  if (!count) {
    remark << (isShort ? "not parallel: too little work"
                       : "not parallel: not every caller has a context");
    return;
  }
  remark << "share ";
  if (std::optional<int64_t> number = getConstantIntValue(count))
    remark << *number << " pieces";
  else
    remark << "as many pieces as the sizes of the run give";
}

class OutlineParallel
    : public onnxc::impl::OutlineParallelPassBase<OutlineParallel> {
public:
  using OutlineParallelPassBase::OutlineParallelPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override;
  void outline(scf::ForallOp loop, Value context, OpFoldResult count,
               OpFoldResult cycles);
  func::FuncOp makePart(scf::ForallOp loop, const Captures &captures,
                        ArrayRef<memref::AllocOp> scratch, StringRef name);
  func::FuncOp makeTask(func::FuncOp part, LLVM::LLVMStructType data,
                        ArrayRef<memref::AllocOp> scratch, StringRef name);
  uint64_t getScratchBytes(MemRefType type);
  std::optional<SmallVector<Value>>
  takeStack(func::FuncOp function, ArrayRef<memref::AllocOp> scratch);
  void findCalls();
  Value contextOf(func::FuncOp function);

  SmallVector<func::FuncOp, 2> entries;
  /// The calls of a function; nothing if it cannot be reached by them alone, or
  /// is called from a parallel loop.
  DenseMap<StringAttr, std::optional<SmallVector<func::CallOp>>> calls;
  std::optional<SymbolTable> symbols;
  std::optional<DataLayout> layout;
  DenseMap<func::FuncOp, Value> contexts;
  uint64_t scratchBytes = 0;
  DenseMap<func::FuncOp, uint64_t> stackBytes;
};

/// One walk for all functions: a module with as many kernels as loops has too
/// many ops to be searched for each.
void OutlineParallel::findCalls() {
  calls.clear();
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
  if (!uses)
    return;
  for (SymbolTable::SymbolUse use : *uses) {
    auto [known, isNew] =
        calls.try_emplace(use.getSymbolRef().getRootReference(), std::in_place);
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call || call->getParentOfType<scf::ForallOp>())
      known->second.reset();
    else if (known->second)
      known->second->push_back(call);
  }
}

/// The context in a function; null if not all its callers have it. They pass it
/// from here on.
Value OutlineParallel::contextOf(func::FuncOp function) {
  auto [known, isNew] = contexts.try_emplace(function, Value());
  if (!isNew)
    return known->second;
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  if (llvm::is_contained(entries, function)) {
    if (function.getNumArguments() != 3 ||
        function.getArgument(0).getType() != ptr)
      return Value();
    return contexts[function] = function.getArgument(0);
  }
  auto callers = calls.find(function.getSymNameAttr());
  if (!function.isPrivate() || callers == calls.end() || !callers->second)
    return Value();
  SmallVector<std::pair<func::CallOp, Value>> passing;
  for (func::CallOp call : *callers->second) {
    Value passed = contextOf(call->getParentOfType<func::FuncOp>());
    if (!passed)
      return Value();
    passing.push_back({call, passed});
  }
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(index, ptr, {}, function.getLoc())))
    return Value();
  for (auto [call, passed] : passing)
    call.getOperandsMutable().append(passed);
  return contexts[function] = function.getArgument(index);
}

/// What each thread allocates for itself.
SmallVector<memref::AllocOp> findScratch(scf::ForallOp loop) {
  SmallVector<memref::AllocOp> allocs;
  loop.walk([&](memref::AllocOp alloc) {
    if (alloc.getType().hasStaticShape())
      allocs.push_back(alloc);
  });
  return allocs;
}

/// The memory that a buffer is a view of.
Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Maps the variables of a loop to what they are in iteration `number`: the
/// last one changes fastest. `map` has what the loop uses from outside.
void mapVariables(OpBuilder &b, scf::ForallOp loop, Value number,
                  IRMapping &map) {
  Location loc = loop.getLoc();
  IndexMath index{b, loc};
  auto inside = [&](OpFoldResult x) -> OpFoldResult {
    auto value = dyn_cast<Value>(x);
    return value ? OpFoldResult(map.lookupOrDefault(value)) : x;
  };
  Value rest = number;
  for (int64_t d = loop.getRank() - 1; d >= 0; --d) {
    OpFoldResult from = inside(loop.getMixedLowerBound()[d]),
                 to = inside(loop.getMixedUpperBound()[d]),
                 by = inside(loop.getMixedStep()[d]);
    OpFoldResult position = rest;
    if (d > 0) {
      Value size = index.value(index.ceilDiv(index.sub(to, from), by));
      position = arith::RemUIOp::create(b, loc, rest, size).getResult();
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    map.map(loop.getInductionVars()[d],
            index.value(index.add(from, index.mul(position, by))));
  }
}

/// Passes buffers as bare pointers, if all of them can be, and says which of
/// them no other argument overlaps: the scratch, which is behind the captures,
/// and what only one capture is a view of, an argument of the loop's function
/// that has no overlap there.
void passPointers(func::FuncOp part, scf::ForallOp loop,
                  const Captures &captures, unsigned numScratch) {
  if (!llvm::all_of(part.getArgumentTypes(), [](Type type) {
        return !isa<MemRefType>(type) || isPointer(type);
      }))
    return;
  auto unit = UnitAttr::get(part.getContext());
  part->setAttr("llvm.bareptr", unit);
  auto function = loop->getParentOfType<func::FuncOp>();
  DenseMap<Value, unsigned> uses;
  for (Value value : captures.values)
    ++uses[rootOf(value)];
  for (auto [i, value] : llvm::enumerate(captures.values)) {
    auto root = dyn_cast<BlockArgument>(rootOf(value));
    if (root && uses[root] == 1 && root.getOwner() == &function.front() &&
        function.getArgAttr(root.getArgNumber(), "llvm.noalias"))
      part.setArgAttr(i, "llvm.noalias", unit);
  }
  for (unsigned i = 0; i < numScratch; ++i)
    part.setArgAttr(captures.values.size() + i, "llvm.noalias", unit);
}

/// A function of what the loop uses, of its scratch, and of a range.
func::FuncOp OutlineParallel::makePart(scf::ForallOp loop,
                                       const Captures &captures,
                                       ArrayRef<memref::AllocOp> scratch,
                                       StringRef name) {
  Location loc = loop.getLoc();
  OpBuilder b(&getContext());
  SmallVector<Type> types(ValueRange(captures.values.getArrayRef()).getTypes());
  for (memref::AllocOp alloc : scratch)
    types.push_back(alloc.getType());
  unsigned numBuffers = types.size();
  types.append(2, b.getIndexType());
  b.setInsertionPointAfter(loop->getParentOfType<func::FuncOp>());
  auto part = func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  part.setPrivate();
  symbols->insert(part);
  part->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  Block *block = part.addEntryBlock();

  IRMapping map;
  map.map(captures.values.getArrayRef(),
          block->getArguments().take_front(captures.values.size()));
  for (auto [i, alloc] : llvm::enumerate(scratch))
    map.map(alloc->getResult(0),
            block->getArgument(captures.values.size() + i));
  b.setInsertionPointToEnd(block);
  for (Operation *op : captures.repeated)
    b.clone(*op, map);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto range = scf::ForOp::create(b, loc, block->getArgument(numBuffers),
                                  block->getArgument(numBuffers + 1), one);
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToStart(range.getBody());
  mapVariables(b, loop, range.getInductionVar(), map);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!llvm::is_contained(scratch, &op))
      b.clone(op, map);
  // Stack is taken once.
  part.walk([&](memref::AllocaOp slot) {
    if (slot.getType().hasStaticShape())
      slot->moveBefore(block, block->begin());
  });
  for (unsigned i = captures.values.size(); i < numBuffers; ++i)
    part.setArgAttr(i, program::scratch, b.getUnitAttr());
  passPointers(part, loop, captures, scratch.size());
  return part;
}

uint64_t OutlineParallel::getScratchBytes(MemRefType type) {
  return llvm::alignTo(
      // no overflow: the scratch memory of a kernel is a tile
      type.getNumElements() * layout->getTypeSize(type.getElementType()),
      ONNXC_RT_ALIGNMENT);
}

/// The scratch of a short loop, which only a task could find in the context: a
/// tile, on the stack. Nothing if it is more, or much is there already.
std::optional<SmallVector<Value>>
OutlineParallel::takeStack(func::FuncOp function,
                           ArrayRef<memref::AllocOp> scratch) {
  uint64_t bytes = 0;
  for (memref::AllocOp alloc : scratch)
    bytes += getScratchBytes(alloc.getType());
  uint64_t &taken = stackBytes[function];
  if (taken + bytes > maxStackBytes)
    return std::nullopt;
  taken += bytes;
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<Value> buffers;
  for (memref::AllocOp alloc : scratch) {
    Location loc = alloc.getLoc();
    Value size = LLVM::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(getScratchBytes(alloc.getType())));
    Value slot = LLVM::AllocaOp::create(b, loc, ptr, b.getI8Type(), size,
                                        ONNXC_RT_ALIGNMENT);
    buffers.push_back(memrefFromPointer(b, loc, alloc.getType(), slot));
  }
  return buffers;
}

/// What the runtime calls: (data, scratch, begin, end).
func::FuncOp OutlineParallel::makeTask(func::FuncOp part,
                                       LLVM::LLVMStructType data,
                                       ArrayRef<memref::AllocOp> scratch,
                                       StringRef name) {
  Location loc = part.getLoc();
  OpBuilder b(&getContext());
  b.setInsertionPointAfter(part);
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  auto type = b.getFunctionType({ptr, ptr, b.getI64Type(), b.getI64Type()}, {});
  auto task = func::FuncOp::create(b, loc, name, type);
  task.setPrivate();
  symbols->insert(task);
  Block *block = task.addEntryBlock();
  b.setInsertionPointToEnd(block);
  Slots slots{b, loc};
  SmallVector<Value> arguments;
  for (auto [i, slot] : llvm::enumerate(data.getBody())) {
    Value address = slots.field(data, block->getArgument(0), i);
    Value stored = LLVM::LoadOp::create(b, loc, slot, address);
    arguments.push_back(slots.fromSlot(part.getArgumentTypes()[i], stored));
  }
  uint64_t offset = 0;
  for (memref::AllocOp alloc : scratch) {
    MemRefType type = alloc.getType();
    // A constant index has 29 bits.
    LLVM::GEPArg distance =
        llvm::isInt<28>(offset)
            ? LLVM::GEPArg(static_cast<int32_t>(offset))
            : LLVM::GEPArg(LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                                    b.getI64IntegerAttr(offset))
                               .getResult());
    Value address = LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(),
                                        block->getArgument(1), distance);
    arguments.push_back(memrefFromPointer(b, loc, type, address));
    offset += getScratchBytes(type);
  }
  scratchBytes = std::max(scratchBytes, offset);
  for (BlockArgument bound : block->getArguments().take_back(2))
    arguments.push_back(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), bound));
  func::CallOp::create(b, loc, part, arguments);
  func::ReturnOp::create(b, loc);
  return task;
}

/// Whether the runtime would run the loop as it is. Where sizes are open most
/// loops turn out so, and to ask the runtime takes as long as 100 elements.
Value isShortLoop(OpBuilder &b, Location loc, Value count, OpFoldResult cycles,
                  Value each) {
  auto bound = [&](int64_t least) -> Value {
    Value number = arith::ConstantIntOp::create(b, loc, b.getI64Type(), least);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count,
                                 number);
  };
  // One iteration is not shared.
  constexpr int64_t leastCount = 2;
  if (std::optional<int64_t> known = getConstantIntValue(cycles))
    return bound(std::max<int64_t>(
        leastCount, llvm::divideCeil(ONNXC_RT_LEAST_LOOP_COST,
                                     std::max<int64_t>(*known, 1))));
  // As the runtime multiplies: nothing overflows.
  Type f64 = b.getF64Type();
  Value number = arith::SIToFPOp::create(b, loc, f64, count);
  Value ofOne = arith::SIToFPOp::create(b, loc, f64, each);
  Value cost = arith::MulFOp::create(b, loc, number, ofOne);
  Value least = arith::ConstantOp::create(
      b, loc, b.getF64FloatAttr(ONNXC_RT_LEAST_LOOP_COST));
  Value isCheap =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, cost, least);
  return arith::OrIOp::create(b, loc, isCheap, bound(leastCount));
}

void OutlineParallel::outline(scf::ForallOp loop, Value context,
                              OpFoldResult count, OpFoldResult cycles) {
  Location loc = loop.getLoc();
  auto function = loop->getParentOfType<func::FuncOp>();
  Captures captures(loop);
  SmallVector<memref::AllocOp> scratch = findScratch(loop);
  for (memref::AllocOp alloc : scratch)
    alloc->moveBefore(loop.getBody(), loop.getBody()->begin());
  std::string name = function.getSymName().str();
  func::FuncOp part = makePart(loop, captures, scratch, name + "_part");

  OpBuilder b(loop);
  Slots slots{b, loc};
  SmallVector<Type> types = llvm::map_to_vector(
      captures.values, [&](Value v) { return slots.typeOf(v.getType()); });
  auto data = LLVM::LLVMStructType::getLiteral(&getContext(), types);
  func::FuncOp task = makeTask(part, data, scratch, name + "_task");

  IndexMath index{b, loc};
  auto asInteger = [&](OpFoldResult x) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index.value(x));
  };
  Value number = asInteger(count), each = asInteger(cycles);
  Value base;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    base = LLVM::AllocaOp::create(b, loc, slots.ptr, data, one);
  }
  // What is known was short or not.
  bool isOpen = !getConstantIntValue(count) || !getConstantIntValue(cycles);
  std::optional<SmallVector<Value>> own;
  if (isOpen)
    own = takeStack(function, scratch);
  if (own) {
    Value isShort = isShortLoop(b, loc, number, cycles, each);
    auto choice = scf::IfOp::create(b, loc, isShort, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    SmallVector<Value> arguments(captures.values.getArrayRef());
    llvm::append_range(arguments, *own);
    arguments.push_back(index.value(index.constant(0)));
    arguments.push_back(index.value(count));
    func::CallOp::create(b, loc, part, arguments);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  for (auto [i, value] : llvm::enumerate(captures.values)) {
    Value stored = slots.toSlot(value);
    LLVM::StoreOp::create(b, loc, stored, slots.field(data, base, i));
  }
  Value address = func::ConstantOp::create(b, loc, task.getFunctionType(),
                                           task.getSymName());
  address = UnrealizedConversionCastOp::create(b, loc, slots.ptr, address)
                .getResult(0);
  callRuntime(b, loc, getOperation(), RuntimeFn::ParallelFor,
              {context, number, each, address, base});
  loop.erase();
}

void OutlineParallel::runOnOperation() {
  auto found = findEntries(getOperation());
  if (failed(found))
    return signalPassFailure();
  entries = *found;
  symbols.emplace(getOperation());
  layout.emplace(getOperation());
  contexts.clear();
  stackBytes.clear();
  findCalls();
  scratchBytes = 0;

  SmallVector<scf::ForallOp> loops;
  getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(&getContext());
  for (scf::ForallOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    IndexMath build{rewriter, loop.getLoc()};
    bool isInner = loop->getParentOfType<scf::ForallOp>() != nullptr;
    OpFoldResult count = build.constant(1), cycles;
    if (!isInner) {
      for (auto [from, to, by] :
           llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                           loop.getMixedStep()))
        count = build.mul(count, build.ceilDiv(build.sub(to, from), by));
      cycles = estimateCycles(build, loop);
      std::optional<int64_t> total =
          getConstantIntValue(build.mul(count, cycles));
      bool isShort = getConstantIntValue(count) == 1 ||
                     (total && *total < ONNXC_RT_LEAST_LOOP_COST);
      auto function = loop->getParentOfType<func::FuncOp>();
      // Scratch comes with a task only.
      bool isTask = !entries.empty() && function &&
                    (!isShort || !findScratch(loop).empty());
      Value context = isTask ? contextOf(function) : Value();
      if (remarks)
        sayWho(loop, context ? count : OpFoldResult(), isShort);
      if (context) {
        outline(loop, context, count, cycles);
        continue;
      }
    }
    if (failed(scf::forallToForLoop(rewriter, loop))) {
      loop.emitError("a parallel loop has results or shared outputs, which are "
                     "not supported on buffers");
      return signalPassFailure();
    }
  }
  if (scratchBytes)
    getOperation()->setAttr(
        program::scratch,
        rewriter.getI64IntegerAttr(static_cast<int64_t>(scratchBytes)));
}

} // namespace
