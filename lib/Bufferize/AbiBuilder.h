//===- AbiBuilder.h - The C structs of the interface in code -- -*- C++ -*-===//
//-*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_BUFFERIZE_ABIBUILDER_H
#define ONNXC_LIB_BUFFERIZE_ABIBUILDER_H

#include "RuntimeCalls.h"
#include "onnxc/runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cstddef>

namespace onnxc {

/// Address arithmetic on the C structs of the ABI.
struct AbiBuilder {
  mlir::OpBuilder &b;
  mlir::ModuleOp module;
  mlir::Location loc;
  mlir::Type ptr = mlir::LLVM::LLVMPointerType::get(b.getContext());

  mlir::Value i32(int64_t v) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                          b.getI32IntegerAttr(v));
  }
  mlir::Value i64(int64_t v) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                          b.getI64IntegerAttr(v));
  }
  mlir::Value at(mlir::Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return mlir::LLVM::GEPOp::create(
        b, loc, ptr, b.getI8Type(), base,
        mlir::LLVM::GEPArg(static_cast<int32_t>(bytes)));
  }

  /// The buffer of argument `index`, with its dynamic sizes read from `dims`.
  mlir::Value inputBuffer(mlir::Value inputs, int64_t index,
                          mlir::MemRefType type) {
    mlir::Value desc = at(inputs, index * int64_t(sizeof(onnxc_tensor)));
    mlir::Value data = mlir::LLVM::LoadOp::create(
        b, loc, ptr, at(desc, offsetof(onnxc_tensor, data)));
    llvm::SmallVector<mlir::Value> sizes;
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      if (!mlir::ShapedType::isDynamic(size))
        continue;
      int64_t offset = offsetof(onnxc_tensor, dims) + i * sizeof(int64_t);
      mlir::Value d =
          mlir::LLVM::LoadOp::create(b, loc, b.getI64Type(), at(desc, offset));
      sizes.push_back(
          mlir::arith::IndexCastOp::create(b, loc, b.getIndexType(), d));
    }
    return memrefFromPointer(b, loc, type, data, sizes);
  }

  /// How many rows of state number `state` lie one behind the other.
  mlir::Value stateCapacity(mlir::Value ctx, size_t state) {
    mlir::Value rows = callRuntime(b, loc, module, RuntimeFn::StateCapacity,
                                   {ctx, i32(static_cast<int64_t>(state))});
    return mlir::arith::IndexCastOp::create(b, loc, b.getIndexType(), rows);
  }

  /// The rows in use of a state that is appended to, which lie in memory for
  /// more: a view of it.
  mlir::Value stateBuffer(mlir::Value ctx, mlir::Value inputs, int64_t index,
                          size_t state, int64_t axis, mlir::MemRefType type) {
    mlir::Value rows = inputBuffer(inputs, index, type);
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[axis] = mlir::ShapedType::kDynamic;
    llvm::SmallVector<mlir::Value> extents;
    for (auto [i, size] : llvm::enumerate(shape))
      if (mlir::ShapedType::isDynamic(size))
        extents.push_back(static_cast<int64_t>(i) == axis
                              ? stateCapacity(ctx, state)
                              : mlir::memref::DimOp::create(b, loc, rows, i));
    mlir::Value desc = at(inputs, index * int64_t(sizeof(onnxc_tensor)));
    mlir::Value data = mlir::LLVM::LoadOp::create(
        b, loc, ptr, at(desc, offsetof(onnxc_tensor, data)));
    mlir::Value all = memrefFromPointer(
        b, loc, mlir::MemRefType::get(shape, type.getElementType()), data,
        extents);
    llvm::SmallVector<mlir::OpFoldResult> zeros(type.getRank(),
                                                b.getIndexAttr(0)),
        ones(type.getRank(), b.getIndexAttr(1));
    return mlir::memref::SubViewOp::create(
        b, loc, all, zeros, mlir::memref::getMixedSizes(b, loc, rows), ones);
  }

  /// Asks the runtime for the memory of result `index`, which has the shape of
  /// `type` with `sizes`, and returns it seen as `bufferType` with
  /// `bufferSizes`.
  mlir::Value outputBuffer(mlir::Value ctx, mlir::Value outputs,
                           mlir::Value dimsSlot, int64_t index,
                           mlir::RankedTensorType type, mlir::ValueRange sizes,
                           mlir::MemRefType bufferType,
                           mlir::ValueRange bufferSizes) {
    mlir::ValueRange rest = sizes;
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      mlir::Value d;
      if (mlir::ShapedType::isDynamic(size)) {
        d = mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                             rest.front());
        rest = rest.drop_front();
      } else {
        d = i64(size);
      }
      mlir::LLVM::StoreOp::create(b, loc, d,
                                  at(dimsSlot, int64_t(i) * sizeof(int64_t)));
    }
    mlir::Value data =
        callRuntime(b, loc, module, RuntimeFn::Output,
                    {ctx, outputs, i32(index), i32(type.getRank()), dimsSlot});
    assertNotNull(b, loc, data);
    return memrefFromPointer(b, loc, bufferType, data, bufferSizes);
  }
};

} // namespace onnxc

#endif // ONNXC_LIB_BUFFERIZE_ABIBUILDER_H
