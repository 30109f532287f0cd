//===- BindAbi.cpp - The entry's C calling convention ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AbiBuilder.h"
#include "AppendRows.h"
#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Bufferize/Pipeline.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/Support/IndexMath.h"
#include "onnxc/runtime.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cstddef>

namespace onnxc {
#define GEN_PASS_DEF_BINDABIPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// A value of a program that was not lowered from a model. `type` is a tensor,
/// or a handle (i64), which has no dims.
ValueInfoAttr describeUnnamed(Builder b, Type type, const Twine &name) {
  DenseI64ArrayAttr dims;
  ArrayAttr symbols;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    dims = b.getDenseI64ArrayAttr(
        llvm::map_to_vector(tensor.getShape(), [](int64_t size) {
          return ShapedType::isDynamic(size) ? -1 : size;
        }));
    symbols = b.getStrArrayAttr(SmallVector<StringRef>(dims.size(), ""));
  }
  return ValueInfoAttr::get(b.getContext(), name.str(),
                            rt::getDefaultDtype(getElementTypeOrSelf(type)),
                            /*type=*/"", dims, symbols, ElementsAttr(),
                            /*default_offset=*/-1,
                            /*pulse=*/PulseAttr());
}

/// True for the scalar arithmetic that computes sizes: free to move up to its
/// operands.
bool isMovableScalar(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type t) { return t.isIntOrIndex(); });
}

/// The last check before `op` in its block.
Operation *findCheckBefore(Operation *op) {
  do
    op = op->getPrevNode();
  while (op && !isa<cf::AssertOp>(op));
  return op;
}

/// The same for many ops, none of which moves meanwhile: each op of the block
/// is passed once.
class ChecksBefore {
public:
  Operation *find(Operation *op) {
    SmallVector<Operation *> passed;
    Operation *check = nullptr;
    for (; op; op = op->getPrevNode()) {
      if (auto known = checks.find(op); known != checks.end()) {
        check = known->second;
        break;
      }
      passed.push_back(op);
      if (isa_and_nonnull<cf::AssertOp>(op->getPrevNode())) {
        check = op->getPrevNode();
        break;
      }
    }
    for (Operation *other : passed)
      checks[other] = check;
    return check;
  }

private:
  DenseMap<Operation *, Operation *> checks;
};

/// Whether the cast says a size that its operand does not: it holds only behind
/// the check before it, which what writes the operand does not wait for.
bool givesSizes(Operation *op) {
  auto cast = dyn_cast<tensor::CastOp>(op);
  return cast && isa<RankedTensorType>(cast.getType()) &&
         tensor::canFoldIntoProducerOp(cast);
}

/// The op in `block` from which on the memory of `value` is needed: where it
/// was made if all that writes does so in place, else where it is complete.
/// Null if that is the start of the block. An empty tensor that others start
/// from as well counts unless `isFirstWrite`: then it is what writes first.
Operation *findBirth(Value value, Block *block, bool isFirstWrite = false) {
  Operation *last = value.getDefiningOp(), *first = last;
  while (Operation *def = value.getDefiningOp()) {
    auto result = cast<OpResult>(value);
    if (givesSizes(def))
      return block->findAncestorOpInBlock(*def);
    if (isFirstWrite && isa<tensor::EmptyOp>(def))
      return block->findAncestorOpInBlock(*first);
    first = def;
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(def))
      value = writer.getTiedOpOperand(result)->get();
    else if (auto loop = dyn_cast<scf::ForOp>(def))
      value = loop.getTiedLoopInit(result)->get();
    else if (isa<tensor::CastOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp>(def))
      value = def->getOperand(0);
    else
      return block->findAncestorOpInBlock(isa<tensor::EmptyOp>(def) ? *def
                                                                    : *last);
  }
  return last ? block->findAncestorOpInBlock(*last) : nullptr;
}

/// Where ops of a block go that are moved up to their operands: each behind an
/// op that stays, and in the order in which they were added. Nothing moves
/// before all places are known, as the order of a block is numbered anew by the
/// first question that follows a move.
class UpwardMoves {
public:
  explicit UpwardMoves(Block *block) : block(block) {}

  /// Has `op`, whose operands were added before it if they move as well, go
  /// behind these and behind `atLeast`, if there is one.
  void add(Operation *op, Operation *atLeast) {
    Place last = findLast(op->getOperands());
    if (atLeast)
      last = std::max(last, Place{atLeast, 0}, isBefore);
    places[op] = {last.anchor, ++number};
    ops.push_back(op);
  }
  /// The op behind which all of `values` are there once the ops have moved, or
  /// null if they are at the start of the block.
  Operation *findLastOf(ValueRange values) { return findLast(values).moved; }
  void apply() {
    DenseMap<Operation *, Operation *> ends;
    for (Operation *op : ops) {
      Operation *anchor = places.lookup(op).anchor;
      Operation *&end = ends.try_emplace(anchor, anchor).first->second;
      if (end)
        op->moveAfter(end);
      else
        op->moveBefore(block, block->begin());
      end = op;
    }
  }

private:
  struct Place {
    /// What stays; null at the start of the block.
    Operation *anchor = nullptr;
    /// Which of those that move there; 0 is the anchor itself.
    size_t number = 0;
    Operation *moved = anchor;
  };

  static bool isBefore(const Place &a, const Place &b) {
    if (a.anchor == b.anchor)
      return a.number < b.number;
    return !a.anchor || (b.anchor && a.anchor->isBeforeInBlock(b.anchor));
  }
  Place findLast(ValueRange values) {
    Place last;
    for (Value value : values) {
      Operation *def = value.getDefiningOp();
      def = def ? block->findAncestorOpInBlock(*def) : nullptr;
      if (!def)
        continue;
      Place place = places.contains(def) ? places.lookup(def) : Place{def, 0};
      place.moved = def;
      last = std::max(last, place, isBefore);
    }
    return last;
  }

  Block *block;
  size_t number = 0;
  DenseMap<Operation *, Place> places;
  SmallVector<Operation *> ops;
};

/// Moves the computation of `sizes` (within `block`) up to its operands and
/// returns the last op that must precede their first use, or null if they are
/// known at the start of the block. What reads elements stays behind the checks
/// that make them be there.
Operation *hoistSizes(ArrayRef<Value> sizes, Block *block) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == block && isMovableScalar(op);
  };
  SetVector<Operation *> slice;
  for (Value size : sizes)
    if (Operation *def = size.getDefiningOp())
      (void)getBackwardSlice(def, &slice, options);

  UpwardMoves moves(block);
  ChecksBefore checks;
  // A slice is in topological order.
  for (Operation *op : slice) {
    if (!isMovableScalar(op) || op->getBlock() != block)
      continue;
    bool readsElements =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    moves.add(op, readsElements ? checks.find(op) : nullptr);
  }
  Operation *last = moves.findLastOf(sizes);
  moves.apply();
  return last;
}

/// A result that is only another shape of a value can be produced by that
/// value's producer, as the buffer is the same in memory: returns the value.
/// `sizes` are those of the result's open dimensions, and become the value's;
/// products of them are made at the insertion point.
Value skipReshapes(OpBuilder &b, Value value, SmallVectorImpl<Value> &sizes) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            def))
      break;
    auto type = dyn_cast<RankedTensorType>(def->getOperand(0).getType());
    if (!type)
      break;
    if (!type.hasStaticShape()) {
      // The sizes of what is collapsed do not follow from the result's.
      auto expand = dyn_cast<tensor::ExpandShapeOp>(def);
      if (!expand)
        break;
      IndexMath index{b, value.getLoc()};
      SmallVector<OpFoldResult> expanded =
          getMixedValues(expand.getResultType().getShape(), sizes, b);
      sizes.clear();
      for (auto [size, group] :
           llvm::zip_equal(type.getShape(), expand.getReassociationIndices())) {
        if (!ShapedType::isDynamic(size))
          continue;
        OpFoldResult product = index.constant(1);
        for (int64_t dim : group)
          product = index.mul(product, expanded[dim]);
        sizes.push_back(index.value(product));
      }
    } else {
      sizes.clear();
    }
    value = def->getOperand(0);
  }
  return value;
}

class BindAbi : public onnxc::impl::BindAbiPassBase<BindAbi> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    bufferization::BufferizationDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, ProgramDialect,
                    tensor::TensorDialect>();
    registerBufferizeInterfaces(registry);
  }

  void runOnOperation() override {
    auto entries = findEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    if (entries->empty())
      return;
    SignatureAttr signature = getSignature(entries->back());
    for (func::FuncOp entry : *entries)
      if (failed(bind(entry, signature)))
        return signalPassFailure();
  }

  SignatureAttr getSignature(func::FuncOp entry);
  LogicalResult bind(func::FuncOp entry, SignatureAttr signature);
  FailureOr<SmallVector<SmallVector<Value>>> computeSizes(func::ReturnOp ret);
  LogicalResult resolveSizes(ArrayRef<Operation *> dims);
  LogicalResult hoistChecks(Block &body);
};

/// Rewrites the sizes of results in terms of values that exist earlier.
LogicalResult BindAbi::resolveSizes(ArrayRef<Operation *> dims) {
  if (dims.empty())
    return success();
  RewritePatternSet patterns(&getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, &getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(dims, std::move(patterns), config);
}

/// The ops of a block that compute with the sizes and the numbers among its
/// arguments alone.
static DenseSet<Operation *> findSizesOfInputs(Block &body) {
  DenseSet<Operation *> found;
  for (Operation &op : body)
    if (isMovableScalar(&op) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          if (Operation *def = operand.getDefiningOp())
            return found.contains(def);
          return isa<tensor::DimOp>(op) || !isa<TensorType>(operand.getType());
        }))
      found.insert(&op);
  return found;
}

/// What a check says of sizes is believed before it, too: types tell it to the
/// ops that made the value, whose loops then run over memory that is too small.
/// So what can be checked of the inputs' sizes is checked before anything runs,
/// in the order of the nodes.
LogicalResult BindAbi::hoistChecks(Block &body) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == &body && isMovableScalar(op);
  };
  auto checks = llvm::to_vector(body.getOps<cf::AssertOp>());
  // One for all of them: what is in it is not followed again.
  SetVector<Operation *> checked;
  for (cf::AssertOp check : checks)
    if (Operation *def = check.getArg().getDefiningOp())
      (void)getBackwardSlice(def, &checked, options);
  SetVector<Operation *> dims;
  for (Operation *op : checked)
    if (isa<tensor::DimOp>(op))
      dims.insert(op);
  if (failed(resolveSizes(dims.getArrayRef())))
    return failure();

  DenseSet<Operation *> ofInputs = findSizesOfInputs(body), moved;
  options.filter = [&](Operation *op) {
    return ofInputs.contains(op) && !moved.contains(op);
  };
  Operation *last = nullptr;
  for (cf::AssertOp check : checks) {
    Operation *condition = check.getArg().getDefiningOp();
    if (!condition || !ofInputs.contains(condition))
      continue;
    // In topological order, without what other checks needed.
    SetVector<Operation *> slice;
    (void)getBackwardSlice(condition, &slice, options);
    for (Operation *op : slice) {
      moved.insert(op);
      if (last)
        op->moveAfter(last);
      else
        op->moveBefore(&body, body.begin());
      last = op;
    }
    check->moveAfter(last);
    last = check;
  }
  return success();
}

/// The module's signature, which onnxc-lower-to-linalg made; of another
/// program, one by the types of its entry.
SignatureAttr BindAbi::getSignature(func::FuncOp entry) {
  if (SignatureAttr signature = SignatureAttr::of(entry))
    return signature;
  Builder b(&getContext());
  SmallVector<Attribute> inputs, outputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    inputs.push_back(describeUnnamed(b, type, "input" + Twine(i)));
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    outputs.push_back(describeUnnamed(b, type, "output" + Twine(i)));
  auto signature = SignatureAttr::get(
      &getContext(), /*name=*/"", /*producer=*/"",
      /*opset=*/0, b.getArrayAttr(inputs), b.getArrayAttr(outputs),
      /*states=*/nullptr, /*state_capacity=*/0);
  getOperation()->setAttr(SignatureAttr::attrName, signature);
  return signature;
}

/// Fails unless the entry has the signature's outputs and states, and its
/// inputs: all or those without a default value.
static LogicalResult checkCounts(func::FuncOp entry, SignatureAttr signature) {
  size_t inputs = entry.getNumArguments(), outputs = entry.getNumResults();
  size_t states = signature.getNumStates();
  size_t all = signature.getInputs().size() + states;
  if ((inputs == all || inputs == signature.getNumRequired() + states) &&
      outputs == signature.getOutputs().size() + states)
    return success();
  return entry.emitError() << "has " << inputs << " arguments and " << outputs
                           << " results, but " << SignatureAttr::attrName
                           << " has " << signature.getInputs().size()
                           << " inputs, " << signature.getOutputs().size()
                           << " outputs and " << states << " states";
}

/// Fails unless the value can cross the C interface.
static LogicalResult checkBindable(func::FuncOp entry, StringRef what,
                                   Type type, StringRef name) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor ? tensor.getRank() <= ONNXC_MAX_RANK &&
                   (tensor.getElementType().isIntOrFloat() ||
                    isa<ComplexType>(tensor.getElementType()))
             : type.isInteger(64)) // a handle
    return success();
  InFlightDiagnostic error = entry.emitError() << what << " '" << name << "'";
  if (tensor && tensor.getRank() > ONNXC_MAX_RANK)
    return error << " has rank " << tensor.getRank() << ", expected at most "
                 << ONNXC_MAX_RANK;
  return error << " has type " << type
               << ", expected a handle (i64) or a tensor of numbers with a "
                  "rank of at most "
               << ONNXC_MAX_RANK;
}

/// The sizes of dynamic results, one list for each operand of `ret`, in terms
/// of values that exist early.
FailureOr<SmallVector<SmallVector<Value>>>
BindAbi::computeSizes(func::ReturnOp ret) {
  OpBuilder b(ret);
  Location loc = ret->getParentOp()->getLoc();
  SmallVector<SmallVector<Value>> sizes(ret.getNumOperands());
  SmallVector<Value> flat;
  for (auto [list, value] : llvm::zip_equal(sizes, ret.getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        list.push_back(tensor::DimOp::create(b, loc, value, d));
    llvm::append_range(flat, list);
  }
  if (flat.empty())
    return sizes;
  // A token keeps the sizes alive and lets them be replaced while patterns run.
  SmallVector<Operation *> sizeOps;
  for (Value size : flat)
    sizeOps.push_back(size.getDefiningOp());
  auto token =
      UnrealizedConversionCastOp::create(b, loc, b.getIndexType(), flat);
  if (failed(resolveSizes(sizeOps)))
    return failure();
  flat.assign(token.getOperands().begin(), token.getOperands().end());
  token.erase();
  ValueRange rest(flat);
  for (auto &list : sizes) {
    list.assign(rest.begin(), rest.begin() + list.size());
    rest = rest.drop_front(list.size());
  }
  return sizes;
}

/// So many reads of one tensor are compared with one another when it is decided
/// what is computed in place. Nothing is in the caller's memory: of an input
/// that more read, each reads a tensor of its own.
constexpr unsigned kManyReaders = 64;
/// The addresses of so many results are not kept from the start.
constexpr unsigned kManyResults = 64;

/// The state that argument `argument` of an entry is, if the code appends to
/// it.
static std::optional<size_t> findAppended(SignatureAttr signature,
                                          size_t argument) {
  size_t state = argument - signature.getNumRequired();
  if (argument < signature.getNumRequired() ||
      state >= signature.getNumStates() ||
      !signature.getState(state).getAppended())
    return std::nullopt;
  return state;
}

/// The first arguments of `body` become what the caller's tensors hold. Returns
/// them.
static SmallVector<Value> bindInputs(AbiBuilder &abi, Block &body,
                                     unsigned count, Value ctx, Value inputs,
                                     SignatureAttr signature) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  SmallVector<Value> bound;
  for (BlockArgument arg : body.getArguments().take_front(count)) {
    unsigned i = arg.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type) {
      Value address = abi.at(inputs, i * int64_t(sizeof(onnxc_tensor)));
      bound.push_back(LLVM::PtrToIntOp::create(b, loc, arg.getType(), address));
      arg.replaceAllUsesWith(bound.back());
      continue;
    }
    auto bufferType = MemRefType::get(type.getShape(), type.getElementType());
    std::optional<size_t> state = findAppended(signature, i);
    Value buffer = state ? abi.stateBuffer(ctx, inputs, i, *state,
                                           signature.getState(*state).getAxis(),
                                           bufferType)
                         : abi.inputBuffer(inputs, i, bufferType);
    auto makeTensor = [&] {
      return bufferization::ToTensorOp::create(
          b, loc, type, buffer, /*restrict=*/true, /*writable=*/false);
    };
    bound.push_back(makeTensor());
    if (state || !arg.hasNUsesOrMore(kManyReaders)) {
      arg.replaceAllUsesWith(bound.back());
      continue;
    }
    for (OpOperand &use : llvm::make_early_inc_range(arg.getUses()))
      use.set(makeTensor());
  }
  return bound;
}

namespace {
/// Where results go.
struct Destination {
  Value ctx, outputs;
  /// For the dims of one result.
  Value dimsSlot;
  /// No buffer can be asked for before this op.
  Operation *start;
  /// Whether buffers are asked for where results begin to be computed, instead
  /// of where their sizes are known: so a failure comes later, but there are
  /// very many.
  bool isLate;
};
} // namespace

/// The op behind which the memory of a result of these sizes is asked for:
/// `start`, or a later one.
static Operation *findRequest(func::ReturnOp ret, Value value,
                              ArrayRef<Value> sizes, Operation *start) {
  Block *body = ret->getBlock();
  Operation *after = hoistSizes(sizes, body);
  // A size that is wrong is reported by the node that finds it.
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
    if (Operation *birth = findBirth(value, body))
      if (Operation *check = findCheckBefore(birth);
          check && (!after || after->isBeforeInBlock(check)))
        after = check;
  return !after || after->isBeforeInBlock(start) ? start : after;
}

/// Has operand `i` of `ret` computed into the output's buffer, which is asked
/// for as soon as its size is known.
static void bindResult(AbiBuilder &abi, func::ReturnOp ret, unsigned i,
                       ArrayRef<Value> sizes, int32_t dtype, Destination &to) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  Value value = ret.getOperand(i);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    b.setInsertionPoint(ret);
    assertOk(b, loc,
             callRuntime(b, loc, abi.module, RuntimeFn::OutputValue,
                         {to.ctx, to.outputs, abi.i32(i), value}));
    return;
  }
  Block *body = ret->getBlock();
  Operation *after = findRequest(ret, value, sizes, to.start);
  b.setInsertionPointAfter(after);
  // Not before it is needed: very many addresses would be kept for long.
  if (to.isLate)
    if (Operation *write = findBirth(value, body, /*isFirstWrite=*/true);
        write && after->isBeforeInBlock(write))
      b.setInsertionPoint(write);
  SmallVector<Value> sourceSizes(sizes);
  Value source = skipReshapes(b, value, sourceSizes);
  auto sourceType = cast<RankedTensorType>(source.getType());
  Value buffer = abi.outputBuffer(
      to.ctx, to.outputs, to.dimsSlot, i, type, sizes,
      MemRefType::get(sourceType.getShape(), type.getElementType()),
      sourceSizes);
  // The next one follows in order.
  if (after == to.start && !to.isLate)
    to.start = buffer.getDefiningOp();
  b.setInsertionPoint(ret);
  auto copy = bufferization::MaterializeInDestinationOp::create(b, loc, Type(),
                                                                source, buffer);
  copy.setRestrict(true);
  copy.setWritable(true);
  // Their texts need a home.
  if (dtype == ONNXC_STRING)
    assertOk(b, loc,
             callRuntime(b, loc, abi.module, RuntimeFn::KeepTexts,
                         {to.ctx, to.outputs, abi.i32(i)}));
}

/// Binds all operands of `ret`; `arguments` are what those of the entry became.
static void bindResults(AbiBuilder &abi, func::ReturnOp ret,
                        ArrayRef<SmallVector<Value>> sizes,
                        ArrayRef<Value> arguments, SignatureAttr signature,
                        Destination &to) {
  size_t outputs = signature.getOutputs().size();
  for (unsigned i = 0; i < ret.getNumOperands(); ++i) {
    size_t argument = i - outputs + signature.getNumRequired();
    std::optional<size_t> state;
    if (i >= outputs)
      state = findAppended(signature, argument);
    if (state) {
      StateAttr info = signature.getState(*state);
      AppendedState appended{static_cast<size_t>(*state), info.getAxis(),
                             info.getRewritten(), arguments[argument]};
      Value value = ret.getOperand(i);
      SmallVector<Value> needed(sizes[i]);
      if (OpFoldResult first = findFirstWritten(abi.b, appended, value))
        if (auto computed = dyn_cast<Value>(first))
          needed.push_back(computed);
      Operation *after = findRequest(ret, value, needed, to.start);
      abi.b.setInsertionPointAfter(after);
      Value memory = appendRows(abi, ret, i, sizes[i], appended, to.ctx);
      if (after == to.start)
        to.start = memory.getDefiningOp();
    } else {
      bindResult(abi, ret, i, sizes[i], signature.getResultDtype(i), to);
    }
  }
}

LogicalResult BindAbi::bind(func::FuncOp entry, SignatureAttr signature) {
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("an entry function has one block and a body");
  if (failed(checkCounts(entry, signature)))
    return failure();
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (failed(checkBindable(entry, "input", type,
                             signature.getArgument(i).getName())))
      return failure();
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    if (failed(
            checkBindable(entry, "output", type, signature.getResultName(i))))
      return failure();

  ModuleOp module = getOperation();
  Location loc = entry.getLoc();
  Block &body = entry.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  OpBuilder b(&getContext());
  if (failed(hoistChecks(body)))
    return entry.emitError("the sizes that are checked did not settle");

  // While everything is still a tensor program.
  FailureOr<SmallVector<SmallVector<Value>>> sizes = computeSizes(ret);
  if (failed(sizes))
    return entry.emitError("the sizes of the results did not settle");

  // New signature. Inputs are built at the start of the body.
  unsigned numArgs = entry.getNumArguments();
  b.setInsertionPointToStart(&body);
  AbiBuilder abi{b, module, loc};
  SmallVector<Value> pointers;
  for (int i = 0; i < 3; ++i)
    pointers.push_back(body.addArgument(abi.ptr, loc));
  Value ctx = pointers[0], inputsPtr = pointers[1], outputsPtr = pointers[2];
  SmallVector<Value> bound =
      bindInputs(abi, body, numArgs, ctx, inputsPtr, signature);
  body.eraseArguments(0, numArgs);
  Operation *start = nullptr;
  if (b.getInsertionPoint() != body.begin())
    start = &*std::prev(b.getInsertionPoint());

  // One slot for the dims of a result; the runtime copies them.
  int64_t maxRank = 0;
  for (Type type : ret.getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      maxRank = std::max(maxRank, tensor.getRank());
  Value dimsSlot;
  if (ret.getNumOperands()) {
    dimsSlot = LLVM::AllocaOp::create(b, loc, abi.ptr, b.getI64Type(),
                                      abi.i64(std::max<int64_t>(maxRank, 1)));
    start = dimsSlot.getDefiningOp();
  }

  Destination to{ctx, outputsPtr, dimsSlot, start,
                 ret.getNumOperands() >= kManyResults};
  bindResults(abi, ret, *sizes, bound, signature, to);

  b.setInsertionPoint(ret);
  Value ok = abi.i32(0);
  func::ReturnOp::create(b, ret.getLoc(), ok);
  ret.erase();
  DictionaryAttr none = b.getDictionaryAttr({});
  entry.setAllArgAttrs(SmallVector<DictionaryAttr>(numArgs, none));
  entry.setAllResultAttrs(
      SmallVector<DictionaryAttr>(entry.getNumResults(), none));
  entry.setFunctionType(
      b.getFunctionType(SmallVector<Type>(3, abi.ptr), {b.getI32Type()}));
  entry.setPublic();
  return success();
}

} // namespace
