//===- TileInstructions.cpp - Instructions on tile registers --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace onnxc;

/// The address of an element, for instructions that take a pointer.
static Value addressOf(IndexMath &index, const FlatBuffer &buffer,
                       OpFoldResult at) {
  OpBuilder &b = index.b;
  auto meta =
      memref::ExtractStridedMetadataOp::create(b, index.loc, buffer.memory);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, index.loc,
                                                              buffer.memory);
  OpFoldResult place = index.mul(index.add(meta.getConstifiedMixedOffset(), at),
                                 buffer.element.getIntOrFloatBitWidth() / 8);
  Value address = index.value(index.add(base, place));
  Value number =
      arith::IndexCastOp::create(b, index.loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      b, index.loc, LLVM::LLVMPointerType::get(b.getContext()), number);
}

void tiles::call(OpBuilder &b, Location loc, StringRef intrinsic,
                 ArrayRef<int64_t> registers, ValueRange operands) {
  SmallVector<Value> all;
  for (int64_t number : registers)
    all.push_back(
        arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(number)));
  llvm::append_range(all, operands);
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(intrinsic), all);
}

void tiles::configure(IndexMath &index, const FlatBuffer &buffer,
                      OpFoldResult at) {
  call(index.b, index.loc, "llvm.x86.ldtilecfg", {},
       addressOf(index, buffer, at));
}

void tiles::move(IndexMath &index, StringRef intrinsic, int64_t number,
                 const FlatBuffer &buffer, OpFoldResult at,
                 OpFoldResult stride) {
  Value step = arith::IndexCastOp::create(
      index.b, index.loc, index.b.getI64Type(), index.value(stride));
  call(index.b, index.loc, intrinsic, number,
       {addressOf(index, buffer, at), step});
}

void tiles::release(OpBuilder &b, Location loc) {
  call(b, loc, "llvm.x86.tilerelease", {});
}
