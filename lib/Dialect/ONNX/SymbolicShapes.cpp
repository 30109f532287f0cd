//===- SymbolicShapes.cpp - What is known of open sizes -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/ShapeBuilder.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <array>
#include <deque>
#include <limits>
#include <set>

using namespace mlir;
using namespace onnxc;

using Arith = ShapeBuilder::Arith;
using Relation = ShapeBuilder::Relation;

/// Chains of ops are followed so far: most rewrites ask at each op of a chain.
static constexpr unsigned nearDepth = 64;
/// How much of that two unknown operands of a broadcast use up.
static constexpr unsigned nearForkDepth = 16;
/// The same of few questions in a whole model. It bounds the stack: some
/// hundred layers, each with two sums, are followed.
static constexpr unsigned farDepth = 2048;
static constexpr unsigned farForkDepth = 4;
/// Elements that comparisons ask about while an element is followed.
static constexpr unsigned maxNested = 8;

/// What a rule says of a dimension. The strict reading evaluates it only when
/// asked, so that nothing is followed without need.
struct SymbolicShapes::Node {
  enum class Kind { Number, Dim, Element, Arith, Select, Broadcast };

  Kind kind;
  Arith arith = Arith::Add;
  Relation relation = Relation::Equal;
  /// Of Number: the number; of Dim and Element: which of `value`.
  int64_t index = 0;
  Value value;
  /// Of Dim and Element: what they are computed as, or null.
  std::array<Node *, 4> operands = {};
  /// Null, if so, where it is unknown.
  const Size *size = nullptr;
  bool isEvaluated = false;
};

class SymbolicShapes::Reader {
public:
  Reader(SymbolicShapes &shapes, NameDim nameDim, Reach reach)
      : shapes(shapes), nameDim(std::move(nameDim)),
        maxDepth(reach == Reach::Far ? farDepth : nearDepth),
        forkDepth(reach == Reach::Far ? farForkDepth : nearForkDepth) {}

  bool isStrict() const { return !nameDim; }
  Node *make(Node::Kind kind, ArrayRef<Node *> operands) {
    Node &node = nodes.emplace_back();
    node.kind = kind;
    llvm::copy(operands, node.operands.begin());
    return &node;
  }
  Node *getNumber(int64_t number) {
    Node *node = make(Node::Kind::Number, {});
    node->index = number;
    return node;
  }
  Node *getDim(Value value, int64_t index) {
    return get(dims, Node::Kind::Dim, value, index);
  }
  Node *getElement(Value value, int64_t index);

  const Size *evaluate(Node *node, unsigned depth);

  /// Each size once, so that equal ones have one place.
  const Size *keep(const Size &size) {
    return size.isUnknown() ? nullptr : &*sizes.insert(size).first;
  }
  /// A number that `a - b` is not below; nullopt if none is known.
  std::optional<int64_t> boundDifference(const Size *a, const Size *b) const;
  bool isAtMost(const Size *a, const Size *b) const {
    std::optional<int64_t> bound = boundDifference(b, a);
    return bound && *bound >= 0;
  }
  bool isLess(const Size *a, const Size *b) const {
    std::optional<int64_t> bound = boundDifference(b, a);
    return bound && *bound > 0;
  }

private:
  using Table = llvm::DenseMap<std::pair<Value, int64_t>, Node *>;

  Node *get(Table &table, Node::Kind kind, Value value, int64_t index) {
    Node *&node = table[{value, index}];
    if (!node) {
      node = make(kind, {});
      node->value = value;
      node->index = index;
    }
    return node;
  }
  std::optional<int64_t> getLowerBound(const Size &size) const;
  const Size *makeSymbol(const Node &node);
  const Size *evaluateDim(Node *node, unsigned depth);
  const Size *evaluateArith(Node *node, unsigned depth);
  const Size *evaluateSelect(Node *node, unsigned depth);
  const Size *evaluateBroadcast(Node *node, unsigned depth);
  std::optional<bool> decide(Relation relation, const Size *a,
                             const Size *b) const;
  void applyRule(Operation *op);

  SymbolicShapes &shapes;
  NameDim nameDim;
  /// How many operators back dimensions are followed, and how many of these a
  /// broadcast of two unknown sizes counts for.
  unsigned maxDepth, forkDepth;
  std::deque<Node> nodes;
  std::set<Size> sizes;
  /// Those that are dimensions, which are not negative, whatever they are
  /// computed as.
  llvm::SmallPtrSet<const Size *, 16> ofDims;
  Table dims, elements;
  llvm::SmallPtrSet<Operation *, 16> read;
  unsigned nested = 0;
};

/// Reads one rule. A Dim that is not known is attached a node.
class SymbolicShapes::Builder : public ShapeBuilder {
public:
  Builder(Reader &reader, MLIRContext *context, ValueRange operands,
          unsigned numResults)
      : ShapeBuilder(context, operands, numResults), reader(reader) {}

  /// What the rule says of result `index`; empty if nothing.
  ArrayRef<Dim> getResult(unsigned index) const {
    if (index < results.size() && results[index].dims)
      return *results[index].dims;
    return {};
  }

  /// Null if nothing is known of the dim.
  Node *getNode(const Dim &dim) {
    if (dim.isKnown())
      return reader.getNumber(*dim.getKnown());
    return static_cast<Node *>(const_cast<void *>(getAttached(dim)));
  }

protected:
  Dim dynamicDim(Value value, int64_t index) override {
    return makeDim(reader.getDim(value, index));
  }

  Dim dynamicValue(Value value, int64_t index) override {
    if (!reader.isStrict())
      return followShapeValue(*this, value, index).value_or(unknown());
    Node *element = reader.getElement(value, index);
    if (Node *computed = element->operands[0];
        computed && computed->kind == Node::Kind::Number)
      return constant(computed->index);
    return makeDim(element);
  }

  Dim dynamicArith(Arith kind, const Dim &a, const Dim &b) override {
    Node *x = getNode(a), *y = getNode(b);
    if (!x || !y)
      return unknown();
    Node *node = reader.make(Node::Kind::Arith, {x, y});
    node->arith = kind;
    return makeDim(node);
  }

  Dim dynamicSelect(Relation relation, const Dim &a, const Dim &b,
                    const Dim &yes, const Dim &no) override {
    if (yes.isKnown() && yes.getKnown() == no.getKnown())
      return yes;
    Node *node = reader.make(Node::Kind::Select, {getNode(a), getNode(b),
                                                  getNode(yes), getNode(no)});
    node->relation = relation;
    return makeDim(node);
  }

  Dim dynamicBroadcast(const Dim &a, const Dim &b,
                       const llvm::Twine &) override {
    if (b.isKnown()) // and not 1, see ShapeBuilder::broadcast
      return b;
    if (!reader.isStrict())
      return a;
    Node *x = getNode(a), *y = getNode(b);
    if (!x || !y)
      return unknown();
    return makeDim(reader.make(Node::Kind::Broadcast, {x, y}));
  }

private:
  /// The lenient reading is asked about all dims in order, and can tell a rule
  /// at once which are numbers.
  Dim makeDim(Node *node) {
    if (reader.isStrict())
      return ShapeBuilder::makeDim(node);
    const Size *size = reader.evaluate(node, 0);
    if (!size)
      return unknown();
    if (std::optional<int64_t> number = size->getNumber())
      return constant(*number);
    return ShapeBuilder::makeDim(node);
  }

  Reader &reader;
};

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The name that the model gives to a dimension of its input.
static StringRef getDimName(Value value, int64_t index) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast_or_null<FunctionOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : FunctionOpInterface();
  if (!function || !function->hasAttr(model::entry))
    return {};
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    model::dimParams);
  if (!names || index < 0 || index >= static_cast<int64_t>(names.size()))
    return {};
  auto name = dyn_cast<StringAttr>(names[index]);
  return name ? name.getValue() : StringRef();
}

/// In the strict reading a symbol starts with what it is, so that no name of
/// the model is taken for another.
static constexpr char namedSymbol = 'n', dimSymbol = 'd', elementSymbol = 'e';

const Size *SymbolicShapes::Reader::makeSymbol(const Node &node) {
  StringRef name = node.kind == Node::Kind::Dim
                       ? getDimName(node.value, node.index)
                       : StringRef();
  if (!isStrict())
    return keep(name.empty() ? nameDim(node.value, node.index)
                             : Size::symbol(name));
  if (!name.empty())
    return keep(Size::symbol((Twine(namedSymbol) + name).str()));
  char start = node.kind == Node::Kind::Dim ? dimSymbol : elementSymbol;
  return keep(Size::symbol(start + std::to_string(sizes.size())));
}

std::optional<int64_t>
SymbolicShapes::Reader::getLowerBound(const Size &size) const {
  if (!isStrict())
    return size.getLowerBound(2);
  // Elements may be negative.
  if (size.hasSymbol(
          [](StringRef symbol) { return symbol.front() == elementSymbol; }))
    return std::nullopt;
  return size.getLowerBound(0);
}

std::optional<int64_t>
SymbolicShapes::Reader::boundDifference(const Size *a, const Size *b) const {
  std::optional<int64_t> bound = getLowerBound(*a - *b);
  // An empty optional is less than any other.
  return ofDims.contains(a) ? std::max(bound, getLowerBound(Size(0) - *b))
                            : bound;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

SymbolicShapes::Node *SymbolicShapes::Reader::getElement(Value value,
                                                         int64_t index) {
  size_t known = elements.size();
  Node *node = get(elements, Node::Kind::Element, value, index);
  if (elements.size() == known || nested == maxNested)
    return node;
  ++nested;
  Builder builder(*this, value.getContext(), {}, 0);
  if (std::optional<Dim> followed =
          followShapeValue(builder, value, index, &shapes))
    node->operands[0] = builder.getNode(*followed);
  --nested;
  return node;
}

/// The nodes of all dims of an op's results.
void SymbolicShapes::Reader::applyRule(Operation *op) {
  auto schema = dyn_cast<SchemaOpInterface>(op);
  if (!schema || !read.insert(op).second)
    return;
  Builder builder(
      *this, op->getContext(), op->getOperands(),
      std::max<unsigned>(schema.getResultSpecs().size(), op->getNumResults()));
  if (failed(schema.applyShapeRule(builder, op->getOperands())))
    return;
  unsigned next = 0;
  for (auto [formal, count] : llvm::enumerate(getResultSegments(op)))
    for (int i = 0; i < count; ++i) {
      Value result = op->getResult(next++);
      auto type = dyn_cast<RankedTensorType>(result.getType());
      ArrayRef<Dim> dims = builder.getResult(formal + i);
      if (!type || type.getRank() != static_cast<int64_t>(dims.size()))
        continue;
      for (auto [index, dim] : llvm::enumerate(dims))
        if (type.isDynamicDim(index))
          getDim(result, index)->operands[0] = builder.getNode(dim);
    }
}

const Size *SymbolicShapes::Reader::evaluateDim(Node *node, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(node->value.getType());
  if (type && node->index >= 0 && node->index < type.getRank()) {
    if (!type.isDynamicDim(node->index))
      return keep(type.getDimSize(node->index));
    Operation *op = node->value.getDefiningOp();
    if (op && depth < maxDepth) {
      applyRule(op);
      if (Node *dim = node->operands[0])
        if (const Size *size = evaluate(dim, depth + 1))
          return size;
    }
  }
  return makeSymbol(*node);
}

const Size *SymbolicShapes::Reader::evaluateArith(Node *node, unsigned depth) {
  const Size *a = evaluate(node->operands[0], depth);
  const Size *b = a ? evaluate(node->operands[1], depth) : a;
  if (!a || !b)
    return nullptr;
  switch (node->arith) {
  case Arith::Add:
    return keep(*a + *b);
  case Arith::Sub:
    return keep(*a - *b);
  case Arith::Mul:
    return keep(*a * *b);
  case Arith::FloorDiv:
  case Arith::CeilDiv: {
    std::optional<int64_t> divisor = b->getNumber();
    if (isStrict() && !(divisor && *divisor > 0 && a->isMultipleOf(*divisor)))
      return nullptr;
    return keep(node->arith == Arith::FloorDiv ? a->floorDiv(*b)
                                               : a->ceilDiv(*b));
  }
  case Arith::Min:
  case Arith::Max: {
    bool wantsMin = node->arith == Arith::Min;
    if (!isStrict())
      return keep(wantsMin ? Size::min(*a, *b) : Size::max(*a, *b));
    if (isAtMost(a, b))
      return wantsMin ? a : b;
    return isAtMost(b, a) ? (wantsMin ? b : a) : nullptr;
  }
  }
  return nullptr;
}

std::optional<bool> SymbolicShapes::Reader::decide(Relation relation,
                                                   const Size *a,
                                                   const Size *b) const {
  if (a == b)
    return relation != Relation::Less;
  std::optional<int64_t> above = boundDifference(a, b),
                         below = boundDifference(b, a);
  bool isGreater = above && *above > 0, isLess = below && *below > 0;
  if (relation == Relation::Equal)
    return isGreater || isLess ? std::optional(false) : std::nullopt;
  if (isGreater || (relation == Relation::Less && above && *above >= 0))
    return false;
  if (isLess || (relation == Relation::LessEqual && below && *below >= 0))
    return true;
  return std::nullopt;
}

const Size *SymbolicShapes::Reader::evaluateSelect(Node *node, unsigned depth) {
  auto [a, b, yes, no] = node->operands;
  auto get = [&](Node *operand) {
    return operand ? evaluate(operand, depth) : nullptr;
  };
  const Size *left = get(a), *right = left ? get(b) : nullptr;
  std::optional<bool> holds =
      left && right ? decide(node->relation, left, right) : std::nullopt;
  if (holds)
    return get(*holds ? yes : no);
  const Size *size = get(yes), *other = size ? get(no) : nullptr;
  if (!size || !other || size == other)
    return other;
  // Of two of which one is at most the other, Less fails only where they are
  // equal: -n < 0 ? 0 : -n is 0.
  bool isLessOrSame = node->relation == Relation::Less && left && right &&
                      isAtMost(left, right);
  const Size *difference = keep(*other - *size);
  bool isSame = isLessOrSame && difference &&
                (difference == keep(*left - *right) ||
                 difference == keep(*right - *left));
  return isSame ? size : nullptr;
}

const Size *SymbolicShapes::Reader::evaluateBroadcast(Node *node,
                                                      unsigned depth) {
  const Size *a = evaluate(node->operands[0], depth + forkDepth);
  const Size *b = evaluate(node->operands[1], depth + forkDepth);
  if (a && b && a == b)
    return a;
  for (auto [size, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!size)
      continue;
    if (size->getNumber() == 1)
      return other;
    // Where one is not 1, the other is 1 or the same. A number that is 0 is the
    // result as well.
    std::optional<int64_t> bound = getLowerBound(*size);
    if (size->getNumber() || (bound && *bound > 1))
      return size;
  }
  return nullptr;
}

const Size *SymbolicShapes::Reader::evaluate(Node *node, unsigned depth) {
  if (node->isEvaluated)
    return node->size;
  const Size *size = nullptr;
  switch (node->kind) {
  case Node::Kind::Number:
    size = keep(node->index);
    break;
  case Node::Kind::Dim:
    size = evaluateDim(node, depth);
    ofDims.insert(size);
    break;
  case Node::Kind::Element:
    if (node->operands[0])
      size = evaluate(node->operands[0], depth);
    if (!size)
      size = makeSymbol(*node);
    break;
  case Node::Kind::Arith:
    size = evaluateArith(node, depth);
    break;
  case Node::Kind::Select:
    size = evaluateSelect(node, depth);
    break;
  case Node::Kind::Broadcast:
    size = evaluateBroadcast(node, depth);
    break;
  }
  node->size = size;
  node->isEvaluated = true;
  return size;
}

//===----------------------------------------------------------------------===//
// What passes ask
//===----------------------------------------------------------------------===//

SymbolicShapes::SymbolicShapes(Reach reach)
    : reader(std::make_unique<Reader>(*this, NameDim(), reach)) {}
SymbolicShapes::SymbolicShapes(NameDim nameDim)
    : reader(std::make_unique<Reader>(*this, std::move(nameDim), Reach::Near)) {
}
SymbolicShapes::~SymbolicShapes() = default;

SymbolicDim SymbolicShapes::getDim(Value value, int64_t index) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && index >= 0 && index < type.getRank() && !type.isDynamicDim(index))
    return type.getDimSize(index);
  return SymbolicDim(reader->evaluate(reader->getDim(value, index), 0));
}

std::optional<SmallVector<SymbolicDim>> SymbolicShapes::getDims(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  SmallVector<SymbolicDim> dims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    dims.push_back(getDim(value, i));
  return dims;
}

SymbolicDim SymbolicShapes::getElement(Value value, int64_t index) {
  if (std::optional<int64_t> known = getConstantInteger(value, index))
    return *known;
  return SymbolicDim(reader->evaluate(reader->getElement(value, index), 0));
}

std::optional<SmallVector<SymbolicDim>>
SymbolicShapes::getElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<SymbolicDim> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(getElement(value, i));
  return elements;
}

Size SymbolicShapes::getSize(const SymbolicDim &dim) const {
  return dim.known ? Size(*dim.known) : *dim.size;
}

bool SymbolicShapes::isSame(const SymbolicDim &a, const SymbolicDim &b) const {
  if (a.known || b.known)
    return a.known == b.known;
  return a.size == b.size;
}

bool SymbolicShapes::isSameDim(Value a, int64_t i, Value b, int64_t j) {
  return isSame(getDim(a, i), getDim(b, j));
}

bool SymbolicShapes::isSameShape(Value a, Value b) {
  auto left = dyn_cast<RankedTensorType>(a.getType()),
       right = dyn_cast<RankedTensorType>(b.getType());
  if (!left || !right || left.getRank() != right.getRank())
    return false;
  // What types tell is compared first: nothing need be read for it.
  if (failed(verifyCompatibleShape(left.getShape(), right.getShape())))
    return false;
  if (a == b)
    return true;
  return llvm::all_of(llvm::seq(left.getRank()),
                      [&](int64_t i) { return isSameDim(a, i, b, i); });
}

bool SymbolicShapes::divides(int64_t divisor, const SymbolicDim &dim) const {
  return divisor > 0 && getSize(dim).isMultipleOf(divisor);
}

bool SymbolicShapes::isAtMost(const SymbolicDim &a,
                              const SymbolicDim &b) const {
  if (a.known && b.known)
    return *a.known <= *b.known;
  return b.is(std::numeric_limits<int64_t>::max()) ||
         reader->isAtMost(reader->keep(getSize(a)), reader->keep(getSize(b)));
}

bool SymbolicShapes::isLess(const SymbolicDim &a, const SymbolicDim &b) const {
  if (a.known && b.known)
    return *a.known < *b.known;
  return reader->isLess(reader->keep(getSize(a)), reader->keep(getSize(b)));
}
