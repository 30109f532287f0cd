//===- OpFacts.cpp - What the records say of ops --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/OpFacts.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
/// What <Family>.facts.inc lists, in the order of ONNX_FactsTable.
struct FactsRow {
  const char *domain;
  const char *onnxName;
  uint32_t flags;
  int shapeOperand;
  OpCost cost;
  std::vector<AttributeFacts> (*attributes)();
};

#include "onnxc/Dialect/ONNX/AllFamilies.facts.inc"

/// By the op's name in the dialect.
using FactsTable = llvm::StringMap<OpFacts>;
} // namespace

/// As ONNX_Op makes it: `ml.Scaler` of ai.onnx.ml.
static std::string getDialectName(StringRef domain, StringRef onnxName) {
  domain.consume_front("ai.onnx.");
  return domain.empty() ? onnxName.str() : (domain + "." + onnxName).str();
}

static void addRows(FactsTable &table, Family family,
                    llvm::ArrayRef<FactsRow> rows) {
  for (const FactsRow &row : rows)
    table.try_emplace(getDialectName(row.domain, row.onnxName),
                      OpFacts{family, row.cost, row.flags, row.shapeOperand,
                              row.attributes()});
}

static const FactsTable &getTable() {
  static const FactsTable table = [] {
    FactsTable built;
#define ONNXC_FAMILY(Name) addRows(built, Family::Name, Name::ONNX_FactsTable);
#include "onnxc/Dialect/ONNX/Families.def"
    return built;
  }();
  return table;
}

static const OpFacts *findFacts(StringRef dialectName) {
  auto found = getTable().find(dialectName);
  return found == getTable().end() ? nullptr : &found->second;
}

const OpFacts *onnxc::getFacts(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.consume_front("onnx.") ? findFacts(name) : nullptr;
}

const OpFacts *onnxc::getFacts(StringRef domain, StringRef onnxName) {
  return findFacts(getDialectName(domain, onnxName));
}

bool onnxc::hasFact(Operation *op, OpFact fact) {
  const OpFacts *facts = op ? getFacts(op) : nullptr;
  return facts && facts->has(fact);
}

bool onnxc::isOfFamily(Operation *op, Family family) {
  const OpFacts *facts = op ? getFacts(op) : nullptr;
  return facts && facts->family == family;
}

Value onnxc::getOperandOfSameShape(Operation *op) {
  if (isa<ScalarOpInterface>(op) && op->getNumOperands() == 1)
    return op->getOperand(0);
  const OpFacts *facts = getFacts(op);
  // The operands up to that one are never left out.
  return facts && facts->has(OpFact::KeepsShape)
             ? op->getOperand(facts->shapeOperand)
             : Value();
}

const AttributeFacts *OpFacts::find(StringRef attribute) const {
  for (const AttributeFacts &facts : attributes)
    if (facts.name == attribute)
      return &facts;
  return nullptr;
}

Value onnxc::getFormal(Operation *op, StringRef name) {
  auto find = [&](auto specs, auto segments, ValueRange values) -> Value {
    unsigned first = 0;
    for (auto [spec, count] : llvm::zip(specs, segments)) {
      if (spec.name == name)
        return count ? values[first] : Value();
      first += count;
    }
    return {};
  };
  auto schema = cast<SchemaOpInterface>(op);
  if (Value operand = find(schema.getOperandSpecs(), getOperandSegments(op),
                           op->getOperands()))
    return operand;
  return find(schema.getResultSpecs(), getResultSegments(op), op->getResults());
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

bool AttributeFacts::isDefault(Attribute value) const {
  if (auto given = dyn_cast<IntegerAttr>(value))
    return given.getType().isInteger(64) && integer == given.getInt();
  if (auto given = dyn_cast<FloatAttr>(value))
    return real && given.getValue().bitwiseIsEqual(llvm::APFloat(*real));
  if (auto given = dyn_cast<StringAttr>(value))
    return text == given.getValue();
  auto list = dyn_cast<DenseI64ArrayAttr>(value);
  if (!list)
    return false;
  if (!permutationOfValue.empty())
    return llvm::all_of(
        llvm::enumerate(llvm::reverse(list.asArrayRef())), [](auto entry) {
          return static_cast<size_t>(entry.value()) == entry.index();
        });
  return each && llvm::all_of(list.asArrayRef(),
                              [&](int64_t entry) { return entry == *each; });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static LogicalResult checkWord(Operation *op, const AttributeFacts &facts,
                               Attribute value) {
  auto word = dyn_cast<StringAttr>(value);
  if (!word || llvm::is_contained(facts.words, word.getValue()))
    return success();
  return op->emitOpError() << "attribute '" << facts.name << "' is '"
                           << word.getValue() << "', expected one of "
                           << llvm::join(facts.words, ", ");
}

static LogicalResult checkNumber(Operation *op, const AttributeFacts &facts,
                                 int64_t value) {
  if (value >= *facts.least && (!facts.greatest || value <= *facts.greatest))
    return success();
  InFlightDiagnostic error = op->emitOpError();
  error << "attribute '" << facts.name << "' is " << value << ", expected ";
  if (!facts.greatest)
    return error << "at least " << *facts.least;
  return error << *facts.least
               << (*facts.greatest == *facts.least + 1 ? " or " : " to ")
               << *facts.greatest;
}

static LogicalResult check(Operation *op, const AttributeFacts &facts) {
  Attribute value = op->getAttr(facts.name);
  if (!facts.words.empty()) {
    if (auto list = dyn_cast<ArrayAttr>(value)) {
      for (Attribute element : list)
        if (failed(checkWord(op, facts, element)))
          return failure();
      return success();
    }
    return checkWord(op, facts, value);
  }
  if (auto number = dyn_cast<IntegerAttr>(value))
    return checkNumber(op, facts, number.getInt());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value))
    for (int64_t number : numbers.asArrayRef())
      if (failed(checkNumber(op, facts, number)))
        return failure();
  return success();
}

LogicalResult onnxc::verifyAttributeValues(Operation *op) {
  const OpFacts *facts = getFacts(op);
  if (!facts)
    return success();
  for (const AttributeFacts &attribute : facts->attributes)
    if ((!attribute.words.empty() || attribute.least) &&
        op->hasAttr(attribute.name) && failed(check(op, attribute)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

static void normalize(Operation *op, const AttributeFacts &facts) {
  bool isPermutation = !facts.permutationOfValue.empty();
  StringRef formal =
      isPermutation ? facts.permutationOfValue : facts.axisOfValue;
  if (formal.empty())
    return;
  Value value = getFormal(op, formal);
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type)
    return;
  Builder builder(op->getContext());
  if (isPermutation) {
    if (op->hasAttr(facts.name))
      return;
    llvm::SmallVector<int64_t> reversed =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    std::reverse(reversed.begin(), reversed.end());
    op->setAttr(facts.name, builder.getDenseI64ArrayAttr(reversed));
    return;
  }
  auto given = op->getAttrOfType<IntegerAttr>(facts.name);
  if (!given && !facts.integer)
    return;
  int64_t axis = given ? given.getInt() : *facts.integer;
  if (axis < 0)
    axis += type.getRank() + facts.addedDims;
  op->setAttr(facts.name, builder.getI64IntegerAttr(axis));
}

void onnxc::normalizeAxes(Operation *op) {
  if (const OpFacts *facts = getFacts(op))
    for (const AttributeFacts &attribute : facts->attributes)
      normalize(op, attribute);
}
