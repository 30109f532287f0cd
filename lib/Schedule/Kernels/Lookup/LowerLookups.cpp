//===- LowerLookups.cpp - Tables of 256 values in vector code -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERLOOKUPSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

class LowerLookups : public onnxc::impl::LowerLookupsPassBase<LowerLookups> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    LLVM::LLVMDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;

  /// The address of a constant with the elements of `table`.
  Value addressOf(OpBuilder &b, Location loc, DenseElementsAttr table);
  Value permute(OpBuilder &b, kernel::LookupOp op);
  Value shuffle(OpBuilder &b, kernel::LookupOp op);
  Value gather(OpBuilder &b, kernel::LookupOp op);
  Value load(OpBuilder &b, kernel::LookupOp op);

  DenseMap<Attribute, LLVM::GlobalOp> globals;
  /// Of the bytes of two registers of 64; null if the target has none.
  const Instruction *permutation = nullptr;
  /// For fewer indices each element is loaded by itself.
  bool paysToShuffle(int64_t count) {
    return 2 * count >= shuffles.front()->bytes;
  }
  /// Of the bytes of parts of 16, for the longest vectors that have one, and
  /// for shorter ones.
  SmallVector<const Instruction *> shuffles;
};

Value LowerLookups::addressOf(OpBuilder &b, Location loc,
                              DenseElementsAttr table) {
  LLVM::GlobalOp &global = globals[table];
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type = LLVM::LLVMArrayType::get(table.getElementType(), table.size());
    global = LLVM::GlobalOp::create(
        top, getOperation().getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, "onnxc_table_" + Twine(globals.size()).str(),
        table, /*alignment=*/64);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// Each half of the table is two registers; the index' highest bit chooses.
Value LowerLookups::permute(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getIndex().getType());
  VectorType bytes = VectorType::get(64, b.getI8Type());
  Value index = op.getIndex();
  VectorType words = VectorType::get(type.getNumElements(), b.getI32Type());
  bool isWidened = type.getNumElements() == 16;
  if (isWidened)
    index = vector::BitCastOp::create(
        b, loc, bytes, arith::ExtUIOp::create(b, loc, words, index));
  Value base = addressOf(b, loc, cast<DenseElementsAttr>(op.getTable()));
  auto part = [&](int64_t i) -> Value {
    Value at = LLVM::GEPOp::create(
        b, loc, base.getType(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(64 * i))});
    return LLVM::LoadOp::create(b, loc, bytes, at, /*alignment=*/64);
  };
  auto half = [&](int64_t i) {
    return callInstruction(b, loc, *permutation, bytes,
                           {part(i), index, part(i + 1)});
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(bytes));
  Value isHigh =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
  Value high = half(2);
  Value found = arith::SelectOp::create(b, loc, isHigh, high, half(0));
  if (!isWidened)
    return found;
  return arith::TruncIOp::create(
      b, loc, type, vector::BitCastOp::create(b, loc, words, found));
}

/// What the table has for a register of indices, by shuffles of its 16 rows.
/// Row i is the exclusive or of all differences of neighbouring rows up to it.
/// Those behind the index' row have an index below 0, for which a shuffle gives
/// 0. As indices are signed, the halves of the table start anew.
static Value shuffleRows(OpBuilder &b, Location loc,
                         const Instruction &instruction,
                         ArrayRef<uint8_t> table, Value index) {
  constexpr int64_t kRow = 16, kHalf = 128;
  auto type = cast<VectorType>(index.getType());
  auto constant = [&](function_ref<uint8_t(int64_t)> at) {
    SmallVector<uint8_t> bytes;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      bytes.push_back(at(i));
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::getFromRawBuffer(
            type, ArrayRef(reinterpret_cast<const char *>(bytes.data()),
                           bytes.size())));
  };
  Value found = constant([](int64_t) { return 0; });
  for (int64_t first : {int64_t(0), kHalf}) {
    Value inHalf = index;
    if (first > 0)
      inHalf = arith::XOrIOp::create(b, loc, index,
                                     constant([](int64_t) { return kHalf; }));
    for (int64_t row = first; row < first + kHalf; row += kRow) {
      auto difference = [&](int64_t i) -> uint8_t {
        uint8_t before = row > first ? table[row - kRow + i % kRow] : 0;
        return table[row + i % kRow] ^ before;
      };
      if (llvm::all_of(llvm::seq<int64_t>(0, kRow),
                       [&](int64_t i) { return difference(i) == 0; }))
        continue;
      Value inRow = inHalf;
      if (row > first)
        inRow = LLVM::SSubSat::create(
            b, loc, inHalf, constant([&](int64_t) { return row - first; }));
      Value part = callInstruction(b, loc, instruction, type,
                                   {constant(difference), inRow});
      found = arith::XOrIOp::create(b, loc, found, part);
    }
  }
  return found;
}

/// By registers as long as the indices, or longer ones.
Value LowerLookups::shuffle(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  SmallVector<uint8_t> table;
  for (const APInt &value :
       cast<DenseElementsAttr>(op.getTable()).getValues<APInt>())
    table.push_back(value.getZExtValue());
  auto type = cast<VectorType>(op.getIndex().getType());
  int64_t count = type.getNumElements();
  const Instruction *instruction = shuffles.back();
  for (const Instruction *longer : llvm::reverse(shuffles))
    if (longer->bytes <= count)
      instruction = longer;
  int64_t width = instruction->bytes;
  // Elements `first` to `first + size` of `from`; what is not there is any.
  auto take = [&](Value from, int64_t first, int64_t size) -> Value {
    int64_t last = cast<VectorType>(from.getType()).getNumElements() - 1;
    SmallVector<int64_t> order;
    for (int64_t i = first; i < first + size; ++i)
      order.push_back(std::min(i, last));
    return vector::ShuffleOp::create(b, loc, from, from, order);
  };
  Value found;
  for (int64_t first = 0; first < count; first += width) {
    Value index =
        width == count ? op.getIndex() : take(op.getIndex(), first, width);
    Value part = shuffleRows(b, loc, *instruction, table, index);
    if (!found) {
      found = part;
      continue;
    }
    auto both = llvm::to_vector(llvm::seq<int64_t>(0, first + width));
    part = take(part, 0, first);
    found = vector::ShuffleOp::create(b, loc, found, part, both);
  }
  return cast<VectorType>(found.getType()).getNumElements() == count
             ? found
             : take(found, 0, count);
}

/// From a table of 32-bit elements.
Value LowerLookups::gather(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getResult().getType());
  int64_t lanes = type.getNumElements();
  auto table = cast<DenseElementsAttr>(op.getTable());
  bool isByte = table.getElementType().isInteger(8);
  if (isByte)
    table = table.mapValues(b.getI32Type(),
                            [](const APInt &value) { return value.zext(32); });
  Type element = table.getElementType();
  Value base = addressOf(b, loc, table);
  Value index = arith::ExtUIOp::create(
      b, loc, VectorType::get(lanes, b.getI32Type()), op.getIndex());
  Value places = LLVM::GEPOp::create(
      b, loc, VectorType::get(lanes, base.getType()), element, base,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(index)});
  VectorType wide = VectorType::get(lanes, element);
  Value all = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), true));
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(wide));
  Value found = LLVM::masked_gather::create(b, loc, wide, places, all, none, 4);
  return isByte ? arith::TruncIOp::create(b, loc, type, found).getResult()
                : found;
}

Value LowerLookups::load(OpBuilder &b, kernel::LookupOp op) {
  Location loc = op.getLoc();
  auto table = cast<DenseElementsAttr>(op.getTable());
  Value base = addressOf(b, loc, table);
  Value index = arith::ExtUIOp::create(b, loc, b.getI32Type(), op.getIndex());
  Value place =
      LLVM::GEPOp::create(b, loc, base.getType(), table.getElementType(), base,
                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(index)});
  return LLVM::LoadOp::create(b, loc, op.getResult().getType(), place);
}

void LowerLookups::runOnOperation() {
  globals.clear();
  TargetAttr target = TargetAttr::of(getOperation());
  permutation = findInstruction(target, Capability::PermuteBytes, /*bytes=*/64);
  shuffles.clear();
  for (int64_t bytes : {64, 32, 16})
    if (bytes <= target.getVectorBytes())
      if (const Instruction *found =
              findInstruction(target, Capability::ShuffleBytes, bytes))
        shuffles.push_back(found);
  SmallVector<kernel::LookupOp> ops;
  getOperation().walk([&](kernel::LookupOp op) { ops.push_back(op); });
  for (kernel::LookupOp op : ops) {
    OpBuilder b(op);
    auto type = dyn_cast<VectorType>(op.getIndex().getType());
    Value found;
    if (!type)
      found = load(b, op);
    else if (permutation && op.getType() == type &&
             (type.getNumElements() == 16 || type.getNumElements() == 64))
      found = permute(b, op);
    else if (!shuffles.empty() && op.getType() == type && type.getRank() == 1 &&
             paysToShuffle(type.getNumElements()))
      found = shuffle(b, op);
    else
      found = gather(b, op);
    op.replaceAllUsesWith(found);
    op.erase();
  }
}

} // namespace
