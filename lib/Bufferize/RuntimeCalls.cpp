//===- RuntimeCalls.cpp - Calls from generated code -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace onnxc;

static std::pair<StringRef, LLVM::LLVMFunctionType> describe(MLIRContext *ctx,
                                                             RuntimeFn fn) {
  Type ptr = LLVM::LLVMPointerType::get(ctx);
  Type i32 = IntegerType::get(ctx, 32), i64 = IntegerType::get(ctx, 64);
  Type none = LLVM::LLVMVoidType::get(ctx);
  auto type = [](Type result, ArrayRef<Type> args) {
    return LLVM::LLVMFunctionType::get(result, args);
  };
  switch (fn) {
  case RuntimeFn::Output:
    return {"onnxc_rt_output", type(ptr, {ptr, ptr, i32, i32, ptr})};
  case RuntimeFn::OutputValue:
    return {"onnxc_rt_output_value", type(i32, {ptr, ptr, i32, i64})};
  case RuntimeFn::KeepTexts:
    return {"onnxc_rt_keep_texts", type(i32, {ptr, ptr, i32})};
  case RuntimeFn::StateAppend:
    return {"onnxc_rt_state_append", type(ptr, {ptr, i32, i64, i64})};
  case RuntimeFn::StateCapacity:
    return {"onnxc_rt_state_capacity", type(i64, {ptr, i32})};
  case RuntimeFn::StateOverwrite:
    return {"onnxc_rt_state_overwrite",
            type(i32, {ptr, i32, i32, i64, i64, i64, i64})};
  case RuntimeFn::Workspace:
    return {"onnxc_rt_workspace", type(ptr, {ptr})};
  case RuntimeFn::Alloc:
    return {"onnxc_rt_alloc", type(ptr, {ptr, i64})};
  case RuntimeFn::Free:
    return {"onnxc_rt_free", type(none, {ptr, ptr})};
  case RuntimeFn::Fail:
    return {"onnxc_rt_fail", type(i32, {ptr, ptr})};
  case RuntimeFn::FailComparison:
    return {"onnxc_rt_fail_comparison", type(i32, {ptr, ptr, i32, i64, i64})};
  case RuntimeFn::Status:
    return {"onnxc_rt_status", type(i32, {ptr})};
  case RuntimeFn::ParallelFor:
    return {"onnxc_rt_parallel_for", type(none, {ptr, i64, i64, ptr, ptr})};
  case RuntimeFn::ProfileStart:
    return {"onnxc_rt_profile_start", type(none, {ptr})};
  case RuntimeFn::ProfileBegin:
    return {"onnxc_rt_profile_begin", type(none, {ptr, i64})};
  case RuntimeFn::ProfileEnd:
    return {"onnxc_rt_profile_end", type(none, {ptr, i64, i64})};
  }
  return {};
}

StringRef onnxc::getSymbolName(MLIRContext *context, RuntimeFn fn) {
  return describe(context, fn).first;
}

Value onnxc::callRuntime(OpBuilder &b, Location loc, ModuleOp module,
                         RuntimeFn fn, ValueRange args) {
  auto [name, type] = describe(b.getContext(), fn);
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
  }
  auto call = LLVM::CallOp::create(b, loc, callee, args);
  return call.getNumResults() ? call.getResult() : Value();
}

void onnxc::assertNotNull(OpBuilder &b, Location loc, Value pointer,
                          StringRef message) {
  Value null = LLVM::ZeroOp::create(b, loc, pointer.getType());
  Value ok =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, pointer, null);
  cf::AssertOp::create(b, loc, ok, message);
}

void onnxc::assertOk(OpBuilder &b, Location loc, Value status) {
  Value zero =
      LLVM::ConstantOp::create(b, loc, IntegerAttr::get(status.getType(), 0));
  Value ok =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status, zero);
  cf::AssertOp::create(b, loc, ok, "");
}

Value onnxc::memrefFromPointer(OpBuilder &b, Location loc, MemRefType type,
                               Value pointer, ValueRange sizes) {
  MLIRContext *ctx = b.getContext();
  Type ptr = pointer.getType(), i64 = b.getI64Type();
  SmallVector<Type> fields{ptr, ptr, i64};
  int64_t rank = type.getRank();
  if (rank > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto structType = LLVM::LLVMStructType::getLiteral(ctx, fields);

  auto constant = [&](int64_t v) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(v));
  };
  Value d = LLVM::PoisonOp::create(b, loc, structType);
  auto insert = [&](Value v, ArrayRef<int64_t> position) {
    d = LLVM::InsertValueOp::create(b, loc, d, v, position);
  };
  insert(pointer, 0);
  insert(pointer, 1);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool isStatic = type.hasStaticShape() &&
                  succeeded(type.getStridesAndOffset(strides, offset));
  insert(constant(isStatic ? offset : 0), 2);

  SmallVector<Value> extents;
  for (int64_t dim : type.getShape()) {
    if (!ShapedType::isDynamic(dim)) {
      extents.push_back(constant(dim));
      continue;
    }
    extents.push_back(arith::IndexCastOp::create(b, loc, i64, sizes.front()));
    sizes = sizes.drop_front();
  }
  Value stride = constant(1);
  for (int64_t i = rank - 1; i >= 0; --i) {
    insert(extents[i], {3, i});
    insert(isStatic ? constant(strides[i]) : stride, {4, i});
    if (i > 0 && !isStatic)
      stride = LLVM::MulOp::create(b, loc, stride, extents[i]);
  }
  return UnrealizedConversionCastOp::create(b, loc, type, d).getResult(0);
}

FailureOr<SmallVector<func::FuncOp, 2>> onnxc::findEntries(ModuleOp module) {
  SmallVector<func::FuncOp, 2> entries;
  for (auto fn : module.getOps<func::FuncOp>()) {
    if (!fn->hasAttr(program::entry))
      continue;
    if (entries.size() == fn->hasAttr(program::overridden)) {
      entries.push_back(fn);
      continue;
    }
    if (entries.empty())
      return fn.emitError() << "is marked '" << program::overridden
                            << "', which the second entry function is";
    return fn.emitError() << "a module has one entry function, and one that is "
                             "marked '"
                          << program::overridden << "', but '"
                          << entries.back().getName() << "' and '"
                          << fn.getName() << "' are marked '" << program::entry
                          << "'";
  }
  return entries;
}
