//===- FloatTiles.cpp - Floats by narrow numbers in tile registers --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

namespace {
/// Registers behind those of sums: of columns, and of parts of the rows in
/// turn.
constexpr int64_t kFirstColumns = FloatTiles::kSums,
                  kFirstRows = kFirstColumns + FloatTiles::kAcross,
                  kRowRegisters = tiles::kRegisters - kFirstRows;
} // namespace

FlatBuffer FloatTiles::allocate(int64_t elements, Type element) {
  FlatBuffer buffer;
  buffer.element = element;
  buffer.memory = memref::AllocOp::create(
      index.b, index.loc, MemRefType::get({elements}, element),
      index.b.getI64IntegerAttr(kCacheLine));
  return buffer;
}

void FloatTiles::configure() {
  OpBuilder &b = index.b;
  tiles::Configuration sizes;
  for (int64_t number = 0; number < tiles::kRegisters; ++number)
    sizes.setSize(number, kRows, tiles::kRowBytes);
  FlatBuffer memory = allocate(tiles::kConfigBytes, b.getI8Type());
  auto type = VectorType::get(tiles::kConfigBytes, b.getI8Type());
  Value config = arith::ConstantOp::create(
      b, index.loc, DenseElementsAttr::get(type, sizes.getBytes()));
  Value start = index.value(index.constant(0));
  vector::StoreOp::create(b, index.loc, config, memory.memory, start);
  tiles::configure(index, memory, index.constant(0));
}

void FloatTiles::split(Value x, Value y, int64_t parts, const FlatBuffer &to,
                       OpFoldResult at) {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  auto floats = cast<VectorType>(x.getType());
  auto words = floats.clone(b.getI32Type());
  auto constant = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, APInt(32, bits)));
  };
  Value upper = constant(0xffff0000), half = constant(16);
  for (int64_t part = 0; part < parts; ++part) {
    // The upper halves are the nearest bf16 towards zero.
    Value ofX = arith::BitcastOp::create(b, loc, words, x);
    Value ofY = arith::BitcastOp::create(b, loc, words, y);
    Value upperX = arith::AndIOp::create(b, loc, ofX, upper);
    Value upperY = arith::AndIOp::create(b, loc, ofY, upper);
    Value low = arith::ShRUIOp::create(b, loc, ofX, half);
    Value pairs = arith::OrIOp::create(b, loc, low, upperY);
    OpFoldResult place = index.add(at, index.constant(part * kPairs));
    vector::StoreOp::create(b, loc, pairs, to.memory, index.value(place));
    if (part + 1 == parts)
      break;
    upperX = arith::BitcastOp::create(b, loc, floats, upperX);
    upperY = arith::BitcastOp::create(b, loc, floats, upperY);
    x = arith::SubFOp::create(b, loc, x, upperX);
    y = arith::SubFOp::create(b, loc, y, upperY);
  }
}

void FloatTiles::clearSums(int64_t number) {
  tiles::call(index.b, index.loc, "llvm.x86.tilezero", number);
}

void FloatTiles::storeSums(int64_t number, const FlatBuffer &to,
                           OpFoldResult at) {
  tiles::move(index, "llvm.x86.tilestored64", number, to, at,
              index.constant(tiles::kRowBytes));
}

void FloatTiles::multiply(int64_t first, const FlatBuffer &lhs,
                          OpFoldResult rows, const FlatBuffer &rhs,
                          ArrayRef<OpFoldResult> columns) {
  auto load = [&](int64_t into, const FlatBuffer &from, OpFoldResult at) {
    tiles::move(index, "llvm.x86.tileloadd64", into, from, at,
                index.constant(tiles::kRowBytes));
  };
  for (auto [i, column] : llvm::enumerate(columns))
    load(kFirstColumns + i, rhs, column);
  // Small ones first.
  for (int64_t part = kParts; part-- > 0;) {
    int64_t ofPart = kFirstRows + part % kRowRegisters;
    load(ofPart, lhs, index.add(rows, index.constant(part * kPairs)));
    for (size_t i = 0; i < columns.size(); ++i)
      tiles::call(index.b, index.loc, "llvm.x86.tdpbf16ps",
                  {first + int64_t(i), ofPart, kFirstColumns + int64_t(i)});
  }
}
