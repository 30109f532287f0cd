//===- Rewriting.cpp - What patterns make ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"

#include "Matching.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

Location optimize::fuseLocations(Operation *first, Operation *root) {
  if (first == root)
    return root->getLoc();
  SourceAttr named = getSource(first->getLoc()),
             replaced = getSource(root->getLoc());
  if (!named || !replaced)
    return FusedLoc::get({first->getLoc(), root->getLoc()}, {},
                         root->getContext());
  auto source = SourceAttr::get(
      root->getContext(), named.getName(), named.getOp(), replaced.getOutputs(),
      named.getAttributes(), named.getDoc(), named.getMetadata());
  return FusedLoc::get({first->getLoc(), root->getLoc()}, source,
                       root->getContext());
}

/// The first output's name, or else the node's, or else the op's.
static std::string getBaseName(Operation *op) {
  if (SourceAttr source = getSource(op->getLoc())) {
    if (ArrayAttr outputs = source.getOutputs())
      for (auto output : outputs.getAsRange<StringAttr>())
        if (!output.getValue().empty())
          return output.getValue().str();
    if (!source.getName().getValue().empty())
      return source.getName().getValue().str();
  }
  return op->getName().stripDialect().str();
}

static Location makeLocation(Operation *root, StringRef name, StringRef op,
                             StringRef output) {
  Builder b(root->getContext());
  auto source = SourceAttr::get(
      root->getContext(), b.getStringAttr(name), b.getStringAttr(op),
      b.getStrArrayAttr({output}), nullptr, nullptr, nullptr);
  return FusedLoc::get({root->getLoc()}, source, root->getContext());
}

Location optimize::makeHelperLocation(Operation *root, StringRef suffix) {
  SourceAttr source = getSource(root->getLoc());
  std::string name;
  if (source && !source.getName().getValue().empty())
    name = (source.getName().getValue() + "_" + suffix).str();
  return makeLocation(root, name,
                      source ? source.getOp().getValue()
                             : root->getName().stripDialect(),
                      getBaseName(root) + "_" + suffix.str());
}

/// From this IR version on an initializer need not be an input.
static constexpr int64_t initializerVersion = 4;

bool optimize::canBeInitializer(Operation *at) {
  auto module = at->getParentOfType<ModuleOp>();
  auto version =
      module ? module->getAttrOfType<IntegerAttr>(model::irVersion) : nullptr;
  if (version && version.getInt() < initializerVersion)
    return false;
  auto func = at->getParentOfType<func::FuncOp>();
  return !func || !func->hasAttr(model::function);
}

bool optimize::canHoldConstant(Type elementType, Operation *at,
                               const RewriteOptions &options) {
  // From this opset on a Cast of a Constant stands for what that does not hold.
  constexpr int64_t castVersion = 6;
  return isa<FloatType>(elementType) || isAvailable(castVersion, at, options) ||
         canBeInitializer(at);
}

bool optimize::canHoldShape(Operation *at, const RewriteOptions &options) {
  // From this opset on the shape is an operand.
  constexpr int64_t operandVersion = 5;
  return !isAvailable(operandVersion, at, options) ||
         canHoldConstant(IntegerType::get(at->getContext(), 64), at, options);
}

/// Whether a graph in a node gives it directly: onnx infers no type for an
/// initializer there.
static bool isYielded(ValueRange values) {
  return llvm::any_of(values, [](Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<YieldOp>);
  });
}

static Value makeConstantFrom(PatternRewriter &rewriter, Operation *root,
                              ElementsAttr value, StringRef suffix,
                              StringRef source) {
  std::string name = getBaseName(root);
  if (!suffix.empty())
    name += "_" + suffix.str();
  OperationState state(makeLocation(root, name, source, name),
                       ConstantOp::getOperationName());
  state.addAttribute("value", value);
  state.addTypes(value.getType());
  return rewriter.create(state)->getResult(0);
}

Value optimize::makeConstant(PatternRewriter &rewriter, Operation *root,
                             ElementsAttr value, StringRef suffix) {
  bool isNode = !canBeInitializer(root) ||
                (suffix.empty() && isYielded(root->getResults()));
  return makeConstantFrom(rewriter, root, value, suffix,
                          isNode ? ConstantOp::getOnnxName() : "Initializer");
}

Value optimize::makeConstantNode(PatternRewriter &rewriter, Operation *root,
                                 ElementsAttr value, StringRef suffix) {
  return makeConstantFrom(rewriter, root, value, suffix,
                          ConstantOp::getOnnxName());
}

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

/// Calls state the types of what they take and give: a value that they see must
/// keep its type.
bool optimize::isSeenByCalls(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<func::CallOp>(user))
      return true;
    return isa<func::ReturnOp>(user) &&
           !user->getParentOp()->hasAttr(model::entry);
  });
}

/// The types that the values of `by` get when they take the place of `root`'s
/// results.
static FailureOr<SmallVector<Type>>
joinReplacement(PatternRewriter &rewriter, Operation *root, ValueRange by) {
  SmallVector<Type> types;
  for (auto [result, value] : llvm::zip_equal(root->getResults(), by)) {
    types.push_back(value ? value.getType() : Type());
    if (!value) {
      if (!result.use_empty())
        return rewriter.notifyMatchFailure(root, "a result is still used");
      continue;
    }
    Type joined = joinTypes(result.getType(), value.getType());
    if (!joined)
      return rewriter.notifyMatchFailure(
          root, "the types of what is there and of what is to come contradict");
    // Who sees a type matters only where it changes: a value may have many
    // uses, and it gets here once for each.
    // What holds in a branch need not hold before it. Nor can a rank be given
    // to what has subgraphs: they may yield several.
    Operation *definer = value.getDefiningOp();
    bool canRefine = joined != value.getType() && definer &&
                     definer->getBlock() == root->getBlock() &&
                     isa<SchemaOpInterface>(definer) &&
                     (definer->getNumRegions() == 0 ||
                      !isa<UnrankedTensorType>(value.getType())) &&
                     !isConstant(value) && !isSeenByCalls(value);
    if (canRefine)
      types.back() = joined;
    if (types.back() != result.getType() && isSeenByCalls(result))
      return rewriter.notifyMatchFailure(root,
                                         "a call sees the type of the result");
  }
  return types;
}

LogicalResult optimize::canReplaceRoot(PatternRewriter &rewriter,
                                       Operation *root, ValueRange by) {
  return joinReplacement(rewriter, root, by);
}

/// Makes the type of the entry that of what it returns.
static void followTypes(PatternRewriter &rewriter, func::ReturnOp terminator) {
  auto func = cast<func::FuncOp>(terminator->getParentOp());
  if (!func->hasAttr(model::entry) ||
      func.getResultTypes() == terminator.getOperandTypes())
    return;
  rewriter.modifyOpInPlace(func, [&] {
    func.setFunctionType(rewriter.getFunctionType(
        func.getArgumentTypes(), terminator.getOperandTypes()));
  });
}

LogicalResult optimize::replaceRoot(PatternRewriter &rewriter, Operation *root,
                                    ValueRange by) {
  FailureOr<SmallVector<Type>> types = joinReplacement(rewriter, root, by);
  if (failed(types))
    return failure();
  for (auto [value, type] : llvm::zip_equal(by, *types)) {
    if (!value || value.getType() == type)
      continue;
    Value refined = value;
    rewriter.modifyOpInPlace(refined.getDefiningOp(),
                             [&, to = type] { refined.setType(to); });
  }
  rewriter.replaceOp(root, by);
  // At once, and not after the rewrite: --canonicalize has no after.
  for (Value value : by) {
    if (!value)
      continue;
    for (Operation *user : value.getUsers())
      if (auto terminator = dyn_cast<func::ReturnOp>(user))
        followTypes(rewriter, terminator);
  }
  return success();
}

Value optimize::makeConstant(OpResult result, ElementsAttr value) {
  Operation *op = result.getOwner();
  std::string name = getBaseName(op);
  // Absent outputs have no name.
  unsigned number = 0;
  SourceAttr source = getSource(op->getLoc());
  if (source && source.getOutputs())
    for (auto output : source.getOutputs().getAsRange<StringAttr>())
      if (!output.empty() && number++ == result.getResultNumber())
        name = output.str();
  OpBuilder builder(op);
  bool isNode = !canBeInitializer(op) || isYielded(result);
  OperationState state(
      makeLocation(op, name, isNode ? ConstantOp::getOnnxName() : "Initializer",
                   name),
      ConstantOp::getOperationName());
  state.addAttribute("value", value);
  state.addTypes(value.getType());
  return builder.create(state)->getResult(0);
}

void optimize::updateResultTypes(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(model::entry) || func.isExternal())
      continue;
    auto terminator =
        dyn_cast<func::ReturnOp>(func.getBody().back().getTerminator());
    if (terminator &&
        terminator.getOperandTypes() != func.getFunctionType().getResults())
      func.setFunctionType(FunctionType::get(func.getContext(),
                                             func.getArgumentTypes(),
                                             terminator.getOperandTypes()));
  }
}

void optimize::eraseIfUnused(PatternRewriter &rewriter, Operation *op,
                             const RewriteOptions &options) {
  if (!options.upstreamCompatible || !op->use_empty())
    return;
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  // What was an attribute of it goes with it.
  for (Value operand :
       llvm::SmallSetVector<Value, 4>(operands.begin(), operands.end())) {
    auto constant = operand ? operand.getDefiningOp<ConstantOp>() : nullptr;
    if (!constant || !constant->use_empty())
      continue;
    SourceAttr source = getSource(constant.getLoc());
    if (source && source.getOp() != "Initializer" &&
        source.getOp() != ConstantOp::getOnnxName())
      rewriter.eraseOp(constant);
  }
}

LogicalResult optimize::replaceByConstant(PatternRewriter &rewriter,
                                          Operation *root, ElementsAttr value,
                                          const RewriteOptions &options) {
  Value result = root->getResult(0);
  if (!canHoldConstant(value.getElementType(), root, options))
    return rewriter.notifyMatchFailure(
        root, "the model's opset has no such constants");
  Type joined = joinTypes(result.getType(), value.getType());
  if (!joined)
    return rewriter.notifyMatchFailure(root, "its declared type contradicts");
  if (value.getType() != result.getType() && isSeenByCalls(result))
    return rewriter.notifyMatchFailure(root,
                                       "a call sees the type of the result");
  rewriter.replaceOp(root, makeConstant(rewriter, root, value, ""));
  return success();
}

//===----------------------------------------------------------------------===//
// Opsets
//===----------------------------------------------------------------------===//

int64_t optimize::getOpset(Operation *op) {
  for (Operation *around = op; around; around = around->getParentOp()) {
    auto imports = around->getAttrOfType<DictionaryAttr>(model::opsetImports);
    if (auto function = around->getAttrOfType<DictionaryAttr>(model::function))
      imports = function.getAs<DictionaryAttr>("opset_imports");
    if (!imports)
      continue;
    for (StringRef domain : {"ai.onnx", ""})
      if (auto version = imports.getAs<IntegerAttr>(domain))
        return version.getInt();
  }
  // A module that says nothing is in the newest form.
  return std::numeric_limits<int64_t>::max();
}

bool optimize::isAvailable(int64_t since, Operation *at,
                           const RewriteOptions &options) {
  return !options.keepOpset || getOpset(at) >= since;
}
