//===- Names.cpp - Names of values and nodes ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Schema.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Of ops that have a place for every value, absent ones of type none.
static Items getItems(TypeRange types) {
  Items items;
  for (auto [index, type] : llvm::enumerate(types))
    items.push_back(isa<NoneType>(type) ? std::nullopt
                                        : std::optional<unsigned>(index));
  return items;
}

Items onnxc::getOperandItems(Operation *op) {
  return isa<SchemaOpInterface>(op) ? getNodeItems(getOperandSegments(op))
                                    : getItems(op->getOperandTypes());
}

Items onnxc::getResultItems(Operation *op) {
  return isa<SchemaOpInterface>(op) ? getNodeItems(getResultSegments(op))
                                    : getItems(op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Fresh names
//===----------------------------------------------------------------------===//

/// Every name that the module mentions: a fresh one is not among them.
Names::Names(ModuleOp module) {
  auto addName = [&](Attribute description, StringRef key) {
    if (auto values = dyn_cast_or_null<DictionaryAttr>(description))
      if (auto name = values.getAs<StringAttr>(key))
        taken.insert(name);
  };
  module.walk([&](Operation *op) {
    if (SourceAttr source = getSource(op->getLoc())) {
      if (ArrayAttr outputs = source.getOutputs())
        for (StringRef name : outputs.getAsValueRange<StringAttr>())
          taken.insert(name);
      takenNodes.insert(source.getName());
    }
    if (auto graph = op->getAttrOfType<DictionaryAttr>(model::graph))
      for (StringRef list : {"inputs", "outputs"})
        if (auto infos = graph.getAs<ArrayAttr>(list))
          for (Attribute info : infos)
            addName(info, "name");
    if (auto func = dyn_cast<func::FuncOp>(op))
      for (ArrayAttr list : {func.getArgAttrsAttr(), func.getResAttrsAttr()})
        if (list)
          for (Attribute info : list)
            addName(info, model::name);
  });
  taken.erase("");
  takenNodes.erase("");
}

StringRef Names::makeFresh(StringRef base, llvm::StringSet<> &taken,
                           llvm::StringMap<unsigned> &counts) {
  if (taken.insert(base).second)
    return saver.save(base);
  unsigned &count = counts[base];
  while (true) {
    std::string name = (base + "_" + llvm::Twine(++count)).str();
    if (taken.insert(name).second)
      return saver.save(name);
  }
}

StringRef Names::makeFresh(StringRef base) {
  return makeFresh(base.empty() ? "value" : base, taken, counts);
}

StringRef Names::getNode(Operation *op) {
  SourceAttr source = getSource(op->getLoc());
  if (!source || source.getName().empty())
    return "";
  DictionaryAttr metadata = source.getMetadata();
  bool wasRepeated = metadata && metadata.get("repeated");
  if (!copies.contains(op) &&
      (wasRepeated || givenNodes.insert(source.getName()).second))
    return source.getName();
  return makeFresh(source.getName(), takenNodes, nodeCounts);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Whether both were made of one node of the model.
static bool haveOneSource(Operation *a, Operation *b) {
  SourceAttr first = getSource(a->getLoc()), second = getSource(b->getLoc());
  return first && second && first.getName() == second.getName() &&
         first.getOutputs() == second.getOutputs();
}

/// Gives the value the name, unless the graph or one around it has it already.
bool Names::claim(StringRef name, Value value, Operation *op, Scope &scope) {
  for (const Scope *inner = &scope; inner->outer; inner = inner->outer) {
    auto found = inner->outer->names.find(name);
    if (found == inner->outer->names.end())
      continue;
    // What is defined later is not seen from here. What a node has become has
    // its outputs' names only once.
    Operation *definition = found->second.op;
    if (!definition || definition->isBeforeInBlock(inner->at) ||
        (op && haveOneSource(op, definition)))
      return false;
  }
  if (!scope.names.try_emplace(name, Scope::Definition{value, op}).second)
    return false;
  values[value] = saver.save(name);
  return true;
}

static StringRef getNameAt(ArrayAttr names, unsigned position) {
  return names && position < names.size()
             ? cast<StringAttr>(names[position]).getValue()
             : StringRef();
}

void Names::nameResult(OpResult result, unsigned position, SourceAttr source,
                       Scope &scope) {
  Operation *op = result.getOwner();
  StringRef base = source ? getNameAt(source.getOutputs(), position) : "";
  bool isOpen = !source || !source.getOutputs() || position == 0;
  if (base.empty() && result.use_empty() &&
      (!isOpen || (source && source.getOutputs() &&
                   position < source.getOutputs().size())))
    return;
  if (base.empty())
    base = source && !source.getName().empty() ? source.getName().getValue()
                                               : op->getName().stripDialect();
  StringRef fresh = makeFresh(base);
  scope.names[fresh] = {result, op};
  values[result] = fresh;
}

void Names::nameArguments(Block &block, MutableArrayRef<StringRef> inputs,
                          Scope &scope) {
  for (auto [argument, name] : llvm::zip_equal(block.getArguments(), inputs)) {
    if (name.empty() || !claim(name, argument, nullptr, scope)) {
      name = makeFresh(name.empty() ? "input" : name);
      scope.names[name] = {argument, nullptr};
      values[argument] = name;
    }
    name = values[argument];
  }
}

/// Names an output whose name is open as its value; false if the value is not
/// the block's or has its name already, so that a copy must have the new name.
bool Names::nameOpenOutput(Value value, Block &block, StringRef &name,
                           Scope &scope) {
  Operation *op = value.getDefiningOp();
  StringRef known = values.lookup(value);
  if (!op || op->getBlock() != &block || !known.empty()) {
    name = makeFresh(known.empty() ? "output" : known);
    return false;
  }
  SourceAttr source = getSource(op->getLoc());
  StringRef own = getNameAt(source ? source.getOutputs() : ArrayAttr(),
                            cast<OpResult>(value).getResultNumber());
  if (own.empty() || !claim(own, value, op, scope)) {
    own = makeFresh(own.empty() ? "output" : own);
    scope.names[own] = {value, op};
    values[value] = own;
  }
  name = values[value];
  return true;
}

/// Gives the value of an output the output's name, which no output before it
/// has; false if the value has another one or is not the block's, so that a
/// copy must have it.
bool Names::nameOutput(Value value, Block &block, StringRef &name,
                       Scope &scope) {
  Operation *op = value.getDefiningOp();
  bool isHere = op && op->getBlock() == &block;
  StringRef known = values.lookup(value);
  auto argument = dyn_cast<BlockArgument>(value);
  if (known == name && (isHere || (argument && argument.getOwner() == &block)))
    return true;
  // A value of the graph around this one has the name: it must not be hidden.
  if (known == name)
    name = makeFresh(name);
  if (!isHere || !known.empty() ||
      !scope.names.try_emplace(name, Scope::Definition{value, op}).second)
    return false;
  values[value] = name;
  return true;
}

SmallVector<Copy> Names::nameOutputs(Block &block,
                                     MutableArrayRef<StringRef> outputs,
                                     Scope &scope) {
  SmallVector<Copy> copied;
  llvm::StringMap<Value> named;
  Operation *terminator = block.getTerminator();
  for (auto [value, name] :
       llvm::zip_equal(terminator->getOperands(), outputs)) {
    bool isNamed;
    if (name.empty()) {
      isNamed = nameOpenOutput(value, block, name, scope);
    } else {
      // A graph may return one value twice.
      auto [before, isNew] = named.try_emplace(name, value);
      if (!isNew && before->second == value)
        continue;
      if (!isNew)
        name = makeFresh(name);
      name = saver.save(name);
      isNamed = nameOutput(value, block, name, scope);
    }
    if (isNamed)
      continue;
    scope.names[name] = {Value(), terminator};
    copied.push_back({value, name});
  }
  return copied;
}

/// Names what has no name yet. Of ops that come from one node the last computes
/// what the node did.
void Names::nameResults(Block &block, Scope &scope) {
  llvm::DenseSet<Attribute> seen;
  SmallVector<std::pair<OpResult, unsigned>> open;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    SourceAttr source = getSource(op.getLoc());
    if (source && !seen.insert(source).second)
      copies.insert(&op);
    for (auto [position, item] : llvm::enumerate(getResultItems(&op))) {
      if (!item || values.contains(op.getResult(*item)))
        continue;
      OpResult result = op.getResult(*item);
      StringRef name =
          source ? getNameAt(source.getOutputs(), position) : StringRef();
      if (name.empty() || !claim(name, result, &op, scope))
        open.emplace_back(result, position);
    }
  }
  for (auto [result, position] : llvm::reverse(open))
    nameResult(result, position, getSource(result.getOwner()->getLoc()), scope);
}

SmallVector<Copy> Names::nameBlock(Block &block,
                                   MutableArrayRef<StringRef> inputs,
                                   MutableArrayRef<StringRef> outputs,
                                   Scope &scope) {
  nameArguments(block, inputs, scope);
  // Outputs have the first choice.
  SmallVector<Copy> copied = nameOutputs(block, outputs, scope);
  nameResults(block, scope);
  return copied;
}
