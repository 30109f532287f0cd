//===- ConstantFold.cpp - Ops on constants are computed -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers, of which shape computations consist, and what only changes
// the shape of a constant are folded here. All else is computed by the code
// that the compiler makes at -O0 (EvaluatorInterface), so that it is the same
// bit by bit. A piece of code is an op with the types of its operands, and is
// compiled once however many ops it is the code of; operands that shapes may
// depend on are part of it.
//
//===----------------------------------------------------------------------===//

#include "FoldRules.h"
#include "RefineTypes.h"
#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace onnxc {
#define GEN_PASS_DEF_CONSTANTFOLD
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// As memory; nullopt for data that are not there.
static std::optional<TensorValue> toValue(ElementsAttr constant) {
  auto type = dyn_cast_or_null<RankedTensorType>(constant ? constant.getType()
                                                          : ShapedType());
  if (!type)
    return std::nullopt;
  TensorValue value;
  value.type = type;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(constant)) {
    for (StringRef text : strings.getValues<StringRef>())
      value.texts.push_back(text.str());
    return value;
  }
  std::optional<Elements> elements = Elements::get(constant);
  if (!elements)
    return std::nullopt;
  // no overflow: the constant is in memory
  size_t bytes = elements->size() * elements->getElementBytes();
  // What is unpacked here lives no longer than `elements`.
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  bool isPacked = resource ? getPackedData(resource).has_value()
                           : type.getElementType().isInteger(1);
  if (!elements->isSplat() && !isPacked) {
    value.bytes = elements->getRaw();
    return value;
  }
  value.owned = std::make_shared<std::vector<char>>();
  value.owned->reserve(bytes);
  while (bytes > value.owned->size())
    llvm::append_range(*value.owned, elements->getRaw());
  value.bytes = *value.owned;
  return value;
}

/// One number of many is kept as one.
static ElementsAttr toAttribute(const TensorValue &value) {
  if (isa<StringType>(value.type.getElementType()))
    return DenseStringElementsAttr::get(
        value.type,
        SmallVector<StringRef>(value.texts.begin(), value.texts.end()));
  Elements elements = Elements::of(value.type, value.bytes);
  if (elements.size() > 1 && elements.allEqual())
    return makeSplat(value.type, elements.getBytes(0));
  return makeElements(value.type, value.bytes);
}

static int64_t countBytes(const TensorValue &value) {
  int64_t bytes = value.bytes.size();
  for (const std::string &text : value.texts)
    bytes += text.size() + 1;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

namespace {
/// Ops that are computed together: one, or several that hand sequences or
/// optionals to each other.
struct Unit {
  SmallVector<Operation *, 1> ops;
  /// Tensors that enter, each once.
  SmallVector<Value> inputs;
  /// Tensors that others use.
  SmallVector<OpResult, 1> outputs;
  /// Of the kernel; empty until all that it depends on is known.
  std::string key;
  /// Numbers of the inputs that are arguments of the kernel, and their types.
  SmallVector<unsigned> arguments;
  SmallVector<Type> argumentTypes;
  bool isDone = false;
  bool isGivenUp = false;
};

/// Folds what can be of a module.
class Folder {
public:
  Folder(ModuleOp module, const RewriteOptions &options)
      : module(module), options(options),
        evaluator(module.getContext()
                      ->getLoadedDialect<ONNXDialect>()
                      ->getRegisteredInterface<EvaluatorInterface>()) {}

  int64_t run() {
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        foldNatively(func.getBody());
    if (evaluator) {
      for (auto func : module.getOps<func::FuncOp>())
        if (!func.isExternal())
          collect(func.getBody());
      makeUnits();
      compute();
      replace();
    }
    return changes;
  }

private:
  //===--------------------------------------------------------------------===//
  // Without code
  //===--------------------------------------------------------------------===//

  void foldNatively(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          foldNatively(inner);
        if (isa<IdentityOp>(op) && isConstant(op.getOperand(0)) &&
            fits(op.getResult(0), op.getOperand(0).getType())) {
          op.replaceAllUsesWith(op.getOperands());
          op.erase();
          ++changes;
          continue;
        }
        if (isa<SchemaOpInterface>(op) && op.getNumResults() == 1 &&
            op.getNumOperands() > 0 && !isa<ConstantOp>(op) &&
            llvm::all_of(op.getOperands(), isConstant))
          if (ElementsAttr folded = foldNatively(&op))
            replaceBy(&op, folded);
      }
  }

  static ElementsAttr foldNatively(Operation *op) {
    Value result = op->getResult(0);
    if (hasFact(op, OpFact::Reshapes)) {
      SmallVector<Type> types;
      if (failed(inferResultTypes(op, types, [](const llvm::Twine &) {})))
        return {};
      auto type = dyn_cast_or_null<RankedTensorType>(types[0]);
      return type && type.hasStaticShape()
                 ? reshapeElements(getConstant(op->getOperand(0)),
                                   type.getShape())
                 : ElementsAttr();
    }
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !type.hasStaticShape() ||
        type.getNumElements() > maxNativeElements || !isDeterministic(op))
      return {};
    return getKnownElements(result);
  }

  /// Whether a constant of this type may stand for the result.
  static bool fits(Value result, Type type) {
    return type == result.getType() ||
           (joinTypes(result.getType(), type) && !isSeenByCalls(result));
  }

  void replaceBy(Operation *op, ElementsAttr value) {
    OpResult result = op->getResult(0);
    if (!fits(result, value.getType()))
      return;
    if (result.use_empty() ||
        failed(replaceUses(result, value, [](OpOperand &) { return true; })))
      return;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    eraseUnused(operands);
    ++changes;
  }

  LogicalResult replaceUses(OpResult result, ElementsAttr value,
                            llvm::function_ref<bool(OpOperand &)> which) {
    if (!canHoldConstant(value.getElementType(), result.getOwner(), options))
      return failure();
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      if (which(use))
        uses.push_back(&use);
    Value constant = makeConstant(result, value);
    if (succeeded(tryReplaceUses(uses, constant)))
      return success();
    constant.getDefiningOp()->erase();
    return failure();
  }

  /// Constants that only a folded op used; it may have used one twice.
  static void eraseUnused(ArrayRef<Value> values) {
    llvm::SmallSetVector<Value, 4> distinct(values.begin(), values.end());
    for (Value value : distinct)
      if (auto constant = value.getDefiningOp<ConstantOp>();
          constant && constant->use_empty())
        constant->erase();
  }

  //===--------------------------------------------------------------------===//
  // What to compute
  //===--------------------------------------------------------------------===//

  void collect(Region &region) {
    for (Block &block : region)
      for (Operation &op : block) {
        if (isKnowable(&op)) {
          unitOf.insert({&op, 0});
          continue;
        }
        for (Region &inner : op.getRegions())
          collect(inner);
      }
  }

  /// All that an op reads: its operands, and what its graphs capture.
  static SmallVector<Value> getReads(Operation *op) {
    SmallVector<Value> reads(op->getOperands());
    llvm::SetVector<Value> captured;
    if (op->getNumRegions() > 0)
      getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(reads, captured);
    return reads;
  }

  bool isKnowable(Operation *op) {
    return isFoldable(op) && llvm::all_of(getReads(op), [&](Value value) {
             return isConstant(value) ||
                    (value.getDefiningOp() &&
                     unitOf.contains(value.getDefiningOp()));
           });
  }

  void makeUnits() {
    llvm::EquivalenceClasses<Operation *> classes;
    for (auto [op, unit] : unitOf) {
      classes.insert(op);
      for (Value value : getReads(op))
        if (!isa<TensorType>(value.getType()))
          classes.unionSets(op, value.getDefiningOp());
    }
    DenseMap<Operation *, size_t> numbers;
    for (auto &[op, unit] : unitOf) {
      auto [found, isNew] =
          numbers.try_emplace(classes.getLeaderValue(op), units.size());
      if (isNew)
        units.emplace_back();
      unit = found->second;
      units[unit].ops.push_back(op);
    }
    for (size_t number = 0; number < units.size(); ++number) {
      Unit &unit = units[number];
      llvm::SmallSetVector<Value, 4> inputs;
      for (Operation *op : unit.ops) {
        for (Value value : getReads(op))
          if (getUnit(value.getDefiningOp()) != number)
            inputs.insert(value);
        for (OpResult result : op->getResults())
          if (isa<TensorType>(result.getType()) &&
              llvm::any_of(result.getUsers(), [&](Operation *user) {
                return getUnit(user) != number;
              }))
            unit.outputs.push_back(result);
      }
      unit.inputs = inputs.takeVector();
      unit.isGivenUp = unit.outputs.empty();
    }
  }

  /// The unit of an op, or of the op that it is inside of.
  std::optional<size_t> getUnit(Operation *op) {
    for (; op && !isa<func::FuncOp>(op); op = op->getParentOp())
      if (auto found = unitOf.find(op); found != unitOf.end())
        return found->second;
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  /// The tensor that a value is; null if it is not known (yet).
  const TensorValue *getKnown(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second.get();
    if (!value.getDefiningOp<ConstantOp>())
      return nullptr;
    std::optional<TensorValue> constant = toValue(getConstant(value));
    auto &entry = known[value];
    if (constant)
      entry = std::make_unique<TensorValue>(std::move(*constant));
    return entry.get();
  }

  static bool isText(Type type) {
    return isa<StringType>(cast<TensorType>(type).getElementType());
  }

  /// Whether an input of the kernel is part of its code: texts, and what shapes
  /// may depend on.
  static bool isEmbedded(const Unit &unit, RankedTensorType type) {
    if (isText(type))
      return true;
    if (type.getRank() > 1 || type.getNumElements() > maxEmbedded)
      return false;
    return llvm::any_of(unit.ops, [&](Operation *op) {
      return isa<FloatType>(type.getElementType())
                 ? isa<RangeOp, ResizeOp>(op)
                 : !isa<ScalarOpInterface>(op);
    });
  }

  /// Decides what the kernel is, and makes it unless there is an equal one.
  /// Fails as long as something is not known that the kernel depends on.
  LogicalResult chooseKernel(Unit &unit,
                             std::vector<EvaluatorInterface::Kernel> &made) {
    SmallVector<ElementsAttr> embedded;
    SmallVector<unsigned> arguments;
    SmallVector<Type> argumentTypes;
    for (auto [i, input] : llvm::enumerate(unit.inputs)) {
      const TensorValue *value = getKnown(input);
      RankedTensorType type = value ? value->type : getStaticType(input);
      if (!type)
        return failure();
      embedded.push_back({});
      if (isEmbedded(unit, type)) {
        if (!value)
          return failure();
        ElementsAttr attribute = getConstant(input);
        embedded.back() = attribute ? attribute : toAttribute(*value);
        continue;
      }
      arguments.push_back(i);
      argumentTypes.push_back(type);
    }
    unit.arguments = std::move(arguments);
    unit.argumentTypes = std::move(argumentTypes);
    OwningOpRef<func::FuncOp> function;
    unit.key = makeKey(unit, embedded);
    if (unit.key.empty()) {
      function = makeKernel(unit, embedded);
      if (!function) {
        unit.isGivenUp = true;
        return success();
      }
      llvm::raw_string_ostream(unit.key) << *function;
    }
    if (evaluator->isKnown(unit.key) || !isMade.insert(unit.key).second)
      return success();
    if (!function)
      function = makeKernel(unit, embedded);
    if (!function)
      return success();
    made.push_back({unit.key, function.get()});
    functions.push_back(std::move(function));
    return success();
  }

  /// Equal for equal kernels: of attributes, which are unique, it has the
  /// addresses. Empty where there are graphs.
  static std::string makeKey(const Unit &unit,
                             ArrayRef<ElementsAttr> embedded) {
    std::string key;
    auto add = [&](const void *part) {
      key.append(reinterpret_cast<const char *>(&part), sizeof part);
    };
    DenseMap<Value, size_t> numbers;
    size_t argument = 0;
    for (auto [input, value] : llvm::zip_equal(unit.inputs, embedded)) {
      numbers.try_emplace(input, numbers.size());
      add(value ? value.getAsOpaquePointer() : nullptr);
      add(value ? nullptr : unit.argumentTypes[argument].getAsOpaquePointer());
      argument += !value;
    }
    for (Operation *op : unit.ops) {
      if (op->getNumRegions() > 0)
        return {};
      add(op->getName().getAsOpaquePointer());
      add(op->getAttrDictionary().getAsOpaquePointer());
      for (Value operand : op->getOperands())
        add(reinterpret_cast<const void *>(numbers.lookup(operand)));
      for (OpResult result : op->getResults()) {
        numbers.try_emplace(result, numbers.size());
        add(result.getType().getAsOpaquePointer());
        add(reinterpret_cast<const void *>(
            uintptr_t(llvm::is_contained(unit.outputs, result))));
      }
    }
    return key;
  }

  /// Null if the results have no rank.
  static OwningOpRef<func::FuncOp> makeKernel(const Unit &unit,
                                              ArrayRef<ElementsAttr> embedded) {
    MLIRContext *context = unit.ops.front()->getContext();
    OpBuilder builder(context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<func::FuncOp> function = func::FuncOp::create(
        loc, "kernel", builder.getFunctionType(unit.argumentTypes, {}));
    Block *body = function->addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    unsigned next = 0;
    for (auto [input, value] : llvm::zip_equal(unit.inputs, embedded)) {
      if (!value) {
        mapping.map(input, body->getArgument(next++));
        continue;
      }
      mapping.map(
          input, context->getLoadedDialect<ONNXDialect>()
                     ->materializeConstant(builder, value, value.getType(), loc)
                     ->getResult(0));
    }
    for (Operation *op : unit.ops) {
      Operation *copy = builder.clone(*op, mapping);
      copy->walk([&](Operation *inner) { inner->setLoc(loc); });
      SmallVector<Type> types;
      if (failed(inferResultTypes(copy, types, [](const llvm::Twine &) {})))
        return {};
      for (auto [result, type] : llvm::zip_equal(copy->getResults(), types)) {
        Type joined =
            type ? joinTypes(result.getType(), type) : result.getType();
        if (!joined)
          return {};
        result.setType(joined);
      }
    }
    SmallVector<Value> results;
    for (OpResult output : unit.outputs) {
      results.push_back(mapping.lookup(output));
      if (!isa<RankedTensorType>(results.back().getType()))
        return {};
    }
    func::ReturnOp::create(builder, loc, results);
    function->setFunctionType(builder.getFunctionType(
        unit.argumentTypes, TypeRange(ValueRange(results))));
    return function;
  }

  //===--------------------------------------------------------------------===//
  // Computing
  //===--------------------------------------------------------------------===//

  /// Kernels depend on values that other kernels compute: each round makes
  /// those that it can, and runs all that they suffice for.
  void compute() {
    SmallVector<Unit *> pending;
    for (Unit &unit : units)
      if (!unit.isGivenUp)
        pending.push_back(&unit);
    while (!pending.empty()) {
      std::vector<EvaluatorInterface::Kernel> made;
      bool isProgress = false;
      for (Unit *unit : pending)
        if (unit->key.empty() && isOfUse(*unit))
          isProgress |= succeeded(chooseKernel(*unit, made));
      evaluator->compile(made);
      functions.clear();
      llvm::erase_if(pending, [&](Unit *unit) {
        if (!unit->isGivenUp && !unit->key.empty() &&
            llvm::all_of(unit->inputs,
                         [&](Value input) { return getKnown(input); })) {
          isProgress = true;
          if (matchesKernel(*unit))
            run(*unit);
          else
            unit->isGivenUp = true;
        }
        return unit->isDone || unit->isGivenUp;
      });
      if (!isProgress)
        return;
    }
  }

  /// Whether it is within the budget, as far as types tell.
  bool isOfUse(Unit &unit) {
    int64_t in = 0, out = 0;
    for (Value input : unit.inputs) {
      const TensorValue *value = getKnown(input);
      // Data that are not there.
      if (!value && input.getDefiningOp<ConstantOp>())
        unit.isGivenUp = true;
      if (auto defined = getUnit(input.getDefiningOp());
          !value && defined && units[*defined].isGivenUp)
        unit.isGivenUp = true;
      if (value)
        in += countBytes(*value);
      else if (RankedTensorType type = getStaticType(input))
        in += countTypeBytes(type);
    }
    for (Value output : unit.outputs)
      if (RankedTensorType type = getStaticType(output))
        out += countTypeBytes(type);
    if (out > std::max(in, options.foldBudget))
      unit.isGivenUp = true;
    return !unit.isGivenUp;
  }

  static int64_t countTypeBytes(RankedTensorType type) {
    Type element = type.getElementType();
    int64_t width = element.isIntOrFloat()
                        ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                        : 8;
    int64_t bytes = width;
    for (int64_t dim : type.getShape())
      if (llvm::MulOverflow(bytes, dim, bytes))
        return std::numeric_limits<int64_t>::max() / 4;
    return std::min(bytes, std::numeric_limits<int64_t>::max() / 4);
  }

  bool matchesKernel(Unit &unit) {
    for (auto [number, type] :
         llvm::zip_equal(unit.arguments, unit.argumentTypes))
      if (getKnown(unit.inputs[number])->type != type)
        return false;
    // Ops of which the operands are known one by one.
    return unit.ops.size() > 1 || isWorth(unit.ops.front());
  }

  bool isWorth(Operation *op) {
    SmallVector<const TensorValue *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getKnown(operand));
    return isWorthFolding(op, operands);
  }

  void run(Unit &unit) {
    unit.isGivenUp = true;
    std::vector<TensorValue> arguments;
    int64_t in = 0, out = 0;
    for (unsigned number : unit.arguments)
      arguments.push_back(*getKnown(unit.inputs[number]));
    for (Value input : unit.inputs)
      in += countBytes(*getKnown(input));
    FailureOr<std::vector<TensorValue>> results =
        evaluator->run(unit.key, arguments);
    if (failed(results))
      return;
    for (const TensorValue &result : *results)
      out += countBytes(result);
    if (out > std::max(in, options.foldBudget))
      return;
    for (auto [output, result] : llvm::zip_equal(unit.outputs, *results))
      if (!joinTypes(output.getType(), result.type))
        return;
    for (auto [output, result] : llvm::zip_equal(unit.outputs, *results))
      known[output] = std::make_unique<TensorValue>(std::move(result));
    unit.isGivenUp = false;
    unit.isDone = true;
  }

  //===--------------------------------------------------------------------===//
  // Replacing
  //===--------------------------------------------------------------------===//

  bool isDone(Operation *op) {
    std::optional<size_t> unit = getUnit(op);
    return unit && units[*unit].isDone;
  }

  void replace() {
    for (Unit &unit : units)
      for (OpResult output : unit.outputs) {
        auto isLeft = [&](OpOperand &use) { return !isDone(use.getOwner()); };
        if (!unit.isDone || llvm::none_of(output.getUses(), isLeft))
          continue;
        const TensorValue &value = *known[output];
        if (!fits(output, value.type))
          continue;
        changes += succeeded(replaceUses(output, toAttribute(value), isLeft));
      }
    llvm::SetVector<Value> reads;
    for (auto [op, unit] : llvm::reverse(unitOf)) {
      if (!units[unit].isDone || !op->use_empty())
        continue;
      reads.insert_range(getReads(op));
      for (Value result : op->getResults())
        reads.remove(result);
      op->erase();
    }
    eraseUnused(reads.getArrayRef());
  }

  /// More elements than a shape has.
  static constexpr int64_t maxNativeElements = 256;
  static constexpr int64_t maxEmbedded = 64;

  ModuleOp module;
  const RewriteOptions &options;
  EvaluatorInterface *evaluator;
  int64_t changes = 0;
  /// In the order of the program.
  llvm::MapVector<Operation *, size_t> unitOf;
  std::vector<Unit> units;
  DenseMap<Value, std::unique_ptr<TensorValue>> known;
  llvm::StringSet<> isMade;
  std::vector<OwningOpRef<func::FuncOp>> functions;
};

struct ConstantFold : onnxc::impl::ConstantFoldBase<ConstantFold> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = Folder(module, options).run();
    if (changes > 0) {
      refineTypes(module);
      updateResultTypes(module);
    }
    return changes;
  }
};
} // namespace
