//===- SymbolicShapes.cpp - Shapes whose open sizes have names ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/SymbolicShapes.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Reads a shape rule as polynomials. A Dim holds a value or a number: values
/// are the arguments of a block that nobody sees, one for each polynomial.
class SymbolicShapeBuilder : public ShapeBuilder {
public:
  SymbolicShapeBuilder(const SymbolicShapes &shapes, MLIRContext *context,
                       ValueRange operands, unsigned numResults)
      : ShapeBuilder(context, operands, numResults), shapes(shapes) {}

  /// What the rule says of result `index`; empty if nothing.
  SmallVector<Size> getResult(unsigned index) const {
    SmallVector<Size> sizes;
    if (index < results.size() && results[index].dims)
      for (const Dim &dim : *results[index].dims)
        sizes.push_back(get(dim));
    return sizes;
  }

protected:
  Dim dynamicDim(Value value, int64_t index) override {
    std::optional<ArrayRef<Size>> shape = shapes.getShape(value);
    return shape && index < static_cast<int64_t>(shape->size())
               ? make((*shape)[index])
               : unknown();
  }

  Dim dynamicValue(Value value, int64_t index) override {
    return followShapeValue(*this, value, index).value_or(unknown());
  }

  Dim dynamicArith(Arith kind, const Dim &a, const Dim &b) override {
    Size x = get(a), y = get(b);
    switch (kind) {
    case Arith::Add:
      return make(x + y);
    case Arith::Sub:
      return make(x - y);
    case Arith::Mul:
      return make(x * y);
    case Arith::FloorDiv:
      return make(x.floorDiv(y));
    case Arith::CeilDiv:
      return make(x.ceilDiv(y));
    case Arith::Min:
      return make(Size::min(x, y));
    case Arith::Max:
      return make(Size::max(x, y));
    }
    return unknown();
  }

  /// A size that has a name is taken to be neither 0 nor 1, here and in
  /// Size::max.
  Dim dynamicSelect(Relation relation, const Dim &a, const Dim &b,
                    const Dim &yes, const Dim &no) override {
    Size x = get(a), y = get(b);
    if (get(yes) == get(no))
      return yes;
    if (x.isUnknown() || y.isUnknown())
      return unknown();
    if (x == y)
      return relation == Relation::Less ? no : yes;
    std::optional<int64_t> bound = y.getNumber();
    if (x.isNonNegative() && bound && *bound <= 1)
      return no;
    return unknown();
  }

  Dim dynamicBroadcast(const Dim &a, const Dim &b,
                       const llvm::Twine &) override {
    if (b.isKnown() && !b.is(1))
      return b;
    return a.isKnown() && a.is(1) ? b : a;
  }

private:
  Dim make(const Size &size) {
    if (size.isUnknown())
      return unknown();
    if (std::optional<int64_t> number = size.getNumber())
      return constant(*number);
    Builder b(getContext());
    pool.push_back(size);
    return makeDim(scratch.addArgument(b.getIndexType(), b.getUnknownLoc()));
  }
  Size get(const Dim &dim) const {
    if (dim.isKnown())
      return *dim.getKnown();
    auto argument = dyn_cast_or_null<BlockArgument>(getSSA(dim));
    return argument && argument.getOwner() == &scratch
               ? pool[argument.getArgNumber()]
               : Size();
  }

  const SymbolicShapes &shapes;
  Block scratch;
  std::vector<Size> pool;
};

} // namespace

SymbolicShapes::SymbolicShapes(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function->hasAttr(model::entry))
      continue;
    for (BlockArgument argument : function.getArguments()) {
      SmallVector<Size> named;
      auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                        model::dimParams);
      if (names)
        for (auto name : names.getAsRange<StringAttr>())
          named.push_back(name.empty() ? Size() : Size::symbol(name));
      setFromType(argument, named, nullptr);
    }
    visit(function.front());
  }
}

std::optional<ArrayRef<Size>> SymbolicShapes::getShape(Value value) const {
  auto found = shapes.find(value);
  if (found == shapes.end())
    return std::nullopt;
  return ArrayRef<Size>(found->second);
}

Size SymbolicShapes::getNumElements(Value value) const {
  std::optional<ArrayRef<Size>> shape = getShape(value);
  if (!shape)
    return Size();
  Size product(1);
  for (const Size &size : *shape)
    product = product * size;
  return product;
}

Size SymbolicShapes::makeOpen(StringRef what, Operation *op) {
  SourceAttr source = op ? getSource(op->getLoc()) : nullptr;
  std::string where = what.str();
  if (source)
    where += (" of '" + getNodeName(source) + "'").str();
  open.push_back({"?" + std::to_string(open.size() + 1), std::move(where)});
  return Size::symbol(open.back().symbol);
}

void SymbolicShapes::setFromType(Value value, ArrayRef<Size> known,
                                 Operation *op) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  std::string input;
  if (auto name = dyn_cast<NameLoc>(value.getLoc());
      name && isa<BlockArgument>(value))
    input = " of input '" + name.getName().str() + "'";
  SmallVector<Size> sizes;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isStatic(size))
      sizes.push_back(size);
    else if (index < known.size() && !known[index].isUnknown())
      sizes.push_back(known[index]);
    else
      sizes.push_back(
          makeOpen("dimension " + std::to_string(index) + input, op));
  }
  shapes[value] = std::move(sizes);
}

void SymbolicShapes::visit(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void SymbolicShapes::visit(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        setFromType(argument, {}, op);
      visit(block);
    }
  auto schema = dyn_cast<SchemaOpInterface>(op);
  bool isOpen = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
  if (!schema || !isOpen) {
    for (Value result : op->getResults())
      setFromType(result, {}, op);
    return;
  }
  SymbolicShapeBuilder builder(
      *this, op->getContext(), op->getOperands(),
      std::max<unsigned>(schema.getResultSpecs().size(), op->getNumResults()));
  bool holds = succeeded(schema.applyShapeRule(builder, op->getOperands()));
  unsigned next = 0;
  for (auto [formal, count] : llvm::enumerate(getResultSegments(op)))
    for (int i = 0; i < count; ++i)
      setFromType(op->getResult(next++),
                  holds ? builder.getResult(formal + i) : SmallVector<Size>(),
                  op);
}
