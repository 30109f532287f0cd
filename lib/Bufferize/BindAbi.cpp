//===- BindAbi.cpp - The entry's C calling convention ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AbiBuilder.h"
#include "AppendRows.h"
#include "HoistSizes.h"
#include "OverwriteRows.h"
#include "ResultPlaces.h"
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
  LogicalResult computeSizes(MutableArrayRef<ResultPlace> places);
  LogicalResult computeSizes(Operation *terminator,
                             ArrayRef<ResultPlace *> places);
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

/// The sizes of results that end in `terminator`, in terms of values that exist
/// early.
LogicalResult BindAbi::computeSizes(Operation *terminator,
                                    ArrayRef<ResultPlace *> places) {
  OpBuilder b(terminator);
  Location loc = terminator->getParentOp()->getLoc();
  SmallVector<Value> flat;
  for (ResultPlace *place : places) {
    auto type = dyn_cast<RankedTensorType>(place->get().getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        place->sizes.push_back(tensor::DimOp::create(b, loc, place->get(), d));
    llvm::append_range(flat, place->sizes);
  }
  if (flat.empty())
    return success();
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
  for (ResultPlace *place : places) {
    place->sizes.assign(rest.begin(), rest.begin() + place->sizes.size());
    rest = rest.drop_front(place->sizes.size());
  }
  return success();
}

/// The same for all places.
LogicalResult BindAbi::computeSizes(MutableArrayRef<ResultPlace> places) {
  llvm::MapVector<Operation *, SmallVector<ResultPlace *>> ofTerminators;
  for (ResultPlace &place : places)
    ofTerminators[place.terminator].push_back(&place);
  for (auto &[terminator, ofOne] : ofTerminators)
    if (failed(computeSizes(terminator, ofOne)))
      return failure();
  return success();
}

/// So many reads of one tensor are compared with one another when it is decided
/// what is computed in place. Nothing is in the caller's memory: of an input
/// that more read, each reads a tensor of its own.
constexpr unsigned kManyReaders = 64;
/// The addresses of so many results are not kept from the start.
constexpr unsigned kManyResults = 64;

/// The state that argument `argument` of an entry is.
static std::optional<size_t> findState(SignatureAttr signature,
                                       size_t argument) {
  size_t state = argument - signature.getNumRequired();
  if (argument < signature.getNumRequired() ||
      state >= signature.getNumStates())
    return std::nullopt;
  return state;
}

/// The same, if the code appends to it.
static std::optional<size_t> findAppended(SignatureAttr signature,
                                          size_t argument) {
  std::optional<size_t> state = findState(signature, argument);
  return state && signature.getState(*state).isAppendedTo() ? state
                                                            : std::nullopt;
}

/// The first arguments of `body` become what the caller's tensors hold, of
/// which those `overwritten` may be written. Returns them.
static SmallVector<Value> bindInputs(AbiBuilder &abi, Block &body,
                                     unsigned count, Value ctx, Value inputs,
                                     SignatureAttr signature,
                                     const llvm::BitVector &overwritten) {
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
          b, loc, type, buffer, /*restrict=*/true, /*writable=*/overwritten[i]);
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
  /// No buffer can be asked for before this op of the block; null: before none
  /// of a branch.
  DenseMap<Block *, Operation *> starts;
  /// Whether buffers are asked for where results begin to be computed, instead
  /// of where their sizes are known: so a failure comes later, but there are
  /// very many.
  bool isLate;
};
} // namespace

/// The op behind which the memory of a result is asked for, once `sizes` are
/// known: `start`, or a later one. Null is the start of the block.
static Operation *findRequest(const ResultPlace &place, ArrayRef<Value> sizes,
                              Operation *start) {
  Block *body = place.terminator->getBlock();
  Value value = place.get();
  Operation *after = hoistSizes(sizes, body);
  // A size that is wrong is reported by the node that finds it.
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
    if (Operation *birth = findBirth(value, body))
      if (Operation *check = findCheckBefore(birth);
          check && (!after || after->isBeforeInBlock(check)))
        after = check;
  return !after || (start && after->isBeforeInBlock(start)) ? start : after;
}

static void setInsertionPointBehind(OpBuilder &b, Operation *op, Block *block) {
  if (op)
    b.setInsertionPointAfter(op);
  else
    b.setInsertionPointToStart(block);
}

/// Has a result computed into the output's buffer, which is asked for as soon
/// as its size is known.
static void bindResult(AbiBuilder &abi, const ResultPlace &place, int32_t dtype,
                       Destination &to) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  Value value = place.get();
  unsigned i = place.result;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    b.setInsertionPoint(place.terminator);
    assertOk(b, loc,
             callRuntime(b, loc, abi.module, RuntimeFn::OutputValue,
                         {to.ctx, to.outputs, abi.i32(i), value}));
    return;
  }
  Block *body = place.terminator->getBlock();
  Operation *start = to.starts.lookup(body);
  Operation *after = findRequest(place, place.sizes, start);
  setInsertionPointBehind(b, after, body);
  // Not before it is needed: very many addresses would be kept for long.
  if (to.isLate)
    if (Operation *write = findBirth(value, body, /*isFirstWrite=*/true);
        write && (!after || after->isBeforeInBlock(write)))
      b.setInsertionPoint(write);
  SmallVector<Value> sourceSizes(place.sizes);
  Value source = skipReshapes(b, value, sourceSizes);
  auto sourceType = cast<RankedTensorType>(source.getType());
  Value buffer = abi.outputBuffer(
      to.ctx, to.outputs, to.dimsSlot, i, type, place.sizes,
      MemRefType::get(sourceType.getShape(), type.getElementType()),
      sourceSizes);
  // The next one follows in order.
  if (after == start && !to.isLate)
    to.starts[body] = buffer.getDefiningOp();
  b.setInsertionPoint(place.terminator);
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

/// The argument of the entry that result `result` is the next value of; none
/// if it is not a state.
static std::optional<size_t> findStateArgument(SignatureAttr signature,
                                               unsigned result) {
  size_t outputs = signature.getOutputs().size();
  if (result < outputs)
    return std::nullopt;
  return result - outputs + signature.getNumRequired();
}

/// Lists where the operands of `ret` are made.
static ResultPlaces listPlaces(func::ReturnOp ret, func::FuncOp entry,
                               SignatureAttr signature) {
  ResultPlaces places(ret);
  for (unsigned i = 0; i < ret.getNumOperands(); ++i)
    if (std::optional<size_t> state = findStateArgument(signature, i))
      places.addState(i, entry.getArgument(*state));
    else
      places.add(i);
  return places;
}

/// The arguments of the entry that are states whose next values are computed
/// where they lie.
static llvm::BitVector findOverwritten(ArrayRef<ResultPlace> places,
                                       func::FuncOp entry,
                                       SignatureAttr signature) {
  llvm::BitVector overwritten(entry.getNumArguments());
  for (const ResultPlace &place : places) {
    std::optional<size_t> argument = findStateArgument(signature, place.result);
    std::optional<size_t> state =
        argument ? findState(signature, *argument) : std::nullopt;
    if (!state ||
        signature.getState(*state).getUpdate() != StateUpdate::Overwritten)
      continue;
    if (place.terminator == entry.front().getTerminator() &&
        isOverwritten(place, entry.getArgument(*argument)))
      overwritten.set(*argument);
    else
      emitRemark(place.get().getLoc())
          << "state '" << signature.getState(*state).getValue().getName()
          << "': each run writes all of it: it is not made of slices that are "
             "put into the value before";
  }
  return overwritten;
}

/// Binds all results; `arguments` are what those of the entry became.
static void bindResults(AbiBuilder &abi, ArrayRef<ResultPlace> places,
                        ArrayRef<Value> arguments, SignatureAttr signature,
                        const llvm::BitVector &overwritten, Destination &to) {
  for (const ResultPlace &place : places) {
    std::optional<size_t> argument = findStateArgument(signature, place.result);
    std::optional<size_t> state =
        argument ? findAppended(signature, *argument) : std::nullopt;
    if (argument && overwritten[*argument]) {
      overwriteRows(
          abi, place, *findState(signature, *argument),
          arguments[*argument].getDefiningOp<bufferization::ToTensorOp>(),
          to.ctx);
      continue;
    }
    if (!state) {
      bindResult(abi, place, signature.getResultDtype(place.result), to);
      continue;
    }
    StateAttr info = signature.getState(*state);
    AppendedState appended{*state, info.getAxis(),
                           info.getUpdate() == StateUpdate::Rewritten,
                           arguments[*argument]};
    Block *body = place.terminator->getBlock();
    Operation *start = to.starts.lookup(body);
    SmallVector<Value> needed(place.sizes);
    abi.b.setInsertionPoint(place.terminator);
    if (OpFoldResult first = findFirstWritten(abi.b, appended, place))
      if (auto computed = dyn_cast<Value>(first))
        needed.push_back(computed);
    Operation *after = findRequest(place, needed, start);
    setInsertionPointBehind(abi.b, after, body);
    Value memory = appendRows(abi, place, appended, to.ctx);
    if (after == start)
      to.starts[body] = memory.getDefiningOp();
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
  ResultPlaces places = listPlaces(ret, entry, signature);
  if (failed(computeSizes(places.get())))
    return entry.emitError("the sizes of the results did not settle");

  // New signature. Inputs are built at the start of the body.
  llvm::BitVector overwritten = findOverwritten(places.get(), entry, signature);
  unsigned numArgs = entry.getNumArguments();
  b.setInsertionPointToStart(&body);
  AbiBuilder abi{b, module, loc};
  SmallVector<Value> pointers;
  for (int i = 0; i < 3; ++i)
    pointers.push_back(body.addArgument(abi.ptr, loc));
  Value ctx = pointers[0], inputsPtr = pointers[1], outputsPtr = pointers[2];
  SmallVector<Value> bound =
      bindInputs(abi, body, numArgs, ctx, inputsPtr, signature, overwritten);
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

  Destination to{ctx,
                 outputsPtr,
                 dimsSlot,
                 {{&body, start}},
                 ret.getNumOperands() >= kManyResults};
  bindResults(abi, places.get(), bound, signature, overwritten, to);

  b.setInsertionPoint(ret);
  Value ok = abi.i32(0);
  func::ReturnOp::create(b, ret.getLoc(), ok);
  ret.erase();
  places.dropBranchResults();
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
