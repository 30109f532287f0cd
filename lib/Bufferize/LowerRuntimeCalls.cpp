//===- LowerRuntimeCalls.cpp - rt.call as a call in C's convention --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "onnxc/Bufferize/Passes.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"
#include "onnxc/runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cstddef>

namespace onnxc {
#define GEN_PASS_DEF_LOWERRUNTIMECALLSPASS
#include "onnxc/Bufferize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

constexpr int64_t kTensorBytes = sizeof(onnxc_tensor);
constexpr int64_t kScalarBytes = 8;

/// Bytes of stack that a call's descriptors and made scalars take.
int64_t slotBytes(rt::CallOp call) {
  int64_t bytes = 0;
  for (Type type : call->getOperandTypes())
    bytes += isa<MemRefType>(type) ? kTensorBytes : 0;
  for (Type type : call->getResultTypes())
    bytes += isa<MemRefType>(type) ? kTensorBytes : kScalarBytes;
  return bytes;
}

class LowerRuntimeCalls
    : public onnxc::impl::LowerRuntimeCallsPassBase<LowerRuntimeCalls> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;
  LogicalResult lowerCalls(func::FuncOp entry);
  LogicalResult lower(rt::CallOp call, Value ctx, Value slots);
  FailureOr<LLVM::LLVMFuncOp> declare(rt::CallOp call, TypeRange arguments);
  Value textAddress(OpBuilder &b, Location loc, StringRef text);

  llvm::StringMap<LLVM::GlobalOp> texts;
};

/// The parts of one lowered call.
class CallBuilder {
public:
  CallBuilder(OpBuilder &b, Location loc, Value slots)
      : b(b), loc(loc), slots(slots) {}

  Value i32(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value i64(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value at(Value base, int64_t bytes) {
    if (!bytes)
      return base;
    return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                               LLVM::GEPArg(static_cast<int32_t>(bytes)));
  }
  Value dimAddress(Value desc, int64_t i) {
    return at(desc, offsetof(onnxc_tensor, dims) + i * sizeof(int64_t));
  }
  Value take(int64_t bytes) {
    Value slot = at(slots, next);
    next += bytes;
    return slot;
  }

  /// A descriptor without data, whose unknown sizes are -1.
  Value describe(MemRefType type, int32_t dtype) {
    Value desc = take(kTensorBytes);
    Value element = i32(dtype);
    store(element, at(desc, offsetof(onnxc_tensor, dtype)));
    Value rank = i32(type.getRank());
    store(rank, at(desc, offsetof(onnxc_tensor, rank)));
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      Value known = i64(ShapedType::isDynamic(size) ? -1 : size);
      store(known, dimAddress(desc, i));
    }
    return desc;
  }

  Value describe(Value buffer, int32_t dtype) {
    auto type = cast<MemRefType>(buffer.getType());
    Value desc = describe(type, dtype);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
    address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
    Value pointer = LLVM::IntToPtrOp::create(b, loc, slots.getType(), address);
    store(pointer, at(desc, offsetof(onnxc_tensor, data)));
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i)) {
        Value size = memref::DimOp::create(b, loc, buffer, i);
        Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
        store(number, dimAddress(desc, i));
      }
    return desc;
  }

  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(b, loc, type, address);
  }
  void store(Value value, Value address) {
    LLVM::StoreOp::create(b, loc, value, address);
  }

private:
  OpBuilder &b;
  Location loc;
  Value slots;
  int64_t next = 0;
};

Value LowerRuntimeCalls::textAddress(OpBuilder &b, Location loc,
                                     StringRef text) {
  LLVM::GlobalOp &global = texts[text];
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(getOperation().getBody());
    std::string zeroEnded = text.str() + '\0';
    global = LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), zeroEnded.size()),
        /*isConstant=*/true, LLVM::Linkage::Private,
        ("onnxc_text_" + Twine(texts.size())).str(),
        b.getStringAttr(zeroEnded));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// The runtime's function that the call calls: all calls of one have the same
/// types.
FailureOr<LLVM::LLVMFuncOp> LowerRuntimeCalls::declare(rt::CallOp call,
                                                       TypeRange arguments) {
  OpBuilder b(&getContext());
  auto type =
      LLVM::LLVMFunctionType::get(b.getI32Type(), SmallVector<Type>(arguments));
  std::string name = ("onnxc_rt_" + call.getCallee()).str();
  auto callee = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    b.setInsertionPointToStart(getOperation().getBody());
    callee = LLVM::LLVMFuncOp::create(b, getOperation().getLoc(), name, type);
  }
  if (callee.getFunctionType() != type) {
    call.emitOpError("calls 'onnxc_rt_")
        << call.getCallee() << "' with other types than an earlier call";
    return failure();
  }
  return callee;
}

/// The buffer that a call described in `slot`, a descriptor of `type`. Code
/// behind this trusts the sizes that the type declares: they are checked.
static Value readBuffer(CallBuilder &build, OpBuilder &b, Location loc,
                        StringRef node, MemRefType type, Value slot) {
  SmallVector<Value> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    Value dim = build.load(b.getI64Type(), build.dimAddress(slot, i));
    if (ShapedType::isDynamic(size)) {
      sizes.push_back(
          arith::IndexCastOp::create(b, loc, b.getIndexType(), dim));
      continue;
    }
    Value same = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, dim,
                                      build.i64(size));
    cf::AssertOp::create(b, loc, same,
                         (Twine(node) + "dimension " + Twine(i) +
                          " of a result must be " + Twine(size) +
                          ", as the model declares")
                             .str());
  }
  Value data =
      build.load(slot.getType(), build.at(slot, offsetof(onnxc_tensor, data)));
  return memrefFromPointer(b, loc, type, data, sizes);
}

/// The number that a call stored in `slot`.
static Value readScalar(CallBuilder &build, OpBuilder &b, Location loc,
                        Type type, Value slot) {
  Value value = build.load(type.isIndex() ? b.getI64Type() : type, slot);
  if (!type.isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, type, value);
}

LogicalResult LowerRuntimeCalls::lower(rt::CallOp call, Value ctx,
                                       Value slots) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  CallBuilder build(b, loc, slots);
  StringRef node = call.getNode() ? *call.getNode() : StringRef();

  SmallVector<Value> args{ctx, textAddress(b, loc, node)};
  unsigned index = 0;
  for (Value operand : call->getOperands()) {
    int32_t dtype = call.getDtype(index++, operand.getType());
    if (isa<MemRefType>(operand.getType()))
      args.push_back(build.describe(operand, dtype));
    else if (operand.getType().isIndex())
      args.push_back(
          arith::IndexCastOp::create(b, loc, b.getI64Type(), operand));
    else
      args.push_back(operand);
  }
  SmallVector<Value> slotsOfResults;
  for (Type type : call->getResultTypes()) {
    int32_t dtype = call.getDtype(index++, type);
    auto buffer = dyn_cast<MemRefType>(type);
    slotsOfResults.push_back(buffer ? build.describe(buffer, dtype)
                                    : build.take(kScalarBytes));
  }
  llvm::append_range(args, slotsOfResults);

  FailureOr<LLVM::LLVMFuncOp> callee =
      declare(call, ValueRange(args).getTypes());
  if (failed(callee))
    return failure();
  Value status = LLVM::CallOp::create(b, loc, *callee, args).getResult();
  assertOk(b, loc, status);

  SmallVector<Value> results;
  for (auto [type, slot] :
       llvm::zip_equal(call->getResultTypes(), slotsOfResults)) {
    auto buffer = dyn_cast<MemRefType>(type);
    results.push_back(buffer ? readBuffer(build, b, loc, node, buffer, slot)
                             : readScalar(build, b, loc, type, slot));
  }
  call.replaceAllUsesWith(results);
  call.erase();
  return success();
}

void LowerRuntimeCalls::runOnOperation() {
  texts.clear();
  auto entries = findEntries(getOperation());
  if (failed(entries))
    return signalPassFailure();
  for (func::FuncOp entry : *entries)
    if (failed(lowerCalls(entry)))
      return signalPassFailure();
}

LogicalResult LowerRuntimeCalls::lowerCalls(func::FuncOp entry) {
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<rt::CallOp> calls;
  int64_t bytes = 0;
  entry.walk([&](rt::CallOp call) {
    calls.push_back(call);
    bytes = std::max(bytes, slotBytes(call));
  });
  entry.walk([&](rt::TextOp text) {
    OpBuilder b(text);
    Value address = textAddress(b, text.getLoc(), text.getText());
    text.replaceAllUsesWith(
        LLVM::PtrToIntOp::create(b, text.getLoc(), b.getI64Type(), address)
            .getResult());
    text.erase();
  });
  if (calls.empty())
    return success();
  if (entry.getNumArguments() != 3 || entry.getArgument(0).getType() != ptr)
    return entry.emitError("runtime calls are lowered after 'onnxc-bind-abi', "
                           "which gives the entry its context");
  // One call at a time uses the slots.
  OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
  Value count = LLVM::ConstantOp::create(
      b, entry.getLoc(), b.getI64IntegerAttr(std::max<int64_t>(bytes, 8) / 8));
  Value slots =
      LLVM::AllocaOp::create(b, entry.getLoc(), ptr, b.getI64Type(), count);
  for (rt::CallOp call : calls)
    if (failed(lower(call, entry.getArgument(0), slots)))
      return failure();
  return success();
}

} // namespace
