//===- CheckSizeSums.cpp - Sizes that are sums of others ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Lengths.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Infer/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {
#define GEN_PASS_DEF_CHECKSIZESUMS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Whether torch.export has made the name, of a size that it reasons with. What
/// people and other exporters call sums need not be any.
static bool isTorchSymbol(StringRef name) {
  return name.consume_front("s") && !name.empty() &&
         llvm::all_of(name, llvm::isDigit);
}

static SmallVector<StringRef> listDimNames(func::FuncOp entry,
                                           unsigned argument) {
  SmallVector<StringRef> names;
  if (auto known =
          entry.getArgAttrOfType<ArrayAttr>(argument, model::dimParams))
    for (Attribute name : known)
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

/// What an error calls the check.
static Location describeInput(func::FuncOp entry, BlockArgument input,
                              ArrayRef<StringRef> names) {
  Builder b(entry.getContext());
  StringRef name = getInputName(entry, input.getArgNumber());
  std::string text =
      ("input " + name + " of sizes [" + llvm::join(names, ", ") + "]").str();
  auto source = SourceAttr::get(b.getContext(), b.getStringAttr(text),
                                b.getStringAttr(ReshapeOp::getOnnxName()),
                                b.getStrArrayAttr({(name + "_checked").str()}),
                                nullptr, nullptr, nullptr);
  return FusedLoc::get({input.getLoc()}, source, b.getContext());
}

namespace {
/// The named dimensions of one entry's inputs.
class SizeSums {
public:
  explicit SizeSums(func::FuncOp entry)
      : entry(entry), builder(entry.getContext()) {
    builder.setInsertionPointToStart(&entry.front());
    for (BlockArgument input : entry.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      auto names = listDimNames(entry, input.getArgNumber());
      if (!type || type.getRank() != static_cast<int64_t>(names.size()) ||
          entry.getArgAttr(input.getArgNumber(), model::defaultValue))
        continue;
      for (auto [dim, name] : llvm::enumerate(names))
        if (isTorchSymbol(name))
          named.try_emplace(name, input, dim);
    }
  }

  void check() {
    for (BlockArgument input : entry.getArguments())
      check(input);
  }

private:
  void check(BlockArgument input);
  /// The parts of a sum; none if it is not a sum of named dimensions.
  SmallVector<std::pair<Value, int64_t>> findParts(StringRef name) const;

  func::FuncOp entry;
  OpBuilder builder;
  llvm::StringMap<std::pair<Value, int64_t>> named;
};
} // namespace

SmallVector<std::pair<Value, int64_t>>
SizeSums::findParts(StringRef name) const {
  SmallVector<StringRef> texts;
  name.split(texts, " + ");
  SmallVector<std::pair<Value, int64_t>> parts;
  if (texts.size() < 2)
    return parts;
  for (StringRef text : texts) {
    auto known = named.find(text);
    if (known == named.end())
      return {};
    parts.push_back(known->second);
  }
  return parts;
}

void SizeSums::check(BlockArgument input) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  auto names = listDimNames(entry, input.getArgNumber());
  if (!type || type.getRank() != static_cast<int64_t>(names.size()) ||
      entry.getArgAttr(input.getArgNumber(), model::defaultValue) ||
      !isa<FloatType, IntegerType>(type.getElementType()))
    return;
  Location loc = describeInput(entry, input, names);
  SmallVector<Value> sizes;
  bool hasSum = false;
  auto vector = RankedTensorType::get({1}, builder.getI64Type());
  auto sizeOf = [&](Value value, int64_t dim) -> Value {
    return ShapeOp::create(builder, loc, vector, value,
                           builder.getI64IntegerAttr(dim + 1),
                           builder.getI64IntegerAttr(dim));
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto parts = type.isDynamicDim(dim)
                     ? findParts(names[dim])
                     : SmallVector<std::pair<Value, int64_t>>();
    if (parts.empty()) {
      sizes.push_back(sizeOf(input, dim));
      continue;
    }
    hasSum = true;
    Value sum;
    for (auto [value, i] : parts) {
      Value size = sizeOf(value, i);
      sum = sum ? AddOp::create(builder, loc, vector, sum, size).getResult()
                : size;
    }
    sizes.push_back(sum);
  }
  if (!hasSum) {
    for (Value size : sizes)
      size.getDefiningOp()->erase();
    return;
  }
  auto shapeType =
      RankedTensorType::get({type.getRank()}, builder.getI64Type());
  Value shape = ConcatOp::create(builder, loc, shapeType, sizes,
                                 builder.getI64IntegerAttr(0));
  // Of as many elements in the same other sizes only if the sums hold.
  auto checked = ReshapeOp::create(builder, loc, type, input, shape,
                                   builder.getI64IntegerAttr(1));
  input.replaceUsesWithIf(checked.getReshaped(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != checked && !(user->getBlock() == &entry.front() &&
                                user->isBeforeInBlock(checked));
  });
}

namespace {
struct CheckSizeSums : onnxc::impl::CheckSizeSumsBase<CheckSizeSums> {
  void runOnOperation() override {
    for (func::FuncOp entry : listEntries(getOperation()))
      SizeSums(entry).check();
  }
};
} // namespace
