//===- Lowering.cpp - What the lowerings of all families share ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Limits.h"
#include "onnxc/Dialect/ONNX/Messages.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"
#include "onnxc/Dialect/Runtime/RuntimeDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace onnxc;

Type onnxc::getAccumulatorType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

//===----------------------------------------------------------------------===//
// The shape rule on converted operands
//===----------------------------------------------------------------------===//

/// Reads the op's rule as code, with sizes traced to where they come from.
class Lowering::Rule : public ReifyShapeBuilder {
public:
  Rule(Lowering &lowering, unsigned numResults)
      : ReifyShapeBuilder(lowering.b, lowering.loc, lowering.operands,
                          numResults, describeNode(lowering.op) + ": "),
        lowering(lowering) {}

  std::string error;

  /// As the op has it: storage says less.
  Type elementType(Value value) const override {
    for (auto [i, operand] : llvm::enumerate(lowering.operands))
      if (operand == value)
        value = lowering.op->getOperand(i);
    return ReifyShapeBuilder::elementType(value);
  }

protected:
  Dim dynamicDim(Value value, int64_t index) override {
    OpFoldResult size = lowering.dim(value, index);
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return constant(*known);
    return ShapeBuilder::makeDim(cast<Value>(size).getAsOpaquePointer());
  }
  Dim dynamicValue(Value value, int64_t index) override {
    if (!isShapeLike(value))
      return ReifyShapeBuilder::dynamicValue(value, index);
    OpFoldResult element = lowering.asIndex(lowering.scalar(value, index));
    if (std::optional<int64_t> known = getConstantIntValue(element))
      return constant(*known);
    return ShapeBuilder::makeDim(cast<Value>(element).getAsOpaquePointer());
  }
  Dim dynamicBroadcast(const Dim &a, const Dim &b,
                       const Twine &message) override {
    return ReifyShapeBuilder::dynamicBroadcast(a, b, dropTag(message.str()));
  }
  void check(Relation relation, const Dim &a, const Dim &b,
             const Twine &message) override {
    ReifyShapeBuilder::check(relation, a, b, dropTag(message.str()));
  }
  void reportError(const Twine &message) override { error = message.str(); }

public:
  OpFoldResult read(const Dim &dim) {
    if (dim.isKnown())
      return lowering.attr(*dim.getKnown());
    return getAsOpFoldResult(Value::getFromOpaquePointer(getAttached(dim)));
  }

private:
  /// Texts of checks are read when a model runs, behind the node's name.
  StringRef dropTag(StringRef message) const {
    return dropRuleTag(message, lowering.op->getName().stripDialect());
  }

  Lowering &lowering;
};

/// Casts that only forget static sizes say less than their source.
static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (!tensor::preservesStaticInformation(cast.getType(),
                                            cast.getSource().getType()))
      break;
    value = cast.getSource();
  }
  return value;
}

Lowering::Lowering(ConversionPatternRewriter &rewriter,
                   const TypeConverter &converter, Operation *op,
                   ValueRange operands, Reasons &reasons)
    : b(rewriter), loc(op->getLoc()), op(op), converter(converter),
      reasons(reasons) {
  for (Value operand : operands)
    this->operands.push_back(stripCasts(operand));
}

void Lowering::refreshOperands() {
  SmallVector<Value> remapped;
  // They all have been remapped before.
  (void)b.getRemappedValues(op->getOperands(), remapped);
  for (auto [operand, value] : llvm::zip_equal(operands, remapped))
    operand = stripCasts(value);
}

LogicalResult Lowering::fail(const Twine &reason) {
  reasons[op] = {reason.str(), /*isInvalid=*/false};
  return b.notifyMatchFailure(op, reason);
}

LogicalResult Lowering::invalid(const Twine &reason) {
  reasons[op] = {reason.str(), /*isInvalid=*/true};
  return b.notifyMatchFailure(op, reason);
}

LogicalResult Lowering::invalidWhenRun(const Twine &reason) {
  // Of a function of the model, only a subgraph may have the calls.
  auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
  if (function &&
      (function->hasAttr(model::entry) || function->hasAttr(program::entry)))
    return invalid(reason);
  if (!getAssumedSizes(op))
    warnOfFault(loc, reason);
  check(constant(b.getBoolAttr(false)), reason);
  return success();
}

/// Whether an index is known not to be negative, as sums and quotients of sizes
/// are.
static bool isNonNegative(OpFoldResult index, unsigned depth) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return *known >= 0;
  auto value = cast<Value>(index);
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto holds = [&](Value operand) { return isNonNegative(operand, depth - 1); };
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return holds(select.getTrueValue()) && holds(select.getFalseValue());
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), holds);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp>(op))
    return llvm::all_of(op->getOperands(), holds);
  return isa<tensor::DimOp>(op);
}

/// Checks that result `number`, if it is empty, is not so only behind huge
/// dimensions: loops would go through those.
static void checkIdleLoops(Lowering &l, ArrayRef<OpFoldResult> sizes,
                           unsigned number) {
  OpFoldResult most = l.attr(maxIdleIterations), before = l.attr(1),
               idle = l.attr(0);
  auto compare = [&](arith::CmpIPredicate predicate, OpFoldResult x,
                     OpFoldResult y) {
    Value left = l.asValue(x);
    return l.b.createOrFold<arith::CmpIOp>(l.loc, predicate, left,
                                           l.asValue(y));
  };
  for (OpFoldResult size : sizes) {
    Value isEmpty = compare(arith::CmpIPredicate::eq, size, l.attr(0));
    // Behind the first empty dimension, `before` is 0.
    Value count = l.asValue(before);
    idle = l.max(idle, getAsOpFoldResult(l.b.createOrFold<arith::SelectOp>(
                           l.loc, isEmpty, count, l.index(0))));
    OpFoldResult outer = l.min(before, most);
    before = l.mul(outer, l.min(size, most));
  }
  l.check(compare(arith::CmpIPredicate::slt, idle, most),
          "output " + Twine(number) +
              " is empty, and too large in the dimensions before the empty "
              "one");
}

LogicalResult Lowering::begin(bool withHandles) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (!converter.convertType(type) ||
        (!withHandles && !isa<RankedTensorType>(operands[i].getType())))
      return fail("input " + Twine(i) + " of type " + spellType(type));
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    Type converted = converter.convertType(type);
    if (!converted || (!withHandles && !isa<RankedTensorType>(converted)))
      return fail("output " + Twine(i) + " of type " + spellType(type));
    resultTypes.push_back(converted);
  }
  ruleSizes.resize(resultTypes.size());

  auto schema = dyn_cast<SchemaOpInterface>(op);
  if (!schema || withHandles)
    return success();
  rule = std::make_unique<Rule>(
      *this,
      std::max<unsigned>(schema.getResultSpecs().size(), op->getNumResults()));
  if (failed(schema.applyShapeRule(*rule, operands)))
    return rule->error.empty() ? fail("its shape rule does not hold")
                               : invalid(rule->error);
  unsigned next = 0;
  for (auto [formal, count] : llvm::enumerate(getResultSegments(op)))
    for (int i = 0; i < count; ++i, ++next) {
      FailureOr<SmallVector<OpFoldResult>> dims =
          rule->getResultDims(formal + i);
      if (failed(dims))
        continue;
      ruleSizes[next] = Sizes(*dims);
      bool isFed = false;
      for (auto [axis, size] : llvm::enumerate(*dims))
        if (!isNonNegative(size, /*depth=*/8)) {
          isFed = true;
          Value number = asValue(size);
          check(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                              number, index(0)),
                "dimension " + Twine(axis) + " of output " + Twine(next) +
                    " must not be negative");
        }
      if (isFed && dims->size() > 1)
        checkIdleLoops(*this, *dims, next);
    }
  return success();
}

LogicalResult Lowering::setLength(unsigned index, int64_t length) {
  Value operand = operands[index];
  if (rank(operand) != 1 || !typeOf(operand).isDynamicDim(0))
    return success();
  if (length < 0)
    return invalid("input " + Twine(index) +
                   " cannot have the length that the ranks ask for");
  checkEqual(dim(operand, 0), attr(length),
             "input " + Twine(index) + " must have " + Twine(length) +
                 " elements to match the ranks");
  operands[index] =
      castTo(operand, RankedTensorType::get({length}, elementType(operand)));
  resultTypes.clear();
  return begin();
}

Lowering::~Lowering() = default;

ShapeBuilder &Lowering::shapes() { return *rule; }

OpFoldResult Lowering::asIndex(const Dim &dim) { return rule->read(dim); }

bool Lowering::isUnsigned(unsigned index) const {
  auto type = dyn_cast<TensorType>(op->getOperand(index).getType());
  return type && type.getElementType().isUnsignedInteger();
}

FailureOr<Sizes> Lowering::resultSizes(unsigned index) {
  RankedTensorType type = resultType(index);
  Sizes sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    OpFoldResult said;
    if (ruleSizes[index] && int64_t(ruleSizes[index]->size()) == type.getRank())
      said = (*ruleSizes[index])[i];
    if (type.isDynamicDim(i)) {
      if (!said)
        return fail("dimension " + Twine(i) + " of output " + Twine(index) +
                    " cannot be computed");
      sizes.push_back(said);
      continue;
    }
    // What the model declares beyond the rule is checked when run.
    if (said && isa<Value>(said))
      checkEqual(said, attr(type.getDimSize(i)),
                 "dimension " + Twine(i) + " of output " + Twine(index) +
                     " must be " + Twine(type.getDimSize(i)) +
                     ", as the model declares");
    sizes.push_back(attr(type.getDimSize(i)));
  }
  return sizes;
}

Value Lowering::withoutElements(Value tensor) {
  RankedTensorType type = typeOf(tensor);
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(dim(tensor, i));
  return castTo(empty(sizes, type.getElementType()), type);
}

LogicalResult Lowering::replace(ValueRange values) {
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(values, resultTypes)) {
    if (!isa<RankedTensorType>(type)) {
      results.push_back(value);
      continue;
    }
    // What the model declares and no rule infers is checked when run.
    Value result = asDeclared(value, cast<RankedTensorType>(type), "an output");
    // Without elements there is nothing to compute, and no slice to take.
    if (llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0) &&
        value.getDefiningOp<linalg::LinalgOp>())
      result = withoutElements(result);
    results.push_back(result);
  }
  b.replaceOp(op, results);
  return success();
}

Value Lowering::asDeclared(Value tensor, RankedTensorType type,
                           const Twine &what) {
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!type.isDynamicDim(i) && typeOf(tensor).isDynamicDim(i))
      checkEqual(dim(tensor, i), attr(type.getDimSize(i)),
                 "dimension " + Twine(i) + " of " + what + " must be " +
                     Twine(type.getDimSize(i)) + ", as the model declares");
  return castTo(tensor, type);
}

void Lowering::check(Value condition, const Twine &message) {
  if (matchPattern(condition, m_One()))
    return;
  cf::AssertOp::create(b, loc, condition,
                       (describeNode(op) + ": " + message).str());
}

void Lowering::checkEqual(OpFoldResult x, OpFoldResult y,
                          const Twine &message) {
  if (isSameIndex(x, y))
    return;
  Value left = asValue(x);
  check(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, left,
                                      asValue(y)),
        message);
}

//===----------------------------------------------------------------------===//
// Calls of the runtime
//===----------------------------------------------------------------------===//

SmallVector<Value> Lowering::call(StringRef name, ValueRange inputs,
                                  ValueRange outs, TypeRange made,
                                  ArrayRef<int32_t> dtypes, bool stateful) {
  SmallVector<Type> types(TypeRange{outs});
  llvm::append_range(types, made);
  auto call = rt::CallOp::create(
      b, loc, types, b.getStringAttr(name), inputs, outs,
      dtypes.empty() ? DenseI32ArrayAttr() : b.getDenseI32ArrayAttr(dtypes),
      b.getStringAttr(describeNode(op) + ": "),
      stateful ? b.getUnitAttr() : UnitAttr());
  return SmallVector<Value>(call.getResults());
}

static int32_t getElementDtype(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? getDataType(tensor.getElementType()) : 0;
}

int32_t Lowering::operandDtype(unsigned index) const {
  return getElementDtype(op->getOperand(index).getType());
}

int32_t Lowering::resultDtype(unsigned index) const {
  return getElementDtype(op->getResult(index).getType());
}

Value Lowering::box(Value tensor, int32_t dtype) {
  return call("box", tensor, {}, getHandleType(b.getContext()), {dtype, 0})
      .front();
}

Value Lowering::unbox(Value handle, RankedTensorType type, int32_t dtype) {
  return call("unbox", handle, {}, type, {0, dtype}).front();
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value Lowering::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value Lowering::asValue(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return index(*getConstantIntValue(size));
}

/// The tensor and dimension that `tensor`'s dimension `index` is taken from,
/// or, where the IR says it, the size itself.
static OpFoldResult traceDim(Value &tensor, int64_t &index) {
  while (true) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(index))
      return IntegerAttr::get(IndexType::get(type.getContext()),
                              type.getDimSize(index));
    Operation *def = tensor.getDefiningOp();
    if (!def)
      return {};
    if (auto castOp = dyn_cast<tensor::CastOp>(def)) {
      tensor = castOp.getSource();
    } else if (auto structured = dyn_cast<DestinationStyleOpInterface>(def)) {
      tensor =
          structured.getDpsInits()[cast<OpResult>(tensor).getResultNumber()];
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(def)) {
      return empty.getDynamicSize(index);
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(def)) {
      return expand.getMixedOutputShape()[index];
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      int64_t from = 0;
      for (int64_t kept = index; dropped.test(from) || kept > 0; ++from)
        kept -= !dropped.test(from);
      return slice.getMixedSizes()[from];
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(def)) {
      ReassociationIndices group = collapse.getReassociationIndices()[index];
      // Only dimensions of size 1 beside one other.
      int64_t kept = -1;
      for (int64_t from : group) {
        if (collapse.getSrcType().getDimSize(from) == 1)
          continue;
        if (kept >= 0)
          return {};
        kept = from;
      }
      if (kept < 0)
        return IntegerAttr::get(IndexType::get(type.getContext()), 1);
      tensor = collapse.getSrc();
      index = kept;
    } else {
      return {};
    }
  }
}

/// The runtime has checked that equal symbols of the entry's inputs are equal
/// sizes: the first one stands for all.
static void traceSymbol(Value &tensor, int64_t &index) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return;
  Operation *function = argument.getOwner()->getParentOp();
  if (!isa_and_nonnull<FunctionOpInterface>(function) ||
      !function->hasAttr(program::entry))
    return;
  SignatureAttr signature = SignatureAttr::of(function);
  auto symbols = [&](unsigned i) {
    ValueInfoAttr info = signature ? signature.getArgument(i) : ValueInfoAttr();
    return info ? info.getSymbols() : ArrayAttr();
  };
  auto own = symbols(argument.getArgNumber());
  auto symbol = own && index < int64_t(own.size())
                    ? dyn_cast<StringAttr>(own[index])
                    : StringAttr();
  if (!symbol || symbol.empty())
    return;
  for (BlockArgument other : argument.getOwner()->getArguments()) {
    ArrayAttr names = symbols(other.getArgNumber());
    if (!names)
      continue;
    for (auto [i, name] : llvm::enumerate(names)) {
      auto type = dyn_cast<RankedTensorType>(other.getType());
      if (name == symbol && type && int64_t(i) < type.getRank()) {
        tensor = other;
        index = i;
        return;
      }
    }
  }
}

/// A size times a number, one value for all who ask: it stands right behind the
/// size.
static OpFoldResult multiple(Lowering &l, Value size, int64_t factor) {
  OpBuilder::InsertionGuard guard(l.b);
  l.b.setInsertionPointAfterValue(size);
  for (Block::iterator it = l.b.getInsertionPoint(),
                       end = l.b.getBlock()->end();
       it != end && isa<arith::ConstantOp, arith::MulIOp, tensor::DimOp>(*it);
       ++it)
    if (auto mul = dyn_cast<arith::MulIOp>(*it);
        mul && mul.getLhs() == size &&
        getConstantIntValue(mul.getRhs()) == factor)
      return mul.getResult();
  return l.mul(size, l.attr(factor));
}

/// Dimensions that were joined, as their product: what is flattened and set up
/// again has the sizes that it had. Known ones are one factor, the last.
static OpFoldResult joinedSize(Lowering &l, tensor::CollapseShapeOp collapse,
                               int64_t index) {
  OpBuilder::InsertionGuard guard(l.b);
  l.b.setInsertionPointAfter(collapse);
  OpFoldResult open = l.attr(1);
  int64_t known = 1;
  ReassociationIndices group = collapse.getReassociationIndices()[index];
  for (int64_t from : group) {
    OpFoldResult size = l.dim(collapse.getSrc(), from);
    if (std::optional<int64_t> number = getConstantIntValue(size))
      known *= *number; // no overflow: a tensor of these sizes was made
    else
      open = l.mul(open, size);
  }
  auto value = dyn_cast<Value>(open);
  return value ? multiple(l, value, known) : l.attr(known);
}

OpFoldResult onnxc::traceSize(Value &tensor, int64_t &index) {
  if (OpFoldResult known = traceDim(tensor, index))
    return isa<Value>(known) ? getAsOpFoldResult(cast<Value>(known)) : known;
  traceSymbol(tensor, index);
  return {};
}

OpFoldResult Lowering::dim(Value tensor, int64_t index) {
  if (OpFoldResult known = traceSize(tensor, index))
    return known;
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    return joinedSize(*this, collapse, index);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(index))
    return attr(type.getDimSize(index));
  // Dims stand right behind their tensor, where all users can share them.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(tensor);
  for (Block::iterator it = b.getInsertionPoint(), end = b.getBlock()->end();
       it != end && isa<arith::ConstantOp, tensor::DimOp>(*it); ++it) {
    auto dim = dyn_cast<tensor::DimOp>(*it);
    if (dim && dim.getSource() == tensor && dim.getConstantIndex() == index)
      return dim.getResult();
  }
  return tensor::DimOp::create(b, loc, tensor, index).getResult();
}

Sizes Lowering::sizes(Value tensor) {
  Sizes all;
  for (int64_t i = 0, e = rank(tensor); i < e; ++i)
    all.push_back(dim(tensor, i));
  return all;
}

template <typename Op>
static OpFoldResult fold(Lowering &l, OpFoldResult x, OpFoldResult y) {
  Value first = l.asValue(x);
  return getAsOpFoldResult(l.b.createOrFold<Op>(l.loc, first, l.asValue(y)));
}

OpFoldResult Lowering::add(OpFoldResult x, OpFoldResult y) {
  return fold<arith::AddIOp>(*this, x, y);
}
OpFoldResult Lowering::sub(OpFoldResult x, OpFoldResult y) {
  return fold<arith::SubIOp>(*this, x, y);
}
OpFoldResult Lowering::mul(OpFoldResult x, OpFoldResult y) {
  return fold<arith::MulIOp>(*this, x, y);
}
OpFoldResult Lowering::floorDiv(OpFoldResult x, OpFoldResult y) {
  return fold<arith::FloorDivSIOp>(*this, x, y);
}
OpFoldResult Lowering::ceilDiv(OpFoldResult x, OpFoldResult y) {
  return fold<arith::CeilDivSIOp>(*this, x, y);
}
OpFoldResult Lowering::max(OpFoldResult x, OpFoldResult y) {
  return fold<arith::MaxSIOp>(*this, x, y);
}
OpFoldResult Lowering::min(OpFoldResult x, OpFoldResult y) {
  return fold<arith::MinSIOp>(*this, x, y);
}

OpFoldResult Lowering::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult result = attr(1);
  for (OpFoldResult size : sizes)
    result = mul(result, size);
  return result;
}

static bool isSameValue(Value a, Value b, unsigned depth) {
  auto simplify = [&](Value value) {
    // max of two broadcast sizes that are the same one.
    if (auto select = value.getDefiningOp<arith::SelectOp>())
      if (depth &&
          isSameValue(select.getTrueValue(), select.getFalseValue(), depth - 1))
        return select.getTrueValue();
    return value;
  };
  a = simplify(a);
  b = simplify(b);
  if (a == b)
    return true;
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x || y)
    return x == y;
  Operation *p = a.getDefiningOp(), *q = b.getDefiningOp();
  if (!depth || !p || !q || p->getName() != q->getName() ||
      p->getNumOperands() != q->getNumOperands() || p->getNumRegions() != 0 ||
      p->getNumResults() != 1 ||
      p->getAttrDictionary() != q->getAttrDictionary() || !isPure(p))
    return false;
  return llvm::all_of(
      llvm::zip(p->getOperands(), q->getOperands()), [&](auto pair) {
        return isSameValue(std::get<0>(pair), std::get<1>(pair), depth - 1);
      });
}

bool onnxc::isSameIndex(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x || y)
    return x == y;
  return isSameValue(cast<Value>(a), cast<Value>(b), 6);
}

//===----------------------------------------------------------------------===//
// Shape-like tensors
//===----------------------------------------------------------------------===//

bool Lowering::isShapeLike(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() <= 1 &&
         tensor.getNumElements() <= 16 &&
         tensor.getElementType().isSignlessInteger();
}

SmallVector<Value> Lowering::scalars(Value shapeLike) {
  SmallVector<Value> all;
  for (int64_t i = 0, e = typeOf(shapeLike).getNumElements(); i < e; ++i)
    all.push_back(scalar(shapeLike, i));
  return all;
}

Value Lowering::scalar(Value tensor, int64_t at) {
  if (std::optional<int64_t> known = getConstantInteger(tensor, at)) {
    Type element = elementType(tensor);
    if (element.isSignlessInteger())
      return constant(b.getIntegerAttr(element, *known));
  }
  if (auto elements = tensor.getDefiningOp<tensor::FromElementsOp>())
    return elements.getElements()[at];
  SmallVector<Value> where(rank(tensor), nullptr);
  for (int64_t i = rank(tensor) - 1; i >= 0; --i) {
    int64_t place = i == rank(tensor) - 1 ? at : 0;
    where[i] = index(place);
    OpFoldResult size = dim(tensor, i);
    if (getConstantIntValue(size).value_or(0) <= place)
      check(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                          where[i], asValue(size)),
            "a number is missing: an input is empty or too short");
  }
  return b.createOrFold<tensor::ExtractOp>(loc, tensor, where);
}

Value Lowering::fromScalars(RankedTensorType type, ValueRange scalars) {
  return b.createOrFold<tensor::FromElementsOp>(loc, type, scalars);
}

/// Collects what a 64-bit integer is computed of, each value behind its
/// operands; false if something else than sizes takes part.
static bool collectArithmeticOfSizes(Value integer, SetVector<Value> &values,
                                     unsigned depth = 8) {
  if (values.contains(integer))
    return true;
  Operation *op = integer.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto cast = dyn_cast<arith::IndexCastOp>(op);
  bool isSize = cast && cast.getIn().getType().isIndex();
  if (!isSize && !getConstantIntValue(integer) &&
      !(isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
        llvm::all_of(op->getOperands(), [&](Value operand) {
          return collectArithmeticOfSizes(operand, values, depth - 1);
        })))
    return false;
  values.insert(integer);
  return true;
}

/// The index that a 64-bit integer is which is computed of sizes, computed of
/// them: the bits are the same. Null if something else takes part.
static Value computeAsIndex(OpBuilder &b, Location loc, Value integer) {
  SetVector<Value> values;
  if (!collectArithmeticOfSizes(integer, values))
    return {};
  IRMapping indices;
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
      indices.map(value, cast.getIn());
      continue;
    }
    if (std::optional<int64_t> known = getConstantIntValue(value)) {
      indices.map(value, arith::ConstantIndexOp::create(b, loc, *known));
      continue;
    }
    Value x = indices.lookup(op->getOperand(0)),
          y = indices.lookup(op->getOperand(1));
    indices.map(value, isa<arith::AddIOp>(op)
                           ? b.createOrFold<arith::AddIOp>(loc, x, y)
                       : isa<arith::SubIOp>(op)
                           ? b.createOrFold<arith::SubIOp>(loc, x, y)
                           : b.createOrFold<arith::MulIOp>(loc, x, y));
  }
  return indices.lookup(integer);
}

OpFoldResult Lowering::asIndex(Value element) {
  // A size on its way through an integer tensor is that size.
  if (auto cast = element.getDefiningOp<arith::IndexCastOp>())
    if (cast.getIn().getType().isIndex() && element.getType().isInteger(64))
      return getAsOpFoldResult(cast.getIn());
  if (element.getType().isIndex())
    return getAsOpFoldResult(element);
  if (element.getType().isInteger(64))
    if (Value computed = computeAsIndex(b, loc, element))
      return getAsOpFoldResult(computed);
  return getAsOpFoldResult(
      b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), element));
}

Value Lowering::asElement(OpFoldResult index, Type type) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return constant(b.getIntegerAttr(type, *known));
  return b.createOrFold<arith::IndexCastOp>(loc, type, cast<Value>(index));
}

Sizes Lowering::indices(Value shapeLike) {
  Sizes all;
  for (int64_t i = 0, e = typeOf(shapeLike).getNumElements(); i < e; ++i)
    all.push_back(asIndex(scalar(shapeLike, i)));
  return all;
}

std::optional<SmallVector<int64_t>> Lowering::constants(Value shapeLike) {
  auto type = typeOf(shapeLike);
  if (!type.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> all;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    std::optional<int64_t> known = getConstantInteger(shapeLike, i);
    if (!known)
      if (auto elements = shapeLike.getDefiningOp<tensor::FromElementsOp>())
        known = getConstantIntValue(elements.getElements()[i]);
    if (!known)
      return std::nullopt;
    all.push_back(*known);
  }
  return all;
}
